//! Time for budgets: by the clock, or by the solver's work.
//!
//! A budget in seconds makes a run depend on the machine and its load. A job can measure time in
//! the solver's work instead ([`SolverContext::by_work`](crate::SolverContext::by_work)), which is
//! the same in every run: a [`Moment`] is an amount of work, and the time limit of a query becomes
//! a limit of work. Jobs that share a [`Meter`] must not work at the same time.
//!
//! Limits that the user gives in seconds, such as `--timeout`, are always measured by the clock.

use std::ops::Add;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// All the work of some jobs so far, in the solver's units.
#[derive(Clone, Debug, Default)]
pub struct Meter(Arc<AtomicU64>);

impl Meter {
    fn count(&self, units: u64) {
        self.0.fetch_add(units, Ordering::Relaxed);
    }

    /// The time that the work so far stands for.
    fn time(&self) -> Duration {
        let units = self.0.load(Ordering::Relaxed);
        Duration::from_micros(units / (UNITS_PER_MILLISECOND / 1_000))
    }
}

/// Z3 does about so much in a millisecond.
const UNITS_PER_MILLISECOND: u64 = 5_000;

/// The work that a time stands for; not zero, which stands for no limit.
pub(crate) fn work_in(time: Duration) -> u32 {
    let micros = u64::try_from(time.as_micros()).unwrap_or(u64::MAX);
    let units = micros.saturating_mul(UNITS_PER_MILLISECOND / 1_000);
    u32::try_from(units).unwrap_or(u32::MAX).max(1)
}

/// How the time of a job is measured.
#[derive(Clone, Debug, Default)]
pub(crate) enum Clock {
    #[default]
    Real,
    Work(Meter),
}

impl Clock {
    pub fn now(&self) -> Moment {
        Moment(match self {
            Clock::Real => At::Real(Instant::now()),
            Clock::Work(meter) => At::Work(meter.clone(), meter.time()),
        })
    }

    /// So much work was done.
    pub fn count(&self, units: u64) {
        if let Clock::Work(meter) = self {
            meter.count(units);
        }
    }
}

/// A point in time, or in the work that a meter counts.
#[derive(Clone, Debug)]
pub struct Moment(At);

#[derive(Clone, Debug)]
enum At {
    Real(Instant),
    Work(Meter, Duration),
}

impl Moment {
    /// How long ago this was.
    pub fn elapsed(&self) -> Duration {
        match &self.0 {
            At::Real(then) => then.elapsed(),
            At::Work(meter, then) => meter.time().saturating_sub(*then),
        }
    }

    /// How long it is until then.
    pub fn left(&self) -> Duration {
        match &self.0 {
            At::Real(then) => then.saturating_duration_since(Instant::now()),
            At::Work(meter, then) => then.saturating_sub(meter.time()),
        }
    }

    pub fn is_past(&self) -> bool {
        self.left().is_zero()
    }
}

impl Add<Duration> for Moment {
    type Output = Moment;

    fn add(self, time: Duration) -> Moment {
        const FAR: Duration = Duration::from_secs(1 << 32);
        Moment(match self.0 {
            At::Real(at) => At::Real(at + time.min(FAR)),
            At::Work(meter, at) => At::Work(meter, at.saturating_add(time)),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn work_is_time() {
        let clock = Clock::Work(Meter::default());
        let start = clock.now();
        let end = start.clone() + Duration::from_millis(2);
        clock.count(UNITS_PER_MILLISECOND);
        assert_eq!(start.elapsed(), Duration::from_millis(1));
        assert_eq!(end.left(), Duration::from_millis(1));
        clock.count(UNITS_PER_MILLISECOND);
        assert!(end.is_past());
        let clock = Clock::Real;
        let start = clock.now();
        clock.count(1 << 40);
        assert!(start.elapsed() < Duration::from_secs(60));
        assert!(!(start + Duration::MAX).is_past());
    }

    #[test]
    fn threads_share_a_meter() {
        let meter = Meter::default();
        let start = Clock::Work(meter.clone()).now();
        let work = move || Clock::Work(meter).count(3 * UNITS_PER_MILLISECOND);
        std::thread::spawn(work).join().expect("it does not panic");
        assert_eq!(start.elapsed(), Duration::from_millis(3));
    }
}
