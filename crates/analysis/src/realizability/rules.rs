//! From a contract to a game, an [`Arena`].

use std::collections::{BTreeSet, HashMap, HashSet};
use std::sync::Arc;

use game::{Arena, Memory};
use lang::{ChoiceKind, NodeId, Program, VarClass};
use lower::{Check, LowerOptions, Lowered, Part};
use syntax::SourceMap;
use system::{Role, System, Term, Var};

use crate::abstraction::abstracted;

/// The game of a contract, and what it is in the model.
pub struct Rules {
    pub lowered: Lowered,
    pub arena: Arena,
    /// For each guarantee of the game the clause that it comes from.
    pub clauses: Vec<Clause>,
    /// Assumptions depend on what a node without a body gives, as if the environment picked it:
    /// the environment may win only because of that.
    pub generous: bool,
    /// The environment is the one that has to go on for ever: its moves come after the outputs
    /// of the step before.
    pub is_swapped: bool,
    /// What the outputs keep to by their types, and what is known of constants.
    facts: Vec<Term>,
}

/// Where a guarantee of a game comes from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Clause {
    Assumption(usize),
    Guarantee(usize),
    /// A mode, and one of the conditions that it ensures.
    Ensure(usize, usize),
    Property(usize),
    Assertion(usize),
    /// A declared type.
    Range,
}

/// Why there is no game.
#[derive(Debug)]
pub enum Obstacle {
    /// The contract depends on what a node without a body, or with an open one, gives.
    OpenCall(String),
    Unsupported(String),
}

/// The program in which a node has no body, so that its contract alone is left.
pub fn without_body(program: &Program, top: NodeId) -> Program {
    let mut program = abstracted(program, &BTreeSet::from([top]));
    let node = Arc::make_mut(&mut program.nodes[top.index()]);
    (node.abstracted, node.imported) = (false, true);
    program
}

/// The game of a component, which picks the outputs of a node without a body.
pub fn of_contract(
    program: &Program,
    sources: &SourceMap,
    top: NodeId,
    options: &LowerOptions,
) -> Result<Rules, Obstacle> {
    let lowered = lowered(program, sources, top, options)?;
    let (mut outputs, mut open): (HashSet<Var>, HashSet<Var>) = Default::default();
    let mut open_node = None;
    for (key, shape) in &lowered.choices {
        let path = key.path.iter();
        let id = path.fold(top, |node, step| program.node(node).call(step.call).node);
        let node = program.node(id);
        let is_top = key.path.is_empty();
        let leaves = || {
            let leaves = shape.leaves().into_iter();
            leaves.flat_map(|(leaf, _)| leaf.vars())
        };
        match node.choice(key.choice).kind {
            ChoiceKind::Imported(_) if is_top => outputs.extend(leaves()),
            ChoiceKind::Pre | ChoiceKind::Inactive(..) => {}
            // The local streams of a body that was removed: no contract speaks of them.
            ChoiceKind::Undefined(var) if is_top && node.var(var).class == VarClass::Local => {}
            _ => {
                open.extend(leaves());
                open_node = Some(node.name.to_string());
            }
        }
    }
    let mut rules = rules(lowered, outputs, |check| match check {
        Check::Guarantee(at) => Some(Clause::Guarantee(at)),
        Check::Ensure(mode, at) => Some(Clause::Ensure(mode, at)),
        _ => None,
    });
    if let Some(name) = open_node {
        let mut promised = rules.arena.clone();
        promised.assumptions.clear();
        let promised = promised.sliced();
        let mut needed = promised.inputs.iter().flat_map(Term::vars);
        if needed.any(|var| open.contains(&var)) {
            return Err(Obstacle::OpenCall(name));
        }
        rules.generous = true;
    }
    rules.arena = rules.arena.sliced();
    Ok(rules)
}

/// The game that a `--%REALIZABLE` annotation describes: the component picks the inputs that it
/// does not name.
pub fn of_annotation(
    program: &Program,
    sources: &SourceMap,
    top: NodeId,
    options: &LowerOptions,
) -> Result<Rules, Obstacle> {
    let lowered = lowered(program, sources, top, options)?;
    let node = program.node(top);
    let given = node.realizable.as_deref().unwrap_or_default();
    let mut outputs = HashSet::new();
    for (id, shape) in node.inputs.iter().zip(&lowered.inputs) {
        if !given.contains(id) {
            let leaves = shape.leaves().into_iter();
            outputs.extend(leaves.flat_map(|(leaf, _)| leaf.vars()));
        }
    }
    let open = lowered.choices.keys().find_map(|key| {
        let path = key.path.iter();
        let id = path.fold(top, |node, step| program.node(node).call(step.call).node);
        let node = program.node(id);
        let kind = node.choice(key.choice).kind;
        let is_open = !matches!(kind, ChoiceKind::Pre | ChoiceKind::Inactive(..));
        is_open.then(|| node.name.to_string())
    });
    if let Some(name) = open {
        return Err(Obstacle::OpenCall(name));
    }
    let mut rules = rules(lowered, outputs, |check| match check {
        Check::Property(at) => Some(Clause::Property(at)),
        Check::Guarantee(at) => Some(Clause::Guarantee(at)),
        Check::Ensure(mode, at) => Some(Clause::Ensure(mode, at)),
        _ => None,
    });
    rules.arena = rules.arena.sliced();
    Ok(rules)
}

