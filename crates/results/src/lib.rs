//! The results of a run: verdicts, traces, sets of elements, mutants, messages.
//!
//! An analysis tells its results as [`Event`]s, and all that shows them (text, JSON, XML, an
//! editor) reads these alone. This crate knows no solver and no format.

mod contract_check;
mod elements;
mod event;
mod log;
mod matrix;
mod modes;
mod mutation;
mod statistics;
mod trace;
mod verdict;

pub use contract_check::{
    DeadlockReport, Realizability, RealizabilityReport, SatisfiabilityReport,
};
pub use elements::{ElementCategory, ElementReport, ElementSet, NoElementSet, SetClass};
pub use event::{Event, Importance, PostAnalysisName};
pub use log::{Level, Log};
pub use matrix::{Matrix, Need, Row};
pub use modes::{ActiveModes, ContractModes, Mode, active_modes};
pub use mutation::{
    EquationReport, MutantReport, MutantVerdict, MutationReport, Score, by_equation,
};
pub use statistics::{Amount, Statistics};
pub use trace::{Block, Stream, StreamClass, blocks};
pub use verdict::{AnalysisReport, ContractHead, NodeReport, PropertyReport, PropertyVerdict};
