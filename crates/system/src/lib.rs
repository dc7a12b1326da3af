//! Transition systems and the terms they are made of.
//!
//! A [`System`] has state variables, inputs, and a value for each state variable at the next step;
//! at every step its constraints hold. This crate knows no Lustre and no solver.

mod build;
mod inline;
mod memory;
mod random;
mod substitute;
mod term;
mod transition;

pub use build::*;
pub use inline::Inliner;
pub use memory::{Allowance, Limits, Usage};
pub use random::Random;
pub use substitute::substitute;
pub use term::{BvCompare, BvOp, Function, Kind, Quantifier, Sort, Term, Var, subterms};
pub use transition::{
    Constraint, Definition, Element, ElementId, ElementKind, Property, PropertyId, PropertyKind,
    Role, Source, StateVar, System,
};
