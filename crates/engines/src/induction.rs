//! k-induction: the step.
//!
//! Assume the open properties at k steps in a row, from any state, and ask for
//! one that fails at the next. Those that can fail are set aside for this k;
//! what remains is k-inductive together. It is proved once bounded model
//! checking has found the first k steps clear, and then helps the others.
//!
//! Paths with shortcuts need not be looked at (`compress.rs`): they are excluded
//! when a model shows them.
//!
//! Lemmas of others are asserted at all steps as soon as they are known. They may
//! be many, though, and few of them matter: beyond the first [`EAGER`] a lemma is
//! asserted, at all steps, when a model violates it. When lazy, every lemma waits
//! for that, and is asserted at the steps only at which it is violated. What a
//! proof rests on is told by a core, so that evidence names those lemmas only.
//!
//! With the lemmas of others small k often suffices, while the query at hand, at
//! some large k, may take for ever. So queries have limits of growing size, and
//! whenever one is reached and there are new lemmas, smaller k are tried again,
//! as far as they are cheap.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use proof::{
    Compression, Cone, Evidence, GaveUp, Lemma, Refutation, Unrolling, certify, invariant, largest,
    support,
};
use smt::{Answer, Literal, Solver};
use system::{PropertyId, System, Term, and, not, or};

use crate::attempt::{self, Attempt};
use crate::blackboard::{Blackboard, Engine, Observation, Verdict};

/// What the command line says about the step.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Options {
    pub compression: Compression,
    /// Assert lemmas only when, and at the steps at which, a model violates them.
    pub lazy_invariants: bool,
    /// Tell of the paths on which properties fail.
    pub tell_attempts: bool,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            compression: Compression::EQUAL,
            lazy_invariants: false,
            tell_attempts: false,
        }
    }
}

/// The work after which a query is interrupted for the first time.
const RESOURCES: u32 = 1_000_000;

/// So many lemmas are asserted before a model violates them.
const EAGER: usize = 32;

struct Candidate {
    id: PropertyId,
    term: Term,
    /// Switches the assumption of the property on.
    assumed: Literal,
}

/// What another engine has proved.
struct Heard {
    lemma: Lemma,
    awake: Wakefulness,
}

/// Where a lemma is asserted.
#[derive(Clone, PartialEq, Eq)]
enum Wakefulness {
    /// No model has violated it.
    Asleep,
    At(BTreeSet<usize>),
    Everywhere,
}

struct Induction<'a> {
    me: Engine,
    system: &'a Arc<System>,
    board: &'a Blackboard,
    /// What is told of a path.
    observed: &'a [Observation],
    unrolling: Unrolling,
    candidates: Vec<Candidate>,
    lemmas: Vec<Heard>,
    options: Options,
    /// Paths were excluded.
    compressed: bool,
    patience: Patience,
    /// How many lemmas smaller k have been tried with.
    retried: usize,
    /// The largest k at which properties were tried one by one.
    eased: usize,
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
    observed: &[Observation],
    properties: &[PropertyId],
    max: usize,
    options: Options,
) {
    let me = Engine::Induction;
    let mut induction = Induction::new(me, system, board, observed, properties, options);
    induction.patience = Patience::Watchful;
    induction.go(max);
}

/// The first, cheap steps of induction, in the thread of another engine.
pub(crate) struct FirstSteps<'a> {
    induction: Induction<'a>,
    k: usize,
    max: usize,
}

