//! Programs without some of their parts.
//!
//! The streams that a removed part defined become choices: at every step, any value that their
//! types allow. A removed condition becomes `true`. The result is a program like any other for both
//! semantics, and its calls, streams and conditions keep their numbers.
//!
//! A part may be removed from all instances of its node, or from those in one
//! place below the top node. For the latter, the nodes on the way to the place
//! are copied, each copy behind its original so that callees still come before
//! callers.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use lang::{
    CallId, Choice, ChoiceId, ChoiceKind, Expr, ExprKind, Node, NodeId, Program, Type, Value,
};
use lower::{Part, Place};

use crate::abstraction::leave_open;

/// A part to remove.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Removal {
    pub part: Part,
    /// The instances that lose it; all of them if `None`.
    pub place: Option<Place>,
}

impl Removal {
    /// From all instances.
    pub fn everywhere(part: Part) -> Removal {
        Removal { part, place: None }
    }
}

/// A program without some of its parts.
#[derive(Clone, Debug)]
pub struct Weakened {
    pub program: Program,
    /// The top node.
    pub top: NodeId,
}

/// Removes parts of a program; places are paths to instances below `top`.
pub fn weakened(program: &Program, top: NodeId, removals: &[Removal]) -> Weakened {
    let mut nodes = program.nodes.clone();
    let mut local: BTreeMap<Place, Vec<Part>> = BTreeMap::new();
    for removal in removals {
        match &removal.place {
            None => remove(
                program,
                Arc::make_mut(&mut nodes[removal.part.node().index()]),
                removal.part,
            ),
            Some(place) => {
                for length in 0..place.len() {
                    local.entry(place[..length].to_vec()).or_default();
                }
                local.entry(place.clone()).or_default().push(removal.part);
            }
        }
    }
    let copies = Copies::new(program, top, local);
    let nodes = copies.order.iter().map(|(id, place)| {
        let node = nodes[id.index()].clone();
        copies.node(program, node, place.as_ref())
    });
    Weakened {
        top: copies.originals[top.index()],
        program: Program {
            nodes: nodes.collect(),
            ..program.clone()
        },
    }
}

/// The numbers of nodes once some of them are copied for one place.
struct Copies {
    /// The parts to be removed in each place that has a node of its own.
    places: BTreeMap<Place, Vec<Part>>,
    /// The nodes in their new order; without a place, as they are elsewhere.
    order: Vec<(NodeId, Option<Place>)>,
    originals: Vec<NodeId>,
    copies: HashMap<Place, NodeId>,
}

impl Copies {
    fn new(program: &Program, top: NodeId, places: BTreeMap<Place, Vec<Part>>) -> Copies {
        let mut order = Vec::new();
        let mut originals = Vec::new();
        let mut copies = HashMap::new();
        let at = |order: &Vec<_>| NodeId(order.len() as u32);
        for id in program.node_ids() {
            originals.push(at(&order));
            // The top node has one instance, which is the place without calls.
            order.push((id, (id == top).then(Place::new)));
            for place in places.keys().filter(|place| !place.is_empty()) {
                if node_at(program, top, place) == id {
                    copies.insert(place.clone(), at(&order));
                    order.push((id, Some(place.clone())));
                }
            }
        }
        Copies {
            places,
            order,
            originals,
            copies,
        }
    }

    /// The node of a place, without the parts removed there.
    fn node(&self, program: &Program, mut shared: Arc<Node>, place: Option<&Place>) -> Arc<Node> {
        let parts = place.and_then(|place| self.places.get(place));
        if parts.is_none() && self.copies.is_empty() {
            return shared;
        }
        let node = Arc::make_mut(&mut shared);
        for part in parts.into_iter().flatten() {
            remove(program, node, *part);
        }
        for (at, call) in node.calls.iter_mut().enumerate() {
            let copy = place.and_then(|place| {
                let mut below = place.clone();
                below.push(CallId(at as u32));
                self.copies.get(&below)
            });
            let original = self.originals[call.node.index()];
            call.node = copy.copied().unwrap_or(original);
        }
        shared
    }
}

