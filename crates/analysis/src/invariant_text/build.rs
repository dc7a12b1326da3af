//! Small pieces of syntax trees.

use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::Signed;
use syntax::ast::{BinaryOp, Expr, ExprKind, Ident, Machine, UnaryOp};
use syntax::{Span, Symbol};

pub(crate) fn expr(kind: ExprKind) -> Expr {
    let span = Span::default();
    Expr { kind, span }
}

pub(crate) fn name(name: Symbol) -> Expr {
    expr(ExprKind::Name(name))
}

pub(crate) fn ident(name: Symbol) -> Ident {
    let span = Span::default();
    Ident { name, span }
}

pub(crate) fn boolean(value: bool) -> Expr {
    expr(ExprKind::Bool(value))
}

pub(crate) fn unary(op: UnaryOp, a: Expr) -> Expr {
    expr(ExprKind::Unary(op, a.into()))
}

pub(crate) fn binary(op: BinaryOp, a: Expr, b: Expr) -> Expr {
    expr(ExprKind::Binary(op, a.into(), b.into()))
}

pub(crate) fn integer(value: &BigInt) -> Expr {
    let digits = expr(ExprKind::Int(value.abs()));
    match value.is_negative() {
        true => unary(UnaryOp::Minus, digits),
        false => digits,
    }
}

/// A literal, or a quotient where there is no finite decimal.
pub(crate) fn real(value: &BigRational) -> Expr {
    let literal = |value: BigRational| expr(ExprKind::Real(value));
    let size = value.abs();
    let digits = match syntax::decimal_string(&size) {
        Some(_) => literal(size),
        None => {
            let whole = |part: &BigInt| literal(BigRational::from_integer(part.clone()));
            binary(BinaryOp::Div, whole(size.numer()), whole(size.denom()))
        }
    };
    match value.is_negative() {
        true => unary(UnaryOp::Minus, digits),
        false => digits,
    }
}

pub(crate) fn machine(machine: Machine, value: &BigInt) -> Expr {
    let value = BigInt::from(lang::ops::wrap(machine, value));
    unary(UnaryOp::ToMachine(machine), integer(&value))
}

/// One or more, joined.
pub(crate) fn joined(op: BinaryOp, all: Vec<Expr>) -> Option<Expr> {
    all.into_iter().reduce(|a, b| binary(op, a, b))
}
