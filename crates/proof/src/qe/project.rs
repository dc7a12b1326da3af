//! Model-based projection of a conjunction of literals.
//!
//! An integer variable is eliminated as Cooper does: the bound next to its
//! value in the model, and a small distance from it that respects all
//! divisibilities, take its place. A real one takes the place of its greatest
//! lower bound, or just above it (Loos and Weispfenning).

use std::collections::{HashMap, HashSet};

use num_bigint::BigInt;
use num_integer::Integer;
use num_rational::BigRational;
use num_traits::{One, Signed, Zero};
use system::{Kind, Sort, Term, Var, substitute};

use crate::qe::linear::{Linear, Polynomial, Relation, number};
use crate::qe::{Values, mentions};

/// A conjunction without the variables, which implies that there are values
/// for them that satisfy the given one, and holds in the model. `None` if the
/// solver has no values.
pub fn project(literals: &[Term], vars: &[Var], values: &mut Values) -> Option<Vec<Term>> {
    let literals = fix_hard(literals, vars, values)?;
    let (mut kept, mut linear) = (Vec::new(), Vec::new());
    for literal in &literals {
        if !mentions(literal, vars) {
            kept.push(literal.clone());
        } else if !is_proposition(literal) {
            let read = Linear::read(literal, values, &mut linear)?;
            linear.push(read);
        }
    }
    let mut numbers: Vec<Term> = Vec::new();
    for one in &linear {
        numbers.extend(one.polynomial().terms().cloned());
    }
    let is_gone = |term: &Term| matches!(term.kind(), Kind::Var(var) if vars.contains(var));
    numbers.retain(is_gone);
    numbers.sort_by_key(Term::id);
    numbers.dedup();
    for var in &numbers {
        linear = match var.sort() {
            Sort::Int => eliminate_int(linear, var, values)?,
            _ => eliminate_real(linear, var, values)?,
        };
        linear.retain(|one| one.truth() != Some(true));
    }
    kept.extend(linear.iter().map(Linear::term));
    Some(kept)
}

/// A Boolean variable, or its negation.
pub(super) fn is_proposition(literal: &Term) -> bool {
    match literal.kind() {
        Kind::Var(_) => true,
        Kind::Not(inner) => matches!(inner.kind(), Kind::Var(_)),
        _ => false,
    }
}

/// Variables that do not only occur in linear literals get their values.
pub(super) fn fix_hard(literals: &[Term], vars: &[Var], values: &mut Values) -> Option<Vec<Term>> {
    let mut hard: HashSet<Var> = HashSet::new();
    for literal in literals {
        let own = literal.vars().into_iter().filter(|var| vars.contains(var));
        if !is_proposition(literal) {
            let easy = linear_vars(literal, values);
            hard.extend(own.filter(|var| !easy.contains(var)));
        }
    }
    // A variable that is easy here may be hard there: gather all first.
    let mut map = HashMap::new();
    let occurrences = literals.iter().flat_map(variables);
    for term in occurrences.filter(|term| matches!(term.kind(), Kind::Var(v) if hard.contains(v))) {
        let value = values.literal(&term)?;
        map.insert(term, value);
    }
    let fixed = literals.iter().map(|literal| substitute(literal, &map));
    Some(
        fixed
            .filter(|term| *term != system::boolean(true))
            .collect(),
    )
}

fn variables(term: &Term) -> Vec<Term> {
    let all = term.subterms();
    all.filter(|term| matches!(term.kind(), Kind::Var(_)))
        .collect()
}

/// The variables that occur in a literal as the terms of polynomials only.
fn linear_vars(literal: &Term, values: &mut Values) -> HashSet<Var> {
    let mut all = Vec::new();
    let read = Linear::read(literal, values, &mut all);
    let Some(read) = read else {
        return HashSet::new();
    };
    all.push(read);
    let (mut easy, mut inside) = (HashSet::new(), HashSet::new());
    for term in all.iter().flat_map(|one| one.polynomial().terms()) {
        match term.kind() {
            Kind::Var(var) => {
                easy.insert(*var);
            }
            _ => inside.extend(term.vars()),
        }
    }
    easy.retain(|var| !inside.contains(var));
    easy
}

/// A variable `v`, in literals that are scaled so that its factor is the same
/// everywhere: `y = scale · v`.
pub(super) struct Bounds {
    pub scale: BigInt,
    /// `y` is exactly this.
    pub exact: Option<Polynomial>,
    pub lower: Vec<Polynomial>,
    pub upper: Vec<Polynomial>,
    /// `y` plus the polynomial is a multiple.
    pub multiples: Vec<(BigInt, Polynomial)>,
    rest: Vec<Linear>,
}

impl Bounds {
    pub fn of(linear: Vec<Linear>, var: &Term) -> Bounds {
        let factors = linear.iter().map(|one| one.polynomial().factor(var));
        let factors = factors.filter(|factor| !factor.is_zero());
        let scale = factors.fold(BigInt::one(), |all, one| all.lcm(&one.to_integer().abs()));
        let mut bounds = Bounds {
            multiples: vec![(scale.clone(), Polynomial::constant(BigRational::zero()))],
            scale,
            exact: None,
            lower: Vec::new(),
            upper: Vec::new(),
            rest: Vec::new(),
        };
        for one in linear {
            bounds.add(one, var);
        }
        bounds
    }

