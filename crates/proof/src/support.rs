//! The lemmas that a proof needs, by unsat cores.
//!
//! Engines know many lemmas, and a proof rests on few of them. Each goal is proved at the last
//! of k + 1 steps; the lemmas in the unsat core of that query are needed, and so is whatever
//! these rest on in turn, all the way down. The result is inductive by itself (Ghassabani,
//! Gacek and Whalen, *Efficient Generation of Inductive Validity Cores for Safety Properties*,
//! FSE 2016, the reduction of invariants in IVC_UC).

use std::collections::{BTreeSet, HashMap, HashSet, VecDeque};
use std::sync::Arc;
use std::time::Duration;

use smt::{Answer, Literal, Solver, SolverContext};
use system::{System, Term, not};

use crate::compress::{self, Compression};
use crate::cone::Cone;
use crate::lemma::Lemma;
use crate::unroll::Unrolling;

/// Everything that is needed for some of many, by their positions, if `reasons` says what one
/// of them rests on. Those that are needed first are asked about first.
pub fn closure<E>(
    first: impl IntoIterator<Item = usize>,
    mut reasons: impl FnMut(usize) -> Result<Vec<usize>, E>,
) -> Result<BTreeSet<usize>, E> {
    let mut needed = BTreeSet::new();
    let mut open: VecDeque<usize> = first.into_iter().collect();
    while let Some(at) = open.pop_front() {
        if needed.insert(at) {
            open.extend(reasons(at)?);
        }
    }
    Ok(needed)
}

/// Lemmas that a term and they themselves need to be inductive, out of many
/// that are in the order of their proofs; `None` if the term is not k-inductive
/// even with all of them.
///
/// A lemma may be inductive for a larger k only. Then the term is asked about again with that
/// k, which may need other lemmas.
pub fn support(
    context: &SolverContext,
    system: &Arc<System>,
    own: &Term,
    k: usize,
    lemmas: &[Lemma],
    stop: &dyn Fn() -> bool,
) -> Option<Vec<Lemma>> {
    let terms: Vec<Term> = lemmas.iter().map(|lemma| lemma.term.clone()).collect();
    let mut depth = k;
    loop {
        let mut step = Support::new(context, system, own, &terms, depth, Compression::NONE);
        step.allow_last_step();
        let chosen = step.chosen(own, lemmas, stop)?;
        let chosen: Vec<Lemma> = chosen.iter().map(|at| lemmas[*at].clone()).collect();
        let deepest = chosen.iter().map(|lemma| lemma.k).fold(depth, usize::max);
        if deepest == depth {
            return Some(chosen);
        }
        depth = deepest;
    }
}

/// k steps on which a term holds, and another step, with lemmas that can be switched on and
/// off.
pub(crate) struct Support<'l> {
    unrolling: Unrolling,
    k: usize,
    lemmas: &'l [Term],
    /// By lemma: it holds at the steps before the last.
    before: Vec<Literal>,
    /// By lemma: it holds at the last step. A lemma may be proved there by the lemmas before
    /// it only, so that all of them are inductive together.
    now: Vec<Literal>,
    /// By term: it fails at the last step.
    fails: HashMap<u64, Literal>,
}

