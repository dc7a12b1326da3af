//! Which system is checked, and what the engines' findings mean for the
//! program.
//!
//! A finding becomes a result only with its evidence: a run is replayed in the
//! interpreter, which computes everything but inputs and choices itself, and
//! must show what was claimed. What does not replay is reported as an internal
//! error, never as a verdict.

mod contract;
mod cross_check;
mod replay;
mod run;

pub use contract::contract_view;
pub use cross_check::{CrossCheck, cross_check};
pub use engines::{Engine, Evidence, Ic3Options, QeMethod, Settings};
pub use run::{Event, Options, Outcome, PropertyResult, analyse};
pub use system::{Property, PropertyKind, Source};
