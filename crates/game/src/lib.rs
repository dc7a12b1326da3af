//! Games without end between a component and its environment.
//!
//! At each step the environment picks inputs that keep the assumptions, then the component
//! picks outputs that keep the guarantees. The component wins if it can go on for ever; where
//! the environment has no allowed move, nothing is owed. [`solve`] finds out who wins, and why:
//! a [`Realization`] is a set of states with outputs for every input, a [`Refutation`] a
//! sequence of sets of states with inputs that beat all outputs. Both are checked by a fresh
//! solver, without quantifiers, before anyone sees them (`evidence.rs`).
//!
//! The crate knows systems and solvers, and nothing of Lustre.

mod arena;
mod conflicts;
mod evidence;
mod fixpoint;
mod lost;
mod play;
mod reply;
mod rest;
mod split;

pub use arena::{Arena, Memory};
pub use conflicts::{Conflicts, conflicts};
pub use evidence::{Lost, Realization, Refutation, Reply};
pub use fixpoint::{Elimination, Outcome, SearchOptions, Start, UNCONFIRMED, solve};
pub use play::{Play, play};
pub use rest::comes_to_rest;
pub use split::{Split, split};