impl<'a> FirstSteps<'a> {
    pub fn new(
        system: &'a Arc<System>,
        board: &'a Blackboard,
        observed: &'a [Observation],
        properties: &[PropertyId],
        max: usize,
        options: Options,
    ) -> FirstSteps<'a> {
        let me = Engine::Induction;
        let mut induction = Induction::new(me, system, board, observed, properties, options);
        induction.patience = Patience::Short;
        FirstSteps {
            induction,
            k: 0,
            max,
        }
    }

    /// With a time limit for each query.
    pub fn within(mut self, time: Option<Duration>) -> FirstSteps<'a> {
        self.induction.unrolling.limit_time(time);
        self
    }

    /// Tries the next k; `false` if there is nothing left that is cheap.
    pub fn step(&mut self) -> bool {
        self.k += 1;
        if self.max > 0 && self.k > self.max {
            return false;
        }
        let induction = &mut self.induction;
        induction.extend_to(self.k);
        induction.prove_at(self.k) && induction.patience == Patience::Short
    }
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
            options,
            compressed: false,
            patience: Patience::Endless,
            retried: 0,
            eased: 0,
        }
    }

    fn go(&mut self, max: usize) {
        for k in 1.. {
            self.retry_below(k);
            self.extend_to(k);
            if (max > 0 && k > max) || !self.prove_at(k) {
                return;
            }
        }
    }

    /// The step from k - 1 to k, with what may be assumed.
    fn extend_to(&mut self, k: usize) {
        self.assume_at(k - 1);
        self.unrolling.extend();
        self.read_lemmas(k);
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

    /// Tries all k below this one again if there are new lemmas.
    fn retry_below(&mut self, k: usize) {
        if self.patience != Patience::Watchful || !self.board.has_lemmas(self.retried) {
            return;
        }
        let ids: Vec<PropertyId> = self.candidates.iter().map(|c| c.id).collect();
        let (system, board, observed) = (self.system, self.board, self.observed);
        let mut again = FirstSteps::new(system, board, observed, &ids, k - 1, self.options);
        while k > 1 && again.step() {}
        self.retried = again.induction.lemmas.len();
    }

    /// Where all together are hard, some may be easy alone, and help the others.
    fn prove_easy(&mut self, k: usize) {
        let open = self.open_candidates();
        if open.len() < 2 || self.eased >= k {
            return;
        }
        self.eased = k;
        for at in open {
            let patience = std::mem::replace(&mut self.patience, Patience::Short);
            let inductive = self.inductive_part(vec![at], k);
            self.patience = patience;
            if !inductive.is_empty() && !self.board.stopped() {
                self.prove(&inductive, k);
                self.read_lemmas(k);
            }
        }
    }

    /// Asks the solver, with limits as patience has it.
    fn check(&mut self, assumptions: &[Literal]) -> Answer {
        let ledger = &self.board.ledger;
        if self.patience == Patience::Endless {
            return ledger.ask(self.me, &mut self.unrolling.solver, assumptions);
        }
        let mut resources = RESOURCES;
        loop {
            self.unrolling.limit(Some(resources));
            let answer = ledger.ask(self.me, &mut self.unrolling.solver, assumptions);
            let short = self.patience == Patience::Short;
            let timed = self.unrolling.is_timed();
            let exhausted = match &answer {
                Answer::Unknown(_) => short || (!timed && answer.ran_out()),
                _ => false,
            };
            if !exhausted || self.board.stopped() || resources == u32::MAX {
                return answer;
            }
            if self.patience != Patience::Watchful {
                self.patience = Patience::Lost;
                return answer;
            }
            resources = resources.saturating_mul(2);
            let open = self.open_candidates().len();
            self.retry_below(self.unrolling.last());
            self.prove_easy(self.unrolling.last());
            // What was asked about is another question then.
            if self.open_candidates().len() < open {
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

    /// Lemmas hold at every step; those that are awake are asserted there. Of new
    /// ones, the first are awake unless all are lazy.
    fn read_lemmas(&mut self, last: usize) {
        for heard in &self.lemmas {
            if heard.awake == Wakefulness::Everywhere {
                self.unrolling.solver.assert(&heard.lemma.term, last);
            }
        }
        for lemma in self.board.lemmas_from(self.lemmas.len()) {
            let eager = !self.options.lazy_invariants && self.lemmas.len() < EAGER;
            let awake = match eager {
                true => Wakefulness::Everywhere,
                false => Wakefulness::Asleep,
            };
            if eager {
                for step in 0..=last {
                    self.unrolling.solver.assert(&lemma.term, step);
                }
            }
            self.lemmas.push(Heard { lemma, awake });
        }
    }

    /// Asserts the lemmas that the model violates; `false` if there is none.
    fn wake_lemmas(&mut self, last: usize) -> bool {
        let lazy = self.options.lazy_invariants;
        let solver = &mut self.unrolling.solver;
        let mut woken = Vec::new();
        for heard in &mut self.lemmas {
            let term = &heard.lemma.term;
            let mut awake = match &heard.awake {
                Wakefulness::Everywhere => continue,
                Wakefulness::At(steps) => steps.clone(),
                Wakefulness::Asleep => BTreeSet::new(),
            };
            let mut violated =
                |step: &usize| !awake.contains(step) && solver.holds(term, *step) == Some(false);
            let violated: Vec<usize> = (0..=last).filter(&mut violated).collect();
            if violated.is_empty() {
                continue;
            }
            if lazy {
                woken.extend(violated.iter().map(|step| (term.clone(), *step)));
                awake.extend(violated);
                heard.awake = Wakefulness::At(awake);
            } else {
                woken.extend((0..=last).map(|step| (term.clone(), step)));
                heard.awake = Wakefulness::Everywhere;
            }
        }
        for (term, step) in &woken {
            self.unrolling.solver.assert(term, *step);
        }
        !woken.is_empty()
    }

    fn open_candidates(&self) -> Vec<usize> {
        let all: Vec<usize> = (0..self.candidates.len()).collect();
        self.open_among(&all)
    }

    fn open_among(&self, part: &[usize]) -> Vec<usize> {
        let open = |at: &&usize| self.board.is_open(self.candidates[**at].id);
        part.iter().filter(open).copied().collect()
    }

    /// The largest part of the candidates that is k-inductive together.
    fn inductive_part(&mut self, mut part: Vec<usize>, k: usize) -> Vec<usize> {
        let found = largest(&mut part, |left| self.refuted(left, k));
        match found {
            Ok(()) => part,
            Err(GaveUp) if part.len() == 1 || self.patience == Patience::Lost => Vec::new(),
            Err(GaveUp) => self.one_by_one(part, k),
        }
    }

    /// Looks for a path on which all of the candidates hold at k steps, and not all at the
    /// next.
    fn refuted(&mut self, part: &[usize], k: usize) -> Refutation<usize> {
        if self.board.stopped() {
            return Refutation::Unknown;
        }
        let open = self.open_among(part);
        if open.len() < part.len() {
            return Refutation::Leaves(open);
        }
        let goal = or(part.iter().map(|at| not(&self.candidates[*at].term)));
        let fails = self.unrolling.solver.literal();
        self.unrolling.solver.assert_if(fails, &goal, k);
        let assumed = part.iter().map(|at| self.candidates[*at].assumed);
        let assumptions: Vec<Literal> = assumed.chain([fails]).collect();
        let refutation = match self.check(&assumptions) {
            Answer::Unsat => Refutation::None,
            Answer::Sat if self.wake_lemmas(k) || self.exclude_shortcuts(k) => Refutation::Spurious,
            Answer::Sat => self.left_by_model(part, k),
            // What was decided meanwhile may have been in the way.
            Answer::Unknown(_) => match self.open_among(part) {
                open if open.len() < part.len() => Refutation::Leaves(open),
                _ => Refutation::Unknown,
            },
        };
        self.unrolling.solver.retire(fails);
        refutation
    }

    /// The candidates that do not fail at the end of the path in the model, which is told.
    fn left_by_model(&mut self, part: &[usize], k: usize) -> Refutation<usize> {
        let (mut failed, mut left, mut definite) = (Vec::new(), Vec::new(), true);
        for at in part {
            let holds = self.unrolling.solver.holds(&self.candidates[*at].term, k);
            definite &= holds.is_some();
            match holds {
                Some(false) => failed.push(*at),
                _ => left.push(*at),
            }
        }
        match (failed.is_empty(), definite) {
            // The model does not say which: the value of a quantified term is not part of it.
            (true, false) => Refutation::Unknown,
            (true, true) => Refutation::Leaves(Vec::new()),
            (false, _) => {
                self.tell_attempt(&failed, k);
                Refutation::Leaves(left)
            }
        }
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

    fn exclude_shortcuts(&mut self, k: usize) -> bool {
        let compression = self.options.compression;
        let found = proof::exclude_shown(compression, &mut self.unrolling, k);
        self.compressed |= found;
        found
    }

    /// The part is proved once its first k steps are clear.
    fn prove(&mut self, part: &[usize], k: usize) {
        let ids: Vec<PropertyId> = part.iter().map(|at| self.candidates[*at].id).collect();
        let own = and(part.iter().map(|at| self.candidates[*at].term.clone()));
        let lemmas = self.lemmas.iter().map(|heard| heard.lemma.clone());
        let lemmas: Vec<Lemma> = lemmas.collect();
        let stop = || self.board.stopped();
        let supported = |k| support(self.system, &own, k, &lemmas, &stop).map(|s| (k, s));
        // A smaller k may not have seen all lemmas.
        let smaller = (1..).map(|n| 1 << n).take_while(|small| *small < k);
        let found = match self.lemmas.is_empty() {
            true => None,
            false => smaller.chain([k]).find_map(supported),
        };
        let (k, needed) = found.unwrap_or((k, lemmas));
        if !self.board.wait_clear(&ids, k) {
            return;
        }
        let depth = needed.iter().map(|lemma| lemma.k).fold(k, usize::max);
        let invariant = and([own]
            .into_iter()
            .chain(needed.into_iter().map(|lemma| lemma.term)));
        let certified = |how| {
            let check = || certify::inductive(self.system, &invariant, depth, how, &stop);
            self.board.certify(self.me, check)
        };
        let simple_path = !certified(Compression::NONE);
        if simple_path && !(self.compressed && certified(self.options.compression)) {
            return;
        }
        let evidence = Evidence::by_induction(depth, invariant, simple_path);
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
