//! IVC_UC: the parts that a proof needs, from unsatisfiable cores.
//!
//! The smallest k for which the invariants are inductive; of the invariants those
//! that the properties lean on, and these lean on in turn; and of the parts those
//! in the cores of all these queries.

use std::collections::HashMap;
use std::time::{Duration, Instant};

use smt::Answer;
use system::{Term, not};

use crate::model::Set;
use crate::verify::{Proof, Verifier};

/// The parts that a proof needs, its k and its invariants; `None` if it is no
/// proof with these parts.
pub(crate) fn core(
    verifier: &mut Verifier,
    present: &Set,
    proof: &Proof,
) -> Option<(Set, usize, Vec<Term>)> {
    match proof {
        Proof::Inductive { k, invariants } => {
            let mut all = verifier.goals.clone();
            let others = invariants
                .iter()
                .filter(|term| !verifier.goals.contains(term));
            all.extend(others.cloned());
            let found = (1..=*k).find_map(|k| inductive(verifier, present, k, &all))?;
            match verifier.minimise {
                true => Some(minimal(verifier, found)),
                false => Some(found),
            }
        }
        Proof::NoRun { steps } => no_run(verifier, present, *steps),
    }
}

/// The core of a proof by k-induction.
fn inductive(
    verifier: &mut Verifier,
    present: &Set,
    k: usize,
    all: &[Term],
) -> Option<(Set, usize, Vec<Term>)> {
    let by_number: HashMap<u64, &Term> = all.iter().map(|term| (term.id(), term)).collect();
    let mut hypotheses: Vec<(Term, usize)> = Vec::new();
    for term in all {
        hypotheses.extend((0..k).map(|step| (term.clone(), step)));
    }
    let mut used = Set::new();
    let mut needed: Vec<Term> = verifier.goals.clone();
    let mut at = 0;
    while at < needed.len() {
        let goal = needed[at].clone();
        at += 1;
        let mut terms = hypotheses.clone();
        terms.push((not(&goal), k));
        if verifier.paths.check(present, k, &terms) != Answer::Unsat {
            return None;
        }
        let core = verifier.paths.core();
        used.extend(core.parts);
        for number in core.terms {
            if let Some(term) = by_number.get(&number)
                && !needed.contains(term)
            {
                needed.push((*term).clone());
            }
        }
    }
    for goal in &needed {
        for step in 0..k {
            used.extend(never(verifier, present, goal, step)?);
        }
    }
    Some((used, k, needed))
}

/// The same proof with as few parts as it can do with: each in turn is left out
/// if the invariants are inductive without it.
fn minimal(
    verifier: &mut Verifier,
    (mut used, k, mut invariants): (Set, usize, Vec<Term>),
) -> (Set, usize, Vec<Term>) {
    verifier.paths.limit(Some(PATIENCE));
    verifier.runs.limit(Some(PATIENCE));
    let end = Instant::now() + 10 * PATIENCE;
    let mut open = used.clone();
    open.retain(|part| !verifier.is_must(*part));
    while let Some(part) = open.pop_first() {
        if Instant::now() >= end {
            break;
        }
        let mut fewer = used.clone();
        fewer.remove(&part);
        if let Some(found) = inductive(verifier, &fewer, k, &invariants) {
            (used, _, invariants) = found;
            open.retain(|part| used.contains(part));
        }
    }
    (used, k, invariants)
}

/// For a question whose answer saves some time.
const PATIENCE: Duration = Duration::from_millis(200);

/// What it takes for no run to violate the term at a step.
fn never(verifier: &mut Verifier, present: &Set, term: &Term, step: usize) -> Option<Set> {
    let answer = verifier.runs.check(present, step, &[(not(term), step)]);
    (answer == Answer::Unsat).then(|| verifier.runs.core().parts)
}

/// The core of a proof that all runs end.
fn no_run(verifier: &mut Verifier, present: &Set, steps: usize) -> Option<(Set, usize, Vec<Term>)> {
    let mut used = Set::new();
    for goal in verifier.goals.clone() {
        for step in 0..steps {
            used.extend(never(verifier, present, &goal, step)?);
        }
    }
    if verifier.runs.check(present, steps, &[]) != Answer::Unsat {
        return None;
    }
    used.extend(verifier.runs.core().parts);
    Some((used, 1, Vec::new()))
}

/// Those of the candidates that are k-inductive together: what fails at first
/// steps goes, then what fails after k steps with the rest, as long as something
/// does.
pub(crate) fn survivors(
    verifier: &mut Verifier,
    present: &Set,
    mut candidates: Vec<Term>,
    k: usize,
) -> Option<Vec<Term>> {
    for step in 0..k {
        loop {
            let some_fails = system::or(candidates.iter().map(not));
            match verifier.runs.check(present, step, &[(some_fails, step)]) {
                Answer::Unsat => break,
                Answer::Sat => candidates.retain(|term| verifier.runs.holds(term, step)),
                Answer::Unknown(_) => return None,
            }
        }
    }
    loop {
        let mut terms: Vec<(Term, usize)> = Vec::new();
        for term in &candidates {
            terms.extend((0..k).map(|step| (term.clone(), step)));
        }
        terms.push((system::or(candidates.iter().map(not)), k));
        match verifier.paths.check(present, k, &terms) {
            Answer::Unsat => return Some(candidates),
            Answer::Sat => candidates.retain(|term| verifier.paths.holds(term, k)),
            Answer::Unknown(_) => return None,
        }
    }
}
