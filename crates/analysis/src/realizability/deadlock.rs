//! A play that ends where no output is good, as a trace of the program.

use engines::{Observation, Run};
use lang::{NodeId, Program};
use lower::{Check, Origin};
use sim::Trace;
use smt::{Scalar, SolverContext};

use super::check::Unrealizable;
use super::{Clause, Rules};
use crate::replay::{self, Claim, Mismatch};
use crate::run_values;

/// A run that keeps the contract but for its last step, for whose inputs there are no good
/// outputs.
pub struct Deadlock {
    pub trace: Trace,
    /// The clauses that no outputs keep at the last step; without any one of them there are
    /// some.
    pub conflict: Vec<Clause>,
    /// Whatever the outputs are, there are no good ones after at most so many steps.
    pub at_most: usize,
    /// What the interpreter could not check.
    pub gaps: Vec<String>,
}

/// Why there is no such run.
pub enum NoDeadlock {
    Unable(String),
    /// The two semantics disagree, or the solver's answers do: a bug.
    InternalError(String),
}

/// Plays a lost game: the inputs win whatever the outputs are, and the outputs hold out as long
/// as they can.
pub fn deadlock(
    context: &SolverContext,
    program: &Program,
    top: NodeId,
    rules: &Rules,
    lost: &Unrealizable,
) -> Result<Deadlock, NoDeadlock> {
    let observed = run_values::observed(&rules.lowered).observed;
    let soft: Vec<bool> = rules.clauses.iter().map(|c| *c != Clause::Range).collect();
    let mut steps: Vec<Vec<Option<Scalar>>> = Vec::new();
    let inputs = &lost.game.arena.inputs;
    let (arena, refutation) = (&rules.arena, &lost.refutation);
    let played = game::play(context, arena, refutation, inputs, &soft, &mut |solver| {
        let values = observed.iter().map(|one| one.value(solver, 0));
        steps.push(values.collect());
    });
    let played = played.map_err(NoDeadlock::Unable)?;
    if rules.is_swapped {
        outputs_a_step_earlier(rules, &observed, &mut steps);
    }
    let run = Run { steps, case: None };
    let conflict = played.conflict.iter().map(|at| rules.clauses[*at]);
    let conflict: Vec<Clause> = conflict.collect();
    let (kept, broken) = (origins(&rules.clauses), origins(&conflict));
    let claim = Claim::Breaks {
        kept: &kept,
        broken: &broken,
        assumes: !rules.is_swapped,
    };
    let terms = (&rules.lowered).into();
    match replay::replay(program, top, terms, &observed, &run, claim) {
        Ok(replayed) => Ok(Deadlock {
            trace: replayed.trace,
            conflict,
            at_most: lost.refutation.lost.last().map_or(1, |lost| lost.steps),
            gaps: replayed.gaps,
        }),
        Err(Mismatch::Unable(why)) => Err(NoDeadlock::Unable(why)),
        Err(Mismatch::Disagrees(why)) => Err(NoDeadlock::InternalError(format!(
            "the play against the contract of {} does not replay: {why}",
            program.node(top).name
        ))),
    }
}

/// The properties of the program that clauses are. Assertions and types are no properties.
fn origins(clauses: &[Clause]) -> Vec<Origin> {
    let all = clauses.iter().filter_map(|clause| {
        let check = match clause {
            Clause::Assumption(at) => Check::Assumption(*at),
            Clause::Guarantee(at) => Check::Guarantee(*at),
            Clause::Ensure(mode, at) => Check::Ensure(*mode, *at),
            Clause::Property(at) => Check::Property(*at),
            Clause::Assertion(_) | Clause::Range => return None,
        };
        let path = Default::default();
        Some(Origin { path, check })
    });
    all.collect()
}

/// In the game of the environment, outputs are part of the step after them. Those of the last
/// step do not matter.
fn outputs_a_step_earlier(
    rules: &Rules,
    observed: &[Observation],
    steps: &mut [Vec<Option<Scalar>>],
) {
    let outputs = &rules.arena.inputs;
    for (at, one) in observed.iter().enumerate() {
        if outputs.contains(&one.term) {
            for step in 1..steps.len() {
                steps[step - 1][at] = steps[step][at].clone();
            }
        }
    }
}
