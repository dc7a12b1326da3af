//! Do the runs of a system go on?
//!
//! Assertions, assumptions and the contracts of nodes without a body may contradict
//! each other, at once or after some steps. All runs end then, and whatever is proved
//! is vacuous from there on. Bounded model checking notices this when it comes so far;
//! an engine that proves a property before does not. So this question is asked of
//! the whole system, apart from all properties: is there a run of 1, 2, 4, 8, … steps?
//!
//! A run that comes back to one of its states can go on for ever, and the search ends.
//! So it does when it has done a fixed amount of the solver's work: what is left open
//! is not told. A dead end that was found is checked by a fresh solver.

use std::collections::HashSet;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use proof::{Cone, Unrolling, certify};
use smt::{Answer, Scalar, Solver, SolverContext};
use system::{ElementKind, System, boolean};

use crate::workers::{self, Reuse};

/// The longest runs that are looked for.
const MAX_STEPS: usize = 1024;

/// The runs of a large system are shorter: so many state variables and constraints at all steps.
const MAX_VALUES: usize = 20_000;

/// The solver's work for the search.
const WORK: u64 = 40_000;

/// The same, once it is known that all runs end: when exactly?
const WORK_AT_THE_END: u64 = 20_000_000;

/// The time of the search: some queries take long and count for little.
const TIME: Duration = Duration::from_secs(2);

/// So many values are read off a model to see whether a run comes back to a state.
const VALUES: usize = 4_000;

/// The first step that no run of a system reaches, if the search comes so far in time.
pub fn dead_end(system: &Arc<System>, repeatable: bool, time: Duration) -> Option<usize> {
    if !may_end(system) || time.is_zero() {
        return None;
    }
    let reuse = match repeatable {
        true => Reuse::Never,
        false => Reuse::Any,
    };
    let found = Arc::new(Mutex::new(None));
    let (system, told) = (system.clone(), found.clone());
    let search = move || {
        let found = search(&system, time.min(TIME));
        *told.lock().unwrap_or_else(|e| e.into_inner()) = found;
    };
    workers::run(reuse, search).ok()?.join();
    *found.lock().unwrap_or_else(|e| e.into_inner())
}

/// Is there anything in the system that could end its runs?
fn may_end(system: &System) -> bool {
    let restricts = |kind: ElementKind| {
        matches!(
            kind,
            ElementKind::Assumption
                | ElementKind::Guarantee
                | ElementKind::Require
                | ElementKind::Ensure
                | ElementKind::Assertion
        )
    };
    let mut elements = system.constraints.iter().filter_map(|c| c.element);
    elements.any(|id| restricts(system.element(id).kind))
}

fn search(system: &Arc<System>, time: Duration) -> Option<usize> {
    let context = &SolverContext::default();
    context.refuel(Some(WORK), Some(time));
    let bracket = bracket(context, system);
    context.refuel(Some(WORK_AT_THE_END), Some(time));
    bracket.and_then(|(reached, end)| first_between(context, system, reached, end))
}

/// A number of steps that some run has, and a larger one that none has.
fn bracket(context: &SolverContext, system: &Arc<System>) -> Option<(usize, usize)> {
    let mut unrolling = Unrolling::new(context, system, Cone::of(system, []), true);
    let size = unrolling.cone.states.len() + unrolling.cone.constraints.len();
    let longest = (MAX_VALUES / size.max(1)).min(MAX_STEPS);
    let mut reached = 0;
    loop {
        let steps = unrolling.last() + 1;
        match unrolling.solver.check(&[]) {
            Answer::Unsat => return Some((reached, steps)),
            Answer::Sat if steps < longest && !comes_back(&mut unrolling) => reached = steps,
            _ => return None,
        }
        for _ in 0..steps {
            unrolling.extend();
        }
    }
}

/// Does the run of the model have the same state twice?
fn comes_back(unrolling: &mut Unrolling) -> bool {
    let (states, steps) = (unrolling.cone.states.len(), unrolling.last() + 1);
    if states == 0 || states * steps > VALUES {
        return states == 0;
    }
    let mut seen: HashSet<Vec<String>> = HashSet::new();
    (0..steps).any(|step| match known(unrolling.state_values(step)) {
        Some(state) => !seen.insert(state),
        None => false,
    })
}

/// The values, written down, if all are known and can be compared.
fn known(values: Vec<Option<Scalar>>) -> Option<Vec<String>> {
    let written = values.into_iter().map(|value| match value? {
        Scalar::Array(_) => None,
        value => Some(format!("{value:?}")),
    });
    written.collect()
}

/// The first step that no run reaches, by halving: there are runs of `reached` steps, and
/// none of `end`.
fn first_between(
    context: &SolverContext,
    system: &Arc<System>,
    mut reached: usize,
    mut end: usize,
) -> Option<usize> {
    let never = || false;
    let everything = boolean(true);
    let ends_before =
        |steps: usize| certify::no_run(context, system, &everything, steps - 1, &never);
    if !ends_before(end) {
        return None;
    }
    while end - reached > 1 {
        let middle = reached + (end - reached) / 2;
        match ends_before(middle) {
            true => end = middle,
            false => reached = middle,
        }
    }
    Some(end - 1)
}
