//! Advice: what an earlier run has found out, perhaps about another version of the
//! system, is tried before all else.
//!
//! Nothing of it is believed. A proof is checked as any other is before it counts; a
//! run is looked for at the step at which there was one. Where a proof does not hold
//! up any more, some of its invariants may: those that are k-inductive together are
//! what remains when all that fail are taken away, one model after the other, and
//! they are lemmas for the engines that come next. So advice that is out of date
//! costs time, and no more.

use std::sync::Arc;

use proof::{Compression, Cone, Evidence, Unrolling, certify, invariant};
use smt::{Answer, Literal, Scalar, Solver};
use system::{PropertyId, System, Term, and, not};

use crate::blackboard::{Blackboard, Engine, Observation, Verdict};
use crate::find::{Search, find_run};

/// A proof and its invariants are what k-induction can check.
const ME: Engine = Engine::Induction;

/// What an earlier run knew.
#[derive(Clone, Debug, Default)]
pub struct Advice {
    pub proofs: Vec<Advised>,
    /// The last step of a run that decided a property.
    pub runs: Vec<(PropertyId, usize)>,
}

/// Properties and invariants that were k-inductive together.
#[derive(Clone, Debug)]
pub struct Advised {
    pub properties: Vec<PropertyId>,
    pub k: usize,
    /// Along paths without repeated states.
    pub simple_path: bool,
    pub invariants: Vec<Term>,
}

impl Advice {
    pub fn is_empty(&self) -> bool {
        self.proofs.is_empty() && self.runs.is_empty()
    }
}

/// Tries proofs and runs, and gives others what is left of the proofs.
pub(crate) fn run(
    system: &Arc<System>,
    board: &Blackboard,
    observed: &[Observation],
    advice: &Advice,
) {
    let mut failed = Vec::new();
    for proof in &advice.proofs {
        if board.stopped() {
            return;
        }
        if proof.properties.is_empty() || !prove(system, board, proof) {
            failed.push(proof);
        }
    }
    for (id, last) in &advice.runs {
        try_run(system, board, observed, *id, *last);
    }
    let asked = |id: &PropertyId| board.is_open(*id) && !system.property(*id).hidden;
    let mut all = (0..system.properties.len()).map(PropertyId);
    if !failed.is_empty() && all.any(|id| asked(&id)) {
        salvage(system, board, &failed);
    }
}

/// Decides the properties of a proof that holds up.
fn prove(system: &Arc<System>, board: &Blackboard, proof: &Advised) -> bool {
    let open = proof.properties.iter().filter(|id| board.is_open(**id));
    let open: Vec<PropertyId> = open.copied().collect();
    if open.is_empty() {
        return true;
    }
    let k = proof.k;
    let own = proof.properties.iter().map(|id| invariant(system, *id));
    let whole = and(own.chain(proof.invariants.iter().cloned()));
    let compression = match proof.simple_path {
        true => Compression::EQUAL,
        false => Compression::NONE,
    };
    let stop = || board.stopped();
    let check = || certify::inductive(system, &whole, k, compression, &stop);
    if !board.certify(ME, check) {
        return false;
    }
    board.add_lemma(k, whole.clone());
    let evidence = Evidence::by_induction(k, whole, proof.simple_path);
    for id in open {
        board.decide(id, ME, Verdict::Always(evidence.clone()));
    }
    true
}

/// Decides a property by a run of this length, if there is one.
fn try_run(
    system: &Arc<System>,
    board: &Blackboard,
    observed: &[Observation],
    id: PropertyId,
    last: usize,
) {
    if !board.is_open(id) || board.stopped() {
        return;
    }
    if let Search::Found(run) = find_run(system, observed, id, last, None) {
        board.decide(id, Engine::Bmc, Verdict::Witness(run));
    }
}

