//! The options of searches for cut sets.

use std::path::PathBuf;

use clap::{ArgAction, Args};
use system::Element;

use crate::elements::Category;
use crate::post::headings::MCS;

/// The flags `--mcs…`.
#[derive(Args, Clone, Debug)]
pub struct CutSetOptions {
    /// Look at these elements only; the others never fail; may be repeated
    /// [default: annotations, those marked with `weakly`]
    #[arg(id = "mcs_category", long = "mcs_category", help_heading = MCS, value_name = "CATEGORY")]
    pub category: Vec<Category>,

    /// Look at elements of the main node only
    #[arg(id = "mcs_only_main_node", long = "mcs_only_main_node", help_heading = MCS, value_name = "BOOL")]
    #[arg(action = ArgAction::Set, default_value_t = false)]
    pub only_main_node: bool,

    /// Find all minimal cut sets
    #[arg(id = "mcs_all", long = "mcs_all", help_heading = MCS, value_name = "BOOL", default_value_t = false)]
    #[arg(action = ArgAction::Set)]
    pub all: bool,

    /// A cut set that is smallest among runs of one length will do; not with `--mcs_all`
    #[arg(id = "mcs_approximate", long = "mcs_approximate", help_heading = MCS, value_name = "BOOL")]
    #[arg(action = ArgAction::Set, default_value_t = true)]
    pub approximate: bool,

    /// Find cut sets of up to so many elements; -1 for any number
    #[arg(id = "mcs_max_cardinality", long = "mcs_max_cardinality", help_heading = MCS, value_name = "N")]
    #[arg(default_value_t = -1, allow_negative_numbers = true)]
    max_cardinality: i64,

    /// For each property by itself, not for all together
    #[arg(id = "mcs_per_property", long = "mcs_per_property", help_heading = MCS, value_name = "BOOL")]
    #[arg(action = ArgAction::Set, default_value_t = true)]
    pub per_property: bool,

    /// Read what the failure of elements costs from a file with lines `node,element,cost`; the
    /// least costly cut set is found. Others cost 1, or what their `--%FAULT` says
    #[arg(id = "mcs_cost", long = "mcs_cost", help_heading = MCS, value_name = "FILE")]
    pub cost: Option<PathBuf>,

    /// Every scalar equation of every instance is an element, not only the stateful ones
    #[arg(id = "mcs_flat", long = "mcs_flat", help_heading = MCS, value_name = "BOOL", default_value_t = false)]
    #[arg(action = ArgAction::Set)]
    pub flat: bool,

    /// Show the cut sets
    #[arg(id = "print_mcs", long = "print_mcs", help_heading = MCS, value_name = "BOOL", default_value_t = true)]
    #[arg(action = ArgAction::Set)]
    pub print: bool,

    /// Show the elements that are not in a cut set
    #[arg(id = "print_mcs_complement", long = "print_mcs_complement", help_heading = MCS, value_name = "BOOL")]
    #[arg(action = ArgAction::Set, default_value_t = false)]
    pub print_complement: bool,

    /// Show a run with each cut set that violates the property; not with `--print_mcs_legacy`
    #[arg(id = "print_mcs_cex", long = "print_mcs_cex", help_heading = MCS, value_name = "BOOL")]
    #[arg(alias = "print_mcs_counterexample", action = ArgAction::Set, default_value_t = false)]
    print_cex: bool,

    /// Show each cut set on one line; text only
    #[arg(id = "print_mcs_legacy", long = "print_mcs_legacy", help_heading = MCS, value_name = "BOOL")]
    #[arg(action = ArgAction::Set, default_value_t = false)]
    pub legacy: bool,
}

impl CutSetOptions {
    fn categories(&self) -> &[Category] {
        match self.category.is_empty() {
            true => &[Category::Annotations],
            false => &self.category,
        }
    }

    pub fn wants(&self, element: &Element, main: &str) -> bool {
        let here = !self.only_main_node || element.node == main;
        here && self.categories().iter().any(|c| c.has(element))
    }

    /// The names of the categories that are looked at.
    pub fn category_names(&self) -> Vec<&'static str> {
        self.categories().iter().map(|c| c.name()).collect()
    }

    /// Are runs shown?
    pub fn counterexamples(&self) -> bool {
        self.print_cex && !self.legacy
    }

    pub fn largest(&self) -> Option<usize> {
        usize::try_from(self.max_cardinality).ok()
    }
}
