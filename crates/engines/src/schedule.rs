//! Who runs when.
//!
//! First comes a prelude: a few steps of bounded model checking and induction,
//! in one thread and with one solver. Models that need no more never start
//! another engine. Then every engine has a thread of its own; the costly ones
//! begin a little later.
//!
//! With one thread engines take turns instead, each with a budget of the
//! solver's work that grows from round to round: such a run is the same every
//! time.

use std::sync::Arc;
use std::time::Duration;

use system::{PropertyId, System};

use crate::blackboard::{Blackboard, Engine, Observation, SpecialCase};
use crate::bmc::{self, Bmc};
use crate::induction::{self, FirstSteps};
use crate::portfolio::Settings;
use crate::theory::unable;
use crate::{ic3, invariants, spacer};

/// When a job begins.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Start {
    AtOnce,
    /// So long after the prelude.
    Later(Duration),
}

/// An engine with what it works on.
pub(crate) struct Job {
    work: Work,
    pub start: Start,
    settings: Arc<Settings>,
}

enum Work {
    Cases(Vec<SpecialCase>),
    Engine {
        engine: Engine,
        system: Arc<System>,
        observed: Arc<[Observation]>,
        properties: Vec<PropertyId>,
    },
}

/// How many steps of bounded model checking and induction come before all else.
const PRELUDE: usize = 3;

/// What the cheap engines do in this time, the others need not.
const HEAD_START: Duration = Duration::from_millis(30);

/// The solver's work in the first turn of an engine.
const FIRST_TURN: u64 = 500_000;

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
    if unrolls && !cases.is_empty() {
        jobs.push(Job {
            work: Work::Cases(cases),
            start: Start::AtOnce,
            settings: settings.clone(),
        });
    }
    let observed: Arc<[Observation]> = observed.into();
    let able = |engine: &Engine| unable(*engine, system).is_none();
    for engine in settings.threads().into_iter().filter(able) {
        let start = match engine {
            Engine::Bmc => Start::AtOnce,
            _ if !unrolls => Start::AtOnce,
            Engine::Induction | Engine::TwoInduction | Engine::Invariants(_) => {
                Start::Later(Duration::ZERO)
            }
            _ => Start::Later(HEAD_START),
        };
        for properties in shares(engine, system.properties.len(), &settings) {
            jobs.push(Job {
                work: Work::Engine {
                    engine,
                    system: system.clone(),
                    observed: observed.clone(),
                    properties,
                },
                start,
                settings: settings.clone(),
            });
        }
    }
    jobs
}

/// The properties that each thread of an engine looks at.
fn shares(engine: Engine, count: usize, settings: &Settings) -> Vec<Vec<PropertyId>> {
    let threads = match engine {
        Engine::Ic3ia => settings.ic3ia_max.clamp(1, count.max(1)),
        _ => 1,
    };
    let share = |first: usize| (first..count).step_by(threads).map(PropertyId).collect();
    (0..threads).map(share).collect()
}

/// All jobs in turn, until none is left.
pub(crate) fn take_turns(mut jobs: Vec<Job>, board: &Blackboard) {
    let mut fuel = FIRST_TURN;
    while !jobs.is_empty() && !board.is_over() {
        jobs.retain(|job| {
            if board.is_over() {
                return false;
            }
            smt::fuel::refuel(Some(fuel));
            job.run(board);
            // Who has something left has nothing to do.
            smt::fuel::is_empty()
        });
        fuel = fuel.saturating_mul(2);
    }
    smt::fuel::refuel(None);
}

impl Job {
    pub fn name(&self) -> &'static str {
        match &self.work {
            Work::Cases(_) => "cases",
            Work::Engine { engine, .. } => engine.short_name(),
        }
    }

    pub fn run(&self, board: &Blackboard) {
        let settings = &self.settings;
        let max = settings.max_depth;
        let (engine, system, observed, all) = match &self.work {
            Work::Cases(cases) => return bmc::run_cases(board, cases, max),
            Work::Engine {
                engine,
                system,
                observed,
                properties,
            } => (engine, system, observed, properties),
        };
        match engine {
            Engine::Bmc => {
                let check = settings.check_unrolling;
                let mut bmc = Bmc::new(system, board, observed, all, max, check);
                if settings.engines.contains(&Engine::Induction) {
                    let options = settings.induction;
                    let induction = FirstSteps::new(system, board, observed, all, options);
                    prelude(&mut bmc, induction);
                }
                board.begin();
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
            Engine::Ic3qe => ic3::run_preimage(system, board, observed, all, settings.ic3),
            Engine::Spacer => spacer::run(system, board, observed, all),
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
