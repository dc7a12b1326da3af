//! Invariants of components, found once and used wherever they occur.
//!
//! A component is small, so that its invariants are found quickly, also those that
//! are far from the properties of the whole. At an occurrence they are candidates,
//! all of them at once: since they are inductive together in the component, one
//! small query usually shows that they are inductive there, whatever is around
//! (`surroundings`). What needs the rest of the system, because the component
//! assumes something of it, is tried there. So a proof that rests on them is one
//! about the whole system, and can be checked as such.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use proof::GaveUp;
use system::{Role, System, Term, Var};

use super::lockstep::LockStep;
use super::surroundings::{Cut, Likeness};
use super::{Generator, InvariantOptions, RESOURCES, search};
use crate::components::{Component, Found, Hierarchy, Occurrence};
use crate::job_board::JobBoard;

/// The parts of a turn's work that components may take: for the search, and of
/// what is left for the proofs where they occur.
const SEARCH_SHARE: u64 = 3;
const PROOF_SHARE: u64 = 2;

/// Invariants that are inductive for a larger k only are not worth the work.
const MAX_K: usize = 4;

/// Looks for invariants of all components, and proves what they say of the whole.
/// Gives back terms of components for the candidates of the whole, if asked to.
pub(crate) fn run(
    system: &Arc<System>,
    board: &JobBoard,
    generators: &[Generator],
    options: &InvariantOptions,
) -> Vec<Term> {
    let Some(hierarchy) = board.hierarchy() else {
        return Vec::new();
    };
    board.context.share(SEARCH_SHARE, || {
        for component in &hierarchy.components {
            if board.stopped() {
                break;
            }
            explore(component, &hierarchy, board, generators, options);
        }
    });
    board.context.share(PROOF_SHARE, || {
        adopt(system, board, &hierarchy, &hierarchy.occurrences);
    });
    lifted(&hierarchy, &hierarchy.occurrences, options)
}

/// Looks for invariants of a component, on top of those of components in it.
fn explore(
    component: &Component,
    hierarchy: &Hierarchy,
    board: &JobBoard,
    generators: &[Generator],
    options: &InvariantOptions,
) {
    if component.found().is_some() {
        return;
    }
    let own = board.beneath();
    let lifted = lifted(hierarchy, &component.occurrences, options);
    adopt(&component.system, &own, hierarchy, &component.occurrences);
    let depths = [options.max_depth, options.max_successive];
    let options = InvariantOptions {
        max_depth: depths.into_iter().filter(|k| *k > 0).min().unwrap_or(0),
        ..options.clone()
    };
    let (system, roots) = (&component.system, &component.roots);
    let terms = search(system, &own, roots, lifted, generators, &options);
    let lemmas = own.lemmas_from(0);
    // A search that has ended early is repeated with more time.
    if !own.stopped() {
        component.learn(Found { lemmas, terms });
    }
}

/// Proves the invariants of components where they occur in a system.
fn adopt(
    system: &Arc<System>,
    board: &JobBoard,
    hierarchy: &Hierarchy,
    occurrences: &[Occurrence],
) {
    let mut proofs = Proofs::default();
    let mut left = Vec::new();
    for occurrence in occurrences.iter().filter(|o| !o.is_tried()) {
        let component = &hierarchy.components[occurrence.component];
        let Some(found) = component.found() else {
            continue;
        };
        if board.stopped() {
            return;
        }
        let mut bundle = Bundle::new(component, found, occurrence);
        // What is given up here may be proved with all that is around.
        let _ = bundle.prove_alone(system, board, &mut proofs);
        if !bundle.terms.is_empty() && !component.system.constraints.is_empty() {
            bundle.terms.extend(occurrence.assumed.iter().cloned());
            left.push(bundle);
        }
        if !board.stopped() {
            occurrence.set_tried();
        }
    }
    let roots: Vec<Term> = left.iter().flat_map(|b| b.terms.iter().cloned()).collect();
    if roots.is_empty() {
        return;
    }
    let mut lockstep = LockStep::new(system, board, &roots, RESOURCES);
    lockstep.deepen(1);
    for bundle in &left {
        if let Ok(terms) = lockstep.largest_inductive(&bundle.terms) {
            board.add_lemmas(1, terms);
        }
    }
}

