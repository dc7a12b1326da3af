//! Certificates of invariance.
//!
//! A certificate is a pair (k, φ): φ is k-inductive and implies the properties. As
//! a script it has the system, the properties and φ as formulas over the values of
//! all variables at each step of a path, and asks three questions whose answer must be
//! `unsat`:
//!
//! - *base case*: is there a run whose first k steps violate φ?
//! - *inductive step*: are there k steps with φ, one after the other, and then one
//!   without?
//! - *property subsumption*: is there a step with φ that violates a property?
//!
//! The system is the tagged one, in which every stream of the model is a variable
//! and knows the part of the model that defines it.

mod compare;
mod prove;
pub(crate) mod script;
mod write;

use std::sync::Arc;

use syntax::SourceMap;
use system::{PropertyKind, System, Term};

pub use compare::{Claim, difference};
pub use prove::{Effort, Failure, Known, prove};
pub use script::{Query, Script, checker, is_certificate};

/// Which analysis of a model a certificate is about.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Subject {
    pub node: String,
    /// Nodes whose contracts stand for their bodies: the certificate assumes that the bodies
    /// respect them.
    pub abstracted: Vec<String>,
}

/// A proof (k, φ) of the properties of a system.
pub struct Certificate<'c> {
    pub subject: Subject,
    /// In its tagged form.
    pub system: Arc<System>,
    pub sources: &'c SourceMap,
    pub k: usize,
    /// φ, conjunct by conjunct.
    pub invariant: Vec<Term>,
}

/// The positions of the properties that a certificate is about.
pub fn certified(system: &System) -> Vec<usize> {
    let asked = system.properties.iter().enumerate();
    let asked = asked.filter(|(_, p)| !p.hidden && p.kind == PropertyKind::Invariant);
    asked.map(|(at, _)| at).collect()
}
