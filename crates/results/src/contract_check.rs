//! Results of contract checks.

use crate::elements::ElementSet;
use crate::trace::Block;

/// Can a component honour a contract?
#[derive(Clone, Debug)]
pub struct RealizabilityReport {
    /// What was checked: "Contract of node Tank".
    pub subject: String,
    /// The same within a sentence: "the contract of Tank".
    pub subject_inside: String,
    pub answer: Realizability,
    pub seconds: f64,
    /// It is undecided because of a timeout.
    pub timed_out: bool,
}

#[derive(Clone, Debug)]
pub enum Realizability {
    Realizable {
        /// The states from which the component can go on for ever, as a Lustre expression.
        viable: Option<String>,
    },
    Unrealizable(Option<Box<DeadlockReport>>),
    Unknown,
}

/// How the environment wins.
#[derive(Clone, Debug)]
pub struct DeadlockReport {
    /// All steps but the last keep the contract; for the last inputs no outputs do.
    pub trace: Block,
    /// Clauses that no outputs keep at the last step.
    pub conflict: ElementSet,
    /// How long the component can hold out.
    pub sentence: String,
}

impl Realizability {
    /// The word in the schemas, which do not have the last one.
    pub fn word(&self) -> &'static str {
        match self {
            Realizability::Realizable { .. } => "realizable",
            Realizability::Unrealizable(_) => "unrealizable",
            Realizability::Unknown => "unknown",
        }
    }
}

/// Does some run keep a contract that no component can honour?
#[derive(Clone, Debug)]
pub struct SatisfiabilityReport {
    pub subject: String,
    pub subject_inside: String,
    /// `None` if it is not known.
    pub satisfiable: Option<bool>,
    pub seconds: f64,
    pub timed_out: bool,
}

impl SatisfiabilityReport {
    pub fn word(&self) -> &'static str {
        match self.satisfiable {
            Some(true) => "satisfiable",
            Some(false) => "unsatisfiable",
            None => "unknown",
        }
    }
}
