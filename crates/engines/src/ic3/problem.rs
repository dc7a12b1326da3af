//! What IC3 is asked about one property.

use std::cell::OnceCell;
use std::sync::Arc;

use proof::{Cone, Lemma, invariant};
use smt::{Safety, SolverContext};
use system::{PropertyId, Role, System, Term, Var, not};

use crate::blackboard::Engine;
use crate::job_board::JobBoard;
use crate::theory::Fit;

pub(crate) struct Problem<'a> {
    pub system: &'a Arc<System>,
    pub board: &'a JobBoard,
    pub id: PropertyId,
    pub cone: Cone,
    /// Holds at every step, if the property does.
    pub invariant: Term,
    /// Proved by others; they hold at every step.
    pub lemmas: Vec<Lemma>,
    /// So many of the others' lemmas were looked at.
    heard: usize,
    fit: Arc<Fit>,
    /// What Spacer can take of the system, once that is asked.
    horn: OnceCell<Fit>,
}

impl<'a> Problem<'a> {
    pub fn new(
        system: &'a Arc<System>,
        board: &'a JobBoard,
        id: PropertyId,
        use_lemmas: bool,
        fit: &Arc<Fit>,
    ) -> Problem<'a> {
        let known = match use_lemmas {
            true => board.lemmas_from(0),
            false => Vec::new(),
        };
        let heard = known.len();
        let lemmas = fit.lemmas(known);
        let invariant = invariant(system, id);
        let known = lemmas.iter().map(|lemma| lemma.term.clone());
        Problem {
            system,
            board,
            id,
            cone: Cone::of(system, known.chain([invariant.clone()])),
            invariant,
            lemmas,
            heard,
            fit: fit.clone(),
            horn: OnceCell::new(),
        }
    }

    /// The context of the job's solvers.
    pub fn context(&self) -> &SolverContext {
        &self.board.context
    }

    /// The lemmas that are new since the last time.
    pub fn new_lemmas(&mut self) -> Vec<Lemma> {
        let news = self.board.lemmas_from(self.heard);
        self.heard += news.len();
        let news = self.fit.lemmas(news);
        self.lemmas.extend(news.iter().cloned());
        news
    }

    /// Can Spacer take all that the question speaks of?
    pub fn fits_horn_clauses(&self) -> bool {
        let fit = self
            .horn
            .get_or_init(|| Fit::of(Engine::Spacer, self.system));
        let mut lemmas = self.lemmas.iter();
        fit.takes(&self.invariant) && lemmas.all(|lemma| fit.takes(&lemma.term))
    }

    pub fn bad(&self) -> Term {
        not(&self.invariant)
    }

    /// Constraints and lemmas: what holds at every step.
    pub fn always(&self) -> impl Iterator<Item = &Term> {
        let lemmas = self.lemmas.iter().map(|lemma| &lemma.term);
        self.cone.constraints.iter().chain(lemmas)
    }

    /// May a cube speak of the variable?
    pub fn is_state(&self, var: Var) -> bool {
        self.system.var(var).role == Role::Constant
            || self.cone.states.iter().any(|(state, ..)| *state == var)
    }

    pub fn is_over(&self) -> bool {
        self.board.stopped() || !self.board.is_open(self.id)
    }

    pub fn safety(&self) -> Safety {
        let states = self.cone.states.iter();
        Safety {
            states: states
                .map(|(_, state, next)| (state.clone(), next.clone()))
                .collect(),
            init: self.cone.init.clone(),
            constraints: self.always().cloned().collect(),
            bad: self.bad(),
        }
    }
}
