//! What ends a run before its time, and what is unfinished then.
//!
//! All parts of an analysis look at the clock and at the flag now and then, and end with what
//! is known. Who cannot wait for that, as the watchdog of the command line, takes
//! [`Unfinished`] and tells of it.

use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock};
use std::time::{Duration, Instant};

use results::{Event, PostAnalysisName};

use crate::listener::Listener;
use crate::unfinished::{OpenSearch, Unfinished};

/// Handles of the same run are clones of each other.
#[derive(Clone)]
pub struct Control {
    deadline: Option<Instant>,
    interrupted: Arc<AtomicBool>,
    unfinished: Arc<Mutex<Unfinished>>,
    /// Whose processes end with the run.
    solver: Arc<OnceLock<smt::SharedSolverState>>,
}

/// The processes of solvers, which end with it.
pub struct SolverGuard(smt::SharedSolverState);

impl Drop for SolverGuard {
    fn drop(&mut self) {
        self.0.end_all();
    }
}

impl Control {
    /// The time begins now.
    pub fn new(timeout: Option<Duration>) -> Control {
        Control {
            deadline: timeout.and_then(|time| Instant::now().checked_add(time)),
            interrupted: Arc::default(),
            unfinished: Arc::default(),
            solver: Arc::default(),
        }
    }

    /// What is to be told if the run has to end. Who tells of it keeps the lock
    /// meanwhile, so that it is told once.
    pub fn unfinished(&self) -> MutexGuard<'_, Unfinished> {
        let locked = self.unfinished.lock();
        locked.unwrap_or_else(|poisoned| poisoned.into_inner())
    }

    /// The same, if nobody has the lock.
    pub fn try_unfinished(&self) -> Option<MutexGuard<'_, Unfinished>> {
        self.unfinished.try_lock().ok()
    }

    pub fn deadline(&self) -> Option<Instant> {
        self.deadline
    }

    /// Who sets it asks all to end.
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

    /// These solvers are to end before the process does; at the latest with what this
    /// gives back, whatever it is that ends the work before its time.
    pub fn guard(&self, solver: &smt::SharedSolverState) -> SolverGuard {
        // There is one for a run.
        let _ = self.solver.set(solver.clone());
        SolverGuard(solver.clone())
    }

    pub fn end_solvers(&self) {
        if let Some(solver) = self.solver.get() {
            solver.end_all();
        }
    }

    /// A search in the results of an analysis begins.
    pub(crate) fn search(&self, source: &'static str, name: String) {
        self.unfinished().search = Some(OpenSearch {
            source,
            name,
            told: None,
        });
    }

    /// It is over.
    pub(crate) fn search_is_over(&self) {
        self.unfinished().search = None;
    }

    /// Tells that the search begins.
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

    /// Tells that the search is over.
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
