//! Terms for variables, guided by a model.
//!
//! Given literals that hold in a model, finds for each variable a term over the other
//! variables that could take its place there: what an equation says it is, the bound next to
//! it, or the middle of its bounds. Nothing rests on the choice: whoever uses the terms puts
//! them into the formula and sees where it holds.

use std::collections::HashMap;

use num_bigint::BigInt;
use num_integer::Integer;
use num_rational::BigRational;
use num_traits::{One, Zero};
use system::{Kind, Sort, Term, Var, int_div, integer, substitute};

use super::linear::{Linear, Polynomial, Relation, number};
use super::project::{Bounds, fix_hard, is_proposition};
use super::{Values, mentions};

/// A term for each of the variables, which does not mention any of them; `None` if the solver
/// has no value for one of them.
pub fn witnesses(literals: &[Term], vars: &[Term], values: &mut Values) -> Option<Vec<Term>> {
    let ids: Vec<Var> = vars.iter().flat_map(Term::vars).collect();
    let fixed = fix_hard(literals, &ids, values)?;
    let mut linear = Vec::new();
    for literal in fixed.iter().filter(|literal| mentions(literal, &ids)) {
        if is_proposition(literal) {
            continue;
        }
        if let Some(read) = Linear::read(literal, values, &mut linear) {
            linear.push(read);
        }
    }
    let mut found: Vec<(usize, Term)> = Vec::new();
    for (at, var) in vars.iter().enumerate() {
        let touched = |one: &Linear| !one.polynomial().factor(var).is_zero();
        let term = match var.sort() {
            Sort::Int | Sort::Real if linear.iter().any(touched) => {
                let (term, rest) = match var.sort() {
                    Sort::Int => of_integer(linear, var, values)?,
                    _ => of_real(linear, var, values)?,
                };
                linear = rest;
                linear.retain(|one| one.truth() != Some(true));
                term
            }
            _ => values.literal(var)?,
        };
        found.push((at, term));
    }
    // A term may mention variables that came after it.
    let mut terms: Vec<Term> = vec![system::boolean(true); vars.len()];
    let mut map: HashMap<Term, Term> = HashMap::new();
    for (at, term) in found.into_iter().rev() {
        let term = substitute(&term, &map);
        map.insert(vars[at].clone(), term.clone());
        terms[at] = term;
    }
    Some(terms)
}

/// Terms for the variables, and what remains of the literals.
pub struct Eliminated {
    pub terms: Vec<Term>,
    /// Without the variables: wherever all these hold, so do the literals with the terms in
    /// the place of the variables. Literals that are not linear are left out.
    pub rest: Vec<Term>,
}

/// Eliminates variables as Fourier and Motzkin do, where that is exact and small: every lower
/// bound is at most every upper one. The terms are then the greatest of the lower bounds, or
/// the middle between that and the least of the upper ones. `None` where it is not, or the
/// solver has no value for a variable.
pub fn eliminate_all(literals: &[Term], vars: &[Term], values: &mut Values) -> Option<Eliminated> {
    let ids: Vec<Var> = vars.iter().flat_map(Term::vars).collect();
    let fixed = fix_hard(literals, &ids, values)?;
    let (mut rest, mut linear) = (Vec::new(), Vec::new());
    for literal in &fixed {
        if !mentions(literal, &ids) {
            rest.push(literal.clone());
        } else if !is_proposition(literal) {
            let read = Linear::read(literal, values, &mut linear)?;
            linear.push(read);
        }
    }
    let mut found: Vec<Term> = Vec::new();
    for var in vars {
        let touched = |one: &Linear| !one.polynomial().factor(var).is_zero();
        let term = match linear.iter().any(touched) {
            true => {
                let (term, left) = combine(linear, var)?;
                linear = left;
                linear.retain(|one| one.truth() != Some(true));
                term
            }
            false => values.literal(var)?,
        };
        found.push(term);
    }
    let mut map: HashMap<Term, Term> = HashMap::new();
    for (var, term) in vars.iter().zip(&found).rev() {
        let term = substitute(term, &map);
        map.insert(var.clone(), term);
    }
    rest.extend(linear.iter().map(Linear::term));
    Some(Eliminated {
        terms: vars.iter().map(|var| map[var].clone()).collect(),
        rest,
    })
}

