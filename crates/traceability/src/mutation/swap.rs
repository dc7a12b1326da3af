//! A system in a solver, with the definitions of a few streams to be swapped.
//!
//! The streams in question are left open, all others are inlined. A mutant is a
//! literal under which the open streams have its definitions.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::time::Duration;

use proof::Cone;
use smt::{Answer, Limits, Literal, Scalar, Solver, Z3};
use system::{Inliner, System, Term, Var};

/// The part of a system that matters, with some streams left open.
pub(super) struct Opened<'s> {
    system: &'s Arc<System>,
    inliner: Inliner<'s>,
    cone: Cone,
}

impl<'s> Opened<'s> {
    /// What the roots, and what constrains runs, depend on.
    pub fn new(system: &'s Arc<System>, open: HashSet<Var>, roots: &[Term]) -> Opened<'s> {
        let mut inliner = Inliner::leaving(system, open);
        let read = |term: &Term| inliner.term(term);
        // Other definitions of the open streams are among the roots.
        let cone = Cone::reading(system, roots.iter().cloned(), [], read, |_| Vec::new());
        Opened {
            system,
            inliner,
            cone,
        }
    }

    /// A term of the system without the streams that are not open.
    pub fn inlined(&mut self, term: &Term) -> Term {
        self.inliner.term(term)
    }
}

/// Steps of the system in one solver.
pub(super) struct Frames {
    solver: Z3,
    states: Vec<(Var, Term, Term)>,
    always: Vec<Term>,
    /// By step: what always holds.
    steps: Vec<Literal>,
    terms: HashMap<(u64, usize), Literal>,
    mutant: Option<Swapped>,
}

/// The mutant at hand.
struct Swapped {
    guard: Literal,
    definitions: Vec<Term>,
    /// How many steps have them.
    steps: usize,
}

impl Frames {
    pub fn new(opened: &Opened, from_init: bool) -> Frames {
        let mut solver = Z3::new(opened.system.clone());
        if from_init {
            for term in &opened.cone.init {
                solver.assert(term, 0);
            }
        }
        Frames {
            solver,
            states: opened.cone.states.clone(),
            always: opened.cone.constraints.clone(),
            steps: Vec::new(),
            terms: HashMap::new(),
            mutant: None,
        }
    }

    /// Limits each query.
    pub fn limit(&mut self, time: Option<Duration>, work: u64) {
        self.solver.limit(Limits {
            time,
            resources: Some(u32::try_from(work).unwrap_or(u32::MAX).max(1)),
        });
    }

    /// From now on, the open streams are as these terms say.
    pub fn swap(&mut self, definitions: Vec<Term>) {
        if let Some(old) = self.mutant.take() {
            self.solver.retire(old.guard);
        }
        let guard = self.solver.literal();
        self.mutant = Some(Swapped {
            guard,
            definitions,
            steps: 0,
        });
    }

    fn reach(&mut self, step: usize) {
        while self.steps.len() <= step {
            let now = self.steps.len();
            if now > 0 {
                for (_, current, next) in &self.states {
                    self.solver.assert_next(current, next, now - 1);
                }
            }
            let always = self.solver.literal();
            for term in &self.always {
                self.solver.assert_if(always, term, now);
            }
            self.steps.push(always);
        }
        if let Some(mutant) = &mut self.mutant {
            for now in mutant.steps..=step {
                for term in &mutant.definitions {
                    self.solver.assert_if(mutant.guard, term, now);
                }
            }
            mutant.steps = mutant.steps.max(step + 1);
        }
    }

    fn term(&mut self, term: &Term, step: usize) -> Literal {
        let key = (term.id(), step);
        if let Some(known) = self.terms.get(&key) {
            return *known;
        }
        let literal = self.solver.literal();
        self.solver.assert_if(literal, term, step);
        self.terms.insert(key, literal);
        literal
    }

    /// Is there a path through step `last` on which the terms hold?
    pub fn check(&mut self, last: usize, terms: &[(Term, usize)]) -> Answer {
        self.reach(last);
        let mut asked: Vec<Literal> = self.steps[..=last].to_vec();
        asked.extend(self.mutant.as_ref().map(|mutant| mutant.guard));
        for (term, step) in terms {
            asked.push(self.term(term, *step));
        }
        self.solver.check(&asked)
    }

    pub fn holds(&mut self, term: &Term, step: usize) -> Option<bool> {
        match self.solver.value(term, step) {
            Some(Scalar::Bool(value)) => Some(value),
            _ => None,
        }
    }

    pub fn solver(&mut self) -> &mut Z3 {
        &mut self.solver
    }
}
