//! Faults: `--%FAULT stuck cost 3 : level = pre level;`
//!
//! A fault declares a flag, a stream of its name with the definition `false`. To remove
//! this definition, as cut sets do, makes the fault possible. While the flag is true, the
//! faulty stream has the given value, or any value if none is given. A fault with several
//! lines affects several streams; at each step it may show in some of them and not in
//! others.

use syntax::ast::{self, NodeItem};
use syntax::{Code, Diagnostic};

use super::elab::Elab;
use super::expr::{binary, join, make, value_expr};
use crate::program::*;
use crate::types::*;
use crate::value::Value;

impl<'a> Elab<'_, 'a> {
    /// Declares the flags, which the whole body may use.
    pub(super) fn declare_faults(&mut self, items: &[NodeItem]) {
        for fault in faults(items) {
            let flag = self.stream_named(fault.name.name);
            let known = |own: &&mut Fault| Some(own.flag) == flag;
            if let Some(known) = self.node.faults.iter_mut().find(known) {
                known.cost = known.cost.max(fault.cost.unwrap_or(1));
                continue;
            }
            self.refuse_shadowing(fault.name);
            let span = fault.name.span;
            let flag = self.add_var(fault.name.name, Type::Bool, VarClass::Local, span);
            self.declare(fault.name, flag);
            self.node.vars[flag.index()].def = Some(Def {
                indices: Vec::new(),
                expr: value_expr(Value::Bool(false), Type::Bool, span),
                equation: None,
            });
            self.node.faults.push(Fault {
                flag,
                cost: fault.cost.unwrap_or(1),
                span: fault.span,
            });
        }
    }

    /// Changes the definitions of the faulty streams. All streams are defined by now.
    pub(super) fn faults(&mut self, items: &[NodeItem]) {
        for fault in faults(items) {
            let same = faults(items).filter(|other| other.name.name == fault.name.name);
            self.fault(fault, same.count() > 1);
        }
    }

    fn fault(&mut self, fault: &ast::Fault, has_others: bool) {
        let stream = fault.stream;
        let Some(id) = self.stream_named(stream.name) else {
            return self.bad_left(stream);
        };
        let value = fault.value.as_ref().map(|value| self.one(value));
        let declared = self.node.var(id);
        let (ty, span) = (declared.ty.clone(), fault.span);
        if let Some(value) = &value {
            self.expect(value, &ty);
        }
        let Some(def) = self.node.var(id).def.clone() else {
            return self.report(
                Diagnostic::error(
                    Code::AssignInput,
                    stream.span,
                    format!("`{}` has no definition here that could fail", stream.name),
                )
                .help("let a local variable be equal to it, and let that one fail"),
            );
        };
        let Some(flag) = self.stream_named(fault.name.name) else {
            return;
        };
        let faulty = match value {
            Some(value) => self.element(value, &def.indices),
            None => {
                let indices = def.indices.clone();
                let element = declared_element(&ty, indices.len());
                let choice = self.add_choice(ChoiceKind::Fault(id), element.clone(), indices, span);
                make(ExprKind::Choice(choice), element, span)
            }
        };
        let mut shows = make(ExprKind::Var(flag), Type::Bool, span);
        if has_others {
            let choice = self.add_choice(ChoiceKind::Fault(flag), Type::Bool, Vec::new(), span);
            let here = make(ExprKind::Choice(choice), Type::Bool, span);
            shows = binary(BinOp::And, shows, here, Type::Bool);
        }
        let element = join(&faulty.ty, &def.expr.ty);
        let kind = ExprKind::If(shows.into(), faulty.into(), def.expr.into());
        self.node.vars[id.index()].def = Some(Def {
            expr: make(kind, element, span),
            ..def
        });
    }
}

/// The type of `x[i][j]`.
fn declared_element(ty: &Type, indices: usize) -> Type {
    match (ty, indices) {
        (Type::Array(array), 1..) => declared_element(&array.element, indices - 1),
        _ => ty.clone(),
    }
}

fn faults(items: &[NodeItem]) -> impl Iterator<Item = &ast::Fault> {
    items.iter().filter_map(|item| match item {
        NodeItem::Fault(fault) => Some(fault),
        _ => None,
    })
}
