//! Constructors that simplify.
//!
//! They fold constants, flatten conjunctions and sums, and drop conditionals
//! that decide nothing: the indices of inlined arrays and the clocks of plain
//! calls disappear here.

use num_bigint::BigInt;
use num_integer::Integer;
use num_rational::BigRational;
use num_traits::{One, Signed, Zero};
use std::sync::Arc;

use crate::term::{BvCompare, BvOp, Function, Kind, Quantifier, Sort, Term, Var};

pub fn boolean(value: bool) -> Term {
    Term::make(Kind::Bool(value), Sort::Bool)
}

pub fn integer(value: impl Into<BigInt>) -> Term {
    Term::make(Kind::Int(value.into()), Sort::Int)
}

pub fn real(value: BigRational) -> Term {
    Term::make(Kind::Real(value), Sort::Real)
}

/// A bit-vector constant; the value is reduced to the width.
pub fn bitvec(width: u32, value: &BigInt) -> Term {
    let value = value.mod_floor(&(BigInt::one() << width));
    Term::make(Kind::BitVec(width, value), Sort::BitVec(width))
}

pub fn var(var: Var, sort: Sort) -> Term {
    Term::make(Kind::Var(var), sort)
}

pub fn bound(id: u32, sort: Sort) -> Term {
    Term::make(Kind::Bound(id), sort)
}

fn truth(term: &Term) -> Option<bool> {
    match term.kind() {
        Kind::Bool(value) => Some(*value),
        _ => None,
    }
}

fn is_literal(term: &Term) -> bool {
    matches!(
        term.kind(),
        Kind::Bool(_) | Kind::Int(_) | Kind::Real(_) | Kind::BitVec(..)
    )
}

pub fn not(a: &Term) -> Term {
    match a.kind() {
        Kind::Bool(value) => boolean(!value),
        Kind::Not(inner) => inner.clone(),
        _ => Term::make(Kind::Not(a.clone()), Sort::Bool),
    }
}

pub fn and(all: impl IntoIterator<Item = Term>) -> Term {
    junction(all, true)
}

pub fn or(all: impl IntoIterator<Item = Term>) -> Term {
    junction(all, false)
}

/// A conjunction or a disjunction; `neutral` is the value that changes nothing.
fn junction(all: impl IntoIterator<Item = Term>, neutral: bool) -> Term {
    let mut parts: Vec<Term> = Vec::new();
    let mut seen = std::collections::HashSet::new();
    let mut open: Vec<Term> = all.into_iter().collect();
    open.reverse();
    while let Some(term) = open.pop() {
        match (term.kind(), neutral) {
            (Kind::Bool(value), _) if *value == neutral => {}
            (Kind::Bool(_), _) => return boolean(!neutral),
            (Kind::And(inner), true) | (Kind::Or(inner), false) => {
                open.extend(inner.iter().rev().cloned())
            }
            _ => {
                if seen.contains(&not(&term)) {
                    return boolean(!neutral);
                }
                if seen.insert(term.clone()) {
                    parts.push(term);
                }
            }
        }
    }
    match parts.len() {
        0 => boolean(neutral),
        1 => parts.remove(0),
        _ if neutral => Term::make(Kind::And(parts.into()), Sort::Bool),
        _ => Term::make(Kind::Or(parts.into()), Sort::Bool),
    }
}

pub fn implies(a: &Term, b: &Term) -> Term {
    or([not(a), b.clone()])
}

pub fn eq(a: &Term, b: &Term) -> Term {
    if a == b {
        return boolean(true);
    }
    if is_literal(a) && is_literal(b) {
        return boolean(false);
    }
    match (truth(a), truth(b)) {
        (Some(true), _) => return b.clone(),
        (Some(false), _) => return not(b),
        (_, Some(true)) => return a.clone(),
        (_, Some(false)) => return not(a),
        _ => {}
    }
    let (a, b) = if a.id() <= b.id() { (a, b) } else { (b, a) };
    Term::make(Kind::Eq(a.clone(), b.clone()), Sort::Bool)
}