impl<'l> Support<'l> {
    pub fn new(
        context: &SolverContext,
        system: &Arc<System>,
        own: &Term,
        lemmas: &'l [Term],
        k: usize,
        compression: Compression,
    ) -> Support<'l> {
        let roots = lemmas.iter().chain([own]).cloned();
        let mut unrolling = Unrolling::new(context, system, Cone::of(system, roots), false);
        for step in 0..k {
            unrolling.solver.assert(own, step);
            unrolling.extend();
        }
        compress::exclude_all(compression, &mut unrolling, k);
        let mut before = Vec::new();
        for term in lemmas {
            let holds = unrolling.solver.literal();
            for step in 0..k {
                unrolling.solver.assert_if(holds, term, step);
            }
            before.push(holds);
        }
        Support {
            unrolling,
            k,
            lemmas,
            before,
            now: Vec::new(),
            fails: HashMap::new(),
        }
    }

    /// Limits the time of each query.
    pub fn limit_time(&mut self, time: Duration) {
        self.unrolling.limit_time(Some(time));
    }

    /// Lemmas may be used at the last step too, by those that come after them.
    fn allow_last_step(&mut self) {
        for term in self.lemmas {
            let holds = self.unrolling.solver.literal();
            self.unrolling.solver.assert_if(holds, term, self.k);
            self.now.push(holds);
        }
    }

    /// The lemmas that the term rests on, all the way down; those that need more
    /// steps are left as they are.
    fn chosen(
        &mut self,
        own: &Term,
        lemmas: &[Lemma],
        stop: &dyn Fn() -> bool,
    ) -> Option<BTreeSet<usize>> {
        let mut first = Vec::new();
        for part in own.conjuncts() {
            first.extend(self.least_core(&part, lemmas.len(), stop)?);
        }
        let reasons = |at: usize| match lemmas[at].k <= self.k {
            true => self.least_core(&lemmas[at].term, at, stop).ok_or(()),
            false => Ok(Vec::new()),
        };
        closure(first, reasons).ok()
    }

    /// What the goals need of the lemmas that are there, all the way down; nothing if
    /// that is not enough, or time is up.
    pub fn needed(
        &mut self,
        goals: &[Term],
        there: &BTreeSet<usize>,
        stop: &dyn Fn() -> bool,
    ) -> Option<BTreeSet<usize>> {
        let mut first = Vec::new();
        for goal in goals {
            first.extend(self.core(goal, there, stop)?);
        }
        let lemmas = self.lemmas;
        let reasons = |at: usize| self.core(&lemmas[at], there, stop).ok_or(());
        closure(first, reasons).ok()
    }

    /// The lemmas in a core of the proof that the term holds at the last step.
    fn core(
        &mut self,
        term: &Term,
        there: &BTreeSet<usize>,
        stop: &dyn Fn() -> bool,
    ) -> Option<Vec<usize>> {
        let assumed = self.assumptions(term, there, 0);
        let core = self.ask(&assumed, stop)?;
        Some(self.named(&core))
    }

    /// The same, where lemmas may be used at the last step as far as they are among the
    /// `first`; asked again with the core until that does not become smaller.
    fn least_core(
        &mut self,
        term: &Term,
        first: usize,
        stop: &dyn Fn() -> bool,
    ) -> Option<Vec<usize>> {
        let all = (0..self.lemmas.len()).collect();
        let mut core = self.assumptions(term, &all, first);
        loop {
            let smaller = self.ask(&core, stop)?;
            if smaller.len() == core.len() {
                return Some(self.named(&core));
            }
            core = smaller;
        }
    }

    fn assumptions(&mut self, term: &Term, there: &BTreeSet<usize>, first: usize) -> Vec<Literal> {
        let fails = self.fails(term);
        let before = there.iter().map(|at| self.before[*at]);
        let now = self.now[..first].iter().copied();
        before.chain(now).chain([fails]).collect()
    }

    fn ask(&mut self, assumed: &[Literal], stop: &dyn Fn() -> bool) -> Option<Vec<Literal>> {
        let solver = &mut self.unrolling.solver;
        match stop() || solver.check(assumed) != Answer::Unsat {
            true => None,
            false => Some(solver.core()),
        }
    }

    fn fails(&mut self, term: &Term) -> Literal {
        let (unrolling, k) = (&mut self.unrolling, self.k);
        *self.fails.entry(term.id()).or_insert_with(|| {
            let fails = unrolling.solver.literal();
            unrolling.solver.assert_if(fails, &not(term), k);
            fails
        })
    }

    /// The lemmas that a core names.
    fn named(&self, core: &[Literal]) -> Vec<usize> {
        let core: HashSet<&Literal> = core.iter().collect();
        let is_named = |at: &usize| {
            core.contains(&self.before[*at])
                || self.now.get(*at).is_some_and(|now| core.contains(now))
        };
        (0..self.lemmas.len()).filter(is_named).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_closure_has_what_reasons_name_and_ends_at_a_failure() {
        let reasons = |at: usize| match at {
            0 => Ok(vec![2, 3]),
            3 => Ok(vec![0, 4]),
            5 => Err("no proof"),
            _ => Ok(Vec::new()),
        };
        assert_eq!(closure([0], reasons), Ok(BTreeSet::from([0, 2, 3, 4])));
        assert_eq!(closure([0, 5], reasons), Err("no proof"));
    }
}
