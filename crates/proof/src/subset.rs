//! The largest k-inductive subset of a set of candidates.
//!
//! Candidates are dropped as long as a model refutes some: those that fail at one of the first
//! k steps of a run, then those that fail after k steps on which all that are left hold. What
//! is left is k-inductive together, and there is no larger subset that is: dropping never
//! loses a candidate that such a subset has (Flanagan and Leino, *Houdini, an Annotation
//! Assistant for ESC/Java*, FME 2001; with k steps: Kahsai, Ge and Tinelli, *Instantiation-Based
//! Invariant Discovery*, NFM 2011, section 3).
//!
//! Who asks the solver, and how, differs: [`Paths`] is implemented for a plain unrolling, which
//! is asked about all candidates at once, for [`OneByOne`], and for guarded unrollings by those
//! who have them. k-induction uses [`largest`] itself, since it has more to do with a model.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use smt::{Answer, Literal, Solver, SolverContext};
use system::{System, Term, not, or};

use crate::cone::Cone;
use crate::unroll::Unrolling;

/// What a question about candidates has shown.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Refutation<C> {
    /// No path refutes any of them.
    None,
    /// A path refutes all but these.
    Leaves(Vec<C>),
    /// The path is excluded by now: ask again.
    Spurious,
    /// There was no answer, or none that can be read off a model.
    Unknown,
}

impl Refutation<Term> {
    /// From the answer to whether some of the candidates fail; `holds` reads the model.
    pub fn of(
        answer: &Answer,
        candidates: &[Term],
        mut holds: impl FnMut(&Term) -> Option<bool>,
    ) -> Refutation<Term> {
        match answer {
            Answer::Unsat => Refutation::None,
            Answer::Sat => {
                let left = candidates.iter().filter(|term| holds(term) == Some(true));
                Refutation::Leaves(left.cloned().collect())
            }
            Answer::Unknown(_) => Refutation::Unknown,
        }
    }
}

/// The solver could not answer within its limits, or all is over.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct GaveUp;

/// Drops candidates until none of those that are left is refuted. Where it is given up, the
/// candidates are those that were left by then.
pub fn largest<C>(
    candidates: &mut Vec<C>,
    mut refute: impl FnMut(&[C]) -> Refutation<C>,
) -> Result<(), GaveUp> {
    while !candidates.is_empty() {
        match refute(candidates) {
            Refutation::None => break,
            // The model has no exact values.
            Refutation::Leaves(left) if left.len() == candidates.len() => return Err(GaveUp),
            Refutation::Leaves(left) => *candidates = left,
            Refutation::Spurious => {}
            Refutation::Unknown => return Err(GaveUp),
        }
    }
    Ok(())
}

/// Paths of a system, about which candidates are asked.
pub trait Paths {
    /// Looks for a path on which all candidates hold at the first steps, so many of them, and
    /// not all at another step.
    fn refute(&mut self, candidates: &[Term], first: usize, step: usize) -> Refutation<Term>;
}

/// Keeps the candidates that hold at the first k steps of all runs.
pub fn hold_at_first(
    runs: &mut impl Paths,
    candidates: &mut Vec<Term>,
    k: usize,
) -> Result<(), GaveUp> {
    (0..k).try_for_each(|step| largest(candidates, |left| runs.refute(left, 0, step)))
}

/// Keeps the candidates that hold after k steps on which all that are kept do.
pub fn hold_after(
    paths: &mut impl Paths,
    candidates: &mut Vec<Term>,
    k: usize,
) -> Result<(), GaveUp> {
    largest(candidates, |left| paths.refute(left, k, k))
}

/// Keeps the candidates that are k-inductive together, asking about one after the other.
pub fn inductive_subset(
    context: &SolverContext,
    system: &Arc<System>,
    candidates: &mut Vec<Term>,
    k: usize,
    stop: &dyn Fn() -> bool,
) -> Result<(), GaveUp> {
    let unrolled = |roots: &[Term], from_init| {
        let cone = Cone::of(system, roots.iter().cloned());
        OneByOne::new(Unrolling::new(context, system, cone, from_init), stop)
    };
    hold_at_first(&mut unrolled(candidates, true), candidates, k)?;
    hold_after(&mut unrolled(candidates, false), candidates, k)
}

/// All candidates at once, in a scope of the solver of their own.
impl Paths for Unrolling {
    fn refute(&mut self, candidates: &[Term], first: usize, step: usize) -> Refutation<Term> {
        self.solver.push();
        for step in 0..first {
            for term in candidates {
                self.solver.assert(term, step);
            }
        }
        let some_fails = or(candidates.iter().map(not));
        self.solver.assert(&some_fails, step);
        let answer = self.solver.check(&[]);
        let refutation = Refutation::of(&answer, candidates, |term| self.solver.holds(term, step));
        self.solver.pop();
        refutation
    }
}

/// One candidate after the other, each under an assumption: where candidates are many and most
/// of them hold, a solver is far quicker so than with all at once.
pub struct OneByOne<'s> {
    unrolling: Unrolling,
    stop: &'s dyn Fn() -> bool,
    /// By candidate and number of steps: it holds at so many first steps.
    assumed: HashMap<(u64, usize), Literal>,
    /// Candidates that hold at a step, whatever others do.
    settled: HashSet<(u64, usize)>,
}

