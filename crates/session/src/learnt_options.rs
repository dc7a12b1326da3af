//! Options about what proofs and runs leave behind.

use std::path::PathBuf;

use analysis::InvariantForms;
use clap::{ArgAction, Args};

/// What becomes of invariants, of advice and of inputs.
#[derive(Args, Clone, Debug)]
pub struct LearntOptions {
    /// After each analysis, show the invariants that its proofs need
    #[arg(long = "print_invs", value_name = "BOOL", default_value_t = false)]
    #[arg(action = ArgAction::Set)]
    pub print_invs: bool,

    /// After each analysis, write the invariants that its proofs need to the output folder,
    /// as a contract
    #[arg(long = "log_invs", value_name = "BOOL", default_value_t = false)]
    #[arg(action = ArgAction::Set)]
    pub log_invs: bool,

    /// Begin with what the file says earlier runs have learnt, and write to it what this one
    /// has
    #[arg(long = "advice", value_name = "FILE")]
    #[arg(conflicts_with_all = ["read_advice", "write_advice"])]
    pub advice: Option<PathBuf>,

    /// Begin with what the file says earlier runs have learnt
    #[arg(long = "read_advice", value_name = "FILE")]
    pub read_advice: Option<PathBuf>,

    /// Write what this run has learnt to a file
    #[arg(long = "write_advice", value_name = "FILE")]
    pub write_advice: Option<PathBuf>,

    /// Have the inputs of counterexamples change as seldom as possible
    #[arg(long = "smooth", value_name = "BOOL", default_value_t = false)]
    #[arg(action = ArgAction::Set)]
    pub smooth: bool,
}

impl LearntOptions {
    /// The forms in which the invariants of proofs are reported.
    pub(crate) fn invariants(&self) -> InvariantForms {
        InvariantForms {
            shown: self.print_invs,
            contract: self.log_invs,
        }
    }
}
