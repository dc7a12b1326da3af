//! From the proofs of an analysis to one pair (k, φ).
//!
//! An analysis may have assumed properties that were proved before, of callees or of this node. A
//! certificate assumes nothing, so its system may have other constraints and other variable
//! numbers. The proofs of the analysis are carried over by the names of variables, and are
//! candidates there: if they are no proof, the engines run again.

use std::sync::Arc;
use std::time::Instant;

use engines::{Advice, Advised, News, Portfolio, Settings, Verdict};
use proof::{
    Candidates, Evidence, EvidenceOf, Joined, Lemmas, MinimiseInvariants, MinimiseK, Proof,
    evidence_about, join,
};
use system::{System, Term};

use super::certified;

/// Why there is no certificate.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Failure {
    /// Runs end after so many steps, and no property is violated until then.
    NoLongRuns(usize),
    /// Induction works along paths without repeated states only.
    SimplePaths,
    /// No proof was found again in time.
    NotFound,
}

/// The proofs and lemmas of an analysis, about its own systems.
pub struct Known<'k> {
    pub evidence: Vec<&'k EvidenceOf>,
    pub lemmas: &'k Lemmas,
}

/// How to look for a proof, and for a smaller one.
pub struct Effort {
    pub settings: Settings,
    pub minimise: (MinimiseK, MinimiseInvariants),
}

/// A proof of the properties of a system without streams, if there is one.
pub fn prove(system: &Arc<System>, known: &Known, effort: &Effort) -> Result<Proof, Failure> {
    let settings = &effort.settings;
    let context = &settings.context();
    let stop = || {
        let over = |at| Instant::now() >= at;
        settings.deadline.is_some_and(over)
            || settings
                .interrupted
                .load(std::sync::atomic::Ordering::Relaxed)
    };
    let goals = certified(system).into_iter();
    let goals: Vec<Term> = goals.map(|at| system.properties[at].term.clone()).collect();
    let evidence = evidence_about(&known.evidence, system);
    let mut proof =
        joined(&evidence, &goals).filter(|proof| proof.holds_up(context, system, &stop));
    if proof.is_none() {
        let found = anew(system, known, settings);
        let again = joined(&found, &goals).filter(|proof| proof.holds_up(context, system, &stop));
        proof = again;
        if proof.is_none() {
            return Err(why(found
                .iter()
                .chain(known.evidence.iter().map(|e| e.kind()))));
        }
    }
    let mut proof = proof.ok_or(Failure::NotFound)?;
    proof.minimise(context, system, effort.minimise, &stop);
    Ok(proof)
}

fn why<'e>(mut evidence: impl Iterator<Item = &'e Evidence>) -> Failure {
    let special = evidence.find_map(|evidence| match evidence {
        Evidence::NoRun { steps } | Evidence::Bounded { steps } => {
            Some(Failure::NoLongRuns(*steps))
        }
        Evidence::SimplePath { .. } => Some(Failure::SimplePaths),
        Evidence::Inductive { .. } => None,
    });
    special.unwrap_or(Failure::NotFound)
}

/// One proof of all goals.
fn joined(evidence: &[Evidence], goals: &[Term]) -> Option<Proof> {
    let Joined::Inductive { candidates, .. } = join(evidence) else {
        return None;
    };
    let mut lemmas = candidates.terms;
    lemmas.retain(|term| !goals.contains(term));
    Some(Proof {
        k: candidates.k,
        goals: goals.to_vec(),
        lemmas,
    })
}

/// Runs the engines, with all proofs and lemmas as advice, which they check before they use it.
fn anew(system: &Arc<System>, known: &Known, settings: &Settings) -> Vec<Evidence> {
    let mut settings = settings.clone();
    // Compressed paths give no k-inductive invariant.
    settings.induction.compress = false;
    settings.advice = Arc::new(advice(system, known));
    let mut asked = (**system).clone();
    asked.properties = certified(system)
        .into_iter()
        .map(|at| system.properties[at].clone())
        .collect();
    let mut portfolio = Portfolio::start(asked.into(), Vec::new(), Vec::new(), &settings);
    let mut found = Vec::new();
    for news in portfolio.by_ref() {
        if let News::Finding(finding) = news
            && let Verdict::Always(evidence) = finding.verdict
        {
            found.push(evidence);
        }
    }
    portfolio.stop();
    found
}

/// Lemmas that need a larger k are left out.
const MAX_K: usize = 4;

/// The invariants of proofs and the lemmas, as advice without properties: the engines keep those
/// that are k-inductive together.
fn advice(system: &System, known: &Known) -> Advice {
    let mut candidates = Candidates::about(&known.evidence, system);
    let deepest = candidates.k.max(MAX_K);
    let lemmas = known.lemmas.about(system).into_iter();
    for lemma in lemmas.filter(|lemma| lemma.k <= deepest) {
        candidates.add(lemma.k, [lemma.term]);
    }
    let proof = (!candidates.terms.is_empty()).then(|| Advised {
        properties: Vec::new(),
        k: candidates.k,
        simple_path: false,
        invariants: candidates.terms,
    });
    Advice {
        proofs: proof.into_iter().collect(),
        runs: Vec::new(),
    }
}
