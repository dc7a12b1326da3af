//! Time for budgets: by the clock, or by the solver's work.
//!
//! A budget in seconds makes a run depend on the machine and its load. So a job can measure time in
//! the solver's work instead ([`Clock`]), which is the same on every machine: a [`Moment`] is an
//! amount of work, and the time limit of a query becomes a limit of work. Jobs that share a
//! [`Meter`] for this must not work at the same time.
//!
//! Limits that the user gives in seconds, such as `--timeout`, are measured by the clock.

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

/// How many times longer than by its work a job with [`Clock::Guarded`] may take.
pub const GUARD: u32 = 4;

/// How the time of a job is measured.
#[derive(Clone, Debug, Default)]
pub enum Clock {
    /// By the clock.
    #[default]
    Real,
    /// By the clock; the work is counted beside.
    Counted(Meter),
    /// In work alone: a run is the same every time.
    Work(Meter),
    /// In work; but some queries take long and count for little, those about bit-vectors above
    /// all, and building a formula is no work of the solver. So time is also a [`GUARD`]th part of
    /// the time by the clock, if that is more.
    Guarded(Meter),
}

impl Clock {
    pub fn now(&self) -> Moment {
        let start = match self {
            Clock::Real | Clock::Counted(_) => Start::Real(Instant::now()),
            Clock::Work(meter) => Start::Work(meter.clone(), meter.time()),
            Clock::Guarded(meter) => Start::Guarded(meter.clone(), meter.time(), Instant::now()),
        };
        Moment {
            start,
            after: Duration::ZERO,
        }
    }

    /// Counts the work, if there is one.
    pub(crate) fn meter(&self) -> Option<&Meter> {
        match self {
            Clock::Real => None,
            Clock::Counted(meter) | Clock::Work(meter) | Clock::Guarded(meter) => Some(meter),
        }
    }

    /// So much work was done.
    pub(crate) fn count(&self, units: u64) {
        if let Some(meter) = self.meter() {
            meter.count(units);
        }
    }
}

/// A point in time, or in the work that a meter counts.
#[derive(Clone, Debug)]
pub struct Moment {
    start: Start,
    /// The time from the start to this moment.
    after: Duration,
}

#[derive(Clone, Debug)]
enum Start {
    Real(Instant),
    Work(Meter, Duration),
    Guarded(Meter, Duration, Instant),
}

impl Start {
    fn elapsed(&self) -> Duration {
        match self {
            Start::Real(then) => then.elapsed(),
            Start::Work(meter, then) => meter.time().saturating_sub(*then),
            Start::Guarded(meter, then, real) => {
                let work = meter.time().saturating_sub(*then);
                work.max(real.elapsed() / GUARD)
            }
        }
    }
}

impl Moment {
    /// How long ago this was.
    pub fn elapsed(&self) -> Duration {
        self.start.elapsed().saturating_sub(self.after)
    }

    /// How long it is until then.
    pub fn left(&self) -> Duration {
        self.after.saturating_sub(self.start.elapsed())
    }

    pub fn is_past(&self) -> bool {
        self.left().is_zero()
    }
}

impl Add<Duration> for Moment {
    type Output = Moment;

    fn add(self, time: Duration) -> Moment {
        Moment {
            after: self.after.saturating_add(time),
            ..self
        }
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
    fn work_without_units_takes_time_all_the_same() {
        let clock = Clock::Guarded(Meter::default());
        let start = clock.now();
        std::thread::sleep(GUARD * Duration::from_millis(2));
        assert!(start.elapsed() >= Duration::from_millis(2));
        clock.count(3_600_000 * UNITS_PER_MILLISECOND);
        assert!(start.elapsed() >= Duration::from_secs(3_600));
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
