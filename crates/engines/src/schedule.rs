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

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use smt::Lemmas;
use smt::clock::Moment;
use system::{PropertyId, System};

use crate::advice;
use crate::blackboard::{Blackboard, Engine, Observation, SpecialCase, Stage};
use crate::bmc::{self, Bmc};
use crate::explicit::{self, Space};
use crate::induction::{self, FirstSteps};
use crate::portfolio::{Rank, Settings};
use crate::priority;
use crate::theory::Fit;
use crate::{ic3, invariants, spacer};

/// An engine with what it works on.
pub(crate) struct Job {
    work: Work,
    settings: Arc<Settings>,
    /// Has it had a turn?
    begun: AtomicBool,
}

impl Job {
    fn new(work: Work, settings: &Arc<Settings>) -> Job {
        Job {
            work,
            settings: settings.clone(),
            begun: AtomicBool::new(false),
        }
    }
}

enum Work {
    Advice {
        system: Arc<System>,
        observed: Arc<[Observation]>,
    },
    Cases(Vec<SpecialCase>),
    /// Bounded model checking state by state.
    Explicit {
        system: Arc<System>,
        observed: Arc<[Observation]>,
        space: Box<Space>,
    },
    Engine {
        share: Share,
        system: Arc<System>,
        observed: Arc<[Observation]>,
    },
}

/// What one of the threads of an engine does.
struct Share {
    engine: Engine,
    properties: Vec<PropertyId>,
    /// Of Spacer.
    lemmas: Lemmas,
    /// Not of all properties, but of those that come first.
    early: bool,
}

/// So many generated checks are enough to begin with the other properties.
const MANY: usize = 8;

/// How many steps of bounded model checking and induction come before all else.
const PRELUDE: usize = 3;

/// The solver's work in the first turn of an engine.
const FIRST_TURN: u64 = 300_000;

/// The time of a first turn, where a run need not be the same every time.
const FIRST_TIME: Duration = Duration::from_millis(300);

/// The time of the prelude's induction, in the same case.
const PRELUDE_TIME: Duration = Duration::from_millis(100);

/// After this time other threads begin although the prelude goes on.
pub(crate) const PRELUDE_ALONE: Duration = Duration::from_millis(10);

/// The same for a caller that looks for short runs itself.
pub(crate) const CALLER_ALONE: Duration = Duration::from_millis(20);

/// How many turns each engine has before all run side by side.
const ROUNDS: u32 = 3;

/// By how much an engine that seldom has the last word yields to the others.
pub(crate) const YIELD: u8 = 5;

/// The jobs for a system.
pub(crate) fn jobs(
    system: &Arc<System>,
    observed: Vec<Observation>,
    cases: Vec<SpecialCase>,
    settings: &Settings,
) -> Vec<Job> {
    let settings = Arc::new(settings.clone());
    let mut jobs = Vec::new();
    let unrolls = settings.engines.contains(&Engine::Bmc);
    let observed: Arc<[Observation]> = observed.into();
    if !settings.advice.is_empty() {
        let work = Work::Advice {
            system: system.clone(),
            observed: observed.clone(),
        };
        jobs.push(Job::new(work, &settings));
    }
    if unrolls && !cases.is_empty() {
        jobs.push(Job::new(Work::Cases(cases), &settings));
    }
    let mut shares: Vec<Share> = Vec::new();
    let order = order(system, &settings);
    for engine in settings.separate_engines() {
        let order = Fit::of(engine, system).properties(&order);
        if !order.is_empty() || system.properties.is_empty() {
            shares.extend(early_share(engine, system, &order, &settings));
            shares.extend(self::shares(engine, &order, &settings));
        }
    }
    shares.sort_by_key(|share| {
        let rank = share.rank(&settings);
        (rank > 0, !share.early, rank)
    });
    for share in shares {
        let work = Work::Engine {
            share,
            system: system.clone(),
            observed: observed.clone(),
        };
        jobs.push(Job::new(work, &settings));
    }
    let all: Vec<PropertyId> = (0..system.properties.len()).map(PropertyId).collect();
    if unrolls && let Some(space) = Space::new(system, &all) {
        let work = Work::Explicit {
            system: system.clone(),
            observed,
            space: Box::new(space),
        };
        jobs.push(Job::new(work, &settings));
    }
    jobs
}

