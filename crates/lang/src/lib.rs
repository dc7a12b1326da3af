//! From a syntax tree to a checked, typed program.
//!
//! This crate resolves names, checks types, constants, clocks and dependencies,
//! takes the sugar away (lists of streams, if and frame blocks, contract
//! imports, merges), and gives an id to every value that the program leaves
//! open. What comes out is the [`Program`] that the interpreter runs and the
//! lowering translates; the two agree on the program because they read the
//! same one. It knows nothing of solvers or transition systems.

mod check;
mod constant;
mod deps;
mod expr;
pub mod ops;
mod partial;
mod path;
mod program;
mod runtime;
mod types;
mod value;
mod walk;

pub use check::{CheckOptions, Checked, check};
pub use partial::Partial;
pub use path::{InstancePath, PathStep};
pub use program::*;
pub use runtime::{RuntimeCheck, add_runtime_checks};
pub use types::*;
pub use value::Value;
