//! Bounds of numbers, of their differences and of their sums.
//!
//! A measure is a numeric term: a variable, x - y, x + y. Its bounds are taken
//! from a list of thresholds, mined from the constants of the system, and from
//! the extremes that were seen, as long as these look like extremes. A bound
//! that is refuted moves to the next threshold, and one that is refuted often
//! farther; beyond the last there is none.

use num_rational::BigRational;
use smt::Scalar;
use system::{Sort, Term, eq};

use super::domain::Domain;
use super::eval::{Values, number, signed};
use super::terms::{Order, at_most, numeral};

/// An extreme that the solver refutes more often is no bound.
const MAX_MOVES: usize = 2;
/// Moves to the next threshold before they get larger.
const SMALL_MOVES: usize = 4;

#[derive(Clone)]
pub(crate) struct Measure {
    pub term: Term,
    pub position: usize,
    pub order: Order,
    /// In order, the smallest first.
    pub thresholds: std::rc::Rc<[BigRational]>,
    /// The measures that this one is the sum of, with their signs.
    pub parts: Vec<(usize, bool)>,
    pub low: End,
    pub high: End,
}

/// One end of what was seen.
#[derive(Clone, Default)]
pub(crate) struct End {
    seen: Option<BigRational>,
    moves: usize,
}

impl End {
    fn widen(&mut self, value: &BigRational, beyond: bool) {
        if self.seen.is_none() || beyond {
            self.seen = Some(value.clone());
            self.moves += 1;
        }
    }
}

impl End {
    /// How many thresholds are left out; nothing if what was seen is itself the
    /// bound. A solver may move a bound by one threshold at a time; after a few
    /// such moves they get larger.
    fn leap(&self) -> Option<usize> {
        let moves = self.moves.checked_sub(MAX_MOVES + 1)?;
        Some((1 << moves.saturating_sub(SMALL_MOVES).min(16)) - 1)
    }
}

impl Measure {
    pub fn new(
        term: Term,
        position: usize,
        order: Order,
        thresholds: std::rc::Rc<[BigRational]>,
        parts: Vec<(usize, bool)>,
    ) -> Measure {
        Measure {
            term,
            position,
            order,
            thresholds,
            parts,
            low: End::default(),
            high: End::default(),
        }
    }

    fn value(&self, values: &Values) -> Option<BigRational> {
        let value = values[self.position].as_ref()?;
        match (self.order, value, self.term.sort()) {
            (Order::Signed, Scalar::BitVec(bits), Sort::BitVec(width)) => {
                Some(BigRational::from_integer(signed(bits, *width)))
            }
            _ => number(value),
        }
    }

    fn upper(&self) -> Option<BigRational> {
        let seen = self.high.seen.as_ref()?;
        match self.high.leap() {
            None => Some(seen.clone()),
            Some(leap) => self
                .thresholds
                .iter()
                .filter(|t| *t >= seen)
                .nth(leap)
                .cloned(),
        }
    }

    fn lower(&self) -> Option<BigRational> {
        let seen = self.low.seen.as_ref()?;
        let thresholds = self.thresholds.iter().rev();
        match self.low.leap() {
            None => Some(seen.clone()),
            Some(leap) => thresholds.filter(|t| *t <= seen).nth(leap).cloned(),
        }
    }
}

#[derive(Clone)]
pub(crate) struct Bounds {
    pub measures: Vec<Measure>,
    /// Only measures with one value are told.
    pub equalities_only: bool,
}

impl Bounds {
    /// The bound that those of the parts imply.
    fn implied(&self, measure: &Measure, upper: bool) -> Option<BigRational> {
        let mut sum = BigRational::from_integer(0.into());
        for (at, positive) in &measure.parts {
            let part = &self.measures[*at];
            match *positive == upper {
                true => sum += part.upper().map(|v| if *positive { v } else { -v })?,
                false => sum += part.lower().map(|v| if *positive { v } else { -v })?,
            }
        }
        (!measure.parts.is_empty()).then_some(sum)
    }
}

impl Domain for Bounds {
    fn observe(&mut self, values: &Values) {
        for measure in &mut self.measures {
            let Some(value) = measure.value(values) else {
                continue;
            };
            let above = measure.high.seen.as_ref().is_some_and(|seen| value > *seen);
            let below = measure.low.seen.as_ref().is_some_and(|seen| value < *seen);
            measure.high.widen(&value, above);
            measure.low.widen(&value, below);
        }
    }

