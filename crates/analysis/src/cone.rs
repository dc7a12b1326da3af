//! The cone of influence of a property in the program, the nearest first.

use std::collections::{BTreeSet, HashSet};

use lang::{Call, Expr, ExprKind, Node, NodeId, Program, VarId};
use lower::{Check, Origin};
use sim::PathStep;

/// The formula of a check that consists of one formula.
pub fn formula(node: &Node, check: Check) -> Option<&Expr> {
    let contract = node.contract.as_ref();
    Some(match check {
        Check::Property(at) | Check::Guard(at) => &node.properties[at].expr,
        Check::Assumption(at) => &contract?.assumptions[at].expr,
        Check::Guarantee(at) => &contract?.guarantees[at].expr,
        Check::Ensure(mode, at) => &contract?.modes[mode].ensures[at].expr,
        _ => return None,
    })
}

/// Sorts nodes by their distance from a property; nodes that it does not depend on come last.
pub(crate) fn nearest(
    program: &Program,
    top: NodeId,
    origin: &Origin,
    wanted: &BTreeSet<NodeId>,
) -> Vec<NodeId> {
    let mut walk = Walk::default();
    walk.start(program, top, origin);
    let mut found = Vec::new();
    while !walk.layer.is_empty() {
        for (id, expr) in std::mem::take(&mut walk.layer) {
            walk.mentioned(program, id, expr);
        }
        for id in walk.called.drain(..) {
            if wanted.contains(&id) && !found.contains(&id) {
                found.push(id);
            }
        }
    }
    let others = wanted.iter().filter(|id| !found.contains(id));
    let others: Vec<NodeId> = others.copied().collect();
    found.extend(others);
    found
}

/// A walk from streams to what defines them.
#[derive(Default)]
struct Walk<'p> {
    /// The expressions to visit next, with their nodes.
    layer: Vec<(NodeId, &'p Expr)>,
    seen: HashSet<(NodeId, VarId)>,
    called: Vec<NodeId>,
}

impl<'p> Walk<'p> {
    /// Begins with the formula of a property, and the calls on the way to it.
    fn start(&mut self, program: &'p Program, top: NodeId, origin: &Origin) {
        let mut id = top;
        for PathStep { call, .. } in &origin.path {
            let call = program.node(id).call(*call);
            self.arguments(id, call);
            id = call.node;
        }
        let node = program.node(id);
        self.layer
            .extend(formula(node, origin.check).map(|expr| (id, expr)));
        match origin.check {
            Check::Range(var, _) => self.stream(program, id, var),
            Check::Ensure(mode, _) => {
                let modes = node.contract.iter().flat_map(|c| c.modes.get(mode));
                modes.for_each(|mode| self.stream(program, id, mode.active));
            }
            _ => {}
        }
    }

    fn mentioned(&mut self, program: &'p Program, id: NodeId, expr: &'p Expr) {
        match &expr.kind {
            ExprKind::Var(var) => self.stream(program, id, *var),
            ExprKind::Call(call, output) => {
                let call = program.node(id).call(*call);
                self.arguments(id, call);
                self.called.push(call.node);
                let outputs = &program.node(call.node).outputs;
                if let Some(output) = outputs.get(*output) {
                    self.stream(program, call.node, *output);
                }
            }
            _ => expr.for_each_part(|part| self.mentioned(program, id, part)),
        }
    }

    fn stream(&mut self, program: &'p Program, id: NodeId, var: VarId) {
        if self.seen.insert((id, var)) {
            let def = program.node(id).var(var).def.as_ref();
            self.layer.extend(def.map(|def| (id, &def.expr)));
        }
    }

    fn arguments(&mut self, id: NodeId, call: &'p Call) {
        let parts = call.args.iter().chain(&call.clock).chain(&call.restart);
        self.layer.extend(parts.map(|expr| (id, expr)));
    }
}