pub fn ite(c: &Term, a: &Term, b: &Term) -> Term {
    if let Some(value) = truth(c) {
        return if value { a.clone() } else { b.clone() };
    }
    if a == b {
        return a.clone();
    }
    if let Kind::Not(inner) = c.kind() {
        return ite(inner, b, a);
    }
    match (truth(a), truth(b)) {
        (Some(true), _) => return or([c.clone(), b.clone()]),
        (Some(false), _) => return and([not(c), b.clone()]),
        (_, Some(true)) => return or([not(c), a.clone()]),
        (_, Some(false)) => return and([c.clone(), a.clone()]),
        _ => {}
    }
    // In a branch, a conditional with the same condition is decided.
    let a = match a.kind() {
        Kind::Ite(d, yes, _) if d == c => yes,
        _ => a,
    };
    let b = match b.kind() {
        Kind::Ite(d, _, no) if d == c => no,
        _ => b,
    };
    if a == b {
        return a.clone();
    }
    let sort = a.sort().clone();
    Term::make(Kind::Ite(c.clone(), a.clone(), b.clone()), sort)
}

fn number(term: &Term) -> Option<BigRational> {
    match term.kind() {
        Kind::Int(value) => Some(BigRational::from_integer(value.clone())),
        Kind::Real(value) => Some(value.clone()),
        _ => None,
    }
}

/// A literal of the sort of `like`.
fn numeral(value: BigRational, like: &Sort) -> Term {
    match like {
        Sort::Real => real(value),
        _ => integer(value.to_integer()),
    }
}

pub fn add(all: impl IntoIterator<Item = Term>) -> Term {
    let mut parts = Vec::new();
    let mut sum = BigRational::zero();
    let mut sort = Sort::Int;
    let mut open: Vec<Term> = all.into_iter().collect();
    open.reverse();
    while let Some(term) = open.pop() {
        sort = term.sort().clone();
        if let Some(value) = number(&term) {
            sum += value;
        } else if let Kind::Add(inner) = term.kind() {
            open.extend(inner.iter().rev().cloned());
        } else {
            parts.push(term);
        }
    }
    if !sum.is_zero() || parts.is_empty() {
        parts.push(numeral(sum, &sort));
    }
    match parts.len() {
        1 => parts.remove(0),
        _ => Term::make(Kind::Add(parts.into()), sort),
    }
}

pub fn neg(a: &Term) -> Term {
    if let Some(value) = number(a) {
        return numeral(-value, a.sort());
    }
    match a.kind() {
        Kind::Neg(inner) => inner.clone(),
        _ => Term::make(Kind::Neg(a.clone()), a.sort().clone()),
    }
}

pub fn sub(a: &Term, b: &Term) -> Term {
    if a == b {
        return numeral(BigRational::zero(), a.sort());
    }
    add([a.clone(), neg(b)])
}

pub fn mul(a: &Term, b: &Term) -> Term {
    match (number(a), number(b)) {
        (Some(x), Some(y)) => return numeral(x * y, a.sort()),
        (Some(x), None) if x.is_zero() => return a.clone(),
        (Some(x), None) if x.is_one() => return b.clone(),
        (None, Some(y)) if y.is_zero() => return b.clone(),
        (None, Some(y)) if y.is_one() => return a.clone(),
        _ => {}
    }
    Term::make(Kind::Mul(a.clone(), b.clone()), a.sort().clone())
}

/// Euclidean division. For a divisor of zero the value is that of the solver: the lowering guards
/// the term and uses an unknown value instead.
pub fn int_div(a: &Term, b: &Term) -> Term {
    match (a.kind(), b.kind()) {
        (_, Kind::Int(y)) if y.is_zero() => integer(0),
        (Kind::Int(x), Kind::Int(y)) => integer(euclid(x, y).0),
        (_, Kind::Int(y)) if y.is_one() => a.clone(),
        _ => Term::make(Kind::IntDiv(a.clone(), b.clone()), Sort::Int),
    }
}

/// The remainder of [`int_div`].
pub fn int_mod(a: &Term, b: &Term) -> Term {
    match (a.kind(), b.kind()) {
        (_, Kind::Int(y)) if y.is_zero() => a.clone(),
        (Kind::Int(x), Kind::Int(y)) => integer(euclid(x, y).1),
        _ => Term::make(Kind::IntMod(a.clone(), b.clone()), Sort::Int),
    }
}

fn euclid(a: &BigInt, b: &BigInt) -> (BigInt, BigInt) {
    let remainder = a.mod_floor(&b.abs());
    ((a - &remainder) / b, remainder)
}

/// Division of reals; by zero as [`int_div`].
pub fn real_div(a: &Term, b: &Term) -> Term {
    let zero = real(BigRational::zero());
    match (number(a), number(b)) {
        (_, Some(y)) if y.is_zero() => zero,
        (Some(x), Some(y)) => real(x / y),
        (None, Some(y)) => mul(&real(y.recip()), a),
        _ => Term::make(Kind::RealDiv(a.clone(), b.clone()), Sort::Real),
    }
}

