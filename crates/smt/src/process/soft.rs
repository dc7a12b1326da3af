//! The best model by weights, without an optimiser: implicit hitting sets
//! (Davies, Bacchus: Solving MAXSAT by Solving a Sequence of Simpler SAT
//! Instances, 2011).
//!
//! Every core names soft literals that cannot all hold. A cheapest set that has a literal of every
//! core is given up, and all other soft literals are assumed: the answer is a model, which is then
//! optimal, or another core.

use std::collections::BTreeSet;

use crate::solver::{Answer, Literal, Solver};

pub(super) fn check(
    solver: &mut impl Solver,
    assumptions: &[Literal],
    soft: &[(Literal, u32)],
) -> Answer {
    let mut cores: Vec<BTreeSet<usize>> = Vec::new();
    loop {
        let given_up = cheapest(&cores, soft);
        let kept = soft.iter().enumerate();
        let kept = kept.filter(|(at, _)| !given_up.contains(at));
        let kept = kept.map(|(_, (literal, _))| *literal);
        let all: Vec<Literal> = assumptions.iter().copied().chain(kept).collect();
        let answer = solver.check(&all);
        if answer != Answer::Unsat {
            return answer;
        }
        let core = solver.core();
        let indices = soft.iter().enumerate();
        let found = indices.filter(|(at, (literal, _))| {
            core.contains(literal) && !assumptions.contains(literal) && !given_up.contains(at)
        });
        let found: BTreeSet<usize> = found.map(|(at, _)| at).collect();
        if found.is_empty() {
            return Answer::Unsat;
        }
        cores.push(found);
    }
}

/// A set of least weight that has something of every core.
fn cheapest(cores: &[BTreeSet<usize>], soft: &[(Literal, u32)]) -> BTreeSet<usize> {
    let mut best = (u64::MAX, BTreeSet::new());
    let weight = |at: usize| u64::from(soft[at].1);
    let mut open = vec![(0, BTreeSet::new())];
    while let Some((cost, chosen)) = open.pop() {
        if cost >= best.0 {
            continue;
        }
        match cores.iter().find(|core| core.is_disjoint(&chosen)) {
            None => best = (cost, chosen),
            Some(core) => open.extend(core.iter().map(|at| {
                let mut more = chosen.clone();
                more.insert(*at);
                (cost + weight(*at), more)
            })),
        }
    }
    best.1
}
