//! Names of a system's variables that outlive small changes of the model.
//!
//! Memory and choices are named by their slot in the instance (`lower::Slot`), and an instance by
//! the calls that lead to it: the name of the called node, and its number among the calls of that
//! node. So no name depends on lines and columns, nor on ids that the checker or the lowering
//! assigns.

use super::term_names::Names;
use lang::{CallId, Node, NodeId, Program};
use lower::{InstanceSlots, Lowered, Shape, Slot};
use sim::PathStep;
use syntax::SourceMap;
use system::{Kind, Role, Sort, Term, Var};

/// The variables of the reduced system that have a slot.
pub(super) fn names(
    program: &Program,
    sources: &SourceMap,
    top: NodeId,
    lowered: &Lowered,
) -> Names {
    let mut all = Vec::new();
    let mut add = |name: String, shape: &Shape| {
        let structured = !matches!(shape, Shape::Leaf(..));
        for (at, (term, _)) in shape.leaves().into_iter().enumerate() {
            let part = if structured {
                format!(".{at}")
            } else {
                String::new()
            };
            if let Some((var, sort)) = variable(lowered, &term) {
                all.push((format!("{name}{part}"), var, sort));
            }
        }
    };
    for (id, shape) in &lowered.consts {
        add(format!("const {}", program.consts[id.index()].name), shape);
    }
    for part in &lowered.slots {
        let prefix = prefix(program, top, &part.path);
        let node = program.node(part.node);
        for (slot, shape) in &part.slots {
            add(
                format!("{prefix}{}", place(program, sources, node, slot)),
                shape,
            );
        }
    }
    if let Some(InstanceSlots { first, .. }) = lowered.slots.first()
        && let Some((var, sort)) = variable(lowered, first)
    {
        all.push(("first step".to_owned(), var, sort));
    }
    Names::new(all)
}

/// A variable that is not defined by others.
fn variable(lowered: &Lowered, term: &Term) -> Option<(Var, Sort)> {
    let Kind::Var(var) = term.kind() else {
        return None;
    };
    let declared = lowered.system.var(*var);
    (declared.role != Role::Stream).then(|| (*var, declared.sort.clone()))
}

fn prefix(program: &Program, top: NodeId, path: &[PathStep]) -> String {
    let mut prefix = String::new();
    let mut node = program.node(top);
    for step in path {
        prefix += &format!(
            "{}{}.",
            call(program, node, step.call),
            indices(&step.indices)
        );
        node = program.node(node.call(step.call).node);
    }
    prefix
}

/// A call: the node, and which of its calls.
fn call(program: &Program, node: &Node, id: CallId) -> String {
    let callee = node.call(id).node;
    let before = node.calls[..id.index()].iter();
    let number = before.filter(|call| call.node == callee).count();
    format!("{}#{number}", program.node(callee).name)
}

fn indices(indices: &[usize]) -> String {
    indices.iter().map(|at| format!("[{at}]")).collect()
}

fn place(program: &Program, sources: &SourceMap, node: &Node, slot: &Slot) -> String {
    match slot {
        Slot::Input(var) => node.var(*var).name.to_string(),
        Slot::Choice(choice, at) => format!("choice {}{}", choice.0, indices(at)),
        Slot::Stream(var) => format!("pre {}", node.var(*var).name),
        Slot::Expression(span, at) => {
            let words: Vec<&str> = sources.text(*span).split_whitespace().collect();
            format!("pre ({}){}", words.join(" "), indices(at))
        }
        Slot::Idle(id, at) => format!("idle {}{}", call(program, node, *id), indices(at)),
        Slot::Held(id, at, output) => {
            format!("held {}{} {output}", call(program, node, *id), indices(at))
        }
        Slot::Assumptions => "assumptions".to_owned(),
    }
}
