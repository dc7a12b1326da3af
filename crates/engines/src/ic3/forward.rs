//! Interpolants by quantifier elimination, forwards.
//!
//! From the initial states on, the states that a chain of cubes reaches are covered by
//! cubes, found model by model: a model of a step is projected onto the state after it,
//! and what is not needed to keep it apart from the runs that lead on to the bad step is
//! dropped. The interpolants are the covers. Where bad states have many reasons and
//! initial ones few, this ends, and the way backwards does not.

use std::collections::HashMap;
use std::sync::Arc;

use smt::{AnySolver, Solver};
use system::{Role, StateVar, System, Term, Var, and, eq, or, substitute};

use crate::ic3::backward::{apart, cover};
use crate::ic3::problem::Problem;

/// One interpolant for each cube; `None` if there is none that is small.
pub(super) fn interpolants(problem: &Problem, cubes: &[Term]) -> Option<Vec<Term>> {
    let image = Image::new(problem);
    let always = || problem.always().cloned();
    let starts = and(problem.cone.init.iter().cloned().chain(always()));
    let mut interpolants = Vec::new();
    let mut reached = or(image.first(problem, &starts, cubes)?);
    for at in 1..cubes.len() {
        let leaves = always().chain([cubes[at - 1].clone(), reached.clone()]);
        interpolants.push(reached);
        reached = or(image.after(problem, &and(leaves), cubes, at)?);
    }
    interpolants.push(reached);
    Some(interpolants)
}

/// The system with a second variable for each state: its value one step later.
struct Image {
    system: Arc<System>,
    steps: Vec<Term>,
    later: Vec<Var>,
    /// The second variables as those that they stand for.
    now: HashMap<Term, Term>,
}

impl Image {
    fn new(problem: &Problem) -> Image {
        let mut system = System::clone(problem.system);
        let mut image = Image {
            system: Arc::default(),
            steps: Vec::new(),
            later: Vec::new(),
            now: HashMap::new(),
        };
        for (var, state, next) in &problem.cone.states {
            let name = format!("{}'", system.var(*var).name);
            let later = Var(system.vars.len() as u32);
            let new = StateVar::new(&name, state.sort().clone(), Role::Input);
            system.vars.push(new);
            let term = system::var(later, state.sort().clone());
            image.steps.push(eq(&term, next));
            image.later.push(later);
            image.now.insert(term, state.clone());
        }
        image.system = Arc::new(system);
        image
    }

    /// Cubes around the states that satisfy a formula.
    fn first(&self, problem: &Problem, formula: &Term, cubes: &[Term]) -> Option<Vec<Term>> {
        let mut suffix = suffix(problem, cubes, 0);
        let keep = |var: Var| problem.is_state(var);
        let weaken = &mut |literals: Vec<Term>| apart(&mut suffix, &literals, 0);
        cover(problem, problem.system, formula, &keep, weaken)
    }

    /// Cubes around the states that a step leads to, from those of a formula.
    fn after(
        &self,
        problem: &Problem,
        formula: &Term,
        cubes: &[Term],
        at: usize,
    ) -> Option<Vec<Term>> {
        let formula = and([formula.clone()].into_iter().chain(self.steps.clone()));
        let mut suffix = suffix(problem, cubes, at);
        let constant = |var: Var| self.system.var(var).role == Role::Constant;
        let keep = |var: Var| constant(var) || self.later.contains(&var);
        let later: HashMap<Term, Term> = self
            .now
            .iter()
            .map(|(a, b)| (b.clone(), a.clone()))
            .collect();
        let weaken = &mut |literals: Vec<Term>| {
            let now: Vec<Term> = literals.iter().map(|l| substitute(l, &self.now)).collect();
            let kept = apart(&mut suffix, &now, 0)?;
            Some(
                kept.iter()
                    .map(|literal| substitute(literal, &later))
                    .collect(),
            )
        };
        let found = cover(problem, &self.system, &formula, &keep, weaken)?;
        Some(
            found
                .iter()
                .map(|cube| substitute(cube, &self.now))
                .collect(),
        )
    }
}

/// The runs along the cubes, from one of them to the bad step.
fn suffix(problem: &Problem, cubes: &[Term], from: usize) -> AnySolver {
    let mut solver = AnySolver::new(problem.context(), problem.system.clone());
    let last = cubes.len() - 1 - from;
    for (step, cube) in cubes[from..].iter().enumerate() {
        solver.assert(cube, step);
        for term in problem.always() {
            solver.assert(term, step);
        }
        if step < last {
            for (_, state, next) in &problem.cone.states {
                solver.assert_next(state, next, step);
            }
        }
    }
    solver.assert(&problem.bad(), last);
    solver
}

#[cfg(test)]
mod tests {

    use system::{Property, PropertyId, Sort, add, boolean, integer, not};

    use super::*;
    use crate::blackboard::Engine;
    use crate::ic3::{backward, refine};
    use crate::job_board::JobBoard;
    use crate::theory::Fit;

    /// A counter of odd numbers, which must not be one of many even ones.
    fn odd() -> System {
        let x = system::var(Var(0), Sort::Int);
        let mut counter = StateVar::new("x", Sort::Int, Role::State);
        counter.init = Some(integer(1));
        counter.next = Some(add([x.clone(), integer(2)]));
        let even = (1..100).map(|half| eq(&x, &integer(2 * half)));
        System {
            vars: vec![counter],
            properties: vec![Property::invariant("odd", not(&or(even)))],
            ..System::default()
        }
    }

    #[test]
    fn few_initial_states_and_many_bad_ones() {
        let system = Arc::new(odd());
        let (board, _findings) = JobBoard::of(1);
        let fit = Arc::new(Fit::of(Engine::Ic3ia, &system));
        let problem = Problem::new(&system, &board, PropertyId(0), false, &fit);
        let cubes = vec![boolean(true); 3];
        assert!(backward::interpolants(&problem, &cubes).is_none());
        let found = interpolants(&problem, &cubes).expect("interpolants");
        assert!(refine::are_interpolants(&problem, &cubes, &found));
        // Those that say nothing are none.
        assert!(!refine::are_interpolants(&problem, &cubes, &cubes));
    }
}
