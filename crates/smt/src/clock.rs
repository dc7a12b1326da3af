//! Time for budgets: by the clock, or by the solver's work.
//!
//! A budget in seconds makes a run depend on the machine and its load. In a thread that works
//! [`by_work`], time is measured in the solver's work instead, which is the same in every run: a
//! [`Moment`] is an amount of work, and the time limit of a query becomes a limit of work. The
//! threads of one run share a [`Meter`]; they must not work at the same time.
//!
//! Limits that the user gives in seconds, such as `--timeout`, are always measured by the clock.

use std::cell::RefCell;
use std::ops::Add;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// All the work of a run so far, in the solver's units.
#[derive(Clone, Debug, Default)]
pub struct Meter(Arc<AtomicU64>);

thread_local! {
    static METER: RefCell<Option<Meter>> = const { RefCell::new(None) };
}

/// Z3 does about so much in a millisecond.
const UNITS_PER_MILLISECOND: u64 = 5_000;

/// Does something in which time is measured in work.
pub fn by_work<R>(meter: &Meter, work: impl FnOnce() -> R) -> R {
    struct Restore(Option<Meter>);
    impl Drop for Restore {
        fn drop(&mut self) {
            METER.set(self.0.take());
        }
    }
    let _restore = Restore(METER.replace(Some(meter.clone())));
    work()
}

/// The meter of this thread, if time is measured in work.
pub fn meter() -> Option<Meter> {
    METER.with_borrow(Clone::clone)
}

pub(crate) fn is_by_work() -> bool {
    METER.with_borrow(Option::is_some)
}

/// So much work was done.
pub(crate) fn count(units: u64) {
    METER.with_borrow(|meter| {
        if let Some(Meter(done)) = meter {
            done.fetch_add(units, Ordering::Relaxed);
        }
    });
}

/// The work that a time stands for; not zero, which stands for no limit.
pub(crate) fn work_in(time: Duration) -> u32 {
    let micros = u64::try_from(time.as_micros()).unwrap_or(u64::MAX);
    let units = micros.saturating_mul(UNITS_PER_MILLISECOND / 1_000);
    u32::try_from(units).unwrap_or(u32::MAX).max(1)
}

/// A point in time, or in the work of a run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Moment(At);

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum At {
    Clock(Instant),
    /// The time that the work so far stands for.
    Work(Duration),
}

impl Moment {
    pub fn now() -> Moment {
        let done = METER.with_borrow(|meter| {
            let meter = meter.as_ref()?;
            Some(meter.0.load(Ordering::Relaxed))
        });
        Moment(match done {
            Some(units) => At::Work(Duration::from_micros(
                units / (UNITS_PER_MILLISECOND / 1_000),
            )),
            None => At::Clock(Instant::now()),
        })
    }

    /// How long ago this was.
    pub fn elapsed(self) -> Duration {
        match (Moment::now().0, self.0) {
            (At::Clock(now), At::Clock(then)) => now.saturating_duration_since(then),
            (At::Work(now), At::Work(then)) => now.saturating_sub(then),
            // A moment of the other kind cannot be compared.
            _ => Duration::ZERO,
        }
    }

    /// How long it is until then.
    pub fn left(self) -> Duration {
        match (Moment::now().0, self.0) {
            (At::Clock(now), At::Clock(then)) => then.saturating_duration_since(now),
            (At::Work(now), At::Work(then)) => then.saturating_sub(now),
            _ => Duration::MAX,
        }
    }

    pub fn is_past(self) -> bool {
        self.left().is_zero()
    }
}

impl Add<Duration> for Moment {
    type Output = Moment;

    fn add(self, time: Duration) -> Moment {
        const FAR: Duration = Duration::from_secs(1 << 32);
        Moment(match self.0 {
            At::Clock(at) => At::Clock(at + time.min(FAR)),
            At::Work(at) => At::Work(at.saturating_add(time)),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn work_is_time() {
        let meter = Meter::default();
        by_work(&meter, || {
            let start = Moment::now();
            let end = start + Duration::from_millis(2);
            count(UNITS_PER_MILLISECOND);
            assert_eq!(start.elapsed(), Duration::from_millis(1));
            assert_eq!(end.left(), Duration::from_millis(1));
            count(UNITS_PER_MILLISECOND);
            assert!(end.is_past());
        });
        assert!(!is_by_work());
        let start = Moment::now();
        count(1 << 40);
        assert!(start.elapsed() < Duration::from_secs(60));
        assert!(!(start + Duration::MAX).is_past());
    }

    #[test]
    fn threads_share_a_meter() {
        let meter = Meter::default();
        let other = meter.clone();
        by_work(&meter, || {
            let start = Moment::now();
            let work = move || by_work(&other, || count(3 * UNITS_PER_MILLISECOND));
            std::thread::spawn(work).join().expect("it does not panic");
            assert_eq!(start.elapsed(), Duration::from_millis(3));
        });
    }
}
