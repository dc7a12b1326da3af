//! The budget of solver work that a job has.
//!
//! Work is counted in the solver's own units, which are the same on every machine: engines that
//! share one thread take turns by it, and a run can be repeated exactly. Some queries take long and
//! count for few units, those about bit-vectors above all. So the budget can have a deadline as
//! well; where runs must be repeatable, it is measured in work too ([`clock`](crate::clock)). A
//! query of a job whose budget is spent is answered "unknown" at once.

use std::time::Duration;

use crate::clock::{Clock, GUARD, Moment, work_in};
use crate::context::SolverContext;
use crate::solver::{Limits, SolverLimits};

impl SolverContext {
    /// Sets the budget, in work and in time; no limit if `None`.
    pub fn refuel(&self, units: Option<u64>, time: Option<Duration>) {
        self.job.fuel.set(units);
        self.set_deadline(time.map(|time| self.now() + time));
    }

    fn set_deadline(&self, deadline: Option<Moment>) -> Option<Moment> {
        self.job.deadline.replace(deadline)
    }

    /// Does work with at most one of `parts` equal parts of the remaining budget. What the work
    /// does not spend is available afterwards.
    pub fn share<R>(&self, parts: u64, work: impl FnOnce() -> R) -> R {
        let fuel = self.job.fuel.get();
        let own = fuel.map(|fuel| fuel / parts);
        let time = self.time_left();
        let time = time.map(|time| time / u32::try_from(parts).unwrap_or(u32::MAX));
        self.job.fuel.set(own);
        let deadline = self.set_deadline(time.map(|time| self.now() + time));
        let result = work();
        let left = self.job.fuel.get();
        let spent = own.zip(left).map_or(0, |(own, left)| own - left);
        self.job.fuel.set(fuel.map(|fuel| fuel - spent));
        self.set_deadline(deadline);
        result
    }

    /// Does work with a timeout, or the job's deadline if that is sooner.
    pub(crate) fn within<R>(&self, time: Duration, work: impl FnOnce() -> R) -> R {
        let time = self.capped_time(Some(time)).unwrap_or(time);
        let deadline = self.set_deadline(Some(self.now() + time));
        let result = work();
        self.set_deadline(deadline);
        result
    }

    /// Moves the deadline: something that is not the engine's work took this long.
    pub(crate) fn postpone(&self, time: Duration) {
        if let Clock::Real | Clock::Counted(_) = self.clock() {
            let deadline = self.set_deadline(None);
            self.set_deadline(deadline.map(|deadline| deadline + time));
        }
    }

    /// The time that is left.
    fn time_left(&self) -> Option<Duration> {
        self.job.deadline.borrow().as_ref().map(Moment::left)
    }

    pub(crate) fn is_limited(&self) -> bool {
        self.job.fuel.get().is_some() || self.job.deadline.borrow().is_some()
    }

    /// Has the job spent its budget?
    pub fn is_spent(&self) -> bool {
        self.job.fuel.get() == Some(0) || self.time_left() == Some(Duration::ZERO)
    }

    /// The limit of a query that has one of its own, or none.
    pub(crate) fn capped(&self, own: Option<u32>) -> Option<u32> {
        let Some(fuel) = self.job.fuel.get() else {
            return own;
        };
        // Z3 reads a limit of zero as no limit.
        let fuel = u32::try_from(fuel).unwrap_or(u32::MAX).max(1);
        Some(own.map_or(fuel, |own| own.min(fuel)))
    }

    /// The time limit of a query that has one of its own, or none.
    pub(crate) fn capped_time(&self, own: Option<Duration>) -> Option<Duration> {
        own.into_iter().chain(self.time_left()).min()
    }

    /// The limits of a query as the solver has to know them, by the clock and in work, within the
    /// remaining budget.
    pub(crate) fn query_limits(&self, own: Limits) -> SolverLimits {
        let given = own.time.into_iter().chain(own.real).min();
        let (time, work, real) = match self.clock() {
            Clock::Real | Clock::Counted(_) => (self.capped_time(given), None, None),
            Clock::Work(_) => (None, self.capped_time(given), None),
            Clock::Guarded(_) => {
                let time = self.capped_time(own.time);
                let guard = time.map(|time| time.saturating_mul(GUARD));
                (guard, time, own.real)
            }
        };
        let work = work.map(work_in);
        SolverLimits {
            time: time.into_iter().chain(real).min(),
            resources: self.capped(own.resources).into_iter().chain(work).min(),
        }
    }

    /// Subtracts the work of a query from the budget.
    pub fn burn(&self, units: u64) {
        let units = units.max(1);
        self.clock().count(units);
        if let Some(fuel) = self.job.fuel.get() {
            self.job.fuel.set(Some(fuel.saturating_sub(units)));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_share_leaves_the_rest() {
        let context = SolverContext::default();
        context.refuel(Some(90), None);
        context.share(3, || {
            context.burn(20);
            assert!(!context.is_spent());
            context.burn(20);
            assert!(context.is_spent());
        });
        assert_eq!(context.job.fuel.get(), Some(60));
        context.share(2, || context.burn(10));
        assert_eq!(context.job.fuel.get(), Some(50));
        context.refuel(None, None);
        context.share(2, || context.burn(10));
        assert!(!context.is_limited());
    }
}
