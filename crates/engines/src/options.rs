//! The options of engines, each a struct that is also its command line.

use clap::{ArgAction, Args, Command};

/// Options with the defaults of the command line, where alone they are written.
pub fn default_options<T: Args>() -> T {
    let command = T::augment_args(Command::new("defaults").no_binary_name(true));
    let matches = command.get_matches_from(std::iter::empty::<&str>());
    T::from_arg_matches(&matches).expect("no option is required")
}

/// The heading of the options of bounded model checking and k-induction in the help.
pub const IND: &str = "BMC and k-induction";

/// How far systems are unrolled.
#[derive(Args, Clone, Debug)]
pub struct UnrollOptions {
    /// The longest runs and the largest k that are tried; 0 for no limit (also `--bmc_max`)
    #[arg(id = "unroll_max", long = "unroll_max", alias = "bmc_max", help_heading = IND, value_name = "N")]
    #[arg(default_value_t = 0)]
    pub max_depth: usize,

    /// Check that there are runs at all of each length
    #[arg(id = "bmc_check_unroll", long = "bmc_check_unroll", help_heading = IND, value_name = "BOOL")]
    #[arg(action = ArgAction::Set, default_value_t = true)]
    pub check_unrolling: bool,
}

impl Default for UnrollOptions {
    fn default() -> UnrollOptions {
        default_options()
    }
}
