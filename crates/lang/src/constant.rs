//! Constant expressions: their values, sizes, and the ranges they lie in.

use std::sync::Arc;

use num_bigint::BigInt;
use num_traits::ToPrimitive;
use syntax::Span;

use crate::ops;
use crate::program::*;
use crate::types::*;
use crate::value::Value;

/// Arrays larger than this are not computed as constants.
const MAX_ELEMENTS: u64 = 100_000;

/// The value of a constant expression, if it does not depend on a free
/// constant or an input. `node` gives meaning to the constants of a node.
pub fn eval(program: &Program, node: Option<&Node>, expr: &Expr) -> Option<Value> {
    let value = |e: &Expr| eval(program, node, e);
    let values = |all: &[Expr]| all.iter().map(value).collect::<Option<Arc<[Value]>>>();
    match &expr.kind {
        ExprKind::Value(value) => Some(value.clone()),
        ExprKind::Const(id) => value(program.constant(*id).value.as_ref()?),
        ExprKind::Var(id) => match node?.var(*id) {
            Var {
                class: VarClass::Const,
                def: Some(def),
                ..
            } => value(&def.expr),
            _ => None,
        },
        ExprKind::Unary(op, a) => ops::unary(*op, &value(a)?),
        ExprKind::Binary(op, a, b) => ops::binary(*op, &value(a)?, &value(b)?),
        ExprKind::If(c, a, b) => match value(c)? {
            Value::Bool(true) => value(a),
            Value::Bool(false) => value(b),
            _ => None,
        },
        ExprKind::Convert(a) => ops::convert(&value(a)?, &expr.ty),
        ExprKind::AtMostOne(all) => {
            let holding = values(all)?
                .iter()
                .filter(|v| **v == Value::Bool(true))
                .count();
            Some(Value::Bool(holding <= 1))
        }
        ExprKind::Fields(all) => Some(Value::Fields(values(all)?)),
        ExprKind::Array(all) => Some(Value::Array(values(all)?)),
        ExprKind::Fill(element) => {
            let Type::Array(array) = &expr.ty else {
                return None;
            };
            let size = array.size.known().filter(|n| *n <= MAX_ELEMENTS)?;
            Some(Value::Array(vec![value(element)?; size as usize].into()))
        }
        ExprKind::Field(base, at) => match value(base)? {
            Value::Fields(fields) => fields.get(*at).cloned(),
            _ => None,
        },
        ExprKind::Index(base, index) => match (value(base)?, value(index)?) {
            (Value::Array(array), Value::Int(index)) => ops::element(&array, &index).cloned(),
            _ => None,
        },
        ExprKind::Update(base, path, new) => update(value(base)?, path, value(new)?, &value),
        ExprKind::Bound(_)
        | ExprKind::Choice(_)
        | ExprKind::Arrow(..)
        | ExprKind::Pre(..)
        | ExprKind::Merge(..)
        | ExprKind::Quantified(..)
        | ExprKind::Call(..) => None,
    }
}

fn update(
    base: Value,
    path: &[Step],
    new: Value,
    value: &impl Fn(&Expr) -> Option<Value>,
) -> Option<Value> {
    let Some((step, rest)) = path.split_first() else {
        return Some(new);
    };
    match (base, step) {
        (Value::Fields(fields), Step::Field(at)) => {
            let inner = update(fields.get(*at)?.clone(), rest, new, value)?;
            Some(Value::Fields(ops::replaced(&fields, *at, inner)))
        }
        (Value::Array(array), Step::Index(index)) => {
            let at = value(index)?.as_int()?.to_usize()?;
            let inner = update(array.get(at)?.clone(), rest, new, value)?;
            Some(Value::Array(ops::replaced(&array, at, inner)))
        }
        _ => None,
    }
}

/// The size that an integer expression over constants stands for.
pub fn size(program: &Program, node: Option<&Node>, expr: &Expr) -> Option<Size> {
    if let Some(Value::Int(value)) = eval(program, node, expr) {
        return Some(Size::constant(value));
    }
    let part = |e: &Expr| size(program, node, e);
    match &expr.kind {
        ExprKind::Const(id) => match &program.constant(*id).value {
            Some(value) => part(value),
            None => Some(Size::atom(SizeAtom::Const(*id))),
        },
        ExprKind::Var(id) => match node?.var(*id) {
            Var {
                class: VarClass::Input { is_const: true },
                ..
            } => Some(Size::atom(SizeAtom::Var(*id))),
            Var {
                class: VarClass::Const,
                def: Some(def),
                ..
            } => part(&def.expr),
            _ => None,
        },
        ExprKind::Unary(UnOp::Neg, a) => Some(part(a)?.negated()),
        ExprKind::Binary(BinOp::Add, a, b) => Some(part(a)?.add(&part(b)?)),
        ExprKind::Binary(BinOp::Sub, a, b) => Some(part(a)?.add(&part(b)?.negated())),
        ExprKind::Binary(BinOp::Mul, a, b) => Some(part(a)?.times(&part(b)?)),
        _ => None,
    }
}

