//! Linear polynomials and the constraints made of them.

use std::collections::BTreeMap;

use num_bigint::BigInt;
use num_integer::Integer;
use num_rational::BigRational;
use num_traits::{One, Signed, Zero};
use smt::Scalar;
use system::{Kind, Sort, Term, add, eq, int_mod, integer, le, lt, mul};

use crate::qe::Values;

/// A sum of terms, each with a factor, and a constant. What the terms are made
/// of is of no interest.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Polynomial {
    terms: BTreeMap<u64, (Term, BigRational)>,
    constant: BigRational,
}

impl Polynomial {
    pub fn constant(value: BigRational) -> Polynomial {
        Polynomial {
            terms: BTreeMap::new(),
            constant: value,
        }
    }

    pub fn of_term(term: &Term) -> Polynomial {
        let mut one = Polynomial::constant(BigRational::zero());
        one.terms
            .insert(term.id(), (term.clone(), BigRational::one()));
        one
    }

    pub fn factor(&self, of: &Term) -> BigRational {
        let known = self.terms.get(&of.id());
        known.map_or_else(BigRational::zero, |(_, factor)| factor.clone())
    }

    pub fn add(&mut self, other: &Polynomial, times: &BigRational) {
        self.constant += &other.constant * times;
        for (id, (term, factor)) in &other.terms {
            let entry = self.terms.entry(*id);
            let (_, own) = entry.or_insert_with(|| (term.clone(), BigRational::zero()));
            *own += factor * times;
        }
        self.terms.retain(|_, (_, factor)| !factor.is_zero());
    }

    pub fn scaled(&self, by: &BigRational) -> Polynomial {
        let mut scaled = Polynomial::constant(BigRational::zero());
        scaled.add(self, by);
        scaled
    }

    /// Without one of its terms.
    pub fn without(&self, term: &Term) -> Polynomial {
        let mut rest = self.clone();
        rest.terms.remove(&term.id());
        rest
    }

    fn denominator(&self) -> BigInt {
        let factors = self.terms.values().map(|(_, factor)| factor);
        let denominators = factors.chain([&self.constant]).map(BigRational::denom);
        denominators.fold(BigInt::one(), |all, one| all.lcm(one))
    }

    /// The smallest multiple with integer factors.
    pub fn integral(&self) -> Polynomial {
        self.scaled(&BigRational::from_integer(self.denominator()))
    }

    /// With a polynomial in the place of a term.
    pub fn replaced(&self, term: &Term, by: &Polynomial) -> Polynomial {
        let mut rest = self.without(term);
        rest.add(by, &self.factor(term));
        rest
    }

    /// The factors of its terms.
    pub fn factors(&self) -> impl Iterator<Item = &BigRational> {
        self.terms.values().map(|(_, factor)| factor)
    }

    pub fn is_integral(&self) -> bool {
        self.constant.is_integer() && self.factors().all(BigRational::is_integer)
    }

    /// With a smaller constant that is an integer.
    pub fn floored(mut self) -> Polynomial {
        self.constant = self.constant.floor();
        self
    }

    pub fn plus(mut self, value: impl Into<BigInt>) -> Polynomial {
        self.constant += BigRational::from_integer(value.into());
        self
    }

    pub fn value(&self, values: &mut Values) -> Option<BigRational> {
        let mut sum = self.constant.clone();
        for (term, factor) in self.terms.values() {
            sum += factor * number(values.scalar(term)?)?;
        }
        Some(sum)
    }

    pub fn terms(&self) -> impl Iterator<Item = &Term> {
        self.terms.values().map(|(term, _)| term)
    }

    fn term(&self, sort: &Sort, keep: impl Fn(&BigRational) -> bool, negate: bool) -> Term {
        let numeral = |value: &BigRational| {
            let value = if negate { -value } else { value.clone() };
            match sort {
                Sort::Real => system::real(value),
                _ => integer(value.to_integer()),
            }
        };
        let parts = self.terms.values().filter(|(_, factor)| keep(factor));
        let parts = parts.map(|(term, factor)| mul(&numeral(factor), term));
        let constant = keep(&self.constant).then(|| numeral(&self.constant));
        let sum: Vec<Term> = parts.chain(constant).collect();
        match sum.is_empty() {
            true => numeral(&BigRational::zero()),
            false => add(sum),
        }
    }

    /// The polynomial as a term; one of integers has integer factors.
    pub fn sum(&self, sort: &Sort) -> Term {
        self.term(sort, |_| true, false)
    }

    /// What is added and what is taken away.
    fn sides(&self, sort: &Sort) -> (Term, Term) {
        let plus = self.term(sort, Signed::is_positive, false);
        let minus = self.term(sort, Signed::is_negative, true);
        (plus, minus)
    }
}

