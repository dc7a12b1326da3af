//! k-induction: the step.
//!
//! Assume the open properties at k steps in a row, from any state, and ask for
//! one that fails at the next. Those that can fail are set aside for this k;
//! what remains is k-inductive together. It is proved once bounded model
//! checking has found the first k steps clear, and then helps the others.
//!
//! Lemmas of others may be many, and few of them matter: a lemma is asserted
//! when a model violates it. What a proof rests on is told by a core, so that
//! evidence names those lemmas only.
//!
//! With the lemmas of others small k often suffices, while the query at hand, at
//! some large k, may take for ever. So queries have limits of growing size, and
//! whenever one is reached and there are new lemmas, smaller k are tried again,
//! as far as they are cheap.
//!
//! A path on which a state repeats can be cut short, so that repetitions may
//! be excluded; they are, one by one, when a model shows them.

use std::sync::Arc;

use smt::{Answer, Limits, Literal, Scalar, Solver};
use system::{PropertyId, PropertyKind, System, Term, and, not, or};

use crate::blackboard::{Blackboard, Engine, Evidence, Verdict};
use crate::certify;
use crate::unroll::{Cone, Unrolling};

/// The work after which a query is interrupted for the first time.
const RESOURCES: u32 = 1_000_000;

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

/// What another engine has proved.
struct Lemma {
    k: usize,
    term: Term,
    /// Some model violated it; since then it is asserted.
    awake: bool,
}

struct Induction<'a> {
    me: Engine,
    system: &'a Arc<System>,
    board: &'a Blackboard,
    unrolling: Unrolling,
    candidates: Vec<Candidate>,
    lemmas: Vec<Lemma>,
    compress: bool,
    patience: Patience,
    /// How many lemmas smaller k have been tried with.
    retried: usize,
}

/// What happens to a query that takes long.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Patience {
    /// It goes on.
    Endless,
    /// It goes on after a look at the lemmas.
    Watchful,
    /// It is given up, and so are larger k.
    Short,
    /// One was given up.
    Lost,
}

