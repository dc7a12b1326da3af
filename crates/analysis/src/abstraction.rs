//! Nodes seen through their contracts alone.

use std::collections::BTreeSet;
use std::sync::Arc;

use lang::{
    Choice, ChoiceId, ChoiceKind, Def, Expr, ExprKind, Node, NodeId, Program, VarClass, VarId,
};

/// The program with the bodies of some nodes removed: their outputs are choices, constrained only
/// by their contracts.
pub fn abstracted(program: &Program, nodes: &BTreeSet<NodeId>) -> Program {
    let mut program = program.clone();
    for id in nodes {
        take_body(Arc::make_mut(&mut program.nodes[id.index()]));
    }
    program
}

fn take_body(node: &mut Node) {
    if !node.has_body {
        return;
    }
    node.has_body = false;
    node.abstracted = true;
    node.asserts.clear();
    for at in 0..node.vars.len() {
        let id = VarId(at as u32);
        let kind = match node.vars[at].class {
            VarClass::Output => ChoiceKind::Imported(id),
            // A local stream of a removed body has any value.
            VarClass::Local => ChoiceKind::Undefined(id),
            _ => continue,
        };
        leave_open(node, id, kind);
    }
}

/// The stream is a choice.
pub(crate) fn leave_open(node: &mut Node, id: VarId, kind: ChoiceKind) {
    let choice = ChoiceId(node.choices.len() as u32);
    let var = &mut node.vars[id.index()];
    let (ty, span) = (var.ty.clone(), var.span);
    var.looped = None;
    var.def = Some(Def {
        indices: Vec::new(),
        expr: Expr {
            kind: ExprKind::Choice(choice),
            ty: ty.clone(),
            span,
        },
        equation: None,
    });
    node.choices.push(Choice {
        kind,
        ty,
        indices: Vec::new(),
        span,
    });
}

/// Does the contract of a node have guarantees or modes, so that it can stand for the body?
pub(crate) fn promises(node: &Node) -> bool {
    let contract = node.contract.as_ref();
    contract.is_some_and(|c| !c.guarantees.is_empty() || !c.modes.is_empty())
}

/// The nodes below one. Of the callees of abstract nodes, only those that their contracts call.
pub fn below(program: &Program, top: NodeId, abstracted: &BTreeSet<NodeId>) -> BTreeSet<NodeId> {
    let mut found = BTreeSet::new();
    let mut open = vec![top];
    while let Some(id) = open.pop() {
        let node = program.node(id);
        let concrete = node.has_body && !abstracted.contains(&id);
        let live = node.calls.iter().filter(|c| concrete || c.in_contract);
        open.extend(live.map(|call| call.node).filter(|id| found.insert(*id)));
    }
    found
}