impl Share {
    /// The order of turns: what is cheap, or solves most, comes first.
    fn rank(&self, settings: &Settings) -> usize {
        match (self.engine, self.lemmas) {
            (Engine::Bmc, _) if !settings.caller_unrolls => 0,
            (Engine::Spacer, Lemmas::General) => 1,
            (Engine::Induction, _) => 2,
            (Engine::Spacer, Lemmas::Plain) => 3,
            (Engine::Bmc, _) => 4,
            (Engine::Invariants(_), _) => 5,
            (Engine::Ic3qe, _) => 6,
            (Engine::Ic3ia, _) => 7,
            (Engine::TwoInduction, _) => 8,
        }
    }
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
    system: &System,
    order: &[PropertyId],
    settings: &Settings,
) -> Option<Share> {
    let at_once = matches!(engine, Engine::Bmc | Engine::Induction | Engine::Spacer);
    let is_written =
        |id: &PropertyId| settings.rank(*id) < Rank::Generated && !system.property(*id).hidden;
    let written: Vec<PropertyId> = order.iter().copied().filter(is_written).collect();
    let others = order.len() - written.len();
    let many = others >= MANY && others > written.len() && !written.is_empty();
    (at_once && many && !settings.caller_unrolls).then_some(Share {
        engine,
        properties: written,
        lemmas: Lemmas::General,
        early: true,
    })
}

