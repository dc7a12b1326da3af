//! Refinement: why a chain of cubes is no run of the system.
//!
//! Sequence interpolants say it: formulas, one for each cube, that follow from
//! one another along the chain and exclude the bad step at its end. Their
//! atoms are the predicates that were missing.

use smt::{Answer, AnySolver, Interpolator, Limits, Solver};
use system::{Term, not};

use crate::ic3::backward;
use crate::ic3::block::Chain;
use crate::ic3::cube::Cube;
use crate::ic3::forward;
use crate::ic3::frames::Halt;
use crate::ic3::problem::Problem;

/// Is there a run through the cubes?
pub(super) fn is_concrete(problem: &Problem, chain: &Chain) -> Result<bool, Halt> {
    let mut solver = AnySolver::new(problem.context(), problem.system.clone());
    for term in &problem.cone.init {
        solver.assert(term, 0);
    }
    for (step, cube) in chain.iter().enumerate() {
        leave(problem, &mut solver, &cube.term(), step);
        if step + 1 < chain.len() {
            advance(problem, &mut solver, step);
        }
    }
    solver.assert(&problem.bad(), chain.len() - 1);
    let ask = solver.literal();
    match solver.check(&[ask]) {
        Answer::Sat => Ok(true),
        Answer::Unsat => Ok(false),
        Answer::Unknown(_) => Err(Halt::GaveUp),
    }
}

/// A state of the cube that allows a step.
fn leave(problem: &Problem, solver: &mut AnySolver, cube: &Term, step: usize) {
    solver.assert(cube, step);
    for term in problem.always() {
        solver.assert(term, step);
    }
}

fn advance(problem: &Problem, solver: &mut AnySolver, step: usize) {
    for (_, state, next) in &problem.cone.states {
        solver.assert_next(state, next, step);
    }
}

/// The solver's resource units for the interpolants of a chain.
const BUDGET: u32 = 10_000_000;

/// Sequence interpolants, checked: of a solver outside, if there is one for that;
/// by Horn clauses, or by quantifier elimination, backwards or forwards.
pub(super) fn interpolants(
    problem: &Problem,
    chain: &Chain,
    outside: &mut Interpolator,
) -> Option<Vec<Term>> {
    let cubes: Vec<Term> = chain.iter().map(Cube::term).collect();
    let limits = Limits {
        resources: Some(BUDGET),
        ..Limits::default()
    };
    let checked = |found: &Vec<Term>| are_interpolants(problem, &cubes, found);
    let horn = || {
        smt::interpolants(
            problem.context(),
            problem.system,
            &problem.safety(),
            &cubes,
            limits,
        )
    };
    let able = problem.fits_horn_clauses();
    let found = outside.interpolants(problem.system, &problem.safety(), &cubes, checked);
    problem.board.tell_notes();
    found
        .or_else(|| able.then(horn).flatten().filter(checked))
        .or_else(|| backward::interpolants(problem, &cubes).filter(checked))
        .or_else(|| forward::interpolants(problem, &cubes).filter(checked))
}

pub(super) fn are_interpolants(problem: &Problem, cubes: &[Term], found: &[Term]) -> bool {
    let unsat = |solver: &mut AnySolver| {
        // With an assumption the solver works incrementally: often quicker.
        let ask = solver.literal();
        solver.check(&[ask]) == Answer::Unsat
    };
    let last = cubes.len() - 1;
    let starts = |first: &Term| {
        let mut solver = AnySolver::new(problem.context(), problem.system.clone());
        for term in &problem.cone.init {
            solver.assert(term, 0);
        }
        for term in problem.always() {
            solver.assert(term, 0);
        }
        solver.assert(&not(first), 0);
        unsat(&mut solver)
    };
    let follows = |at: usize| {
        let mut solver = AnySolver::new(problem.context(), problem.system.clone());
        solver.assert(&found[at], 0);
        leave(problem, &mut solver, &cubes[at], 0);
        if at == last {
            solver.assert(&problem.bad(), 0);
        } else {
            advance(problem, &mut solver, 0);
            solver.assert(&not(&found[at + 1]), 1);
        }
        unsat(&mut solver)
    };
    starts(&found[0]) && (0..=last).all(follows)
}
