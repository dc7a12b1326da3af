//! Certificates: files that others can check.
//!
//! A certificate says in SMT-LIB why the properties of a system hold, so that any solver can check
//! it. This crate knows systems and solvers, and uses the engines only to find a proof again.

pub mod certificate;
pub mod frontend;
mod names;
pub mod run;
mod text;

pub use smt::smtlib::Unreadable;
