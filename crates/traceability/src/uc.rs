//! IVC_UC: the parts that a proof needs, from unsatisfiable cores.
//!
//! The smallest k for which the invariants are inductive; of the invariants those
//! that the properties lean on, and these lean on in turn; and of the parts those
//! in the cores of all these queries.

use std::collections::HashMap;
use std::time::Duration;

use proof::{AtStep, GaveUp, closure, hold_after, hold_at_first};
use smt::{Answer, Limits};
use system::{Term, not};

use crate::frames::{Core, Frames, within};
use crate::model::Set;
use crate::solvers::Solvers;
use crate::verify::{Proof, Verifier};

/// The parts that a proof needs, its k and its invariants; `None` if it is no
/// proof with these parts.
pub(crate) fn core(verifier: &mut Verifier, present: &Set, proof: &Proof) -> Option<Needed> {
    match proof {
        Proof::Inductive {
            k,
            invariants,
            checked,
        } => {
            let mut all = verifier.solvers.goals.clone();
            let others = invariants
                .iter()
                .filter(|term| !verifier.solvers.goals.contains(term));
            all.extend(others.cloned());
            let mut found = Asked::No;
            for k in 1..=*k {
                found = whole(verifier, present, k, &all);
                if matches!(found, Asked::Yes(_)) {
                    break;
                }
            }
            let found = match found {
                Asked::Yes(needed) => needed,
                // It is a proof, whatever it needs.
                Asked::Unknown if *checked => Needed {
                    parts: present.clone(),
                    k: *k,
                    invariants: all,
                },
                Asked::No | Asked::Unknown => return None,
            };
            match verifier.minimise {
                true => Some(minimal(verifier, found)),
                false => Some(found),
            }
        }
        Proof::NoRun { steps } => no_run(verifier, present, *steps).yes(),
    }
}

/// What a proof needs.
pub(crate) struct Needed {
    pub parts: Set,
    pub k: usize,
    /// The goals are the first of them.
    pub invariants: Vec<Term>,
}

/// What it takes for something to hold; or it does not, or there is no answer in time.
enum Asked<T> {
    Yes(T),
    No,
    Unknown,
}

impl<T> Asked<T> {
    fn yes(self) -> Option<T> {
        match self {
            Asked::Yes(found) => Some(found),
            Asked::No | Asked::Unknown => None,
        }
    }

    fn and_then<U>(self, next: impl FnOnce(T) -> Asked<U>) -> Asked<U> {
        match self {
            Asked::Yes(found) => next(found),
            Asked::No => Asked::No,
            Asked::Unknown => Asked::Unknown,
        }
    }

    fn map<U>(self, with: impl FnOnce(T) -> U) -> Asked<U> {
        self.and_then(|found| Asked::Yes(with(found)))
    }
}

/// The core of a query that was answered.
fn needed_by(frames: &mut Frames, answer: &Answer) -> Asked<Core> {
    match answer {
        Answer::Unsat => Asked::Yes(frames.core()),
        Answer::Sat => Asked::No,
        Answer::Unknown(_) => Asked::Unknown,
    }
}

/// The core of a proof by k-induction: of each invariant that is needed if that can be
/// found, else of all at once.
fn whole(verifier: &mut Verifier, present: &Set, k: usize, all: &[Term]) -> Asked<Needed> {
    let (own, many) = (verifier.budget.of_core(), verifier.minimise);
    let limit = |time: Duration| match many {
        // There are other questions, and another proof may be easier to take apart.
        true => within(own, time),
        false => own,
    };
    verifier.solvers.paths.limit(limit(EACH));
    let found = inductive(verifier, present, k, all);
    verifier.solvers.paths.limit(limit(ALL));
    let Asked::Unknown = found else {
        return found;
    };
    let terms = AtStep::some_fails(all, k, k);
    let answer = verifier.solvers.paths.check(present, k, &terms);
    needed_by(&mut verifier.solvers.paths, &answer).and_then(|core| {
        at_first(verifier, present, k, all).map(|mut parts| {
            parts.extend(core.parts);
            Needed {
                parts,
                k,
                invariants: all.to_vec(),
            }
        })
    })
}

