//! A node seen through its contract alone.

use lang::{Choice, ChoiceId, ChoiceKind, Def, Expr, ExprKind, NodeId, Program, VarClass, VarId};

/// The program with the body of a node taken away: its outputs are choices.
pub fn contract_view(program: &Program, id: NodeId) -> Program {
    let mut program = program.clone();
    let node = &mut program.nodes[id.index()];
    node.asserts.clear();
    node.properties.clear();
    for output in node.outputs.clone() {
        let choice = ChoiceId(node.choices.len() as u32);
        let var = &mut node.vars[output.index()];
        node.choices.push(Choice {
            kind: ChoiceKind::Imported(output),
            ty: var.ty.clone(),
            indices: Vec::new(),
            span: var.span,
        });
        var.looped = None;
        var.def = Some(open(var.ty.clone(), var.span, choice));
    }
    // What only the body computes is not there; it has some value.
    for (at, var) in node.vars.iter_mut().enumerate() {
        if var.class == VarClass::Local {
            let choice = ChoiceId(node.choices.len() as u32);
            node.choices.push(Choice {
                kind: ChoiceKind::Undefined(VarId(at as u32)),
                ty: var.ty.clone(),
                indices: Vec::new(),
                span: var.span,
            });
            var.looped = None;
            var.def = Some(open(var.ty.clone(), var.span, choice));
        }
    }
    program
}

fn open(ty: lang::Type, span: syntax::Span, choice: ChoiceId) -> Def {
    Def {
        indices: Vec::new(),
        expr: Expr {
            kind: ExprKind::Choice(choice),
            ty,
            span,
        },
        equation: None,
    }
}
