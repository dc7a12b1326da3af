//! Runs from a solver, for systems whose constraints random inputs do not meet.
//!
//! A run gets wishes, random values for random inputs, as assumptions. Where
//! they contradict the constraints, those of the core are dropped.

use std::sync::Arc;

use proof::{Cone, Unrolling};
use smt::{Answer, Limits, Literal, Solver};
use system::{System, Term};

use super::eval::State;
use super::lockstep::{state, states_of};
use super::simulate::Simulation;
use crate::job_board::JobBoard;

const RUNS: usize = 6;
const LENGTH: usize = 6;
const WISHES: usize = 40;
/// After so many wishes that were dropped one by one, half of them go.
const ROUNDS: usize = 4;

/// The states of some short runs.
pub(crate) fn states(
    system: &Arc<System>,
    board: &JobBoard,
    roots: &[Term],
    simulation: &mut Simulation,
    resources: u32,
) -> Vec<State> {
    let cone = Cone::of(system, roots.iter().cloned());
    let mut unrolling = Unrolling::new(&board.context, system, cone, true);
    unrolling.solver.limit(Limits {
        resources: Some(resources),
        ..Limits::default()
    });
    for _ in 1..LENGTH {
        unrolling.extend();
    }
    let vars = states_of(system, &unrolling.cone);
    let mut states = Vec::new();
    for _ in 0..RUNS {
        if board.stopped() {
            break;
        }
        unrolling.solver.push();
        if satisfy(&mut unrolling, simulation) {
            states.extend((0..LENGTH).map(|step| state(&mut unrolling, &vars, step)));
        }
        unrolling.solver.pop();
    }
    states
}

/// Looks for a model with as many wishes as the constraints allow.
fn satisfy(unrolling: &mut Unrolling, simulation: &mut Simulation) -> bool {
    let mut wishes: Vec<Literal> = Vec::new();
    for (at, wish) in simulation.wishes(WISHES).iter().enumerate() {
        let literal = unrolling.solver.literal();
        unrolling.solver.assert_if(literal, wish, at % LENGTH);
        wishes.push(literal);
    }
    for round in 1.. {
        match unrolling.solver.check(&wishes) {
            Answer::Sat => return true,
            Answer::Unsat if wishes.is_empty() => return false,
            Answer::Unsat => {
                let core = unrolling.solver.core();
                wishes.retain(|wish| !core.contains(wish));
                if round % ROUNDS == 0 {
                    wishes.truncate(wishes.len() / 2);
                }
            }
            Answer::Unknown(_) => return false,
        }
    }
    false
}
