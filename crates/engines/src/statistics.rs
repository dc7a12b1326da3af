//! What the engines did, for people who want to know.

use std::sync::{Mutex, MutexGuard};
use std::time::{Duration, Instant};

use smt::{Answer, Literal, Solver};

use crate::attempt::Attempt;
use crate::blackboard::Engine;

/// The work of one engine.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Statistics {
    pub engine: Engine,
    /// The length of the longest runs, or the largest k, that it has come to.
    pub depth: usize,
    pub queries: usize,
    /// How long the solver took to answer them.
    pub solving: Duration,
    /// How long it took to check proofs again.
    pub certifying: Duration,
}

/// An engine has come to a new depth.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Progress {
    pub engine: Engine,
    pub depth: usize,
}

/// Shared by the engines, which write, and the portfolio, which reads.
#[derive(Default)]
pub(crate) struct Ledger(Mutex<Entries>);

#[derive(Default)]
struct Entries {
    engines: Vec<Statistics>,
    /// Not read yet.
    progress: Vec<Progress>,
    attempts: Vec<Attempt>,
    failures: Vec<String>,
    lost: Vec<String>,
}

impl Ledger {
    fn entries(&self) -> MutexGuard<'_, Entries> {
        self.0.lock().unwrap_or_else(|e| e.into_inner())
    }

    /// Changes the entry of an engine.
    fn update(&self, engine: Engine, change: impl FnOnce(&mut Statistics)) {
        let mut entries = self.entries();
        let found = entries.engines.iter().position(|e| e.engine == engine);
        let at = found.unwrap_or_else(|| {
            entries.engines.push(Statistics {
                engine,
                depth: 0,
                queries: 0,
                solving: Duration::ZERO,
                certifying: Duration::ZERO,
            });
            entries.engines.len() - 1
        });
        change(&mut entries.engines[at]);
    }

    /// The engine begins with a depth.
    pub fn reached(&self, engine: Engine, depth: usize) {
        self.update(engine, |entry| entry.depth = depth);
        self.entries().progress.push(Progress { engine, depth });
    }

    /// Asks the solver, and counts it.
    pub fn ask(&self, engine: Engine, solver: &mut impl Solver, assumptions: &[Literal]) -> Answer {
        let start = Instant::now();
        let answer = solver.check(assumptions);
        self.update(engine, |entry| {
            entry.queries += 1;
            entry.solving += start.elapsed();
        });
        answer
    }

    /// Checks a proof again, and takes the time.
    pub fn certify(&self, engine: Engine, check: impl FnOnce() -> bool) -> bool {
        let start = Instant::now();
        let certified = check();
        self.update(engine, |entry| entry.certifying += start.elapsed());
        certified
    }

    pub fn statistics(&self) -> Vec<Statistics> {
        let mut all = self.entries().engines.clone();
        all.sort_by_key(|entry| entry.engine.short_name());
        all
    }

    pub fn attempted(&self, attempt: Attempt) {
        self.entries().attempts.push(attempt);
    }

    /// An engine has broken down.
    pub fn failed(&self, message: String) {
        self.entries().failures.push(message);
    }

    /// The solver of an engine is gone.
    pub fn lost(&self, message: String) {
        self.entries().lost.push(message);
    }

    /// What was lost since the last time.
    pub fn take_lost(&self) -> Vec<String> {
        std::mem::take(&mut self.entries().lost)
    }

    /// The failures since the last time.
    pub fn take_failures(&self) -> Vec<String> {
        std::mem::take(&mut self.entries().failures)
    }

    /// The attempts since the last time.
    pub fn take_attempts(&self) -> Vec<Attempt> {
        std::mem::take(&mut self.entries().attempts)
    }

    /// The progress since the last time.
    pub fn take_progress(&self) -> Vec<Progress> {
        std::mem::take(&mut self.entries().progress)
    }
}
