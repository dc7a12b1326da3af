//! Minimal cut sets.
//!
//! A locally smallest one as in *Locally Smallest Cut Sets by Max-SMT*, Algorithm
//! 2: the fewest failures among all counterexamples of one length. For a globally
//! smallest one and for all of them, the papers have engines search for one in a
//! system with fault flags and a bound on their number. Here the duality of cores
//! and cut sets is used instead: a cut set hits every core. The cheapest set that
//! hits all cores known so far is a cut set if the properties fail without it, and
//! then a smallest one; otherwise the proof gives one more core. So only plain sets
//! of parts are ever verified, and what is learnt of one serves the next.

use std::time::{Duration, Instant};

use crate::Event;
use crate::map::Map;
use crate::model::Set;
use crate::verify::{Cut, Verified, Verifier};

/// A cut set, and how it was found.
#[derive(Clone, Debug)]
pub struct CutSet {
    pub set: Set,
    /// The step at which a property is violated without these parts.
    pub depth: usize,
    /// There may be a smaller one.
    pub approximate: bool,
    pub elapsed: Duration,
}

/// What a search has come to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Completeness {
    /// All there are, or the one that was asked for, is found.
    Complete,
    /// There is no cut set: the properties hold whatever fails.
    NoCutSet,
    /// There may be others.
    Incomplete,
}

/// Algorithm 2, ComputeLocalCutSet: a cut set with as few parts as any counterexample of the
/// same length allows.
/// Nothing is said of one with more than `largest` parts.
pub fn local(
    verifier: &mut Verifier,
    largest: Option<usize>,
    tell: &mut dyn FnMut(Event<CutSet>),
) -> Completeness {
    let start = Instant::now();
    // Line 2: all elements may fail.
    match verifier.verify(&Set::new()) {
        // Line 7.
        Verified::Safe(_) => Completeness::NoCutSet,
        // Line 4.
        Verified::Unknown => Completeness::Incomplete,
        Verified::Unsafe(cut) => {
            // Lines 9 to 17, a Max-SMT problem for counterexamples of this length.
            let least = verifier.least_cut(&Set::new(), cut.depth);
            let Cut { broken, depth } = least.unwrap_or(cut);
            if largest.is_some_and(|largest| broken.len() > largest) {
                return Completeness::Incomplete;
            }
            tell(Event::Found(CutSet {
                set: broken,
                depth,
                approximate: true,
                elapsed: start.elapsed(),
            }));
            Completeness::Complete
        }
    }
}

/// A cut set of the least cost.
pub fn global(
    verifier: &mut Verifier,
    largest: Option<usize>,
    tell: &mut dyn FnMut(Event<CutSet>),
) -> Completeness {
    CutSetSearch::new(verifier, largest).run(true, tell)
}

/// All minimal cut sets, or those with at most so many parts; the cheapest first.
pub fn all(
    verifier: &mut Verifier,
    largest: Option<usize>,
    tell: &mut dyn FnMut(Event<CutSet>),
) -> Completeness {
    CutSetSearch::new(verifier, largest).run(false, tell)
}

struct CutSetSearch<'s, 'm> {
    verifier: &'s mut Verifier<'m>,
    /// The sets that hit all known cores and contain no known cut set.
    map: Map,
    costs: Vec<u32>,
    largest: Option<usize>,
    /// A set was not known to be a cut set, nor not to be.
    unknown: bool,
}

impl<'s, 'm> CutSetSearch<'s, 'm> {
    fn new(verifier: &'s mut Verifier<'m>, largest: Option<usize>) -> CutSetSearch<'s, 'm> {
        let parts = &verifier.model.parts;
        CutSetSearch {
            map: Map::new(&verifier.context, parts.len()),
            costs: parts.iter().map(|part| part.cost).collect(),
            verifier,
            largest,
            unknown: false,
        }
    }

    fn run(&mut self, only_one: bool, tell: &mut dyn FnMut(Event<CutSet>)) -> Completeness {
        let mut found = 0;
        let mut start = Instant::now();
        while let Some(candidate) = self.map.cheapest(&self.costs) {
            if self
                .largest
                .is_some_and(|largest| candidate.len() > largest)
            {
                // Another set may cost more and have fewer parts.
                if self.costs.iter().all(|cost| *cost == 1) {
                    break;
                }
                self.map.exclude_all_of(&candidate);
                continue;
            }
            let rest = self.verifier.model.complement(&candidate);
            let answer = self.verifier.verify(&rest);
            if let Some(call) = self.verifier.statistics.calls.last() {
                tell(Event::Verified(*call));
            }
            match answer {
                Verified::Safe(core) => self.map.require_one_of(&core),
                Verified::Unsafe(cut) => {
                    self.map.exclude_all_of(&candidate);
                    found += 1;
                    tell(Event::Found(CutSet {
                        set: candidate,
                        depth: cut.depth,
                        approximate: self.unknown,
                        elapsed: start.elapsed(),
                    }));
                    start = Instant::now();
                    if only_one {
                        return self.outcome(found);
                    }
                }
                Verified::Unknown => {
                    self.map.require_one_of(&rest);
                    self.unknown = true;
                }
            }
            if self.verifier.is_late() {
                return Completeness::Incomplete;
            }
        }
        self.outcome(found)
    }

    fn outcome(&self, found: usize) -> Completeness {
        match (self.unknown, found) {
            (true, _) => Completeness::Incomplete,
            (false, 0) if self.largest.is_none() => Completeness::NoCutSet,
            (false, _) => Completeness::Complete,
        }
    }
}
