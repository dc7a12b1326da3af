//! Events: all that a run tells, in the order in which it happens.

use lang::Program;
use syntax::{Diagnostic, Severity, SourceMap};

use crate::elements::{ElementSet, NoElementSet};
use crate::log::{Level, Log};
use crate::matrix::Matrix;
use crate::mutation::MutationReport;
use crate::statistics::Statistics;
use crate::trace::Block;
use crate::verdict::{AnalysisReport, NodeReport, PropertyReport};

/// Something that a run tells. Traces come with the program that they are of.
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
        /// The trace is shown elsewhere, or not at all.
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
    /// What became of each node.
    Nodes(&'e [NodeReport]),
    ElementSet {
        program: &'e Program,
        set: &'e ElementSet,
    },
    /// There is no such set, or none was found.
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
    /// How far the search for mutants is, for a line that is gone afterwards; `None` when it is
    /// over.
    Transient(Option<&'e str>),
    /// Which property needs which element.
    Matrix {
        matrix: &'e Matrix,
        sources: &'e SourceMap,
    },
    /// What a proof needs: a title and a line for each invariant.
    Invariants {
        title: &'e str,
        lines: &'e [String],
    },
    /// How far an engine has come: a number for tools, a sentence for people.
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
}

/// The name of a post-analysis.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PostAnalysisName {
    /// For tools.
    pub name: &'static str,
    /// For people.
    pub title: &'static str,
    /// Do the schemas of Kind 2 have a place for what it tells?
    pub in_schema: bool,
}

/// Who gets to see an event.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Importance {
    /// Everyone who does not want silence.
    Always,
    /// Tools, and people who want results.
    Result,
    /// Those who want messages of a level.
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
            | Event::Matrix { .. } => Importance::Result,
        }
    }
}
