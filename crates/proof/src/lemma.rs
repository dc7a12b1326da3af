//! Lemmas: invariants that know their k and, where they outlive an analysis, their system.
//!
//! A term alone says neither how it was proved nor whose variables it is about. Within an
//! analysis all lemmas are about one system, and a [`Lemma`] has the k of its proof. What
//! others get are [`Lemmas`]: who wants their terms has to name a system, and gets them in
//! terms of that one ([`carry`](crate::carry)). They are proved in their own system only: in
//! another they are candidates.

use std::sync::Arc;

use system::{System, Term};

use crate::carry::{Carrier, Carry};

/// An invariant that is k-inductive, together with the lemmas before it and those that were
/// proved with it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Lemma {
    pub k: usize,
    pub term: Term,
}

impl Lemma {
    pub fn new(k: usize, term: Term) -> Lemma {
        Lemma { k, term }
    }

    /// Invariants that are k-inductive together.
    pub fn all(k: usize, terms: impl IntoIterator<Item = Term>) -> Vec<Lemma> {
        let terms = terms.into_iter();
        terms.map(|term| Lemma::new(k, term)).collect()
    }
}

impl Carry for Lemma {
    fn carried(&self, carrier: &Carrier) -> Option<Lemma> {
        Some(Lemma::new(self.k, carrier.term(&self.term)?))
    }
}

/// Lemmas of one system, in the order of their proofs.
#[derive(Clone, Debug, Default)]
pub struct Lemmas {
    system: Arc<System>,
    all: Vec<Lemma>,
}

impl Lemmas {
    pub fn new(system: Arc<System>, all: Vec<Lemma>) -> Lemmas {
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
    pub fn about(&self, system: &System) -> Vec<Lemma> {
        if self.all.is_empty() {
            return Vec::new();
        }
        let carrier = Carrier::new(&self.system, system);
        let carried = self.all.iter().filter_map(|lemma| lemma.carried(&carrier));
        carried.collect()
    }
}
