//! The rules of a game.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use system::{Role, Sort, StateVar, System, Term, Var, and, boolean, eq, ite, substitute};

/// Who picks what, and what they have to keep to. All terms are over the variables of a
/// transition system without streams. A constant of the system is like an input that the
/// environment picks once; so is a memory without a first value, at the first step.
#[derive(Clone)]
pub struct Arena {
    pub system: Arc<System>,
    pub memory: Vec<Memory>,
    /// The variables that the environment picks at each step, before the component.
    pub inputs: Vec<Term>,
    /// The variables that the component picks at each step.
    pub outputs: Vec<Term>,
    /// About memory, constants and inputs.
    pub assumptions: Vec<Term>,
    /// About all variables.
    pub guarantees: Vec<Term>,
}

/// A state variable.
#[derive(Clone)]
pub struct Memory {
    pub var: Term,
    /// The value at the first step; the environment picks one if there is none.
    pub init: Option<Term>,
    /// The value at the next step.
    pub next: Term,
}

impl Arena {
    /// The memory at the first step.
    pub fn initial(&self) -> Term {
        let known = self.memory.iter();
        and(known.filter_map(|memory| Some(eq(&memory.var, memory.init.as_ref()?))))
    }

    /// The memory at the next step, in terms of this one.
    pub fn next(&self) -> HashMap<Term, Term> {
        let memory = self.memory.iter();
        memory
            .map(|memory| (memory.var.clone(), memory.next.clone()))
            .collect()
    }

    pub fn assumed(&self) -> Term {
        and(self.assumptions.iter().cloned())
    }

    pub fn guaranteed(&self) -> Term {
        and(self.guarantees.iter().cloned())
    }

    /// The game of the environment against all components: it picks inputs that keep the
    /// assumptions, whatever the outputs are, within `facts`.
    ///
    /// The outputs of a step are picked before the inputs of the next one, so a step of this game
    /// is the end of one step and the beginning of another: it remembers the state and the inputs
    /// of the step before, from which outputs lead to the present state.
    pub fn swapped(&self, facts: &[Term]) -> Arena {
        let mut system = (*self.system).clone();
        let mut remember = |name: &str, sort: &Sort| {
            let var = Var(system.vars.len() as u32);
            let state = StateVar::new(name, sort.clone(), Role::State);
            system.vars.push(state);
            system::var(var, sort.clone())
        };
        let first = remember("first turn", &Sort::Bool);
        let before: HashMap<Term, Term> = self
            .inputs
            .iter()
            .map(|input| (input.clone(), remember("input before", input.sort())))
            .collect();
        let present = self.memory.iter().map(|memory| {
            let begin = memory.init.as_ref().unwrap_or(&memory.var);
            let later = substitute(&memory.next, &before);
            (memory.var.clone(), ite(&first, begin, &later))
        });
        let present: HashMap<Term, Term> = present.collect();
        let at_present = |terms: &[Term]| -> Vec<Term> {
            let terms = terms.iter();
            terms.map(|term| substitute(term, &present)).collect()
        };
        let free = |var: &Term, next: &Term| Memory {
            var: var.clone(),
            init: None,
            next: next.clone(),
        };
        let mut memory = vec![Memory {
            init: Some(boolean(true)),
            ..free(&first, &boolean(false))
        }];
        let states = self.memory.iter().map(|memory| &memory.var);
        memory.extend(states.map(|var| free(var, &present[var])));
        memory.extend(self.inputs.iter().map(|input| free(&before[input], input)));
        Arena {
            system: Arc::new(system),
            memory,
            inputs: self.outputs.clone(),
            outputs: self.inputs.clone(),
            assumptions: at_present(facts),
            guarantees: at_present(&self.assumptions),
        }
        .sliced()
    }

    /// The game in which the environment helps: the component picks everything.
    pub fn together(&self) -> Arena {
        let inputs = self.inputs.iter();
        let guarantees = self.assumptions.iter().chain(&self.guarantees);
        Arena {
            inputs: Vec::new(),
            outputs: inputs.chain(&self.outputs).cloned().collect(),
            assumptions: Vec::new(),
            guarantees: guarantees.cloned().collect(),
            ..self.clone()
        }
    }

    /// The same game with terms in the place of variables; nobody picks these any more.
    pub fn with(&self, map: &HashMap<Term, Term>) -> Arena {
        let replaced = |terms: &[Term]| {
            let terms = terms.iter();
            terms.map(|term| substitute(term, map)).collect()
        };
        let left = |vars: &[Term]| {
            let vars = vars.iter().filter(|var| !map.contains_key(*var));
            vars.cloned().collect()
        };
        let memory = self.memory.iter().map(|memory| Memory {
            var: memory.var.clone(),
            init: memory.init.clone(),
            next: substitute(&memory.next, map),
        });
        Arena {
            system: self.system.clone(),
            memory: memory.collect(),
            inputs: left(&self.inputs),
            outputs: left(&self.outputs),
            assumptions: replaced(&self.assumptions),
            guarantees: replaced(&self.guarantees),
        }
    }

    /// Without the memory that neither assumptions nor guarantees depend on.
    pub fn sliced(mut self) -> Arena {
        let mut needed: HashSet<Var> = HashSet::new();
        let roots = self.assumptions.iter().chain(&self.guarantees);
        let mut open: Vec<Var> = roots.flat_map(Term::vars).collect();
        let next: HashMap<Var, &Memory> = self
            .memory
            .iter()
            .flat_map(|memory| memory.var.vars().into_iter().map(move |var| (var, memory)))
            .collect();
        while let Some(var) = open.pop() {
            if needed.insert(var)
                && let Some(memory) = next.get(&var)
            {
                open.extend(memory.next.vars());
                open.extend(memory.init.iter().flat_map(Term::vars));
            }
        }
        let keep = |var: &Term| var.vars().iter().all(|var| needed.contains(var));
        self.memory.retain(|memory| keep(&memory.var));
        self.inputs.retain(keep);
        self.outputs.retain(keep);
        self
    }
}
