//! Which engines run, and until when.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use proof::Lemmas;
use smt::{Choice, Clock, Interrupter, Meter, SolverContext};
use system::{PropertyId, System};

use crate::advice::Advice;
use crate::attempt::Attempt;
use crate::blackboard::{Blackboard, Engine, Finding, Message, Observation, SpecialCase, Stage};
use crate::budget::WorkBudget;
use crate::components::Hierarchy;
use crate::ic3::{ClauseLog, Ic3Options};
use crate::induction::InductionOptions;
use crate::invariants::{Generator, InvariantOptions};
use crate::job_board::JobBoard;
use crate::options::UnrollOptions;
use crate::schedule::{self, CALLER_ALONE, Job, PRELUDE_ALONE, Turns};
use crate::statistics::{Progress, Statistics};
use crate::workers::{self, Reuse, Running};

#[derive(Clone, Debug)]
pub struct Settings {
    pub engines: Vec<Engine>,
    pub unrolling: UnrollOptions,
    pub induction: InductionOptions,
    pub invariants: InvariantOptions,
    pub ic3: Ic3Options,
    /// Where IC3QE writes its clauses.
    pub ic3qe_log: Option<ClauseLog>,
    /// With one, engines take turns.
    pub threads: usize,
    /// Where a run is to be the same every time, which needs one thread: all its work. Then
    /// budgets are measured in the solver's work, and whoever listens and the engines take turns.
    pub meter: Option<Meter>,
    /// The time of all engines together, measured in the solver's work (`budget.rs`).
    pub budget: Option<Duration>,
    /// Does the caller look for short runs itself, in one of the threads? Then engines
    /// that prove come first, and the rest when the caller is done with that.
    pub caller_unrolls: bool,
    pub deadline: Option<Instant>,
    /// Set by whoever wants the analysis to end.
    pub interrupted: Arc<AtomicBool>,
    /// Who answers the engines.
    pub solver: Choice,
    /// Invariants of the system that are known to be k-inductive together. What comes
    /// from elsewhere is no lemma but advice.
    pub lemmas: Lemmas,
    /// What an earlier run has found out, to be tried first.
    pub advice: Arc<Advice>,
    /// By property: who comes first; all come first if there are none.
    pub ranks: Vec<Rank>,
}

/// Which properties come first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Rank {
    /// Someone wrote it, in the node that is analysed.
    Own,
    /// It is in the contract of that node.
    Contract,
    /// Someone wrote it elsewhere.
    Callee,
    /// Nobody wrote it: a range, for instance.
    Generated,
}

impl Default for Settings {
    fn default() -> Settings {
        Settings::with_options(
            UnrollOptions::default(),
            InductionOptions::default(),
            InvariantOptions::default(),
            Ic3Options::default(),
        )
    }
}

/// As many threads as there are cores.
pub fn default_threads() -> usize {
    std::thread::available_parallelism().map_or(2, |cores| cores.get())
}

impl Settings {
    /// With these options of engines, and the defaults of all else.
    pub fn with_options(
        unrolling: UnrollOptions,
        induction: InductionOptions,
        invariants: InvariantOptions,
        ic3: Ic3Options,
    ) -> Settings {
        Settings {
            engines: vec![Engine::Bmc, Engine::Induction],
            unrolling,
            induction,
            invariants,
            ic3,
            ic3qe_log: None,
            threads: default_threads(),
            meter: None,
            budget: None,
            caller_unrolls: false,
            deadline: None,
            interrupted: Arc::default(),
            solver: Choice::default(),
            lemmas: Lemmas::default(),
            advice: Arc::default(),
            ranks: Vec::new(),
        }
    }

    /// Is a run to be the same every time?
    pub fn is_repeatable(&self) -> bool {
        self.meter.is_some()
    }

    /// A context for queries beside the engines, which Z3 in this process answers.
    pub fn context(&self) -> SolverContext {
        let clock = self.meter.clone().map_or(Clock::Real, Clock::Work);
        SolverContext::new(Choice::default(), clock)
    }

    pub(crate) fn rank(&self, id: PropertyId) -> Rank {
        self.ranks.get(id.0).copied().unwrap_or(Rank::Own)
    }

    pub(crate) fn generators(&self) -> Vec<Generator> {
        let generators = self.engines.iter().filter_map(|engine| match engine {
            Engine::Invariants(generator) => Some(*generator),
            _ => None,
        });
        generators.collect()
    }

