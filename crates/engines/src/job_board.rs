//! The blackboard as one job sees it, with the context of the job's own solvers.
//!
//! The blackboard is shared by the threads of an analysis. What a job may still spend, and whether
//! its solver has failed, concerns that job alone and is in its context. An engine asks the two
//! together: [`stopped`](JobBoard::stopped) is true when the analysis is over, and when this job
//! has to end.

use std::ops::Deref;
use std::sync::Arc;

use smt::SolverContext;
use system::PropertyId;

use crate::blackboard::{Blackboard, Engine, Verdict};

pub(crate) struct JobBoard {
    board: Arc<Blackboard>,
    pub context: SolverContext,
}

impl Deref for JobBoard {
    type Target = Blackboard;

    fn deref(&self) -> &Blackboard {
        &self.board
    }
}

impl JobBoard {
    pub fn new(board: Arc<Blackboard>, context: SolverContext) -> JobBoard {
        JobBoard { board, context }
    }

    /// The same board for another job, of an engine with this name.
    pub fn job(&self, engine: &'static str) -> JobBoard {
        JobBoard::new(self.board.clone(), self.context.job(engine))
    }

    /// A board for the job's work on a component: it ends with this one.
    pub fn beneath(&self) -> JobBoard {
        JobBoard::new(Arc::new(self.board.beneath()), self.context.clone())
    }

    /// Is it time to end, for all or for a job that has had its turn?
    pub fn stopped(&self) -> bool {
        self.is_over() || self.context.is_spent() || self.context.has_failed()
    }

    /// Decides a property, if no one else has, and says so.
    pub fn decide(&self, property: PropertyId, engine: Engine, verdict: Verdict) {
        // A run whose solver was lost in the middle of it lacks values.
        if matches!(verdict, Verdict::Witness(_)) && self.context.has_failed() {
            return;
        }
        self.board.decide(property, engine, verdict);
    }

    /// Checks a proof again, and tells the notes on the solvers that did.
    pub fn certify(&self, engine: Engine, check: impl FnOnce() -> bool) -> bool {
        let certified = self.ledger.certify(engine, check);
        self.tell_notes();
        certified
    }

    /// Tells the notes on the job's solvers, each once.
    pub fn tell_notes(&self) {
        for note in self.context.take_notes() {
            self.board.tell_note(note);
        }
    }

    /// Waits until there are more lemmas than `known`; `false` if it is time to end.
    pub fn wait_lemmas(&self, known: usize) -> bool {
        self.board.wait_lemmas(known, || self.stopped())
    }

    /// Waits until the first `steps` steps are clear for all the properties that someone
    /// watches. `false` if one of them was decided meanwhile, or it is time to end.
    pub fn wait_clear(&self, properties: &[PropertyId], steps: usize) -> bool {
        self.board.wait_clear(properties, steps, || self.stopped())
    }

    /// For so many properties, with a solver without limits.
    #[cfg(test)]
    pub fn of(
        properties: usize,
    ) -> (
        JobBoard,
        std::sync::mpsc::Receiver<crate::blackboard::Message>,
    ) {
        let (sender, messages) = std::sync::mpsc::channel();
        let board = Arc::new(Blackboard::new(properties, sender));
        (JobBoard::new(board, SolverContext::default()), messages)
    }
}
