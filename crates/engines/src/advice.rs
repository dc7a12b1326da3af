//! Advice: what an earlier run has found out, perhaps about another version of the
//! system, is tried before all else.
//!
//! Nothing of it is believed. A proof is checked as any other is before it counts; a
//! run is looked for at the step at which there was one. Where a proof does not hold
//! up any more, some of its invariants may: those that are k-inductive together are
//! the largest inductive subset of all ([`inductive_subset`]), and
//! they are lemmas for the engines that come next. So advice that is out of date
//! costs time, and no more.

use std::sync::Arc;

use proof::{Candidates, Compression, Evidence, certify, inductive_subset, invariant};
use system::{PropertyId, System, Term, and};

use crate::blackboard::{Engine, Verdict};
use crate::find::{RunSearchOutcome, find_run};
use crate::job_board::JobBoard;
use crate::task::{Prover, Task};

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

/// Tries what earlier runs advise.
pub(crate) struct TryAdvice;

impl Prover for TryAdvice {
    fn run(&self, task: &Task, board: &JobBoard) {
        run(task, board, &task.settings.advice);
    }
}

/// Tries proofs and runs, and gives others what is left of the proofs.
fn run(task: &Task, board: &JobBoard, advice: &Advice) {
    let system = &task.system;
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
        try_run(task, board, *id, *last);
    }
    let asked = |id: &PropertyId| board.is_open(*id) && !system.property(*id).hidden;
    let mut all = (0..system.properties.len()).map(PropertyId);
    if !failed.is_empty() && all.any(|id| asked(&id)) {
        salvage(system, board, &failed);
    }
}

/// Decides the properties of a proof that holds up.
fn prove(system: &Arc<System>, board: &JobBoard, proof: &Advised) -> bool {
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
    let check = || certify::inductive(&board.context, system, &whole, k, compression, &stop);
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
fn try_run(task: &Task, board: &JobBoard, id: PropertyId, last: usize) {
    if !board.is_open(id) || board.stopped() {
        return;
    }
    if let RunSearchOutcome::Found(run) =
        find_run(&board.context, &task.system, &task.observed, id, last, None)
    {
        board.decide(id, Engine::Bmc, Verdict::Witness(run));
    }
}

/// The invariants of proofs, and the properties they were for, as far as they are
/// k-inductive together, become lemmas.
fn salvage(system: &Arc<System>, board: &JobBoard, proofs: &[&Advised]) {
    let mut candidates = Candidates::default();
    for proof in proofs {
        let own = proof.properties.iter().map(|id| invariant(system, *id));
        for term in own.chain(proof.invariants.iter().cloned()) {
            candidates.add(proof.k, term.conjuncts());
        }
    }
    // Where repeated states were left out, the invariants are tried with all paths.
    let Candidates { k, mut terms, .. } = candidates;
    let found = inductive_subset(&board.context, system, &mut terms, k, &|| board.stopped());
    if found.is_ok() && !terms.is_empty() {
        board.add_lemmas(k, terms);
    }
}
