//! What the engines know together.

use std::collections::HashSet;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Sender, channel};
use std::sync::{Arc, Condvar, Mutex, MutexGuard};
use std::time::Duration;

use num_traits::ToPrimitive;
use proof::{Evidence, Lemma};
use smt::{Scalar, Solver};
use system::{PropertyId, System, Term};

use crate::components::Hierarchy;
use crate::invariants::Generator;
use crate::statistics::Ledger;

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Engine {
    Bmc,
    Induction,
    /// Induction with k fixed at 2.
    TwoInduction,
    Invariants(Generator),
    /// Z3's own engine for Horn clauses.
    Spacer,
    /// IC3 with implicit predicate abstraction.
    Ic3ia,
    /// IC3 with quantifier elimination.
    Ic3qe,
}

/// A term whose values make up a run; an array with its sizes, the outermost
/// first.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Observation {
    pub term: Term,
    pub sizes: Vec<Term>,
}

/// Larger arrays are not read from a model.
const MAX_ELEMENTS: usize = 1 << 16;

impl Observation {
    /// The value in the solver's model.
    pub fn value(&self, solver: &mut impl Solver, step: usize) -> Option<Scalar> {
        let mut counts = Vec::new();
        for size in &self.sizes {
            match solver.value(size, step)? {
                Scalar::Int(count) => counts.push(count.max(0.into()).to_usize()?),
                _ => return None,
            }
        }
        let all = counts
            .iter()
            .try_fold(1usize, |all, n| all.checked_mul(*n))?;
        match all <= MAX_ELEMENTS {
            true => elements(solver, &self.term, &counts, step),
            false => None,
        }
    }
}

fn elements(
    solver: &mut impl Solver,
    term: &Term,
    counts: &[usize],
    step: usize,
) -> Option<Scalar> {
    let Some((count, rest)) = counts.split_first() else {
        return solver.value(term, step);
    };
    let all = (0..*count).map(|at| {
        let element = system::select(term, &system::integer(at));
        elements(solver, &element, rest, step)
    });
    Some(Scalar::Array(all.collect()))
}

/// The values of the observed terms at each step of a run.
#[derive(Clone, Debug, Default)]
pub struct Run {
    pub steps: Vec<Vec<Option<Scalar>>>,
    /// Of which special case of the system, by its position.
    pub case: Option<usize>,
}

impl Run {
    /// The values in the solver's model at all steps up to `last`; what is not observed has
    /// none.
    pub fn read<'o>(
        solver: &mut impl Solver,
        observed: impl IntoIterator<Item = Option<&'o Observation>, IntoIter: Clone>,
        last: usize,
    ) -> Run {
        let observed = observed.into_iter();
        let steps = (0..=last).map(|step| {
            let values = observed.clone().map(|o| o?.value(solver, step));
            values.collect()
        });
        Run {
            steps: steps.collect(),
            case: None,
        }
    }

    /// The same where everything is observed.
    pub fn observed(solver: &mut impl Solver, observed: &[Observation], last: usize) -> Run {
        Run::read(solver, observed.iter().map(Some), last)
    }
}

/// The system with some of its constants fixed. Its properties are those of
/// the system, in the same order; its runs are runs of the system.
pub struct SpecialCase {
    pub system: Arc<System>,
    pub observed: Vec<Observation>,
}

#[derive(Clone, Debug)]
pub enum Verdict {
    /// An invariant holds, or a property to be reached is unreachable.
    Always(Evidence),
    /// A run whose last step violates the invariant, or reaches the property.
    Witness(Run),
}

/// Something that an engine has found.
#[derive(Clone, Debug)]
pub struct Finding {
    pub property: PropertyId,
    pub engine: Engine,
    pub verdict: Verdict,
}

/// What the engines send to whoever listens.
pub(crate) enum Message {
    Finding(Finding),
    /// Someone waits for the components of the system.
    HierarchyWanted,
    /// Something is to be said of a solver.
    SolverNote(String),
}

/// What is known of the components of the system.
enum Components {
    /// There are none, or no one can tell.
    None,
    NotAsked,
    Asked,
    Told(Arc<Hierarchy>),
}

/// What is known of a property.
#[derive(Clone, Debug)]
pub(crate) enum Status {
    Open,
    Decided,
}