    fn candidates(&self) -> Vec<Term> {
        let mut found = Vec::new();
        for measure in &self.measures {
            let (term, sort) = (&measure.term, measure.term.sort());
            let (lower, upper) = (measure.lower(), measure.upper());
            if let (Some(low), Some(high)) = (&lower, &upper)
                && low == high
            {
                found.push(eq(term, &numeral(low, sort)));
                continue;
            }
            if self.equalities_only {
                continue;
            }
            if let Some(high) = upper
                && self.implied(measure, true).is_none_or(|bound| high < bound)
            {
                found.push(at_most(measure.order, term, &numeral(&high, sort)));
            }
            if let Some(low) = lower
                && self.implied(measure, false).is_none_or(|bound| low > bound)
            {
                found.push(at_most(measure.order, &numeral(&low, sort), term));
            }
        }
        found
    }

    fn settle(&mut self) {
        for measure in &mut self.measures {
            measure.low.moves = 0;
            measure.high.moves = 0;
        }
    }

    /// An extreme among unreachable states says nothing.
    fn freeze(&mut self) {
        for measure in &mut self.measures {
            measure.low.moves = measure.low.moves.max(MAX_MOVES);
            measure.high.moves = measure.high.moves.max(MAX_MOVES);
        }
    }

    fn boxed(&self) -> Box<dyn Domain> {
        Box::new(self.clone())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use system::{Var, integer, le, var};

    fn observe(bounds: &mut Bounds, value: i64) {
        bounds.observe(&vec![Some(Scalar::Int(value.into()))]);
    }

    #[test]
    fn bounds_move_to_thresholds() {
        let x = var(Var(0), Sort::Int);
        let thresholds = [0i64, 10].map(|t| BigRational::from_integer(t.into()));
        let measure = Measure::new(x.clone(), 0, Order::Arithmetic, thresholds.into(), vec![]);
        let mut bounds = Bounds {
            measures: vec![measure],
            equalities_only: false,
        };
        assert_eq!(bounds.candidates(), []);
        observe(&mut bounds, 1);
        assert_eq!(bounds.candidates(), [eq(&x, &integer(1))]);
        observe(&mut bounds, 3);
        bounds.settle();
        let at_least = |low: i64| le(&integer(low), &x);
        assert_eq!(bounds.candidates(), [le(&x, &integer(3)), at_least(1)]);
        for value in 4..8 {
            observe(&mut bounds, value);
        }
        assert_eq!(bounds.candidates(), [le(&x, &integer(10)), at_least(1)]);
        observe(&mut bounds, 11);
        assert_eq!(bounds.candidates(), [at_least(1)]);
    }

    #[test]
    fn bounds_that_move_often_leap() {
        let x = var(Var(0), Sort::Int);
        let thresholds: Vec<BigRational> = (0..100)
            .map(|t: i64| BigRational::from_integer(t.into()))
            .collect();
        let measure = Measure::new(x.clone(), 0, Order::Arithmetic, thresholds.into(), vec![]);
        let mut bounds = Bounds {
            measures: vec![measure],
            equalities_only: false,
        };
        observe(&mut bounds, 0);
        bounds.settle();
        bounds.freeze();
        let mut moves = 0;
        while let Some(bound) = bounds.measures[0].upper() {
            // Just above the bound, as a solver likes to answer.
            let above = bound.to_integer() + 1;
            bounds.observe(&vec![Some(Scalar::Int(above))]);
            moves += 1;
        }
        assert!(moves < 15, "{moves}");
    }

    #[test]
    fn what_the_parts_imply_is_not_told() {
        let (x, y) = (var(Var(0), Sort::Int), var(Var(1), Sort::Int));
        let sum = system::add([x.clone(), y.clone()]);
        let measure = |term: &Term, at, parts| {
            Measure::new(term.clone(), at, Order::Arithmetic, [].into(), parts)
        };
        let mut bounds = Bounds {
            measures: vec![
                measure(&x, 0, vec![]),
                measure(&y, 1, vec![]),
                measure(&sum, 2, vec![(0, true), (1, true)]),
            ],
            equalities_only: false,
        };
        for (a, b) in [(0, 0), (0, 1), (1, 0)] {
            let values = [a, b, a + b].map(|v: i64| Some(Scalar::Int(v.into())));
            bounds.observe(&values.to_vec());
        }
        bounds.settle();
        let found = bounds.candidates();
        assert!(found.contains(&le(&sum, &integer(1))), "{found:?}");
        assert!(!found.contains(&le(&integer(0), &sum)), "{found:?}");
    }
}
