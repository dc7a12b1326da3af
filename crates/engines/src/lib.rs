//! The engines: threads that share what they find on a blackboard.
//!
//! Each engine reads as the algorithm it is named after; it knows the
//! blackboard and a solver, and no other engine. It knows systems, and nothing
//! of Lustre.

mod advice;
mod attempt;
mod blackboard;
mod bmc;
mod budget;
mod components;
mod conclude;
mod equations;
mod explicit;
mod find;
mod ic3;
mod induction;
mod invariants;
mod job_board;
mod options;
mod portfolio;
mod prelude;
mod priority;
mod runs;
mod schedule;
mod smooth;
mod spacer;
mod statistics;
mod table;
mod task;
mod theory;
mod workers;

pub use advice::{Advice, Advised};
pub use attempt::Attempt;
pub use blackboard::{Engine, Finding, Observation, Run, SpecialCase, Verdict};
pub use components::{Component, Hierarchy, Occurrence};
pub use equations::{LoopEquation, Solutions, solutions};
pub use explicit::{Exploration, explore, is_explorable};
pub use find::{RunSearchOutcome, find_run};
pub use ic3::{ClauseLog, IC3IA, IC3QE, Ic3Options, QE, QeExtract, QeMethod};
pub use induction::InductionOptions;
pub use invariants::{Generator, INVGEN, InvariantOptions, Numbers};
pub use options::{IND, UnrollOptions, default_options};
pub use portfolio::{News, Portfolio, Rank, Settings, default_threads};
pub use runs::dead_end;
pub use smooth::{changes, smoothed};
pub use statistics::{Progress, Statistics};
pub use theory::unable;
pub use workers::prepare;
