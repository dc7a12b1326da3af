//! Post-analyses: work on the proofs and counterexamples of an analysis that has ended (chapter 12
//! of Kind 2's documentation).
//!
//! A post-analysis is a type with a [`PostAnalysis`], an options struct that is also its
//! command line, and a line in the table below.

mod certificates;
mod cores;
pub mod headings;
mod invariants;
mod mutants;

use std::io;

use clap::Args;
use results::Level;

use crate::analysed::Analysed;
use crate::contract_check::ContractCheckOptions;
use crate::control::Control;
use crate::cut_sets::CutSetOptions;
use crate::learnt_options::LearntOptions;
use crate::listener::Listener;
use crate::model::Model;
use crate::output_folder::OutputFolder;
use crate::request::Request;
use crate::tally::{PostOutcome, Tally};

pub use certificates::{
    CertificateOptions, FRONT_END, Found, INVARIANCE, certified_options, clear_certificates,
    script_path,
};
pub use cores::{CoreOptions, Minimize};
pub use mutants::{MutationOptions, MutationRecord};

/// When a post-analysis runs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum When {
    /// After each analysis of a system.
    EveryAnalysis,
    /// After the last analysis of a node, which no refinement follows.
    LastAnalysis,
}

/// Features of the engines that must be off, so that the post-analysis can use the proofs.
#[derive(Clone, Copy, Default, Debug)]
pub struct SwitchedOff {
    /// Compression of paths: it proves properties along some paths only.
    pub compression: bool,
    /// Reachability properties.
    pub reachability: bool,
}

/// What a post-analysis needs of the run.
pub struct PostContext<'p> {
    pub control: &'p Control,
    pub folder: &'p OutputFolder,
    pub out: &'p mut dyn Listener,
}

/// Work on the results of an analysis.
pub trait PostAnalysis {
    /// The name of the post-analysis in messages.
    fn source(&self) -> &'static str;

    fn when(&self) -> When {
        When::LastAnalysis
    }

    fn switches_off(&self) -> SwitchedOff {
        SwitchedOff::default()
    }

    /// Messages before the first analysis. A search for cut sets proves nothing, so most
    /// post-analyses then have no input.
    fn announce(&self, _finds_cut_sets: bool) -> Vec<(Level, &'static str, String)> {
        Vec::new()
    }

    /// Before the first analysis.
    fn begin(&mut self, _model: &Model, _control: &Control) {}

    /// Its name in the message that it was stopped: "the search for cores".
    fn title(&self) -> Option<&'static str> {
        None
    }

    /// The reason why it does not run on these results, if there is one.
    fn obstacle(&self, _analysed: &Analysed) -> Option<String> {
        None
    }

    fn run(&mut self, analysed: &Analysed, context: &mut PostContext) -> io::Result<PostOutcome>;

    /// After all analyses.
    fn end(&mut self, _context: &mut PostContext, _tally: &mut Tally) -> io::Result<()> {
        Ok(())
    }
}

/// The table: options and their post-analysis, in the order in which they run. The search for cut
/// sets and contract checks are analyses of their own.
macro_rules! analyses {
    ($($(#[$doc:meta])* $field:ident: $options:ty $(=> $analysis:expr)?;)*) => {
        /// The options of all post-analyses, of cut sets and of contract checks.
        #[derive(Args, Clone, Debug)]
        pub struct PostOptions {
            $($(#[$doc])* #[command(flatten)] pub $field: $options,)*
        }

        impl Request {
            /// The post-analyses that are asked for.
            pub(crate) fn post_analyses(&self) -> Vec<Box<dyn PostAnalysis>> {
                let mut all: Vec<Box<dyn PostAnalysis>> = Vec::new();
                $($(
                    let wanted = $analysis(&self.post.$field, self);
                    all.extend(wanted.map(|analysis| Box::new(analysis) as Box<dyn PostAnalysis>));
                )?)*
                all
            }
        }
    };
}

analyses! {
    /// Invariants that proofs need, advice for later runs.
    learnt: LearntOptions => |options, _: &Request| invariants::Invariants::of(options);
    /// Inductive validity cores: all properties must be valid.
    cores: CoreOptions => cores::Cores::of;
    cut_sets: CutSetOptions;
    contract_checks: ContractCheckOptions;
    /// Mutants: some property must be valid.
    mutants: MutationOptions => |options, _: &Request| mutants::Mutants::of(options);
    /// Certificates: all invariants must be valid.
    certificates: CertificateOptions =>
        |options, _: &Request| certificates::Certificates::of(options);
}

impl Default for PostOptions {
    /// The defaults of the command line.
    fn default() -> PostOptions {
        analysis::default_options()
    }
}
