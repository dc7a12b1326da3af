//! What is written for others to read or to check.
//!
//! A certificate says in SMT-LIB why the properties of a system hold, so that
//! any solver can check it. This room knows systems and solvers; it does not
//! know how engines find their proofs.

pub mod certificate;
pub mod frontend;
mod names;
pub mod run;
mod text;

pub use smt::smtlib::Unreadable;
