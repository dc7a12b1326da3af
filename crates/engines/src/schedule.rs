//! Who runs when.
//!
//! Advice of an earlier run is tried before all else, if there is any.
//!
//! First comes a prelude: a few steps of bounded model checking and induction,
//! in one thread and with one solver. Models that need no more, within a moment,
//! never start another engine.
//!
//! Then engines take turns on as many threads as there are cores, each with a
//! budget of the solver's work that grows from round to round: what one of them
//! can do quickly is not slowed down by the others. With one thread this goes on
//! to the end, and a run is the same every time.
//!
//! What is left after a few rounds is hard, and every engine gets a thread of its
//! own. Most of it falls to bounded model checking, induction and Spacer in the end,
//! so that the others yield to these.
//!
//! Properties come in the order of their ranks, first what people have written. Where
//! checks that nobody wrote are many, the engines that look at all properties at once
//! begin with the others: those must not wait until hundreds of ranges are proved, and
//! their part of the system is smaller.
//!
//! A caller with many questions about similar systems unrolls them itself, and keeps
//! what it learns. Then Spacer comes first, and again with other lemmas.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use smt::Moment;
use system::{PropertyId, System};

use crate::advice::TryAdvice;
use crate::blackboard::{Engine, Observation, SpecialCase};
use crate::bmc::SpecialCases;
use crate::explicit::{Space, StateByState};
use crate::job_board::JobBoard;
use crate::portfolio::{Rank, Settings};
use crate::priority;
use crate::table::Way;
use crate::task::{Prover, Task};
use crate::theory::Fit;

/// Someone who works on a task.
pub(crate) struct Job {
    pub name: &'static str,
    task: Task,
    prover: Who,
    /// How much larger its turns are than those of others.
    turn: u64,
    /// By how much it yields to others that run beside it.
    yields: u8,
}

/// An engine of the table, or one that is made for a system.
enum Who {
    Engine(&'static dyn Prover),
    Made(Box<dyn Prover>),
}

/// So many generated checks are enough to begin with the other properties.
const MANY: usize = 8;

/// The solver's work in the first turn of an engine.
const FIRST_TURN: u64 = 300_000;

/// The time of a first turn, where a run need not be the same every time.
const FIRST_TIME: Duration = Duration::from_millis(300);

/// What is advised has been a proof before, and nothing else need be tried if it still is one:
/// its turns are larger by so much.
const ADVICE_TURN: u64 = 4;

/// After this time other threads begin although the prelude goes on.
pub(crate) const PRELUDE_ALONE: Duration = Duration::from_millis(10);

/// The same for a caller that looks for short runs itself.
pub(crate) const CALLER_ALONE: Duration = Duration::from_millis(20);

/// How many turns each engine has before all run side by side.
const ROUNDS: u32 = 3;

/// The jobs for a system.
pub(crate) fn jobs(
    system: &Arc<System>,
    observed: Vec<Observation>,
    cases: Vec<SpecialCase>,
    settings: &Settings,
) -> Vec<Job> {
    let settings = Arc::new(settings.clone());
    let observed: Arc<[Observation]> = observed.into();
    let task = |properties, fit: &Arc<Fit>| Task::new(properties, fit, &observed, &settings);
    let all: Vec<PropertyId> = (0..system.properties.len()).map(PropertyId).collect();
    let unlimited = Arc::new(Fit::unlimited(system));
    let made = |name, prover: Box<dyn Prover>, turn| Job {
        name,
        task: task(all.clone(), &unlimited),
        prover: Who::Made(prover),
        turn,
        yields: 0,
    };
    let mut jobs = Vec::new();
    let unrolls = settings.engines.contains(&Engine::Bmc);
    if !settings.advice.is_empty() {
        jobs.push(made("advice", Box::new(TryAdvice), ADVICE_TURN));
    }
    if unrolls && !cases.is_empty() {
        jobs.push(made("cases", Box::new(SpecialCases(cases)), 1));
    }
    jobs.extend(shares(system, &settings).into_iter().map(|share| {
        let row = share.engine.row();
        Job {
            name: share.engine.short_name(),
            task: task(share.properties, &share.fit),
            prover: Who::Engine(share.way.prover),
            turn: match settings.threads {
                1 => 1,
                _ => share.way.turn,
            },
            yields: (row.yields)(&settings),
        }
    }));
    if unrolls && let Some(space) = Space::new(system, &all) {
        jobs.push(made("states", Box::new(StateByState(space)), 1));
    }
    jobs
}

/// What one of the threads of an engine does.
struct Share {
    engine: Engine,
    way: &'static Way,
    properties: Vec<PropertyId>,
    fit: Arc<Fit>,
    /// Not of all properties, but of those that come first.
    early: bool,
}

impl Share {
    fn rank(&self, settings: &Settings) -> usize {
        match settings.caller_unrolls {
            true => self.way.rank_behind_caller,
            false => self.way.rank,
        }
    }
}

/// The shares of all engines, in the order of their turns.
fn shares(system: &Arc<System>, settings: &Settings) -> Vec<Share> {
    let mut shares: Vec<Share> = Vec::new();
    let order = order(system, settings);
    for engine in settings.separate_engines() {
        let fit = Arc::new(Fit::of(engine, system));
        let order = fit.properties(&order);
        if !order.is_empty() || system.properties.is_empty() {
            shares.extend(early_share(engine, &fit, &order, settings));
            shares.extend(shares_of(engine, &fit, &order, settings));
        }
    }
    shares.sort_by_key(|share| {
        let rank = share.rank(settings);
        (rank > 0, !share.early, rank)
    });
    shares
}

/// All properties, those first that come first.
fn order(system: &System, settings: &Settings) -> Vec<PropertyId> {
    let mut order: Vec<PropertyId> = (0..system.properties.len()).map(PropertyId).collect();
    order.sort_by_key(|id| settings.rank(*id));
    order
}

/// A share of the properties that someone wrote, where the others are many: of an engine
/// that looks at all properties at once.
fn early_share(
    engine: Engine,
    fit: &Arc<Fit>,
    order: &[PropertyId],
    settings: &Settings,
) -> Option<Share> {
    let is_written =
        |id: &PropertyId| settings.rank(*id) < Rank::Generated && !fit.system.property(*id).hidden;
    let written: Vec<PropertyId> = order.iter().copied().filter(is_written).collect();
    let others = order.len() - written.len();
    let many = others >= MANY && others > written.len() && !written.is_empty();
    let row = engine.row();
    (row.at_once && many && !settings.caller_unrolls).then(|| Share {
        engine,
        way: &row.ways[0],
        properties: written,
        fit: fit.clone(),
        early: true,
    })
}

/// The properties that each thread of an engine looks at, in each of its ways.
fn shares_of(
    engine: Engine,
    fit: &Arc<Fit>,
    order: &[PropertyId],
    settings: &Settings,
) -> Vec<Share> {
    let row = engine.row();
    let count = order.len();
    let threads = (row.instances)(settings).clamp(1, count.max(1));
    let every = |first: usize| (first..count).step_by(threads).map(|at| order[at]);
    let ways = row.ways.iter();
    let ways = ways.filter(|way| settings.caller_unrolls || !way.only_behind_caller);
    ways.flat_map(|way| {
        (0..threads).map(move |first| Share {
            engine,
            way,
            properties: every(first).collect(),
            fit: fit.clone(),
            early: false,
        })
    })
    .collect()
}

/// The turns of all jobs, which workers take one by one.
pub(crate) struct Turns {
    jobs: Arc<[Job]>,
    rounds: u32,
    /// What all turns together may take.
    budget: Option<Duration>,
    state: Mutex<TurnsState>,
}

struct TurnsState {
    round: u32,
    /// The next job of the round.
    next: usize,
    status: Vec<TurnStatus>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum TurnStatus {
    Waiting,
    /// Some worker is at it, and may be for long: no query should, but some hang.
    Running,
    /// The job ended before its budget did: there is nothing left for it.
    Done,
}

impl Turns {
    /// For one worker without end, else for a few rounds.
    pub fn new(jobs: Arc<[Job]>, workers: usize, budget: Option<Duration>) -> Turns {
        let state = TurnsState {
            round: 0,
            next: 0,
            status: vec![TurnStatus::Waiting; jobs.len()],
        };
        Turns {
            jobs,
            rounds: if workers == 1 { u32::MAX } else { ROUNDS },
            budget,
            state: Mutex::new(state),
        }
    }