struct State {
    statuses: Vec<Status>,
    /// For each property, how many first steps are known not to decide it.
    clear: Vec<usize>,
    /// For each property, whether someone looks at first steps.
    watched: Vec<bool>,
    stage: Stage,
    /// Proved invariants, in the order of their proofs.
    lemmas: Vec<Lemma>,
    components: Components,
    /// What was said of solvers.
    notes: HashSet<String>,
    /// How many messages were sent, and dealt with.
    sent: usize,
    heard: usize,
}

/// How far the schedule has come.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Stage {
    Prelude,
    /// Engines take turns.
    Turns,
    /// All engines run.
    All,
}

/// Append-only lemmas and the statuses of all properties.
pub(crate) struct Blackboard {
    state: Mutex<State>,
    changed: Condvar,
    stop: Arc<AtomicBool>,
    messages: Mutex<Sender<Message>>,
    /// Whoever sends a message waits until it is dealt with.
    pub lockstep: bool,
    pub ledger: Ledger,
}

impl Blackboard {
    pub fn new(properties: usize, messages: Sender<Message>) -> Blackboard {
        Blackboard {
            state: Mutex::new(State {
                statuses: vec![Status::Open; properties],
                clear: vec![0; properties],
                watched: vec![false; properties],
                stage: Stage::Prelude,
                lemmas: Vec::new(),
                components: Components::None,
                notes: HashSet::new(),
                sent: 0,
                heard: 0,
            }),
            changed: Condvar::new(),
            stop: Arc::default(),
            messages: Mutex::new(messages),
            lockstep: false,
            ledger: Ledger::default(),
        }
    }

    /// A board for the work on a component: it ends with this one.
    pub fn beneath(&self) -> Blackboard {
        // Nobody listens: there are no properties.
        let (sender, _) = channel();
        Blackboard {
            stop: self.stop.clone(),
            ..Blackboard::new(0, sender)
        }
    }

    /// Whoever listens can tell what the components of the system are.
    pub fn expect_components(&self) {
        self.state().components = Components::NotAsked;
    }

    pub fn tell_components(&self, hierarchy: Arc<Hierarchy>) {
        self.state().components = Components::Told(hierarchy);
        self.changed.notify_all();
    }

    /// The components of the system, once someone has told them; nothing if no one
    /// can, or all is over.
    pub fn hierarchy(&self) -> Option<Arc<Hierarchy>> {
        let mut state = self.state();
        if let Components::NotAsked = state.components {
            state.components = Components::Asked;
            state.sent += 1;
            self.post(Message::HierarchyWanted);
        }
        let asked =
            |state: &mut State| matches!(state.components, Components::Asked) && !self.is_over();
        let waited = self.changed.wait_while(state, asked);
        match &waited.unwrap_or_else(|e| e.into_inner()).components {
            Components::Told(hierarchy) => Some(hierarchy.clone()),
            _ => None,
        }
    }

    /// Sends a message and, in lockstep, waits until it is dealt with.
    fn send(&self, message: Message) {
        let mut state = self.state();
        state.sent += 1;
        self.post(message);
        let waits = |state: &mut State| state.heard < state.sent && !self.is_over();
        if self.lockstep {
            drop(self.changed.wait_while(state, waits));
        }
    }

    /// Whoever listens has dealt with so many messages, and waits for more.
    pub fn heard(&self, messages: usize) {
        self.state().heard = messages;
        self.changed.notify_all();
    }

    fn post(&self, message: Message) {
        let sender = self.messages.lock().unwrap_or_else(|e| e.into_inner());
        // Nobody listens any more once the analysis is over.
        let _ = sender.send(message);
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(|e| e.into_inner())
    }

