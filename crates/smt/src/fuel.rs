//! A budget of solver work for a thread.
//!
//! Work is counted in the solver's own units, which are the same on every machine: engines that
//! share one thread take turns by it, and a run can be repeated exactly. Some queries take long and
//! count for few units, those about bit-vectors above all. So the budget can have a deadline as
//! well; where runs must be repeatable, it is measured in work too ([`clock`](crate::clock)). A
//! query in a thread whose budget is spent is answered "unknown" at once.

use std::cell::Cell;
use std::time::Duration;

use crate::clock::{self, Moment};

thread_local! {
    static FUEL: Cell<Option<u64>> = const { Cell::new(None) };
    static DEADLINE: Cell<Option<Moment>> = const { Cell::new(None) };
}

/// Sets the budget of the thread, in work and in time; no limit if `None`.
pub fn refuel(units: Option<u64>, time: Option<Duration>) {
    FUEL.set(units);
    DEADLINE.set(time.map(|time| Moment::now() + time));
}

/// Does work with at most one of `parts` equal parts of the remaining budget. What the work does
/// not spend is available afterwards.
pub fn share<R>(parts: u64, work: impl FnOnce() -> R) -> R {
    let (fuel, deadline) = (FUEL.get(), DEADLINE.get());
    let own = fuel.map(|fuel| fuel / parts);
    let time = time_left().map(|time| time / u32::try_from(parts).unwrap_or(u32::MAX));
    refuel(own, time);
    let result = work();
    let left = FUEL.get();
    let spent = own.zip(left).map_or(0, |(own, left)| own - left);
    FUEL.set(fuel.map(|fuel| fuel - spent));
    DEADLINE.set(deadline);
    result
}

/// Does work with a timeout, or the thread's deadline if that is sooner.
pub(crate) fn within<R>(time: Duration, work: impl FnOnce() -> R) -> R {
    let deadline = DEADLINE.get();
    let time = capped_time(Some(time)).unwrap_or(time);
    DEADLINE.set(Some(Moment::now() + time));
    let result = work();
    DEADLINE.set(deadline);
    result
}

/// Moves the deadline: something that is not the engine's work took this long.
pub(crate) fn postpone(time: Duration) {
    if !clock::is_by_work() {
        DEADLINE.set(DEADLINE.get().map(|deadline| deadline + time));
    }
}

/// The time that is left.
fn time_left() -> Option<Duration> {
    Some(DEADLINE.get()?.left())
}

pub(crate) fn is_limited() -> bool {
    FUEL.get().is_some() || DEADLINE.get().is_some()
}

/// Has the thread spent its budget?
pub fn is_empty() -> bool {
    FUEL.get() == Some(0) || time_left() == Some(Duration::ZERO)
}

/// The limit of a query that has one of its own, or none.
pub(crate) fn capped(own: Option<u32>) -> Option<u32> {
    let Some(fuel) = FUEL.get() else {
        return own;
    };
    // Z3 reads a limit of zero as no limit.
    let fuel = u32::try_from(fuel).unwrap_or(u32::MAX).max(1);
    Some(own.map_or(fuel, |own| own.min(fuel)))
}

/// The time limit of a query that has one of its own, or none.
pub(crate) fn capped_time(own: Option<Duration>) -> Option<Duration> {
    own.into_iter().chain(time_left()).min()
}

/// Subtracts the work of a query from the budget.
pub fn burn(units: u64) {
    clock::count(units.max(1));
    if let Some(fuel) = FUEL.get() {
        FUEL.set(Some(fuel.saturating_sub(units.max(1))));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_share_leaves_the_rest() {
        refuel(Some(90), None);
        share(3, || {
            burn(20);
            assert!(!is_empty());
            burn(20);
            assert!(is_empty());
        });
        assert_eq!(FUEL.get(), Some(60));
        share(2, || burn(10));
        assert_eq!(FUEL.get(), Some(50));
        refuel(None, None);
        share(2, || burn(10));
        assert!(!is_limited());
    }
}