/// No more comparisons than this come of one variable.
const MANY_BOUNDS: usize = 100;

/// A term for a variable, and the literals without it.
fn combine(linear: Vec<Linear>, var: &Term) -> Option<(Term, Vec<Linear>)> {
    let sort = var.sort().clone();
    let (mut lower, mut upper): (Vec<Side>, Vec<Side>) = (Vec::new(), Vec::new());
    let mut exact: Option<Polynomial> = None;
    let mut rest = Vec::new();
    for one in &linear {
        let factor = one.polynomial().factor(var);
        if factor.is_zero() {
            rest.push(one.clone());
            continue;
        }
        let Linear::Compare(relation, p, _) = one else {
            return None;
        };
        if sort == Sort::Int && !(&factor * &factor).is_one() {
            return None;
        }
        let at = p.without(var).scaled(&(-BigRational::one() / &factor));
        let strict = *relation == Relation::Positive;
        match relation {
            Relation::Zero => exact = exact.or(Some(at)),
            _ if factor > BigRational::zero() => lower.push((at, strict)),
            _ => upper.push((at, strict)),
        }
    }
    if let Some(exact) = exact {
        let replaced = linear.into_iter().map(|one| match one {
            Linear::Compare(relation, p, sort) => {
                Linear::Compare(relation, p.replaced(var, &exact), sort)
            }
            other => other,
        });
        return Some((exact.sum(&sort), replaced.collect()));
    }
    if lower.len() * upper.len() > MANY_BOUNDS {
        return None;
    }
    for (low, low_strict) in &lower {
        for (high, high_strict) in &upper {
            let mut difference = high.clone();
            difference.add(low, &-BigRational::one());
            let relation = match *low_strict || *high_strict {
                true => Relation::Positive,
                false => Relation::NotNegative,
            };
            rest.push(Linear::Compare(relation, difference, sort.clone()));
        }
    }
    let strict = |sides: &[Side]| sides.iter().any(|(_, strict)| *strict);
    let terms = |sides: &[Side]| -> Vec<Term> {
        let sides = sides.iter();
        sides.map(|(at, _)| at.sum(&sort)).collect()
    };
    let one = Polynomial::constant(BigRational::one()).sum(&sort);
    let greatest = extreme(&terms(&lower), false);
    let least = extreme(&terms(&upper), true);
    let term = match (greatest, least) {
        (Some(low), _) if !strict(&lower) => low,
        (_, Some(high)) if !strict(&upper) => high,
        (Some(low), Some(high)) => {
            let half = system::real(BigRational::new(BigInt::one(), BigInt::from(2)));
            system::mul(&half, &system::add([low, high]))
        }
        (Some(low), None) => system::add([low, one]),
        (None, Some(high)) => system::sub(&high, &one),
        (None, None) => return None,
    };
    Some((term, rest))
}

/// A bound, and whether it is strict.
type Side = (Polynomial, bool);

/// The least or the greatest of some terms.
fn extreme(terms: &[Term], least: bool) -> Option<Term> {
    let (first, others) = terms.split_first()?;
    Some(others.iter().fold(first.clone(), |best, term| {
        let better = match least {
            true => system::le(term, &best),
            false => system::le(&best, term),
        };
        system::ite(&better, term, &best)
    }))
}

/// A term for an integer, and what the literals say with it.
fn of_integer(linear: Vec<Linear>, var: &Term, values: &mut Values) -> Option<(Term, Vec<Linear>)> {
    let bounds = Bounds::of(linear, var);
    let period = bounds.multiples.iter();
    let period = period.fold(BigInt::one(), |all, (one, _)| all.lcm(one));
    let scale = BigRational::from_integer(bounds.scale.clone());
    let own = (number(values.scalar(var)?)? * scale).to_integer();
    let target = match &bounds.exact {
        Some(exact) => exact.clone(),
        None => {
            let below = nearest(&bounds.lower, values, false)?;
            let above = nearest(&bounds.upper, values, true)?;
            match (below, above) {
                (Some((value, lower)), _) => lower.plus((&own - value).mod_floor(&period)),
                (None, Some((value, upper))) => upper.plus(-(value - &own).mod_floor(&period)),
                (None, None) => Polynomial::constant(BigRational::from_integer(own)),
            }
        }
    };
    let sum = target.sum(&Sort::Int);
    let term = match bounds.scale.is_one() {
        true => sum,
        false => int_div(&sum, &integer(bounds.scale.clone())),
    };
    Some((term, bounds.replaced(&target, true)))
}

