//! Interpolants by quantifier elimination, backwards.
//!
//! From the bad step on, the states that lead on along a chain of cubes are
//! covered by cubes, found model by model: a model is projected onto the
//! state, and what is not needed to keep it apart from the runs that come the
//! other way is dropped. The interpolants are the complements of the covers.

use std::collections::HashMap;

use smt::{Answer, Literal, Solver, Z3};
use system::{Term, Var, and, not, or};

use crate::ic3::problem::Problem;
use crate::qe::{Values, implicant, project, substitute};

/// A cover of more cubes than this explains nothing.
const MAX_COVER: usize = 48;

/// One interpolant for each cube; `None` if there is none that is small.
pub(super) fn interpolants(problem: &Problem, cubes: &[Term]) -> Option<Vec<Term>> {
    let next: HashMap<Term, Term> = problem
        .cone
        .states
        .iter()
        .map(|(_, state, next)| (state.clone(), next.clone()))
        .collect();
    let mut leads = problem.bad();
    let mut interpolants = Vec::new();
    for at in (0..cubes.len()).rev() {
        let always = problem.always().cloned();
        let formula = and(always.chain([cubes[at].clone(), leads]));
        let cover = or(cover(
            problem,
            &formula,
            &mut prefix(problem, cubes, at),
            at,
        )?);
        interpolants.push(not(&cover));
        leads = substitute(&cover, &next);
    }
    interpolants.reverse();
    Some(interpolants)
}

/// The runs along the cubes up to a step.
fn prefix(problem: &Problem, cubes: &[Term], last: usize) -> Z3 {
    let mut solver = Z3::new(problem.system.clone());
    for term in &problem.cone.init {
        solver.assert(term, 0);
    }
    for (step, cube) in cubes.iter().enumerate().take(last) {
        solver.assert(cube, step);
        for (_, state, next) in &problem.cone.states {
            solver.assert_next(state, next, step);
        }
    }
    for term in problem.always() {
        for step in 0..=last {
            solver.assert(term, step);
        }
    }
    solver
}

/// Cubes that contain all states for which there are inputs that satisfy the
/// formula, and none that the prefix ends in.
fn cover(problem: &Problem, formula: &Term, prefix: &mut Z3, last: usize) -> Option<Vec<Term>> {
    let inputs: Vec<Var> = formula
        .vars()
        .into_iter()
        .filter(|var| !problem.is_state(*var))
        .collect();
    let mut solver = Z3::new(problem.system.clone());
    let ask = solver.literal();
    solver.assert(formula, 0);
    let mut cover = Vec::new();
    while cover.len() < MAX_COVER && !problem.is_over() {
        match solver.check(&[ask]) {
            Answer::Unsat => return Some(cover),
            Answer::Unknown(_) => return None,
            Answer::Sat => {}
        }
        let mut values = Values {
            solver: &mut solver,
            step: 0,
        };
        let literals = implicant(formula, &mut values)?;
        let literals = project(&literals, &inputs, &mut values)?;
        let cube = and(apart(prefix, &literals, last)?);
        solver.assert(&not(&cube), 0);
        cover.push(cube);
    }
    None
}

/// The literals that no state at the end of the prefix satisfies together.
fn apart(prefix: &mut Z3, literals: &[Term], last: usize) -> Option<Vec<Term>> {
    let guards: Vec<(Literal, &Term)> = literals
        .iter()
        .map(|term| (prefix.literal(), term))
        .collect();
    for (guard, term) in &guards {
        prefix.assert_if(*guard, term, last);
    }
    let assumptions: Vec<Literal> = guards.iter().map(|(guard, _)| *guard).collect();
    if prefix.check(&assumptions) != Answer::Unsat {
        return None;
    }
    let core = prefix.core();
    let needed = guards.iter().filter(|(guard, _)| core.contains(guard));
    Some(needed.map(|(_, term)| (*term).clone()).collect())
}
