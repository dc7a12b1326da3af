//! Checks evidence in a fresh solver before anyone believes it.

use std::sync::Arc;

use smt::{Answer, Solver};
use system::{System, Term, not};

use crate::proof::conjuncts;
use crate::unroll::{Cone, Unrolling};

/// Is the invariant k-inductive? With `simple`, along paths without repeated
/// states.
pub(crate) fn inductive(
    system: &Arc<System>,
    invariant: &Term,
    k: usize,
    simple: bool,
    stop: &dyn Fn() -> bool,
) -> bool {
    base(system, invariant, k, stop) && step(system, invariant, k, simple, stop)
}

/// The first k steps satisfy the invariant.
fn base(system: &Arc<System>, invariant: &Term, k: usize, stop: &dyn Fn() -> bool) -> bool {
    let cone = Cone::of(system, [invariant.clone()]);
    let mut unrolling = Unrolling::new(system, cone, true);
    for step in 0..k {
        if step > 0 {
            unrolling.extend();
        }
        if !holds(&mut unrolling, invariant, step, stop) {
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
    simple: bool,
    stop: &dyn Fn() -> bool,
) -> bool {
    let cone = Cone::of(system, [invariant.clone()]);
    let mut unrolling = Unrolling::new(system, cone, false);
    for step in 0..k {
        unrolling.solver.assert(invariant, step);
        unrolling.extend();
    }
    if simple {
        for i in 0..k {
            for j in i + 1..k {
                unrolling.assert_distinct(i, j);
            }
        }
    }
    holds(&mut unrolling, invariant, k, stop)
}

/// Does each conjunct of the invariant follow at a step? One at a time, and
/// under an assumption: the solver is far quicker so than with all at once.
fn holds(
    unrolling: &mut Unrolling,
    invariant: &Term,
    step: usize,
    stop: &dyn Fn() -> bool,
) -> bool {
    conjuncts(invariant).iter().all(|part| {
        let fails = unrolling.solver.literal();
        unrolling.solver.assert_if(fails, &not(part), step);
        !stop() && unrolling.solver.check(&[fails]) == Answer::Unsat
    })
}
