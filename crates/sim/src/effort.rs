//! What a step may cost.
//!
//! A few lines can ask for more than any machine can do: nested quantifiers,
//! arrays of arrays, calls that double with every level, numbers that are
//! squared again and again. Each step has a budget, and a run that needs more
//! ends with an error instead of taking the machine down.

use lang::{Value, ops};

use crate::error::SimError;

/// Expressions that are computed in one step.
const MAX_EVALS: usize = 1 << 22;

/// Elements of arrays that are made in one step.
const MAX_ELEMENTS: usize = 1 << 22;

/// Expressions that wait for each other's values, all on the stack.
const MAX_DEPTH: usize = 1 << 18;

/// More stack is taken in pieces of this size when less than the second is
/// left, which is enough for a walk over a type.
const STACK: usize = 256 << 20;
const STACK_LEFT: usize = 16 << 20;

/// Instances of nodes.
const MAX_INSTANCES: usize = 1 << 17;

/// What the present step has cost so far.
#[derive(Debug, Default)]
pub(crate) struct Effort {
    evals: usize,
    elements: usize,
    depth: usize,
}

impl Effort {
    /// An expression is about to be computed; [`Effort::leave`] says when it
    /// is done.
    pub fn enter(&mut self) -> Result<(), SimError> {
        self.spend(1)?;
        if self.depth >= MAX_DEPTH {
            return too_large("a chain of definitions");
        }
        self.depth += 1;
        Ok(())
    }

    pub fn leave(&mut self) {
        self.depth -= 1;
    }

    /// As much work as computing that many expressions.
    pub fn spend(&mut self, evals: usize) -> Result<(), SimError> {
        self.evals = self.evals.saturating_add(evals);
        match self.evals > MAX_EVALS {
            true => too_large("this step"),
            false => Ok(()),
        }
    }

    /// Two values are about to be computed with.
    pub fn operate(&mut self, a: &Value, b: &Value) -> Result<(), SimError> {
        match ops::cost(a) + ops::cost(b) {
            0 => Ok(()),
            cost => self.spend(cost as usize),
        }
    }

    /// An array is about to be made.
    pub fn allocate(&mut self, elements: usize) -> Result<(), SimError> {
        self.elements = self.elements.saturating_add(elements);
        match self.elements > MAX_ELEMENTS {
            true => too_large("the arrays of this step"),
            false => Ok(()),
        }
    }
}

/// Runs with enough stack: definitions are computed on demand, and may depend
/// on each other in long chains.
pub(crate) fn with_stack<T>(run: impl FnOnce() -> T) -> T {
    stacker::maybe_grow(STACK_LEFT, STACK, run)
}

/// One more instance beside those there are.
pub(crate) fn limit_instances(count: usize) -> Result<(), SimError> {
    match count >= MAX_INSTANCES {
        true => too_large("the tree of all calls"),
        false => Ok(()),
    }
}

/// The value, unless it is a number too large to be computed with.
pub(crate) fn limit_number(value: Value) -> Result<Value, SimError> {
    match ops::is_huge(&value) {
        true => too_large("a number"),
        false => Ok(value),
    }
}

fn too_large<T>(what: &str) -> Result<T, SimError> {
    Err(SimError::TooLarge {
        what: what.to_owned(),
    })
}
