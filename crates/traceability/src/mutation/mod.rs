//! Mutants: which of them do the properties notice?
//!
//! *Specification Quality Metrics Based on Mutation and Inductive Incremental Model
//! Checking*, Algorithm 1. A mutant is a system in which some streams have other
//! definitions. Mutants of the same streams are a group: they share two solvers, in
//! which the rest of the system is asserted once (`swap.rs`), and what is learnt of
//! one mutant is tried on the next (`trial.rs`). Groups are settled in parallel.
//!
//! Mutants take turns (`turn.rs`): each gets a little work at first, so that what is cheap
//! is known soon, whatever the others need. What is left goes to all engines, with budgets
//! that grow. Where a mutant has few states they are computed one by one before anything
//! is asked of a solver.

mod course;
mod mutant;
mod swap;
mod trial;
mod turn;

use std::collections::{BTreeMap, HashSet};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::{Duration, Instant};

use engines::{Observation, Run, Settings};
use proof::influence;
use smt::{Interrupter, SolverContext};
use system::{PropertyId, System, Term, Var};

use course::Course;
use trial::Trial;
use turn::{Turn, turns};

/// Other definitions for some streams of a system.
#[derive(Clone, Debug)]
pub struct Mutation {
    /// A stream without a definition has any value that its type allows.
    pub definitions: Vec<(Var, Option<Term>)>,
}

/// What a mutant does to a property.
#[derive(Clone, Debug)]
pub enum Effect {
    Holds,
    /// The last step of the run violates the property.
    Broken(Run),
    Unknown,
}

/// How a mutant was settled.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Means {
    /// It is the original.
    Same,
    /// All its states.
    States,
    /// The inputs of a run that an earlier mutant was killed by.
    KnownRun,
    /// Runs and induction as deep as the original proof.
    Induction,
    /// Longer runs.
    LongRun,
    Engines,
    /// Not at all.
    None,
}

/// What became of a mutant.
#[derive(Clone, Debug)]
pub struct Settled {
    /// Its position.
    pub mutation: usize,
    /// The definitions simplify to those of the original.
    pub is_equivalent: bool,
    /// Nothing more will be tried.
    pub is_final: bool,
    /// By property that was asked for.
    pub effects: Vec<Effect>,
    pub means: Means,
    pub elapsed: Duration,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Verdict {
    Killed,
    Survived,
    Unknown,
}

impl Settled {
    pub fn verdict(&self) -> Verdict {
        let is = |what: fn(&Effect) -> bool| self.effects.iter().any(what);
        if is(|effect| matches!(effect, Effect::Broken(_))) {
            return Verdict::Killed;
        }
        match is(|effect| matches!(effect, Effect::Unknown)) {
            true => Verdict::Unknown,
            false => Verdict::Survived,
        }
    }
}

/// The original, and what is known of it.
pub struct Original {
    /// The system with all its streams.
    pub tagged: Arc<System>,
    /// Invariants of the original that mutants are judged by.
    pub properties: Vec<PropertyId>,
    /// The depth of the proof.
    pub k: usize,
    /// What the proof rests on, and what else was found on the way.
    pub invariants: Vec<Term>,
    /// What makes up a run, as terms of the tagged system.
    pub observed: Vec<Observation>,
}

#[derive(Clone, Debug)]
pub struct SettleOptions {
    /// How deep to look for a run that kills what induction does not decide.
    pub k_kill: usize,
    /// For the last turn of a mutant.
    pub budget: Duration,
    pub settings: Settings,
}

/// Settles mutants and tells of each, in no particular order; of one that is not decided
/// at once, whenever more is known. Those that nobody has looked at when time is up are not
/// told of.
pub fn settle(
    original: &Original,
    mutations: &[Mutation],
    options: &SettleOptions,
    tell: &mut dyn FnMut(Settled),
) {
    let shared = Shared {
        original,
        mutations,
        options,
        reached: reached(original),
        explorable: explorable(original),
        known: Mutex::default(),
        interrupters: Mutex::default(),
    };
    let mut open: BTreeMap<usize, Course> = (0..mutations.len())
        .map(|at| (at, Course::default()))
        .collect();
    for turn in turns(options.budget) {
        let groups = groups(mutations, open.keys().copied());
        let before = std::mem::take(&mut open);
        open = before.clone();
        shared.all(&groups, &before, &turn, &mut |mutation, course| {
            let known = before.get(&mutation).map_or(0, Course::decided);
            let is_final = course.is_decided() || turn.is_last;
            if is_final || course.decided() > known {
                tell(course.settled(mutation, is_final));
            }
            match is_final {
                true => open.remove(&mutation),
                false => open.insert(mutation, course),
            };
        });
        if open.is_empty() || shared.is_late() {
            return;
        }
    }
}

/// Mutants of the same streams, largest groups first.
fn groups(mutations: &[Mutation], which: impl Iterator<Item = usize>) -> Vec<Vec<usize>> {
    let mut groups: BTreeMap<Vec<Var>, Vec<usize>> = BTreeMap::new();
    for at in which {
        groups.entry(streams(&mutations[at])).or_default().push(at);
    }
    let mut groups: Vec<Vec<usize>> = groups.into_values().collect();
    groups.sort_by_key(|group| (std::cmp::Reverse(group.len()), group[0]));
    groups
}

fn streams(mutation: &Mutation) -> Vec<Var> {
    let mut streams: Vec<Var> = mutation.definitions.iter().map(|(var, _)| *var).collect();
    streams.sort();
    streams
}

/// What all groups have in common.
struct Shared<'s> {
    original: &'s Original,
    mutations: &'s [Mutation],
    options: &'s SettleOptions,
    /// By property: the variables that it depends on.
    reached: Vec<HashSet<Var>>,
    /// Are the states of the original few, and so perhaps those of mutants?
    explorable: bool,
    /// The inputs of runs that have killed mutants, step by step, latest last.
    known: Mutex<Vec<Known>>,
    /// Of the threads at work.
    interrupters: Mutex<Vec<Interrupter>>,
}

