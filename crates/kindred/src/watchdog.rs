//! Deadlines and interruptions.
//!
//! All parts of an analysis poll the clock and the interrupt flag, and end with the results so far.
//! If one does not end in time, the watchdog reports the unfinished work ([`Unfinished`]), closes
//! the document, and ends the process. It does the same when memory is nearly used up: a failed
//! allocation would abort the process without a message.

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

/// How long the watchdog waits after the deadline; an analysis usually ends by itself within this
/// time.
const GRACE_PERIOD: Duration = Duration::from_millis(420);

const POLL_INTERVAL: Duration = Duration::from_millis(10);

impl Watchdog {
    /// Starts the watchdog and the time of `--timeout`.
    pub fn start(args: &Args) -> Watchdog {
        let watchdog = Watchdog {
            control: Control::new(seconds(args.timeout)),
            finished: Arc::default(),
        };
        let hang_up = (!hang_ups_are_ignored()).then_some(SIGHUP);
        for signal in [SIGINT, SIGTERM].into_iter().chain(hang_up) {
            // If this fails, the signal ends the process at once, which is acceptable.
            let _ = signal_hook::flag::register(signal, watchdog.control.flag());
        }
        let own = watchdog.clone();
        let last = DocumentEnd {
            output: args.output_options(),
            files: Files::of(args),
            mode: args.exit_code_mode,
        };
        // Without a thread there is no watchdog, but analyses still poll the deadline.
        let _ = std::thread::Builder::new()
            .name("watchdog".to_owned())
            .stack_size(STACK_SIZE)
            .spawn(move || own.watch(&last));
        watchdog
    }

    pub fn control(&self) -> &Control {
        &self.control
    }

    /// Called before the main thread ends the document. If the watchdog is ending it already, this
    /// does not return.
    pub fn finished(&self) {
        while self.finished.swap(true, Ordering::SeqCst) {
            std::thread::park();
        }
        self.control.end_solvers();
    }

    fn watch(&self, last: &DocumentEnd) {
        while !self.control.interrupted() && !self.control.time_is_up() {
            std::thread::sleep(POLL_INTERVAL);
            if memory_is_used_up() {
                return self.end_out_of_memory(last);
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

    /// Reports the unfinished work and the reason; no other thread reports anything afterwards.
    fn last_report(&self, last: &DocumentEnd, why: (Level, &str)) -> Tally {
        let mut text = Vec::new();
        let mut unfinished = self.unfinished_in_time();
        let mut none = Unfinished::default();
        let told = unfinished.as_deref_mut().unwrap_or(&mut none);
        let mut out = Screen::resume(&mut text, last.output, last.files.clone());
        // Writing to memory does not fail.
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

    /// Waits for the lock: a thread that holds it is telling an event, and soon releases it unless
    /// its output blocks.
    fn unfinished_in_time(&self) -> Option<MutexGuard<'_, Unfinished>> {
        let start = Instant::now();
        while start.elapsed() < 2 * GRACE_PERIOD {
            if let Some(unfinished) = self.control.try_unfinished() {
                return Some(unfinished);
            }
            std::thread::sleep(POLL_INTERVAL);
        }
        None
    }

    fn end_out_of_memory(&self, last: &DocumentEnd) {
        if self.finished.swap(true, Ordering::SeqCst) {
            return;
        }
        self.control.end_solvers();
        self.last_report(last, NO_MEMORY);
        signal_hook::low_level::exit(exit::ERROR.into())
    }
}

/// The usual reason why a document ends early.
const STOPPED: (Level, &str) = (Level::Warn, "stopped: what is known is above");

const NO_MEMORY: (Level, &str) = (
    Level::Error,
    "stopped: memory is used up; what is known is above",
);

/// The part of the memory limits at which the process is ended; solvers stop by themselves below
/// it.
const MOST_MEMORY: f64 = 0.9;

fn memory_is_used_up() -> bool {
    Limits::get().exceeded(Usage::now(), MOST_MEMORY)
}

/// What is needed to end the document.
struct DocumentEnd {
    output: OutputOptions,
    files: Files,
    mode: ExitCodeMode,
}

/// Stack for the watchdog's report: names and tables can be long.
const STACK_SIZE: usize = 16 << 20;

/// Does the process ignore the loss of its terminal, as under `nohup`?
fn hang_ups_are_ignored() -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status
        .lines()
        .find_map(|line| line.strip_prefix("SigIgn:"))
        .and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok());
    mask.is_some_and(|mask| mask & (1 << (SIGHUP - 1)) != 0)
}
