//! Results of properties, in the shape in which they are shown.

use syntax::Position;

use crate::trace::Block;

/// What is said of a property.
#[derive(Clone, Debug)]
pub enum Answer {
    Valid {
        k: Option<usize>,
    },
    Falsifiable {
        /// The step that violates it.
        step: usize,
        trace: Block,
    },
    Reachable {
        step: usize,
        trace: Block,
    },
    Unreachable {
        k: Option<usize>,
    },
    /// So many first steps do not decide it.
    Unknown {
        clear: usize,
        reach: bool,
    },
}

impl Answer {
    pub fn word(&self) -> &'static str {
        match self {
            Answer::Valid { .. } => "valid",
            Answer::Falsifiable { .. } => "falsifiable",
            Answer::Reachable { .. } => "reachable",
            Answer::Unreachable { .. } => "unreachable",
            Answer::Unknown { .. } => "unknown",
        }
    }

    /// What Kind 2 calls k: of the induction, or the last step of the run.
    pub fn k(&self) -> Option<usize> {
        match self {
            Answer::Valid { k } | Answer::Unreachable { k } => *k,
            Answer::Falsifiable { step, .. } | Answer::Reachable { step, .. } => Some(*step),
            Answer::Unknown { .. } => None,
        }
    }

    /// Is it what the user hopes for?
    pub fn is_good(&self) -> bool {
        matches!(self, Answer::Valid { .. } | Answer::Reachable { .. })
    }
}

#[derive(Clone, Debug)]
pub struct PropertyReport {
    pub name: String,
    /// The component that it belongs to.
    pub scope: String,
    pub file: String,
    pub position: Position,
    pub source: &'static str,
    pub answer: Answer,
    /// The engine, as tools and as people name it.
    pub engine: Option<(&'static str, &'static str)>,
    pub seconds: f64,
    /// It is unknown because time was up.
    pub timed_out: bool,
    /// For properties to be reached: "in 5 steps or less" and the like.
    pub bounds: String,
    /// It holds from this step on because no run goes on so far.
    pub vacuous_from: Option<usize>,
}

impl PropertyReport {
    /// What is said behind a verdict that holds because there are no runs.
    pub fn vacuity(&self) -> Option<String> {
        Some(match self.vacuous_from? {
            0 => "vacuous: the system has no run".to_owned(),
            step => format!("vacuous from step {step} on: no run goes on"),
        })
    }
}

/// The head of an analysis.
#[derive(Clone, Debug)]
pub struct AnalysisReport {
    pub top: String,
    pub concrete: Vec<String>,
    pub abstracted: Vec<String>,
    /// How much is known of which nodes below.
    pub proved: Vec<(String, usize)>,
    /// Only the contract is looked at.
    pub contract_only: bool,
    /// The nodes that are opened, after an analysis in which they were abstract.
    pub opened: Vec<String>,
}

/// What all analyses of a node have come to.
#[derive(Clone, Debug)]
pub struct NodeReport {
    pub name: String,
    /// All its analyses were possible, and there was time for them.
    pub analysed: bool,
    /// The latest result of each property.
    pub properties: Vec<PropertyReport>,
    pub refinements: usize,
    /// How many nodes below are abstract in the last analysis.
    pub abstracted: usize,
    /// Those of them that are not proved.
    pub trusted: Vec<String>,
    /// The properties that are violated without any abstraction, too.
    pub real: Vec<String>,
    pub seconds: f64,
}
