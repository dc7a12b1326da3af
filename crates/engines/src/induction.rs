//! k-induction: the step.
//!
//! Assume the open properties at k steps in a row, from any state, and ask for
//! one that fails at the next. Those that can fail are set aside for this k;
//! what remains is k-inductive together. It is proved once bounded model
//! checking has found the first k steps clear, and then helps the others.
//!
//! A path on which a state repeats can be cut short, so that repetitions may
//! be excluded; they are, one by one, when a model shows them.

use std::sync::Arc;

use smt::{Answer, Literal, Scalar, Solver};
use system::{PropertyId, System, Term, and, not, or};

use crate::blackboard::{Blackboard, Engine, Evidence, Verdict};
use crate::certify;
use crate::proof::invariant;
use crate::unroll::{Cone, Unrolling};

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
    unrolling: Unrolling,
    candidates: Vec<Candidate>,
    lemmas: Vec<(usize, Term)>,
    compress: bool,
    /// Repetitions of states were excluded.
    compressed: bool,
}

/// Induction with growing k.
pub(crate) fn run(
    system: &Arc<System>,
    board: &Blackboard,
    properties: &[PropertyId],
    max: usize,
    compress: bool,
) {
    Induction::new(Engine::Induction, system, board, properties, compress).go(max);
}

/// Induction with k = 2, again whenever others have found lemmas.
pub(crate) fn run_two(
    system: &Arc<System>,
    board: &Blackboard,
    properties: &[PropertyId],
    compress: bool,
) {
    let me = Engine::TwoInduction;
    let mut induction = Induction::new(me, system, board, properties, compress);
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
        properties: &[PropertyId],
        compress: bool,
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
            unrolling,
            candidates,
            lemmas: Vec::new(),
            compress,
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
            match self.unrolling.solver.check(&assumptions) {
                Answer::Unsat => return part,
                Answer::Sat => {
                    if self.exclude_repetition(k) {
                        continue;
                    }
                    let before = part.len();
                    part.retain(|at| {
                        let term = &self.candidates[*at].term;
                        self.unrolling.solver.value(term, k) == Some(Scalar::Bool(true))
                    });
                    if part.len() == before {
                        return Vec::new();
                    }
                }
                Answer::Unknown(_) if part.len() == 1 => return Vec::new(),
                Answer::Unknown(_) => return self.one_by_one(part, k),
            }
        }
        part
    }

    /// Where the solver gives up on all together, some may go alone.
    fn one_by_one(&mut self, part: Vec<usize>, k: usize) -> Vec<usize> {
        for at in part {
            let alone = self.inductive_part(vec![at], k);
            if !alone.is_empty() {
                return alone;
            }
        }
        Vec::new()
    }

    /// Excludes the repetitions of states that the model shows.
    fn exclude_repetition(&mut self, k: usize) -> bool {
        if !self.compress {
            return false;
        }
        let states: Vec<Vec<Option<Scalar>>> = (0..k)
            .map(|step| self.unrolling.state_values(step))
            .collect();
        let mut found = false;
        for i in 0..states.len() {
            for j in i + 1..states.len() {
                let known = states[i].iter().all(Option::is_some);
                if known && states[i] == states[j] {
                    self.unrolling.assert_distinct(i, j);
                    found = true;
                }
            }
        }
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
        let evidence = if certify::inductive(self.system, &invariant, depth, false, &stop) {
            Evidence::Inductive {
                k: depth,
                invariant,
            }
        } else if self.compressed && certify::inductive(self.system, &invariant, depth, true, &stop)
        {
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
