//! What is odd about a contract, whoever wins its game.

use lang::{NodeId, Program};
use smt::{Answer, AnySolver, Solver, SolverContext};
use system::{Term, substitute};

use super::{Realizable, Rules};

/// Do the assumptions exclude all inputs at the first step?
pub fn excludes_all_inputs(context: &SolverContext, rules: &Rules) -> bool {
    if rules.arena.assumptions.is_empty() {
        return false;
    }
    let mut solver = AnySolver::new(context, rules.arena.system.clone());
    solver.assert(&rules.arena.initial(), 0);
    solver.assert(&rules.arena.assumed(), 0);
    solver.check(&[]) == Answer::Unsat
}

/// The modes that no component enters that honours the contract: no step from a viable state that
/// keeps all guarantees activates them, and leads to a viable state.
pub fn unused_modes(
    context: &SolverContext,
    program: &Program,
    top: NodeId,
    rules: &Rules,
    won: &Realizable,
) -> Vec<usize> {
    let contract = program.node(top).contract.as_ref();
    let modes = contract.map_or(&[][..], |contract| &contract.modes);
    if modes.is_empty() {
        return Vec::new();
    }
    let instances = rules.lowered.reduced_instances();
    let own = instances.iter().find(|instance| instance.path.is_empty());
    let active = |at: usize| -> Option<Term> {
        let shape = &own?.values[modes[at].active.index()];
        shape.leaf().ok().cloned()
    };
    let viable = won.viable();
    let mut solver = AnySolver::new(context, rules.arena.system.clone());
    solver.assert(&viable, 0);
    solver.assert(&rules.arena.assumed(), 0);
    solver.assert(&rules.arena.guaranteed(), 0);
    solver.assert(&substitute(&viable, &rules.arena.next()), 0);
    let is_unused = |at: &usize| {
        let Some(active) = active(*at) else {
            return false;
        };
        let literal = solver.literal();
        solver.assert_if(literal, &active, 0);
        solver.check(&[literal]) == Answer::Unsat
    };
    (0..modes.len()).filter(is_unused).collect()
}
