//! Evidence that knows which system it is about.
//!
//! Results outlive their analysis: cores, mutants and certificates start from them, each
//! with a lowering of its own. There the invariant of a proof is carried by the names of
//! variables ([`system::carry`]), and is a candidate, no proof: the system that it was
//! proved of may have had constraints that the other one lacks.

use std::collections::HashSet;
use std::sync::Arc;

use system::carry::{Carrier, Carriers};
use system::{System, Term};

use crate::blackboard::Evidence;

/// Evidence with the system that it was found for.
#[derive(Clone, Debug)]
pub struct EvidenceOf {
    system: Arc<System>,
    evidence: Evidence,
}

impl EvidenceOf {
    pub fn new(system: Arc<System>, evidence: Evidence) -> EvidenceOf {
        EvidenceOf { system, evidence }
    }

    pub fn k(&self) -> usize {
        self.evidence.k()
    }

    /// Which kind of evidence it is, for messages. Its terms are those of its own
    /// system.
    pub fn kind(&self) -> &Evidence {
        &self.evidence
    }

    /// In terms of a system; nothing if it speaks of what is not there.
    pub fn about(&self, system: &System) -> Option<Evidence> {
        self.carried(&Carrier::new(&self.system, system))
    }

    fn carried(&self, carrier: &Carrier) -> Option<Evidence> {
        Some(match &self.evidence {
            Evidence::Inductive { k, invariant } => Evidence::Inductive {
                k: *k,
                invariant: carrier.term(invariant)?,
            },
            Evidence::SimplePath { k, invariant } => Evidence::SimplePath {
                k: *k,
                invariant: carrier.term(invariant)?,
            },
            other => other.clone(),
        })
    }
}

/// All evidence that can be said of a system, in its terms.
pub fn evidence_about(all: &[&EvidenceOf], system: &System) -> Vec<Evidence> {
    let mut carriers = Carriers::to(system);
    let carried = all
        .iter()
        .map(|own| own.carried(carriers.from(&own.system)));
    carried.flatten().collect()
}

/// The conjuncts of all k-inductive invariants in terms of a system, each once, and the
/// largest k. Those that speak of what is not there are dropped.
pub fn candidates(all: &[&EvidenceOf], system: &System) -> (usize, Vec<Term>) {
    let mut carriers = Carriers::to(system);
    let mut largest = 1;
    let mut found = Vec::new();
    for own in all {
        if let Evidence::Inductive { k, invariant } = &own.evidence {
            largest = largest.max(*k);
            let carrier = carriers.from(&own.system);
            let conjuncts = invariant.conjuncts();
            found.extend(conjuncts.iter().filter_map(|term| carrier.term(term)));
        }
    }
    let mut seen = HashSet::new();
    found.retain(|term: &Term| seen.insert(term.clone()));
    (largest, found)
}
