//! Sorts streams by their distance from a property.

use std::collections::HashMap;

use analysis::{PropertyResult, formula};
use lang::{Expr, ExprKind, Node, Program, VarId};
use results::Block;

/// Puts the streams that a property of the top node depends on before the others,
/// in the order of their distance from it.
pub fn sort(program: &Program, result: &PropertyResult, block: &mut Block) {
    let node = program.node(result.owner);
    let origin = &result.origin;
    if let (Some(expr), true) = (formula(node, origin.check), origin.path.is_empty()) {
        let distances = distances(node, expr);
        let base = |name: &str| name.split(['.', '[']).next().unwrap_or(name).to_owned();
        block.streams.sort_by_key(|stream| {
            let distance = distances.get(&base(&stream.name));
            distance.copied().unwrap_or(usize::MAX)
        });
    }
}

fn distances(node: &Node, expr: &Expr) -> HashMap<String, usize> {
    let mut found = HashMap::new();
    let mut layer = Vec::new();
    mentioned(node, expr, &mut layer);
    for distance in 0.. {
        let mut next = Vec::new();
        for var in layer {
            let declared = node.var(var);
            if found.contains_key(declared.name.as_str()) {
                continue;
            }
            found.insert(declared.name.to_string(), distance);
            if let Some(def) = &declared.def {
                mentioned(node, &def.expr, &mut next);
            }
        }
        if next.is_empty() {
            break;
        }
        layer = next;
    }
    found
}

fn mentioned(node: &Node, expr: &Expr, found: &mut Vec<VarId>) {
    match &expr.kind {
        ExprKind::Var(var) => found.push(*var),
        ExprKind::Call(call, _) => {
            let args = &node.call(*call).args;
            args.iter().for_each(|arg| mentioned(node, arg, found));
        }
        _ => expr.for_each_part(|part| mentioned(node, part, found)),
    }
}