/// For the step of one invariant, and for that of all.
const EACH: Duration = Duration::from_millis(500);
const ALL: Duration = Duration::from_secs(2);

/// What it takes for the terms to hold at the first k steps of runs.
fn at_first(verifier: &mut Verifier, present: &Set, k: usize, terms: &[Term]) -> Asked<Set> {
    let mut used = Set::new();
    for term in terms {
        for step in 0..k {
            match never(verifier, present, term, step) {
                Asked::Yes(parts) => used.extend(parts),
                other => return other,
            }
        }
    }
    Asked::Yes(used)
}

/// The core of a proof by k-induction, invariant by invariant: of all terms, of which the
/// goals are the first, those that the goals need.
fn inductive(verifier: &mut Verifier, present: &Set, k: usize, all: &[Term]) -> Asked<Needed> {
    let positions: HashMap<u64, usize> = all.iter().map(Term::id).zip(0..).collect();
    let hypotheses = AtStep::all(all, 0..k);
    let mut used = Set::new();
    let goals = 0..verifier.solvers.goals.len();
    let needed = closure(goals, |at| {
        let mut terms = hypotheses.clone();
        terms.push(AtStep::new(not(&all[at]), k));
        let answer = verifier.solvers.paths.check(present, k, &terms);
        match needed_by(&mut verifier.solvers.paths, &answer) {
            Asked::Yes(core) => {
                used.extend(core.parts);
                let named = core.terms.iter();
                Ok(named.filter_map(|id| positions.get(id).copied()).collect())
            }
            Asked::No => Err(Asked::No),
            Asked::Unknown => Err(Asked::Unknown),
        }
    });
    let invariants: Vec<Term> = match needed {
        Ok(needed) => needed.into_iter().map(|at| all[at].clone()).collect(),
        Err(failure) => return failure,
    };
    at_first(verifier, present, k, &invariants).map(|parts| {
        used.extend(parts);
        Needed {
            parts: used,
            k,
            invariants,
        }
    })
}

/// The same proof with as few parts as it can do with: each in turn is left out
/// if the invariants are inductive without it.
fn minimal(verifier: &mut Verifier, mut needed: Needed) -> Needed {
    verifier.solvers.limit(within(Limits::default(), PATIENCE));
    let end = verifier.context.now() + 10 * PATIENCE;
    let mut open = needed.parts.clone();
    open.retain(|part| !verifier.known.is_must(*part));
    while let Some(part) = open.pop_first() {
        if end.is_past() {
            break;
        }
        let mut fewer = needed.parts.clone();
        fewer.remove(&part);
        let found = inductive(verifier, &fewer, needed.k, &needed.invariants);
        if let Asked::Yes(found) = found {
            needed = found;
            open.retain(|part| needed.parts.contains(part));
        }
    }
    needed
}

/// For a question whose answer saves some time.
const PATIENCE: Duration = Duration::from_millis(200);

/// What it takes for no run to violate the term at a step.
fn never(verifier: &mut Verifier, present: &Set, term: &Term, step: usize) -> Asked<Set> {
    let fails = [AtStep::new(not(term), step)];
    let answer = verifier.solvers.runs.check(present, step, &fails);
    needed_by(&mut verifier.solvers.runs, &answer).map(|core| core.parts)
}

/// The core of a proof that all runs end.
fn no_run(verifier: &mut Verifier, present: &Set, steps: usize) -> Asked<Needed> {
    let goals = verifier.solvers.goals.clone();
    at_first(verifier, present, steps, &goals).and_then(|mut parts| {
        let answer = verifier.solvers.runs.check(present, steps, &[]);
        needed_by(&mut verifier.solvers.runs, &answer).map(|core| {
            parts.extend(core.parts);
            Needed {
                parts,
                k: 1,
                invariants: Vec::new(),
            }
        })
    })
}

/// Those of the candidates that are k-inductive together.
pub(crate) fn survivors(
    solvers: &mut Solvers,
    present: &Set,
    mut candidates: Vec<Term>,
    k: usize,
) -> Result<Vec<Term>, GaveUp> {
    hold_at_first(&mut solvers.runs.with(present), &mut candidates, k)?;
    hold_after(&mut solvers.paths.with(present), &mut candidates, k)?;
    Ok(candidates)
}