impl<'s> OneByOne<'s> {
    pub fn new(unrolling: Unrolling, stop: &'s dyn Fn() -> bool) -> OneByOne<'s> {
        OneByOne {
            unrolling,
            stop,
            assumed: HashMap::new(),
            settled: HashSet::new(),
        }
    }

    fn assumed(&mut self, term: &Term, first: usize) -> Literal {
        let solver = &mut self.unrolling.solver;
        let key = (term.id(), first);
        *self.assumed.entry(key).or_insert_with(|| {
            let holds = solver.literal();
            for step in 0..first {
                solver.assert_if(holds, term, step);
            }
            holds
        })
    }
}

impl Paths for OneByOne<'_> {
    fn refute(&mut self, candidates: &[Term], first: usize, step: usize) -> Refutation<Term> {
        while self.unrolling.last() < step {
            self.unrolling.extend();
        }
        let assumed = candidates.iter().filter(|_| first > 0);
        let assumed: Vec<Literal> = assumed.map(|term| self.assumed(term, first)).collect();
        for (at, term) in candidates.iter().enumerate() {
            if self.settled.contains(&(term.id(), step)) {
                continue;
            }
            let solver = &mut self.unrolling.solver;
            let fails = solver.literal();
            solver.assert_if(fails, &not(term), step);
            let assumptions: Vec<Literal> = assumed.iter().copied().chain([fails]).collect();
            if (self.stop)() {
                return Refutation::Unknown;
            }
            match solver.check(&assumptions) {
                Answer::Unsat => {}
                Answer::Sat => {
                    let others = (0..candidates.len()).filter(|other| *other != at);
                    let others = others.map(|other| candidates[other].clone());
                    let left = others.filter(|other| solver.holds(other, step) != Some(false));
                    let left = left.collect();
                    solver.retire(fails);
                    return Refutation::Leaves(left);
                }
                Answer::Unknown(_) => return Refutation::Unknown,
            }
            solver.retire(fails);
            if first == 0 {
                self.settled.insert((term.id(), step));
            }
        }
        Refutation::None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use system::{Role, Sort, StateVar, Var, add, eq, integer, le};

    /// `x` counts up from 0, and `y` is `x` one step before.
    fn system() -> (Arc<System>, Term, Term) {
        let (x, y) = (
            system::var(Var(0), Sort::Int),
            system::var(Var(1), Sort::Int),
        );
        let mut first = StateVar::new("x", Sort::Int, Role::State);
        first.init = Some(integer(0));
        first.next = Some(add([x.clone(), integer(1)]));
        let mut second = StateVar::new("y", Sort::Int, Role::State);
        second.init = Some(integer(-1));
        second.next = Some(x.clone());
        let system = System {
            vars: vec![first, second],
            ..System::default()
        };
        (Arc::new(system), x, y)
    }

    fn candidates(x: &Term, y: &Term) -> Vec<Term> {
        vec![
            le(&integer(0), x),
            eq(x, &integer(0)),
            eq(x, &add([y.clone(), integer(1)])),
            le(x, &integer(1)),
            le(&integer(-1), y),
        ]
    }

    #[test]
    fn all_at_once_and_one_by_one_find_the_same() {
        let (system, x, y) = system();
        let all = candidates(&x, &y);
        let expected = vec![all[0].clone(), all[2].clone(), all[4].clone()];
        for k in [1, 2] {
            let mut one_by_one = all.clone();
            let found = inductive_subset(
                &SolverContext::default(),
                &system,
                &mut one_by_one,
                k,
                &|| false,
            );
            assert_eq!((found, &one_by_one), (Ok(()), &expected));
            let unrolled = |from_init| {
                let cone = Cone::of(&system, all.iter().cloned());
                let mut unrolling =
                    Unrolling::new(&SolverContext::default(), &system, cone, from_init);
                (0..k).for_each(|_| unrolling.extend());
                unrolling
            };
            let mut at_once = all.clone();
            let first = hold_at_first(&mut unrolled(true), &mut at_once, k);
            let after = hold_after(&mut unrolled(false), &mut at_once, k);
            assert_eq!((first, after, &at_once), (Ok(()), Ok(()), &expected));
        }
    }

    #[test]
    fn a_refutation_that_leaves_all_is_given_up() {
        let mut all = vec![1, 2, 3];
        let answers = [Refutation::Spurious, Refutation::Leaves(vec![1, 3])];
        let mut answers = answers.into_iter();
        let found = largest(&mut all, |left| {
            let same = Refutation::Leaves(left.to_vec());
            answers.next().unwrap_or(same)
        });
        assert_eq!((found, all), (Err(GaveUp), vec![1, 3]));
    }

    #[test]
    fn nothing_is_asked_once_it_is_time_to_stop() {
        let (system, x, y) = system();
        let mut all = candidates(&x, &y);
        let found = inductive_subset(&SolverContext::default(), &system, &mut all, 1, &|| true);
        assert_eq!(found, Err(GaveUp));
    }
}
