//! Exit codes, as Kind 2 documents them.

use session::Tally;

use crate::args::ExitCodeMode;

/// All went well.
pub const SUCCESS: u8 = 0;
/// A general error.
pub const ERROR: u8 = 1;
/// A command line that makes no sense.
pub const USAGE: u8 = 2;
/// A model that is refused.
pub const REFUSED: u8 = 3;
/// The solver that was asked for is not found.
pub const NO_SOLVER: u8 = 4;
/// The solver is unknown, too old, or without a theory that the model needs.
pub const UNSUPPORTED_SOLVER: u8 = 5;
/// Some property is disproved.
pub const DISPROVED: u8 = 40;
/// Some property could be neither proved nor disproved.
pub const UNKNOWN: u8 = 30;
/// Fewer mutants are killed than `--mutation_threshold` asks for.
pub const WEAK: u8 = 50;

/// The exit code for the results of a run.
pub fn of(tally: &Tally, mode: ExitCodeMode) -> u8 {
    let results = mode == ExitCodeMode::Results;
    match () {
        () if tally.errors > 0 => ERROR,
        () if tally.unfit => UNSUPPORTED_SOLVER,
        () if results && tally.disproved > 0 => DISPROVED,
        () if results && tally.unknown > 0 => UNKNOWN,
        () if tally.weak > 0 => WEAK,
        () if results && tally.incomplete > 0 => UNKNOWN,
        () => SUCCESS,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_worst_decides() {
        let mut tally = Tally::default();
        let code = |tally: &Tally| of(tally, ExitCodeMode::Results);
        assert_eq!(code(&tally), SUCCESS);
        tally.incomplete = 1;
        assert_eq!(code(&tally), UNKNOWN);
        assert_eq!(of(&tally, ExitCodeMode::OnlyErrors), SUCCESS);
        tally.weak = 1;
        assert_eq!(code(&tally), WEAK);
        assert_eq!(of(&tally, ExitCodeMode::OnlyErrors), WEAK);
        tally.unknown = 1;
        assert_eq!(code(&tally), UNKNOWN);
        tally.disproved = 1;
        assert_eq!(code(&tally), DISPROVED);
        tally.errors = 1;
        assert_eq!(code(&tally), ERROR);
    }
}
