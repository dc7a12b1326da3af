//! The options of contract checks.

use std::path::PathBuf;

use analysis::QE;
use clap::{ArgAction, Args, ValueEnum};

use crate::post::headings::CONTRACTS;

/// The flags of `--enable CONTRACTCK`.
#[derive(Args, Clone, Debug)]
pub struct ContractCheckOptions {
    /// Show a trace and a conflict for a contract that no component can honour
    #[arg(id = "print_deadlock", long = "print_deadlock", help_heading = CONTRACTS, value_name = "BOOL")]
    #[arg(action = ArgAction::Set, default_value_t = true)]
    pub print_deadlock: bool,

    /// Write that trace to a file instead; text only
    #[arg(id = "dump_deadlock", long = "dump_deadlock", help_heading = CONTRACTS, value_name = "BOOL")]
    #[arg(action = ArgAction::Set, default_value_t = false)]
    pub dump_deadlock: bool,

    /// Check whether some run keeps a contract that no component can honour
    #[arg(id = "check_contract_is_sat", long = "check_contract_is_sat", help_heading = CONTRACTS, value_name = "BOOL")]
    #[arg(action = ArgAction::Set, default_value_t = true)]
    pub check_satisfiable: bool,

    /// Check the contracts of nodes with a body, too, and the environment of every node: can the
    /// assumptions be kept for ever, whatever the outputs are?
    #[arg(id = "check_environment", long = "check_environment", help_heading = CONTRACTS, value_name = "BOOL")]
    #[arg(action = ArgAction::Set, default_value_t = false)]
    pub check_environment: bool,

    /// Which conflicts of a contract are shown: that of the last step of the trace, or all minimal
    /// sets of guarantees and modes that no component can honour, with the maximal ones that one
    /// can
    #[arg(id = "conflicts", long = "conflicts", help_heading = CONTRACTS, value_name = "WHICH", default_value = "last")]
    pub conflicts: ShownConflicts,

    /// What the assumptions exclude does not count when lost states are generalised
    #[arg(id = "ae_val_use_ctx", long = "ae_val_use_ctx", help_heading = QE, value_name = "BOOL")]
    #[arg(action = ArgAction::Set, default_value_t = true)]
    pub use_assumptions: bool,

    /// Show the states from which a component can honour the contract for ever
    #[arg(id = "print_viable_states", long = "print_viable_states", help_heading = CONTRACTS, value_name = "BOOL")]
    #[arg(action = ArgAction::Set, default_value_t = false)]
    pub print_viable_states: bool,

    /// Write a node that honours each realizable contract to this folder, and an environment that
    /// beats every component for each of the others
    #[arg(id = "synthesize", long = "synthesize", help_heading = CONTRACTS, value_name = "DIR")]
    pub synthesize: Option<PathBuf>,
}

/// Which conflicts are shown.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
#[value(rename_all = "snake_case")]
pub enum ShownConflicts {
    Last,
    All,
}
