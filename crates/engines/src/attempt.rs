//! Counterexamples to induction, for people: k steps with a property, from a
//! state that need not be reachable, and one without.
//!
//! The engine sees only the part of the system that matters. What is shown has
//! all streams, so the path is completed in a solver of its own: the state at its
//! start and its inputs are fixed, and the rest follows.

use proof::{Cone, Unrolling};
use smt::{Answer, Solver, SolverContext};
use std::collections::BTreeSet;
use system::{PropertyId, Role, Term, Var};

use crate::blackboard::Run;
use crate::task::Task;

/// A path on which properties fail at the end.
#[derive(Clone, Debug)]
pub struct Attempt {
    pub properties: Vec<PropertyId>,
    pub k: usize,
    pub run: Run,
}

/// The path in the model of an unrolling, with the values of all observed terms;
/// `roots` are the terms that the unrolling is about, and all that `fails` speaks
/// of at the end is among them.
pub(crate) fn complete(
    context: &SolverContext,
    task: &Task,
    unrolling: &mut Unrolling,
    roots: &[Term],
    fails: &Term,
    k: usize,
) -> Option<Run> {
    let (system, observed) = (&task.system, &task.observed);
    let all = observed.iter().map(|o| &o.term).chain(roots).cloned();
    let mut whole = Unrolling::new(context, system, Cone::of(system, all), false);
    for _ in 0..k {
        whole.extend();
    }
    for var in seen(unrolling, roots) {
        let declared = system.var(var);
        let term = system::var(var, declared.sort.clone());
        let last = match declared.role {
            Role::Input | Role::Stream => k,
            Role::State | Role::Constant => 0,
        };
        for step in 0..=last {
            let value = unrolling.solver.value(&term, step)?;
            let value = value.term(&declared.sort)?;
            whole.solver.assert(&system::eq(&term, &value), step);
        }
    }
    let asked = whole.solver.literal();
    whole.solver.assert_if(asked, fails, k);
    let found = whole.solver.check(&[asked]) == Answer::Sat;
    found.then(|| Run::observed(&mut whole.solver, observed, k))
}

/// The variables that an unrolling speaks of.
fn seen(unrolling: &Unrolling, roots: &[Term]) -> BTreeSet<Var> {
    let cone = &unrolling.cone;
    let nexts = cone.states.iter().map(|(_, _, next)| next);
    let terms = nexts.chain(&cone.constraints).chain(roots);
    let states = cone.states.iter().map(|(var, _, _)| *var);
    terms.flat_map(Term::vars).chain(states).collect()
}
