//! The rules of a game.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use system::{System, Term, Var, and, eq, substitute};

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