    /// Takes turns until there are none left to begin.
    pub fn work(&self, board: &JobBoard) {
        let end = self.budget.map(|budget| board.context.now() + budget);
        while let Some((at, round)) = self.next(board) {
            if end.as_ref().is_some_and(Moment::is_past) {
                return;
            }
            let job = &self.jobs[at];
            let size = job.turn;
            let fuel = FIRST_TURN.saturating_mul(size << round.min(40));
            let timed = self.rounds == ROUNDS;
            let time = timed.then(|| FIRST_TIME.saturating_mul((size as u32) << round));
            let time = time.into_iter().chain(end.as_ref().map(Moment::left)).min();
            let board = board.job(job.name);
            board.context.refuel(Some(fuel), time);
            job.run(&board);
            let status = match board.context.is_spent() {
                true => TurnStatus::Waiting,
                false => TurnStatus::Done,
            };
            self.state().status[at] = status;
        }
    }

    fn state(&self) -> std::sync::MutexGuard<'_, TurnsState> {
        self.state.lock().unwrap_or_else(|e| e.into_inner())
    }

    fn next(&self, board: &JobBoard) -> Option<(usize, u32)> {
        let mut state = self.state();
        loop {
            if board.is_over() || !state.status.contains(&TurnStatus::Waiting) {
                return None;
            }
            if state.next == self.jobs.len() {
                state.next = 0;
                state.round += 1;
            }
            if state.round >= self.rounds {
                return None;
            }
            let at = state.next;
            state.next += 1;
            if state.status[at] == TurnStatus::Waiting {
                state.status[at] = TurnStatus::Running;
                return Some((at, state.round));
            }
        }
    }
}

impl Job {
    /// In a thread of its own.
    pub fn run_beside_others(&self, board: &JobBoard) {
        priority::yield_by(self.yields);
        self.run(&board.job(self.name));
    }

    /// Runs the engine with the context of this job; tells the notes on its solvers, and if they
    /// have failed.
    fn run(&self, board: &JobBoard) {
        match &self.prover {
            Who::Engine(engine) => engine.run(&self.task, board),
            Who::Made(prover) => prover.run(&self.task, board),
        }
        board.tell_notes();
        if let Some(why) = board.context.take_failure() {
            let name = self.name;
            board
                .ledger
                .lost(format!("the engine {name} has ended: {why}"));
        }
    }
}
