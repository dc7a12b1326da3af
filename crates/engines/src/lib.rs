//! The engines: threads that share what they find on a blackboard.
//!
//! Each engine reads as the algorithm it is named after; it knows the
//! blackboard and a solver, and no other engine. It knows systems, and nothing
//! of Lustre.

mod blackboard;
mod bmc;
mod certify;
mod ic3;
mod induction;
mod portfolio;
mod proof;
mod qe;
mod settings;
mod spacer;
mod theory;
mod unroll;

pub use blackboard::{Engine, Evidence, Finding, Run, Verdict};
pub use portfolio::{Portfolio, Settings};
pub use settings::{Ic3Options, QeMethod};
pub use theory::unable;
