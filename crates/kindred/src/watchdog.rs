//! Deadlines and interruptions.
//!
//! All parts of an analysis look at the clock and at the flag now and then, and
//! end with what is known. One that does not, in the middle of something long,
//! is not waited for: the watchdog tells of what was begun ([`EarlyEnd`]), closes
//! the document, and ends the process. So it does when memory is nearly used up: an
//! allocation that fails would end the process without a word.

use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock};
use std::time::{Duration, Instant};

use report::{Format, Level, Reporter, Style, Verbosity};
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use system::{Limits, Usage};

use crate::args::{Args, ExitCodeMode};
use crate::early_end::{EarlyEnd, OpenSearch};
use crate::run::Out;
use crate::tally::Tally;
use crate::{exit, output, whole};

#[derive(Clone)]
pub struct Watchdog {
    deadline: Option<Instant>,
    interrupted: Arc<AtomicBool>,
    early_end: Arc<Mutex<EarlyEnd>>,
    finished: Arc<AtomicBool>,
    /// Whose processes end with this one.
    solver: Arc<OnceLock<smt::Shared>>,
}

/// The processes of solvers, which end with it.
pub struct Guarded(smt::Shared);

impl Drop for Guarded {
    fn drop(&mut self) {
        self.0.end_all();
    }
}

/// How long after the deadline the watchdog waits. An analysis that ends by
/// itself takes less.
const PATIENCE: Duration = Duration::from_millis(420);

const LOOK: Duration = Duration::from_millis(10);

impl Watchdog {
    /// Starts to watch; the time of `--timeout` begins.
    pub fn start(args: &Args) -> Watchdog {
        let watchdog = Watchdog {
            deadline: (args.timeout > 0.0)
                .then(|| Duration::try_from_secs_f64(args.timeout).ok())
                .flatten()
                .and_then(|time| Instant::now().checked_add(time)),
            interrupted: Arc::default(),
            early_end: Arc::default(),
            finished: Arc::default(),
            solver: Arc::default(),
        };
        let hang_up = (!hang_ups_are_ignored()).then_some(SIGHUP);
        for signal in [SIGINT, SIGTERM].into_iter().chain(hang_up) {
            // Without a handler a signal ends the process: no reason to stop.
            let _ = signal_hook::flag::register(signal, watchdog.interrupted.clone());
        }
        let own = watchdog.clone();
        let shown = Shown {
            format: args.format(),
            style: args.style(),
            verbosity: args.verbosity(),
            mode: args.exit_code_mode,
        };
        // Without a thread there is no watchdog; deadlines are still looked at.
        let _ = std::thread::Builder::new()
            .name("watchdog".to_owned())
            .stack_size(STACK_SIZE)
            .spawn(move || own.watch(&shown));
        watchdog
    }

