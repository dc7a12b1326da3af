//! k-induction on all candidates of a template at once.
//!
//! Base: a run of less than k steps that refutes candidates is a state the
//! template has to hold on. Step: so is, for a copy of the template, the end of
//! a path on which all candidates held for k steps. Either weakens the template
//! to the next weaker relations; when the solver finds no more, what is left of
//! the copy is k-inductive, all of it together.

use std::collections::HashSet;
use std::sync::Arc;

use proof::{Cone, GaveUp, Lemma, Paths, Refutation, Unrolling, hold_at_first, largest};
use smt::{Answer, Limits, Solver};
use system::{System, Term, Var, not, or};

use super::eval::State;
use super::simulate::Simulation;
use super::template::Template;
use crate::job_board::JobBoard;

/// States with one predecessor that a model of the step gives rise to.
const SIBLINGS: usize = 8;

pub(crate) struct LockStep<'a> {
    board: &'a JobBoard,
    base: Unrolling,
    step: Unrolling,
    /// One step of any state: what holds there needs no telling.
    alone: Unrolling,
    /// The lemmas of all engines so far.
    lemmas: usize,
    /// What was proved: it holds in all models to come.
    known: HashSet<Term>,
    /// Those that matter, by their numbers.
    vars: Vec<Option<Term>>,
}

