//! An oracle for verdicts: random finite-state programs, decided by plain search.
//!
//! Programs come from a generator with an abstract syntax of its own ([`model`],
//! [`generate`]), are printed as Lustre ([`print`]) for the checker, and decided by
//! explicit search of their states ([`search`]) with a direct evaluator ([`evaluate`]).
//! None of this shares code with Kindred's front end, interpreter or lowering, so that an
//! error in one of these, or in an engine, shows as a verdict that differs. Each program is checked
//! with several mixes of engines ([`mixes`]) and compared claim by claim ([`compare`]).

pub mod claim;
pub mod compare;
pub mod evaluate;
pub mod generate;
pub mod mixes;
pub mod model;
pub mod print;
pub mod search;
mod walk;
