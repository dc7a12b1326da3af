//! Events: all results and messages of a run, in the order in which they happen.

use lang::Program;
use syntax::{Diagnostic, Severity, SourceMap};

use crate::contract_check::{RealizabilityReport, SatisfiabilityReport};
use crate::elements::{ElementSet, NoElementSet};
use crate::log::{Level, Log};
use crate::matrix::Matrix;
use crate::mutation::MutationReport;
use crate::statistics::Statistics;
use crate::trace::Block;
use crate::verdict::{AnalysisReport, NodeReport, PropertyReport};

/// A result or message of a run. A trace comes with its program.
#[derive(Clone, Copy, Debug)]
pub enum Event<'e> {
    Log(&'e Log),
    /// A message about the source.
    Diagnostic {
        diagnostic: &'e Diagnostic,
        sources: &'e SourceMap,
    },
    /// A line for people; tools do not get it.
    Line(&'e str),
    /// The values that the interpreter has computed.
    Execution {
        program: &'e Program,
        top: &'e Block,
    },
    AnalysisStart(&'e AnalysisReport),
    AnalysisStop,
    PostAnalysisStart(PostAnalysisName),
    PostAnalysisEnd(PostAnalysisName),
    /// The verdict of a property.
    Property {
        program: &'e Program,
        report: &'e PropertyReport,
        /// The trace is written to a file, or is not asked for.
        hide_trace: bool,
    },
    /// A property that is not decided when the analysis ends. Tools want an object for each
    /// property; people read the summary.
    OpenProperty {
        program: &'e Program,
        report: &'e PropertyReport,
    },
    /// All results of an analysis at a glance.
    Summary(&'e [PropertyReport]),
    /// The results of each node.
    Nodes(&'e [NodeReport]),
    ElementSet {
        program: &'e Program,
        set: &'e ElementSet,
    },
    /// There is no such set, or none was found in time.
    NoElementSet(&'e NoElementSet),
    /// Mutants and their verdicts.
    Mutation {
        program: &'e Program,
        report: &'e MutationReport,
    },
    /// The mutants of all analyses, for files.
    AllMutants {
        reports: &'e [MutationReport],
        sources: &'e SourceMap,
    },
    /// The progress of the mutation analysis, for a line that is erased afterwards; `None` at the
    /// end.
    Transient(Option<&'e str>),
    /// Which property needs which element.
    Matrix {
        matrix: &'e Matrix,
        sources: &'e SourceMap,
    },
    /// The invariants of a proof: a title, and a line for each.
    Invariants {
        title: &'e str,
        lines: &'e [String],
    },
    /// The progress of an engine: a number for tools, a sentence for people.
    Progress {
        source: &'static str,
        depth: usize,
        sentence: &'e str,
    },
    /// A path on which induction fails: its first state need not be reachable.
    InductionFailure {
        program: &'e Program,
        properties: &'e [&'e str],
        k: usize,
        path: &'e Block,
    },
    Statistics(&'e Statistics),
    /// Whether a contract can be honoured.
    Realizability {
        program: &'e Program,
        report: &'e RealizabilityReport,
        /// The trace is written to a file.
        hide_trace: bool,
    },
    Satisfiability(&'e SatisfiabilityReport),
}

/// The name of a post-analysis.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PostAnalysisName {
    /// For tools.
    pub name: &'static str,
    /// For people.
    pub title: &'static str,
    /// Do the schemas of Kind 2 cover its results?
    pub in_schema: bool,
}

/// The least verbosity at which an event is shown.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Importance {
    /// Unless output is silent.
    Always,
    /// In structured formats, and in text that shows results.
    Result,
    /// Where messages of this level are shown.
    Message(Level),
}

impl Event<'_> {
    pub fn importance(&self) -> Importance {
        match self {
            Event::Execution { .. } => Importance::Always,
            Event::Log(log) => Importance::Message(log.level),
            Event::Diagnostic { diagnostic, .. } => {
                Importance::Message(match diagnostic.severity {
                    Severity::Error => Level::Error,
                    Severity::Warning => Level::Warn,
                })
            }
            Event::Invariants { .. } | Event::InductionFailure { .. } => {
                Importance::Message(Level::Note)
            }
            Event::Progress { .. } | Event::Statistics(_) => Importance::Message(Level::Info),
            Event::Line(_)
            | Event::AnalysisStart(_)
            | Event::AnalysisStop
            | Event::PostAnalysisStart(_)
            | Event::PostAnalysisEnd(_)
            | Event::Property { .. }
            | Event::OpenProperty { .. }
            | Event::Summary(_)
            | Event::Nodes(_)
            | Event::ElementSet { .. }
            | Event::NoElementSet(_)
            | Event::Mutation { .. }
            | Event::AllMutants { .. }
            | Event::Transient(_)
            | Event::Matrix { .. }
            | Event::Realizability { .. }
            | Event::Satisfiability(_) => Importance::Result,
        }
    }
}
