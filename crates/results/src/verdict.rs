//! Results of properties, in the form that is shown.

use syntax::Position;

use crate::trace::Block;

/// The verdict of a property.
#[derive(Clone, Debug)]
pub enum PropertyVerdict {
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
    /// Undecided; no run of up to this many steps decides it.
    Unknown {
        clear: usize,
        reach: bool,
    },
}

impl PropertyVerdict {
    pub fn word(&self) -> &'static str {
        match self {
            PropertyVerdict::Valid { .. } => "valid",
            PropertyVerdict::Falsifiable { .. } => "falsifiable",
            PropertyVerdict::Reachable { .. } => "reachable",
            PropertyVerdict::Unreachable { .. } => "unreachable",
            PropertyVerdict::Unknown { .. } => "unknown",
        }
    }

    /// Kind 2's `k`: the k of the induction, or the last step of the run.
    pub fn k(&self) -> Option<usize> {
        match self {
            PropertyVerdict::Valid { k } | PropertyVerdict::Unreachable { k } => *k,
            PropertyVerdict::Falsifiable { step, .. } | PropertyVerdict::Reachable { step, .. } => {
                Some(*step)
            }
            PropertyVerdict::Unknown { .. } => None,
        }
    }

    /// Is the property valid or reachable?
    pub fn is_good(&self) -> bool {
        matches!(
            self,
            PropertyVerdict::Valid { .. } | PropertyVerdict::Reachable { .. }
        )
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
    pub verdict: PropertyVerdict,
    /// The names of the engine, for tools and for people.
    pub engine: Option<(&'static str, &'static str)>,
    pub seconds: f64,
    /// It is undecided because of a timeout.
    pub timed_out: bool,
    /// For properties to be reached: "in 5 steps or less" and the like.
    pub bounds: String,
    /// From this step on it holds vacuously: no run is so long.
    pub vacuous_from: Option<usize>,
}

impl PropertyReport {
    /// The note behind a verdict that holds vacuously.
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
    /// The number of proved properties of each node below.
    pub proved: Vec<(String, usize)>,
    /// Only the contract is looked at.
    pub contract_only: bool,
    /// The nodes that are opened, after an analysis in which they were abstract.
    pub opened: Vec<String>,
    /// For a contract check.
    pub check: Option<ContractHead>,
}

/// The head of a contract check.
#[derive(Clone, Debug)]
pub struct ContractHead {
    /// "contract of imported node Tank".
    pub what: String,
    /// Whose game it is, for tools, where both sides are checked.
    pub context: Option<&'static str>,
}

/// The results of all analyses of a node.
#[derive(Clone, Debug)]
pub struct NodeReport {
    pub name: String,
    /// All its analyses were possible, and ended in time.
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
