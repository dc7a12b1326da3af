//! The budget of all engines of an analysis together, where its time is measured in work.
//!
//! Engines that end by the clock find less on a machine that has other things to do. So they go on
//! until they have done the solver's work for which there would have been time otherwise. How much
//! that is can only be estimated: per second on a core, engines count between twice as many units
//! as usual and a sixth of them. They also simulate and build terms, queries about bit-vectors
//! count for little, and an external solver counts microseconds. The budget therefore asks for the
//! work of engines that count few units ([`LOW_RATE`]). Others have done it early; they go on for
//! as long as a limit by the clock would allow. Those that count still less end after a multiple of
//! that time ([`GUARD`]).

use std::time::{Duration, Instant};

use smt::{Clock, GUARD, Meter, Moment};

/// Engines do at least one part in so many of the work that a time stands for.
const LOW_RATE: u32 = 6;

pub(crate) struct WorkBudget {
    start: Instant,
    time: Duration,
    /// When the work is done.
    end: Moment,
}

impl WorkBudget {
    /// For so many engines whose work a meter counts; the time is for each core.
    pub fn new(meter: &Meter, time: Duration, engines: usize) -> WorkBudget {
        let cores = std::thread::available_parallelism().map_or(1, |cores| cores.get());
        let cores = u32::try_from(engines.clamp(1, cores)).unwrap_or(u32::MAX);
        let work = (time / LOW_RATE).saturating_mul(cores);
        WorkBudget {
            start: Instant::now(),
            time,
            end: Clock::Work(meter.clone()).now() + work,
        }
    }

    pub fn is_spent(&self) -> bool {
        let elapsed = self.start.elapsed();
        elapsed >= self.time.saturating_mul(GUARD) || (elapsed >= self.time && self.end.is_past())
    }
}

#[cfg(test)]
mod tests {
    use smt::{Choice, SolverContext};

    use super::*;

    #[test]
    fn the_budget_is_work_and_time() {
        let meter = Meter::default();
        let context = SolverContext::new(Choice::default(), Clock::Counted(meter.clone()));
        let short = WorkBudget::new(&meter, Duration::from_millis(10), 1);
        let long = WorkBudget::new(&meter, Duration::from_secs(3_600), 1);
        context.burn(1 << 40);
        // The work is done, and the time is not over.
        assert!(!long.is_spent());
        std::thread::sleep(Duration::from_millis(10));
        assert!(short.is_spent());
        // Without work, the clock ends it late.
        let idle = WorkBudget::new(&meter, Duration::from_millis(1), 1);
        std::thread::sleep(GUARD * Duration::from_millis(1));
        assert!(idle.is_spent());
    }
}
