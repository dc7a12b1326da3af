//! Proofs with as little in them as they can do with.
//!
//! First the smallest k for which the invariant is inductive. Then those of its
//! conjuncts that the properties lean on, by unsatisfiable cores, and these lean on
//! in turn. Then each that is left is left out in turn, if the rest is inductive
//! without it.

use std::collections::{BTreeSet, HashSet};
use std::sync::Arc;
use std::time::Duration;

use smt::clock::Moment;
use smt::{Answer, Literal, Solver};
use system::{System, Term, and, not};

use crate::blackboard::Evidence;
use crate::compress::{self, Compression};
use crate::unroll::{Cone, Unrolling};

/// Evidence for the goals that is not larger than this one: the goals, and the
/// conjuncts that they need. What takes longer than the time set for it is left as
/// it is.
pub fn minimised(
    system: &Arc<System>,
    goals: &[Term],
    evidence: &Evidence,
    time: Duration,
) -> Evidence {
    let end = Moment::now() + time;
    let (k, invariant) = match evidence {
        Evidence::Inductive { k, invariant } | Evidence::SimplePath { k, invariant } => {
            (*k, invariant)
        }
        Evidence::NoRun { .. } | Evidence::Bounded { .. } => return evidence.clone(),
    };
    let plain = (1..=k).find_map(|k| smaller(system, goals, invariant, k, Compression::NONE, end));
    if let Some((k, invariant)) = plain {
        return Evidence::Inductive { k, invariant };
    }
    let simple = Compression {
        equal: true,
        ..Compression::NONE
    };
    let along_paths = match evidence {
        Evidence::SimplePath { .. } => smaller(system, goals, invariant, k, simple, end),
        _ => None,
    };
    match along_paths {
        Some((k, invariant)) => Evidence::SimplePath { k, invariant },
        None => evidence.clone(),
    }
}

/// The same for one k; nothing if the invariant is not inductive with it.
fn smaller(
    system: &Arc<System>,
    goals: &[Term],
    invariant: &Term,
    k: usize,
    compression: Compression,
    end: Moment,
) -> Option<(usize, Term)> {
    let mut all: Vec<Term> = goals.iter().flat_map(Term::conjuncts).collect();
    let own = all.len();
    all.extend(invariant.conjuncts());
    let mut seen = HashSet::new();
    let mut position = 0;
    let mut first = 0;
    all.retain(|term| {
        position += 1;
        let new = seen.insert(term.id());
        first += usize::from(new && position <= own);
        new
    });
    let goals: BTreeSet<usize> = (0..first).collect();
    let mut step = Step::new(system, &all, k, compression, end);
    let everything = (0..all.len()).collect();
    let mut needed = step.closure(&goals, &everything)?;
    for at in needed.clone() {
        if goals.contains(&at) || !needed.contains(&at) {
            continue;
        }
        let mut fewer = needed.clone();
        fewer.remove(&at);
        if let Some(found) = step.closure(&goals, &fewer) {
            needed = found;
        }
    }
    let invariant = and(needed.into_iter().map(|at| all[at].clone()));
    Some((k, invariant))
}

/// k steps with terms that can be switched on and off, and another step.
struct Step<'t> {
    unrolling: Unrolling,
    terms: &'t [Term],
    /// For each term: it holds at the first k steps; it fails at the last.
    literals: Vec<(Literal, Literal)>,
    end: Moment,
}

impl<'t> Step<'t> {
    fn new(
        system: &Arc<System>,
        terms: &'t [Term],
        k: usize,
        compression: Compression,
        end: Moment,
    ) -> Step<'t> {
        let cone = Cone::of(system, terms.iter().cloned());
        let mut unrolling = Unrolling::new(system, cone, false);
        for _ in 0..k {
            unrolling.extend();
        }
        compress::exclude_all(compression, &mut unrolling, k);
        unrolling.limit_time(Some(end.left()));
        let mut literals = Vec::new();
        for term in terms {
            let (holds, fails) = (unrolling.solver.literal(), unrolling.solver.literal());
            for step in 0..k {
                unrolling.solver.assert_if(holds, term, step);
            }
            unrolling.solver.assert_if(fails, &not(term), k);
            literals.push((holds, fails));
        }
        Step {
            unrolling,
            terms,
            literals,
            end,
        }
    }

    /// What the goals need of the terms that are there, all the way down; nothing if
    /// that is not enough, or time is up.
    fn closure(
        &mut self,
        goals: &BTreeSet<usize>,
        there: &BTreeSet<usize>,
    ) -> Option<BTreeSet<usize>> {
        let mut needed = goals.clone();
        let mut open: Vec<usize> = goals.iter().copied().collect();
        while let Some(at) = open.pop() {
            for other in self.reasons(at, there)? {
                if needed.insert(other) {
                    open.push(other);
                }
            }
        }
        Some(needed)
    }

    /// The terms by which one of them holds at the last step.
    fn reasons(&mut self, at: usize, there: &BTreeSet<usize>) -> Option<Vec<usize>> {
        if self.end.is_past() {
            return None;
        }
        let fails = self.literals[at].1;
        let holding = there.iter().map(|at| self.literals[*at].0);
        let assumptions: Vec<Literal> = holding.chain([fails]).collect();
        let solver = &mut self.unrolling.solver;
        if solver.check(&assumptions) != Answer::Unsat {
            return None;
        }
        let core: HashSet<Literal> = solver.core().into_iter().collect();
        let used = (0..self.terms.len()).filter(|at| core.contains(&self.literals[*at].0));
        Some(used.collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use system::{Role, Sort, StateVar, Var, add, eq, integer, ite, le};

    /// Two counters that count together.
    fn twins() -> (Arc<System>, Term, Term) {
        let up = system::var(Var(2), Sort::Bool);
        let counter = |at: u32| {
            let own = system::var(Var(at), Sort::Int);
            let mut declared = StateVar::new("n", Sort::Int, Role::State);
            declared.init = Some(integer(0));
            declared.next = Some(ite(&up, &add([own.clone(), integer(1)]), &own));
            (declared, own)
        };
        let ((first, x), (second, y)) = (counter(0), counter(1));
        let up = StateVar::new("up", Sort::Bool, Role::Input);
        let system = System {
            vars: vec![first, second, up],
            ..System::default()
        };
        (Arc::new(system), x, y)
    }

    #[test]
    fn a_proof_keeps_what_it_needs() {
        let (system, x, y) = twins();
        let goal = not(&and([eq(&x, &integer(3)), eq(&y, &integer(4))]));
        let (alike, positive) = (eq(&x, &y), le(&integer(0), &x));
        let evidence = Evidence::Inductive {
            k: 3,
            invariant: and([positive, goal.clone(), alike.clone()]),
        };
        let time = Duration::from_secs(60);
        let small = minimised(&system, std::slice::from_ref(&goal), &evidence, time);
        let Evidence::Inductive { k, invariant } = small else {
            panic!("{small:?}");
        };
        assert_eq!((k, invariant), (1, and([goal.clone(), alike])));
        // Without time it stays as it is, and so does what is no proof.
        let same = minimised(
            &system,
            std::slice::from_ref(&goal),
            &evidence,
            Duration::ZERO,
        );
        assert!(matches!(same, Evidence::Inductive { k: 3, .. }));
        let wrong = Evidence::Inductive {
            k: 1,
            invariant: goal.clone(),
        };
        let same = minimised(&system, std::slice::from_ref(&goal), &wrong, time);
        assert!(matches!(same, Evidence::Inductive { invariant, .. } if invariant == goal));
    }
}