    /// The engines that run on their own. Generators of invariants share one: they
    /// look at the same states, and their relations have terms in common.
    pub(crate) fn separate_engines(&self) -> Vec<Engine> {
        let mut separate: Vec<Engine> = Vec::new();
        for engine in &self.engines {
            let generates = |other: &Engine| matches!(other, Engine::Invariants(_));
            if !generates(engine) || !separate.iter().any(generates) {
                separate.push(*engine);
            }
        }
        separate
    }
}

/// What comes out of a running analysis.
#[derive(Clone, Debug)]
pub enum News {
    Finding(Finding),
    Progress(Progress),
    Attempt(Attempt),
    /// An engine waits for the components of the system.
    HierarchyWanted,
    /// An engine has broken down; the others go on.
    Failure(String),
    /// The solver of an engine is gone; the others go on.
    SolverFailed(String),
    /// Something is to be said of a solver; its engine goes on.
    SolverNote(String),
}

/// A running analysis of one system.
pub struct Portfolio {
    system: Arc<System>,
    board: Arc<Blackboard>,
    messages: Receiver<Message>,
    interrupters: Arc<Mutex<Vec<Interrupter>>>,
    threads: Vec<Running>,
    /// How many properties that someone asked for are not decided.
    open: usize,
    hidden: Vec<bool>,
    /// To be told before the next finding.
    waiting: VecDeque<News>,
    deadline: Option<Instant>,
    interrupted: Arc<AtomicBool>,
    solver: Choice,
    reuse: Reuse,
    /// How engines measure time.
    clock: Clock,
    /// Is a run to be the same every time?
    repeatable: bool,
    /// What the engines may do, where the deadline is not all.
    budget: Option<WorkBudget>,
    /// How many messages have been received.
    received: usize,
}

impl Portfolio {
    /// Starts the engines on all properties of a system; the observed terms
    /// are those whose values make up a run.
    pub fn start(
        system: Arc<System>,
        observed: Vec<Observation>,
        cases: Vec<SpecialCase>,
        settings: &Settings,
    ) -> Portfolio {
        Portfolio::new(system, observed, cases, settings, false)
    }

    /// The same for a system of components: they are told when an engine wants them.
    pub fn start_hierarchical(
        system: Arc<System>,
        observed: Vec<Observation>,
        cases: Vec<SpecialCase>,
        settings: &Settings,
    ) -> Portfolio {
        Portfolio::new(system, observed, cases, settings, true)
    }

    fn new(
        system: Arc<System>,
        observed: Vec<Observation>,
        cases: Vec<SpecialCase>,
        settings: &Settings,
        hierarchical: bool,
    ) -> Portfolio {
        let (sender, messages) = channel();
        let count = system.properties.len();
        let mut board = Blackboard::new(count, sender);
        board.lockstep = settings.is_repeatable();
        let mut portfolio = Portfolio {
            system: system.clone(),
            board: Arc::new(board),
            messages,
            interrupters: Arc::default(),
            threads: Vec::new(),
            open: system.properties.iter().filter(|p| !p.hidden).count(),
            hidden: system.properties.iter().map(|p| p.hidden).collect(),
            waiting: VecDeque::new(),
            deadline: settings.deadline,
            interrupted: settings.interrupted.clone(),
            solver: settings.solver.clone(),
            reuse: match settings.is_repeatable() {
                true => Reuse::Never,
                false => Reuse::Any,
            },
            clock: clock(settings),
            repeatable: settings.is_repeatable(),
            budget: None,
            received: 0,
        };
        for lemma in settings.lemmas.about(&system) {
            portfolio.board.add_lemma(lemma.k, lemma.term);
        }
        if hierarchical {
            portfolio.board.expect_components();
        }
        let jobs: Arc<[Job]> = schedule::jobs(&system, observed, cases, settings).into();
        let unrolls = settings.engines.contains(&Engine::Bmc);
        let workers = settings.threads.clamp(1, jobs.len().max(1));
        if let (Clock::Counted(meter), Some(time)) = (&portfolio.clock, settings.budget) {
            let engines = if workers > 1 { jobs.len() } else { 1 };
            portfolio.budget = Some(WorkBudget::new(meter, time, engines));
        }
        // Where a run is to be the same every time, turns are over at the same work.
        let of_turns = settings.budget.filter(|_| settings.is_repeatable());
        let turns = Arc::new(Turns::new(jobs.clone(), workers, of_turns));
        for worker in 0..workers {
            let turns = turns.clone();
            let wait = match settings.caller_unrolls {
                true => CALLER_ALONE,
                false => PRELUDE_ALONE,
            };
            let wait = (worker > 0 && unrolls).then_some(wait);
            portfolio.spawn("turns", wait, move |board| {
                turns.work(board);
                // Whoever has not come to an end may never do.
                board.reach(Stage::All);
            });
        }
        if workers > 1 {
            portfolio.spawn_all(jobs);
        }
        portfolio
    }

