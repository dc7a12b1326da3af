//! Why a game is won, and the check of it.
//!
//! The checks are queries without quantifiers in a solver that has seen nothing of the search.

use std::collections::HashMap;

use smt::{Answer, AnySolver, Solver, SolverContext};
use system::{Term, and, boolean, not, or, substitute};

use crate::arena::Arena;
use crate::fixpoint::Start;

/// Outputs for every allowed input, for ever.
#[derive(Clone, Debug)]
pub struct Realization {
    /// States in which the component does not end up; all others are viable.
    pub avoided: Vec<Term>,
    /// For every viable state and allowed input one of these keeps the guarantees and leads to
    /// a viable state.
    pub replies: Vec<Reply>,
}

/// Terms for the outputs, over memory, constants and inputs.
#[derive(Clone, Debug)]
pub struct Reply {
    pub outputs: Vec<Term>,
}

/// Inputs that beat all outputs.
#[derive(Clone, Debug)]
pub struct Refutation {
    /// From the states of each, the component is stuck or led to the states of one before. An
    /// initial state is among those of the last.
    pub lost: Vec<Lost>,
}

/// States from which the environment wins.
#[derive(Clone, Debug)]
pub struct Lost {
    pub states: Term,
    /// What it plays there: terms over memory and constants.
    pub inputs: Vec<Term>,
    /// The component is stuck after at most so many steps, this one included.
    pub steps: usize,
}

/// Terms for variables, as a substitution.
pub(crate) fn assigned(vars: &[Term], terms: &[Term]) -> HashMap<Term, Term> {
    vars.iter().cloned().zip(terms.iter().cloned()).collect()
}

impl Realization {
    /// The viable states.
    pub fn viable(&self) -> Term {
        and(self.avoided.iter().map(not))
    }

    /// Where a reply keeps the guarantees and leads to a viable state.
    pub fn region(&self, arena: &Arena, reply: &Reply) -> Term {
        let next = substitute(&self.viable(), &arena.next());
        let good = and([arena.guaranteed(), next]);
        substitute(&good, &assigned(&arena.outputs, &reply.outputs))
    }

    fn begins(&self, context: &SolverContext, arena: &Arena, start: Start) -> bool {
        let viable = self.viable();
        let mut first = AnySolver::new(context, arena.system.clone());
        first.assert(&arena.initial(), 0);
        match start {
            Start::Environment => {
                first.assert(&not(&viable), 0);
                first.check(&[]) == Answer::Unsat
            }
            Start::Component => {
                first.assert(&viable, 0);
                first.check(&[]) == Answer::Sat
            }
        }
    }

    /// Are the initial states viable, and does every step from a viable state have a reply?
    pub fn holds_up(&self, context: &SolverContext, arena: &Arena, start: Start) -> bool {
        let viable = self.viable();
        // Where nothing is lost, all initial states are viable; there is one unless the
        // component has to pick it.
        let all = viable == boolean(true) && start == Start::Environment;
        if !all && !self.begins(context, arena, start) {
            return false;
        }
        let mut step = AnySolver::new(context, arena.system.clone());
        step.assert(&viable, 0);
        step.assert(&arena.assumed(), 0);
        for reply in &self.replies {
            step.assert(&not(&self.region(arena, reply)), 0);
        }
        step.check(&[]) == Answer::Unsat
    }
}

impl Refutation {
    /// Are initial states lost, and does every step lead from lost states to earlier ones?
    pub fn holds_up(&self, context: &SolverContext, arena: &Arena, start: Start) -> bool {
        let Some(last) = self.lost.last() else {
            return false;
        };
        let mut first = AnySolver::new(context, arena.system.clone());
        first.assert(&arena.initial(), 0);
        let begins = match start {
            Start::Environment => {
                first.assert(&last.states, 0);
                first.check(&[]) == Answer::Sat
            }
            Start::Component => {
                let lost = self.lost.iter();
                lost.for_each(|lost| first.assert(&not(&lost.states), 0));
                first.check(&[]) == Answer::Unsat
            }
        };
        if !begins {
            return false;
        }
        let next = arena.next();
        (0..self.lost.len()).all(|at| {
            let lost = &self.lost[at];
            let before = self.lost[..at].iter();
            let before = before.filter(|one| one.steps < lost.steps);
            let before = or(before.map(|one| substitute(&one.states, &next)));
            let played = assigned(&arena.inputs, &lost.inputs);
            let escape = or([
                not(&substitute(&arena.assumed(), &played)),
                and([
                    substitute(&arena.guaranteed(), &played),
                    not(&substitute(&before, &played)),
                ]),
            ]);
            let mut step = AnySolver::new(context, arena.system.clone());
            step.assert(&lost.states, 0);
            step.assert(&escape, 0);
            step.check(&[]) == Answer::Unsat
        })
    }

    /// Keeps what the initial states need, and counts the steps.
    pub(crate) fn trimmed(
        mut self,
        context: &SolverContext,
        arena: &Arena,
        start: Start,
    ) -> Refutation {
        let next = arena.next();
        let count = self.lost.len();
        let mut needed = vec![start == Start::Component; count];
        needed[count - 1] = true;
        let mut leads_to: Vec<Vec<usize>> = vec![Vec::new(); count];
        for at in (0..count).rev() {
            if !needed[at] {
                continue;
            }
            let played = assigned(&arena.inputs, &self.lost[at].inputs);
            let mut solver = AnySolver::new(context, arena.system.clone());
            solver.assert(&self.lost[at].states, 0);
            solver.assert(&substitute(&arena.guaranteed(), &played), 0);
            let mut guards = Vec::new();
            for before in (0..at).rev() {
                let reached = substitute(&self.lost[before].states, &next);
                let guard = solver.literal();
                solver.assert_if(guard, &not(&substitute(&reached, &played)), 0);
                guards.push((guard, before));
            }
            let all: Vec<_> = guards.iter().map(|(guard, _)| *guard).collect();
            let core = match solver.check(&all) {
                Answer::Unsat => solver.core(),
                _ => all,
            };
            let into = guards.iter().filter(|(guard, _)| core.contains(guard));
            leads_to[at] = into.map(|(_, before)| *before).collect();
            for before in &leads_to[at] {
                needed[*before] = true;
            }
        }
        for (at, into) in leads_to.iter().enumerate() {
            let into = into.iter().map(|before| self.lost[*before].steps);
            self.lost[at].steps = 1 + into.max().unwrap_or(0);
        }
        let mut kept = needed.iter();
        self.lost.retain(|_| kept.next().copied().unwrap_or(true));
        self
    }
}
