//! k-induction: the step.
//!
//! Assume the open properties at k steps in a row, from any state, and ask for
//! one that fails at the next. Those that can fail are set aside for this k;
//! what remains is k-inductive together (`refute.rs`). It is proved once bounded model
//! checking has found the first k steps clear, and then helps the others.
//!
//! Paths with shortcuts need not be looked at ([`proof::Compression`]): they are excluded
//! when a model shows them.
//!
//! Lemmas of others are asserted when they are of use (`lazy_lemmas.rs`). What a
//! proof rests on is told by a core, so that evidence names those lemmas only.
//!
//! With the lemmas of others small k often suffices, while the query at hand, at
//! some large k, may take for ever. So queries have limits of growing size, and
//! whenever one is reached and there are new lemmas, smaller k are tried again,
//! as far as they are cheap.

mod lazy_lemmas;
mod options;
mod refute;

use std::time::Duration;

use proof::{Compression, Cone, Evidence, Unrolling, certify, invariant, support};
use smt::{Answer, Literal, Solver};
use system::{PropertyId, Term, and};

use crate::blackboard::{Engine, Verdict};
use crate::job_board::JobBoard;
use crate::task::{Prover, Task};
use lazy_lemmas::LazyLemmas;

pub use options::InductionOptions;

/// The work after which a query is interrupted for the first time.
const RESOURCES: u32 = 1_000_000;

struct Candidate {
    id: PropertyId,
    term: Term,
    /// Switches the assumption of the property on.
    assumed: Literal,
}

struct Induction<'a> {
    me: Engine,
    task: &'a Task,
    board: &'a JobBoard,
    unrolling: Unrolling,
    candidates: Vec<Candidate>,
    lemmas: LazyLemmas,
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
pub(crate) struct KInduction;

impl Prover for KInduction {
    fn run(&self, task: &Task, board: &JobBoard) {
        let all = &task.properties;
        let mut induction = Induction::new(Engine::Induction, task, board, all);
        induction.patience = Patience::Watchful;
        induction.go(task.settings.unrolling.max_depth);
    }
}

/// The first, cheap steps of induction, in the thread of another engine.
pub(crate) struct FirstSteps<'a> {
    induction: Induction<'a>,
    k: usize,
    max: usize,
}

impl<'a> FirstSteps<'a> {
    /// Of all properties of the task.
    pub fn new(task: &'a Task, board: &'a JobBoard) -> FirstSteps<'a> {
        FirstSteps::up_to(
            task.settings.unrolling.max_depth,
            task,
            board,
            &task.properties,
        )
    }

    /// Of some properties, up to some k.
    fn up_to(
        max: usize,
        task: &'a Task,
        board: &'a JobBoard,
        properties: &[PropertyId],
    ) -> FirstSteps<'a> {
        let mut induction = Induction::new(Engine::Induction, task, board, properties);
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
pub(crate) struct TwoInduction;

impl Prover for TwoInduction {
    fn run(&self, task: &Task, board: &JobBoard) {
        let all = &task.properties;
        let mut induction = Induction::new(Engine::TwoInduction, task, board, all);
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
}

impl<'a> Induction<'a> {
    fn new(
        me: Engine,
        task: &'a Task,
        board: &'a JobBoard,
        properties: &[PropertyId],
    ) -> Induction<'a> {
        let (system, options) = (&task.system, &task.settings.induction);
        let terms = properties.iter().map(|id| invariant(system, *id));
        let mut unrolling = Unrolling::new(&board.context, system, Cone::of(system, terms), false);
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
            task,
            board,
            unrolling,
            candidates,
            lemmas: LazyLemmas::new(options.lazy_invariants),
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
        let mut again = FirstSteps::up_to(k - 1, self.task, self.board, &ids);
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

    fn read_lemmas(&mut self, last: usize) {
        self.lemmas.read(self.board, &mut self.unrolling, last);
    }

    fn open_candidates(&self) -> Vec<usize> {
        let all: Vec<usize> = (0..self.candidates.len()).collect();
        self.open_among(&all)
    }

    fn open_among(&self, part: &[usize]) -> Vec<usize> {
        let open = |at: &&usize| self.board.is_open(self.candidates[**at].id);
        part.iter().filter(open).copied().collect()
    }

    /// The part is proved once its first k steps are clear.
    fn prove(&mut self, part: &[usize], k: usize) {
        let ids: Vec<PropertyId> = part.iter().map(|at| self.candidates[*at].id).collect();
        let own = and(part.iter().map(|at| self.candidates[*at].term.clone()));
        let lemmas = self.lemmas.all();
        let stop = || self.board.stopped();
        let (context, system) = (&self.board.context, &self.task.system);
        let supported = |k| support(context, system, &own, k, &lemmas, &stop).map(|s| (k, s));
        // A smaller k may not have seen all lemmas.
        let smaller = (1..).map(|n| 1 << n).take_while(|small| *small < k);
        let found = match lemmas.is_empty() {
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
            let check = || certify::inductive(context, system, &invariant, depth, how, &stop);
            self.board.certify(self.me, check)
        };
        let simple_path = !certified(Compression::NONE);
        if simple_path
            && !(self.compressed && certified(self.task.settings.induction.compression()))
        {
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
