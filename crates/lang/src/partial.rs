//! Operations without a value for some operands.
//!
//! A division by zero and an index out of bounds have no value of their own: it is
//! *unknown*. Any value of the type may turn up, the same one for the same operands
//! throughout a run. So each operation is, outside of its domain, an uninterpreted
//! function, the same one in both semantics. On machine integers a division
//! by zero has a value, as bit-vectors say ([`crate::ops`]).
//!
//! An element of an array that is defined by induction, `A[i] = … A[i - 1] …`, is
//! asked for before the array is known. Outside of its bounds the unknown value belongs to
//! the stream, the index and the step.

use std::collections::HashSet;

use crate::program::{BinOp, Expr, ExprKind, Node, Program, VarId};
use crate::types::Type;

/// An operation that has no value for some operands.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Partial {
    /// `x div 0` and `x / 0` on `int`.
    IntDiv,
    /// `x mod 0` on `int`.
    IntMod,
    /// `x / 0.0` on `real`.
    RealDiv,
    /// An element outside of the bounds.
    Index,
}

impl Partial {
    /// The partial operation that the operator is on operands of the type; `None` if it is
    /// total there.
    pub fn of(op: BinOp, ty: &Type) -> Option<Partial> {
        match op {
            BinOp::Div => match ty {
                Type::Int | Type::Range(_) => Some(Partial::IntDiv),
                Type::Real => Some(Partial::RealDiv),
                _ => None,
            },
            BinOp::Mod => match ty {
                Type::Int | Type::Range(_) => Some(Partial::IntMod),
                _ => None,
            },
            BinOp::And | BinOp::Or | BinOp::Xor | BinOp::Implies => None,
            BinOp::Eq | BinOp::Neq | BinOp::Lt | BinOp::Le | BinOp::Gt | BinOp::Ge => None,
            BinOp::Add | BinOp::Sub | BinOp::Mul => None,
            BinOp::BitAnd | BinOp::BitOr | BinOp::Lsh | BinOp::Rsh => None,
        }
    }

    /// How the operator is written.
    pub fn word(self) -> &'static str {
        match self {
            Partial::IntDiv => "div",
            Partial::IntMod => "mod",
            Partial::RealDiv => "/",
            Partial::Index => "[]",
        }
    }

    /// The name of the uninterpreted function that stands for a division by zero.
    pub fn function(self) -> String {
        format!("{} by zero", self.word())
    }

    /// The name of the uninterpreted function that stands for an element of a type out of
    /// bounds. It has `count` arguments: the array and the index, or a token in place of
    /// the array.
    pub fn outside_of(program: &Program, element: &Type, token: bool, count: usize) -> String {
        let what = if token { "token" } else { "array" };
        let element = program.type_name(element);
        format!("{element} out of bounds/{what}/{count}")
    }
}

impl Node {
    /// Is the stream an array whose elements depend on others of the same step?
    pub fn is_inductive(&self, var: VarId) -> bool {
        let by_index = |def: &crate::program::Def| !def.indices.is_empty();
        self.var(var).def.as_ref().is_some_and(by_index) && self.reaches_itself(var)
    }

    /// Does the definition of a stream depend on the stream, within a step?
    pub fn reaches_itself(&self, var: VarId) -> bool {
        let mut seen = HashSet::new();
        let mut open = vec![var];
        while let Some(next) = open.pop() {
            if let Some(def) = &self.var(next).def {
                let mut found = Vec::new();
                self.mentioned(&def.expr, &mut found);
                if found.contains(&var) {
                    return true;
                }
                open.extend(found.into_iter().filter(|var| seen.insert(*var)));
            }
        }
        false
    }

    fn mentioned(&self, expr: &Expr, found: &mut Vec<VarId>) {
        match &expr.kind {
            ExprKind::Var(var) => found.push(*var),
            ExprKind::Pre(..) => {}
            ExprKind::Call(call, _) => {
                let call = self.call(*call);
                let parts = call.args.iter().chain(&call.clock).chain(&call.restart);
                let parts = parts.chain(call.defaults.iter().flatten());
                parts.for_each(|part| self.mentioned(part, found));
            }
            _ => expr.for_each_part(|part| self.mentioned(part, found)),
        }
    }
}
