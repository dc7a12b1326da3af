//! Threads that are kept for the next who needs one.
//!
//! A thread that asks Z3 has a context of its own, and a context is dear: its tables
//! are written whole when it is made, which takes as long as many a proof. So a
//! thread whose work is over waits for more, with its context, unless that has
//! grown large; and threads can be made before they are needed.

use std::sync::mpsc::{Sender, channel};
use std::sync::{Arc, Condvar, Mutex, MutexGuard};
use std::time::{Duration, Instant};

/// Terms can be deep, and engines walk them.
const STACK_SIZE: usize = 64 << 20;

/// How many threads wait at most.
const MAX_IDLE: usize = 4;

/// After this time of work a context is taken to be large: it does not give back
/// the memory that its terms needed.
const LARGE: Duration = Duration::from_millis(500);

type Work = Box<dyn FnOnce() + Send>;

/// The threads that wait for work.
static IDLE: Mutex<Vec<Sender<Task>>> = Mutex::new(Vec::new());

fn idle() -> MutexGuard<'static, Vec<Sender<Task>>> {
    IDLE.lock().unwrap_or_else(|e| e.into_inner())
}

struct Task {
    work: Work,
    finished: Finished,
    /// May the thread have more work afterwards?
    keep: bool,
}

/// Is the work over?
#[derive(Default)]
struct End {
    reached: Mutex<bool>,
    changed: Condvar,
}

impl End {
    fn reached(&self) -> MutexGuard<'_, bool> {
        self.reached.lock().unwrap_or_else(|e| e.into_inner())
    }
}

/// Tells that work is over, be it that it panics.
struct Finished(Arc<End>);

impl Drop for Finished {
    fn drop(&mut self) {
        *self.0.reached() = true;
        self.0.changed.notify_all();
    }
}

/// Work in another thread.
pub(crate) struct Running(Arc<End>);

impl Running {
    pub fn is_finished(&self) -> bool {
        *self.0.reached()
    }

    /// Waits for its end.
    pub fn join(&self) {
        let mut reached = self.0.reached();
        while !*reached {
            let waited = self.0.changed.wait(reached);
            reached = waited.unwrap_or_else(|e| e.into_inner());
        }
    }
}

/// What becomes of a thread, and how it came to be.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Reuse {
    /// Others may have worked in it before, and may later.
    Any,
    /// It is new, and ends with its work: which terms a context has seen before
    /// has an influence on what it answers, and a run is to be the same every time.
    Never,
    /// It ends with its work, which changes the thread for good.
    Last,
}

/// Does work in another thread.
pub(crate) fn run(reuse: Reuse, work: impl FnOnce() + Send + 'static) -> std::io::Result<Running> {
    let end = Arc::new(End::default());
    let mut task = Task {
        work: Box::new(work),
        finished: Finished(end.clone()),
        keep: reuse == Reuse::Any,
    };
    if reuse != Reuse::Never {
        while let Some(thread) = next_idle() {
            match thread.send(task) {
                Ok(()) => return Ok(Running(end)),
                // That thread is gone.
                Err(unsent) => task = unsent.0,
            }
        }
    }
    start(Some(task))?;
    Ok(Running(end))
}

fn next_idle() -> Option<Sender<Task>> {
    idle().pop()
}

/// Has threads wait for work: some of what an analysis needs can be made while its
/// model is read. Whether they come to be is not important.
pub fn prepare(count: usize) {
    for _ in 0..count {
        let _ = start(None);
    }
}

fn start(first: Option<Task>) -> std::io::Result<()> {
    let thread = std::thread::Builder::new()
        .name("worker".to_owned())
        .stack_size(STACK_SIZE);
    let (sender, tasks) = channel();
    let early = first.is_none();
    match first {
        Some(task) => sender.send(task).unwrap_or_default(),
        None => idle().push(sender.clone()),
    }
    thread.spawn(move || {
        if early {
            smt::warm_up();
        }
        while let Ok(task) = tasks.recv() {
            if !done(task) {
                return;
            }
            let mut idle = idle();
            if idle.len() >= MAX_IDLE {
                return;
            }
            idle.push(sender.clone());
        }
    })?;
    Ok(())
}

/// Does the work; may the thread have more?
fn done(task: Task) -> bool {
    let begin = Instant::now();
    let work = std::panic::AssertUnwindSafe(task.work);
    let outcome = std::panic::catch_unwind(|| { work }.0());
    drop(task.finished);
    task.keep && outcome.is_ok() && begin.elapsed() < LARGE
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::channel;
    use std::thread::{ThreadId, current};

    use super::*;

    #[test]
    fn work_is_done_and_a_panic_is_the_end_of_its_thread_alone() {
        let (sender, threads) = channel::<ThreadId>();
        for at in 0..6 {
            let sender = sender.clone();
            let work = move || {
                sender.send(current().id()).expect("the test listens");
                assert!(at % 2 == 0, "a panic that the test wants");
            };
            let reuse = [Reuse::Any, Reuse::Never, Reuse::Last][at % 3];
            let running = run(reuse, work).expect("a thread");
            running.join();
            assert!(running.is_finished());
        }
        assert_eq!(threads.try_iter().count(), 6);
    }

    #[test]
    fn a_new_thread_is_new() {
        let (sender, threads) = channel::<ThreadId>();
        for reuse in [Reuse::Any, Reuse::Any, Reuse::Never, Reuse::Never] {
            let sender = sender.clone();
            let work = move || sender.send(current().id()).expect("the test listens");
            let running = run(reuse, work).expect("a thread");
            running.join();
            assert!(running.is_finished());
        }
        let threads: Vec<ThreadId> = threads.try_iter().collect();
        assert_eq!(threads.len(), 4);
        assert!(!threads[..3].contains(&threads[3]));
        assert!(!threads[..2].contains(&threads[2]));
    }
}
