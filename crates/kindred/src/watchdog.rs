//! Deadlines and interruptions.
//!
//! All parts of an analysis look at the clock and at the flag now and then, and
//! end with what is known. One that does not, in the middle of something long,
//! is not waited for: the watchdog closes the document, and ends the process. So it
//! does when memory is nearly used up: an allocation that fails would end the process
//! without a word.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use report::{Format, Level, Verbosity};
use signal_hook::consts::{SIGINT, SIGTERM};
use system::{Limits, Usage};

use crate::args::{Args, ExitCodeMode};
use crate::{exit, output, whole};

#[derive(Clone)]
pub struct Watchdog {
    deadline: Option<Instant>,
    interrupted: Arc<AtomicBool>,
    disproved: Arc<AtomicBool>,
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
            disproved: Arc::default(),
            finished: Arc::default(),
            solver: Arc::default(),
        };
        for signal in [SIGINT, SIGTERM] {
            // Without a handler a signal ends the process: no reason to stop.
            let _ = signal_hook::flag::register(signal, watchdog.interrupted.clone());
        }
        let (own, format, verbosity) = (watchdog.clone(), args.format(), args.verbosity());
        let mode = args.exit_code_mode;
        // Without a thread there is no watchdog; deadlines are still looked at.
        let _ = std::thread::Builder::new()
            .name("watchdog".to_owned())
            .spawn(move || own.watch(format, verbosity, mode));
        watchdog
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

    /// Some property is known not to hold.
    pub fn disproved(&self) {
        self.disproved.store(true, Ordering::Relaxed);
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

    fn watch(&self, format: Format, verbosity: Verbosity, mode: ExitCodeMode) {
        while !self.interrupted() && !self.time_is_up() {
            std::thread::sleep(LOOK);
            if memory_is_used_up() {
                return self.end_for_want_of_memory(format, verbosity);
            }
        }
        std::thread::sleep(PATIENCE);
        if self.finished.swap(true, Ordering::SeqCst) {
            return;
        }
        self.end_solvers();
        whole::settle();
        let words = report::closing_words(format, verbosity, report::STOPPED);
        if let Err(error) = output::last_words(&words) {
            output::complain(&error);
            signal_hook::low_level::exit(exit::ERROR.into())
        }
        let disproved = self.disproved.load(Ordering::Relaxed);
        signal_hook::low_level::exit(match (mode, disproved) {
            (ExitCodeMode::OnlyErrors, _) => exit::SUCCESS.into(),
            (_, true) => exit::DISPROVED.into(),
            (_, false) => exit::UNKNOWN.into(),
        })
    }

    fn end_for_want_of_memory(&self, format: Format, verbosity: Verbosity) {
        if self.finished.swap(true, Ordering::SeqCst) {
            return;
        }
        self.end_solvers();
        whole::settle();
        let words = report::closing_words(format, verbosity, NO_MEMORY);
        if let Err(error) = output::last_words(&words) {
            output::complain(&error);
        }
        signal_hook::low_level::exit(exit::ERROR.into())
    }
}

const NO_MEMORY: (Level, &str) = (
    Level::Error,
    "stopped: memory is used up; what is known is above",
);

/// Solvers stop by themselves before so much of it is used.
const MOST_MEMORY: f64 = 0.9;

fn memory_is_used_up() -> bool {
    Limits::get().exceeded(Usage::now(), MOST_MEMORY)
}
