//! The options of searches for cores and cut sets.

use std::path::PathBuf;
use std::time::Duration;

use clap::{ArgAction, Args, ValueEnum};
use report::{IvcOptions, McsOptions};
use system::{Element, ElementKind};

use crate::kind2::{IVC, MCS};

/// Which elements are in question.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
#[value(rename_all = "snake_case")]
pub enum Category {
    NodeCalls,
    Contracts,
    Equations,
    Assertions,
    /// What is marked with `weakly`.
    Annotations,
}

impl Category {
    /// As the schemas have it.
    fn name(self) -> &'static str {
        match self {
            Category::NodeCalls => "nodeCalls",
            Category::Contracts => "contracts",
            Category::Equations => "equations",
            Category::Assertions => "assertions",
            Category::Annotations => "annotations",
        }
    }

    pub fn has(self, element: &Element) -> bool {
        use ElementKind::*;
        match self {
            Category::NodeCalls => element.kind == Call,
            Category::Contracts => {
                matches!(element.kind, Assumption | Guarantee | Require | Ensure)
            }
            Category::Equations => matches!(element.kind, Equation | Ghost | Binding),
            Category::Assertions => element.kind == Assertion,
            Category::Annotations => element.weak,
        }
    }
}

/// What stands for what a core does not have.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
#[value(rename_all = "snake_case")]
pub enum Minimize {
    No,
    /// Calls of imported nodes: the program can be analysed again.
    ValidLustre,
    /// `_`
    Concise,
}

#[derive(Args, Debug)]
pub struct IvcArgs {
    /// Find out which elements of the model the proofs need: an inductive validity core
    #[arg(id = "ivc", long = "ivc", help_heading = IVC, value_name = "BOOL", default_value_t = false)]
    #[arg(action = ArgAction::Set)]
    ivc: bool,

    /// Look at these elements only; the others are always there; may be repeated
    /// [default: all categories]
    #[arg(id = "ivc_category", long = "ivc_category", help_heading = IVC, value_name = "CATEGORY")]
    category: Vec<Category>,

    /// Find all minimal cores
    #[arg(id = "ivc_all", long = "ivc_all", help_heading = IVC, value_name = "BOOL", default_value_t = false)]
    #[arg(action = ArgAction::Set)]
    all: bool,

    /// A core that need not be minimal will do; not with `--ivc_all` or `--ivc_must_set`
    #[arg(id = "ivc_approximate", long = "ivc_approximate", help_heading = IVC, value_name = "BOOL")]
    #[arg(action = ArgAction::Set, default_value_t = true)]
    approximate: bool,

    /// Find a smallest core first
    #[arg(id = "ivc_smallest_first", long = "ivc_smallest_first", help_heading = IVC, value_name = "BOOL")]
    #[arg(action = ArgAction::Set, default_value_t = false)]
    smallest_first: bool,

    /// Look at elements of the main node only
    #[arg(id = "ivc_only_main_node", long = "ivc_only_main_node", help_heading = IVC, value_name = "BOOL")]
    #[arg(action = ArgAction::Set, default_value_t = false)]
    only_main_node: bool,

    /// Find the elements too that no proof can do without
    #[arg(id = "ivc_must_set", long = "ivc_must_set", help_heading = IVC, value_name = "BOOL")]
    #[arg(action = ArgAction::Set, default_value_t = false)]
    must_set: bool,

    /// For each property by itself, not for all together
    #[arg(id = "ivc_per_property", long = "ivc_per_property", help_heading = IVC, value_name = "BOOL")]
    #[arg(action = ArgAction::Set, default_value_t = false)]
    per_property: bool,

    /// Show which property needs which element (all cores of each property are looked for), and
    /// write it to a file of comma-separated values in the output folder
    #[arg(id = "ivc_matrix", long = "ivc_matrix", help_heading = IVC, value_name = "BOOL")]
    #[arg(action = ArgAction::Set, default_value_t = false)]
    pub matrix: bool,

    /// Write a page that shows the source, coloured by what the properties need of it
    #[arg(id = "ivc_html", long = "ivc_html", help_heading = IVC, value_name = "BOOL", default_value_t = false)]
    #[arg(action = ArgAction::Set)]
    pub html: bool,

    /// Write the program with each core and without the other elements
    #[arg(id = "minimize_program", long = "minimize_program", help_heading = IVC, value_name = "STYLE")]
    #[arg(default_value = "no")]
    pub minimize: Minimize,

    /// Where these programs are written [default: the path of the model without its extension]
    #[arg(id = "ivc_output_dir", long = "ivc_output_dir", help_heading = IVC, value_name = "FOLDER")]
    pub output_dir: Option<PathBuf>,

