//! Evidence: why a property holds; with its system, where it outlives an analysis.
//!
//! Cores, mutants and certificates start from the results of an analysis, each with a lowering
//! of its own. There the invariant of a proof is carried by the names of variables
//! ([`carry`](crate::carry)), and is a candidate, no proof: the system that it was proved of
//! may have had constraints that the other one lacks.
//!
//! Several proofs are joined to one by the conjunction of their invariants: if each is
//! k-inductive for its own k, all of them together are for the largest one, since a longer
//! hypothesis is a stronger one.

use std::collections::HashSet;
use std::sync::Arc;

use system::{System, Term};

use crate::carry::{Carrier, Carriers, Carry};

/// Why a property holds.
#[derive(Clone, Debug)]
pub enum Evidence {
    /// The invariant is k-inductive and implies the property.
    Inductive { k: usize, invariant: Term },
    /// The same along paths without repeated states.
    SimplePath { k: usize, invariant: Term },
    /// All runs end before this step, and none violates the property.
    NoRun { steps: usize },
    /// No step that the bounds allow satisfies the property.
    Bounded { steps: usize },
}

/// Evidence that is an induction.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Induction<'e> {
    pub k: usize,
    pub invariant: &'e Term,
    /// Along paths without repeated states only.
    pub simple_path: bool,
}

impl Evidence {
    /// By k-induction, on all paths or on those without repeated states.
    pub fn by_induction(k: usize, invariant: Term, simple_path: bool) -> Evidence {
        match simple_path {
            true => Evidence::SimplePath { k, invariant },
            false => Evidence::Inductive { k, invariant },
        }
    }

    pub fn induction(&self) -> Option<Induction<'_>> {
        let (k, invariant, simple_path) = match self {
            Evidence::Inductive { k, invariant } => (*k, invariant, false),
            Evidence::SimplePath { k, invariant } => (*k, invariant, true),
            Evidence::NoRun { .. } | Evidence::Bounded { .. } => return None,
        };
        Some(Induction {
            k,
            invariant,
            simple_path,
        })
    }

    pub fn k(&self) -> usize {
        match self {
            Evidence::Inductive { k, .. } | Evidence::SimplePath { k, .. } => *k,
            Evidence::NoRun { steps } | Evidence::Bounded { steps } => *steps,
        }
    }
}

impl Carry for Evidence {
    fn carried(&self, carrier: &Carrier) -> Option<Evidence> {
        match self.induction() {
            Some(own) => {
                let invariant = carrier.term(own.invariant)?;
                Some(Evidence::by_induction(own.k, invariant, own.simple_path))
            }
            None => Some(self.clone()),
        }
    }
}

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
        self.evidence.carried(&Carrier::new(&self.system, system))
    }
}

/// All evidence that can be said of a system, in its terms.
pub fn evidence_about(all: &[&EvidenceOf], system: &System) -> Vec<Evidence> {
    let mut carriers = Carriers::to(system);
    let carried = all
        .iter()
        .map(|own| own.evidence.carried(carriers.from(&own.system)));
    carried.flatten().collect()
}

/// Terms that may be k-inductive together, each once.
#[derive(Clone, Debug)]
pub struct Candidates {
    /// The largest k of those that the terms come from; at least 1.
    pub k: usize,
    pub terms: Vec<Term>,
    seen: HashSet<u64>,
}

impl Default for Candidates {
    fn default() -> Candidates {
        Candidates {
            k: 1,
            terms: Vec::new(),
            seen: HashSet::new(),
        }
    }
}

impl Candidates {
    /// The conjuncts of all k-inductive invariants, in terms of a system. Those that speak of
    /// what is not there are dropped.
    pub fn about(all: &[&EvidenceOf], system: &System) -> Candidates {
        let mut carriers = Carriers::to(system);
        let mut found = Candidates::default();
        for own in all {
            if let Evidence::Inductive { k, invariant } = &own.evidence {
                let carrier = carriers.from(&own.system);
                let conjuncts = invariant.conjuncts();
                found.add(*k, conjuncts.iter().filter_map(|term| carrier.term(term)));
            }
        }
        found
    }

    /// More terms, from a proof with this k.
    pub fn add(&mut self, k: usize, terms: impl IntoIterator<Item = Term>) {
        self.k = self.k.max(k);
        let seen = &mut self.seen;
        let new = terms.into_iter().filter(|term| seen.insert(term.id()));
        self.terms.extend(new);
    }
}

/// Several proofs as one.
#[derive(Clone, Debug)]
pub enum Joined {
    Inductive {
        candidates: Candidates,
        /// Some of the proofs are inductive along paths without repeated states only.
        simple_path: bool,
    },
    /// One of the proofs is that all runs end before this step.
    NoRun { steps: usize },
}

/// One proof of all that several proofs show.
pub fn join<'e>(proofs: impl IntoIterator<Item = &'e Evidence>) -> Joined {
    let mut candidates = Candidates::default();
    let mut simple_path = false;
    for evidence in proofs {
        let Some(own) = evidence.induction() else {
            return Joined::NoRun {
                steps: evidence.k(),
            };
        };
        simple_path |= own.simple_path;
        candidates.add(own.k, own.invariant.conjuncts());
    }
    Joined::Inductive {
        candidates,
        simple_path,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use system::{Sort, Var, and};

    fn atom(at: u32) -> Term {
        system::var(Var(at), Sort::Bool)
    }

    #[test]
    fn proofs_are_joined_with_the_largest_k_and_each_conjunct_once() {
        let (a, b, c) = (atom(0), atom(1), atom(2));
        let first = Evidence::by_induction(2, and([a.clone(), b.clone()]), false);
        let second = Evidence::by_induction(1, and([b.clone(), c.clone()]), true);
        let Joined::Inductive {
            candidates,
            simple_path,
        } = join([&first, &second])
        else {
            panic!("both are inductions");
        };
        assert_eq!((candidates.k, simple_path), (2, true));
        assert_eq!(candidates.terms, [a, b, c]);
        let ends = Evidence::NoRun { steps: 4 };
        assert!(matches!(join([&first, &ends]), Joined::NoRun { steps: 4 }));
    }
}
