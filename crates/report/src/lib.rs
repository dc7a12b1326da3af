//! Results as text, JSON or XML, and as tables and pages for files.
//!
//! The structured formats are those of Kind 2 (one list of objects, each with an `objectType`; one
//! `Results` element), so that its clients can read them. This crate knows events and traces
//! (`results`), and no solver.

mod contract_check;
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
mod sink;
mod text;
mod value;
mod xml;

pub use diagnostic::render;
pub use matrix::csv as matrix_csv;
pub use mutation::{csv as mutation_csv, document as mutation_json, page as mutation_page};
pub use page::page;
pub use real::RealPrecision;
pub use reporter::{IvcOptions, McsOptions, OutputOptions, Reporter, RunOptions, Verbosity};
pub use sink::Format;
pub use text::{Style, trace as trace_text};
pub use value::value_text;
