//! Facts: the conditions under which an expression is evaluated.
//!
//! In `if d = 0 then 0 else x div d` the division is not evaluated where `d` is zero; nor is
//! `a[i]` in `0 <= i and i < n => a[i] > 0` outside of the bounds. While an expression is
//! translated, the conditions around it are facts: those of `if`, and the left operands of
//! `and`, `or` and `=>`. Together with what is cheap to see of numbers they often say
//! that a partial operation has a value, and then no function stands for an unknown one.
//!
//! Facts hold within one expression at one step: what has its own name, or is remembered,
//! is translated without them.

use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::{One, Zero};
use system::{Kind, Term, not};

use crate::Lower;
use crate::lowerer::Lowerer;

/// Numbers between which an integer lies.
type Bounds = (Option<BigInt>, Option<BigInt>);

impl<'p> Lowerer<'p> {
    /// Translates an expression whose value matters only where the fact holds.
    pub fn under<T>(
        &mut self,
        fact: &Term,
        translate: impl FnOnce(&mut Self) -> Lower<T>,
    ) -> Lower<T> {
        let count = self.facts.len();
        self.add_fact(fact);
        let result = translate(self);
        self.facts.truncate(count);
        result
    }

    /// Translates without facts: the result is shared with other places.
    pub fn aside<T>(&mut self, translate: impl FnOnce(&mut Self) -> Lower<T>) -> Lower<T> {
        let facts = std::mem::take(&mut self.facts);
        let result = translate(self);
        self.facts = facts;
        result
    }

    fn add_fact(&mut self, fact: &Term) {
        match fact.kind() {
            Kind::And(all) => all.iter().for_each(|part| self.add_fact(part)),
            Kind::Not(inner) => match inner.kind() {
                Kind::Or(all) => all.iter().for_each(|part| self.add_fact(&not(part))),
                _ => self.facts.push(fact.clone()),
            },
            _ => self.facts.push(fact.clone()),
        }
    }

    /// Can the number not be zero here?
    pub fn never_zero(&self, term: &Term) -> bool {
        let zero = BigRational::zero();
        if let Some(value) = number(term) {
            return value != zero;
        }
        let excluded = |fact: &Term| {
            let Some((compared, holds)) = Compared::of(fact) else {
                return false;
            };
            match (compared, holds) {
                (Compared::Equal(a, b), false) => {
                    (a == term && number(b) == Some(zero.clone()))
                        || (b == term && number(a) == Some(zero.clone()))
                }
                (Compared::Less(a, b), true) | (Compared::AtMost(b, a), false) => {
                    (b == term && number(a).is_some_and(|a| a >= zero))
                        || (a == term && number(b).is_some_and(|b| b <= zero))
                }
                (Compared::AtMost(a, b), true) | (Compared::Less(b, a), false) => {
                    (b == term && number(a).is_some_and(|a| a > zero))
                        || (a == term && number(b).is_some_and(|b| b < zero))
                }
                _ => false,
            }
        };
        let (low, high) = self.bounds_of(term);
        let positive = low.is_some_and(|low| low > BigInt::zero());
        positive
            || high.is_some_and(|high| high < BigInt::zero())
            || self.facts.iter().any(excluded)
    }

    /// Does the index lie within an array of the size here?
    pub fn is_within(&self, index: &Term, size: &Term) -> bool {
        let (low, high) = self.bounds_of(index);
        if low.is_none_or(|low| low < BigInt::zero()) {
            return false;
        }
        if let (Some(size), Some(high)) = (self.bounds_of(size).0, &high)
            && *high < size
        {
            return true;
        }
        let (base, offset) = split(index);
        let (size, least) = split(size);
        self.facts.iter().any(|fact| {
            // `small + c` is less than the size.
            let (small, large) = match Compared::of(fact) {
                Some((Compared::Less(a, b), true) | (Compared::AtMost(b, a), false)) => {
                    (split(a), split(b))
                }
                Some((Compared::AtMost(a, b), true) | (Compared::Less(b, a), false)) => {
                    let (large, more) = split(b);
                    (split(a), (large, more + BigInt::one()))
                }
                _ => return false,
            };
            let same = small.0 == base && large.0 == size;
            same && &offset - &small.1 <= &least - &large.1
        })
    }