/// Induction with growing k.
pub(crate) fn run(
    system: &Arc<System>,
    board: &Blackboard,
    properties: &[PropertyId],
    max: usize,
    compress: bool,
) {
    let mut induction = Induction::new(Engine::Induction, system, board, properties, compress);
    induction.patience = Patience::Watchful;
    induction.go(max);
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
            patience: Patience::Endless,
            retried: 0,
        }
    }

    fn go(&mut self, max: usize) {
        for k in 1.. {
            self.retry_below(k);
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

    /// Tries all k below this one again if there are new lemmas.
    fn retry_below(&mut self, k: usize) {
        if self.patience != Patience::Watchful || !self.board.has_lemmas(self.retried) {
            return;
        }
        let ids: Vec<PropertyId> = self.candidates.iter().map(|c| c.id).collect();
        let mut again = Induction::new(self.me, self.system, self.board, &ids, self.compress);
        again.patience = Patience::Short;
        for k in 1..k {
            again.assume_at(k - 1);
            again.unrolling.extend();
            again.read_lemmas(k);
            if !again.prove_at(k) || again.patience == Patience::Lost {
                break;
            }
        }
        self.retried = again.lemmas.len();
    }

    /// Asks the solver, with limits as patience has it.
    fn check(&mut self, assumptions: &[Literal]) -> Answer {
        if self.patience == Patience::Endless {
            return self.unrolling.solver.check(assumptions);
        }
        let mut resources = RESOURCES;
        loop {
            self.unrolling.solver.limit(Limits {
                time: None,
                resources: Some(resources),
            });
            let answer = self.unrolling.solver.check(assumptions);
            let exhausted = matches!(&answer, Answer::Unknown(why) if why.contains("resource"));
            if !exhausted || self.board.stopped() || resources == u32::MAX {
                return answer;
            }
            if self.patience != Patience::Watchful {
                self.patience = Patience::Lost;
                return answer;
            }
            resources = resources.saturating_mul(2);
            self.retry_below(self.unrolling.last());
            if self.open_candidates().is_empty() {
                return answer;
            }
        }
    }

    /// The properties hold at a step, as far as they are switched on.
    fn assume_at(&mut self, step: usize) {
        for candidate in &self.candidates {
            self.unrolling
                .solver
                .assert_if(candidate.assumed, &candidate.term, step);
        }
    }

    /// Lemmas hold at every step; those that are awake are asserted there.
    fn read_lemmas(&mut self, last: usize) {
        for lemma in self.lemmas.iter().filter(|lemma| lemma.awake) {
            self.unrolling.solver.assert(&lemma.term, last);
        }
        for (k, term) in self.board.lemmas_from(self.lemmas.len()) {
            self.lemmas.push(Lemma {
                k,
                term,
                awake: false,
            });
        }
    }

    /// Asserts the lemmas that the model violates; `false` if there is none.
    fn wake_lemmas(&mut self, last: usize) -> bool {
        let solver = &mut self.unrolling.solver;
        let mut woken = Vec::new();
        for (at, lemma) in self.lemmas.iter_mut().enumerate() {
            let mut violated = |step| solver.value(&lemma.term, step) == Some(Scalar::Bool(false));
            if !lemma.awake && (0..=last).any(&mut violated) {
                lemma.awake = true;
                woken.push(at);
            }
        }
        for at in &woken {
            for step in 0..=last {
                self.unrolling.solver.assert(&self.lemmas[*at].term, step);
            }
        }
        !woken.is_empty()
    }

    fn open_candidates(&self) -> Vec<usize> {
        let open = |at: &usize| self.board.is_open(self.candidates[*at].id);
        (0..self.candidates.len()).filter(open).collect()
    }

    /// The largest part of the candidates that is k-inductive together.
    fn inductive_part(&mut self, mut part: Vec<usize>, k: usize) -> Vec<usize> {
        while !part.is_empty() && !self.board.stopped() {
            part.retain(|at| self.board.is_open(self.candidates[*at].id));
            let goal = or(part.iter().map(|at| not(&self.candidates[*at].term)));
            let fails = self.unrolling.solver.literal();
            self.unrolling.solver.assert_if(fails, &goal, k);
            let mut assumptions: Vec<Literal> =
                part.iter().map(|at| self.candidates[*at].assumed).collect();
            assumptions.push(fails);
            match self.check(&assumptions) {
                Answer::Unsat => return part,
                Answer::Sat => {
                    if self.wake_lemmas(k) || self.exclude_repetition(k) {
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
                Answer::Unknown(_) if part.len() == 1 || self.patience == Patience::Lost => {
                    return Vec::new();
                }
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
        found
    }

    /// The part is proved once its first k steps are clear.
    fn prove(&mut self, part: &[usize], k: usize) {
        let ids: Vec<PropertyId> = part.iter().map(|at| self.candidates[*at].id).collect();
        let own = and(part.iter().map(|at| self.candidates[*at].term.clone()));
        let lemmas = self.lemmas.iter().map(|l| (l.k, l.term.clone()));
        let lemmas: Vec<(usize, Term)> = lemmas.collect();
        let stop = || self.board.stopped();
        let supported = |k| certify::support(self.system, &own, k, &lemmas, &stop).map(|s| (k, s));
        // A smaller k may not have seen all lemmas.
        let smaller = (1..).map(|n| 1 << n).take_while(|small| *small < k);
        let found = match self.lemmas.is_empty() {
            true => None,
            false => smaller.chain([k]).find_map(supported),
        };
        let (k, support) = found.unwrap_or((k, lemmas));
        if !self.board.wait_clear(&ids, k) {
            return;
        }
        let depth = support.iter().map(|(k, _)| *k).fold(k, usize::max);
        let invariant = and([own].into_iter().chain(support.into_iter().map(|(_, t)| t)));
        let inductive = |simple| certify::inductive(self.system, &invariant, depth, simple, &stop);
        let evidence = if inductive(false) {
            Evidence::Inductive {
                k: depth,
                invariant,
            }
        } else if self.compress && inductive(true) {
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
