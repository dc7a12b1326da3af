//! k-induction: the step.
//!
//! Assume the open properties at k steps in a row, from any state, and ask for
//! one that fails at the next. Those that can fail are set aside for this k;
//! what remains is k-inductive together. It is proved once bounded model
//! checking has found the first k steps clear, and then helps the others.
//!
//! Paths with shortcuts need not be looked at (`compress.rs`): they are excluded
//! when a model shows them. Lemmas are asserted at all steps, or, when lazy, only
//! where a model violates them.

use std::collections::HashSet;
use std::sync::Arc;

use smt::{Answer, Literal, Scalar, Solver};
use system::{PropertyId, PropertyKind, System, Term, and, not, or};

use crate::attempt::{self, Attempt};
use crate::blackboard::{Blackboard, Engine, Evidence, Observation, Verdict};
use crate::certify;
use crate::compress::{self, Compression};
use crate::unroll::{Cone, Unrolling};

/// What the command line says about the step.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Options {
    pub compression: Compression,
    /// Assert lemmas only where a model violates them.
    pub lazy_invariants: bool,
    /// Tell of the paths on which properties fail.
    pub tell_attempts: bool,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            compression: Compression {
                equal: true,
                ..Compression::NONE
            },
            lazy_invariants: false,
            tell_attempts: false,
        }
    }
}

/// What must always hold for the property to hold, or to be unreachable.
fn invariant(system: &System, id: PropertyId) -> Term {
    let property = system.property(id);
    match property.kind {
        PropertyKind::Invariant => property.term.clone(),
        PropertyKind::Reachable { .. } => not(&property.term),
    }
}

struct Candidate {
    id: PropertyId,
    term: Term,
    /// Switches the assumption of the property on.
    assumed: Literal,
}

struct Induction<'a> {
    me: Engine,
    system: &'a Arc<System>,
    board: &'a Blackboard,
    /// What is told of a path.
    observed: &'a [Observation],
    unrolling: Unrolling,
    candidates: Vec<Candidate>,
    lemmas: Vec<(usize, Term)>,
    /// With lazy lemmas: those that are asserted, by position and step.
    asserted: HashSet<(usize, usize)>,
    options: Options,
    /// Paths were excluded.
    compressed: bool,
}

/// Induction with growing k.
pub(crate) fn run(
    system: &Arc<System>,
    board: &Blackboard,
    observed: &[Observation],
    properties: &[PropertyId],
    max: usize,
    options: Options,
) {
    let me = Engine::Induction;
    Induction::new(me, system, board, observed, properties, options).go(max);
}

/// Induction with k = 2, again whenever others have found lemmas.
pub(crate) fn run_two(
    system: &Arc<System>,
    board: &Blackboard,
    observed: &[Observation],
    properties: &[PropertyId],
    options: Options,
) {
    let me = Engine::TwoInduction;
    let mut induction = Induction::new(me, system, board, observed, properties, options);
    for step in 0..2 {
        induction.assume_at(step);
        induction.unrolling.extend();
    }
    loop {
        induction.read_lemmas(2);
        if !induction.prove_at(2) || !board.wait_lemmas(induction.lemmas.len()) {
            return;
        }
    }
}

