//! What the solvers of one job share.
//!
//! The code that starts a job creates a context for it: the choice of its solver and the way its
//! time is measured. The context also has the job's budget (`fuel.rs`), its interrupts
//! (`interrupt.rs`), and the messages about its solvers. All solvers of the job have a clone. A
//! clone is cheap and shares this state, which ends with the job: nothing of it is left for the
//! next job of the thread.
//!
//! A context stays on its thread, as solvers do. A new thread builds a context of its own, from a
//! [`Choice`] and a [`Clock`].

use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use crate::clock::{Clock, Moment};
use crate::interrupt::Requests;
use crate::process::Choice;

/// See the head of this file. By default: Z3 in this process, no budget, and time by the clock.
#[derive(Clone, Default)]
pub struct SolverContext {
    choice: Rc<Choice>,
    pub(crate) job: Rc<JobState>,
}

#[derive(Default)]
pub(crate) struct JobState {
    pub clock: Clock,
    /// The work that is left; no limit if `None`.
    pub fuel: Cell<Option<u64>>,
    pub deadline: RefCell<Option<Moment>>,
    /// The interrupts of what the thread does, the innermost last.
    pub requests: Rc<RefCell<Vec<Arc<Requests>>>>,
    failure: RefCell<Option<String>>,
    notes: RefCell<Vec<String>>,
}

impl SolverContext {
    pub fn new(choice: Choice, clock: Clock) -> SolverContext {
        SolverContext {
            choice: Rc::new(choice),
            job: Rc::new(JobState {
                clock,
                ..JobState::default()
            }),
        }
    }

    /// The choice of the job's solver.
    pub fn choice(&self) -> &Choice {
        &self.choice
    }

    /// A context for another job, of an engine with this name. It has the same solver, clock and
    /// interrupts; the rest is its own.
    pub fn job(&self, engine: &'static str) -> SolverContext {
        let choice = Choice {
            engine,
            ..Choice::clone(&self.choice)
        };
        let job = JobState {
            clock: self.job.clock.clone(),
            requests: self.job.requests.clone(),
            ..JobState::default()
        };
        SolverContext {
            choice: Rc::new(choice),
            job: Rc::new(job),
        }
    }

    /// Does work with Z3 in this process and a timeout, to check an external solver; `None` if the
    /// job uses Z3 in this process anyway.
    pub fn second_opinion<R>(
        &self,
        time: Duration,
        work: impl FnOnce(&SolverContext) -> R,
    ) -> Option<R> {
        self.choice.external.as_ref()?;
        let choice = Choice {
            external: None,
            ..Choice::clone(&self.choice)
        };
        let inside = SolverContext {
            choice: Rc::new(choice),
            job: self.job.clone(),
        };
        Some(self.within(time, || work(&inside)))
    }

    pub fn now(&self) -> Moment {
        self.job.clock.now()
    }

    pub(crate) fn clock(&self) -> &Clock {
        &self.job.clock
    }

    /// Records a failure of a solver; only the first one is kept. An engine makes queries in many
    /// places, and everywhere accepts "unknown". When its solver has failed, all answers are
    /// "unknown", so the engine polls [`has_failed`](SolverContext::has_failed) and ends, and the
    /// portfolio reports the failure.
    pub fn fail(&self, message: String) {
        self.job.failure.borrow_mut().get_or_insert(message);
    }

    /// Has a solver of the job failed?
    pub fn has_failed(&self) -> bool {
        self.job.failure.borrow().is_some()
    }

    /// The failure since the last call, if any.
    pub fn take_failure(&self) -> Option<String> {
        self.job.failure.take()
    }

    /// Adds a message about a solver that does not end the engine.
    pub fn add_note(&self, note: String) {
        self.job.notes.borrow_mut().push(note);
    }

    /// The messages since the last call.
    pub fn take_notes(&self) -> Vec<String> {
        self.job.notes.take()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn solvers_of_a_job_share_its_state_and_other_jobs_do_not() {
        let thread = SolverContext::default();
        let job = thread.job("bmc");
        job.refuel(Some(10), None);
        let solver = job.clone();
        solver.burn(10);
        solver.fail("first".into());
        solver.fail("second".into());
        solver.add_note("note".into());
        let next = thread.job("ind");
        assert!(job.is_spent() && job.has_failed());
        assert!(!next.is_spent() && !next.has_failed());
        assert_eq!(job.take_failure().as_deref(), Some("first"));
        assert_eq!(job.take_notes(), ["note"]);
        assert_eq!(next.take_notes(), Vec::<String>::new());
    }
}
