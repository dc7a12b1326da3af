//! Which engines run, and until when.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use smt::Interrupter;
use system::{PropertyId, System, Term};

use crate::blackboard::{Blackboard, Engine, Finding};
use crate::settings::Ic3Options;
use crate::theory::unable;
use crate::{bmc, ic3, induction, spacer};

#[derive(Clone, Debug)]
pub struct Settings {
    pub engines: Vec<Engine>,
    /// The longest runs and the largest k; 0 for no limit.
    pub max_depth: usize,
    /// Exclude repeated states in k-induction.
    pub compress: bool,
    pub ic3: Ic3Options,
    /// How many instances of IC3IA run at the same time.
    pub ic3ia_max: usize,
    pub deadline: Option<Instant>,
    /// Set by whoever wants the analysis to end.
    pub interrupted: Arc<AtomicBool>,
}

impl Default for Settings {
    fn default() -> Settings {
        Settings {
            engines: vec![Engine::Bmc, Engine::Induction],
            max_depth: 0,
            compress: true,
            ic3: Ic3Options::default(),
            ic3ia_max: 2,
            deadline: None,
            interrupted: Arc::default(),
        }
    }
}

/// A running analysis of one system.
pub struct Portfolio {
    board: Arc<Blackboard>,
    findings: Receiver<Finding>,
    interrupters: Arc<Mutex<Vec<Interrupter>>>,
    threads: Vec<JoinHandle<()>>,
    /// How many properties that someone asked for are not decided.
    open: usize,
    hidden: Vec<bool>,
    deadline: Option<Instant>,
    interrupted: Arc<AtomicBool>,
}

/// Terms can be deep, and engines walk them.
const STACK_SIZE: usize = 64 << 20;

/// What the cheap engines do in this time, the others need not.
const HEAD_START: Duration = Duration::from_millis(200);

/// Does the engine let cheaper ones begin?
fn is_late(engine: Engine, settings: &Settings) -> bool {
    let is_cheap = |engine: &Engine| {
        matches!(
            engine,
            Engine::Bmc | Engine::Induction | Engine::TwoInduction
        )
    };
    !is_cheap(&engine) && settings.engines.iter().any(is_cheap)
}

/// The threads of an engine, and the properties that each of them looks at.
fn shares(engine: Engine, count: usize, settings: &Settings) -> Vec<(Engine, Vec<PropertyId>)> {
    let threads = match engine {
        Engine::Ic3ia => settings.ic3ia_max.clamp(1, count.max(1)),
        _ => 1,
    };
    let share = |first: usize| (first..count).step_by(threads).map(PropertyId).collect();
    (0..threads).map(|first| (engine, share(first))).collect()
}

impl Portfolio {
    /// Starts the engines on all properties of a system; the observed terms
    /// are those whose values make up a run.
    pub fn start(system: Arc<System>, observed: Vec<Term>, settings: &Settings) -> Portfolio {
        let (sender, findings) = channel();
        let count = system.properties.len();
        let board = Arc::new(Blackboard::new(count, sender));
        let mut portfolio = Portfolio {
            board: board.clone(),
            findings,
            interrupters: Arc::default(),
            threads: Vec::new(),
            open: system.properties.iter().filter(|p| !p.hidden).count(),
            hidden: system.properties.iter().map(|p| p.hidden).collect(),
            deadline: settings.deadline,
            interrupted: settings.interrupted.clone(),
        };
        let observed = Arc::new(observed);
        let able = |engine: &&Engine| unable(**engine, &system).is_none();
        let engines = settings.engines.iter().filter(able);
        for (engine, all) in engines.flat_map(|engine| shares(*engine, count, settings)) {
            let settings = settings.clone();
            let (system, board, observed) = (system.clone(), board.clone(), observed.clone());
            let interrupters = portfolio.interrupters.clone();
            let thread = std::thread::Builder::new()
                .name(engine.short_name().to_owned())
                .stack_size(STACK_SIZE)
                .spawn(move || {
                    let interrupter = Interrupter::of_this_thread();
                    interrupters
                        .lock()
                        .unwrap_or_else(|e| e.into_inner())
                        .push(interrupter);
                    if is_late(engine, &settings) && !board.rest(HEAD_START) {
                        return;
                    }
                    let max = settings.max_depth;
                    match engine {
                        Engine::Bmc => bmc::run(&system, &board, &observed, &all, max),
                        Engine::Induction => {
                            induction::run(&system, &board, &all, max, settings.compress)
                        }
                        Engine::TwoInduction => {
                            induction::run_two(&system, &board, &all, settings.compress)
                        }
                        Engine::Ic3ia => ic3::run_abstraction(&system, &board, &observed, &all),
                        Engine::Ic3qe => {
                            ic3::run_preimage(&system, &board, &observed, &all, settings.ic3)
                        }
                        Engine::Spacer => spacer::run(&system, &board, &observed, &all),
                    }
                });
            portfolio.threads.extend(thread);
        }
        portfolio
    }

    /// How many first steps are known not to decide a property.
    pub fn clear_steps(&self, property: PropertyId) -> usize {
        self.board.clear(property)
    }

    /// Asks the engines to stop and waits until they have, for a while.
    pub fn stop(&mut self) {
        self.board.stop();
        let patience = Instant::now() + Duration::from_millis(300);
        while self.threads.iter().any(|thread| !thread.is_finished()) {
            let interrupters = self.interrupters.lock().unwrap_or_else(|e| e.into_inner());
            for interrupter in interrupters.iter() {
                interrupter.interrupt();
            }
            drop(interrupters);
            if Instant::now() > patience {
                return;
            }
            std::thread::sleep(Duration::from_millis(1));
        }
    }
}

/// The findings, until all properties are decided, no engine is left, or time
/// is up.
impl Iterator for Portfolio {
    type Item = Finding;

    fn next(&mut self) -> Option<Finding> {
        loop {
            if self.open == 0 {
                return None;
            }
            let idle = self.threads.iter().all(|thread| thread.is_finished());
            match self
                .findings
                .recv_timeout(Duration::from_millis(if idle { 0 } else { 20 }))
            {
                Ok(finding) => {
                    if self.hidden[finding.property.0] {
                        continue;
                    }
                    self.open -= 1;
                    return Some(finding);
                }
                Err(RecvTimeoutError::Disconnected) => return None,
                Err(RecvTimeoutError::Timeout) if idle => return None,
                Err(RecvTimeoutError::Timeout) => {}
            }
            let late = self
                .deadline
                .is_some_and(|deadline| Instant::now() >= deadline);
            if late || self.interrupted.load(Ordering::Relaxed) {
                return None;
            }
        }
    }
}
