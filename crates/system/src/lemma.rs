//! Lemmas: invariants that know which system they speak of.
//!
//! A term alone does not say whose variables it is about. Whoever wants the terms of
//! lemmas has to name a system, and gets them in terms of that one
//! ([`carry`](crate::carry)). They are proved in their own system only: in another they
//! are candidates.

use std::sync::Arc;

use crate::carry::Carrier;
use crate::term::Term;
use crate::transition::System;

/// Invariants of one system, each with the k for which it is k-inductive, together with
/// those before it.
#[derive(Clone, Debug, Default)]
pub struct Lemmas {
    system: Arc<System>,
    all: Vec<(usize, Term)>,
}

impl Lemmas {
    pub fn new(system: Arc<System>, all: Vec<(usize, Term)>) -> Lemmas {
        Lemmas { system, all }
    }

    /// The system that they speak of.
    pub fn system(&self) -> &Arc<System> {
        &self.system
    }

    pub fn len(&self) -> usize {
        self.all.len()
    }

    pub fn is_empty(&self) -> bool {
        self.all.is_empty()
    }

    /// In terms of a system. Those that speak of what it does not have are dropped.
    pub fn about(&self, system: &System) -> Vec<(usize, Term)> {
        if self.all.is_empty() {
            return Vec::new();
        }
        let carrier = Carrier::new(&self.system, system);
        let all = self.all.iter();
        let carried = all.filter_map(|(k, term)| Some((*k, carrier.term(term)?)));
        carried.collect()
    }
}
