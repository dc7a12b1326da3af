//! The conditions under which operations do not go wrong, as expressions.

use num_bigint::BigInt;
use num_traits::One;
use syntax::Span;
use syntax::ast::Machine;

use crate::program::*;
use crate::types::*;
use crate::value::Value;

/// That a sum of machine integers does not wrap: adding something that is not negative
/// gives no less.
pub(super) fn sum_fits(machine: Machine, a: &Expr, b: &Expr, sum: &Expr) -> Expr {
    let grows = binary(BinOp::Ge, sum.clone(), a.clone());
    match machine.signed {
        true => is_equal(is_not_negative(machine, b), grows),
        false => grows,
    }
}

/// That a difference of machine integers does not wrap.
pub(super) fn difference_fits(machine: Machine, a: &Expr, b: &Expr, difference: &Expr) -> Expr {
    if !machine.signed {
        return binary(BinOp::Le, b.clone(), a.clone());
    }
    let shrinks = binary(BinOp::Le, difference.clone(), a.clone());
    is_equal(is_not_negative(machine, b), shrinks)
}

fn is_not_negative(machine: Machine, expr: &Expr) -> Expr {
    let zero = literal(Value::Machine(machine, 0), &expr.ty, expr.span);
    binary(BinOp::Ge, expr.clone(), zero)
}

/// A product does not wrap if it is the same in twice as many bits; where there are not as
/// many, if dividing it by one factor gives the other.
pub(super) fn product_fits(machine: Machine, a: &Expr, b: &Expr, result: &Expr) -> Expr {
    if machine.width <= 32 {
        return wide_product_fits(machine, a, b);
    }
    let zero = literal(Value::Machine(machine, 0), &a.ty, a.span);
    let is_zero = binary(BinOp::Eq, a.clone(), zero);
    let quotient = Expr {
        kind: ExprKind::Binary(BinOp::Div, result.clone().into(), a.clone().into()),
        ty: result.ty.clone(),
        span: result.span,
    };
    let undone = binary(BinOp::Eq, quotient, b.clone());
    let fits = binary(BinOp::Or, is_zero, undone);
    if !machine.signed {
        return fits;
    }
    // The least value times -1 is the least value again.
    let minus_one = literal(Value::Machine(machine, -1), &a.ty, a.span);
    let odd = binary(
        BinOp::And,
        binary(BinOp::Eq, a.clone(), minus_one),
        binary(BinOp::Eq, b.clone(), least(machine, b)),
    );
    binary(BinOp::And, not(odd), fits)
}

fn wide_product_fits(machine: Machine, a: &Expr, b: &Expr) -> Expr {
    let wide = Machine {
        width: machine.width * 2,
        ..machine
    };
    let ty = Type::Machine(wide);
    let widened = |expr: &Expr| Expr {
        kind: ExprKind::Convert(expr.clone().into()),
        ty: ty.clone(),
        span: expr.span,
    };
    let product = Expr {
        kind: ExprKind::Binary(BinOp::Mul, widened(a).into(), widened(b).into()),
        ty: ty.clone(),
        span: a.span,
    };
    let (low, high) = limits(machine);
    let limit = |value: &BigInt| {
        let value = Value::Machine(wide, crate::ops::wrap(wide, value));
        literal(value, &ty, a.span)
    };
    binary(
        BinOp::And,
        binary(BinOp::Le, limit(&low), product.clone()),
        binary(BinOp::Le, product, limit(&high)),
    )
}

fn is_equal(a: Expr, b: Expr) -> Expr {
    binary(BinOp::Eq, a, b)
}

pub(super) fn limits(machine: Machine) -> (BigInt, BigInt) {
    let all = BigInt::one() << machine.width;
    let half: BigInt = &all / 2;
    match machine.signed {
        true => (-&half, half - 1),
        false => (BigInt::default(), all - 1),
    }
}

/// The least value of a machine integer; of an unsigned one, zero.
pub(super) fn least(machine: Machine, like: &Expr) -> Expr {
    let (low, _) = limits(machine);
    let value = Value::Machine(machine, crate::ops::wrap(machine, &low));
    literal(value, &like.ty, like.span)
}

pub(super) fn size_of(size: &Size, span: Span) -> Expr {
    let number = |value: BigInt| literal(Value::Int(value), &Type::Int, span);
    let mut sum: Option<Expr> = None;
    for (product, factor) in size.terms() {
        let mut term = number(factor.clone());
        for atom in product {
            let kind = match atom {
                SizeAtom::Const(id) => ExprKind::Const(*id),
                SizeAtom::Var(id) => ExprKind::Var(*id),
            };
            let atom = Expr {
                kind,
                ty: Type::Int,
                span,
            };
            term = arithmetic(BinOp::Mul, term, atom);
        }
        sum = Some(match sum {
            Some(sum) => arithmetic(BinOp::Add, sum, term),
            None => term,
        });
    }
    sum.unwrap_or_else(|| number(BigInt::default()))
}

pub(super) fn literal(value: Value, ty: &Type, span: Span) -> Expr {
    Expr {
        kind: ExprKind::Value(value),
        ty: ty.clone(),
        span,
    }
}

pub(super) fn not(expr: Expr) -> Expr {
    Expr {
        ty: Type::Bool,
        span: expr.span,
        kind: ExprKind::Unary(UnOp::Not, expr.into()),
    }
}

/// A connective or a comparison.
pub(super) fn binary(op: BinOp, a: Expr, b: Expr) -> Expr {
    Expr {
        ty: Type::Bool,
        span: a.span,
        kind: ExprKind::Binary(op, a.into(), b.into()),
    }
}

fn arithmetic(op: BinOp, a: Expr, b: Expr) -> Expr {
    Expr {
        ty: Type::Int,
        span: a.span,
        kind: ExprKind::Binary(op, a.into(), b.into()),
    }
}
