//! Runs a typed program step by step on concrete values.
//!
//! This crate is one of the two semantics of Kindred: it executes the program
//! as written and knows nothing of the logic that the lowering makes of it. It
//! computes on demand: a stream's value at a step is computed when it is first
//! asked for, so that the order of equations does not matter and a call whose
//! outputs do not need all inputs does not wait for them.
//!
//! A run is determined by the inputs, the free constants and the *choices*
//! (see [`lang::Choice`]). A choice that the [`Oracle`] does not make takes
//! the default value of its type, and the simulator records that it did so. The same is
//! true of an operation outside of its domain, such as a division by zero (`unknown.rs`).

mod array;
mod call;
mod choice;
mod effort;
mod error;
mod eval;
pub mod input;
mod instance;
mod quantifier;
mod simulator;
mod stream;
mod trace;
mod unknown;

pub use error::SimError;
pub use lang::{InstancePath, PathStep};
pub use simulator::{ChoiceSite, NoChoices, Oracle, Simulator};
pub use trace::{InstanceTrace, Trace};
pub use unknown::{Inductive, Undefined, Unknown, unknown_operation};
