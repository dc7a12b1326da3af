//! A play that ends where no output is good, as a trace of the program.

use engines::Run;
use lang::{NodeId, Program};
use lower::{Check, Origin};
use sim::Trace;
use smt::SolverContext;

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
    let mut run = Run::default();
    let inputs = &lost.game.arena.inputs;
    let played = game::play(
        context,
        &rules.arena,
        &lost.refutation,
        inputs,
        &soft,
        &mut |solver| {
            let values = observed.iter().map(|one| one.value(solver, 0));
            run.steps.push(values.collect());
        },
    );
    let played = played.map_err(NoDeadlock::Unable)?;
    let conflict = played.conflict.iter().map(|at| rules.clauses[*at]);
    let conflict: Vec<Clause> = conflict.collect();
    let broken = conflict.iter().filter_map(|clause| {
        let check = match clause {
            Clause::Guarantee(at) => Check::Guarantee(*at),
            Clause::Ensure(mode, at) => Check::Ensure(*mode, *at),
            Clause::Range => return None,
        };
        let path = Default::default();
        Some(Origin { path, check })
    });
    let broken: Vec<Origin> = broken.collect();
    let terms = (&rules.lowered).into();
    let claim = Claim::Breaks(&broken);
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