impl<'a> LockStep<'a> {
    pub fn new(
        system: &'a Arc<System>,
        board: &'a JobBoard,
        roots: &[Term],
        resources: u32,
    ) -> LockStep<'a> {
        let cone = || Cone::of(system, roots.iter().cloned());
        let mut base = Unrolling::new(&board.context, system, cone(), true);
        let mut step = Unrolling::new(&board.context, system, cone(), false);
        let mut alone = Unrolling::new(&board.context, system, cone(), false);
        for unrolling in [&mut base, &mut step, &mut alone] {
            unrolling.solver.limit(Limits {
                resources: Some(resources),
                ..Limits::default()
            });
        }
        let vars = states_of(system, &step.cone);
        LockStep {
            board,
            base,
            step,
            alone,
            lemmas: 0,
            known: HashSet::new(),
            vars,
        }
    }

    /// From here on candidates are to be k-inductive.
    pub fn deepen(&mut self, k: usize) {
        while self.step.last() < k {
            self.step.extend();
            let known = self.board.lemmas_from(0);
            for lemma in known.iter().take(self.lemmas) {
                let last = self.step.last();
                self.step.solver.assert(&lemma.term, last);
            }
        }
        while self.base.last() + 1 < k {
            self.base.extend();
        }
    }

    fn k(&self) -> usize {
        self.step.last()
    }

    /// What others have proved holds at every step.
    fn read_lemmas(&mut self) {
        for Lemma { term, .. } in self.board.lemmas_from(self.lemmas) {
            for step in 0..=self.step.last() {
                self.step.solver.assert(&term, step);
            }
            self.alone.solver.assert(&term, 0);
            self.lemmas += 1;
        }
    }

    /// Weakens the template to what holds in the first k steps.
    pub fn refine_base(&mut self, template: &mut Template) -> Result<(), GaveUp> {
        for step in 0..=self.base.last() {
            while let Some(states) = self.refuted(template, step)? {
                states.iter().for_each(|state| template.observe(state));
            }
        }
        Ok(())
    }

    fn refuted(&mut self, template: &Template, step: usize) -> Result<Option<Vec<State>>, GaveUp> {
        let fails = or(self.open_candidates(template).iter().map(not));
        self.base.solver.push();
        self.base.solver.assert(&fails, step);
        let answer = self.base.solver.check(&[]);
        let states = match answer {
            Answer::Sat => Some(
                (0..=step)
                    .map(|at| state(&mut self.base, &self.vars, at))
                    .collect(),
            ),
            _ => None,
        };
        self.base.solver.pop();
        self.checked(answer)?;
        Ok(states)
    }

    fn checked(&self, answer: Answer) -> Result<(), GaveUp> {
        match answer {
            Answer::Unknown(_) => Err(GaveUp),
            _ if self.board.stopped() => Err(GaveUp),
            _ => Ok(()),
        }
    }

    /// The candidates that are k-inductive together, on top of the lemmas.
    pub fn inductive(
        &mut self,
        template: &Template,
        mut simulation: Option<&mut Simulation>,
        two_state: bool,
    ) -> Result<Vec<Term>, GaveUp> {
        self.read_lemmas();
        let mut template = template.frozen();
        // Reading a model costs: only what the template needs, if nothing else
        // does.
        let all = self.vars.clone();
        let vars = match simulation {
            Some(_) => all,
            None => template.needed(all),
        };
        loop {
            let candidates = self.open_candidates(&template);
            if candidates.is_empty() {
                return Ok(candidates);
            }
            let Some((before, after)) = self.step_fails(&candidates, &vars)? else {
                return Ok(candidates);
            };
            template.observe(&after);
            for _ in 0..SIBLINGS {
                // Candidates of two states speak of the inputs, too.
                let sibling = simulation
                    .as_mut()
                    .and_then(|simulation| simulation.successor(&before, two_state));
                sibling.iter().for_each(|state| template.observe(state));
            }
            if self.open_candidates(&template) == candidates {
                // The model has no exact values.
                return Err(GaveUp);
            }
        }
    }

    /// Those of the terms that are k-inductive together, on top of the lemmas.
    pub fn largest_inductive(&mut self, terms: &[Term]) -> Result<Vec<Term>, GaveUp> {
        self.read_lemmas();
        let unknown = terms.iter().filter(|term| !self.known.contains(*term));
        let mut terms: Vec<Term> = unknown.cloned().collect();
        let k = self.k();
        hold_at_first(&mut self.base, &mut terms, k)?;
        let (board, step) = (self.board, &mut self.step);
        largest(&mut terms, |left| match board.stopped() {
            true => Refutation::Unknown,
            false => step.refute(left, k, k),
        })?;
        self.know(&terms);
        Ok(terms)
    }

    fn open_candidates(&self, template: &Template) -> Vec<Term> {
        let mut candidates = template.candidates();
        candidates.retain(|term| !self.known.contains(term));
        candidates
    }

    /// These are proved and shared, or follow from what is.
    pub fn know(&mut self, terms: &[Term]) {
        self.known.extend(terms.iter().cloned());
    }

    /// The last two states of a path on which the candidates hold until then.
    fn step_fails(
        &mut self,
        candidates: &[Term],
        vars: &[Option<Term>],
    ) -> Result<Option<(State, State)>, GaveUp> {
        let k = self.k();
        self.step.solver.push();
        for step in 0..k {
            for term in candidates {
                self.step.solver.assert(term, step);
            }
        }
        let fails = or(candidates.iter().map(not));
        self.step.solver.assert(&fails, k);
        let answer = self.step.solver.check(&[]);
        let states = match answer {
            Answer::Sat => {
                let before = state(&mut self.step, vars, k - 1);
                Some((before, state(&mut self.step, vars, k)))
            }
            _ => None,
        };
        self.step.solver.pop();
        self.checked(answer)?;
        Ok(states)
    }

    /// Without what follows from the rest, lemmas and the definitions.
    pub fn prune(&mut self, candidates: Vec<Term>) -> Result<Vec<Term>, GaveUp> {
        let mut kept = Vec::new();
        self.alone.solver.push();
        for term in candidates {
            if self.board.stopped() {
                return Err(GaveUp);
            }
            self.alone.solver.push();
            self.alone.solver.assert(&not(&term), 0);
            let answer = self.alone.solver.check(&[]);
            self.alone.solver.pop();
            if answer != Answer::Unsat {
                self.alone.solver.assert(&term, 0);
                kept.push(term);
            }
        }
        self.alone.solver.pop();
        Ok(kept)
    }

    /// No run violates the terms in its first k steps.
    pub fn base_holds(&mut self, terms: &[Term]) -> Result<bool, GaveUp> {
        let fails = or(terms.iter().map(not));
        for step in 0..self.k() {
            self.base.solver.push();
            self.base.solver.assert(&fails, step);
            let answer = self.base.solver.check(&[]);
            self.base.solver.pop();
            self.checked(answer.clone())?;
            if answer == Answer::Sat {
                return Ok(false);
            }
        }
        Ok(true)
    }
}

/// The variables that matter, by their numbers.
pub(crate) fn states_of(system: &System, cone: &Cone) -> Vec<Option<Term>> {
    let nexts = cone.states.iter().map(|(_, _, next)| next);
    let states = cone.states.iter().map(|(var, ..)| *var);
    let terms = nexts.chain(&cone.constraints);
    let used: HashSet<Var> = terms.flat_map(|term| term.vars()).chain(states).collect();
    let all = system.vars.iter().enumerate().map(|(at, var)| {
        let own = Var(at as u32);
        used.contains(&own)
            .then(|| system::var(own, var.sort.clone()))
    });
    all.collect()
}

pub(crate) fn state(unrolling: &mut Unrolling, vars: &[Option<Term>], step: usize) -> State {
    let values = vars.iter().map(|term| {
        let term = term.as_ref()?;
        unrolling.solver.value(term, step)
    });
    State(values.collect())
}
