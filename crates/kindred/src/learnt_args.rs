//! Options about what proofs and runs leave behind.

use std::path::PathBuf;

use clap::Args;

#[derive(Args, Debug)]
pub struct LearntArgs {
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
}
