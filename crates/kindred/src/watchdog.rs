//! Deadlines and interruptions.
//!
//! All parts of an analysis look at the clock and at the flag now and then, and
//! end with what is known. One that does not, in the middle of something long,
//! is not waited for: the watchdog tells of what was begun ([`Unfinished`]), closes
//! the document, and ends the process. So it does when memory is nearly used up: an
//! allocation that fails would end the process without a word.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, MutexGuard};
use std::time::{Duration, Instant};

use report::OutputOptions;
use results::Level;
use session::{Control, Tally, Unfinished, atomic_write, standard_output};
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use system::{Limits, Usage};

use crate::args::{Args, ExitCodeMode};
use crate::exit;
use crate::screen::{Files, Screen};
use crate::verify::seconds;

#[derive(Clone)]
pub struct Watchdog {
    control: Control,
    finished: Arc<AtomicBool>,
}

/// How long after the deadline the watchdog waits. An analysis that ends by
/// itself takes less.
const GRACE_PERIOD: Duration = Duration::from_millis(420);

const LOOK: Duration = Duration::from_millis(10);

impl Watchdog {
    /// Starts to watch; the time of `--timeout` begins.
    pub fn start(args: &Args) -> Watchdog {
        let watchdog = Watchdog {
            control: Control::new(seconds(args.timeout)),
            finished: Arc::default(),
        };
        let hang_up = (!hang_ups_are_ignored()).then_some(SIGHUP);
        for signal in [SIGINT, SIGTERM].into_iter().chain(hang_up) {
            // Without a handler a signal ends the process: no reason to stop.
            let _ = signal_hook::flag::register(signal, watchdog.control.flag());
        }
        let own = watchdog.clone();
        let last = DocumentEnd {
            output: args.output_options(),
            files: Files::of(args),
            mode: args.exit_code_mode,
        };
        // Without a thread there is no watchdog; deadlines are still looked at.
        let _ = std::thread::Builder::new()
            .name("watchdog".to_owned())
            .stack_size(STACK_SIZE)
            .spawn(move || own.watch(&last));
        watchdog
    }

    pub fn control(&self) -> &Control {
        &self.control
    }

    /// All that is left is to end the document. Only one of the two does it: if
    /// the watchdog was faster, this is the end.
    pub fn finished(&self) {
        while self.finished.swap(true, Ordering::SeqCst) {
            std::thread::park();
        }
        self.control.end_solvers();
    }

    fn watch(&self, last: &DocumentEnd) {
        while !self.control.interrupted() && !self.control.time_is_up() {
            std::thread::sleep(LOOK);
            if memory_is_used_up() {
                return self.end_for_want_of_memory(last);
            }
        }
        std::thread::sleep(GRACE_PERIOD);
        if self.finished.swap(true, Ordering::SeqCst) {
            return;
        }
        self.control.end_solvers();
        let tally = self.last_report(last, STOPPED);
        signal_hook::low_level::exit(exit::of(&tally, last.mode).into())
    }

    /// Tells of what was begun, and why it ends; nobody tells anything behind it.
    fn last_report(&self, last: &DocumentEnd, why: (Level, &str)) -> Tally {
        let mut text = Vec::new();
        let mut unfinished = self.unfinished_in_time();
        let mut none = Unfinished::default();
        let told = unfinished.as_deref_mut().unwrap_or(&mut none);
        let mut out = Screen::resume(&mut text, last.output, last.files.clone());
        // A text in memory can be written.
        let _ = told.tell(self.control.time_is_up(), why, &mut out);
        let mut tally = told.tally;
        tally.errors += out.errors;
        let _ = out.finish();
        std::mem::forget(unfinished);
        atomic_write::settle();
        if let Err(error) = standard_output::write_end(&text) {
            standard_output::report_write_error(&error);
            signal_hook::low_level::exit(exit::ERROR.into())
        }
        tally
    }

    /// Whoever has the lock is about to tell something, unless it cannot write.
    fn unfinished_in_time(&self) -> Option<MutexGuard<'_, Unfinished>> {
        let start = Instant::now();
        while start.elapsed() < 2 * GRACE_PERIOD {
            if let Some(unfinished) = self.control.try_unfinished() {
                return Some(unfinished);
            }
            std::thread::sleep(LOOK);
        }
        None
    }

    fn end_for_want_of_memory(&self, last: &DocumentEnd) {
        if self.finished.swap(true, Ordering::SeqCst) {
            return;
        }
        self.control.end_solvers();
        self.last_report(last, NO_MEMORY);
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

/// How the end of a document is told.
struct DocumentEnd {
    output: OutputOptions,
    files: Files,
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
