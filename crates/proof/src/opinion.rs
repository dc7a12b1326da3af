//! What solvers say of a proof, and whom to believe.
//!
//! A proof that was found with the solver of this process is checked by a fresh
//! one of its kind. One that was found with a solver outside is checked by a
//! fresh one of that kind, and then by the solver of this process: if one of them
//! answers wrongly, the two do not agree: there is no verdict, and the solver outside
//! is not asked again by anyone. Where the second
//! does not come to an answer, the first is believed, and that is told.

use std::time::Duration;

use smt::{Answer, SolverContext};

/// How long the second solver may take over a proof.
const PATIENCE: Duration = Duration::from_secs(10);

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Opinion {
    Holds,
    Fails,
    /// There was no answer.
    Open,
}

impl Opinion {
    /// Of a claim whose contrary the solver was asked for.
    pub fn from_contrary(answer: &Answer) -> Opinion {
        match answer {
            Answer::Unsat => Opinion::Holds,
            Answer::Sat => Opinion::Fails,
            Answer::Unknown(_) => Opinion::Open,
        }
    }

    /// That all claims hold, up to the first of which this is not said.
    pub fn of_all(claims: impl IntoIterator<Item = Opinion>) -> Opinion {
        let mut claims = claims.into_iter();
        let doubt = claims.find(|opinion| *opinion != Opinion::Holds);
        doubt.unwrap_or(Opinion::Holds)
    }

    pub fn and(self, other: impl FnOnce() -> Opinion) -> Opinion {
        match self {
            Opinion::Holds => other(),
            doubt => doubt,
        }
    }
}

/// Does a proof hold, by the job's solver, and by the one in this process?
pub(crate) fn confirmed(
    context: &SolverContext,
    stop: &dyn Fn() -> bool,
    proof: impl Fn(&SolverContext) -> Opinion,
) -> bool {
    if proof(context) != Opinion::Holds {
        return false;
    }
    let Some(opinion) = context.second_opinion(PATIENCE, &proof) else {
        return true;
    };
    let choice = context.choice();
    let external = choice.external.as_ref();
    let first = external.map_or("", |external| external.program.name());
    match opinion {
        Opinion::Holds => true,
        Opinion::Fails => {
            choice.shared.catch();
            context.fail(format!(
                "{first} accepts a proof that the Z3 inside of the program refutes"
            ));
            false
        }
        Opinion::Open if stop() => false,
        Opinion::Open => {
            context.add_note(format!(
                "a proof is checked by {first} alone: the Z3 inside of the program does \
                 not come to an answer"
            ));
            true
        }
    }
}
