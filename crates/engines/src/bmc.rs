//! Bounded model checking.
//!
//! At each depth, ask for a run whose last step decides some open property: it
//! violates an invariant, or satisfies a property to be reached. The answer
//! may decide several at once; ask again until there is none. Runs are thus of
//! minimal length.

use std::sync::Arc;
use std::time::Duration;

use smt::{Answer, Limits, Scalar, Solver};
use system::{PropertyId, PropertyKind, System, Term, not};

use crate::blackboard::{Blackboard, Engine, Evidence, Observation, SpecialCase, Verdict};
use crate::certify;
use crate::proof::invariant;
use crate::unroll::{Cone, Unrolling};

const ME: Engine = Engine::Bmc;

/// For one query about a special case.
const CASE_TIME: Duration = Duration::from_secs(5);

/// What decides a property: its violation, or its being reached.
pub(crate) fn decisive(system: &System, id: PropertyId) -> Term {
    not(&invariant(system, id))
}

/// May the property be decided at this step?
pub(crate) fn concerns(system: &System, id: PropertyId, step: usize) -> bool {
    match system.property(id).kind {
        PropertyKind::Invariant => true,
        PropertyKind::Reachable { from, within } => {
            let step = step as u64;
            from.is_none_or(|from| step >= from) && within.is_none_or(|within| step <= within)
        }
    }
}

fn is_over(system: &System, id: PropertyId, step: usize) -> bool {
    match system.property(id).kind {
        PropertyKind::Invariant => false,
        PropertyKind::Reachable { within, .. } => within.is_some_and(|n| step as u64 > n),
    }
}

pub(crate) struct Bmc<'a> {
    system: &'a Arc<System>,
    board: &'a Blackboard,
    observed: &'a [Observation],
    unrolling: Unrolling,
    open: Vec<PropertyId>,
    max: usize,
    /// Ask whether there are runs of each length.
    check_unrolling: bool,
}

impl<'a> Bmc<'a> {
    pub fn new(
        system: &'a Arc<System>,
        board: &'a Blackboard,
        observed: &'a [Observation],
        properties: &[PropertyId],
        max: usize,
        check_unrolling: bool,
    ) -> Bmc<'a> {
        let roots = properties.iter();
        let roots = roots.map(|id| system.property(*id).term.clone());
        // Where nothing but types restricts inputs, there are always runs.
        let may_end = system.constraints.iter().any(|c| c.element.is_some());
        Bmc {
            system,
            board,
            observed,
            unrolling: Unrolling::new(system, Cone::of(system, roots), true),
            open: properties.to_vec(),
            max,
            check_unrolling: check_unrolling && may_end,
        }
    }

    /// To any depth.
    pub fn run(&mut self) {
        while self.step() {}
    }

    /// Decides what runs of the present length can decide, and goes one deeper;
    /// `false` if there is nothing left to do.
    pub fn step(&mut self) -> bool {
        let (system, board) = (self.system, self.board);
        let step = self.unrolling.last();
        self.open.retain(|id| board.is_open(*id));
        close_over(system, board, &mut self.open, step);
        if self.open.is_empty() || board.stopped() || (self.max > 0 && step > self.max) {
            return false;
        }
        board.ledger.reached(ME, step);
        let solver = &mut self.unrolling.solver;
        if self.check_unrolling && board.ledger.ask(ME, solver, &[]) == Answer::Unsat {
            for id in &self.open {
                no_run(system, board, *id, step);
            }
            return false;
        }
        let mut asked: Vec<PropertyId> = self.open.clone();
        asked.retain(|id| concerns(system, *id, step));
        let (unrolling, observed) = (&mut self.unrolling, self.observed);
        let stuck = decide_at(system, board, unrolling, observed, asked, step, None);
        self.open
            .retain(|id| board.is_open(*id) && !stuck.contains(id));
        board.watch(&stuck, false);
        if board.stopped() {
            return false;
        }
        for id in &self.open {
            board.set_clear(*id, step + 1);
        }
        self.unrolling.extend();
        true
    }
}

