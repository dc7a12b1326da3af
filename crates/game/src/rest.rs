//! Runs that come to rest: a cheap way to see that a contract can be kept for ever.

use smt::{Answer, AnySolver, Solver, SolverContext};
use system::{Term, and, eq};

use crate::arena::Arena;

/// The longest runs that are looked at.
const STEPS: usize = 6;

/// Is there a run that keeps assumptions and guarantees up to a step that changes no memory?
/// Then that step can be repeated for ever. The run is fixed and checked once more in a fresh
/// solver. `false` if none is found.
pub fn comes_to_rest(context: &SolverContext, arena: &Arena) -> bool {
    let resting = and(arena
        .memory
        .iter()
        .map(|memory| eq(&memory.var, &memory.next)));
    let mut solver = AnySolver::new(context, arena.system.clone());
    solver.assert(&arena.initial(), 0);
    for last in 0..STEPS {
        step(arena, &mut solver, last);
        let rests = solver.literal();
        solver.assert_if(rests, &resting, last);
        match solver.check(&[rests]) {
            Answer::Sat => return is_run(context, arena, &resting, &mut solver, last),
            Answer::Unsat if solver.check(&[]) == Answer::Sat => {}
            _ => return false,
        }
    }
    false
}

fn step(arena: &Arena, solver: &mut AnySolver, at: usize) {
    solver.assert(&and([arena.assumed(), arena.guaranteed()]), at);
    for memory in &arena.memory {
        solver.assert_next(&memory.var, &memory.next, at);
    }
}

/// Do the values of a solver's model make a run that comes to rest at the last step?
fn is_run(
    context: &SolverContext,
    arena: &Arena,
    resting: &Term,
    model: &mut AnySolver,
    last: usize,
) -> bool {
    let mut solver = AnySolver::new(context, arena.system.clone());
    solver.assert(&arena.initial(), 0);
    for at in 0..=last {
        step(arena, &mut solver, at);
        for var in arena.inputs.iter().chain(&arena.outputs) {
            let value = model.value(var, at).and_then(|v| v.term(var.sort()));
            match value {
                Some(value) => solver.assert(&eq(var, &value), at),
                None => return false,
            }
        }
    }
    solver.assert(resting, last);
    solver.check(&[]) == Answer::Sat
}