    /// Bounds of an integer here that are cheap to find.
    fn bounds_of(&self, term: &Term) -> Bounds {
        let (mut low, mut high) = self.own_bounds(term);
        let mut excluded = Vec::new();
        for fact in &self.facts {
            let Some((compared, holds)) = Compared::of(fact) else {
                continue;
            };
            let (least, most) = match (compared, holds) {
                (Compared::Equal(a, b), _) => {
                    let other = match (a == term, b == term) {
                        (true, _) => integer(b),
                        (_, true) => integer(a),
                        _ => None,
                    };
                    match holds {
                        true => (other.clone(), other),
                        false => {
                            excluded.extend(other);
                            (None, None)
                        }
                    }
                }
                (Compared::Less(a, b), true) | (Compared::AtMost(b, a), false) => (
                    integer(a).filter(|_| b == term).map(|a| a + 1),
                    integer(b).filter(|_| a == term).map(|b| b - 1),
                ),
                (Compared::AtMost(a, b), true) | (Compared::Less(b, a), false) => (
                    integer(a).filter(|_| b == term),
                    integer(b).filter(|_| a == term),
                ),
            };
            low = low.into_iter().chain(least).max();
            high = high.into_iter().chain(most).min();
        }
        if low.as_ref().is_some_and(|low| excluded.contains(low)) {
            low = low.map(|low| low + 1);
        }
        if high.as_ref().is_some_and(|high| excluded.contains(high)) {
            high = high.map(|high| high - 1);
        }
        (low, high)
    }

    /// Bounds of a term that follow from its operator.
    fn own_bounds(&self, term: &Term) -> Bounds {
        match term.kind() {
            Kind::Int(value) => (Some(value.clone()), Some(value.clone())),
            Kind::Var(_) => self.declared.get(term).cloned().unwrap_or_default(),
            Kind::Add(parts) if parts.len() <= 4 => {
                let mut sum = (Some(BigInt::zero()), Some(BigInt::zero()));
                for part in parts.iter() {
                    let (low, high) = self.bounds_of(part);
                    sum.0 = sum.0.zip(low).map(|(a, b)| a + b);
                    sum.1 = sum.1.zip(high).map(|(a, b)| a + b);
                }
                sum
            }
            Kind::IntMod(_, by) => match by.kind() {
                Kind::Int(by) if !by.is_zero() => {
                    let most = BigInt::from(by.magnitude().clone()) - 1;
                    (Some(BigInt::zero()), Some(most))
                }
                _ => (None, None),
            },
            Kind::BvToInt { signed, of } => match of.sort() {
                system::Sort::BitVec(width) => {
                    let all = BigInt::one() << *width;
                    let half: BigInt = &all / 2;
                    match signed {
                        true => (Some(-&half), Some(half - 1)),
                        false => (Some(BigInt::zero()), Some(all - 1)),
                    }
                }
                _ => (None, None),
            },
            _ => (None, None),
        }
    }
}

/// A comparison of two terms.
enum Compared<'t> {
    Equal(&'t Term, &'t Term),
    Less(&'t Term, &'t Term),
    AtMost(&'t Term, &'t Term),
}

impl<'t> Compared<'t> {
    /// The comparison, and whether it holds.
    fn of(fact: &'t Term) -> Option<(Compared<'t>, bool)> {
        let (term, holds) = match fact.kind() {
            Kind::Not(inner) => (inner, false),
            _ => (fact, true),
        };
        let compared = match term.kind() {
            Kind::Eq(a, b) => Compared::Equal(a, b),
            Kind::Lt(a, b) => Compared::Less(a, b),
            Kind::Le(a, b) => Compared::AtMost(a, b),
            _ => return None,
        };
        Some((compared, holds))
    }
}

fn number(term: &Term) -> Option<BigRational> {
    match term.kind() {
        Kind::Int(value) => Some(BigRational::from_integer(value.clone())),
        Kind::Real(value) => Some(value.clone()),
        _ => None,
    }
}

fn integer(term: &Term) -> Option<BigInt> {
    match term.kind() {
        Kind::Int(value) => Some(value.clone()),
        _ => None,
    }
}

/// A term as another one plus a constant.
fn split(term: &Term) -> (Term, BigInt) {
    if let Some(value) = integer(term) {
        return (system::integer(0), value);
    }
    if let Kind::Add(parts) = term.kind() {
        let (numbers, others): (Vec<&Term>, Vec<&Term>) =
            parts.iter().partition(|part| integer(part).is_some());
        let sum: BigInt = numbers.iter().filter_map(|part| integer(part)).sum();
        return (system::add(others.into_iter().cloned()), sum);
    }
    (term.clone(), BigInt::zero())
}
