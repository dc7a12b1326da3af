//! Ends a run early, and knows what is unfinished then.
//!
//! All parts of an analysis poll the clock and the interrupt flag, and end with the results so far.
//! A caller that cannot wait for that, such as the watchdog of the command line, takes
//! [`Unfinished`] and reports it itself.

use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock};
use std::time::{Duration, Instant};

use results::{Event, PostAnalysisName};

use crate::listener::Listener;
use crate::unfinished::{OpenSearch, Unfinished};

/// A handle of a run; its clones are handles of the same run.
#[derive(Clone)]
pub struct Control {
    deadline: Option<Instant>,
    interrupted: Arc<AtomicBool>,
    unfinished: Arc<Mutex<Unfinished>>,
    /// The external solvers whose processes end with the run.
    solver: Arc<OnceLock<smt::SharedSolverState>>,
}

/// Ends the processes of external solvers when it is dropped.
pub struct SolverGuard(smt::SharedSolverState);

impl Drop for SolverGuard {
    fn drop(&mut self) {
        self.0.end_all();
    }
}

impl Control {
    /// The timeout starts now.
    pub fn new(timeout: Option<Duration>) -> Control {
        Control {
            deadline: timeout.and_then(|time| Instant::now().checked_add(time)),
            interrupted: Arc::default(),
            unfinished: Arc::default(),
            solver: Arc::default(),
        }
    }

    /// What to report if the run has to end early. Whoever reports an entry holds the lock
    /// meanwhile, so that each entry is reported once.
    pub fn unfinished(&self) -> MutexGuard<'_, Unfinished> {
        let locked = self.unfinished.lock();
        locked.unwrap_or_else(|poisoned| poisoned.into_inner())
    }

    /// The same, if no other thread holds the lock.
    pub fn try_unfinished(&self) -> Option<MutexGuard<'_, Unfinished>> {
        self.unfinished.try_lock().ok()
    }

    pub fn deadline(&self) -> Option<Instant> {
        self.deadline
    }

    /// The interrupt flag: setting it asks all parts of the run to end.
    pub fn flag(&self) -> Arc<AtomicBool> {
        self.interrupted.clone()
    }

    pub fn interrupted(&self) -> bool {
        self.interrupted.load(Ordering::Relaxed)
    }

    /// Asks all to end, as a signal does.
    pub fn interrupt(&self) {
        self.interrupted.store(true, Ordering::Relaxed);
    }

    pub fn time_is_up(&self) -> bool {
        self.deadline.is_some_and(|at| Instant::now() >= at)
    }

    /// Registers external solvers, whose processes must end before this process does: when the run
    /// is ended early, and at the latest when the returned guard is dropped.
    pub fn guard(&self, solver: &smt::SharedSolverState) -> SolverGuard {
        // A run has one set of solvers, so the first call decides.
        let _ = self.solver.set(solver.clone());
        SolverGuard(solver.clone())
    }

    pub fn end_solvers(&self) {
        if let Some(solver) = self.solver.get() {
            solver.end_all();
        }
    }

    /// Records that a post-analysis begins.
    pub(crate) fn search(&self, source: &'static str, name: String) {
        self.unfinished().search = Some(OpenSearch {
            source,
            name,
            told: None,
        });
    }

    /// Records that the post-analysis is over.
    pub(crate) fn search_is_over(&self) {
        self.unfinished().search = None;
    }

    /// Tells that the post-analysis begins.
    pub(crate) fn post_analysis_start(
        &self,
        name: PostAnalysisName,
        out: &mut dyn Listener,
    ) -> io::Result<()> {
        let mut unfinished = self.unfinished();
        if let Some(search) = &mut unfinished.search {
            search.told = Some(name);
        }
        out.tell(&Event::PostAnalysisStart(name))
    }

    /// Tells that the post-analysis is over.
    pub(crate) fn post_analysis_end(
        &self,
        name: PostAnalysisName,
        out: &mut dyn Listener,
    ) -> io::Result<()> {
        let mut unfinished = self.unfinished();
        unfinished.search = None;
        unfinished.sets.clear();
        out.tell(&Event::PostAnalysisEnd(name))
    }
}
