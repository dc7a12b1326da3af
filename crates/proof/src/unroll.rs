//! A system, step after step, in a solver of its own.
//!
//! Bounded model checking and k-induction ask about paths: the constraints of a cone hold at
//! every step, and state variables have their next values one step later (Sheeran, Singh and
//! Stålmarck, *Checking Safety Properties Using Induction and a SAT-Solver*, FMCAD 2000).
//! Everything is asserted plainly, which is what a solver is quickest with. Where one solver
//! has to answer about many variants of a system, there is [`Guarded`](crate::Guarded).

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use smt::{AnySolver, Limits, Scalar, Solver, SolverContext};
use system::{Kind, Sort, System, Term, Var, subterms};

use crate::cone::Cone;

impl Cone {
    fn state_terms(&self) -> Vec<Term> {
        let states = self.states.iter();
        states.map(|(_, term, _)| term.clone()).collect()
    }

    fn is_quantified(&self) -> bool {
        let next = self.states.iter().map(|(_, _, next)| next);
        let mut all = self.roots.iter().chain(&self.constraints).chain(next);
        all.any(Term::is_quantified)
    }

    /// The conversions of state variables to integers that occur, with their next values.
    fn integers(&self) -> Vec<(Term, Term)> {
        let is_bits =
            |(_, current, _): &&(Var, Term, Term)| matches!(current.sort(), Sort::BitVec(_));
        let bits: HashMap<Term, &Term> = self
            .states
            .iter()
            .filter(is_bits)
            .map(|(_, current, next)| (current.clone(), next))
            .collect();
        let mut found = Vec::new();
        if bits.is_empty() {
            return found;
        }
        let next = self.states.iter().map(|(_, _, next)| next);
        let all = self.roots.iter().chain(&self.constraints).chain(next);
        for term in subterms(all.cloned()) {
            if let Kind::BvToInt { signed, of } = term.kind()
                && let Some(next) = bits.get(of)
            {
                found.push((term.clone(), system::bv_to_int(*signed, next)));
            }
        }
        found
    }
}

/// Steps 0 to `last` of a system, in a solver of its own.
pub struct Unrolling {
    pub solver: AnySolver,
    pub cone: Cone,
    /// Integers that bit-vectors of the state stand for, with their next values.
    integers: Vec<(Term, Term)>,
    steps: usize,
    /// The limit of each query.
    time: Option<Duration>,
}

/// For a query with quantifiers, where the solver may never end.
const QUANTIFIED_TIME: Duration = Duration::from_secs(2);

impl Unrolling {
    pub fn new(
        context: &SolverContext,
        system: &Arc<System>,
        cone: Cone,
        from_init: bool,
    ) -> Unrolling {
        let mut unrolling = Unrolling {
            solver: AnySolver::new(context, system.clone()),
            time: cone.is_quantified().then_some(QUANTIFIED_TIME),
            integers: cone.integers(),
            cone,
            steps: 0,
        };
        unrolling.limit(None);
        if from_init {
            for term in &unrolling.cone.init {
                unrolling.solver.assert(term, 0);
            }
        }
        unrolling.add_constraints(0);
        unrolling
    }

    /// Limits the work of a query; one with quantifiers has a time limit too.
    pub fn limit(&mut self, resources: Option<u32>) {
        let time = self.time;
        self.solver.limit(Limits {
            time,
            resources,
            ..Limits::default()
        });
    }

    /// Limits the work of a query; one with quantifiers has so many times the time that it
    /// has by default.
    pub fn limit_work(&mut self, resources: u32, times: u32) {
        let time = self.time.map(|time| time.saturating_mul(times));
        let resources = Some(resources);
        self.solver.limit(Limits {
            time,
            resources,
            ..Limits::default()
        });
    }

    /// Limits the time of all queries to come, if it is not limited further.
    pub fn limit_time(&mut self, time: Option<Duration>) {
        self.time = self.time.into_iter().chain(time).min();
        self.limit(None);
    }

    /// Is there a time limit?
    pub fn is_timed(&self) -> bool {
        self.time.is_some()
    }

    fn add_constraints(&mut self, step: usize) {
        for term in &self.cone.constraints {
            self.solver.assert(term, step);
        }
    }

    /// The last step there is.
    pub fn last(&self) -> usize {
        self.steps
    }

    /// One step more.
    pub fn extend(&mut self) {
        let step = self.steps;
        for (_, current, next) in &self.cone.states {
            self.solver.assert_next(current, next, step);
        }
        // They follow, but a solver has to go through all bits to see it.
        for (current, next) in &self.integers {
            self.solver.assert_next(current, next, step);
        }
        self.steps += 1;
        self.add_constraints(self.steps);
    }

    /// Not all state variables have the same values at the two steps.
    pub fn assert_distinct(&mut self, i: usize, j: usize) {
        let states = self.cone.state_terms();
        self.solver.assert_different(&states, i, j);
    }

    /// The values of all state variables at a step of the model.
    pub fn state_values(&mut self, step: usize) -> Vec<Option<Scalar>> {
        let states = self.cone.state_terms();
        let values = states.iter().map(|term| self.solver.value(term, step));
        values.collect()
    }
}
