//! Smaller proofs of the same properties.
//!
//! Evidence that engines find has what happened to be known: a k that some lemma
//! needed once, and lemmas of which few matter. Who reads or re-checks a proof
//! would like it small. A smaller k is looked for with all lemmas, since fewer of
//! them never allow a smaller k; then lemmas are left out.

use std::sync::Arc;

use smt::{Answer, Scalar, Solver};
use system::{System, Term, and, not};

use crate::certify;
use crate::compress::Compression;
use crate::unroll::{Cone, Unrolling};

/// How the smallest k is looked for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum MinimiseK {
    No,
    /// From 1 up.
    Forward,
    /// Down, until it fails.
    Backward,
    /// By halving.
    Dichotomy,
    /// One less first; by halving if that will do.
    FrontierDichotomy,
    /// Forward where k is small: its questions are the cheapest.
    Auto,
}

/// How lemmas are left out.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum MinimiseInvariants {
    /// What no core names.
    Easy,
    /// That, and then what no counterexample to induction asks for.
    Medium,
    MediumOnly,
    /// As before, but of what a counterexample violates only one is taken.
    Hard,
    HardOnly,
}

/// A conjunction of goals and lemmas that is k-inductive.
#[derive(Clone, Debug)]
pub struct Proof {
    pub k: usize,
    pub goals: Vec<Term>,
    pub lemmas: Vec<Term>,
}

/// Up to here the smallest k is looked for from below.
const SMALL: usize = 4;

impl Proof {
    fn all(&self) -> Term {
        and(self.goals.iter().chain(&self.lemmas).cloned())
    }

    /// Is it one?
    pub fn holds_up(&self, system: &Arc<System>, stop: &dyn Fn() -> bool) -> bool {
        certify::inductive(system, &self.all(), self.k, Compression::NONE, stop)
    }

    /// The proof with a smaller k and fewer lemmas, as far as they are found.
    pub fn minimise(
        &mut self,
        system: &Arc<System>,
        (k, invariants): (MinimiseK, MinimiseInvariants),
        stop: &dyn Fn() -> bool,
    ) {
        self.minimise_k(system, k, stop);
        use MinimiseInvariants::*;
        if matches!(invariants, Easy | Medium | Hard) {
            self.trim(system, stop);
        }
        match invariants {
            Easy => {}
            Medium | MediumOnly => self.pick(system, false, stop),
            Hard | HardOnly => self.pick(system, true, stop),
        }
    }

    /// The first steps are known to be fine: what is asked is the step only.
    fn minimise_k(&mut self, system: &Arc<System>, how: MinimiseK, stop: &dyn Fn() -> bool) {
        let all = self.all();
        let enough = |k: usize| certify::step(system, &all, k, Compression::NONE, stop);
        let highest = self.k;
        self.k = match how {
            MinimiseK::No => highest,
            MinimiseK::Auto if highest <= SMALL => upwards(highest, enough),
            MinimiseK::Forward => upwards(highest, enough),
            MinimiseK::Backward => {
                let enough = (1..highest).rev().take_while(|k| enough(*k));
                enough.last().unwrap_or(highest)
            }
            MinimiseK::Dichotomy => halving(highest, enough),
            MinimiseK::FrontierDichotomy | MinimiseK::Auto => {
                match highest > 1 && enough(highest - 1) {
                    true => halving(highest - 1, enough),
                    false => highest,
                }
            }
        };
    }

    /// Keeps the lemmas that the goals rest on, all the way down.
    fn trim(&mut self, system: &Arc<System>, stop: &dyn Fn() -> bool) {
        let goals = and(self.goals.iter().cloned());
        let lemmas = self.lemmas.iter();
        let lemmas: Vec<(usize, Term)> = lemmas.map(|term| (self.k, term.clone())).collect();
        if let Some(needed) = certify::support(system, &goals, self.k, &lemmas, stop) {
            self.lemmas = needed.into_iter().map(|(_, term)| term).collect();
        }
    }

    /// Starts from the goals, and adds lemmas that counterexamples to induction
    /// violate: all of those, or one at a time.
    fn pick(&mut self, system: &Arc<System>, one: bool, stop: &dyn Fn() -> bool) {
        let cone = Cone::of(system, [self.all()]);
        let mut unrolling = Unrolling::new(system, cone, false);
        (0..self.k).for_each(|_| unrolling.extend());
        let mut kept: Vec<Term> = self.goals.clone();
        let mut rest = self.lemmas.clone();
        let mut asserted = 0;
        let mut proved = 0;
        while proved < kept.len() {
            for term in &kept[asserted..] {
                (0..self.k).for_each(|step| unrolling.solver.assert(term, step));
            }
            asserted = kept.len();
            let fails = unrolling.solver.literal();
            let violated = not(&kept[proved]);
            unrolling.solver.assert_if(fails, &violated, self.k);
            if stop() {
                return;
            }
            match unrolling.solver.check(&[fails]) {
                Answer::Unsat => {
                    proved += 1;
                    continue;
                }
                Answer::Unknown(_) => return,
                Answer::Sat => {}
            }
            let mut broken = |term: &Term| {
                let mut steps = 0..self.k;
                steps.any(|step| unrolling.solver.value(term, step) == Some(Scalar::Bool(false)))
            };
            let mut added = Vec::new();
            rest.retain(|term| {
                let wanted = (!one || added.is_empty()) && broken(term);
                if wanted {
                    added.push(term.clone());
                }
                !wanted
            });
            if added.is_empty() {
                return;
            }
            kept.extend(added);
        }
        self.lemmas = kept.split_off(self.goals.len());
    }
}

fn upwards(highest: usize, enough: impl Fn(usize) -> bool) -> usize {
    (1..highest).find(|k| enough(*k)).unwrap_or(highest)
}

/// The highest is enough; more is never worse.
fn halving(highest: usize, enough: impl Fn(usize) -> bool) -> usize {
    let (mut low, mut high) = (1, highest);
    while low < high {
        let middle = (low + high) / 2;
        match enough(middle) {
            true => high = middle,
            false => low = middle + 1,
        }
    }
    high
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_strategies_find_the_smallest() {
        for least in 1..9 {
            for highest in least..9 {
                assert_eq!(halving(highest, |k| k >= least), least);
                assert_eq!(upwards(highest, |k| k >= least), least);
            }
        }
    }
}
