//! The options of invariant generation.

use clap::{ArgAction, Args};

use crate::options::default_options;
use crate::table::YIELD;

/// The heading of these options in the help.
pub const INVGEN: &str = "Invariant generation";

/// The flags `--invgen_…`.
#[derive(Args, Clone, Debug)]
pub struct InvariantOptions {
    /// Share only invariants that do not follow from others
    #[arg(id = "invgen_prune_trivial", long = "invgen_prune_trivial", help_heading = INVGEN, value_name = "BOOL")]
    #[arg(action = ArgAction::Set, default_value_t = true)]
    pub prune_trivial: bool,

    /// The largest k for generated invariants; 0 for no limit
    #[arg(id = "invgen_max_depth", long = "invgen_max_depth", help_heading = INVGEN, value_name = "N", default_value_t = 0)]
    pub max_depth: usize,

    /// Look for invariants among more candidates, whatever it costs
    #[arg(id = "invgen_all_out", long = "invgen_all_out", help_heading = INVGEN, value_name = "BOOL")]
    #[arg(action = ArgAction::Set, default_value_t = false)]
    pub all_out: bool,

    /// Take terms for invariants from the transition relation, not only from properties
    #[arg(id = "invgen_mine_trans", long = "invgen_mine_trans", help_heading = INVGEN, value_name = "BOOL")]
    #[arg(action = ArgAction::Set, default_value_t = true)]
    pub mine_transition: bool,

    /// Look for invariants that relate a state with the one before
    #[arg(id = "invgen_two_state", long = "invgen_two_state", help_heading = INVGEN, value_name = "BOOL")]
    #[arg(action = ArgAction::Set, default_value_t = true)]
    pub two_state: bool,

    /// Look for equalities only among Boolean terms
    #[arg(id = "invgen_bool_eq_only", long = "invgen_bool_eq_only", help_heading = INVGEN, value_name = "BOOL")]
    #[arg(action = ArgAction::Set, default_value_t = false)]
    pub boolean_equalities_only: bool,

    /// Look for equalities only among numeric terms
    #[arg(id = "invgen_arith_eq_only", long = "invgen_arith_eq_only", help_heading = INVGEN, value_name = "BOOL")]
    #[arg(action = ArgAction::Set, default_value_t = false)]
    pub arithmetic_equalities_only: bool,

    /// Look for invariants of the whole system only, not of called nodes
    #[arg(id = "invgen_top_only", long = "invgen_top_only", help_heading = INVGEN, value_name = "BOOL")]
    #[arg(action = ArgAction::Set, default_value_t = false)]
    pub top_only: bool,

    /// The largest k for invariants of a called node, before the next node comes; 0 for no limit
    #[arg(id = "invgen_max_succ", long = "invgen_max_succ", help_heading = INVGEN, value_name = "N", default_value_t = 1)]
    pub max_successive: usize,

    /// By how much invariant generation yields to other engines, once all run side by side
    #[arg(id = "invgen_renice", long = "invgen_renice", help_heading = INVGEN, value_name = "N")]
    #[arg(default_value_t = YIELD, value_parser = clap::value_parser!(u8).range(0..=19))]
    pub renice: u8,

    /// Make candidates for callers of the terms of called nodes, too
    #[arg(id = "invgen_lift_candidates", long = "invgen_lift_candidates", help_heading = INVGEN, value_name = "BOOL")]
    #[arg(action = ArgAction::Set, default_value_t = false)]
    pub lift_candidates: bool,
}

impl Default for InvariantOptions {
    fn default() -> InvariantOptions {
        default_options()
    }
}
