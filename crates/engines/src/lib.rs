//! The engines: threads that share what they find on a blackboard.
//!
//! Each engine reads as the algorithm it is named after; it knows the
//! blackboard and a solver, and no other engine. It knows systems, and nothing
//! of Lustre.

mod advice;
mod attempt;
mod blackboard;
mod bmc;
mod certify;
mod components;
mod compress;
mod equations;
mod evidence;
mod explicit;
mod find;
mod ic3;
mod induction;
mod invariants;
mod minimise;
mod opinion;
mod portfolio;
mod priority;
mod proof;
mod qe;
mod runs;
mod schedule;
mod settings;
mod smaller;
mod smooth;
mod spacer;
mod statistics;
mod theory;
mod unroll;
mod workers;

pub use advice::{Advice, Advised};
pub use attempt::Attempt;
pub use blackboard::{Engine, Evidence, Finding, Observation, Run, SpecialCase, Verdict};
pub use certify::holds_up;
pub use components::{Component, Hierarchy, Occurrence};
pub use compress::Compression;
pub use equations::{LoopEquation, Solutions, solutions};
pub use evidence::{EvidenceOf, candidates, evidence_about};
pub use explicit::{Exploration, explore, is_explorable};
pub use find::{Search, find_run};
pub use ic3::ClauseLog;
pub use induction::Options as InductionOptions;
pub use invariants::{Generator, Numbers, Options as InvariantOptions};
pub use minimise::minimised;
pub use portfolio::{News, Portfolio, Rank, Settings};
pub use proof::invariant;
pub use runs::dead_end;
pub use settings::{Ic3Options, QeMethod};
pub use smaller::{MinimiseInvariants, MinimiseK, Proof};
pub use smooth::{changes, smoothed};
pub use statistics::{Progress, Statistics};
pub use theory::unable;
pub use workers::prepare;