    pub fn is_over(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    pub fn stop(&self) {
        // Under the lock, so that whoever is about to wait sees it.
        let state = self.state();
        self.stop.store(true, Ordering::Relaxed);
        drop(state);
        self.changed.notify_all();
    }

    pub fn is_open(&self, id: PropertyId) -> bool {
        matches!(self.state().statuses[id.0], Status::Open)
    }

    /// Decides a property, if no one else has, and says so.
    pub fn decide(&self, property: PropertyId, engine: Engine, verdict: Verdict) {
        let mut state = self.state();
        if !matches!(state.statuses[property.0], Status::Open) {
            return;
        }
        state.statuses[property.0] = Status::Decided;
        drop(state);
        let finding = Finding {
            property,
            engine,
            verdict,
        };
        self.send(Message::Finding(finding));
        self.changed.notify_all();
    }

    /// Tells a note on a solver, once.
    pub fn tell_note(&self, note: String) {
        if self.state().notes.insert(note.clone()) {
            self.send(Message::SolverNote(note));
        }
    }

    pub fn add_lemma(&self, k: usize, term: Term) {
        self.add_lemmas(k, vec![term]);
    }

    /// Lemmas that are k-inductive together, and may not be one by one.
    pub fn add_lemmas(&self, k: usize, terms: Vec<Term>) {
        let mut state = self.state();
        // When all is over, how far an engine still comes is a matter of chance.
        if !self.is_over() {
            state.lemmas.extend(Lemma::all(k, terms));
        }
        drop(state);
        self.changed.notify_all();
    }

    /// The lemmas from a position on.
    pub fn lemmas_from(&self, from: usize) -> Vec<Lemma> {
        self.state().lemmas[from..].to_vec()
    }

    /// Are there more lemmas than `known`?
    pub fn has_lemmas(&self, known: usize) -> bool {
        self.state().lemmas.len() > known
    }

    /// The first `steps` steps do not decide the property.
    pub fn set_clear(&self, property: PropertyId, steps: usize) {
        let mut state = self.state();
        let known = &mut state.clear[property.0];
        *known = (*known).max(steps);
        drop(state);
        self.changed.notify_all();
    }

    pub fn clear(&self, property: PropertyId) -> usize {
        self.state().clear[property.0]
    }

    pub fn stage(&self) -> Stage {
        self.state().stage
    }

    /// A stage of the schedule begins.
    pub fn reach(&self, stage: Stage) {
        let mut state = self.state();
        state.stage = state.stage.max(stage);
        drop(state);
        self.changed.notify_all();
    }

    /// Waits for a stage; `false` if all is over.
    pub fn wait_for(&self, stage: Stage) -> bool {
        let state = self.state();
        let before = |state: &mut State| state.stage < stage && !self.is_over();
        drop(self.changed.wait_while(state, before));
        !self.is_over()
    }

    /// Waits for a stage, but no longer than this; `false` if all is over.
    pub fn wait_a_little_for(&self, stage: Stage, time: Duration) -> bool {
        let state = self.state();
        let before = |state: &mut State| state.stage < stage && !self.is_over();
        drop(self.changed.wait_timeout_while(state, time, before));
        !self.is_over()
    }

    /// Waits until there are more lemmas than `known`; `false` if whoever waits is `stopped`.
    pub fn wait_lemmas(&self, known: usize, stopped: impl Fn() -> bool) -> bool {
        let mut state = self.state();
        loop {
            if stopped() {
                return false;
            }
            if state.lemmas.len() > known {
                return true;
            }
            // Engines that take turns do not wait for each other.
            if state.stage < Stage::All {
                return false;
            }
            let waited = self.changed.wait_timeout(state, Duration::from_millis(50));
            state = waited.unwrap_or_else(|e| e.into_inner()).0;
        }
    }

    /// Someone looks at the first steps of the properties, or does no more.
    pub fn watch(&self, properties: &[PropertyId], watched: bool) {
        let mut state = self.state();
        for id in properties {
            state.watched[id.0] = watched;
        }
        drop(state);
        self.changed.notify_all();
    }

    /// Waits until the first `steps` steps are clear for all the properties
    /// that someone watches. `false` if one of them was decided meanwhile, or
    /// whoever waits is `stopped`.
    pub fn wait_clear(
        &self,
        properties: &[PropertyId],
        steps: usize,
        stopped: impl Fn() -> bool,
    ) -> bool {
        let mut state = self.state();
        loop {
            let open = |id: &PropertyId| matches!(state.statuses[id.0], Status::Open);
            if stopped() || !properties.iter().all(open) {
                return false;
            }
            // Engines that take turns do not wait for each other.
            let waits = state.stage == Stage::All;
            let is_clear =
                |id: &PropertyId| state.clear[id.0] >= steps || !state.watched[id.0] || !waits;
            if properties.iter().all(is_clear) {
                return true;
            }
            let waited = self.changed.wait_timeout(state, Duration::from_millis(50));
            state = waited.unwrap_or_else(|e| e.into_inner()).0;
        }
    }
}
