//! Turns: how much is done for a mutant before the others have had as much.
//!
//! Most mutants are killed by a short run or proved by the invariants of the original, in
//! milliseconds. A few are as hard as any model. So there is a first turn for all without
//! engines, and then turns with engines, each four times as long as the one before, until
//! the budget of a mutant. Engines begin anew each time, which costs a third in all.
//!
//! The first turn is limited by the solver's work too: what it decides is the same on a
//! machine that has other things to do.

use std::time::Duration;

/// What is done for a mutant.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Turn {
    /// For runs and induction.
    pub time: Duration,
    /// For all engines, on what is left then.
    pub engines: Option<Duration>,
    pub is_last: bool,
}

impl Turn {
    /// The solver's work that is done in about the time for runs and induction.
    pub fn work(&self) -> u64 {
        work(self.time)
    }

    /// How many operations are spent on single states. They are few, or many: there is no
    /// use in a little more each time.
    pub fn states(&self) -> u64 {
        match (self.engines, self.is_last) {
            (None, _) => 2_000_000,
            (Some(_), false) => 0,
            (Some(_), true) => 50_000_000,
        }
    }
}

/// About as much of the solver's work as is done in a time.
pub(super) fn work(time: Duration) -> u64 {
    u64::try_from(time.as_micros()).unwrap_or(u64::MAX)
}

const FIRST: Duration = Duration::from_millis(500);

const FIRST_WITH_ENGINES: Duration = Duration::from_secs(1);

/// By how much a turn is longer than the one before.
const GROWTH: u32 = 4;

/// All turns of a mutant that is not decided before.
pub(super) fn turns(budget: Duration) -> Vec<Turn> {
    let mut turns = vec![Turn {
        time: FIRST,
        engines: None,
        is_last: false,
    }];
    let mut time = FIRST_WITH_ENGINES;
    while time < budget {
        turns.push(with_engines(time));
        time = time.saturating_mul(GROWTH);
    }
    turns.push(Turn {
        is_last: true,
        ..with_engines(budget)
    });
    turns
}

fn with_engines(time: Duration) -> Turn {
    Turn {
        time: time / 2,
        engines: Some(time),
        is_last: false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn turns_grow_up_to_the_budget() {
        let engines = |budget| {
            let turns = turns(Duration::from_secs(budget));
            assert!(turns.last().is_some_and(|turn| turn.is_last));
            assert_eq!(turns[0].engines, None);
            let seconds = turns[1..].iter().filter_map(|turn| turn.engines);
            seconds.map(|time| time.as_secs()).collect::<Vec<u64>>()
        };
        assert_eq!(engines(10), [1, 4, 10]);
        assert_eq!(engines(1), [1]);
        assert_eq!(engines(0), [0]);
        assert_eq!(
            turns(Duration::MAX).last().map(|turn| turn.engines),
            Some(Some(Duration::MAX))
        );
    }
}
