//! A normal form for comparisons of linear arithmetic.
//!
//! Terms that are put into others leave sums like `12 - x + x` behind. Here each comparison
//! becomes one of two sums without common terms, with factors that have no common divisor.

use std::collections::{HashMap, HashSet};

use num_bigint::BigInt;
use num_integer::Integer;
use num_rational::BigRational;
use num_traits::{One, Zero};
use system::{Kind, Sort, Term, boolean, substitute};

use super::linear::{Linear, Polynomial, Relation};

/// An equivalent formula with its comparisons of numbers in normal form.
pub fn normal(formula: &Term) -> Term {
    let mut map = HashMap::new();
    let mut seen = HashSet::new();
    let mut open = vec![formula.clone()];
    while let Some(term) = open.pop() {
        if !seen.insert(term.id()) {
            continue;
        }
        match comparison(&term) {
            Some(better) => {
                map.insert(term, better);
            }
            None => term.for_each_part(|part| open.push(part.clone())),
        }
    }
    substitute(formula, &map)
}

fn comparison(term: &Term) -> Option<Term> {
    let (relation, small, large) = match term.kind() {
        Kind::Lt(a, b) => (Relation::Positive, a, b),
        Kind::Le(a, b) => (Relation::NotNegative, a, b),
        Kind::Eq(a, b) if matches!(a.sort(), Sort::Int | Sort::Real) => (Relation::Zero, a, b),
        _ => return None,
    };
    let mut difference = plain(large);
    difference.add(&plain(small), &-BigRational::one());
    // Conditionals inside keep their own comparisons.
    let is_plain = |term: &Term| !matches!(term.kind(), Kind::Ite(..));
    if !difference.terms().all(is_plain) {
        return None;
    }
    let sort = small.sort().clone();
    let linear = Linear::Compare(relation, difference, sort.clone()).normal();
    let linear = match (linear, sort) {
        (Linear::Compare(relation, p, Sort::Int), _) => reduced(relation, p)?,
        (other, _) => other,
    };
    Some(match linear.truth() {
        Some(truth) => boolean(truth),
        None => linear.term(),
    })
}

/// Integer factors without a common divisor; `None` if the comparison cannot hold.
fn reduced(relation: Relation, p: Polynomial) -> Option<Linear> {
    let divisor = p
        .factors()
        .fold(BigInt::zero(), |all, f| all.gcd(&f.to_integer()));
    if divisor.is_zero() || divisor.is_one() {
        return Some(Linear::Compare(relation, p, Sort::Int));
    }
    let scaled = p.scaled(&BigRational::new(BigInt::one(), divisor));
    match (relation, scaled.is_integral()) {
        (_, true) => Some(Linear::Compare(relation, scaled, Sort::Int)),
        (Relation::NotNegative, false) => {
            Some(Linear::Compare(relation, scaled.floored(), Sort::Int))
        }
        (_, false) => None,
    }
}

/// A number as a polynomial of terms that are no sums.
fn plain(term: &Term) -> Polynomial {
    let one = BigRational::one();
    match term.kind() {
        Kind::Int(value) => Polynomial::constant(BigRational::from_integer(value.clone())),
        Kind::Real(value) => Polynomial::constant(value.clone()),
        Kind::Add(parts) => {
            let mut sum = Polynomial::constant(BigRational::zero());
            for part in parts.iter() {
                sum.add(&plain(part), &one);
            }
            sum
        }
        Kind::Neg(a) => plain(a).scaled(&-one),
        Kind::Mul(a, b) => match (a.kind(), b.kind()) {
            (Kind::Int(value), _) => plain(b).scaled(&BigRational::from_integer(value.clone())),
            (_, Kind::Int(value)) => plain(a).scaled(&BigRational::from_integer(value.clone())),
            (Kind::Real(value), _) => plain(b).scaled(value),
            (_, Kind::Real(value)) => plain(a).scaled(value),
            _ => Polynomial::of_term(term),
        },
        _ => Polynomial::of_term(term),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::qe::tests::int;
    use system::{add, integer, le, lt, mul, neg};

    #[test]
    fn sums_cancel() {
        let x = int(0);
        let sum = add([neg(&x), x.clone(), integer(12)]);
        assert_eq!(normal(&lt(&integer(11), &sum)), boolean(true));
        let thrice = mul(&integer(3), &x);
        let expected = le(&x, &integer(2));
        assert_eq!(normal(&lt(&thrice, &integer(8))), expected);
        assert_eq!(
            normal(&le(&add([x.clone(), x.clone()]), &add([x, integer(2)]))),
            expected
        );
    }
}
