//! Stops queries from other threads.
//!
//! Z3's handle for interrupts must not outlive the context of its thread, and contexts are freed so
//! that a run of many analyses does not keep their memory. So the handle stays with the thread: a
//! helper thread beside it waits for requests, and ends when the work is done.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard};
use std::time::Duration;

use z3::{Context, ContextHandle};

use crate::context::SolverContext;

/// Stops the query that another thread is waiting for.
#[derive(Clone)]
pub struct Interrupter(Arc<Requests>);

impl Interrupter {
    /// Interrupts the work; does nothing if it is over.
    pub fn interrupt(&self) {
        self.0.interrupted.store(true, Ordering::Relaxed);
        self.0.state().requested = true;
        self.0.changed.notify_all();
    }
}

/// Creates the Z3 context of the calling thread before it is needed.
pub fn warm_up() {
    Context::thread_local();
}

impl SolverContext {
    /// Does work that other threads may interrupt: the queries of the job's solvers then end
    /// without an answer.
    pub fn interruptible<R>(&self, work: impl FnOnce(Interrupter) -> R) -> R {
        self.beside(Requests::serve, |requests| work(Interrupter(requests)))
    }

    /// Runs a query and interrupts it soon after `wanted` becomes false. Nothing may be asserted
    /// meanwhile.
    pub fn query_while<R>(
        &self,
        wanted: &(dyn Fn() -> bool + Sync),
        query: impl FnOnce() -> R,
    ) -> R {
        self.beside(
            |requests, handle| requests.watch(wanted, handle),
            |_| query(),
        )
    }

    /// Does work with a helper thread beside it.
    fn beside<R>(
        &self,
        help: impl FnOnce(&Requests, &ContextHandle) + Send,
        work: impl FnOnce(Arc<Requests>) -> R,
    ) -> R {
        let z3 = Context::thread_local();
        let handle = z3.handle();
        let requests = Arc::new(Requests::default());
        self.job.requests.borrow_mut().push(requests.clone());
        let result = std::thread::scope(|scope| {
            scope.spawn(|| help(&requests, &handle));
            let _end = End(self, &requests);
            work(requests.clone())
        });
        if requests.interrupted.load(Ordering::Relaxed) {
            forget_interrupts();
        }
        result
    }

    /// Was the work of this job interrupted? The job polls this while it waits for an external
    /// solver.
    pub(crate) fn is_interrupted(&self) -> bool {
        let interrupted = |requests: &Arc<Requests>| requests.interrupted.load(Ordering::Relaxed);
        self.job.requests.borrow().iter().any(interrupted)
    }
}

/// Clears a pending interrupt of the context. An interrupt between two queries stays pending until
/// the next query, and Z3 loses the assertions that are made meanwhile, so that a query could be
/// answered "sat" wrongly. The answers of interrupted work are discarded anyway; this protects the
/// next work of the thread.
fn forget_interrupts() {
    z3::Solver::new().check();
}

#[derive(Default)]
pub(crate) struct Requests {
    /// Was there an interrupt at any time so far?
    interrupted: AtomicBool,
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    requested: bool,
    over: bool,
}

impl Requests {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(|e| e.into_inner())
    }

    fn serve(&self, handle: &ContextHandle) {
        let mut state = self.state();
        while !state.over {
            if std::mem::take(&mut state.requested) {
                handle.interrupt();
            }
            let waited = self.changed.wait(state);
            state = waited.unwrap_or_else(|e| e.into_inner());
        }
    }

    /// Interrupts a query that is no longer wanted, repeatedly: it may not have begun yet.
    fn watch(&self, wanted: &(dyn Fn() -> bool + Sync), handle: &ContextHandle) {
        let mut state = self.state();
        while !state.over {
            let waited = self.changed.wait_timeout(state, POLL_INTERVAL);
            (state, _) = waited.unwrap_or_else(|e| e.into_inner());
            if !state.over && !wanted() {
                self.interrupted.store(true, Ordering::Relaxed);
                handle.interrupt();
            }
        }
    }
}

/// How often `wanted` is polled.
const POLL_INTERVAL: Duration = Duration::from_millis(1);

/// Signals the end of the work when dropped, also on a panic.
struct End<'r>(&'r SolverContext, &'r Requests);

impl Drop for End<'_> {
    fn drop(&mut self) {
        self.0.job.requests.borrow_mut().pop();
        self.1.state().over = true;
        self.1.changed.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::channel;

    use system::{Sort, System, Var};

    use super::*;
    use crate::{Answer, Solver, Z3};

    /// A sum of three cubes, which Z3 does not solve in any reasonable time.
    fn hard(solver: &mut Z3) {
        let cubes = (0..3).map(|at| {
            let x = system::var(Var(at), Sort::Int);
            system::mul(&x, &system::mul(&x, &x))
        });
        let sum = system::add(cubes);
        solver.assert(&system::eq(&sum, &system::integer(114)), 0);
    }

    #[test]
    fn a_query_can_be_interrupted() {
        let (sender, receiver) = channel();
        let thread = std::thread::spawn(move || {
            let context = SolverContext::default();
            context.interruptible(|interrupter| {
                let system = System::of_inputs(vec![Sort::Int; 3]);
                let mut solver = Z3::new(&context, Arc::new(system));
                hard(&mut solver);
                // The receiver is gone if the test has failed.
                let _ = sender.send(interrupter);
                solver.check(&[])
            })
        });
        let interrupter = receiver.recv().expect("the thread is there");
        while !thread.is_finished() {
            interrupter.interrupt();
            std::thread::sleep(Duration::from_millis(1));
        }
        assert!(matches!(thread.join(), Ok(Answer::Unknown(_))));
        // The work is over, so this has no effect.
        interrupter.interrupt();
    }

    /// Work without a query that is interrupted all the same.
    fn interrupted(interrupter: Interrupter) {
        interrupter.interrupt();
        while interrupter.0.state().requested {
            std::thread::yield_now();
        }
    }

    /// An interrupt may come when the last query is over: the work that follows in the
    /// same thread must not notice.
    #[test]
    fn an_interrupt_between_queries_is_lost() {
        let system = Arc::new(System::of_inputs(vec![Sort::Int]));
        let x = system::var(Var(0), Sort::Int);
        let positive = system::lt(&system::integer(0), &x);
        let negative = system::lt(&x, &system::integer(0));
        let context = SolverContext::default();
        for _ in 0..3 {
            let mut solver = Z3::new(&context, system.clone());
            solver.assert(&positive, 0);
            Context::thread_local().interrupt();
            assert_eq!(solver.check(&[]), Answer::Sat);
            context.interruptible(interrupted);
            solver.assert(&negative, 0);
            assert_eq!(solver.check(&[]), Answer::Unsat);
            context.interruptible(interrupted);
        }
    }

    #[test]
    fn what_is_not_wanted_any_more_ends() {
        let system = Arc::new(System::of_inputs(vec![Sort::Int; 3]));
        let context = SolverContext::default();
        let mut solver = Z3::new(&context, system.clone());
        hard(&mut solver);
        let asked = AtomicBool::new(false);
        let wanted = || !asked.swap(true, Ordering::Relaxed);
        let answer = context.query_while(&wanted, || solver.check(&[]));
        assert!(matches!(answer, Answer::Unknown(_)));
        // The thread's other work goes on.
        assert_eq!(Z3::new(&context, system).check(&[]), Answer::Sat);
    }

    #[test]
    fn work_that_panics_ends() {
        let result =
            std::panic::catch_unwind(|| SolverContext::default().interruptible(|_| panic!("over")));
        assert!(result.is_err());
    }
}
