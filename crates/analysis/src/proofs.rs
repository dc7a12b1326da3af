//! The proofs of an analysis: properties with the same proof share it, and each proof is minimised.

use std::sync::Arc;
use std::time::Duration;

use proof::{Evidence, invariant, minimised};
use smt::SolverContext;
use system::{PropertyId, System, Term};

use crate::run::{Outcome, PropertyResult};

/// Properties that one proof shows, and the other conjuncts of its invariant.
#[derive(Clone, Debug)]
pub struct SharedProof {
    pub properties: Vec<PropertyId>,
    pub evidence: Evidence,
    /// The conjuncts of the invariant that are no properties.
    pub invariants: Vec<Term>,
}

/// The proofs behind the results, with a timeout for minimising each.
pub(crate) fn proofs(
    context: &SolverContext,
    system: &Arc<System>,
    results: &[Option<PropertyResult>],
    time: Duration,
) -> Vec<SharedProof> {
    let mut groups: Vec<(Vec<PropertyId>, Evidence)> = Vec::new();
    for (at, result) in results.iter().enumerate() {
        let outcome = result.as_ref().map(|result| &result.outcome);
        if let Some(Outcome::Valid(evidence) | Outcome::Unreachable(evidence)) = outcome
            && let Some(evidence) = evidence.about(system)
        {
            let same = |other: &Evidence| {
                let own = evidence.induction();
                own.is_some() && own == other.induction()
            };
            let known = groups.iter_mut().find(|(_, other)| same(other));
            match known {
                Some((ids, _)) => ids.push(PropertyId(at)),
                None => groups.push((vec![PropertyId(at)], evidence)),
            }
        }
    }
    let made_small = |(properties, evidence): (Vec<PropertyId>, Evidence)| {
        let goals: Vec<Term> = properties.iter().map(|id| invariant(system, *id)).collect();
        let evidence = minimised(context, system, &goals, &evidence, time);
        let own: Vec<Term> = goals.iter().flat_map(Term::conjuncts).collect();
        let conjuncts = evidence.induction().map(|own| own.invariant.conjuncts());
        let mut invariants = conjuncts.unwrap_or_default();
        invariants.retain(|term| !own.contains(term));
        SharedProof {
            properties,
            evidence,
            invariants,
        }
    };
    groups.into_iter().map(made_small).collect()
}