/// The properties that each thread of an engine looks at. Where a caller unrolls,
/// Spacer looks at all of them in two ways: what is hard for one of them is often easy
/// for the other.
fn shares(engine: Engine, order: &[PropertyId], settings: &Settings) -> Vec<Share> {
    let share = |properties, lemmas| Share {
        engine,
        properties,
        lemmas,
        early: false,
    };
    let count = order.len();
    let every =
        |nth: usize, first: usize| (first..count).step_by(nth).map(|at| order[at]).collect();
    match engine {
        Engine::Spacer if settings.caller_unrolls => {
            let both = [Lemmas::General, Lemmas::Plain].into_iter();
            both.map(|lemmas| share(every(1, 0), lemmas)).collect()
        }
        Engine::Ic3ia => {
            let threads = settings.ic3ia_max.clamp(1, count.max(1));
            let firsts = 0..threads;
            firsts
                .map(|first| share(every(threads, first), Lemmas::General))
                .collect()
        }
        _ => vec![share(every(1, 0), Lemmas::General)],
    }
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
    pub fn work(&self, board: &Blackboard) {
        let end = self.budget.map(|budget| Moment::now() + budget);
        while let Some((at, round)) = self.next(board) {
            if end.is_some_and(Moment::is_past) {
                return;
            }
            let size = self.jobs[at].size();
            let fuel = FIRST_TURN.saturating_mul(size << round.min(40));
            let timed = self.rounds == ROUNDS;
            let time = timed.then(|| FIRST_TIME.saturating_mul((size as u32) << round));
            let time = time.into_iter().chain(end.map(Moment::left)).min();
            smt::fuel::refuel(Some(fuel), time);
            self.jobs[at].run(board);
            let status = match smt::fuel::is_empty() {
                true => TurnStatus::Waiting,
                false => TurnStatus::Done,
            };
            smt::fuel::refuel(None, None);
            self.state().status[at] = status;
        }
    }

    fn state(&self) -> std::sync::MutexGuard<'_, TurnsState> {
        self.state.lock().unwrap_or_else(|e| e.into_inner())
    }

    fn next(&self, board: &Blackboard) -> Option<(usize, u32)> {
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
    /// How much larger its turns are than those of others. What is advised has been a
    /// proof before, and nothing else need be tried if it still is one. Spacer begins
    /// anew with each turn, so that it has a thread for longer, where there are others.
    fn size(&self) -> u64 {
        let alone = self.settings.threads == 1;
        match &self.work {
            Work::Advice { .. } => 4,
            Work::Engine { share, .. } => match (share.engine, share.lemmas) {
                (Engine::Spacer, Lemmas::General) if !alone => 8,
                _ => 1,
            },
            _ => 1,
        }
    }

    pub fn name(&self) -> &'static str {
        match &self.work {
            Work::Advice { .. } => "advice",
            Work::Cases(_) => "cases",
            Work::Explicit { .. } => "states",
            Work::Engine { share, .. } => share.engine.short_name(),
        }
    }

    /// In a thread of its own.
    pub fn run_beside_others(&self, board: &Blackboard) {
        if let Work::Engine { share, .. } = &self.work {
            priority::yield_by(match share.engine {
                Engine::Ic3ia | Engine::Ic3qe => YIELD,
                Engine::Invariants(_) => self.settings.invariants.renice,
                _ => 0,
            });
        }
        self.run(board);
    }

    /// Runs the engine; when its solver is gone, that is told, and the end of it.
    fn run(&self, board: &Blackboard) {
        let named = smt::Choice {
            engine: self.name(),
            ..smt::choice()
        };
        smt::with_choice(&named, || self.work(board));
        if let Some(why) = smt::failure::take() {
            let name = self.name();
            board
                .ledger
                .lost(format!("the engine {name} has ended: {why}"));
        }
    }

    fn work(&self, board: &Blackboard) {
        let settings = &self.settings;
        let max = settings.max_depth;
        let (share, system, observed) = match &self.work {
            Work::Advice { system, observed } => {
                return advice::run(system, board, observed, &settings.advice);
            }
            Work::Cases(cases) => return bmc::run_cases(board, cases, max),
            Work::Explicit {
                system,
                observed,
                space,
            } => return explicit::run(system, board, observed, space, max),
            Work::Engine {
                share,
                system,
                observed,
            } => (share, system, observed),
        };
        let all = &share.properties;
        match share.engine {
            Engine::Bmc => {
                let check = settings.check_unrolling;
                let mut bmc = Bmc::new(system, board, observed, all, max, check);
                let first = !self.begun.swap(true, Ordering::Relaxed);
                let first = first && !settings.caller_unrolls;
                let begins = first || board.stage() == Stage::Prelude;
                if begins && settings.engines.contains(&Engine::Induction) {
                    let time = (settings.threads > 1).then_some(PRELUDE_TIME);
                    let options = settings.induction;
                    let first = FirstSteps::new(system, board, observed, all, max, options);
                    prelude(&mut bmc, first.within(time));
                }
                let asked = |id: &&PropertyId| !system.property(**id).hidden;
                if !all.iter().filter(asked).any(|id| board.is_open(*id)) {
                    return;
                }
                board.reach(Stage::Turns);
                board.watch(all, true);
                bmc.run();
                board.watch(all, false);
            }
            Engine::Induction => {
                induction::run(system, board, observed, all, max, settings.induction)
            }
            Engine::TwoInduction => {
                induction::run_two(system, board, observed, all, settings.induction)
            }
            Engine::Invariants(_) => {
                let generators = settings.generators();
                invariants::run(system, board, all, &generators, &settings.invariants)
            }
            Engine::Ic3ia => ic3::run_abstraction(system, board, observed, all),
            Engine::Ic3qe => {
                let log = settings.ic3qe_log.clone();
                ic3::run_preimage(system, board, observed, all, settings.ic3, log)
            }
            Engine::Spacer => spacer::run(system, board, observed, all, share.lemmas),
        }
    }
}

fn prelude(bmc: &mut Bmc, mut induction: FirstSteps) {
    for _ in 0..PRELUDE {
        if !bmc.step() || !induction.step() {
            return;
        }
    }
}