/// The node whose instances are in a place.
fn node_at(program: &Program, top: NodeId, place: &Place) -> NodeId {
    let below = |id: NodeId, call: &CallId| program.node(id).call(*call).node;
    place.iter().fold(top, below)
}

/// Removes a part of a node. The callees of the node are those of the program.
fn remove(program: &Program, node: &mut Node, part: Part) {
    match part {
        Part::Equation(_, var) => leave_open(node, var, ChoiceKind::Undefined(var)),
        Part::Require(_, mode) => {
            let modes = node.contract.iter().flat_map(|contract| &contract.modes);
            if let Some(active) = modes.map(|mode| mode.active).nth(mode) {
                leave_open(node, active, ChoiceKind::Undefined(active));
            }
        }
        Part::Call(_, call) => detach_outputs(node, call),
        Part::Binding(_, call, at) => detach_argument(program, node, call, at),
        Part::Assumption(..) | Part::Guarantee(..) | Part::Ensure(..) | Part::Assertion(..) => {
            if let Some(condition) = condition(node, part) {
                condition.kind = ExprKind::Value(Value::Bool(true));
            }
        }
    }
}

/// The expression of a condition, which removal replaces by `true`.
fn condition(node: &mut Node, part: Part) -> Option<&mut Expr> {
    if let Part::Assertion(_, at) = part {
        return Some(&mut node.asserts.get_mut(at)?.expr);
    }
    let contract = node.contract.as_mut()?;
    let clause = match part {
        Part::Assumption(_, at) => contract.assumptions.get_mut(at),
        Part::Guarantee(_, at) => contract.guarantees.get_mut(at),
        Part::Ensure(_, mode, at) => contract.modes.get_mut(mode)?.ensures.get_mut(at),
        _ => None,
    };
    Some(&mut clause?.expr)
}

/// Replaces the outputs of a call by choices in the caller. The call itself still runs.
fn detach_outputs(node: &mut Node, call: CallId) {
    let types = node.call(call).output_types.clone();
    let types = types.into_iter();
    let choices: Vec<ChoiceId> = types.map(|ty| detach(node, call, ty)).collect();
    node.for_each_expr_mut(|expr| replace_outputs(expr, call, &choices));
}

fn replace_outputs(expr: &mut Expr, call: CallId, choices: &[ChoiceId]) {
    match expr.kind {
        ExprKind::Call(of, output) if of == call => {
            expr.kind = ExprKind::Choice(choices[output]);
        }
        _ => expr.for_each_part_mut(|part| replace_outputs(part, call, choices)),
    }
}

/// Replaces an argument of a call by a choice.
pub(crate) fn detach_argument(program: &Program, node: &mut Node, call: CallId, at: usize) {
    let callee = program.node(node.call(call).node);
    let input = &callee.var(callee.inputs[at]).ty;
    let ty = with_sizes_of(input, &node.call(call).args[at].ty);
    let choice = detach(node, call, ty.clone());
    let argument = &mut node.calls[call.index()].args[at];
    argument.kind = ExprKind::Choice(choice);
    argument.ty = ty;
}

/// A new choice: one value for each instance of a call and each step.
fn detach(node: &mut Node, call: CallId, ty: Type) -> ChoiceId {
    let choice = ChoiceId(node.choices.len() as u32);
    let declared = node.call(call);
    node.choices.push(Choice {
        kind: ChoiceKind::Cut(call),
        ty,
        indices: declared.indices.clone(),
        span: declared.span,
    });
    choice
}

/// The type of a callee's input with the array sizes of its caller, where they have other names.
fn with_sizes_of(input: &Type, argument: &Type) -> Type {
    match (input, argument) {
        (Type::Array(input), Type::Array(argument)) => {
            let element = with_sizes_of(&input.element, &argument.element);
            Type::array(element, argument.size.clone())
        }
        (Type::Tuple(inputs), Type::Tuple(arguments)) => {
            let parts = inputs.iter().zip(arguments.iter());
            Type::Tuple(parts.map(|(i, a)| with_sizes_of(i, a)).collect())
        }
        _ => input.clone(),
    }
}
