//! Checks evidence in a fresh solver before anyone believes it.

use std::sync::Arc;

use smt::{Answer, Solver};
use system::{System, Term, not};

use crate::compress::{self, Compression};
use crate::unroll::{Cone, Unrolling};

/// Is the invariant k-inductive, along paths without shortcuts?
pub(crate) fn inductive(
    system: &Arc<System>,
    invariant: &Term,
    k: usize,
    compression: Compression,
    stop: &dyn Fn() -> bool,
) -> bool {
    base(system, invariant, k, stop) && step(system, invariant, k, compression, stop)
}

/// No run has more steps than these; the term says which part of the system
/// matters.
pub(crate) fn no_run(
    system: &Arc<System>,
    term: &Term,
    steps: usize,
    stop: &dyn Fn() -> bool,
) -> bool {
    let cone = Cone::of(system, [term.clone()]);
    let mut unrolling = Unrolling::new(system, cone, true);
    for _ in 0..steps {
        unrolling.extend();
    }
    !stop() && unrolling.solver.check(&[]) == Answer::Unsat
}

/// The term holds at none of the steps.
pub(crate) fn never_within(
    system: &Arc<System>,
    term: &Term,
    steps: std::ops::Range<usize>,
    stop: &dyn Fn() -> bool,
) -> bool {
    let mut unrolling = Unrolling::new(system, Cone::of(system, [term.clone()]), true);
    for step in 0..steps.end {
        if step > 0 {
            unrolling.extend();
        }
        if steps.contains(&step) {
            let literal = unrolling.solver.literal();
            unrolling.solver.assert_if(literal, term, step);
            if stop() || unrolling.solver.check(&[literal]) != Answer::Unsat {
                return false;
            }
        }
    }
    true
}

/// The first k steps satisfy the invariant.
fn base(system: &Arc<System>, invariant: &Term, k: usize, stop: &dyn Fn() -> bool) -> bool {
    let cone = Cone::of(system, [invariant.clone()]);
    let mut unrolling = Unrolling::new(system, cone, true);
    let fails = not(invariant);
    for step in 0..k {
        if step > 0 {
            unrolling.extend();
        }
        let literal = unrolling.solver.literal();
        unrolling.solver.assert_if(literal, &fails, step);
        if stop() || unrolling.solver.check(&[literal]) != Answer::Unsat {
            return false;
        }
        unrolling.solver.assert(invariant, step);
    }
    true
}

/// After k steps with the invariant comes another.
fn step(
    system: &Arc<System>,
    invariant: &Term,
    k: usize,
    compression: Compression,
    stop: &dyn Fn() -> bool,
) -> bool {
    let cone = Cone::of(system, [invariant.clone()]);
    let mut unrolling = Unrolling::new(system, cone, false);
    for step in 0..k {
        unrolling.solver.assert(invariant, step);
        unrolling.extend();
    }
    compress::exclude_all(compression, &mut unrolling, k);
    // With an assumption, so that Z3 works as it did when the proof was found: its
    // strategies for single queries can take much longer.
    let literal = unrolling.solver.literal();
    unrolling.solver.assert_if(literal, &not(invariant), k);
    !stop() && unrolling.solver.check(&[literal]) == Answer::Unsat
}
