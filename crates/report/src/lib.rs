//! What Kindred says, as text, JSON or XML, and tables and pages for files.
//!
//! The structured formats are those of Kind 2 (one list of objects, each with
//! an `objectType`; one `Results` element), so that its clients can read them.
//! This room knows results and traces, and nothing of solvers.

mod diagnostic;
mod elements;
mod escape;
mod json;
mod matrix;
mod modes;
mod mutation;
mod page;
mod real;
mod reporter;
mod statistics;
mod text;
mod trace;
mod verdict;
mod xml;

pub use diagnostic::render;
pub use elements::{ElementCategory, ElementReport, ElementSet, NoElementSet, SetClass};
pub use matrix::{Matrix, Need, Row};
pub use modes::{ActiveModes, ContractModes, Mode};
pub use mutation::{
    EquationReport, MutantReport, MutantVerdict, MutationReport, Score, csv as mutation_csv,
    document as mutation_json, page as mutation_page,
};
pub use page::page;
pub use real::RealPrecision;
pub use reporter::{Format, IvcOptions, Level, Log, McsOptions, Reporter, RunOptions, Verbosity};
pub use statistics::{Amount, Statistics};
pub use text::{Style, trace as trace_text};
pub use trace::{Block, Stream, StreamClass, blocks, value_text};
pub use verdict::{AnalysisReport, Answer, NodeReport, PropertyReport};