impl<'a> Induction<'a> {
    fn new(
        me: Engine,
        system: &'a Arc<System>,
        board: &'a Blackboard,
        observed: &'a [Observation],
        properties: &[PropertyId],
        options: Options,
    ) -> Induction<'a> {
        let terms = properties.iter().map(|id| invariant(system, *id));
        let mut unrolling = Unrolling::new(system, Cone::of(system, terms), false);
        let candidates = properties
            .iter()
            .map(|id| Candidate {
                id: *id,
                term: invariant(system, *id),
                assumed: unrolling.solver.literal(),
            })
            .collect();
        Induction {
            me,
            system,
            board,
            observed,
            unrolling,
            candidates,
            lemmas: Vec::new(),
            asserted: HashSet::new(),
            options,
            compressed: false,
        }
    }

    fn go(&mut self, max: usize) {
        for k in 1.. {
            self.assume_at(k - 1);
            self.unrolling.extend();
            self.read_lemmas(k);
            if (max > 0 && k > max) || !self.prove_at(k) {
                return;
            }
        }
    }

    /// Proves what is k-inductive; `false` if there is nothing left to do.
    fn prove_at(&mut self, k: usize) -> bool {
        let candidates = self.open_candidates();
        if candidates.is_empty() || self.board.stopped() {
            return false;
        }
        self.board.ledger.reached(self.me, k);
        let inductive = self.inductive_part(candidates, k);
        if !inductive.is_empty() && !self.board.stopped() {
            self.prove(&inductive, k);
        }
        !self.board.stopped()
    }

    /// The properties hold at a step, as far as they are switched on.
    fn assume_at(&mut self, step: usize) {
        for candidate in &self.candidates {
            self.unrolling
                .solver
                .assert_if(candidate.assumed, &candidate.term, step);
        }
    }

    /// Lemmas hold at every step.
    fn read_lemmas(&mut self, last: usize) {
        if self.options.lazy_invariants {
            let new = self.board.lemmas_from(self.lemmas.len());
            self.lemmas.extend(new);
            return;
        }
        for (_, term) in &self.lemmas {
            self.unrolling.solver.assert(term, last);
        }
        for (k, term) in self.board.lemmas_from(self.lemmas.len()) {
            for step in 0..=last {
                self.unrolling.solver.assert(&term, step);
            }
            self.lemmas.push((k, term));
        }
    }

    fn open_candidates(&self) -> Vec<usize> {
        let open = |at: &usize| self.board.is_open(self.candidates[*at].id);
        (0..self.candidates.len()).filter(open).collect()
    }

    /// The largest part of the candidates that is k-inductive together.
    fn inductive_part(&mut self, mut part: Vec<usize>, k: usize) -> Vec<usize> {
        while !part.is_empty() && !self.board.stopped() {
            let goal = or(part.iter().map(|at| not(&self.candidates[*at].term)));
            let fails = self.unrolling.solver.literal();
            self.unrolling.solver.assert_if(fails, &goal, k);
            let mut assumptions: Vec<Literal> =
                part.iter().map(|at| self.candidates[*at].assumed).collect();
            assumptions.push(fails);
            let solver = &mut self.unrolling.solver;
            match self.board.ledger.ask(self.me, solver, &assumptions) {
                Answer::Unsat => {
                    self.unrolling.solver.retire(fails);
                    return part;
                }
                Answer::Sat => {
                    if self.block_by_lemma(k) || self.exclude_shortcuts(k) {
                        continue;
                    }
                    let failed: Vec<usize> =
                        part.extract_if(.., |at| !self.holds(*at, k)).collect();
                    self.unrolling.solver.retire(fails);
                    if failed.is_empty() {
                        return Vec::new();
                    }
                    self.tell_attempt(&failed, k);
                }
                Answer::Unknown(_) => {
                    self.unrolling.solver.retire(fails);
                    return match part.len() {
                        1 => Vec::new(),
                        _ => self.one_by_one(part, k),
                    };
                }
            }
        }
        part
    }

    /// Does the model show that the property holds at a step?
    fn holds(&mut self, at: usize, step: usize) -> bool {
        let term = &self.candidates[at].term;
        self.unrolling.solver.value(term, step) == Some(Scalar::Bool(true))
    }

    /// Tells of the path in the model on which properties fail at the end.
    fn tell_attempt(&mut self, failed: &[usize], k: usize) {
        if !self.options.tell_attempts {
            return;
        }
        let roots: Vec<Term> = self.candidates.iter().map(|c| c.term.clone()).collect();
        let fails = and(failed.iter().map(|at| not(&roots[*at])));
        let (system, unrolling) = (self.system, &mut self.unrolling);
        if let Some(run) = attempt::complete(system, unrolling, &roots, &fails, self.observed, k) {
            let properties = failed.iter().map(|at| self.candidates[*at].id).collect();
            self.board.ledger.attempted(Attempt { properties, k, run });
        }
    }

    /// Where the solver gives up on all together, some may go alone; what is
    /// inductive alone is so together.
    fn one_by_one(&mut self, part: Vec<usize>, k: usize) -> Vec<usize> {
        let alone = part.into_iter();
        alone
            .flat_map(|at| self.inductive_part(vec![at], k))
            .collect()
    }

    /// Asserts the first lemma, with the step, that the model does not satisfy.
    fn block_by_lemma(&mut self, k: usize) -> bool {
        if !self.options.lazy_invariants {
            return false;
        }
        for (at, (_, lemma)) in self.lemmas.iter().enumerate() {
            for step in 0..=k {
                let holds = self.unrolling.solver.value(lemma, step) == Some(Scalar::Bool(true));
                if !holds && self.asserted.insert((at, step)) {
                    self.unrolling.solver.assert(lemma, step);
                    return true;
                }
            }
        }
        false
    }

    fn exclude_shortcuts(&mut self, k: usize) -> bool {
        let compression = self.options.compression;
        let found = compress::exclude_shown(compression, &mut self.unrolling, k);
        self.compressed |= found;
        found
    }

    /// The part is proved once its first k steps are clear.
    fn prove(&mut self, part: &[usize], k: usize) {
        let ids: Vec<PropertyId> = part.iter().map(|at| self.candidates[*at].id).collect();
        if !self.board.wait_clear(&ids, k) {
            return;
        }
        let own = part.iter().map(|at| self.candidates[*at].term.clone());
        let lemmas = self.lemmas.iter().map(|(_, term)| term.clone());
        let invariant = and(own.chain(lemmas));
        let depth = self
            .lemmas
            .iter()
            .map(|(k, _)| *k)
            .chain([k])
            .max()
            .unwrap_or(k);
        let stop = || self.board.stopped();
        let certified = |how| {
            let check = || certify::inductive(self.system, &invariant, depth, how, &stop);
            self.board.ledger.certify(self.me, check)
        };
        let evidence = if certified(Compression::NONE) {
            Evidence::Inductive {
                k: depth,
                invariant,
            }
        } else if self.compressed && certified(self.options.compression) {
            Evidence::SimplePath {
                k: depth,
                invariant,
            }
        } else {
            return;
        };
        for at in part {
            let candidate = &self.candidates[*at];
            self.board.add_lemma(depth, candidate.term.clone());
        }
        for id in ids {
            self.board
                .decide(id, self.me, Verdict::Always(evidence.clone()));
        }
    }
}