/// Looks for runs of special cases, all to the same depth before any goes
/// deeper. Nothing is learnt from there being none.
pub(crate) fn run_cases(board: &Blackboard, cases: &[SpecialCase], max: usize) {
    let limits = Limits {
        time: Some(CASE_TIME),
        resources: None,
    };
    let mut open: Vec<(usize, Unrolling, Vec<PropertyId>)> = Vec::new();
    for (at, case) in cases.iter().enumerate() {
        let all: Vec<PropertyId> = (0..case.system.properties.len()).map(PropertyId).collect();
        let roots = case.system.properties.iter().map(|p| p.term.clone());
        let cone = Cone::of(&case.system, roots);
        let mut unrolling = Unrolling::new(&case.system, cone, true);
        unrolling.solver.limit(limits);
        open.push((at, unrolling, all));
    }
    for step in 0.. {
        if open.is_empty() || board.stopped() || (max > 0 && step > max) {
            return;
        }
        open.retain_mut(|(at, unrolling, properties)| {
            let case = &cases[*at];
            let system = &case.system;
            properties.retain(|id| board.is_open(*id) && !is_over(system, *id, step));
            let mut asked = properties.clone();
            asked.retain(|id| concerns(system, *id, step));
            let here = Some(*at);
            let stuck = decide_at(system, board, unrolling, &case.observed, asked, step, here);
            properties.retain(|id| !stuck.contains(id));
            unrolling.extend();
            !properties.is_empty()
        });
    }
}

/// Looks for a run of at most `depth` steps that decides a property, on behalf
/// of an engine that has reason to believe in one.
pub(crate) fn refute(
    system: &Arc<System>,
    board: &Blackboard,
    observed: &[Observation],
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
            match board.ledger.ask(engine, &mut unrolling.solver, &[literal]) {
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
fn close_over(system: &Arc<System>, board: &Blackboard, open: &mut Vec<PropertyId>, step: usize) {
    let stop = || board.stopped();
    open.retain(|id| {
        let over = is_over(system, *id, step);
        if over {
            let first = (0..step).find(|at| concerns(system, *id, *at));
            let steps = first.unwrap_or(step)..step;
            let term = &system.property(*id).term;
            let check = || certify::never_within(system, term, steps, &stop);
            if board.certify(ME, check) {
                let evidence = Evidence::Bounded { steps: step };
                board.decide(*id, ME, Verdict::Always(evidence));
            }
        }
        !over
    });
}

/// All runs end before this step: what none of them decides holds.
fn no_run(system: &Arc<System>, board: &Blackboard, id: PropertyId, step: usize) {
    let stop = || board.stopped();
    let first = (0..step).find(|at| concerns(system, id, *at));
    let steps = first.unwrap_or(step)..step;
    let check = || {
        certify::never_within(system, &decisive(system, id), steps, &stop)
            && certify::no_run(system, &system.property(id).term, step, &stop)
    };
    if board.certify(ME, check) {
        let evidence = Evidence::NoRun { steps: step };
        board.decide(id, ME, Verdict::Always(evidence));
    }
}

/// Decides what a run of this length can decide; gives back the properties
/// that the solver could not answer for.
fn decide_at(
    system: &System,
    board: &Blackboard,
    unrolling: &mut Unrolling,
    observed: &[Observation],
    mut asked: Vec<PropertyId>,
    step: usize,
    case: Option<usize>,
) -> Vec<PropertyId> {
    let mut stuck = Vec::new();
    while !asked.is_empty() && !board.stopped() {
        let goal = system::or(asked.iter().map(|id| decisive(system, *id)));
        let literal = unrolling.solver.literal();
        unrolling.solver.assert_if(literal, &goal, step);
        match board.ledger.ask(ME, &mut unrolling.solver, &[literal]) {
            Answer::Unsat => {
                unrolling.solver.retire(literal);
                break;
            }
            Answer::Sat => {
                let hit: Vec<PropertyId> = asked
                    .iter()
                    .copied()
                    .filter(|id| holds(unrolling, &decisive(system, *id), step))
                    .collect();
                let mut run = unrolling.run(observed, step);
                run.case = case;
                for id in &hit {
                    board.decide(*id, ME, Verdict::Witness(run.clone()));
                }
                if hit.is_empty() {
                    // The model says nothing definite: no one can be blamed.
                    stuck.append(&mut asked);
                }
                asked.retain(|id| !hit.contains(id));
                unrolling.solver.retire(literal);
            }
            Answer::Unknown(_) if asked.len() == 1 => {
                unrolling.solver.retire(literal);
                stuck.append(&mut asked);
            }
            Answer::Unknown(_) => {
                unrolling.solver.retire(literal);
                // One hard property must not hold up the others.
                for id in std::mem::take(&mut asked) {
                    let alone = decide_at(system, board, unrolling, observed, vec![id], step, case);
                    stuck.extend(alone);
                }
            }
        }
    }
    stuck
}

fn holds(unrolling: &mut Unrolling, term: &Term, step: usize) -> bool {
    unrolling.solver.value(term, step) == Some(Scalar::Bool(true))
}
