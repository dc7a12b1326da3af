//! The solvers of a verifier, and their replacement.
//!
//! Two solvers have the steps of all sets of parts: one from the first step of a run on, one
//! from any state. A third one is made when runs become long, which would weigh on all questions
//! about short ones. A solver that has worked for long is replaced: what it has learnt for many
//! questions slows it down in the end. By then some parts may be known to be in every set that
//! will be asked about; they are built into the system, which is smaller then.

use std::time::Duration;

use smt::{Limits, SolverContext};
use system::{Inliner, Term, and, not};

use crate::frames::Frames;
use crate::model::{Model, Opened, Set};

pub(crate) struct Solvers {
    context: SolverContext,
    pub goals: Vec<Term>,
    pub opened: Opened,
    /// Parts that are in all sets from now on, and those of them that are not open.
    required: Set,
    settled: Set,
    pub runs: Frames,
    long_runs: Option<Frames>,
    pub paths: Frames,
}

/// Steps of runs that have no solver of their own.
const SHORT_RUN: usize = 12;

impl Solvers {
    pub fn new(context: &SolverContext, opened: Opened, goals: Vec<Term>) -> Solvers {
        Solvers {
            context: context.clone(),
            runs: Frames::new(context, &opened, &goals, true),
            paths: Frames::new(context, &opened, &goals, false),
            long_runs: None,
            goals,
            opened,
            required: Set::new(),
            settled: Set::new(),
        }
    }

    /// From now on these parts are in all sets that are asked about.
    pub fn require(&mut self, parts: &Set) {
        self.required = parts.clone();
    }

    pub fn required(&self) -> &Set {
        &self.required
    }

    /// The parts that are built into the system.
    pub fn settled(&self) -> &Set {
        &self.settled
    }

    /// Some goal fails.
    pub fn violated(&self) -> Term {
        not(&and(self.goals.iter().cloned()))
    }

    /// Limits each query of the two solvers that proofs need.
    pub fn limit(&mut self, limits: Limits) {
        self.paths.limit(limits);
        self.runs.limit(limits);
    }

    /// Where runs of so many steps are looked for.
    pub fn runs_through(&mut self, depth: usize) -> &mut Frames {
        match depth {
            ..=SHORT_RUN => &mut self.runs,
            _ => {
                let new = || Frames::new(&self.context, &self.opened, &self.goals, true);
                self.long_runs.get_or_insert_with(new)
            }
        }
    }

    fn frames(&self, from_init: bool) -> Frames {
        Frames::new(&self.context, &self.opened, &self.goals, from_init)
    }

    /// Starts anew where a solver has shown a run that is none.
    pub fn replace_runs(&mut self) {
        self.runs = self.frames(true);
        self.long_runs = None;
    }

    /// Replaces solvers that have worked for longer than this. What is required becomes a part
    /// of their system; the lemmas are told in its terms then.
    pub fn replace_worn(&mut self, model: &Model, lemmas: &mut [Term], worn: Duration) {
        let runs = self.runs.spent() > worn;
        let paths = self.paths.spent() > worn;
        let settles = (runs || paths) && self.settled != self.required;
        if settles {
            self.settle(model, lemmas);
        }
        if runs || settles {
            self.runs = self.frames(true);
        }
        if paths || settles {
            self.paths = self.frames(false);
        }
    }

    fn settle(&mut self, model: &Model, lemmas: &mut [Term]) {
        self.settled = self.required.clone();
        self.opened = model.opened(&self.settled);
        self.long_runs = None;
        let system = model.freed(&self.settled);
        let mut inliner = Inliner::new(&system);
        for term in lemmas.iter_mut().chain(&mut self.goals) {
            *term = inliner.term(term);
        }
    }
}
