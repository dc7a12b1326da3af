//! A system in a solver, with the definitions of a few streams to be swapped.
//!
//! The streams in question are left open, all others are inlined. A mutant is a
//! literal under which the open streams have its definitions.

use std::collections::HashSet;
use std::sync::Arc;
use std::time::Duration;

use proof::{AtStep, Cone, Guarded, Paths, Refutation};
use smt::{Answer, Limits, Literal, Solver, SolverContext, Z3};
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

/// Steps of the system in one solver, with the mutant at hand.
pub(super) struct Frames {
    steps: Guarded,
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
    pub fn new(context: &SolverContext, opened: &Opened, from_init: bool) -> Frames {
        let (system, cone) = (opened.system.clone(), opened.cone.clone());
        Frames {
            steps: Guarded::new(context, system, cone, from_init),
            mutant: None,
        }
    }

    /// Limits each query.
    pub fn limit(&mut self, time: Option<Duration>, work: u64) {
        self.steps.solver.limit(Limits {
            time,
            resources: Some(u32::try_from(work).unwrap_or(u32::MAX).max(1)),
            ..Limits::default()
        });
    }

    /// From now on, the open streams are as these terms say.
    pub fn swap(&mut self, definitions: Vec<Term>) {
        if let Some(old) = self.mutant.take() {
            self.steps.solver.retire(old.guard);
        }
        let guard = self.steps.solver.literal();
        self.mutant = Some(Swapped {
            guard,
            definitions,
            steps: 0,
        });
    }

    fn reach(&mut self, step: usize) {
        while self.steps.steps().len() <= step {
            self.steps.extend();
        }
        if let Some(mutant) = &mut self.mutant {
            for now in mutant.steps..=step {
                for term in &mutant.definitions {
                    self.steps.solver.assert_if(mutant.guard, term, now);
                }
            }
            mutant.steps = mutant.steps.max(step + 1);
        }
    }

    /// Is there a path through step `last` on which the terms hold?
    pub fn check(&mut self, last: usize, terms: &[AtStep]) -> Answer {
        self.reach(last);
        let mut asked: Vec<Literal> = self.steps.steps()[..=last].to_vec();
        asked.extend(self.mutant.as_ref().map(|mutant| mutant.guard));
        asked.extend(terms.iter().map(|at| self.steps.literal(at)));
        self.solver().check(&asked)
    }

    pub fn solver(&mut self) -> &mut Z3 {
        &mut self.steps.solver
    }
}

impl Paths for Frames {
    fn refute(&mut self, candidates: &[Term], first: usize, step: usize) -> Refutation<Term> {
        let answer = self.check(step, &AtStep::some_fails(candidates, first, step));
        Refutation::of(&answer, candidates, |term| self.solver().holds(term, step))
    }
}
