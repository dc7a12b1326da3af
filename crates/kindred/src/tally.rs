//! What a run has come to, in numbers, and the exit code that says so.

use crate::args::ExitCodeMode;
use crate::exit;

#[derive(Clone, Copy, Default, Debug)]
pub struct Tally {
    pub properties: usize,
    pub disproved: usize,
    /// Properties that are not decided, and nodes that were not analysed.
    pub unknown: usize,
    /// Internal errors, and files that cannot be written.
    pub errors: usize,
    /// Analyses in which too few mutants are killed, or in which none could be judged.
    pub weak: usize,
    /// Searches that ended before they had what was asked for: cores, cut sets,
    /// certificates, mutants.
    pub incomplete: usize,
    /// The solver has no theory of something in the model.
    pub unfit: bool,
}

/// What an analysis of the results has come to.
#[derive(Clone, Copy, Default, Debug)]
pub struct PostAnalysis {
    /// Internal errors, and files that cannot be written.
    pub errors: usize,
    /// Searches that ended before they had what was asked for.
    pub incomplete: usize,
}

impl Tally {
    pub fn add(&mut self, outcome: PostAnalysis) {
        self.errors += outcome.errors;
        self.incomplete += outcome.incomplete;
    }

    pub fn exit_code(&self, mode: ExitCodeMode) -> u8 {
        let results = mode == ExitCodeMode::Results;
        match () {
            () if self.errors > 0 => exit::ERROR,
            () if self.unfit => exit::UNSUPPORTED_SOLVER,
            () if results && self.disproved > 0 => exit::DISPROVED,
            () if results && self.unknown > 0 => exit::UNKNOWN,
            () if self.weak > 0 => exit::WEAK,
            () if results && self.incomplete > 0 => exit::UNKNOWN,
            () => exit::SUCCESS,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_worst_decides() {
        let mut tally = Tally::default();
        let code = |tally: &Tally| tally.exit_code(ExitCodeMode::Results);
        assert_eq!(code(&tally), exit::SUCCESS);
        tally.incomplete = 1;
        assert_eq!(code(&tally), exit::UNKNOWN);
        assert_eq!(tally.exit_code(ExitCodeMode::OnlyErrors), exit::SUCCESS);
        tally.weak = 1;
        assert_eq!(code(&tally), exit::WEAK);
        assert_eq!(tally.exit_code(ExitCodeMode::OnlyErrors), exit::WEAK);
        tally.unknown = 1;
        assert_eq!(code(&tally), exit::UNKNOWN);
        tally.disproved = 1;
        assert_eq!(code(&tally), exit::DISPROVED);
        tally.errors = 1;
        assert_eq!(code(&tally), exit::ERROR);
    }
}