/// The invariants of proofs, and the properties they were for, as far as they are
/// k-inductive together, become lemmas.
fn salvage(system: &Arc<System>, board: &Blackboard, proofs: &[&Advised]) {
    let mut candidates: Vec<Term> = Vec::new();
    for proof in proofs {
        let own = proof.properties.iter().map(|id| invariant(system, *id));
        for term in own.chain(proof.invariants.iter().cloned()) {
            candidates.extend(term.conjuncts());
        }
    }
    let mut seen = std::collections::HashSet::new();
    candidates.retain(|term| seen.insert(term.id()));
    // Where repeated states were left out, the invariants are tried with all paths.
    let k = proofs.iter().map(|proof| proof.k).max().unwrap_or(1);
    let stop = || board.stopped();
    let holding = hold_at_first(system, candidates, k, &stop);
    let inductive = holding.and_then(|some| hold_after(system, some, k, &stop));
    if let Some(lemmas) = inductive.filter(|all| !all.is_empty()) {
        board.add_lemmas(k, lemmas);
    }
}

/// Those of the candidates that hold at the first k steps; nothing if the solver
/// cannot tell.
fn hold_at_first(
    system: &Arc<System>,
    mut candidates: Vec<Term>,
    k: usize,
    stop: &dyn Fn() -> bool,
) -> Option<Vec<Term>> {
    let cone = Cone::of(system, candidates.iter().cloned());
    let mut unrolling = Unrolling::new(system, cone, true);
    for step in 0..k {
        if step > 0 {
            unrolling.extend();
        }
        let mut at = 0;
        while at < candidates.len() {
            let violated = falsified(&mut unrolling, &candidates, at, &[], step, stop)?;
            match violated.contains(&at) {
                true => remove(&mut candidates, &violated),
                false => at += 1,
            }
        }
    }
    Some(candidates)
}

/// Those of the candidates that are k-inductive together.
fn hold_after(
    system: &Arc<System>,
    candidates: Vec<Term>,
    k: usize,
    stop: &dyn Fn() -> bool,
) -> Option<Vec<Term>> {
    let cone = Cone::of(system, candidates.iter().cloned());
    let mut unrolling = Unrolling::new(system, cone, false);
    for _ in 0..k {
        unrolling.extend();
    }
    let mut literals = Vec::new();
    for term in &candidates {
        let holds = unrolling.solver.literal();
        for step in 0..k {
            unrolling.solver.assert_if(holds, term, step);
        }
        literals.push(holds);
    }
    let mut left = candidates;
    // Begins anew whenever something goes: others may have rested on it.
    let mut at = 0;
    while at < left.len() {
        let violated = falsified(&mut unrolling, &left, at, &literals, k, stop)?;
        if violated.contains(&at) {
            remove(&mut left, &violated);
            remove(&mut literals, &violated);
            at = 0;
        } else {
            at += 1;
        }
    }
    Some(left)
}

/// The candidates that a model violates at a step in which one of them fails; none if
/// that cannot be.
fn falsified(
    unrolling: &mut Unrolling,
    candidates: &[Term],
    at: usize,
    assumed: &[Literal],
    step: usize,
    stop: &dyn Fn() -> bool,
) -> Option<Vec<usize>> {
    let solver = &mut unrolling.solver;
    let fails = solver.literal();
    solver.assert_if(fails, &not(&candidates[at]), step);
    let assumptions: Vec<Literal> = assumed.iter().copied().chain([fails]).collect();
    if stop() {
        return None;
    }
    let answer = solver.check(&assumptions);
    let violated = match answer {
        Answer::Unsat => Vec::new(),
        Answer::Sat => (0..candidates.len())
            .filter(|other| {
                let value = solver.value(&candidates[*other], step);
                *other == at || value == Some(Scalar::Bool(false))
            })
            .collect(),
        Answer::Unknown(_) => return None,
    };
    solver.retire(fails);
    Some(violated)
}

fn remove<T>(all: &mut Vec<T>, positions: &[usize]) {
    let mut at = 0;
    all.retain(|_| {
        at += 1;
        !positions.contains(&(at - 1))
    });
}