/// If the expression is an index plus a constant: that constant.
pub fn offset(program: &Program, node: &Node, expr: &Expr, index: BoundId) -> Option<BigInt> {
    let part = |e: &Expr| offset(program, node, e, index);
    let constant = |e: &Expr| match eval(program, Some(node), e) {
        Some(Value::Int(value)) => Some(value),
        _ => None,
    };
    match &expr.kind {
        ExprKind::Bound(id) if *id == index => Some(BigInt::default()),
        ExprKind::Binary(BinOp::Add, a, b) => match (part(a), part(b)) {
            (Some(offset), None) => Some(offset + constant(b)?),
            (None, Some(offset)) => Some(offset + constant(a)?),
            _ => None,
        },
        ExprKind::Binary(BinOp::Sub, a, b) => Some(part(a)? - constant(b)?),
        _ => None,
    }
}

/// Checks that a constant of the type, with subranges anywhere in it, can only
/// have values within them; the error says where and why.
pub fn check_range(program: &Program, ty: &Type, value: &Expr) -> Result<(), (Span, String)> {
    match (ty, &value.kind) {
        (Type::Range(range), _) => {
            let own = interval(program, value);
            let low_fits = range.low.is_none() || (own.0.is_some() && own.0 >= range.low);
            let high_fits = match (&range.high, &own.1) {
                (None, _) => true,
                (Some(high), Some(own)) => own <= high,
                (Some(_), None) => false,
            };
            if low_fits && high_fits {
                return Ok(());
            }
            let possible = match own {
                (Some(low), Some(high)) if low == high => format!("is {low}"),
                (Some(low), Some(high)) => format!("may lie anywhere in [{low}, {high}]"),
                _ => "may be any integer".to_owned(),
            };
            Err((
                value.span,
                format!("the value {possible}, outside of {range}"),
            ))
        }
        (_, ExprKind::Value(own)) if own.fits(ty, program) => Ok(()),
        (Type::Array(array), ExprKind::Array(all)) => all
            .iter()
            .try_for_each(|part| check_range(program, &array.element, part)),
        (Type::Array(array), ExprKind::Fill(part)) => check_range(program, &array.element, part),
        (Type::Array(array), ExprKind::Value(Value::Array(all))) => all.iter().try_for_each(|v| {
            let part = Expr {
                kind: ExprKind::Value(v.clone()),
                ty: array.element.clone(),
                span: value.span,
            };
            check_range(program, &array.element, &part)
        }),
        (Type::Tuple(parts), ExprKind::Fields(all)) => parts
            .iter()
            .zip(all)
            .try_for_each(|(ty, part)| check_range(program, ty, part)),
        (Type::Record(id), ExprKind::Fields(all)) => program
            .record(*id)
            .fields
            .iter()
            .zip(all)
            .try_for_each(|((_, ty), part)| check_range(program, ty, part)),
        _ => Ok(()),
    }
}

type Interval = (Option<BigInt>, Option<BigInt>);

/// An interval that holds every value of an integer constant.
fn interval(program: &Program, expr: &Expr) -> Interval {
    let part = |e: &Expr| interval(program, e);
    match &expr.kind {
        ExprKind::Value(Value::Int(value)) => (Some(value.clone()), Some(value.clone())),
        ExprKind::Const(id) => match &program.constant(*id).value {
            Some(value) => part(value),
            None => declared(&program.constant(*id).ty),
        },
        ExprKind::Unary(UnOp::Neg, a) => {
            let (low, high) = part(a);
            (high.map(|h| -h), low.map(|l| -l))
        }
        ExprKind::Binary(BinOp::Add, a, b) => {
            let ((a_low, a_high), (b_low, b_high)) = (part(a), part(b));
            (sum(a_low, b_low), sum(a_high, b_high))
        }
        ExprKind::Binary(BinOp::Sub, a, b) => {
            let ((a_low, a_high), (b_low, b_high)) = (part(a), part(b));
            (
                sum(a_low, b_high.map(|h| -h)),
                sum(a_high, b_low.map(|l| -l)),
            )
        }
        ExprKind::Binary(BinOp::Mul, a, b) => match (part(a), part(b)) {
            ((Some(al), Some(ah)), (Some(bl), Some(bh))) => {
                let products = [&al * &bl, &al * &bh, &ah * &bl, &ah * &bh];
                let low = products.iter().min().cloned();
                let high = products.iter().max().cloned();
                (low, high)
            }
            _ => (None, None),
        },
        ExprKind::If(_, a, b) => {
            let ((a_low, a_high), (b_low, b_high)) = (part(a), part(b));
            (
                a_low.zip(b_low).map(|(a, b)| a.min(b)),
                a_high.zip(b_high).map(|(a, b)| a.max(b)),
            )
        }
        _ => declared(&expr.ty),
    }
}

fn declared(ty: &Type) -> Interval {
    match ty {
        Type::Range(range) => (range.low.clone(), range.high.clone()),
        _ => (None, None),
    }
}

fn sum(a: Option<BigInt>, b: Option<BigInt>) -> Option<BigInt> {
    Some(a? + b?)
}