    /// Runs engines in a thread of their own, after so much of the prelude.
    fn spawn(
        &mut self,
        name: &'static str,
        wait: Option<Duration>,
        engine: impl FnOnce(&JobBoard) + Send + 'static,
    ) {
        let running = self.launcher().start(name, wait, self.reuse, engine);
        self.threads.extend(running);
    }

    /// Gives every engine a thread of its own when their time comes; most systems
    /// are done with before.
    fn spawn_all(&mut self, jobs: Arc<[Job]>) {
        let launcher = self.launcher();
        let running = workers::run(Reuse::Never, move || {
            if !launcher.board.wait_for(Stage::All) {
                return;
            }
            let threads = (0..jobs.len()).filter_map(|at| {
                let (name, jobs) = (jobs[at].name, jobs.clone());
                let engine = move |board: &JobBoard| jobs[at].run_beside_others(board);
                launcher.start(name, None, Reuse::Last, engine)
            });
            let threads: Vec<Running> = threads.collect();
            threads.iter().for_each(Running::join);
        });
        self.threads.extend(running);
    }

    fn launcher(&self) -> Launcher {
        Launcher {
            board: self.board.clone(),
            interrupters: self.interrupters.clone(),
            solver: self.solver.clone(),
            clock: self.clock.clone(),
        }
    }

    /// The caller has looked for short runs, and its thread can be taken by an engine.
    pub fn take_over(&self) {
        self.board.reach(Stage::Turns);
    }

    /// Tells whether there is a property that someone asked for and that is not decided.
    pub fn watch(&self) -> impl Fn() -> bool + Send + Sync + use<> {
        let (board, hidden) = (self.board.clone(), self.hidden.clone());
        move || {
            let is_open = |(at, hidden): (usize, &bool)| !hidden && board.is_open(PropertyId(at));
            hidden.iter().enumerate().any(is_open)
        }
    }

    /// How many first steps are known not to decide a property.
    pub fn clear_steps(&self, property: PropertyId) -> usize {
        match self.solver.shared.is_caught() {
            true => 0,
            false => self.board.clear(property),
        }
    }

    /// Tells the engines what the system consists of.
    pub fn tell_components(&self, hierarchy: Arc<Hierarchy>) {
        self.board.tell_components(hierarchy);
    }

    /// What is proved beside the properties, with the k of its proof.
    pub fn lemmas(&self) -> Lemmas {
        Lemmas::new(self.system.clone(), self.board.lemmas_from(0))
    }

    /// What each engine has done so far.
    pub fn statistics(&self) -> Vec<Statistics> {
        self.board.ledger.statistics()
    }

    /// Asks the engines to stop. An interrupt between two queries is lost, so that
    /// it is repeated until they have, on the side: the results are there, and
    /// nobody needs to wait. Where a run is to be the same every time, it goes on when
    /// they have stopped, unless they are in the middle of something.
    pub fn stop(&mut self) {
        let waits = self.repeatable && !self.is_late();
        self.board.stop();
        let threads = std::mem::take(&mut self.threads);
        let threads: Arc<[Running]> = threads.into();
        let all = threads.clone();
        let interrupters = self.interrupters.clone();
        let interrupt = move || {
            let interrupters = interrupters.lock().unwrap_or_else(|e| e.into_inner());
            interrupters.iter().for_each(Interrupter::interrupt);
        };
        interrupt();
        std::thread::spawn(move || {
            while threads.iter().any(|thread| !thread.is_finished()) {
                interrupt();
                std::thread::sleep(Duration::from_millis(1));
            }
        });
        if waits {
            all.iter().for_each(Running::join);
        }
    }
}

/// How engines measure time.
fn clock(settings: &Settings) -> Clock {
    match (&settings.meter, settings.budget) {
        (Some(meter), _) => Clock::Work(meter.clone()),
        (None, Some(_)) => Clock::Counted(Meter::default()),
        (None, None) => Clock::Real,
    }
}

/// Starts threads for engines: what each of them is given.
#[derive(Clone)]
struct Launcher {
    board: Arc<Blackboard>,
    interrupters: Arc<Mutex<Vec<Interrupter>>>,
    solver: Choice,
    clock: Clock,
}

