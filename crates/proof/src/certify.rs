//! Checks evidence in a fresh solver before anyone believes it; in two, where it comes
//! from a solver outside (`opinion.rs`).
//!
//! Engines keep solvers for long, with guards, limits and what was learnt for other questions. A
//! proof (k, φ) is checked by nothing but its definition: φ holds at the first k steps of runs,
//! and at a step that follows k steps with φ. That no run violates a property before all runs
//! end is checked step by step.

use std::sync::Arc;

use smt::{Literal, Solver, SolverContext};
use system::{PropertyId, PropertyKind, System, Term, and, not};

use crate::compress::{self, Compression};
use crate::cone::Cone;
use crate::evidence::Evidence;
use crate::opinion::{Opinion, confirmed};
use crate::unroll::Unrolling;

/// What must always hold for the property to hold, or to be unreachable.
pub fn invariant(system: &System, id: PropertyId) -> Term {
    let property = system.property(id);
    match property.kind {
        PropertyKind::Invariant => property.term.clone(),
        PropertyKind::Reachable { .. } => not(&property.term),
    }
}

/// Does the evidence show, in a fresh solver, that the properties of a system
/// always hold?
pub fn holds_up(context: &SolverContext, system: &Arc<System>, evidence: &Evidence) -> bool {
    let never = || false;
    let goals: Vec<Term> = system.properties.iter().map(|p| p.term.clone()).collect();
    match evidence {
        Evidence::Inductive { k, invariant } => {
            let whole = and(goals.into_iter().chain([invariant.clone()]));
            inductive(context, system, &whole, *k, Compression::NONE, &never)
        }
        Evidence::NoRun { steps } => goals.iter().all(|goal| {
            never_within(context, system, &not(goal), 0..*steps, &never)
                && no_run(context, system, goal, *steps, &never)
        }),
        Evidence::SimplePath { .. } | Evidence::Bounded { .. } => false,
    }
}

/// Is the invariant k-inductive, along paths without shortcuts?
pub fn inductive(
    context: &SolverContext,
    system: &Arc<System>,
    invariant: &Term,
    k: usize,
    compression: Compression,
    stop: &dyn Fn() -> bool,
) -> bool {
    confirmed(context, stop, |context| {
        base(context, system, invariant, k, stop)
            .and(|| step_opinion(context, system, invariant, k, compression, stop))
    })
}

/// No run has more steps than these; the term says which part of the system
/// matters.
pub fn no_run(
    context: &SolverContext,
    system: &Arc<System>,
    term: &Term,
    steps: usize,
    stop: &dyn Fn() -> bool,
) -> bool {
    confirmed(context, stop, |context| {
        let cone = Cone::of(system, [term.clone()]);
        let mut unrolling = Unrolling::new(context, system, cone, true);
        for _ in 0..steps {
            unrolling.extend();
        }
        ask(&mut unrolling, &[], stop)
    })
}

/// Are the literals contrary to what is asserted?
fn ask(unrolling: &mut Unrolling, literals: &[Literal], stop: &dyn Fn() -> bool) -> Opinion {
    match stop() {
        true => Opinion::Open,
        false => Opinion::from_contrary(&unrolling.solver.check(literals)),
    }
}

/// The term holds at none of the steps.
pub fn never_within(
    context: &SolverContext,
    system: &Arc<System>,
    term: &Term,
    steps: std::ops::Range<usize>,
    stop: &dyn Fn() -> bool,
) -> bool {
    confirmed(context, stop, |context| {
        let mut unrolling = Unrolling::new(context, system, Cone::of(system, [term.clone()]), true);
        Opinion::of_all((0..steps.end).map(|step| {
            if step > 0 {
                unrolling.extend();
            }
            if !steps.contains(&step) {
                return Opinion::Holds;
            }
            let literal = unrolling.solver.literal();
            unrolling.solver.assert_if(literal, term, step);
            ask(&mut unrolling, &[literal], stop)
        }))
    })
}

/// The first k steps satisfy the invariant.
fn base(
    context: &SolverContext,
    system: &Arc<System>,
    invariant: &Term,
    k: usize,
    stop: &dyn Fn() -> bool,
) -> Opinion {
    let cone = Cone::of(system, [invariant.clone()]);
    let mut unrolling = Unrolling::new(context, system, cone, true);
    Opinion::of_all((0..k).map(|step| {
        if step > 0 {
            unrolling.extend();
        }
        let opinion = holds(&mut unrolling, invariant, step, stop);
        unrolling.solver.assert(invariant, step);
        opinion
    }))
}

/// After k steps with the invariant comes another.
pub fn step(
    context: &SolverContext,
    system: &Arc<System>,
    invariant: &Term,
    k: usize,
    compression: Compression,
    stop: &dyn Fn() -> bool,
) -> bool {
    step_opinion(context, system, invariant, k, compression, stop) == Opinion::Holds
}

fn step_opinion(
    context: &SolverContext,
    system: &Arc<System>,
    invariant: &Term,
    k: usize,
    compression: Compression,
    stop: &dyn Fn() -> bool,
) -> Opinion {
    let cone = Cone::of(system, [invariant.clone()]);
    let mut unrolling = Unrolling::new(context, system, cone, false);
    for step in 0..k {
        unrolling.solver.assert(invariant, step);
        unrolling.extend();
    }
    compress::exclude_all(compression, &mut unrolling, k);
    holds(&mut unrolling, invariant, k, stop)
}

/// Does each conjunct of the invariant follow at a step? One at a time, and
/// under an assumption: the solver is far quicker so than with all at once.
fn holds(
    unrolling: &mut Unrolling,
    invariant: &Term,
    step: usize,
    stop: &dyn Fn() -> bool,
) -> Opinion {
    Opinion::of_all(invariant.conjuncts().iter().map(|part| {
        let fails = unrolling.solver.literal();
        unrolling.solver.assert_if(fails, &not(part), step);
        ask(unrolling, &[fails], stop)
    }))
}