pub(super) fn number(value: Scalar) -> Option<BigRational> {
    match value {
        Scalar::Int(value) => Some(BigRational::from_integer(value)),
        Scalar::Real(value) => Some(value),
        _ => None,
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Relation {
    /// The polynomial is zero.
    Zero,
    /// It is positive; of reals only.
    Positive,
    NotNegative,
}

/// A literal of linear arithmetic.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Linear {
    Compare(Relation, Polynomial, Sort),
    /// Divides an integer polynomial.
    Divides(BigInt, Polynomial),
}

impl Linear {
    pub fn polynomial(&self) -> &Polynomial {
        match self {
            Linear::Compare(_, polynomial, _) | Linear::Divides(_, polynomial) => polynomial,
        }
    }

    /// In the form that the others expect: integer factors, and no strict
    /// comparison of integers.
    pub fn normal(self) -> Linear {
        match self {
            Linear::Compare(Relation::Positive, p, Sort::Int) => {
                let p = p.integral().plus(-1);
                Linear::Compare(Relation::NotNegative, p, Sort::Int)
            }
            Linear::Compare(relation, p, Sort::Int) => {
                Linear::Compare(relation, p.integral(), Sort::Int)
            }
            // d | p/q, where q divides p, is the same as d·q | p.
            Linear::Divides(by, p) => {
                let scale = p.denominator();
                Linear::Divides(by * scale, p.integral())
            }
            other => other,
        }
    }

    /// Is it true, if it speaks of numbers only?
    pub fn truth(&self) -> Option<bool> {
        let p = self.polynomial();
        if !p.terms.is_empty() {
            return None;
        }
        Some(match self {
            Linear::Compare(Relation::Zero, ..) => p.constant.is_zero(),
            Linear::Compare(Relation::Positive, ..) => p.constant.is_positive(),
            Linear::Compare(Relation::NotNegative, ..) => !p.constant.is_negative(),
            Linear::Divides(by, _) => (&p.constant / by).is_integer(),
        })
    }

    pub fn term(&self) -> Term {
        match self {
            Linear::Compare(relation, p, sort) => {
                let (plus, minus) = p.sides(sort);
                match relation {
                    Relation::Zero => eq(&plus, &minus),
                    Relation::Positive => lt(&minus, &plus),
                    Relation::NotNegative => le(&minus, &plus),
                }
            }
            Linear::Divides(by, p) => {
                let sum = p.term(&Sort::Int, |_| true, false);
                eq(&int_mod(&sum, &integer(by.clone())), &integer(0))
            }
        }
    }

    /// A literal of linear arithmetic; what it rests on besides is added to
    /// the others. `None` for other literals.
    pub fn read(term: &Term, values: &mut Values, others: &mut Vec<Linear>) -> Option<Linear> {
        let (relation, small, large) = match term.kind() {
            Kind::Lt(a, b) => (Relation::Positive, a, b),
            Kind::Le(a, b) => (Relation::NotNegative, a, b),
            Kind::Eq(a, b) if matches!(a.sort(), Sort::Int | Sort::Real) => (Relation::Zero, a, b),
            _ => return None,
        };
        let mut difference = polynomial(large, values, others)?;
        let small_part = polynomial(small, values, others)?;
        difference.add(&small_part, &-BigRational::one());
        let sort = small.sort().clone();
        Some(Linear::Compare(relation, difference, sort).normal())
    }
}

/// A number as a polynomial. Quotients and remainders are what they are in the
/// model, as long as the dividend leaves the same remainder.
fn polynomial(term: &Term, values: &mut Values, others: &mut Vec<Linear>) -> Option<Polynomial> {
    let one = BigRational::one();
    Some(match term.kind() {
        Kind::Int(value) => Polynomial::constant(BigRational::from_integer(value.clone())),
        Kind::Real(value) => Polynomial::constant(value.clone()),
        Kind::Add(parts) => {
            let mut sum = Polynomial::constant(BigRational::zero());
            for part in parts.iter() {
                sum.add(&polynomial(part, values, others)?, &one);
            }
            sum
        }
        Kind::Neg(a) => polynomial(a, values, others)?.scaled(&-one),
        Kind::Mul(a, b) => match (a.kind(), b.kind()) {
            (Kind::Int(_) | Kind::Real(_), _) => scaled(a, b, values, others)?,
            (_, Kind::Int(_) | Kind::Real(_)) => scaled(b, a, values, others)?,
            _ => Polynomial::of_term(term),
        },
        Kind::IntMod(a, b) | Kind::IntDiv(a, b) => {
            let Kind::Int(divisor) = b.kind() else {
                return Some(Polynomial::of_term(term));
            };
            let remainder = number(values.scalar(&int_mod(a, b))?)?.to_integer();
            let dividend = polynomial(a, values, others)?.plus(-remainder.clone());
            others.push(Linear::Divides(divisor.abs(), dividend.clone()).normal());
            match term.kind() {
                Kind::IntMod(..) => Polynomial::constant(BigRational::from_integer(remainder)),
                _ => dividend.scaled(&BigRational::new(BigInt::one(), divisor.clone())),
            }
        }
        _ => Polynomial::of_term(term),
    })
}

fn scaled(
    factor: &Term,
    of: &Term,
    values: &mut Values,
    others: &mut Vec<Linear>,
) -> Option<Polynomial> {
    let factor = match factor.kind() {
        Kind::Int(value) => BigRational::from_integer(value.clone()),
        Kind::Real(value) => value.clone(),
        _ => return None,
    };
    Some(polynomial(of, values, others)?.scaled(&factor))
}
