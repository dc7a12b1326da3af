//! From the proofs of an analysis to one pair (k, φ).
//!
//! An analysis may have used what was proved before, of callees or of properties
//! that were settled. A certificate takes nothing for granted, so its system may
//! have other constraints and number its variables otherwise. What the analysis
//! knows is carried over by the names of variables, and is no more than a
//! candidate there: if it is no proof, the engines are asked again.

use std::sync::Arc;
use std::time::Instant;

use engines::{
    Compression, Evidence, MinimiseInvariants, MinimiseK, News, Portfolio, Proof, Settings, Verdict,
};
use system::{System, Term};

use super::certified;
use crate::names::Names;

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

/// What an analysis has found, in terms of its own system.
pub struct Known<'k> {
    pub system: &'k System,
    pub evidence: Vec<&'k Evidence>,
    pub lemmas: &'k [(usize, Term)],
}

/// How to look for a proof, and for a smaller one.
pub struct Effort {
    pub settings: Settings,
    pub minimise: (MinimiseK, MinimiseInvariants),
}

/// A proof of the properties of a system without streams, if there is one.
pub fn prove(system: &Arc<System>, known: &Known, effort: &Effort) -> Result<Proof, Failure> {
    let settings = &effort.settings;
    let stop = || {
        let over = |at| Instant::now() >= at;
        settings.deadline.is_some_and(over)
            || settings
                .interrupted
                .load(std::sync::atomic::Ordering::Relaxed)
    };
    let goals = certified(system).into_iter();
    let goals: Vec<Term> = goals.map(|at| system.properties[at].term.clone()).collect();
    let carrier = Carrier::new(known.system, system);
    let evidence = known.evidence.iter();
    let evidence: Vec<Evidence> = evidence.filter_map(|e| carrier.evidence(e)).collect();
    let mut proof = joined(&evidence, &goals).filter(|proof| proof.holds_up(system, &stop));
    if proof.is_none() {
        let found = anew(system, known, &carrier, settings);
        let again = joined(&found, &goals).filter(|proof| proof.holds_up(system, &stop));
        proof = again;
        if proof.is_none() {
            return Err(why(found.iter().chain(known.evidence.iter().copied())));
        }
    }
    let mut proof = proof.ok_or(Failure::NotFound)?;
    proof.minimise(system, effort.minimise, &stop);
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
    let mut k = 1;
    let mut lemmas: Vec<Term> = Vec::new();
    for evidence in evidence {
        let (Evidence::Inductive { k: own, invariant }
        | Evidence::SimplePath { k: own, invariant }) = evidence
        else {
            return None;
        };
        k = k.max(*own);
        for conjunct in invariant.conjuncts() {
            if !goals.contains(&conjunct) && !lemmas.contains(&conjunct) {
                lemmas.push(conjunct);
            }
        }
    }
    Some(Proof {
        k,
        goals: goals.to_vec(),
        lemmas,
    })
}

/// Asks the engines, with all that is known as lemmas to try.
fn anew(
    system: &Arc<System>,
    known: &Known,
    carrier: &Carrier,
    settings: &Settings,
) -> Vec<Evidence> {
    let mut settings = settings.clone();
    // Shortcuts through paths are no induction.
    settings.induction.compression = Compression::NONE;
    let lemmas = known.lemmas.iter();
    let lemmas = lemmas.filter_map(|(k, term)| Some((*k, carrier.term(term)?)));
    settings.lemmas = lemmas.collect();
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

/// Carries terms from one system to another, by the names of variables.
struct Carrier {
    vars: Vec<Option<Term>>,
}

impl Carrier {
    fn new(from: &System, to: &System) -> Carrier {
        let (names, targets) = (Names::of(from), Names::of(to));
        let places: std::collections::HashMap<&str, usize> = (0..to.vars.len())
            .map(|at| (targets.plain(system::Var(at as u32)), at))
            .collect();
        let vars = from.vars.iter().enumerate().map(|(at, var)| {
            let place = *places.get(names.plain(system::Var(at as u32)))?;
            let same = to.vars[place].sort == var.sort && to.vars[place].role == var.role;
            same.then(|| system::var(system::Var(place as u32), var.sort.clone()))
        });
        Carrier {
            vars: vars.collect(),
        }
    }

    fn term(&self, term: &Term) -> Option<Term> {
        let mut map = std::collections::HashMap::new();
        for var in term.vars() {
            let target = self.vars.get(var.0 as usize)?.clone()?;
            map.insert(system::var(var, target.sort().clone()), target);
        }
        Some(system::substitute(term, &map))
    }

    fn evidence(&self, evidence: &Evidence) -> Option<Evidence> {
        Some(match evidence {
            Evidence::Inductive { k, invariant } => Evidence::Inductive {
                k: *k,
                invariant: self.term(invariant)?,
            },
            Evidence::SimplePath { k, invariant } => Evidence::SimplePath {
                k: *k,
                invariant: self.term(invariant)?,
            },
            other => other.clone(),
        })
    }
}