impl Launcher {
    /// Runs engines in a thread, with a context of their own; they can be interrupted, and it is
    /// told if they fail.
    fn start(
        &self,
        name: &'static str,
        wait: Option<Duration>,
        reuse: Reuse,
        engines: impl FnOnce(&JobBoard) + Send + 'static,
    ) -> Option<Running> {
        let own = self.clone();
        let running = workers::run(reuse, move || {
            // Before Z3's context is made: most are done with by then.
            if wait.is_some_and(|time| !own.board.wait_a_little_for(Stage::Turns, time)) {
                return;
            }
            let run = std::panic::AssertUnwindSafe(|| own.run(engines));
            if let Err(panic) = std::panic::catch_unwind(run) {
                let message = format!("the engine {name} has failed");
                own.board.ledger.failed(message);
                own.board.reach(Stage::All);
                std::panic::resume_unwind(panic);
            }
        });
        let failed = |error| {
            let message = format!("the engine {name} does not start: {error}");
            self.board.ledger.failed(message);
        };
        running.map_err(failed).ok()
    }

    fn run(&self, engines: impl FnOnce(&JobBoard)) {
        let context = SolverContext::new(self.solver.clone(), self.clock.clone());
        let board = JobBoard::new(self.board.clone(), context);
        board.context.interruptible(|interrupter| {
            let interrupters = self.interrupters.lock();
            let mut interrupters = interrupters.unwrap_or_else(|e| e.into_inner());
            interrupters.push(interrupter);
            drop(interrupters);
            engines(&board);
        });
    }
}

impl Portfolio {
    /// Hears what the engines have to tell beside findings.
    fn listen(&mut self) {
        let ledger = &self.board.ledger;
        let progress = ledger.take_progress().into_iter().map(News::Progress);
        let attempts = ledger.take_attempts().into_iter().map(News::Attempt);
        let failures = ledger.take_failures().into_iter().map(News::Failure);
        let lost = ledger.take_lost().into_iter().map(News::SolverFailed);
        self.waiting
            .extend(failures.chain(lost).chain(progress).chain(attempts));
    }

    /// What a message tells, unless nobody asked for it.
    fn asked_for(&mut self, message: Message) -> Option<News> {
        let finding = match message {
            Message::Finding(finding) => finding,
            Message::HierarchyWanted => return Some(News::HierarchyWanted),
            Message::SolverNote(note) => return Some(News::SolverNote(note)),
        };
        if self.hidden[finding.property.0] {
            return None;
        }
        self.open -= 1;
        Some(News::Finding(finding))
    }

    fn is_over(&self) -> bool {
        self.open == 0 || self.is_late()
    }

    fn is_late(&self) -> bool {
        let late = self.deadline.is_some_and(|at| Instant::now() >= at);
        let spent = self.budget.as_ref().is_some_and(WorkBudget::is_spent);
        late || spent || self.interrupted.load(Ordering::Relaxed)
    }

    /// The news in the order in which the engines had them: these wait until a finding
    /// is dealt with, so that they and whoever listens never work at the same time.
    fn next_in_lockstep(&mut self) -> Option<News> {
        loop {
            if let Some(news) = self.waiting.pop_front() {
                return Some(news);
            }
            if self.is_over() {
                return None;
            }
            let idle = self.threads.iter().all(|thread| thread.is_finished());
            self.board.heard(self.received);
            let message = match idle {
                true => self.messages.try_recv().ok(),
                false => self.messages.recv_timeout(MOMENT).ok(),
            };
            self.listen();
            match message {
                Some(message) => {
                    self.received += 1;
                    let news = self.asked_for(message);
                    self.waiting.extend(news);
                }
                None if idle && self.waiting.is_empty() => return None,
                None => {}
            }
        }
    }
}

/// How long news of engines, beside findings, may wait.
const MOMENT: Duration = Duration::from_millis(20);

/// The findings first, then other news, until all properties are decided, no engine
/// is left, or time is up.
impl Iterator for Portfolio {
    type Item = News;

    fn next(&mut self) -> Option<News> {
        if self.repeatable {
            return self.next_in_lockstep();
        }
        loop {
            let idle = self.threads.iter().all(|thread| thread.is_finished());
            self.listen();
            if let Ok(message) = self.messages.try_recv() {
                match self.asked_for(message) {
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
            match self.messages.recv_timeout(MOMENT) {
                Ok(message) => {
                    if let Some(news) = self.asked_for(message) {
                        return Some(news);
                    }
                }
                Err(RecvTimeoutError::Disconnected) => return None,
                Err(RecvTimeoutError::Timeout) => {}
            }
        }
    }
}
