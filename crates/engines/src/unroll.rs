//! A system, step after step, in a solver.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::time::Duration;

use smt::{AnySolver, Limits, Scalar, Solver};
use system::{Kind, Sort, System, Term, Var, eq};

use crate::blackboard::{Observation, Run};

/// The part of a system that matters for some terms.
pub(crate) struct Cone {
    /// What the cone is of.
    pub roots: Vec<Term>,
    /// State variables with a next value, in order.
    pub states: Vec<(Var, Term, Term)>,
    pub init: Vec<Term>,
    pub constraints: Vec<Term>,
}

impl Cone {
    /// What the terms and the constraints depend on.
    pub fn of(system: &System, roots: impl IntoIterator<Item = Term>) -> Cone {
        let roots: Vec<Term> = roots.into_iter().collect();
        let mut reached: HashSet<Var> = HashSet::new();
        let mut open: Vec<Var> = roots.iter().flat_map(|term| term.vars()).collect();
        if system.whole {
            open.extend((0..system.vars.len() as u32).map(Var));
        }
        let is_range = |c: &system::Constraint| c.element.is_none();
        for constraint in system.constraints.iter().filter(|c| !is_range(c)) {
            open.extend(constraint.term.vars());
        }
        let ranges: Vec<(Vec<Var>, &Term)> = system
            .constraints
            .iter()
            .filter(|c| is_range(c))
            .map(|c| (c.term.vars(), &c.term))
            .collect();
        loop {
            while let Some(var) = open.pop() {
                if reached.insert(var) {
                    let declared = system.var(var);
                    let definition = declared.def.iter().map(|def| &def.term);
                    let parts = declared.next.iter().chain(definition);
                    open.extend(parts.flat_map(|part| part.vars()));
                }
            }
            // A range may speak of more variables, through functions.
            for (vars, _) in &ranges {
                if vars.iter().any(|var| reached.contains(var)) {
                    open.extend(vars.iter().filter(|var| !reached.contains(var)));
                }
            }
            if open.is_empty() {
                break;
            }
        }
        let in_cone = |vars: &[Var]| vars.is_empty() || vars.iter().any(|v| reached.contains(v));
        let own = system
            .constraints
            .iter()
            .filter(|c| !is_range(c))
            .map(|c| &c.term);
        let typed = ranges
            .iter()
            .filter(|(vars, _)| in_cone(vars))
            .map(|(_, term)| *term);
        let states: Vec<(Var, Term, Term)> = system
            .state_vars()
            .filter(|(var, _)| reached.contains(var))
            .filter_map(|(var, declared)| {
                let current = system::var(var, declared.sort.clone());
                Some((var, current, declared.next.clone()?))
            })
            .collect();
        let init = system
            .state_vars()
            .filter(|(var, _)| reached.contains(var))
            .filter_map(|(var, declared)| {
                let current = system::var(var, declared.sort.clone());
                Some(eq(&current, declared.init.as_ref()?))
            })
            .collect();
        let streams = reached.iter().filter_map(|var| {
            let declared = system.var(*var);
            let stream = system::var(*var, declared.sort.clone());
            Some(eq(&stream, &declared.def.as_ref()?.term))
        });
        let mut constraints: Vec<Term> = streams.collect();
        constraints.sort_by_key(Term::id);
        constraints.extend(own.chain(typed).cloned());
        Cone {
            roots,
            states,
            init,
            constraints,
        }
    }
}

impl Cone {
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
        let mut open: Vec<Term> = all.cloned().collect();
        let mut seen = HashSet::new();
        while let Some(term) = open.pop() {
            if !seen.insert(term.id()) {
                continue;
            }
            if let Kind::BvToInt { signed, of } = term.kind()
                && let Some(next) = bits.get(of)
            {
                found.push((term.clone(), system::bv_to_int(*signed, next)));
            }
            term.for_each_part(|part| open.push(part.clone()));
        }
        found
    }
}

/// Steps 0 to `last` of a system, in a solver of its own.
pub(crate) struct Unrolling {
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
    pub fn new(system: &Arc<System>, cone: Cone, from_init: bool) -> Unrolling {
        let mut unrolling = Unrolling {
            solver: AnySolver::new(system.clone()),
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
        self.solver.limit(Limits { time, resources });
    }

    /// Limits the work of a query; one with quantifiers has so many times the time that it
    /// has by default.
    pub fn limit_work(&mut self, resources: u32, times: u32) {
        let time = self.time.map(|time| time.saturating_mul(times));
        let resources = Some(resources);
        self.solver.limit(Limits { time, resources });
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
        let states: Vec<Term> = self
            .cone
            .states
            .iter()
            .map(|(_, term, _)| term.clone())
            .collect();
        self.solver.assert_different(&states, i, j);
    }

    /// The values of all state variables at a step of the model.
    pub fn state_values(&mut self, step: usize) -> Vec<Option<Scalar>> {
        let states: Vec<Term> = self
            .cone
            .states
            .iter()
            .map(|(_, term, _)| term.clone())
            .collect();
        states
            .iter()
            .map(|term| self.solver.value(term, step))
            .collect()
    }

    /// The values of some terms at all steps of the model up to `last`.
    pub fn run(&mut self, observed: &[Observation], last: usize) -> Run {
        let steps = (0..=last).map(|step| {
            let values = observed.iter();
            values.map(|o| o.value(&mut self.solver, step)).collect()
        });
        Run {
            steps: steps.collect(),
            case: None,
        }
    }
}