    fn add(&mut self, one: Linear, var: &Term) {
        let factor = one.polynomial().factor(var);
        if factor.is_zero() {
            self.rest.push(one);
            return;
        }
        let times = BigRational::from_integer(self.scale.clone()) / factor.abs();
        // The literal is about `±y + other`.
        let other = one.polynomial().without(var).scaled(&times);
        let negated = other.scaled(&-BigRational::one());
        match (one, factor.is_positive()) {
            (Linear::Divides(by, _), positive) => {
                let by = by * times.to_integer();
                let other = if positive { other } else { negated };
                self.multiples.push((by, other));
            }
            (Linear::Compare(Relation::Zero, ..), true) => self.equal(negated),
            (Linear::Compare(Relation::Zero, ..), false) => self.equal(other),
            (Linear::Compare(..), true) => self.lower.push(negated),
            (Linear::Compare(..), false) => self.upper.push(other),
        }
    }

    fn equal(&mut self, to: Polynomial) {
        self.lower.push(to.clone());
        self.upper.push(to.clone());
        self.exact.get_or_insert(to);
    }

    /// All literals with a polynomial in the place of `y`; comparisons only if
    /// they matter.
    pub fn replaced(self, by: &Polynomial, compare: bool) -> Vec<Linear> {
        let minus = -BigRational::one();
        let mut literals = self.rest;
        let not_negative = |p| Linear::Compare(Relation::NotNegative, p, Sort::Int);
        if compare {
            for lower in &self.lower {
                let mut difference = by.clone();
                difference.add(lower, &minus);
                literals.push(not_negative(difference));
            }
            for upper in &self.upper {
                let mut difference = upper.clone();
                difference.add(by, &minus);
                literals.push(not_negative(difference));
            }
        }
        for (divisor, other) in &self.multiples {
            let mut sum = by.clone();
            sum.add(other, &BigRational::one());
            literals.push(Linear::Divides(divisor.clone(), sum));
        }
        literals
    }
}

fn eliminate_int(linear: Vec<Linear>, var: &Term, values: &mut Values) -> Option<Vec<Linear>> {
    let bounds = Bounds::of(linear, var);
    let period = bounds.multiples.iter();
    let period = period.fold(BigInt::one(), |all, (one, _)| all.lcm(one));
    let scale = BigRational::from_integer(bounds.scale.clone());
    let own = (number(values.scalar(var)?)? * scale).to_integer();
    if let Some(exact) = bounds.exact.clone() {
        return Some(bounds.replaced(&exact, true));
    }
    if bounds.lower.is_empty() || bounds.upper.is_empty() {
        // Far enough out there is always a value.
        let residue = Polynomial::constant(BigRational::from_integer(own.mod_floor(&period)));
        return Some(bounds.replaced(&residue, false));
    }
    let mut best: Option<(BigInt, &Polynomial)> = None;
    for lower in &bounds.lower {
        let value = lower.value(values)?.to_integer();
        if best.as_ref().is_none_or(|(known, _)| value > *known) {
            best = Some((value, lower));
        }
    }
    let (value, lower) = best?;
    let target = lower.clone().plus((own - value).mod_floor(&period));
    Some(bounds.replaced(&target, true))
}

/// A bound of a real variable.
struct RealBound {
    at: Polynomial,
    strict: bool,
}

fn eliminate_real(linear: Vec<Linear>, var: &Term, values: &mut Values) -> Option<Vec<Linear>> {
    let (mut lower, mut upper, mut rest) = (Vec::new(), Vec::new(), Vec::new());
    let mut exact = None;
    for one in linear {
        let factor = one.polynomial().factor(var);
        let Linear::Compare(relation, p, _) = &one else {
            rest.push(one);
            continue;
        };
        if factor.is_zero() {
            rest.push(one);
            continue;
        }
        let at = p.without(var).scaled(&(-BigRational::one() / &factor));
        let strict = *relation == Relation::Positive;
        match relation {
            Relation::Zero if exact.is_none() => exact = Some(at),
            Relation::Zero => rest.push(one),
            _ if factor.is_positive() => lower.push(RealBound { at, strict }),
            _ => upper.push(RealBound { at, strict }),
        }
    }
    let (target, above) = match exact {
        Some(at) => (at, false),
        None if lower.is_empty() || upper.is_empty() => return Some(rest),
        None => greatest(&lower, values)?,
    };
    // Equations that were left over.
    for one in &mut rest {
        if let Linear::Compare(_, p, _) = one {
            *p = p.replaced(var, &target);
        }
    }
    let sides = lower.iter().map(|bound| (bound, true));
    for (bound, is_lower) in sides.chain(upper.iter().map(|bound| (bound, false))) {
        let sign = if is_lower {
            BigRational::one()
        } else {
            -BigRational::one()
        };
        let mut difference = target.scaled(&sign);
        difference.add(&bound.at, &-sign);
        // Just above a bound is above all that are not greater, and below all
        // that are greater.
        let strict = if above { !is_lower } else { bound.strict };
        let relation = if strict {
            Relation::Positive
        } else {
            Relation::NotNegative
        };
        rest.push(Linear::Compare(relation, difference, Sort::Real));
    }
    Some(rest)
}

/// The greatest lower bound in the model, and whether the variable is above.
fn greatest(lower: &[RealBound], values: &mut Values) -> Option<(Polynomial, bool)> {
    let mut best: Option<(BigRational, &RealBound)> = None;
    for bound in lower {
        let value = bound.at.value(values)?;
        let better = best.as_ref().is_none_or(|(known, old)| {
            value > *known || (value == *known && bound.strict && !old.strict)
        });
        if better {
            best = Some((value, bound));
        }
    }
    best.map(|(_, bound)| (bound.at.clone(), bound.strict))
}
