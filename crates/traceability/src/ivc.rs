//! Inductive validity cores.
//!
//! *Merit and Blame Assignment with Kind 2*, section 5: an approximate core from
//! a proof, a minimal one by brute force (IVC_UCBF), the MUST set, and all minimal
//! ones (Algorithm 1). *Efficient Generation of All Minimal Inductive Validity
//! Cores*, Algorithm 1: all of them without minimising each. A smallest core is
//! the least set that hits all cut sets known so far, once that proves the
//! properties.

use std::time::{Duration, Instant};

use crate::Event;
use crate::map::Map;
use crate::mcs;
use crate::model::Set;
use crate::verify::{Verified, Verifier};

#[derive(Clone, Debug, Default)]
pub struct IvcSearchOptions {
    pub all: bool,
    /// A core that need not be minimal will do.
    pub approximate: bool,
    pub smallest_first: bool,
    /// The MUST set is wanted too.
    pub must_set: bool,
    /// Cut sets of up to this size are found before anything else.
    pub precomputed_mcs: usize,
    /// Do not look for the MUST set unless it is wanted.
    pub disable_must: bool,
    /// Find all cores first, and drop those that are not minimal at the end.
    pub offline: bool,
}

impl IvcSearchOptions {
    /// Will any core do?
    pub fn needs_one_proof(&self) -> bool {
        self.approximate && !self.all && !self.must_set && !self.smallest_first
    }
}

/// A set of parts, and how it was found.
#[derive(Clone, Debug)]
pub struct Found {
    pub class: Class,
    pub set: Set,
    /// A limit was hit, or only an approximation was asked for: a core may not be
    /// minimal, a MUST set may lack elements.
    pub approximate: bool,
    /// The proof with a core was checked again, and is one.
    pub confirmed: bool,
    pub elapsed: Duration,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Class {
    Must,
    Ivc,
}

/// What a search has come to.
#[derive(Clone, Debug, Default)]
pub struct Cores {
    pub ivcs: Vec<Set>,
    pub must: Option<Set>,
    /// There may be cores that were not found.
    pub incomplete: bool,
}

/// A search that tells sets as they are found; `None` if the properties are not
/// proved with all parts.
pub fn cores(
    verifier: &mut Verifier,
    options: &IvcSearchOptions,
    tell: &mut dyn FnMut(Event<Found>),
) -> Option<Cores> {
    let whole = verifier.model.all();
    let start = Instant::now();
    let Verified::Safe(mut used) = verifier.verify(&whole) else {
        return None;
    };
    if !options.needs_one_proof() {
        verifier.minimise = true;
        used = verifier.smaller(&used);
    }
    let mut search = CoreSearch {
        verifier,
        tell,
        start,
        cores: Cores::default(),
    };
    search.run(options, used);
    Some(search.cores)
}

/// The share of its time that each question gets at first.
const FIRST_TRY: u32 = 12;

struct CoreSearch<'s, 'm> {
    verifier: &'s mut Verifier<'m>,
    tell: &'s mut dyn FnMut(Event<Found>),
    start: Instant,
    cores: Cores,
}

impl CoreSearch<'_, '_> {
    fn run(&mut self, options: &IvcSearchOptions, used: Set) {
        if options.offline && options.all && !options.must_set {
            return self.offline();
        }
        let mut must = Set::new();
        if options.must_set || (options.all && !options.disable_must) {
            let (found, approximate) = self.must(&used);
            must = found.clone();
            if options.must_set {
                self.cores.must = Some(found.clone());
                self.found(Class::Must, found, approximate);
            }
        }
        match (options.all, options.smallest_first) {
            (_, true) => self.smallest_first(&must, options),
            (true, false) => self.all(&must, options),
            (false, false) if options.needs_one_proof() => {
                self.found(Class::Ivc, used, true);
            }
            (false, false) => {
                let (ivc, approximate) = self.minimize(used, &must);
                self.found(Class::Ivc, ivc, approximate);
            }
        }
    }

    fn verify(&mut self, present: &Set) -> Verified {
        let answer = self.verifier.verify(present);
        if let Some(call) = self.verifier.statistics.calls.last() {
            (self.tell)(Event::Verified(*call));
        }
        answer
    }

    fn found(&mut self, class: Class, set: Set, approximate: bool) {
        if class == Class::Ivc {
            // One that was approximate may turn out to be more than enough.
            self.cores.ivcs.retain(|ivc| !set.is_subset(ivc));
            self.cores.ivcs.push(set.clone());
        }
        let confirmed = class == Class::Must || self.verifier.confirm(&set);
        (self.tell)(Event::Found(Found {
            class,
            set,
            approximate,
            confirmed,
            elapsed: self.start.elapsed(),
        }));
        self.start = Instant::now();
    }

    /// The parts without which the properties fail: all of them are in the core,
    /// and in every core that turns up. Hard questions are put off: what is learnt
    /// from the others may help.
    fn must(&mut self, core: &Set) -> (Set, bool) {
        let whole = self.verifier.budget.call;
        let (mut must, mut open) = (Set::new(), core.clone());
        let mut budget = whole / FIRST_TRY;
        loop {
            self.verifier.budget.call = match open.len() {
                // There is nothing to learn from.
                1 => whole,
                _ => budget.min(whole),
            };
            self.verifier.try_again();
            open = self.must_among(open, &mut must);
            if open.is_empty() || budget >= whole || self.verifier.is_late() {
                break;
            }
            budget *= 4;
        }
        self.verifier.budget.call = whole;
        if budget < whole {
            // What was given up has not had its time, and must not stand for its subsets.
            self.verifier.try_again();
        }
        (must, !open.is_empty())
    }

