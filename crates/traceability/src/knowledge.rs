//! What is known of the sets of a model's parts, from all questions so far.
//!
//! Sets are monotone: with more parts there are fewer runs. So a proof holds for every larger
//! set than the one that it needs, a run breaks every set without the parts that it violates,
//! and what could not be proved of a set is not tried for its subsets (*Efficient Generation of
//! All Minimal Inductive Validity Cores*, section 4, has the same as its map of sets). Beside
//! answers, invariants of earlier proofs are kept as candidates for others.

use proof::{Evidence, Lemma};
use system::Term;

use crate::model::Set;
use crate::verify::Cut;

/// A set of parts that is enough, and why.
#[derive(Clone, Debug)]
pub(crate) struct Proved {
    pub parts: Set,
    pub evidence: Evidence,
}

#[derive(Default)]
pub(crate) struct Knowledge {
    proofs: Vec<Proved>,
    cuts: Vec<Cut>,
    /// By length: sets of parts with which no run violates a property at its end.
    clear: Vec<Vec<Set>>,
    /// Invariants of some proof, candidates for others.
    pub lemmas: Vec<Term>,
    /// The largest k of a proof, if there is one.
    deepest: usize,
    /// Sets that could not be decided.
    undecided: Vec<Set>,
}

/// Lemmas that are kept for later questions.
const MAX_LEMMAS: usize = 200;
const MAX_K: usize = 4;

/// How many lengths beyond the longest run are looked at one by one, and the distance of
/// those that follow.
pub(crate) const DEEPER: usize = 10;
const STRIDE: usize = 2;

impl Knowledge {
    /// A proof whose parts are all there.
    pub fn proof_within(&self, present: &Set) -> Option<&Proved> {
        let mut proofs = self.proofs.iter();
        proofs.find(|proved| proved.parts.is_subset(present))
    }

    /// A run that breaks none of the parts that are there.
    pub fn cut_without(&self, present: &Set) -> Option<&Cut> {
        self.cuts.iter().find(|cut| cut.broken.is_disjoint(present))
    }

    /// Is a run known that breaks nothing but this part?
    pub fn is_must(&self, part: usize) -> bool {
        let alone = |cut: &Cut| cut.broken.iter().all(|broken| *broken == part);
        self.cuts.iter().any(alone)
    }

    /// Is it known that no run with these parts violates a property at this step?
    pub fn is_clear(&self, present: &Set, depth: usize) -> bool {
        let known = self.clear.get(depth).into_iter().flatten();
        known.into_iter().any(|enough| enough.is_subset(present))
    }

    /// What is not known to be enough has no subset that is.
    pub fn is_undecided(&self, present: &Set) -> bool {
        self.undecided.iter().any(|set| present.is_subset(set))
    }

    /// The k with which lemmas are tried.
    pub fn k(&self) -> usize {
        self.deepest.max(1)
    }

    pub fn add_cut(&mut self, cut: &Cut) {
        self.cuts.push(cut.clone());
    }

    /// No run with these parts violates a property at this step.
    pub fn add_clear(&mut self, enough: Set, depth: usize) {
        let depths = self.clear.len().max(depth + 1);
        self.clear.resize(depths, Vec::new());
        self.clear[depth].push(enough);
    }

    pub fn add_undecided(&mut self, present: &Set) {
        self.undecided.push(present.clone());
    }

    /// Questions that were given up may be asked again.
    pub fn forget_undecided(&mut self) {
        self.undecided.clear();
    }

    /// A proof, with the k and the invariants that it needs.
    pub fn add_proof(&mut self, proved: Proved, k: usize, invariants: Vec<Term>) {
        self.proofs.push(proved);
        self.deepest = self.deepest.max(k);
        for term in invariants {
            if !self.lemmas.contains(&term) {
                self.lemmas.push(term);
            }
        }
    }

    /// Invariants that may be of help. Those that come from proofs are known already, and
    /// there is a limit to what can be tried each time.
    pub fn add_lemmas(&mut self, lemmas: Vec<Lemma>) {
        for Lemma { k, term } in lemmas.into_iter().filter(|lemma| lemma.k <= MAX_K) {
            let room = self.lemmas.len() < MAX_LEMMAS;
            if room && !self.lemmas.contains(&term) {
                self.lemmas.push(term);
                self.deepest = self.deepest.max(k);
            }
        }
    }

    /// The lengths to try, those first that have often led to a violation, and then
    /// new ones: each of the next, and some of those that follow.
    pub fn depths(&self) -> (Vec<usize>, impl Iterator<Item = usize> + Clone + use<>) {
        let longest = self.cuts.iter().map(|cut| cut.depth).max().unwrap_or(0);
        let longest = longest.max(self.k());
        let mut depths: Vec<usize> = (0..=longest).collect();
        let seen = |depth: usize| self.cuts.iter().filter(|cut| cut.depth == depth).count();
        depths.sort_by_key(|depth| std::cmp::Reverse(seen(*depth)));
        let next = longest + 1..=longest + DEEPER;
        let far = (longest + DEEPER..).step_by(STRIDE).skip(1);
        (depths, next.chain(far))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cut(broken: &[usize], depth: usize) -> Cut {
        Cut {
            broken: broken.iter().copied().collect(),
            depth,
        }
    }

    #[test]
    fn answers_hold_for_larger_and_smaller_sets() {
        let mut known = Knowledge::default();
        let evidence = Evidence::NoRun { steps: 2 };
        let parts = Set::from([0, 2]);
        known.add_proof(Proved { parts, evidence }, 1, Vec::new());
        assert!(known.proof_within(&Set::from([0, 1, 2])).is_some());
        assert!(known.proof_within(&Set::from([0, 1])).is_none());
        known.add_cut(&cut(&[2], 3));
        assert!(known.cut_without(&Set::from([0, 1])).is_some());
        assert!(known.cut_without(&Set::from([2])).is_none());
        assert!(known.is_must(2) && !known.is_must(0));
        known.add_clear(Set::from([1]), 4);
        assert!(known.is_clear(&Set::from([1, 3]), 4));
        assert!(!known.is_clear(&Set::from([1, 3]), 3));
        known.add_undecided(&Set::from([0, 1]));
        assert!(known.is_undecided(&Set::from([1])));
        assert!(!known.is_undecided(&Set::from([1, 2])));
    }

    #[test]
    fn lengths_that_have_led_to_violations_come_first() {
        let mut known = Knowledge::default();
        for depth in [2, 3, 3] {
            known.add_cut(&cut(&[0], depth));
        }
        let (depths, deeper) = known.depths();
        assert_eq!(depths, [3, 2, 0, 1]);
        let deeper: Vec<usize> = deeper.take(DEEPER + 2).collect();
        assert_eq!(deeper[..2], [4, 5]);
        assert_eq!(deeper[DEEPER..], [15, 17]);
    }
}
