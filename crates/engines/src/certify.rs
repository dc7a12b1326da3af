//! Checks evidence in a fresh solver before anyone believes it.

use std::collections::BTreeSet;
use std::sync::Arc;

use smt::{Answer, Literal, Solver};
use system::{System, Term, and, not};

use crate::compress::{self, Compression};
use crate::proof::conjuncts;
use crate::unroll::{Cone, Unrolling};

/// Is the invariant k-inductive, along paths without shortcuts?
pub(crate) fn inductive(
    system: &Arc<System>,
    invariant: &Term,
    k: usize,
    compression: Compression,
    stop: &dyn Fn() -> bool,
) -> bool {
    base(system, invariant, k, stop) && step(system, invariant, k, compression, stop)
}

/// No run has more steps than these; the term says which part of the system
/// matters.
pub(crate) fn no_run(
    system: &Arc<System>,
    term: &Term,
    steps: usize,
    stop: &dyn Fn() -> bool,
) -> bool {
    let cone = Cone::of(system, [term.clone()]);
    let mut unrolling = Unrolling::new(system, cone, true);
    for _ in 0..steps {
        unrolling.extend();
    }
    !stop() && unrolling.solver.check(&[]) == Answer::Unsat
}

/// The term holds at none of the steps.
pub(crate) fn never_within(
    system: &Arc<System>,
    term: &Term,
    steps: std::ops::Range<usize>,
    stop: &dyn Fn() -> bool,
) -> bool {
    let mut unrolling = Unrolling::new(system, Cone::of(system, [term.clone()]), true);
    for step in 0..steps.end {
        if step > 0 {
            unrolling.extend();
        }
        if steps.contains(&step) {
            let literal = unrolling.solver.literal();
            unrolling.solver.assert_if(literal, term, step);
            if stop() || unrolling.solver.check(&[literal]) != Answer::Unsat {
                return false;
            }
        }
    }
    true
}

/// The first k steps satisfy the invariant.
fn base(system: &Arc<System>, invariant: &Term, k: usize, stop: &dyn Fn() -> bool) -> bool {
    let cone = Cone::of(system, [invariant.clone()]);
    let mut unrolling = Unrolling::new(system, cone, true);
    for step in 0..k {
        if step > 0 {
            unrolling.extend();
        }
        if !holds(&mut unrolling, invariant, step, stop) {
            return false;
        }
        unrolling.solver.assert(invariant, step);
    }
    true
}

/// After k steps with the invariant comes another.
fn step(
    system: &Arc<System>,
    invariant: &Term,
    k: usize,
    compression: Compression,
    stop: &dyn Fn() -> bool,
) -> bool {
    let cone = Cone::of(system, [invariant.clone()]);
    let mut unrolling = Unrolling::new(system, cone, false);
    for step in 0..k {
        unrolling.solver.assert(invariant, step);
        unrolling.extend();
    }
    compress::exclude_all(compression, &mut unrolling, k);
    holds(&mut unrolling, invariant, k, stop)
}

/// Lemmas that a term and they themselves need to be inductive, out of many
/// that are in the order of their proofs; `None` if the term is not k-inductive
/// even with all of them.
pub(crate) fn support(
    system: &Arc<System>,
    own: &Term,
    k: usize,
    lemmas: &[(usize, Term)],
    stop: &dyn Fn() -> bool,
) -> Option<Vec<(usize, Term)>> {
    let mut chosen: BTreeSet<usize> = BTreeSet::new();
    loop {
        let more = needed(system, own, k, lemmas, &chosen, stop)?;
        if more.is_empty() {
            return Some(chosen.iter().map(|at| lemmas[*at].clone()).collect());
        }
        chosen.extend(more);
    }
}

/// The lemmas that the term and those chosen so far lean on, besides these.
fn needed(
    system: &Arc<System>,
    own: &Term,
    k: usize,
    lemmas: &[(usize, Term)],
    chosen: &BTreeSet<usize>,
    stop: &dyn Fn() -> bool,
) -> Option<Vec<usize>> {
    let depth = chosen.iter().map(|at| lemmas[*at].0).fold(k, usize::max);
    let terms = chosen.iter().map(|at| lemmas[*at].1.clone());
    let invariant = and([own.clone()].into_iter().chain(terms));
    let roots = lemmas.iter().map(|(_, term)| term.clone());
    let cone = Cone::of(system, roots.chain([own.clone()]));
    let mut unrolling = Unrolling::new(system, cone, false);
    for step in 0..depth {
        unrolling.solver.assert(&invariant, step);
        unrolling.extend();
    }
    unrolling.solver.assert(&not(&invariant), depth);
    let mut others = Vec::new();
    for (at, (_, term)) in lemmas.iter().enumerate() {
        if !chosen.contains(&at) {
            let literal = unrolling.solver.literal();
            for step in 0..=depth {
                unrolling.solver.assert_if(literal, term, step);
            }
            others.push((at, literal));
        }
    }
    let mut core: Vec<Literal> = others.iter().map(|(_, literal)| *literal).collect();
    loop {
        if stop() || unrolling.solver.check(&core) != Answer::Unsat {
            return None;
        }
        let smaller = unrolling.solver.core();
        if smaller.len() == core.len() {
            break;
        }
        core = smaller;
    }
    let in_core = others.iter().filter(|(_, literal)| core.contains(literal));
    Some(in_core.map(|(at, _)| *at).collect())
}

/// Does each conjunct of the invariant follow at a step? One at a time, and
/// under an assumption: the solver is far quicker so than with all at once.
fn holds(
    unrolling: &mut Unrolling,
    invariant: &Term,
    step: usize,
    stop: &dyn Fn() -> bool,
) -> bool {
    conjuncts(invariant).iter().all(|part| {
        let fails = unrolling.solver.literal();
        unrolling.solver.assert_if(fails, &not(part), step);
        !stop() && unrolling.solver.check(&[fails]) == Answer::Unsat
    })
}
