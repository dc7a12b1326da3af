//! Bounded model checking.
//!
//! At each depth, ask for a run whose last step decides some open property: it
//! violates an invariant, or satisfies a property to be reached. The answer
//! may decide several at once; ask again until there is none. Runs are thus of
//! minimal length.

use std::sync::Arc;

use smt::{Answer, Scalar, Solver};
use system::{PropertyId, PropertyKind, System, Term, not};

use crate::blackboard::{Blackboard, Engine, Evidence, Verdict};
use crate::unroll::{Cone, Unrolling};

const ME: Engine = Engine::Bmc;

/// What decides a property: its violation, or its being reached.
pub(crate) fn decisive(system: &System, id: PropertyId) -> Term {
    let property = system.property(id);
    match property.kind {
        PropertyKind::Invariant => not(&property.term),
        PropertyKind::Reachable { .. } => property.term.clone(),
    }
}

/// May the property be decided at this step?
fn concerns(system: &System, id: PropertyId, step: usize) -> bool {
    match system.property(id).kind {
        PropertyKind::Invariant => true,
        PropertyKind::Reachable { from, .. } => from.is_none_or(|from| step as u64 >= from),
    }
}

fn is_over(system: &System, id: PropertyId, step: usize) -> bool {
    match system.property(id).kind {
        PropertyKind::Invariant => false,
        PropertyKind::Reachable { within, .. } => within.is_some_and(|n| step as u64 > n),
    }
}

pub(crate) fn run(
    system: &Arc<System>,
    board: &Blackboard,
    observed: &[Term],
    properties: &[PropertyId],
    max: usize,
) {
    let roots = properties
        .iter()
        .map(|id| system.property(*id).term.clone());
    let mut unrolling = Unrolling::new(system, Cone::of(system, roots), true);
    let mut open: Vec<PropertyId> = properties.to_vec();
    loop {
        let step = unrolling.last();
        open.retain(|id| board.is_open(*id));
        close_over(system, board, &mut open, step);
        if open.is_empty() || board.stopped() || (max > 0 && step > max) {
            return;
        }
        match unrolling.solver.check(&[]) {
            Answer::Sat => {}
            Answer::Unsat => {
                for id in &open {
                    let evidence = Evidence::NoRun { steps: step };
                    board.decide(*id, ME, Verdict::Always(evidence));
                }
                return;
            }
            Answer::Unknown(_) if board.stopped() => return,
            Answer::Unknown(_) => {}
        }
        let mut asked: Vec<PropertyId> = open.clone();
        asked.retain(|id| concerns(system, *id, step));
        let stuck = decide_at(system, board, &mut unrolling, observed, asked, step);
        open.retain(|id| board.is_open(*id) && !stuck.contains(id));
        if board.stopped() {
            return;
        }
        for id in &open {
            board.set_clear(*id, step + 1);
        }
        unrolling.extend();
    }
}

/// Looks for a run of at most `depth` steps that decides a property, on behalf
/// of an engine that has reason to believe in one.
pub(crate) fn refute(
    system: &Arc<System>,
    board: &Blackboard,
    observed: &[Term],
    engine: Engine,
    id: PropertyId,
    depth: usize,
) -> bool {
    let cone = Cone::of(system, [system.property(id).term.clone()]);
    let mut unrolling = Unrolling::new(system, cone, true);
    let goal = decisive(system, id);
    for step in 0..=depth {
        if board.stopped() || !board.is_open(id) || is_over(system, id, step) {
            return false;
        }
        if concerns(system, id, step) && step >= board.clear(id) {
            let literal = unrolling.solver.literal();
            unrolling.solver.assert_if(literal, &goal, step);
            match unrolling.solver.check(&[literal]) {
                Answer::Sat if holds(&mut unrolling, &goal, step) => {
                    let run = unrolling.run(observed, step);
                    board.decide(id, engine, Verdict::Witness(run));
                    return true;
                }
                Answer::Unsat => board.set_clear(id, step + 1),
                _ => return false,
            }
        }
        unrolling.extend();
    }
    false
}

/// Properties to be reached whose bounds are behind.
fn close_over(system: &System, board: &Blackboard, open: &mut Vec<PropertyId>, step: usize) {
    open.retain(|id| {
        let over = is_over(system, *id, step);
        if over {
            let evidence = Evidence::Bounded { steps: step };
            board.decide(*id, ME, Verdict::Always(evidence));
        }
        !over
    });
}

/// Decides what a run of this length can decide; gives back the properties
/// that the solver could not answer for.
fn decide_at(
    system: &System,
    board: &Blackboard,
    unrolling: &mut Unrolling,
    observed: &[Term],
    mut asked: Vec<PropertyId>,
    step: usize,
) -> Vec<PropertyId> {
    let mut stuck = Vec::new();
    while !asked.is_empty() && !board.stopped() {
        match check_any(system, unrolling, &asked, step) {
            Answer::Unsat => break,
            Answer::Sat => {
                let hit: Vec<PropertyId> = asked
                    .iter()
                    .copied()
                    .filter(|id| holds(unrolling, &decisive(system, *id), step))
                    .collect();
                let run = unrolling.run(observed, step);
                for id in &hit {
                    board.decide(*id, ME, Verdict::Witness(run.clone()));
                }
                if hit.is_empty() {
                    // The model says nothing definite: no one can be blamed.
                    stuck.append(&mut asked);
                }
                asked.retain(|id| !hit.contains(id));
            }
            Answer::Unknown(_) if asked.len() == 1 => stuck.append(&mut asked),
            Answer::Unknown(_) => {
                // One hard property must not hold up the others.
                for id in std::mem::take(&mut asked) {
                    let alone = decide_at(system, board, unrolling, observed, vec![id], step);
                    stuck.extend(alone);
                }
            }
        }
    }
    stuck
}

fn check_any(
    system: &System,
    unrolling: &mut Unrolling,
    asked: &[PropertyId],
    step: usize,
) -> Answer {
    let goal = system::or(asked.iter().map(|id| decisive(system, *id)));
    let literal = unrolling.solver.literal();
    unrolling.solver.assert_if(literal, &goal, step);
    unrolling.solver.check(&[literal])
}

fn holds(unrolling: &mut Unrolling, term: &Term, step: usize) -> bool {
    unrolling.solver.value(term, step) == Some(Scalar::Bool(true))
}
