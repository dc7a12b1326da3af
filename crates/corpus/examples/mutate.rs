//! `cargo run --release -p corpus --example mutate -- [--count N] [--seed S]`:
//! tries the front end on mutated models and says how many it got wrong.
//!
//! `--only INDEX` runs a single input and prints it first.

use std::any::Any;
use std::cell::RefCell;
use std::panic::{self, AssertUnwindSafe};
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Mutex, MutexGuard};
use std::thread;
use std::time::{Duration, Instant};

use corpus::mutation_fuzz::{self, Fuzzer, Verdict};
use corpus::numbers::Numbers;

const THREADS: usize = 2;

/// An input that takes longer hangs.
const TIME_LIMIT: Duration = Duration::from_secs(10);

fn main() -> ExitCode {
    let args = match Args::parse() {
        Ok(args) => args,
        Err(message) => {
            eprintln!("{message}");
            return ExitCode::from(2);
        }
    };
    panic::set_hook(Box::new(|info| {
        let text = info.to_string();
        LAST_PANIC.with(|last| last.replace(text));
    }));
    let fuzzer = Fuzzer::new(&mutation_fuzz::all_models(), args.seed);
    println!("{} models, seed {}", fuzzer.models(), args.seed);
    let mut range = 0..args.count;
    if let Some(index) = args.only {
        let input = stacker::grow(syntax::STACK_SIZE, || fuzzer.input(index));
        println!("{}", input.text);
        range = index..index + 1;
    }
    let campaign = Campaign {
        fuzzer,
        seed: args.seed,
        next: AtomicU64::new(range.start),
        end: range.end,
        accepted: AtomicU64::new(0),
        refused: AtomicU64::new(0),
        failures: AtomicU64::new(0),
        running: Default::default(),
        start: Instant::now(),
    };
    campaign.run();
    campaign.summary(range.end - range.start)
}

struct Args {
    count: u64,
    seed: u64,
    only: Option<u64>,
}

impl Args {
    fn parse() -> Result<Args, String> {
        let given = Numbers::given(&["--count", "--seed", "--only"])?;
        Ok(Args {
            count: given.get("--count").unwrap_or(200_000),
            seed: given.get("--seed").unwrap_or(0),
            only: given.get("--only"),
        })
    }
}

thread_local! {
    /// What the panic that is being caught says, and where it comes from.
    static LAST_PANIC: RefCell<String> = const { RefCell::new(String::new()) };
}

/// What a thread is trying, and since when.
struct Running {
    index: u64,
    text: String,
    start: Instant,
}

struct Campaign {
    fuzzer: Fuzzer,
    seed: u64,
    next: AtomicU64,
    end: u64,
    accepted: AtomicU64,
    refused: AtomicU64,
    failures: AtomicU64,
    running: [Mutex<Option<Running>>; THREADS],
    start: Instant,
}

impl Campaign {
    fn run(&self) {
        thread::scope(|scope| {
            let workers: Vec<_> = (0..THREADS)
                .map(|slot| {
                    let worker = thread::Builder::new().stack_size(syntax::STACK_SIZE);
                    worker.spawn_scoped(scope, move || self.work(slot))
                })
                .collect();
            for worker in &workers {
                let worker = worker.as_ref().expect("a thread can be started");
                while !worker.is_finished() {
                    thread::sleep(Duration::from_millis(50));
                    self.watch();
                }
            }
        });
    }

    fn work(&self, slot: usize) {
        loop {
            let index = self.next.fetch_add(1, Relaxed);
            if index >= self.end {
                return;
            }
            let input = self
                .fuzzer
                .watched_input(index, |text| self.set_running(slot, index, text));
            self.set_running(slot, index, &input.text);
            let outcome = panic::catch_unwind(AssertUnwindSafe(|| mutation_fuzz::run(&input)));
            *self.slot(slot) = None;
            let counter = match outcome.unwrap_or_else(|payload| Err(panic_text(payload))) {
                Ok(Verdict::Accepted) => &self.accepted,
                Ok(Verdict::Refused) => &self.refused,
                Err(message) => {
                    self.failed(index, &input.text, &message);
                    &self.failures
                }
            };
            counter.fetch_add(1, Relaxed);
        }
    }

    fn set_running(&self, slot: usize, index: u64, text: &str) {
        *self.slot(slot) = Some(Running {
            index,
            text: text.to_owned(),
            start: Instant::now(),
        });
    }

    fn slot(&self, slot: usize) -> MutexGuard<'_, Option<Running>> {
        self.running[slot].lock().expect("no thread panics here")
    }

    /// A thread that hangs cannot be stopped: its input is reported and all
    /// ends.
    fn watch(&self) {
        for slot in 0..THREADS {
            if let Some(running) = &*self.slot(slot)
                && running.start.elapsed() > TIME_LIMIT
            {
                let message = format!("not done within {} s", TIME_LIMIT.as_secs());
                self.failed(running.index, &running.text, &message);
                std::process::abort();
            }
        }
    }

    fn failed(&self, index: u64, text: &str, message: &str) {
        println!("seed {} index {index}: {message}", self.seed);
        println!("  the input is in {}", self.save(index, text).display());
    }

    fn save(&self, index: u64, text: &str) -> PathBuf {
        let name = format!("kindred-mutate-{}-{index}.lus", self.seed);
        let path = std::env::temp_dir().join(name);
        if let Err(error) = std::fs::write(&path, text) {
            eprintln!("cannot write {}: {error}", path.display());
        }
        path
    }

    fn summary(&self, inputs: u64) -> ExitCode {
        let failures = self.failures.load(Relaxed);
        println!(
            "{inputs} inputs: {} accepted, {} refused, {failures} failures, {:.1} s",
            self.accepted.load(Relaxed),
            self.refused.load(Relaxed),
            self.start.elapsed().as_secs_f64(),
        );
        match failures {
            0 => ExitCode::SUCCESS,
            _ => ExitCode::FAILURE,
        }
    }
}

fn panic_text(_: Box<dyn Any + Send>) -> String {
    LAST_PANIC.with(|last| last.take())
}