pub fn lt(a: &Term, b: &Term) -> Term {
    match (number(a), number(b)) {
        (Some(x), Some(y)) => boolean(x < y),
        _ if a == b => boolean(false),
        _ => Term::make(Kind::Lt(a.clone(), b.clone()), Sort::Bool),
    }
}

pub fn le(a: &Term, b: &Term) -> Term {
    match (number(a), number(b)) {
        (Some(x), Some(y)) => boolean(x <= y),
        _ if a == b => boolean(true),
        _ => Term::make(Kind::Le(a.clone(), b.clone()), Sort::Bool),
    }
}

pub fn to_real(a: &Term) -> Term {
    match a.kind() {
        Kind::Int(value) => real(BigRational::from_integer(value.clone())),
        Kind::Real(_) => a.clone(),
        _ => Term::make(Kind::ToReal(a.clone()), Sort::Real),
    }
}

pub fn to_int(a: &Term) -> Term {
    match a.kind() {
        Kind::Real(value) => integer(value.floor().to_integer()),
        Kind::ToReal(inner) => inner.clone(),
        _ => Term::make(Kind::ToInt(a.clone()), Sort::Int),
    }
}

pub fn bv_not(a: &Term) -> Term {
    Term::make(Kind::BvNot(a.clone()), a.sort().clone())
}

pub fn bv_neg(a: &Term) -> Term {
    Term::make(Kind::BvNeg(a.clone()), a.sort().clone())
}

pub fn bv(op: BvOp, a: &Term, b: &Term) -> Term {
    if op == BvOp::Add
        && let Some(whole) = divided(a, b).or_else(|| divided(b, a))
    {
        return whole;
    }
    Term::make(Kind::Bv(op, a.clone(), b.clone()), a.sort().clone())
}

/// The dividend, if one term is the product of a quotient and its divisor and the other
/// the remainder: the law holds for all operands, a divisor of zero and an overflow too,
/// and to find it out bit by bit is hard.
fn divided(product: &Term, remainder: &Term) -> Option<Term> {
    let (Kind::Bv(BvOp::Mul, a, b), Kind::Bv(rest, dividend, divisor)) =
        (product.kind(), remainder.kind())
    else {
        return None;
    };
    let quotient = match rest {
        BvOp::Urem => BvOp::Udiv,
        BvOp::Srem => BvOp::Sdiv,
        _ => return None,
    };
    let quotient = bv(quotient, dividend, divisor);
    let is_product = (*a == quotient && b == divisor) || (*b == quotient && a == divisor);
    is_product.then(|| dividend.clone())
}

pub fn bv_compare(op: BvCompare, a: &Term, b: &Term) -> Term {
    Term::make(Kind::BvCompare(op, a.clone(), b.clone()), Sort::Bool)
}

/// To another width: the lowest bits, or more of the same value.
pub fn bv_resize(signed: bool, width: u32, a: &Term) -> Term {
    let Sort::BitVec(own) = a.sort() else {
        return a.clone();
    };
    let kind = match width.cmp(own) {
        std::cmp::Ordering::Equal => return a.clone(),
        std::cmp::Ordering::Less => Kind::BvTruncate(width, a.clone()),
        std::cmp::Ordering::Greater => Kind::BvExtend {
            signed,
            width,
            of: a.clone(),
        },
    };
    Term::make(kind, Sort::BitVec(width))
}

pub fn int_to_bv(width: u32, a: &Term) -> Term {
    match a.kind() {
        Kind::Int(value) => bitvec(width, value),
        _ => Term::make(Kind::IntToBv(width, a.clone()), Sort::BitVec(width)),
    }
}

/// The integer that a bit-vector stands for. Conversions move inwards, past operations
/// that are linear: `int(a + 1)` is `(int(a) + 1) mod 2^n`, which solvers know how to
/// handle, while they have to go through all bits of a sum otherwise.
pub fn bv_to_int(signed: bool, a: &Term) -> Term {
    integer_of(signed, a, &mut INWARDS.clone())
}

/// How many operations a conversion moves past: beyond that, shared terms would be
/// converted many times.
const INWARDS: usize = 16;