    /// What is to be told if the process has to end. Who tells of it keeps the lock
    /// meanwhile, so that it is told once.
    pub fn early_end(&self) -> MutexGuard<'_, EarlyEnd> {
        let locked = self.early_end.lock();
        locked.unwrap_or_else(|poisoned| poisoned.into_inner())
    }

    pub fn deadline(&self) -> Option<Instant> {
        self.deadline
    }

    /// Is set by a signal.
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

    /// A search in the results of an analysis begins.
    pub fn search(&self, source: &'static str, name: String) {
        self.early_end().search = Some(OpenSearch {
            source,
            name,
            is_told: false,
        });
    }

    /// It is over.
    pub fn search_is_over(&self) {
        self.early_end().search = None;
    }

    /// Tells that the search begins.
    pub fn post_analysis_start(&self, name: &str, title: &str, out: &mut Out) -> io::Result<()> {
        let mut early_end = self.early_end();
        if let Some(search) = &mut early_end.search {
            search.is_told = true;
        }
        out.post_analysis_start(name, title)
    }

    /// Tells that the search is over.
    pub fn post_analysis_end(&self, out: &mut Out) -> io::Result<()> {
        let mut early_end = self.early_end();
        early_end.search = None;
        early_end.sets.clear();
        out.post_analysis_end()
    }

    /// All that is left is to end the document. Only one of the two does it: if
    /// the watchdog was faster, this is the end.
    pub fn finished(&self) {
        while self.finished.swap(true, Ordering::SeqCst) {
            std::thread::park();
        }
        self.end_solvers();
    }

    /// These solvers are to end before the process does; at the latest with what this
    /// gives back, whatever it is that ends the work before its time.
    pub fn guard(&self, solver: &smt::Shared) -> Guarded {
        // There is one for a run.
        let _ = self.solver.set(solver.clone());
        Guarded(solver.clone())
    }

    fn end_solvers(&self) {
        if let Some(solver) = self.solver.get() {
            solver.end_all();
        }
    }

    fn watch(&self, shown: &Shown) {
        while !self.interrupted() && !self.time_is_up() {
            std::thread::sleep(LOOK);
            if memory_is_used_up() {
                return self.end_for_want_of_memory(shown);
            }
        }
        std::thread::sleep(PATIENCE);
        if self.finished.swap(true, Ordering::SeqCst) {
            return;
        }
        self.end_solvers();
        let tally = self.last_report(shown, STOPPED);
        signal_hook::low_level::exit(tally.exit_code(shown.mode).into())
    }

    /// Tells of what was begun, and why it ends; nobody tells anything behind it.
    fn last_report(&self, shown: &Shown, why: (Level, &str)) -> Tally {
        let mut text = Vec::new();
        let mut early_end = self.early_end_in_time();
        let mut none = EarlyEnd::default();
        let told = early_end.as_deref_mut().unwrap_or(&mut none);
        let mut out = Reporter::resume(&mut text, shown.format, shown.style, shown.verbosity);
        // A text in memory can be written.
        let _ = told.tell(self.time_is_up(), why, &mut out);
        let _ = out.finish();
        let tally = told.tally;
        std::mem::forget(early_end);
        whole::settle();
        if let Err(error) = output::last_words(&text) {
            output::complain(&error);
            signal_hook::low_level::exit(exit::ERROR.into())
        }
        tally
    }

    /// Whoever has the lock is about to tell something, unless it cannot write.
    fn early_end_in_time(&self) -> Option<MutexGuard<'_, EarlyEnd>> {
        let start = Instant::now();
        while start.elapsed() < 2 * PATIENCE {
            if let Ok(early_end) = self.early_end.try_lock() {
                return Some(early_end);
            }
            std::thread::sleep(LOOK);
        }
        None
    }

    fn end_for_want_of_memory(&self, shown: &Shown) {
        if self.finished.swap(true, Ordering::SeqCst) {
            return;
        }
        self.end_solvers();
        self.last_report(shown, NO_MEMORY);
        signal_hook::low_level::exit(exit::ERROR.into())
    }
}

/// Why most documents are broken off.
const STOPPED: (Level, &str) = (Level::Warn, "stopped: what is known is above");

const NO_MEMORY: (Level, &str) = (
    Level::Error,
    "stopped: memory is used up; what is known is above",
);

/// Solvers stop by themselves before so much of it is used.
const MOST_MEMORY: f64 = 0.9;

fn memory_is_used_up() -> bool {
    Limits::get().exceeded(Usage::now(), MOST_MEMORY)
}

/// How results are shown.
struct Shown {
    format: Format,
    style: Style,
    verbosity: Verbosity,
    mode: ExitCodeMode,
}

/// Names and tables can be long.
const STACK_SIZE: usize = 16 << 20;

/// Shall the process go on when its terminal is gone? `nohup` says so.
fn hang_ups_are_ignored() -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status
        .lines()
        .find_map(|line| line.strip_prefix("SigIgn:"))
        .and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok());
    mask.is_some_and(|mask| mask & (1 << (SIGHUP - 1)) != 0)
}
