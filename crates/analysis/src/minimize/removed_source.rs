//! The places of the source that belong to removed parts.

use std::collections::{HashMap, HashSet};
use std::hash::Hash;

use lang::{Node, NodeId, Program, Type, VarClass};
use lower::Part;
use syntax::{Span, Symbol};

/// Is a stream of this class defined in the body of its node?
pub(super) fn is_of_body(class: VarClass) -> bool {
    matches!(class, VarClass::Output | VarClass::Local)
}

/// The places of the source to remove, with the types of the removed values.
#[derive(Default)]
pub(super) struct RemovedSource {
    /// Streams of the body of a node, by their names.
    pub streams: HashMap<(Symbol, Symbol), Type>,
    /// Variables of a contract, by where they are declared.
    pub ghosts: HashMap<Span, Type>,
    pub conditions: HashSet<Span>,
    /// By each place of a call: the place that stands for all of them, and the
    /// types of its outputs.
    pub calls: HashMap<Span, (Span, Vec<Type>)>,
    pub arguments: HashMap<(Span, usize), (Span, Type)>,
    /// Nodes whose calls must stay, because the nodes have conditions that are needed.
    pub binding: HashSet<Symbol>,
}

/// Places that are removed in all nodes that they belong to: the text of a contract may be part of
/// several.
struct RemovedInAll<K, V>(HashMap<K, Option<V>>);

impl<K: Hash + Eq, V> RemovedInAll<K, V> {
    fn new() -> Self {
        RemovedInAll(HashMap::new())
    }

    fn add(&mut self, key: K, removed: Option<V>) {
        match (self.0.get_mut(&key), removed) {
            (Some(known), None) => *known = None,
            (Some(_), Some(_)) => {}
            (None, removed) => drop(self.0.insert(key, removed)),
        }
    }

    fn removed(self) -> impl Iterator<Item = (K, V)> {
        let all = self.0.into_iter();
        all.filter_map(|(key, value)| Some((key, value?)))
    }
}

impl RemovedSource {
    pub fn new(program: &Program, removed: &[Part]) -> RemovedSource {
        let mut finder = Finder {
            program,
            removed: removed.iter().copied().collect(),
            found: RemovedSource::default(),
            ghosts: RemovedInAll::new(),
            conditions: RemovedInAll::new(),
            calls: RemovedInAll::new(),
            arguments: RemovedInAll::new(),
        };
        for id in program.node_ids() {
            finder.streams(id);
            for (span, part) in own_conditions(id, program.node(id)) {
                let removed = finder.removed.contains(&part).then_some(());
                finder.conditions.add(span, removed);
            }
            finder.calls(id);
            if finder.is_binding(id) {
                finder.found.binding.insert(program.node(id).name);
            }
        }
        RemovedSource {
            ghosts: finder.ghosts.removed().collect(),
            conditions: finder.conditions.removed().map(|(span, ())| span).collect(),
            calls: finder.calls.removed().collect(),
            arguments: finder.arguments.removed().collect(),
            ..finder.found
        }
    }
}

struct Finder<'a> {
    program: &'a Program,
    removed: HashSet<Part>,
    found: RemovedSource,
    ghosts: RemovedInAll<Span, Type>,
    conditions: RemovedInAll<Span, ()>,
    calls: RemovedInAll<Span, (Span, Vec<Type>)>,
    arguments: RemovedInAll<(Span, usize), (Span, Type)>,
}

impl Finder<'_> {
    fn streams(&mut self, id: NodeId) {
        let node = self.program.node(id);
        for var_id in node.var_ids() {
            let var = node.var(var_id);
            let is_removed = self.removed.contains(&Part::Equation(id, var_id));
            let ty = is_removed.then(|| var.ty.clone());
            if is_of_body(var.class) {
                let named = ty.map(|ty| ((node.name, var.name), ty));
                self.found.streams.extend(named);
            } else if var.class == VarClass::Ghost {
                self.ghosts.add(var.span, ty);
            }
        }
    }

    fn calls(&mut self, id: NodeId) {
        let node = self.program.node(id);
        for call_id in node.call_ids() {
            let call = node.call(call_id);
            let callee = self.program.node(call.node);
            // One value for each index is more than the text can say.
            let is_removed = |part| call.indices.is_empty() && self.removed.contains(&part);
            for site in &call.sites {
                let outputs = is_removed(Part::Call(id, call_id));
                let outputs = outputs.then(|| (call.span, call.output_types.clone()));
                self.calls.add(*site, outputs);
                for (at, input) in callee.inputs.iter().enumerate() {
                    let argument = is_removed(Part::Binding(id, call_id, at));
                    let argument = argument.then(|| (call.span, callee.var(*input).ty.clone()));
                    self.arguments.add((*site, at), argument);
                }
            }
        }
    }

    /// Does a call of the node add a condition that is needed? Its callees are done before.
    fn is_binding(&self, id: NodeId) -> bool {
        let node = self.program.node(id);
        let own: Vec<(Span, Part)> = match (node.has_body, &node.contract) {
            (true, _) => assertions(id, node),
            (false, Some(contract)) => promises(id, contract),
            (false, None) => Vec::new(),
        };
        let mut callees = node.live_calls().map(|call| node.call(call).node);
        let binding = &self.found.binding;
        own.iter().any(|(_, part)| !self.removed.contains(part))
            || callees.any(|callee| binding.contains(&self.program.node(callee).name))
    }
}

/// The conditions of a node, by where they stand.
fn own_conditions(id: NodeId, node: &Node) -> Vec<(Span, Part)> {
    let mut found = assertions(id, node);
    if let Some(contract) = &node.contract {
        for (at, clause) in contract.assumptions.iter().enumerate() {
            found.push((clause.span, Part::Assumption(id, at)));
        }
        found.extend(promises(id, contract));
    }
    found
}

fn assertions(id: NodeId, node: &Node) -> Vec<(Span, Part)> {
    let assertions = node.asserts.iter().enumerate();
    let assertions = assertions.map(|(at, a)| (a.span, Part::Assertion(id, at)));
    assertions.collect()
}

fn promises(id: NodeId, contract: &lang::Contract) -> Vec<(Span, Part)> {
    let guarantees = contract.guarantees.iter().enumerate();
    let guarantees = guarantees.map(|(at, clause)| (clause.span, Part::Guarantee(id, at)));
    let modes = contract.modes.iter().enumerate();
    let ensures = modes.flat_map(|(number, mode)| {
        let ensures = mode.ensures.iter().enumerate();
        ensures.map(move |(at, clause)| (clause.span, Part::Ensure(id, number, at)))
    });
    guarantees.chain(ensures).collect()
}