/// What was proved of occurrences so far.
#[derive(Default)]
struct Proofs {
    terms: HashSet<Term>,
    /// For parts of the same shape, and what was known of them: which of the terms
    /// are inductive, for one k after the other.
    shapes: HashMap<(Likeness, Vec<usize>), Vec<Vec<usize>>>,
}

/// What is to be proved of an occurrence.
struct Bundle {
    /// The state variables it speaks of.
    part: Vec<Var>,
    k: usize,
    terms: Vec<Term>,
}

impl Bundle {
    fn new(component: &Component, found: &Found, occurrence: &Occurrence) -> Bundle {
        let own = &component.system;
        let lemmas = found.lemmas.iter().filter(|lemma| lemma.k <= MAX_K);
        let k = lemmas.clone().map(|lemma| lemma.k).max().unwrap_or(0);
        let said = lemmas.filter_map(|lemma| occurrence.invariant(own, &lemma.term));
        Bundle {
            part: occurrence.state_vars(own),
            k,
            terms: said.collect(),
        }
    }

    /// Proves what is inductive whatever is around, and leaves the rest. What was
    /// proved before may be used.
    fn prove_alone(
        &mut self,
        system: &System,
        board: &JobBoard,
        proofs: &mut Proofs,
    ) -> Result<(), GaveUp> {
        self.part.retain(|var| system.var(*var).role == Role::State);
        let mut cut = Cut::new(system, &self.part);
        let terms: Vec<Term> = self.terms.iter().map(|term| cut.term(term)).collect();
        let (alone, likeness) = cut.system(&terms).ok_or(GaveUp)?;
        let known = self.terms.iter().enumerate();
        let known = known.filter(|(_, term)| proofs.terms.contains(*term));
        let known: Vec<usize> = known.map(|(at, _)| at).collect();
        let key = (likeness, known);
        let proved = match proofs.shapes.get(&key) {
            Some(proved) => proved.clone(),
            None => inductive(alone, board, &terms, &key.1, self.k)?,
        };
        self.take(board, proofs, &proved);
        proofs.shapes.insert(key, proved);
        Ok(())
    }

    /// Shares what is proved; the rest is left.
    fn take(&mut self, board: &JobBoard, proofs: &mut Proofs, proved: &[Vec<usize>]) {
        for (at, group) in proved.iter().enumerate() {
            let lemmas: Vec<Term> = group.iter().map(|at| self.terms[*at].clone()).collect();
            proofs.terms.extend(lemmas.iter().cloned());
            board.add_lemmas(at + 1, lemmas);
        }
        self.terms.retain(|term| !proofs.terms.contains(term));
    }
}

/// Which of the terms are inductive for each k, on top of those that are known.
fn inductive(
    system: System,
    board: &JobBoard,
    terms: &[Term],
    known: &[usize],
    k: usize,
) -> Result<Vec<Vec<usize>>, GaveUp> {
    let own = board.beneath();
    own.add_lemmas(1, known.iter().map(|at| terms[*at].clone()).collect());
    let open = (0..terms.len()).filter(|at| !known.contains(at));
    let mut open: Vec<usize> = open.collect();
    let system = Arc::new(system);
    let mut lockstep = LockStep::new(&system, &own, terms, RESOURCES);
    let mut proved = Vec::new();
    for k in 1..=k {
        lockstep.deepen(k);
        let candidates: Vec<Term> = open.iter().map(|at| terms[*at].clone()).collect();
        let found = lockstep.largest_inductive(&candidates)?;
        let is_found = |at: &usize| found.contains(&terms[*at]);
        let (group, rest) = open.into_iter().partition(is_found);
        proved.push(group);
        open = rest;
        own.add_lemmas(k, found);
    }
    Ok(proved)
}

/// The terms of components, said of their occurrences.
fn lifted(
    hierarchy: &Hierarchy,
    occurrences: &[Occurrence],
    options: &InvariantOptions,
) -> Vec<Term> {
    if !options.lift_candidates {
        return Vec::new();
    }
    let mut lifted = Vec::new();
    for occurrence in occurrences {
        let component = &hierarchy.components[occurrence.component];
        if let Some(found) = component.found() {
            let terms = found.terms.iter();
            lifted.extend(terms.filter_map(|term| occurrence.term(&component.system, term)));
        }
    }
    lifted
}
