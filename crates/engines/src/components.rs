//! Parts of a system that are systems themselves, and where they occur.
//!
//! A component occurs any number of times in a system and in other components. An
//! occurrence says what the component's variables are there, and when what holds
//! of the component by itself can be expected of it: on its ticks, if it speaks
//! of a whole step, and while it is used as it assumes to be. Nobody relies on
//! that: what is said of an occurrence is a candidate until it is proved.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};

use proof::{Lemma, Lemmas};
use system::{Kind, Role, System, Term, Var, implies, substitute};

/// The components of a system; those that occur in others come first.
#[derive(Default)]
pub struct Hierarchy {
    pub components: Vec<Component>,
    /// Where they are in the whole.
    pub occurrences: Vec<Occurrence>,
}

pub struct Component {
    pub system: Arc<System>,
    /// What those who use it see of it.
    pub roots: Vec<Term>,
    /// Other components in this one.
    pub occurrences: Vec<Occurrence>,
    /// Nothing as long as no one has looked for long enough.
    found: OnceLock<Found>,
}

/// What is known of a component.
#[derive(Default)]
pub struct Found {
    /// Invariants; those with the same k are inductive together.
    pub lemmas: Vec<Lemma>,
    /// Terms that candidates are made of.
    pub terms: Vec<Term>,
}

impl Component {
    pub fn new(system: Arc<System>, roots: Vec<Term>, occurrences: Vec<Occurrence>) -> Component {
        Component {
            system,
            roots,
            occurrences,
            found: OnceLock::new(),
        }
    }

    /// One of which invariants are known.
    pub fn known(lemmas: &Lemmas) -> Component {
        let system = lemmas.system().clone();
        let lemmas = lemmas.about(&system);
        let component = Component::new(system, Vec::new(), Vec::new());
        component.learn(Found {
            lemmas,
            terms: Vec::new(),
        });
        component
    }

    pub fn found(&self) -> Option<&Found> {
        self.found.get()
    }

    /// Takes note of what a search has found; the first one counts.
    pub(crate) fn learn(&self, found: Found) {
        self.found.get_or_init(|| found);
    }
}

/// The variables of a component in terms of the system it is in.
pub struct Occurrence {
    /// Which component.
    pub component: usize,
    /// Between two steps: its state, and constants.
    pub state: HashMap<Term, Term>,
    /// During a step.
    pub step: HashMap<Term, Term>,
    /// It has been used as it assumes to be until now.
    pub kept: Term,
    /// It runs at this step, and is used as it assumes to be.
    pub active: Term,
    /// What it assumes, where that is owed.
    pub assumed: Vec<Term>,
    tried: AtomicBool,
}

impl Occurrence {
    pub fn new(component: usize) -> Occurrence {
        Occurrence {
            component,
            state: HashMap::new(),
            step: HashMap::new(),
            kept: system::boolean(true),
            active: system::boolean(true),
            assumed: Vec::new(),
            tried: AtomicBool::new(false),
        }
    }

    /// Have the component's invariants been tried here?
    pub(crate) fn is_tried(&self) -> bool {
        self.tried.load(Ordering::Relaxed)
    }

    pub(crate) fn set_tried(&self) {
        self.tried.store(true, Ordering::Relaxed);
    }

    /// An invariant of the component's system, said of this occurrence; nothing if
    /// it speaks of what is not there, or says nothing.
    pub(crate) fn invariant(&self, own: &System, term: &Term) -> Option<Term> {
        let of_state = |term: &Term| {
            let mut roles = term.vars().into_iter().map(|var| own.var(var).role);
            roles.all(|role| matches!(role, Role::State | Role::Constant))
        };
        let (map, when) = match of_state(term) {
            true => (&self.state, &self.kept),
            false => (&self.step, &self.active),
        };
        let said = implies(when, &instantiate(own, term, map)?);
        (!matches!(said.kind(), Kind::Bool(_))).then_some(said)
    }

    /// What the component's state consists of here, in an order that all occurrences
    /// share, and what tells whether it has started.
    pub(crate) fn state_vars(&self, own: &System) -> Vec<Var> {
        let mut found = Vec::new();
        for (var, declared) in own.state_vars() {
            let here = self.state.get(&system::var(var, declared.sort.clone()));
            for var in here.map(Term::vars).unwrap_or_default() {
                if !found.contains(&var) {
                    found.push(var);
                }
            }
        }
        found
    }

    /// A term over the component's state, said of this occurrence.
    pub(crate) fn term(&self, own: &System, term: &Term) -> Option<Term> {
        instantiate(own, term, &self.state)
    }
}

fn instantiate(own: &System, term: &Term, map: &HashMap<Term, Term>) -> Option<Term> {
    let vars = term.vars().into_iter();
    let mut vars = vars.map(|var| system::var(var, own.var(var).sort.clone()));
    vars.all(|var| map.contains_key(&var))
        .then(|| substitute(term, map))
}
