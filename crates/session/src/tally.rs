//! The numbers of a run, for its exit code.

/// Counts of the results that were told.
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

/// The result of a post-analysis.
#[derive(Clone, Copy, Default, Debug)]
pub struct PostOutcome {
    /// Internal errors, and files that cannot be written.
    pub errors: usize,
    /// Searches that ended before they had what was asked for.
    pub incomplete: usize,
}

impl Tally {
    pub fn add(&mut self, outcome: PostOutcome) {
        self.errors += outcome.errors;
        self.incomplete += outcome.incomplete;
    }
}