    /// Every scalar equation of every instance is an element, not only the stateful ones
    #[arg(id = "ivc_flat", long = "ivc_flat", help_heading = IVC, value_name = "BOOL", default_value_t = false)]
    #[arg(action = ArgAction::Set)]
    pub flat: bool,

    /// Show the cores
    #[arg(id = "print_ivc", long = "print_ivc", help_heading = IVC, value_name = "BOOL", default_value_t = true)]
    #[arg(action = ArgAction::Set)]
    pub print: bool,

    /// Show the elements that are not in a core
    #[arg(id = "print_ivc_complement", long = "print_ivc_complement", help_heading = IVC, value_name = "BOOL")]
    #[arg(action = ArgAction::Set, default_value_t = false)]
    pub print_complement: bool,

    /// Find the cut sets of up to so many elements before all cores
    #[arg(id = "ivc_precomputed_mcs", long = "ivc_precomputed_mcs", help_heading = IVC, value_name = "N", default_value_t = 0)]
    precomputed_mcs: usize,

    /// Do not find the MUST set on the way to all cores
    #[arg(id = "ivc_disable_must_opt", long = "ivc_disable_must_opt", help_heading = IVC, value_name = "BOOL")]
    #[arg(action = ArgAction::Set, default_value_t = false)]
    disable_must: bool,

    /// Find all cores without minimising each: those that are not minimal are dropped at the end
    #[arg(id = "ivc_offline", long = "ivc_offline", help_heading = IVC, value_name = "BOOL", default_value_t = false)]
    #[arg(action = ArgAction::Set)]
    offline: bool,

    /// Milliseconds for each question about an unsatisfiable core; 0 for no limit but that of the search
    #[arg(id = "ivc_uc_timeout", long = "ivc_uc_timeout", help_heading = IVC, value_name = "MS", default_value_t = 0)]
    uc_timeout: u64,

    /// Seconds for each question whether some elements are enough, for cut sets too
    /// [default: 30 and five times what the proof and a first core took]
    #[arg(id = "ivc_verify_timeout", long = "ivc_verify_timeout", help_heading = IVC, value_name = "SECONDS")]
    pub verify_timeout: Option<u64>,
}

impl IvcArgs {
    pub fn wants(&self, element: &Element, main: &str) -> bool {
        let here = !self.only_main_node || element.node == main;
        here && (self.category.is_empty() || self.category.iter().any(|c| c.has(element)))
    }

    /// Are cores wanted? Who wants something made of them does.
    pub fn is_wanted(&self) -> bool {
        self.ivc || self.traces() || self.minimize != Minimize::No
    }

    /// Is what each property needs wanted?
    pub fn traces(&self) -> bool {
        self.matrix || self.html
    }

    pub fn per_property(&self) -> bool {
        self.per_property || self.traces()
    }

    pub fn search(&self) -> traceability::ivc::Options {
        traceability::ivc::Options {
            all: self.finds_all(),
            approximate: self.approximate,
            smallest_first: self.smallest_first,
            must_set: self.finds_must(),
            precomputed_mcs: self.precomputed_mcs,
            disable_must: self.disable_must,
            offline: self.offline,
        }
    }

    pub fn core_time(&self) -> Option<Duration> {
        (self.uc_timeout > 0).then(|| Duration::from_millis(self.uc_timeout))
    }

    pub fn finds_all(&self) -> bool {
        self.all || self.traces()
    }

    fn finds_must(&self) -> bool {
        self.must_set || self.traces()
    }

    /// For the head of a document.
    pub fn report(&self) -> Option<IvcOptions> {
        self.is_wanted().then(|| IvcOptions {
            category: self.category.iter().map(|c| c.name()).collect(),
            all: self.finds_all(),
            approximate: self.approximate,
            smallest_first: self.smallest_first,
            only_main_node: self.only_main_node,
            must_set: self.finds_must(),
        })
    }
}

#[derive(Args, Debug)]
pub struct McsArgs {
    /// Look at these elements only; the others never fail; may be repeated
    /// [default: annotations, those marked with `weakly`]
    #[arg(id = "mcs_category", long = "mcs_category", help_heading = MCS, value_name = "CATEGORY")]
    category: Vec<Category>,

    /// Look at elements of the main node only
    #[arg(id = "mcs_only_main_node", long = "mcs_only_main_node", help_heading = MCS, value_name = "BOOL")]
    #[arg(action = ArgAction::Set, default_value_t = false)]
    only_main_node: bool,

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

impl McsArgs {
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

    /// For the head of a document.
    pub fn report(&self) -> McsOptions {
        McsOptions {
            category: self.category.iter().map(|c| c.name()).collect(),
            all: self.all,
            only_main_node: self.only_main_node,
        }
    }
}