impl Rules {
    /// The game of the environment of a component: it has to find inputs that keep the
    /// assumptions, whatever the outputs are.
    pub fn of_environment(mut self) -> Rules {
        let clauses = self.arena.assumptions.iter().map(|term| {
            let mut constraints = self.lowered.system.constraints.iter();
            let constraint = constraints.find(|constraint| constraint.term == *term);
            let element = constraint.and_then(|constraint| constraint.element);
            match element.map(|id| self.lowered.parts[id.0 as usize]) {
                Some(Part::Assumption(_, at)) => Clause::Assumption(at),
                Some(Part::Assertion(_, at)) => Clause::Assertion(at),
                _ => Clause::Range,
            }
        });
        self.clauses = clauses.collect();
        self.arena = self.arena.swapped(&self.facts);
        self.is_swapped = true;
        self
    }
}

fn lowered(
    program: &Program,
    sources: &SourceMap,
    top: NodeId,
    options: &LowerOptions,
) -> Result<Lowered, Obstacle> {
    let options = LowerOptions {
        subproperties: false,
        reach: false,
        nonvacuity: false,
        all_streams: true,
        ..options.clone()
    };
    let lowered = lower::lower(program, sources, top, &options);
    lowered.map_err(|why| Obstacle::Unsupported(why.0))
}

/// The game in which the component picks some of the variables.
fn rules(
    lowered: Lowered,
    outputs: HashSet<Var>,
    clause: impl Fn(Check) -> Option<Clause>,
) -> Rules {
    let system = Arc::new(lowered.system.clone());
    let behind = memory_behind(&system, &outputs);
    let mentions = |term: &Term, vars: &HashSet<Var>| term.vars().iter().any(|v| vars.contains(v));
    let is_fixed = |term: &Term| {
        let vars = term.vars().into_iter();
        let mut roles = vars.map(|var| system.var(var).role);
        roles.all(|role| role == Role::Constant)
    };
    let is_input = |var: Var| system.var(var).role == Role::Input;
    let (mut assumptions, mut facts) = (Vec::new(), Vec::new());
    let (mut guarantees, mut clauses) = (Vec::new(), Vec::new());
    for constraint in &system.constraints {
        let term = &constraint.term;
        let part = constraint.element.map(|id| lowered.parts[id.0 as usize]);
        let own = match part {
            Some(Part::Assertion(_, at)) if mentions(term, &behind) || mentions(term, &outputs) => {
                Some(Clause::Assertion(at))
            }
            _ => mentions(term, &outputs).then_some(Clause::Range),
        };
        let speaks_of_inputs = term.vars().into_iter().any(is_input);
        match own {
            Some(own) => {
                if own == Clause::Range {
                    facts.push(term.clone());
                }
                guarantees.push(term.clone());
                clauses.push(own);
            }
            None => {
                if is_fixed(term) || constraint.element.is_none() && !speaks_of_inputs {
                    facts.push(term.clone());
                }
                assumptions.push(term.clone());
            }
        }
    }
    for (property, origin) in system.properties.iter().zip(&lowered.origins) {
        if let Some(clause) = clause(origin.check).filter(|_| origin.path.is_empty()) {
            guarantees.push(property.term.clone());
            clauses.push(clause);
        }
    }
    let variable = |var: Var| system::var(var, system.var(var).sort.clone());
    let (mut memory, mut inputs, mut picked) = (Vec::new(), Vec::new(), Vec::new());
    for (at, declared) in system.vars.iter().enumerate() {
        let var = Var(at as u32);
        match (declared.role, &declared.next) {
            (Role::State, Some(next)) => memory.push(Memory {
                var: variable(var),
                init: declared.init.clone(),
                next: next.clone(),
            }),
            (Role::Input, _) if outputs.contains(&var) => picked.push(variable(var)),
            (Role::State | Role::Input, _) => inputs.push(variable(var)),
            (Role::Constant | Role::Stream, _) => {}
        }
    }
    let arena = Arena {
        system: system.clone(),
        memory,
        inputs,
        outputs: picked,
        assumptions,
        guarantees,
    };
    Rules {
        lowered,
        arena,
        clauses,
        generous: false,
        is_swapped: false,
        facts,
    }
}

/// The memory that depends on some variables of earlier steps.
fn memory_behind(system: &System, vars: &HashSet<Var>) -> HashSet<Var> {
    let next: HashMap<Var, Vec<Var>> = system
        .state_vars()
        .filter_map(|(var, state)| Some((var, state.next.as_ref()?.vars())))
        .collect();
    let mut behind: HashSet<Var> = HashSet::new();
    loop {
        let before = behind.len();
        for (var, read) in &next {
            if read.iter().any(|r| vars.contains(r) || behind.contains(r)) {
                behind.insert(*var);
            }
        }
        if behind.len() == before {
            return behind;
        }
    }
}
