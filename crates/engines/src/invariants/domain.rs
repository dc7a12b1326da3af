//! What a family of templates knows of the states seen so far.
//!
//! A domain keeps the strongest instances of its templates that hold on all of
//! them: adding a state weakens it, to the next weaker instances. That makes
//! the lock-step of base and step a fixpoint over one operation.

use smt::Scalar;
use system::{Term, eq, or};

use super::eval::{Values, is_true};

pub(crate) trait Domain {
    /// Weakens the domain to hold on the state, too.
    fn observe(&mut self, values: &Values);

    /// The strongest relations that hold on all states, without what follows
    /// from others in an obvious way.
    fn candidates(&self) -> Vec<Term>;

    /// Cheap states are over; those to come are answers of a solver.
    fn settle(&mut self) {}

    /// The states to come may be unreachable.
    fn freeze(&mut self) {}

    fn boxed(&self) -> Box<dyn Domain>;
}

impl Clone for Box<dyn Domain> {
    fn clone(&self) -> Box<dyn Domain> {
        self.boxed()
    }
}

/// Terms that hold or do not.
#[derive(Clone)]
pub(crate) struct Facts(pub Vec<(Term, usize)>);

impl Domain for Facts {
    fn observe(&mut self, values: &Values) {
        self.0.retain(|(_, position)| is_true(&values[*position]));
    }

    fn candidates(&self) -> Vec<Term> {
        self.0.iter().map(|(term, _)| term.clone()).collect()
    }

    fn boxed(&self) -> Box<dyn Domain> {
        Box::new(self.clone())
    }
}

/// More values than this are no enumeration.
const MAX_VALUES: usize = 6;

/// The few values of a variable, as of one that tells a mode.
#[derive(Clone)]
pub(crate) struct Enumeration {
    term: Term,
    position: usize,
    /// `None` if there are too many.
    values: Option<Vec<Scalar>>,
}

impl Enumeration {
    pub fn new(term: Term, position: usize) -> Enumeration {
        Enumeration {
            term,
            position,
            values: Some(Vec::new()),
        }
    }
}

/// Are these whole numbers in a row? Then they are better told by bounds.
fn is_interval(values: &[Scalar]) -> bool {
    let whole: Option<Vec<_>> = values
        .iter()
        .map(|value| match value {
            Scalar::Int(value) | Scalar::BitVec(value) => Some(value),
            _ => None,
        })
        .collect();
    let Some(whole) = whole else { return false };
    match (whole.iter().min(), whole.iter().max()) {
        (Some(low), Some(high)) => **high == *low + (whole.len() - 1),
        _ => true,
    }
}

impl Domain for Enumeration {
    fn observe(&mut self, values: &Values) {
        let Some(known) = &mut self.values else {
            return;
        };
        match &values[self.position] {
            Some(value) if known.contains(value) => {}
            Some(value) if known.len() < MAX_VALUES => known.push(value.clone()),
            _ => self.values = None,
        }
    }

    fn candidates(&self) -> Vec<Term> {
        match &self.values {
            Some(values) if values.len() > 1 && !is_interval(values) => {
                let sort = self.term.sort();
                let literals = values.iter().filter_map(|value| value.term(sort));
                vec![or(literals.map(|literal| eq(&self.term, &literal)))]
            }
            _ => Vec::new(),
        }
    }

    fn boxed(&self) -> Box<dyn Domain> {
        Box::new(self.clone())
    }
}
