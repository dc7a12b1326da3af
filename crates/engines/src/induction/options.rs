//! The options of k-induction.

use clap::{ArgAction, Args};
use proof::Compression;

use crate::options::{IND, default_options};

/// The flags `--ind_…`.
#[derive(Args, Clone, Debug)]
pub struct InductionOptions {
    /// Leave out paths with shortcuts in k-induction, by the strategies below
    #[arg(id = "ind_compress", long = "ind_compress", help_heading = IND, value_name = "BOOL")]
    #[arg(action = ArgAction::Set, default_value_t = true)]
    pub compress: bool,

    /// No two states before the last are equal
    #[arg(id = "ind_compress_equal", long = "ind_compress_equal", help_heading = IND, value_name = "BOOL")]
    #[arg(action = ArgAction::Set, default_value_t = true)]
    equal: bool,

    /// No state could go on to a later one at once, with the inputs that led to it
    #[arg(id = "ind_compress_same_succ", long = "ind_compress_same_succ", help_heading = IND, value_name = "BOOL")]
    #[arg(action = ArgAction::Set, default_value_t = false)]
    same_successors: bool,

    /// No two states could follow on the same steps, the last one included
    #[arg(id = "ind_compress_same_pred", long = "ind_compress_same_pred", help_heading = IND, value_name = "BOOL")]
    #[arg(action = ArgAction::Set, default_value_t = false)]
    same_predecessors: bool,

    /// Show paths on which k-induction fails; their first states need not be reachable
    #[arg(id = "ind_print_cex", long = "ind_print_cex", help_heading = IND, value_name = "BOOL")]
    #[arg(action = ArgAction::Set, default_value_t = false)]
    pub tell_failures: bool,

    /// For each property that stays unknown, show the last path on which k-induction fails
    #[arg(id = "print_cti", long = "print_cti", help_heading = IND, value_name = "BOOL")]
    #[arg(action = ArgAction::Set, default_value_t = false)]
    pub tell_last_failures: bool,

    /// Use invariants in k-induction only where an attempt violates them
    #[arg(id = "ind_lazy_invariants", long = "ind_lazy_invariants", help_heading = IND, value_name = "BOOL")]
    #[arg(action = ArgAction::Set, default_value_t = false)]
    pub lazy_invariants: bool,
}

impl Default for InductionOptions {
    fn default() -> InductionOptions {
        default_options()
    }
}

impl InductionOptions {
    /// Which paths are left out.
    pub fn compression(&self) -> Compression {
        Compression {
            equal: self.compress && self.equal,
            same_predecessors: self.compress && self.same_predecessors,
            same_successors: self.compress && self.same_successors,
        }
    }

    /// Are paths on which induction fails of interest?
    pub fn tells_attempts(&self) -> bool {
        self.tell_failures || self.tell_last_failures
    }
}