    /// Gives back those that could not be decided.
    fn must_among(&mut self, mut open: Set, must: &mut Set) -> Set {
        let mut hard = Set::new();
        while let Some(part) = open.pop_first() {
            let mut others = self.verifier.model.all();
            others.remove(&part);
            match self.verify(&others) {
                Verified::Unsafe(_) => {
                    must.insert(part);
                }
                Verified::Safe(used) => {
                    open.retain(|part| used.contains(part));
                    hard.retain(|part| used.contains(part));
                }
                Verified::Unknown => {
                    hard.insert(part);
                }
            }
        }
        hard
    }

    /// IVC_UCBF: leaves out one part after the other.
    fn minimize(&mut self, mut core: Set, must: &Set) -> (Set, bool) {
        let mut approximate = false;
        let mut open: Set = core.difference(must).copied().collect();
        while let Some(part) = open.pop_first() {
            let mut fewer = core.clone();
            fewer.remove(&part);
            match self.verify(&fewer) {
                Verified::Safe(used) => {
                    open.retain(|part| used.contains(part));
                    core = used;
                }
                Verified::Unsafe(_) => {}
                Verified::Unknown => approximate = true,
            }
        }
        (core, approximate)
    }

    /// Algorithm 1, AllMIVCs, from line 4 on.
    fn all(&mut self, must: &Set, options: &IvcSearchOptions) {
        // Lines 5 to 7.
        if let Verified::Safe(used) = self.verify(must) {
            // Proposition 3: the MUST set is the only minimal core.
            return self.found(Class::Ivc, used, false);
        }
        // Line 4.
        let mut map = self.map(must, options);
        self.verifier.require(must);
        // Lines 9 and 10.
        while let Some(seed) = map.maximal() {
            // Line 11.
            match self.verify(&seed) {
                // Lines 13 to 15.
                Verified::Safe(used) => {
                    let (mivc, approximate) = self.minimize(used, must);
                    map.exclude_all_of(&mivc);
                    self.found(Class::Ivc, mivc, approximate);
                }
                // Lines 17 to 19.
                answer => self.cores.incomplete |= !self.prune(&mut map, &seed, answer),
            }
            if self.verifier.is_late() {
                self.cores.incomplete = true;
                return;
            }
        }
    }

    /// What is known before the search begins.
    fn map(&mut self, must: &Set, options: &IvcSearchOptions) -> Map {
        let mut map = Map::new(&self.verifier.context, self.verifier.model.parts.len());
        for part in must {
            map.require_one_of(&Set::from([*part]));
        }
        if options.precomputed_mcs > 0 {
            let size = options.precomputed_mcs;
            mcs::all(self.verifier, Some(size), &mut |event| {
                if let Event::Found(cut) = event {
                    map.require_one_of(&cut.set);
                }
            });
        }
        map
    }

    /// Takes a set that is not enough off the map, with as much as is known to
    /// fail for the same reason; `false` if it is only not known to be enough.
    fn prune(&mut self, map: &mut Map, seed: &Set, answer: Verified) -> bool {
        let Verified::Unsafe(cut) = answer else {
            map.require_one_of(&self.verifier.model.complement(seed));
            return false;
        };
        map.require_one_of(&self.verifier.shrunk(seed, cut).broken);
        true
    }

    /// Cores by size, or only the first: the least set that hits all cut sets.
    fn smallest_first(&mut self, must: &Set, options: &IvcSearchOptions) {
        let mut map = self.map(must, options);
        self.verifier.require(must);
        let costs = vec![1; self.verifier.model.parts.len()];
        let mut approximate = false;
        while let Some(candidate) = map.cheapest(&costs) {
            match self.verify(&candidate) {
                Verified::Safe(ivc) => {
                    map.exclude_all_of(&ivc);
                    self.found(Class::Ivc, ivc, approximate);
                    if !options.all {
                        return;
                    }
                }
                answer => approximate |= !self.prune(&mut map, &candidate, answer),
            }
            if self.verifier.is_late() {
                approximate = true;
                break;
            }
        }
        self.cores.incomplete = approximate;
    }

    /// Algorithm 1 of the other paper, ALL_IVCS: cores need not be minimal when
    /// they are found.
    fn offline(&mut self) {
        let mut map = Map::new(&self.verifier.context, self.verifier.model.parts.len());
        let mut ivcs: Vec<Set> = Vec::new();
        while let Some(seed) = map.maximal() {
            match self.verify(&seed) {
                Verified::Safe(used) => {
                    map.exclude_all_of(&used);
                    ivcs.retain(|ivc| !used.is_subset(ivc));
                    ivcs.push(used);
                }
                answer => {
                    map.require_one_of(&self.verifier.model.complement(&seed));
                    self.cores.incomplete |= answer == Verified::Unknown;
                }
            }
            if self.verifier.is_late() {
                self.cores.incomplete = true;
                break;
            }
        }
        let approximate = self.cores.incomplete;
        for ivc in ivcs {
            self.found(Class::Ivc, ivc, approximate);
        }
    }
}
