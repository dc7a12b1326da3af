//! Runs whose inputs change as seldom as possible.
//!
//! A solver sets inputs as it likes, where they do not matter differently at every
//! step. Of all runs of the same length that decide the property, one with the fewest
//! changes of inputs is found by Max-SMT: each input remembers its value of the step
//! before, and that the two are equal is a soft constraint.

use std::collections::HashSet;
use std::sync::Arc;
use std::time::Duration;

use proof::{Cone, Unrolling};
use smt::{Answer, Literal, Solver, SolverContext};
use system::{PropertyId, Role, Sort, StateVar, System, Term, Var, eq};

use crate::blackboard::{Observation, Run};
use crate::bmc::decisive;

/// A run as long as this one in which the inputs change less often; nothing if there is
/// none, or it is not found in time.
pub fn smoothed(
    context: &SolverContext,
    system: &Arc<System>,
    observed: &[Observation],
    property: PropertyId,
    run: &Run,
    inputs: &[Term],
    time: Duration,
) -> Option<Run> {
    let last = run.steps.len().checked_sub(1)?;
    if time.is_zero() {
        return None;
    }
    let goal = decisive(system, property);
    let inputs = relevant(system, &goal, inputs);
    let (remembering, steady) = remembering(system, &inputs);
    let roots = steady.iter().cloned().chain([goal.clone()]);
    let cone = Cone::of(&remembering, roots);
    let mut unrolling = Unrolling::new(context, &remembering, cone, true);
    unrolling.limit_time(Some(time));
    let mut soft: Vec<(Literal, u32)> = Vec::new();
    while unrolling.last() < last {
        unrolling.extend();
        for same in &steady {
            let literal = unrolling.solver.literal();
            unrolling.solver.assert_if(literal, same, unrolling.last());
            soft.push((literal, 1));
        }
    }
    unrolling.solver.assert(&goal, last);
    if unrolling.solver.check_soft(&[], &soft) != Answer::Sat
        || unrolling.solver.holds(&goal, last) != Some(true)
    {
        return None;
    }
    let smooth = Run::observed(&mut unrolling.solver, observed, last);
    let fewer = changes(observed, &smooth, &inputs) < changes(observed, run, &inputs);
    fewer.then_some(smooth)
}

/// How often inputs change along a run.
pub fn changes(observed: &[Observation], run: &Run, inputs: &[Term]) -> usize {
    let mut count = 0;
    for (at, observation) in observed.iter().enumerate() {
        if inputs.contains(&observation.term) {
            let steps = run.steps.windows(2);
            count += steps.filter(|pair| pair[0][at] != pair[1][at]).count();
        }
    }
    count
}

/// Those of the inputs that the goal or a constraint depends on.
fn relevant(system: &System, goal: &Term, inputs: &[Term]) -> Vec<Term> {
    let cone = Cone::of(system, [goal.clone()]);
    let next = cone.states.iter().map(|(_, _, next)| next);
    let terms = cone.roots.iter().chain(&cone.constraints).chain(next);
    let reached: HashSet<Var> = terms.flat_map(Term::vars).collect();
    let matters = |input: &&Term| input.vars().iter().any(|var| reached.contains(var));
    let scalar = |input: &&Term| !matches!(input.sort(), Sort::Array(_));
    inputs
        .iter()
        .filter(matters)
        .filter(scalar)
        .cloned()
        .collect()
}

/// The system with a memory for each of the inputs, and that each is as it was.
fn remembering(system: &Arc<System>, inputs: &[Term]) -> (Arc<System>, Vec<Term>) {
    let mut remembering = System::clone(system);
    let mut steady = Vec::new();
    for input in inputs {
        let memory = Var(remembering.vars.len() as u32);
        let mut declared = StateVar::new("before", input.sort().clone(), Role::State);
        declared.next = Some(input.clone());
        remembering.vars.push(declared);
        steady.push(eq(input, &system::var(memory, input.sort().clone())));
    }
    (Arc::new(remembering), steady)
}

#[cfg(test)]
mod tests {
    use super::*;
    use smt::Scalar;
    use system::{Property, add, integer, ite, le, lt};

    /// Counts while `up`, of which there is another that nobody reads.
    fn counter() -> System {
        let mut count = StateVar::new("count", Sort::Int, Role::State);
        let (n, up) = (
            system::var(Var(0), Sort::Int),
            system::var(Var(1), Sort::Bool),
        );
        count.init = Some(integer(0));
        count.next = Some(ite(&up, &add([n.clone(), integer(1)]), &n));
        System {
            vars: vec![
                count,
                StateVar::new("up", Sort::Bool, Role::Input),
                StateVar::new("other", Sort::Bool, Role::Input),
            ],
            properties: vec![Property::invariant(
                "small",
                system::and([le(&integer(0), &n), lt(&n, &integer(3))]),
            )],
            ..System::default()
        }
    }

    #[test]
    fn inputs_change_no_more_than_they_must() {
        let system = Arc::new(counter());
        let inputs = [1, 2].map(|at| system::var(Var(at), Sort::Bool));
        let observed = inputs.clone().map(|term| Observation {
            term,
            sizes: Vec::new(),
        });
        let steps = [true, false, true, false, true, false].map(|up| {
            let value = Some(Scalar::Bool(up));
            vec![value.clone(), value]
        });
        let run = Run {
            steps: steps.to_vec(),
            case: None,
        };
        let time = Duration::from_secs(60);
        let context = SolverContext::default();
        let smooth = smoothed(
            &context,
            &system,
            &observed,
            PropertyId(0),
            &run,
            &inputs,
            time,
        );
        let smooth = smooth.expect("there is a smoother run");
        assert_eq!(smooth.steps.len(), 6);
        // Three ups, all before the last step, and nothing else: one change at most,
        // or none with five ups.
        assert_eq!(changes(&observed, &smooth, &inputs), 0);
        let again = smoothed(
            &context,
            &system,
            &observed,
            PropertyId(0),
            &smooth,
            &inputs,
            time,
        );
        assert!(again.is_none(), "nothing is smoother than that");
    }
}
