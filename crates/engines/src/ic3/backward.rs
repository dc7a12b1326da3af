//! Interpolants by quantifier elimination, backwards.
//!
//! From the bad step on, the states that lead on along a chain of cubes are
//! covered by cubes, found model by model: a model is projected onto the
//! state, and what is not needed to keep it apart from the runs that come the
//! other way is dropped. The interpolants are the complements of the covers.

use std::collections::HashMap;
use std::sync::Arc;

use smt::{Answer, AnySolver, Literal, Solver};
use system::{System, Term, Var, and, not, or, substitute};

use crate::ic3::problem::Problem;
use proof::qe::{Values, implicant, project};

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
        let mut prefix = prefix(problem, cubes, at);
        let weaken = &mut |literals: Vec<Term>| apart(&mut prefix, &literals, at);
        let keep = |var: Var| problem.is_state(var);
        let cover = or(cover(problem, problem.system, &formula, &keep, weaken)?);
        interpolants.push(not(&cover));
        leads = substitute(&cover, &next);
    }
    interpolants.reverse();
    Some(interpolants)
}

/// The runs along the cubes up to a step.
fn prefix(problem: &Problem, cubes: &[Term], last: usize) -> AnySolver {
    let mut solver = AnySolver::new(problem.context(), problem.system.clone());
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

/// Cubes over the variables to keep that contain all values of theirs for which there
/// are some of the others that satisfy the formula. Each is weakened.
pub(super) fn cover(
    problem: &Problem,
    system: &Arc<System>,
    formula: &Term,
    keep: &dyn Fn(Var) -> bool,
    weaken: &mut dyn FnMut(Vec<Term>) -> Option<Vec<Term>>,
) -> Option<Vec<Term>> {
    let vars = formula.vars().into_iter();
    let others: Vec<Var> = vars.filter(|var| !keep(*var)).collect();
    let mut solver = AnySolver::new(problem.context(), system.clone());
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
        let literals = project(&literals, &others, &mut values)?;
        let cube = and(weaken(literals)?);
        solver.assert(&not(&cube), 0);
        cover.push(cube);
    }
    None
}

/// The literals that no state at a step of some runs satisfies together.
pub(super) fn apart(runs: &mut AnySolver, literals: &[Term], step: usize) -> Option<Vec<Term>> {
    let guards: Vec<(Literal, &Term)> =
        literals.iter().map(|term| (runs.literal(), term)).collect();
    for (guard, term) in &guards {
        runs.assert_if(*guard, term, step);
    }
    let assumptions: Vec<Literal> = guards.iter().map(|(guard, _)| *guard).collect();
    if runs.check(&assumptions) != Answer::Unsat {
        return None;
    }
    let core = runs.core();
    let needed = guards.iter().filter(|(guard, _)| core.contains(guard));
    Some(needed.map(|(_, term)| (*term).clone()).collect())
}
