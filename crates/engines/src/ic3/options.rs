//! The options of IC3.

use std::path::PathBuf;
use std::sync::LazyLock;

use clap::{ArgAction, Args, ValueEnum};

use crate::options::default_options;

/// The headings of these options in the help.
pub const IC3IA: &str = "IC3 with implicit abstraction";
pub const IC3QE: &str = "IC3 with quantifier elimination";
pub const QE: &str = "Quantifier elimination";

/// How variables are eliminated from pre-images.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum QeMethod {
    // Z3 eliminates them from the whole pre-image.
    Precise,
    // Z3 eliminates them from an implicant of it.
    Impl,
    // The projection of `qe`, from an implicant.
    Cooper,
}

/// Which part of a disjunction an implicant takes.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum QeExtract {
    // The first that holds in the model.
    First,
    // One with few of the variables that are to be eliminated.
    Vars,
}

/// The flags `--ic3ia_…` and `--ic3qe_…`.
#[derive(Args, Clone, Debug)]
pub struct Ic3Options {
    /// How many instances of IC3IA run at the same time; each takes properties in turn
    #[arg(id = "ic3ia_max", long = "ic3ia_max", help_heading = IC3IA, value_name = "N", default_value_t = 2)]
    pub ic3ia_max: usize,

    /// How IC3QE and contract checks eliminate variables: by Z3 from the whole formula, by Z3 from
    /// an implicant, or by the built-in projection of an implicant
    #[arg(id = "qe_method", long = "qe_method", help_heading = QE, value_name = "METHOD", default_value = "cooper")]
    pub qe_method: QeMethod,

    /// Which part of a disjunction an implicant has: the first that holds in the model, or one with
    /// few of the variables that are to be eliminated
    #[arg(id = "qe_extract", long = "qe_extract", help_heading = QE, value_name = "WHICH", default_value = "first")]
    pub qe_extract: QeExtract,

    /// IC3QE tells other engines about clauses that are inductive alone
    #[arg(id = "ic3qe_check_inductive", long = "ic3qe_check_inductive", help_heading = IC3QE, value_name = "BOOL")]
    #[arg(action = ArgAction::Set, default_value_t = true)]
    pub check_inductive: bool,

    /// IC3QE drops literals of clauses: 0 never, 1 in their order, 2 those first that were seldom
    /// needed
    #[arg(id = "ic3qe_inductively_generalize", long = "ic3qe_inductively_generalize", help_heading = IC3QE, value_name = "N")]
    #[arg(default_value_t = 1, value_parser = clap::value_parser!(u8).range(0..=2))]
    pub generalise: u8,

    /// IC3QE blocks cubes in future frames too
    #[arg(id = "ic3qe_block_in_future", long = "ic3qe_block_in_future", help_heading = IC3QE, value_name = "BOOL")]
    #[arg(action = ArgAction::Set, default_value_t = true)]
    pub block_in_future: bool,

    /// IC3QE does so before it returns to their successors
    #[arg(id = "ic3qe_block_in_future_first", long = "ic3qe_block_in_future_first", help_heading = IC3QE, value_name = "BOOL")]
    #[arg(action = ArgAction::Set, default_value_t = true)]
    pub block_in_future_first: bool,

    /// IC3QE pushes clauses as they were before generalisation, if need be
    #[arg(id = "ic3qe_fwd_prop_non_gen", long = "ic3qe_fwd_prop_non_gen", help_heading = IC3QE, value_name = "BOOL")]
    #[arg(action = ArgAction::Set, default_value_t = true)]
    pub push_original: bool,

    /// IC3QE generalises clauses again after pushing them
    #[arg(id = "ic3qe_fwd_prop_ind_gen", long = "ic3qe_fwd_prop_ind_gen", help_heading = IC3QE, value_name = "BOOL")]
    #[arg(action = ArgAction::Set, default_value_t = true)]
    pub push_generalised: bool,

    /// IC3QE forgets clauses that others subsume
    #[arg(id = "ic3qe_fwd_prop_subsume", long = "ic3qe_fwd_prop_subsume", help_heading = IC3QE, value_name = "BOOL")]
    #[arg(action = ArgAction::Set, default_value_t = true)]
    pub subsume: bool,

    /// A file for the clauses that IC3QE blocks states with (in the folder of
    /// `--output_dir`, unless the path is absolute)
    #[arg(id = "ic3qe_print_to_file", long = "ic3qe_print_to_file", help_heading = IC3QE, value_name = "FILE")]
    pub print_to_file: Option<PathBuf>,

    /// IC3QE uses what other engines prove
    #[arg(id = "ic3qe_use_invgen", long = "ic3qe_use_invgen", help_heading = IC3QE, value_name = "BOOL")]
    #[arg(action = ArgAction::Set, default_value_t = true)]
    pub use_lemmas: bool,
}

impl Default for Ic3Options {
    fn default() -> Ic3Options {
        default_options()
    }
}

impl Ic3Options {
    /// What IC3IA runs with.
    pub(crate) fn of_abstraction() -> Ic3Options {
        static OPTIONS: LazyLock<Ic3Options> = LazyLock::new(|| Ic3Options {
            check_inductive: false,
            generalise: 2,
            push_original: false,
            push_generalised: false,
            ..Ic3Options::default()
        });
        OPTIONS.clone()
    }
}
