//! Checks evidence in a fresh solver before anyone believes it; in two, where it comes
//! from a solver outside ([`opinion`](crate::opinion)).

use std::collections::{BTreeSet, HashSet};
use std::sync::Arc;

use smt::{Answer, Literal, Solver};
use system::{System, Term, and, not};

use crate::blackboard::Evidence;
use crate::compress::{self, Compression};
use crate::opinion::{Opinion, confirmed};
use crate::unroll::{Cone, Unrolling};

/// Does the evidence show, in a fresh solver, that the properties of a system
/// always hold?
pub fn holds_up(system: &Arc<System>, evidence: &Evidence) -> bool {
    let never = || false;
    let goals: Vec<Term> = system.properties.iter().map(|p| p.term.clone()).collect();
    match evidence {
        Evidence::Inductive { k, invariant } => {
            let whole = and(goals.into_iter().chain([invariant.clone()]));
            inductive(system, &whole, *k, Compression::NONE, &never)
        }
        Evidence::NoRun { steps } => goals.iter().all(|goal| {
            never_within(system, &not(goal), 0..*steps, &never)
                && no_run(system, goal, *steps, &never)
        }),
        Evidence::SimplePath { .. } | Evidence::Bounded { .. } => false,
    }
}

/// Is the invariant k-inductive, along paths without shortcuts?
pub(crate) fn inductive(
    system: &Arc<System>,
    invariant: &Term,
    k: usize,
    compression: Compression,
    stop: &dyn Fn() -> bool,
) -> bool {
    confirmed(stop, || {
        base(system, invariant, k, stop)
            .and(|| step_opinion(system, invariant, k, compression, stop))
    })
}

/// No run has more steps than these; the term says which part of the system
/// matters.
pub(crate) fn no_run(
    system: &Arc<System>,
    term: &Term,
    steps: usize,
    stop: &dyn Fn() -> bool,
) -> bool {
    confirmed(stop, || {
        let cone = Cone::of(system, [term.clone()]);
        let mut unrolling = Unrolling::new(system, cone, true);
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
pub(crate) fn never_within(
    system: &Arc<System>,
    term: &Term,
    steps: std::ops::Range<usize>,
    stop: &dyn Fn() -> bool,
) -> bool {
    confirmed(stop, || {
        let mut unrolling = Unrolling::new(system, Cone::of(system, [term.clone()]), true);
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
fn base(system: &Arc<System>, invariant: &Term, k: usize, stop: &dyn Fn() -> bool) -> Opinion {
    let cone = Cone::of(system, [invariant.clone()]);
    let mut unrolling = Unrolling::new(system, cone, true);
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
pub(crate) fn step(
    system: &Arc<System>,
    invariant: &Term,
    k: usize,
    compression: Compression,
    stop: &dyn Fn() -> bool,
) -> bool {
    step_opinion(system, invariant, k, compression, stop) == Opinion::Holds
}

fn step_opinion(
    system: &Arc<System>,
    invariant: &Term,
    k: usize,
    compression: Compression,
    stop: &dyn Fn() -> bool,
) -> Opinion {
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
    let mut depth = k;
    loop {
        let chosen = Support::new(system, own, depth, lemmas).chosen(own, stop)?;
        let chosen: Vec<(usize, Term)> = chosen.iter().map(|at| lemmas[*at].clone()).collect();
        let deepest = chosen.iter().map(|(k, _)| *k).fold(depth, usize::max);
        if deepest == depth {
            return Some(chosen);
        }
        depth = deepest;
    }
}

/// What is asked of lemmas: each is proved at the last step by those that a core
/// names. At that step it may rest on lemmas before it only, so that all of them
/// are inductive together.
struct Support<'l> {
    unrolling: Unrolling,
    depth: usize,
    lemmas: &'l [(usize, Term)],
    /// For each lemma: it holds at the steps before the last, and at the last.
    literals: Vec<(Literal, Literal)>,
}

impl<'l> Support<'l> {
    fn new(
        system: &Arc<System>,
        own: &Term,
        depth: usize,
        lemmas: &'l [(usize, Term)],
    ) -> Support<'l> {
        let roots = lemmas.iter().map(|(_, term)| term.clone());
        let cone = Cone::of(system, roots.chain([own.clone()]));
        let mut unrolling = Unrolling::new(system, cone, false);
        for step in 0..depth {
            unrolling.solver.assert(own, step);
            unrolling.extend();
        }
        let mut literals = Vec::new();
        for (_, term) in lemmas {
            let (before, now) = (unrolling.solver.literal(), unrolling.solver.literal());
            for step in 0..depth {
                unrolling.solver.assert_if(before, term, step);
            }
            unrolling.solver.assert_if(now, term, depth);
            literals.push((before, now));
        }
        Support {
            unrolling,
            depth,
            lemmas,
            literals,
        }
    }

    /// The lemmas that the term rests on, all the way down; those that need more
    /// steps are left as they are.
    fn chosen(&mut self, own: &Term, stop: &dyn Fn() -> bool) -> Option<BTreeSet<usize>> {
        let mut chosen = BTreeSet::new();
        let mut open = Vec::new();
        for part in own.conjuncts() {
            open.extend(self.needed(&part, self.lemmas.len(), stop)?);
        }
        while let Some(at) = open.pop() {
            let (k, term) = &self.lemmas[at];
            if chosen.insert(at) && *k <= self.depth {
                open.extend(self.needed(term, at, stop)?);
            }
        }
        Some(chosen)
    }

    /// The lemmas by which the term holds at the last step; at that step, some of
    /// the first only.
    fn needed(&mut self, term: &Term, first: usize, stop: &dyn Fn() -> bool) -> Option<Vec<usize>> {
        let solver = &mut self.unrolling.solver;
        let fails = solver.literal();
        solver.assert_if(fails, &not(term), self.depth);
        let before = self.literals.iter().map(|(before, _)| *before);
        let now = self.literals[..first].iter().map(|(_, now)| *now);
        let mut core: Vec<Literal> = before.chain(now).chain([fails]).collect();
        loop {
            if stop() || solver.check(&core) != Answer::Unsat {
                return None;
            }
            let smaller = solver.core();
            if smaller.len() == core.len() {
                break;
            }
            core = smaller;
        }
        let core: HashSet<Literal> = core.into_iter().collect();
        let literals = self.literals.iter().enumerate();
        let used = literals.filter(|(_, (b, n))| core.contains(b) || core.contains(n));
        Some(used.map(|(at, _)| at).collect())
    }
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
