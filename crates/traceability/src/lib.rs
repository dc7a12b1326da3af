//! Merit and blame: which parts of a model a proof needs, and which failures
//! break it.
//!
//! A [`Model`] is a tagged system with the parts in question; [`Verifier`] says
//! for any set of them whether the properties hold, and learns from every answer.
//! The algorithms of the papers are written on it: inductive validity cores and
//! MUST sets in `ivc.rs`, minimal cut sets in `mcs.rs`.

mod frames;
pub mod ivc;
mod knowledge;
mod map;
pub mod mcs;
mod model;
pub mod mutation;
mod solvers;
mod strategies;
mod uc;
mod verify;
mod violation;

pub use model::{Granularity, Model, Part, Set};
pub use verify::{Budget, Call, Cut, Means, Statistics, Verified, Verifier};

/// What a search tells while it runs.
pub enum Event<S> {
    Found(S),
    /// A set of parts was verified.
    Verified(Call),
}