/// The bound next to the variable in the model, with its value.
fn nearest(
    bounds: &[Polynomial],
    values: &mut Values,
    least: bool,
) -> Option<Option<(BigInt, Polynomial)>> {
    let mut best: Option<(BigInt, Polynomial)> = None;
    for bound in bounds {
        let value = bound.value(values)?.to_integer();
        let better = |known: &BigInt| {
            if least {
                value < *known
            } else {
                value > *known
            }
        };
        if best.as_ref().is_none_or(|(known, _)| better(known)) {
            best = Some((value, bound.clone()));
        }
    }
    Some(best)
}

/// The same for a real.
fn of_real(linear: Vec<Linear>, var: &Term, values: &mut Values) -> Option<(Term, Vec<Linear>)> {
    let (mut lower, mut upper): (Vec<Edge>, Vec<Edge>) = (Vec::new(), Vec::new());
    let mut exact = None;
    for one in &linear {
        let factor = one.polynomial().factor(var);
        let Linear::Compare(relation, p, _) = one else {
            continue;
        };
        if factor.is_zero() {
            continue;
        }
        let at = p.without(var).scaled(&(-BigRational::one() / &factor));
        let edge = Edge {
            value: at.value(values)?,
            strict: *relation == Relation::Positive,
            at,
        };
        match relation {
            Relation::Zero => exact = exact.or(Some(edge.at)),
            _ if factor > BigRational::zero() => lower.push(edge),
            _ => upper.push(edge),
        }
    }
    let target = match exact {
        Some(exact) => exact,
        None => between(lower, upper, number(values.scalar(var)?)?),
    };
    let rest = linear.into_iter().map(|one| match one {
        Linear::Compare(relation, p, sort) => {
            Linear::Compare(relation, p.replaced(var, &target), sort)
        }
        other => other,
    });
    Some((target.sum(&Sort::Real), rest.collect()))
}

/// A bound of a real, with its value in the model.
struct Edge {
    at: Polynomial,
    value: BigRational,
    strict: bool,
}

/// On the greatest lower bound, on the least upper one, or strictly between them.
fn between(lower: Vec<Edge>, upper: Vec<Edge>, own: BigRational) -> Polynomial {
    let below = lower
        .into_iter()
        .max_by(|a, b| a.value.cmp(&b.value).then(a.strict.cmp(&b.strict)));
    let above = upper
        .into_iter()
        .min_by(|a, b| a.value.cmp(&b.value).then(b.strict.cmp(&a.strict)));
    match (below, above) {
        (Some(below), _) if !below.strict => below.at,
        (_, Some(above)) if !above.strict => above.at,
        (Some(below), Some(above)) => {
            let half = BigRational::new(BigInt::one(), BigInt::from(2));
            let mut middle = below.at.scaled(&half);
            middle.add(&above.at, &half);
            middle
        }
        (Some(below), None) => below.at.plus(1),
        (None, Some(above)) => above.at.plus(-1),
        (None, None) => Polynomial::constant(own),
    }
}

/// The right-hand sides of equations for variables that are parts of a conjunction, where
/// they do not mention the variables themselves.
pub fn definitions(formula: &Term, vars: &[Term]) -> HashMap<Term, Term> {
    let mut found: HashMap<Term, Term> = HashMap::new();
    let conjuncts = formula.conjuncts();
    loop {
        let before = found.len();
        for conjunct in &conjuncts {
            let Kind::Eq(a, b) = conjunct.kind() else {
                continue;
            };
            for (var, value) in [(a, b), (b, a)] {
                if !vars.contains(var) || found.contains_key(var) {
                    continue;
                }
                let value = substitute(value, &found);
                let open = value.vars();
                let is_open = |var: &Term| var.vars().iter().any(|id| open.contains(id));
                if !vars.iter().any(is_open) {
                    found.insert(var.clone(), value);
                }
            }
        }
        if found.len() == before {
            return found;
        }
    }
}
