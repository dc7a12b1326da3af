//! One run of a given length.

use std::sync::Arc;
use std::time::Duration;

use proof::{Cone, Unrolling};
use smt::{Answer, Solver, SolverContext};
use system::{PropertyId, System};

use crate::blackboard::{Observation, Run};
use crate::bmc::{concerns, decisive};

/// What became of the search for a run.
#[derive(Clone, Debug)]
pub enum RunSearchOutcome {
    Found(Run),
    /// There is none.
    None,
    /// The solver gave up.
    Unknown,
}

/// Looks for a run whose step `last` decides a property: it violates an
/// invariant, or satisfies what is to be reached, in the time set for it.
pub fn find_run(
    context: &SolverContext,
    system: &Arc<System>,
    observed: &[Observation],
    property: PropertyId,
    last: usize,
    time: Option<Duration>,
) -> RunSearchOutcome {
    if !concerns(system, property, last) {
        return RunSearchOutcome::None;
    }
    let goal = decisive(system, property);
    let mut unrolling = Unrolling::new(context, system, Cone::of(system, [goal.clone()]), true);
    unrolling.limit_time(time);
    while unrolling.last() < last {
        unrolling.extend();
    }
    unrolling.solver.assert(&goal, last);
    match unrolling.solver.check(&[]) {
        Answer::Unsat => RunSearchOutcome::None,
        Answer::Sat if unrolling.solver.holds(&goal, last) == Some(true) => {
            RunSearchOutcome::Found(Run::observed(&mut unrolling.solver, observed, last))
        }
        _ => RunSearchOutcome::Unknown,
    }
}
