//! Steps of a system in one solver, for questions about many variants of it.
//!
//! Cores and mutants ask thousands of questions about systems that differ a little. The steps
//! are asserted once: memory holds always, since it is a function; what always holds at a step
//! has a literal of that step, so that steps which are not asked about are not in the way; and
//! each term that is assumed at a step has a literal, which is made once and tells in a core
//! which terms were needed (activation literals: Eén and Sörensson, *Temporal Induction by
//! Incremental SAT Solving*, BMC 2003). Whoever has variants adds guards of its own.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;

use smt::{Literal, Solver, SolverContext, Z3};
use system::{System, Term, not, or};

use crate::cone::Cone;

/// A term at a step of a path.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct AtStep {
    pub term: Term,
    pub step: usize,
}

impl AtStep {
    pub fn new(term: Term, step: usize) -> AtStep {
        AtStep { term, step }
    }

    /// All terms at all of the steps.
    pub fn all(terms: &[Term], steps: Range<usize>) -> Vec<AtStep> {
        let at_steps = |term: &Term| {
            let term = term.clone();
            steps
                .clone()
                .map(move |step| AtStep::new(term.clone(), step))
        };
        terms.iter().flat_map(at_steps).collect()
    }

    /// One term a step, from the first on.
    pub fn in_turn(terms: impl IntoIterator<Item = Term>) -> Vec<AtStep> {
        let terms = terms.into_iter().zip(0..);
        terms.map(|(term, step)| AtStep::new(term, step)).collect()
    }

    /// All terms hold at the first steps, and one of them fails at another.
    pub fn some_fails(terms: &[Term], first: usize, step: usize) -> Vec<AtStep> {
        let mut all = AtStep::all(terms, 0..first);
        all.push(AtStep::new(or(terms.iter().map(not)), step));
        all
    }
}

/// See the head of this file.
pub struct Guarded {
    pub solver: Z3,
    pub cone: Cone,
    /// By step: what always holds.
    steps: Vec<Literal>,
    terms: HashMap<(u64, usize), Literal>,
    /// By literal: the number of the term that it has hold at some step.
    numbers: HashMap<Literal, u64>,
}

impl Guarded {
    /// No step yet.
    pub fn new(
        context: &SolverContext,
        system: Arc<System>,
        cone: Cone,
        from_init: bool,
    ) -> Guarded {
        let mut solver = Z3::new(context, system);
        for term in cone.init.iter().filter(|_| from_init) {
            solver.assert(term, 0);
        }
        Guarded {
            solver,
            cone,
            steps: Vec::new(),
            terms: HashMap::new(),
            numbers: HashMap::new(),
        }
    }

    /// One step more. Gives back the literal under which it has what always holds.
    pub fn extend(&mut self) -> Literal {
        let now = self.steps.len();
        let always = self.solver.literal();
        if now > 0 {
            for (_, current, next) in &self.cone.states {
                self.solver.assert_next(current, next, now - 1);
            }
        }
        for term in &self.cone.constraints {
            self.solver.assert_if(always, term, now);
        }
        self.steps.push(always);
        always
    }

    /// By step: the literal under which it has what always holds.
    pub fn steps(&self) -> &[Literal] {
        &self.steps
    }

    /// The literal that has a term hold at a step.
    pub fn literal(&mut self, at: &AtStep) -> Literal {
        let key = (at.term.id(), at.step);
        if let Some(known) = self.terms.get(&key) {
            return *known;
        }
        let literal = self.solver.literal();
        self.solver.assert_if(literal, &at.term, at.step);
        self.terms.insert(key, literal);
        self.numbers.insert(literal, at.term.id());
        literal
    }

    /// The number of the term that a literal has hold, if it is such a one.
    pub fn term_number(&self, literal: Literal) -> Option<u64> {
        self.numbers.get(&literal).copied()
    }
}
