//! Path compression: which paths k-induction need not look at.
//!
//! With it k-induction proves more, and is complete for finite systems (Sheeran, Singh and
//! Stålmarck, *Checking Safety Properties Using Induction and a SAT-Solver*, FMCAD 2000, section
//! 4; the other two conditions are Kind 2's `--ind_compress_same_pred` and `_same_succ`).
//!
//! A shortest run to a violation has no shortcuts. So its last k + 1 steps, at
//! which k-induction looks, have none either, and paths with a shortcut may be
//! left out. What is a shortcut must be one in the system as it is: its
//! constraints relate inputs and state, so that a state can only meet the inputs
//! of another step if the constraints hold for the two together. With i < j:
//!
//! - **equal**: the states at i and j are equal, before the last step. Going on
//!   from i as the path goes on from j is shorter.
//! - **same predecessors**: the same, the last step included. Inputs are free at
//!   each step and the next state is a function of state and inputs, so states
//!   that can follow on the same steps are equal states. If the last state was
//!   there before, its violation could have come then.
//! - **same successors**: the state at i, given the inputs at j, satisfies the
//!   constraints and leads where j leads. Going there from i directly is shorter.
//!
//! Nothing is excluded before a model shows it; [`exclude_all`] is for checking a
//! proof again.

use smt::{Scalar, Solver};
use system::{Term, and};

use crate::unroll::Unrolling;

/// The strategies in use.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Compression {
    pub equal: bool,
    pub same_predecessors: bool,
    pub same_successors: bool,
}

impl Compression {
    pub const NONE: Compression = Compression {
        equal: false,
        same_predecessors: false,
        same_successors: false,
    };

    /// Paths without repeated states.
    pub const EQUAL: Compression = Compression {
        equal: true,
        ..Compression::NONE
    };

    /// The pairs of steps up to `last` whose states must differ.
    fn distinct_pairs(self, last: usize) -> impl Iterator<Item = (usize, usize)> {
        let end = match (self.same_predecessors, self.equal) {
            (true, _) => last + 1,
            (false, true) => last,
            (false, false) => 0,
        };
        pairs(end)
    }

    /// The pairs of steps before `last` without a shortcut behind the second.
    fn shortcut_pairs(self, last: usize) -> impl Iterator<Item = (usize, usize)> {
        pairs(if self.same_successors { last } else { 0 })
    }
}

/// All `i < j < end`.
fn pairs(end: usize) -> impl Iterator<Item = (usize, usize)> {
    (0..end).flat_map(move |j| (0..j).map(move |i| (i, j)))
}

/// Excludes the shortcuts that the model shows; `false` if there are none.
pub fn exclude_shown(compression: Compression, unrolling: &mut Unrolling, last: usize) -> bool {
    if compression == Compression::NONE {
        return false;
    }
    let states: Vec<Vec<Option<Scalar>>> = (0..=last)
        .map(|step| unrolling.state_values(step))
        .collect();
    let known = |step: usize| states[step].iter().all(Option::is_some);
    let repeated: Vec<(usize, usize)> = compression
        .distinct_pairs(last)
        .filter(|(i, j)| known(*i) && states[*i] == states[*j])
        .collect();
    let shortcuts: Vec<(usize, usize)> = compression
        .shortcut_pairs(last)
        .filter(|(i, j)| known(j + 1) && leads_to(unrolling, (*i, *j), &states[j + 1]))
        .collect();
    for (i, j) in &repeated {
        unrolling.assert_distinct(*i, *j);
    }
    for (i, j) in &shortcuts {
        assert_no_shortcut(unrolling, *i, *j);
    }
    !repeated.is_empty() || !shortcuts.is_empty()
}

/// Excludes all shortcuts on a path.
pub fn exclude_all(compression: Compression, unrolling: &mut Unrolling, last: usize) {
    for (i, j) in compression.distinct_pairs(last) {
        unrolling.assert_distinct(i, j);
    }
    for (i, j) in compression.shortcut_pairs(last) {
        assert_no_shortcut(unrolling, i, j);
    }
}

/// Does the state at i, with the inputs at j, lead to these values?
fn leads_to(unrolling: &mut Unrolling, (i, j): (usize, usize), to: &[Option<Scalar>]) -> bool {
    let allowed = allowed(unrolling);
    if unrolling.solver.value_between(&allowed, i, j) != Some(Scalar::Bool(true)) {
        return false;
    }
    let next: Vec<Term> = nexts(unrolling).into_iter().map(|(_, next)| next).collect();
    let mut values = next.iter().zip(to);
    values.all(|(next, to)| unrolling.solver.value_between(next, i, j) == *to)
}

fn assert_no_shortcut(unrolling: &mut Unrolling, i: usize, j: usize) {
    let (allowed, nexts) = (allowed(unrolling), nexts(unrolling));
    unrolling.solver.assert_no_shortcut(&allowed, &nexts, i, j);
}

/// The constraints, as one.
fn allowed(unrolling: &Unrolling) -> Term {
    and(unrolling.cone.constraints.iter().cloned())
}

fn nexts(unrolling: &Unrolling) -> Vec<(Term, Term)> {
    let states = unrolling.cone.states.iter();
    states
        .map(|(_, term, next)| (term.clone(), next.clone()))
        .collect()
}
