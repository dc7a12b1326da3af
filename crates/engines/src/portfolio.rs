//! Which engines run, and until when.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use smt::Interrupter;
use system::{PropertyId, System};

use crate::attempt::Attempt;
use crate::blackboard::{Blackboard, Engine, Finding, Observation, SpecialCase};
use crate::statistics::{Progress, Statistics};
use crate::{bmc, induction};

#[derive(Clone, Debug)]
pub struct Settings {
    pub engines: Vec<Engine>,
    /// The longest runs and the largest k; 0 for no limit.
    pub max_depth: usize,
    pub induction: induction::Options,
    /// Have bounded model checking ask whether there are runs at all.
    pub check_unrolling: bool,
    pub deadline: Option<Instant>,
    /// Set by whoever wants the analysis to end.
    pub interrupted: Arc<AtomicBool>,
}

impl Default for Settings {
    fn default() -> Settings {
        Settings {
            engines: vec![Engine::Bmc, Engine::Induction],
            max_depth: 0,
            induction: induction::Options::default(),
            check_unrolling: true,
            deadline: None,
            interrupted: Arc::default(),
        }
    }
}

/// What comes out of a running analysis.
#[derive(Clone, Debug)]
pub enum News {
    Finding(Finding),
    Progress(Progress),
    Attempt(Attempt),
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
    /// To be told before the next finding.
    waiting: VecDeque<News>,
    deadline: Option<Instant>,
    interrupted: Arc<AtomicBool>,
}

/// Terms can be deep, and engines walk them.
const STACK_SIZE: usize = 64 << 20;

impl Portfolio {
    /// Starts the engines on all properties of a system; the observed terms
    /// are those whose values make up a run.
    pub fn start(
        system: Arc<System>,
        observed: Vec<Observation>,
        cases: Vec<SpecialCase>,
        settings: &Settings,
    ) -> Portfolio {
        let (sender, findings) = channel();
        let count = system.properties.len();
        let mut portfolio = Portfolio {
            board: Arc::new(Blackboard::new(count, sender)),
            findings,
            interrupters: Arc::default(),
            threads: Vec::new(),
            open: system.properties.iter().filter(|p| !p.hidden).count(),
            hidden: system.properties.iter().map(|p| p.hidden).collect(),
            waiting: VecDeque::new(),
            deadline: settings.deadline,
            interrupted: settings.interrupted.clone(),
        };
        let all: Arc<[PropertyId]> = (0..count).map(PropertyId).collect();
        let observed: Arc<[Observation]> = observed.into();
        let (max, check) = (settings.max_depth, settings.check_unrolling);
        let induction = settings.induction;
        if settings.engines.contains(&Engine::Bmc) && !cases.is_empty() {
            portfolio.spawn("cases", move |board| bmc::run_cases(board, &cases, max));
        }
        if settings.engines.contains(&Engine::Bmc) {
            portfolio.board.watch(&all, true);
        }
        for engine in &settings.engines {
            let engine = *engine;
            let (system, observed, all) = (system.clone(), observed.clone(), all.clone());
            portfolio.spawn(engine.short_name(), move |board| match engine {
                Engine::Bmc => {
                    bmc::run(&system, board, &observed, &all, max, check);
                    board.watch(&all, false);
                }
                Engine::Induction => {
                    induction::run(&system, board, &observed, &all, max, induction)
                }
                Engine::TwoInduction => {
                    induction::run_two(&system, board, &observed, &all, induction)
                }
            });
        }
        portfolio
    }

    /// Runs an engine in a thread of its own.
    fn spawn(&mut self, name: &str, engine: impl FnOnce(&Blackboard) + Send + 'static) {
        let (board, interrupters) = (self.board.clone(), self.interrupters.clone());
        let thread = std::thread::Builder::new()
            .name(name.to_owned())
            .stack_size(STACK_SIZE)
            .spawn(move || {
                smt::interruptible(|interrupter| {
                    interrupters
                        .lock()
                        .unwrap_or_else(|e| e.into_inner())
                        .push(interrupter);
                    engine(&board);
                })
            });
        self.threads.extend(thread);
    }

    /// How many first steps are known not to decide a property.
    pub fn clear_steps(&self, property: PropertyId) -> usize {
        self.board.clear(property)
    }

    /// What each engine has done so far.
    pub fn statistics(&self) -> Vec<Statistics> {
        self.board.ledger.statistics()
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

impl Portfolio {
    /// Hears what the engines have to tell beside findings.
    fn listen(&mut self) {
        let ledger = &self.board.ledger;
        let progress = ledger.take_progress().into_iter().map(News::Progress);
        let attempts = ledger.take_attempts().into_iter().map(News::Attempt);
        self.waiting.extend(progress.chain(attempts));
    }

    /// A finding, unless nobody asked for it.
    fn asked_for(&mut self, finding: Finding) -> Option<News> {
        if self.hidden[finding.property.0] {
            return None;
        }
        self.open -= 1;
        Some(News::Finding(finding))
    }

    fn is_over(&self) -> bool {
        let late = self.deadline.is_some_and(|at| Instant::now() >= at);
        self.open == 0 || late || self.interrupted.load(Ordering::Relaxed)
    }
}

/// The findings first, then other news, until all properties are decided, no engine
/// is left, or time is up.
impl Iterator for Portfolio {
    type Item = News;

    fn next(&mut self) -> Option<News> {
        loop {
            let idle = self.threads.iter().all(|thread| thread.is_finished());
            self.listen();
            if let Ok(finding) = self.findings.try_recv() {
                match self.asked_for(finding) {
                    Some(news) => return Some(news),
                    None => continue,
                }
            }
            if self.is_over() {
                return None;
            }
            if let Some(news) = self.waiting.pop_front() {
                return Some(news);
            }
            if idle {
                return None;
            }
            match self.findings.recv_timeout(Duration::from_millis(20)) {
                Ok(finding) => {
                    if let Some(news) = self.asked_for(finding) {
                        return Some(news);
                    }
                }
                Err(RecvTimeoutError::Disconnected) => return None,
                Err(RecvTimeoutError::Timeout) => {}
            }
        }
    }
}
