//! The options of searches for cores.

use std::path::PathBuf;
use std::time::Duration;

use clap::{ArgAction, Args, ValueEnum};
use system::Element;

use crate::elements::Category;
use crate::post::headings::IVC;

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

/// The flags `--ivc…`.
#[derive(Args, Clone, Debug)]
pub struct CoreOptions {
    /// Find out which elements of the model the proofs need: an inductive validity core
    #[arg(id = "ivc", long = "ivc", help_heading = IVC, value_name = "BOOL", default_value_t = false)]
    #[arg(action = ArgAction::Set)]
    ivc: bool,

    /// Look at these elements only; the others are always there; may be repeated
    /// [default: all categories]
    #[arg(id = "ivc_category", long = "ivc_category", help_heading = IVC, value_name = "CATEGORY")]
    pub category: Vec<Category>,

    /// Find all minimal cores
    #[arg(id = "ivc_all", long = "ivc_all", help_heading = IVC, value_name = "BOOL", default_value_t = false)]
    #[arg(action = ArgAction::Set)]
    all: bool,

    /// A core that need not be minimal will do; not with `--ivc_all` or `--ivc_must_set`
    #[arg(id = "ivc_approximate", long = "ivc_approximate", help_heading = IVC, value_name = "BOOL")]
    #[arg(action = ArgAction::Set, default_value_t = true)]
    pub approximate: bool,

    /// Find a smallest core first
    #[arg(id = "ivc_smallest_first", long = "ivc_smallest_first", help_heading = IVC, value_name = "BOOL")]
    #[arg(action = ArgAction::Set, default_value_t = false)]
    pub smallest_first: bool,

    /// Look at elements of the main node only
    #[arg(id = "ivc_only_main_node", long = "ivc_only_main_node", help_heading = IVC, value_name = "BOOL")]
    #[arg(action = ArgAction::Set, default_value_t = false)]
    pub only_main_node: bool,

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

impl CoreOptions {
    pub fn wants(&self, element: &Element, main: &str) -> bool {
        let here = !self.only_main_node || element.node == main;
        here && (self.category.is_empty() || self.category.iter().any(|c| c.has(element)))
    }

    /// Are cores asked for? An option that uses them asks for them too.
    pub fn is_wanted(&self) -> bool {
        self.ivc || self.traces() || self.minimize != Minimize::No
    }

    /// Is the traceability matrix asked for?
    pub fn traces(&self) -> bool {
        self.matrix || self.html
    }

    pub fn per_property(&self) -> bool {
        self.per_property || self.traces()
    }

    pub fn search(&self) -> traceability::ivc::IvcSearchOptions {
        traceability::ivc::IvcSearchOptions {
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

    pub fn finds_must(&self) -> bool {
        self.must_set || self.traces()
    }
}
