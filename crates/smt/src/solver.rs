//! The solver trait.
//!
//! Assertions are terms of a system at a step: at step 3, a term is about the variables at step 3.
//! Callers must handle the answer "unknown".

use std::time::Duration;

use num_bigint::BigInt;
use num_rational::BigRational;
use system::{Sort, Term};

/// The answer to a query.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Answer {
    Sat,
    Unsat,
    /// Why, in the words of the solver.
    Unknown(String),
}

impl Answer {
    /// Did the query reach its limits, or was it interrupted?
    pub fn ran_out(&self) -> bool {
        let limited = |why: &str| why.contains("resource") || why == "canceled" || why == "timeout";
        matches!(self, Answer::Unknown(why) if limited(why))
    }
}

/// A fresh proposition, for assumptions and for assertions that can be
/// switched on and off.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Literal(pub(crate) u32);

/// The value of a term in a model.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Scalar {
    Bool(bool),
    Int(BigInt),
    Real(BigRational),
    /// Not negative.
    BitVec(BigInt),
    /// The first elements of an array.
    Array(Vec<Option<Scalar>>),
}

impl Scalar {
    /// The literal of a sort with this value; `None` for arrays.
    pub fn term(&self, sort: &Sort) -> Option<Term> {
        Some(match (self, sort) {
            (Scalar::Bool(value), _) => system::boolean(*value),
            (Scalar::Int(value), _) => system::integer(value.clone()),
            (Scalar::Real(value), _) => system::real(value.clone()),
            (Scalar::BitVec(value), Sort::BitVec(width)) => system::bitvec(*width, value),
            (Scalar::BitVec(_) | Scalar::Array(_), _) => return None,
        })
    }
}

/// Limits of one query; none by default.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Limits {
    /// As the job measures time.
    pub time: Option<Duration>,
    /// By the clock, as the user gave it; where a run is to be the same every time, in work.
    pub real: Option<Duration>,
    /// Z3's measure of work, the same on every machine.
    pub resources: Option<u32>,
}

/// What a solver is told: a timeout by the clock, and a limit of work.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct SolverLimits {
    pub time: Option<Duration>,
    pub resources: Option<u32>,
}

pub trait Solver {
    fn push(&mut self);
    fn pop(&mut self);

    fn assert(&mut self, term: &Term, step: usize);

    /// The state variable has, one step later, the value of the term.
    fn assert_next(&mut self, state: &Term, next: &Term, step: usize);

    /// Some of the terms differ between two steps.
    fn assert_different(&mut self, terms: &[Term], i: usize, j: usize);

    /// Had the state of step `i` met the inputs of step `j`, then either the
    /// condition would fail, or some state variable would get another value
    /// than it has at `j + 1`. The state variables come with their next values.
    fn assert_no_shortcut(&mut self, condition: &Term, states: &[(Term, Term)], i: usize, j: usize);

    fn literal(&mut self) -> Literal;

    /// The term holds if the literal does.
    fn assert_if(&mut self, guard: Literal, term: &Term, step: usize);

    /// The literal will not be assumed again: what it switches on is off for
    /// good.
    fn retire(&mut self, literal: Literal);

    /// Is there a model where all the literals hold?
    fn check(&mut self, assumptions: &[Literal]) -> Answer;

    /// As [`check`](Solver::check); the model makes as many of the soft
    /// literals true as there can be, by weight.
    fn check_soft(&mut self, assumptions: &[Literal], soft: &[(Literal, u32)]) -> Answer;

    /// Which of the assumptions of the last check, answered with "unsat",
    /// contradict the assertions.
    fn core(&mut self) -> Vec<Literal>;

    /// The value in the model of the last check, answered with "sat"; `None`
    /// if the solver has no exact one.
    fn value(&mut self, term: &Term, step: usize) -> Option<Scalar>;

    /// The value of a Boolean term, likewise.
    fn holds(&mut self, term: &Term, step: usize) -> Option<bool> {
        match self.value(term, step)? {
            Scalar::Bool(value) => Some(value),
            _ => None,
        }
    }

    /// The same where the state is that of one step, and the inputs are those
    /// of another.
    fn value_between(&mut self, term: &Term, state: usize, inputs: usize) -> Option<Scalar>;

    fn limit(&mut self, limits: Limits);
}
