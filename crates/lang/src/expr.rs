//! Expressions of the typed program.

pub use syntax::ast::Quantifier;

use syntax::Span;

use crate::program::{BoundId, CallId, ChoiceId, ConstId, VarId};
use crate::types::Type;
use crate::value::Value;

#[derive(Clone, PartialEq, Debug)]
pub struct Expr {
    pub kind: ExprKind,
    pub ty: Type,
    pub span: Span,
}

#[derive(Clone, PartialEq, Debug)]
pub enum ExprKind {
    Value(Value),
    Var(VarId),
    Const(ConstId),
    Bound(BoundId),
    Choice(ChoiceId),
    Unary(UnOp, Box<Expr>),
    Binary(BinOp, Box<Expr>, Box<Expr>),
    If(Box<Expr>, Box<Expr>, Box<Expr>),
    /// Gives the branch for the value of the clock; there is one for each value.
    Merge(Box<Expr>, Vec<(Value, Expr)>),
    Arrow(Box<Expr>, Box<Expr>),
    /// The choice is the value at the first step; `None` if that value is never used.
    Pre(Box<Expr>, Option<ChoiceId>),
    /// To the type of the expression.
    Convert(Box<Expr>),
    AtMostOne(Vec<Expr>),
    /// A record or a tuple.
    Fields(Vec<Expr>),
    Array(Vec<Expr>),
    /// The same element as often as the type says.
    Fill(Box<Expr>),
    Field(Box<Expr>, usize),
    Index(Box<Expr>, Box<Expr>),
    Update(Box<Expr>, Vec<Step>, Box<Expr>),
    Quantified(Quantifier, Vec<BoundId>, Box<Expr>),
    /// An output of a call.
    Call(CallId, usize),
}

/// A step into a structured value.
#[derive(Clone, PartialEq, Debug)]
pub enum Step {
    Field(usize),
    Index(Expr),
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum UnOp {
    Not,
    Neg,
    BitNot,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum BinOp {
    And,
    Or,
    Xor,
    Implies,
    Eq,
    Neq,
    Lt,
    Le,
    Gt,
    Ge,
    Add,
    Sub,
    Mul,
    /// On `int` and machine integers, `div`.
    Div,
    Mod,
    BitAnd,
    BitOr,
    Lsh,
    Rsh,
}

impl Expr {
    /// How many operators and operands it is made of.
    pub fn operators(&self) -> usize {
        let mut count = 1;
        self.for_each_part(|part| count += part.operators());
        count
    }

    /// Do the two compute the same, wherever they stand in the source?
    pub fn same_as(&self, other: &Expr) -> bool {
        fn all(a: &[Expr], b: &[Expr]) -> bool {
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| a.same_as(b))
        }
        use ExprKind::*;
        match (&self.kind, &other.kind) {
            (Unary(f, a), Unary(g, b)) => f == g && a.same_as(b),
            (Binary(f, a, b), Binary(g, c, d)) => f == g && a.same_as(c) && b.same_as(d),
            (If(a, b, c), If(d, e, f)) => a.same_as(d) && b.same_as(e) && c.same_as(f),
            (Arrow(a, b), Arrow(c, d)) | (Index(a, b), Index(c, d)) => a.same_as(c) && b.same_as(d),
            (Pre(a, i), Pre(b, j)) => i == j && a.same_as(b),
            (Convert(a), Convert(b)) | (Fill(a), Fill(b)) => self.ty == other.ty && a.same_as(b),
            (AtMostOne(a), AtMostOne(b)) | (Fields(a), Fields(b)) | (Array(a), Array(b)) => {
                self.ty == other.ty && all(a, b)
            }
            (Field(a, i), Field(b, j)) => i == j && a.same_as(b),
            (Update(..) | Quantified(..) | Merge(..), _) => false,
            // Expressions of two kinds.
            (Unary(..) | Binary(..) | If(..) | Arrow(..) | Pre(..) | Convert(..), _) => false,
            (AtMostOne(_) | Fields(_) | Array(_) | Fill(_) | Field(..) | Index(..), _) => false,
            (a @ (Value(_) | Var(_) | Const(_) | Bound(_) | Choice(_) | Call(..)), b) => a == b,
        }
    }

    /// Hashes the expression so that those that are [`Expr::same_as`] each other have the
    /// same hash.
    pub fn hash_shape(&self, state: &mut impl std::hash::Hasher) {
        use std::hash::Hash;
        std::mem::discriminant(&self.kind).hash(state);
        match &self.kind {
            ExprKind::Value(value) => value.hash(state),
            ExprKind::Var(id) => id.hash(state),
            ExprKind::Const(id) => id.hash(state),
            ExprKind::Bound(id) => id.hash(state),
            ExprKind::Call(id, at) => (id, at).hash(state),
            ExprKind::Unary(op, _) => op.hash(state),
            ExprKind::Binary(op, ..) => op.hash(state),
            ExprKind::Pre(_, choice) => choice.hash(state),
            ExprKind::Choice(_)
            | ExprKind::If(..)
            | ExprKind::Merge(..)
            | ExprKind::Arrow(..)
            | ExprKind::Convert(_)
            | ExprKind::AtMostOne(_)
            | ExprKind::Fields(_)
            | ExprKind::Array(_)
            | ExprKind::Fill(_)
            | ExprKind::Field(..)
            | ExprKind::Index(..)
            | ExprKind::Update(..)
            | ExprKind::Quantified(..) => {}
        }
        self.for_each_part(|part| part.hash_shape(state));
    }
}