type Known = Arc<[Term]>;

/// More runs are not tried on a mutant.
const KNOWN_RUNS: usize = 4;

/// Terms can be deep.
const STACK_SIZE: usize = 64 << 20;

/// How often it is looked whether time is up.
const LOOK: Duration = Duration::from_millis(20);

impl Shared<'_> {
    /// Works on groups in parallel, with what is known of their mutants.
    fn all(
        &self,
        groups: &[Vec<usize>],
        before: &BTreeMap<usize, Course>,
        turn: &Turn,
        tell: &mut dyn FnMut(usize, Course),
    ) {
        let next = AtomicUsize::new(0);
        let (sender, results) = channel();
        std::thread::scope(|scope| {
            for _ in 0..self.options.settings.threads.clamp(1, groups.len().max(1)) {
                let (next, sender) = (&next, sender.clone());
                let worker = std::thread::Builder::new().stack_size(STACK_SIZE);
                let started = worker.spawn_scoped(scope, move || {
                    let context = SolverContext::default();
                    context.interruptible(|interrupter| {
                        locked(&self.interrupters).push(interrupter);
                        while let Some(group) = groups.get(next.fetch_add(1, Ordering::Relaxed)) {
                            self.group(&context, group, before, turn, &sender);
                        }
                    });
                });
                if started.is_err() {
                    break;
                }
            }
            drop(sender);
            loop {
                match results.recv_timeout(LOOK) {
                    Ok((mutation, course)) => tell(mutation, course),
                    Err(RecvTimeoutError::Disconnected) => return,
                    Err(RecvTimeoutError::Timeout) => {}
                }
                if self.is_late() {
                    let all = locked(&self.interrupters);
                    all.iter().for_each(Interrupter::interrupt);
                }
            }
        });
        locked(&self.interrupters).clear();
    }

    fn group(
        &self,
        context: &SolverContext,
        group: &[usize],
        before: &BTreeMap<usize, Course>,
        turn: &Turn,
        sender: &Sender<(usize, Course)>,
    ) {
        if self.is_late() {
            return;
        }
        let mut trial = Trial::new(self, context, &self.mutations[group[0]], group);
        for mutation in group {
            let start = Instant::now();
            let mut course = before[mutation].clone();
            trial.advance(*mutation, &mut course, turn);
            course.elapsed += start.elapsed();
            // What an interrupted solver says is not believed.
            if self.is_late() || sender.send((*mutation, course)).is_err() {
                return;
            }
        }
    }

    fn known(&self) -> Vec<Known> {
        locked(&self.known).iter().rev().cloned().collect()
    }

    fn remember(&self, run: Known) {
        let mut known = locked(&self.known);
        if !known.contains(&run) {
            if known.len() == KNOWN_RUNS {
                known.remove(0);
            }
            known.push(run);
        }
    }

    fn is_late(&self) -> bool {
        let settings = &self.options.settings;
        let over = |at| Instant::now() >= at;
        settings.deadline.is_some_and(over) || settings.interrupted.load(Ordering::Relaxed)
    }
}

fn locked<T>(shared: &Mutex<T>) -> MutexGuard<'_, T> {
    shared
        .lock()
        .unwrap_or_else(|poisoned| poisoned.into_inner())
}

/// To compute the states of a larger system is not worth it.
const MAX_VARS: usize = 400;

fn explorable(original: &Original) -> bool {
    let system = &original.tagged;
    system.vars.len() <= MAX_VARS && engines::is_explorable(&system.reduced())
}

/// What each property depends on: on constraints too, since they decide which runs
/// there are.
fn reached(original: &Original) -> Vec<HashSet<Var>> {
    let system = &original.tagged;
    let constraints = system.constraints.iter().filter(|c| c.element.is_some());
    let constrained: Vec<Var> = constraints.flat_map(|c| c.term.vars()).collect();
    let depends_on = |var: Var| {
        let declared = system.var(var);
        let definition = declared.def.iter().map(|def| &def.term);
        let parts = definition.chain(&declared.next);
        parts.flat_map(Term::vars).collect()
    };
    let of = |id: &PropertyId| {
        let own = system.property(*id).term.vars().into_iter();
        let roots = own.chain(constrained.iter().copied()).collect();
        influence(roots, std::iter::empty(), depends_on)
    };
    original.properties.iter().map(of).collect()
}