fn integer_of(signed: bool, a: &Term, left: &mut usize) -> Term {
    let opaque = || {
        let of = a.clone();
        Term::make(Kind::BvToInt { signed, of }, Sort::Int)
    };
    let Sort::BitVec(width) = a.sort() else {
        return opaque();
    };
    if let Kind::BitVec(_, value) = a.kind() {
        let half = BigInt::one() << (width - 1);
        return match signed && *value >= half {
            true => integer(value - (BigInt::one() << *width)),
            false => integer(value.clone()),
        };
    }
    let Some(fewer) = left.checked_sub(1) else {
        return opaque();
    };
    *left = fewer;
    let mut inner = |a: &Term| integer_of(signed, a, left);
    let value = match a.kind() {
        Kind::Ite(c, a, b) => {
            let (a, b) = (inner(a), inner(b));
            return ite(c, &a, &b);
        }
        Kind::Bv(BvOp::Add, a, b) => add([inner(a), inner(b)]),
        Kind::Bv(BvOp::Sub, a, b) => {
            let (a, b) = (inner(a), inner(b));
            add([a, neg(&b)])
        }
        Kind::Bv(BvOp::Mul, a, b) if is_literal(a) || is_literal(b) => {
            let (a, b) = (inner(a), inner(b));
            mul(&a, &b)
        }
        Kind::BvNeg(a) => neg(&inner(a)),
        Kind::BvTruncate(_, a) => inner(a),
        Kind::IntToBv(_, a) => a.clone(),
        Kind::BvExtend {
            signed: false, of, ..
        } => return integer_of(false, of, left),
        Kind::BvExtend {
            signed: true, of, ..
        } if signed => return inner(of),
        _ => return opaque(),
    };
    let size = integer(BigInt::one() << *width);
    if !signed {
        return int_mod(&value, &size);
    }
    let half = integer(BigInt::one() << (width - 1));
    let moved = int_mod(&add([value, half.clone()]), &size);
    add([moved, neg(&half)])
}

pub fn apply(function: Function, args: Vec<Term>) -> Term {
    let sort = function.result.clone();
    Term::make(Kind::Apply(function, args.into()), sort)
}

pub fn select(array: &Term, index: &Term) -> Term {
    let Sort::Array(element) = array.sort() else {
        return array.clone();
    };
    let sort = (**element).clone();
    match array.kind() {
        Kind::ConstArray(element) => return element.clone(),
        Kind::Store(inner, at, value) => {
            let here = eq(at, index);
            match truth(&here) {
                Some(true) => return value.clone(),
                Some(false) => return select(inner, index),
                None => {}
            }
        }
        _ => {}
    }
    Term::make(Kind::Select(array.clone(), index.clone()), sort)
}

pub fn store(array: &Term, index: &Term, value: &Term) -> Term {
    let sort = array.sort().clone();
    Term::make(
        Kind::Store(array.clone(), index.clone(), value.clone()),
        sort,
    )
}

/// The array with the same element everywhere.
pub fn const_array(element: &Term) -> Term {
    let sort = Sort::Array(element.sort().clone().into());
    Term::make(Kind::ConstArray(element.clone()), sort)
}

/// The array with an element for each value of the bound integer.
pub fn lambda(bound: u32, element: &Term) -> Term {
    let sort = Sort::Array(element.sort().clone().into());
    Term::make(Kind::Lambda(bound, element.clone()), sort)
}

pub fn quantified(quantifier: Quantifier, vars: Vec<(u32, Sort)>, body: &Term) -> Term {
    if vars.is_empty() || truth(body).is_some() {
        return body.clone();
    }
    let vars: Arc<[(u32, Sort)]> = vars.into();
    Term::make(Kind::Quantified(quantifier, vars, body.clone()), Sort::Bool)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_terms_are_one() {
        let x = var(Var(0), Sort::Int);
        let a = add([x.clone(), integer(1), integer(2)]);
        let b = add([x.clone(), integer(3)]);
        assert_eq!(a, b);
        assert_eq!(eq(&a, &x), eq(&x, &b));
    }

    #[test]
    fn decided_conditionals_disappear() {
        let (c, x) = (var(Var(1), Sort::Bool), var(Var(2), Sort::Int));
        assert_eq!(ite(&boolean(true), &x, &integer(0)), x);
        assert_eq!(ite(&c, &boolean(true), &boolean(false)), c);
        assert_eq!(and([c.clone(), not(&c)]), boolean(false));
        let inner = ite(&c, &x, &integer(1));
        assert_eq!(ite(&c, &inner, &integer(2)), ite(&c, &x, &integer(2)));
    }
}
