//! `Verify`: do the properties hold with some of the parts?
//!
//! Before any engine starts, what is known is tried: a proof whose parts are all
//! there, a run that breaks none of those that are there, a run as long as those
//! seen so far, and the lemmas that survive. Only then the engines are asked, with
//! a budget. Whatever the answer, it is kept.

use std::time::{Duration, Instant};

use engines::{Evidence, News, Portfolio, Settings, Verdict};
use smt::Answer;
use system::{Kind, PropertyId, PropertyKind, Term, and, not};

use crate::frames::Frames;
use crate::model::{Model, Set};
use crate::uc;

/// The answer for a set of parts.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Verified {
    /// The properties hold; these of the parts are enough.
    Safe(Set),
    Unsafe(Cut),
    Unknown,
}

/// A run that violates a property.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Cut {
    /// The parts that do not hold along the run.
    pub broken: Set,
    /// The step of the violation.
    pub depth: usize,
}

/// Why the properties hold with some parts.
#[derive(Clone, Debug)]
pub(crate) enum Proof {
    /// Inductive together; each of the properties is among them.
    Inductive { k: usize, invariants: Vec<Term> },
    /// Runs end before this step, and none violates a property.
    NoRun { steps: usize },
}

/// How the answers were found.
#[derive(Clone, Copy, Debug, Default)]
pub struct Statistics {
    pub calls: usize,
    pub known_proofs: usize,
    pub known_runs: usize,
    pub bounded_runs: usize,
    pub lemmas: usize,
    pub engines: usize,
    pub unknown: usize,
}

/// Limits of a search.
#[derive(Clone, Debug)]
pub struct Budget {
    /// For each call.
    pub call: Duration,
    /// For a query about an unsatisfiable core.
    pub core: Option<Duration>,
    /// For everything.
    pub deadline: Option<Instant>,
}

pub struct Verifier<'m> {
    pub model: &'m Model,
    pub(crate) goals: Vec<Term>,
    properties: Vec<PropertyId>,
    settings: Settings,
    pub budget: Budget,
    pub(crate) runs: Frames,
    pub(crate) paths: Frames,
    /// Sets of parts that are enough.
    proofs: Vec<Set>,
    cuts: Vec<Cut>,
    /// Invariants of some proof, candidates for others; with the largest k.
    lemmas: Vec<Term>,
    k: usize,
    pub statistics: Statistics,
}

impl<'m> Verifier<'m> {
    /// For some invariant properties of the model, all at once.
    pub fn new(
        model: &'m Model,
        properties: &[PropertyId],
        settings: &Settings,
        budget: Budget,
    ) -> Verifier<'m> {
        let invariant =
            |id: &&PropertyId| model.tagged.property(**id).kind == PropertyKind::Invariant;
        let properties: Vec<PropertyId> = properties.iter().filter(invariant).copied().collect();
        let opened = model.opened().system;
        let goals = properties
            .iter()
            .map(|id| opened.property(*id).term.clone());
        let goals: Vec<Term> = goals.collect();
        Verifier {
            runs: Frames::new(model, &goals, true),
            paths: Frames::new(model, &goals, false),
            model,
            goals,
            properties,
            settings: settings.clone(),
            budget,
            proofs: Vec::new(),
            cuts: Vec::new(),
            lemmas: Vec::new(),
            k: 1,
            statistics: Statistics::default(),
        }
    }

    /// Do the properties hold with these parts?
    pub fn verify(&mut self, present: &Set) -> Verified {
        self.statistics.calls += 1;
        if let Some(known) = self.proofs.iter().find(|used| used.is_subset(present)) {
            self.statistics.known_proofs += 1;
            return Verified::Safe(known.clone());
        }
        if let Some(known) = self.cuts.iter().find(|cut| cut.broken.is_disjoint(present)) {
            self.statistics.known_runs += 1;
            return Verified::Unsafe(known.clone());
        }
        if self.is_late() {
            self.statistics.unknown += 1;
            return Verified::Unknown;
        }
        if let Some(cut) = self.short_run(present) {
            self.statistics.bounded_runs += 1;
            return Verified::Unsafe(cut);
        }
        if let Some(used) = self.survivors(present) {
            self.statistics.lemmas += 1;
            return Verified::Safe(used);
        }
        let answer = self.engines(present);
        match answer {
            Verified::Unknown => self.statistics.unknown += 1,
            _ => self.statistics.engines += 1,
        }
        answer
    }

    /// Takes note of a proof of the whole model, if it is one.
    pub fn learn(&mut self, k: usize, invariants: &[Term]) -> Option<Set> {
        let all = self.model.all();
        let invariants = invariants.iter().flat_map(conjuncts).collect();
        self.prove(&all, Proof::Inductive { k, invariants })
    }

    pub fn is_late(&self) -> bool {
        let over = |at| Instant::now() >= at;
        let interrupted = &self.settings.interrupted;
        self.budget.deadline.is_some_and(over)
            || interrupted.load(std::sync::atomic::Ordering::Relaxed)
    }

    /// When a call that begins now must end.
    fn end_of_call(&self) -> Option<Instant> {
        let own = Instant::now().checked_add(self.budget.call);
        own.into_iter().chain(self.budget.deadline).min()
    }

    /// A proof, if it is one, becomes a set of parts that is enough.
    fn prove(&mut self, present: &Set, proof: Proof) -> Option<Set> {
        self.paths.limit(self.budget.core);
        self.runs.limit(self.budget.core);
        let (used, k, lemmas) = uc::core(self, present, &proof)?;
        self.proofs.push(used.clone());
        self.k = self.k.max(k);
        for lemma in lemmas {
            if !self.lemmas.contains(&lemma) {
                self.lemmas.push(lemma);
            }
        }
        Some(used)
    }

    /// A violation at this step, with these parts; of the others as many hold as
    /// the model that was found happens to show.
    pub(crate) fn run_at(&mut self, present: &Set, depth: usize) -> Option<Cut> {
        let violated = not(&and(self.goals.iter().cloned()));
        match self.runs.check(present, depth, &[(violated, depth)]) {
            Answer::Sat => {
                let others = self.model.complement(present);
                let broken = self.runs.broken(&others, depth);
                let cut = Cut { broken, depth };
                self.cuts.push(cut.clone());
                Some(cut)
            }
            _ => None,
        }
    }

    /// The fewest parts, by cost, that have to fail for a violation at this step;
    /// the parts in `present` do not.
    pub fn least_cut(&mut self, present: &Set, depth: usize) -> Option<Cut> {
        let violated = not(&and(self.goals.iter().cloned()));
        let costs: Vec<u32> = self.model.parts.iter().map(|part| part.cost).collect();
        self.runs.limit(Some(self.budget.call));
        let answer = self
            .runs
            .check_soft(present, depth, &[(violated, depth)], &costs);
        if answer != Answer::Sat {
            return None;
        }
        let others = self.model.complement(present);
        let broken = self.runs.broken(&others, depth);
        let cut = Cut { broken, depth };
        self.cuts.push(cut.clone());
        Some(cut)
    }

    /// A run as long as those seen so far, or as the proofs look back. Lengths
    /// that have often led to a violation come first.
    fn short_run(&mut self, present: &Set) -> Option<Cut> {
        let longest = self.cuts.iter().map(|cut| cut.depth).max().unwrap_or(0);
        let mut depths: Vec<usize> = (0..=longest.max(self.k)).collect();
        let seen = |depth: usize| self.cuts.iter().filter(|cut| cut.depth == depth).count();
        depths.sort_by_key(|depth| std::cmp::Reverse(seen(*depth)));
        self.runs.limit(Some(SHORT));
        depths
            .into_iter()
            .find_map(|depth| self.run_at(present, depth))
    }

    /// The lemmas of earlier proofs that are inductive with these parts, if they
    /// imply the properties.
    fn survivors(&mut self, present: &Set) -> Option<Set> {
        if self.lemmas.is_empty() {
            return None;
        }
        self.runs.limit(Some(SHORT));
        self.paths.limit(Some(SHORT));
        let invariants = uc::survivors(self, present, self.lemmas.clone(), self.k)?;
        let k = self.k;
        self.prove(present, Proof::Inductive { k, invariants })
    }

    fn engines(&mut self, present: &Set) -> Verified {
        let system = self.model.only(present, &self.properties);
        let mut settings = self.settings.clone();
        settings.deadline = self.end_of_call();
        let mut portfolio = Portfolio::start(system.into(), Vec::new(), Vec::new(), &settings);
        let mut proofs = Vec::new();
        let mut violation = None;
        for news in portfolio.by_ref() {
            let News::Finding(finding) = news else {
                continue;
            };
            match finding.verdict {
                Verdict::Always(evidence) => proofs.push(evidence),
                Verdict::Witness(run) => {
                    violation = Some(run.steps.len().saturating_sub(1));
                    break;
                }
            }
        }
        portfolio.stop();
        if let Some(depth) = violation {
            self.runs.limit(Some(self.budget.call));
            return self
                .run_at(present, depth)
                .map_or(Verified::Unknown, Verified::Unsafe);
        }
        if proofs.len() < self.properties.len() {
            return Verified::Unknown;
        }
        self.prove(present, joined(&proofs))
            .map_or(Verified::Unknown, Verified::Safe)
    }
}

/// For a query that may be in vain.
const SHORT: Duration = Duration::from_millis(500);

/// One proof of all properties.
fn joined(proofs: &[Evidence]) -> Proof {
    let mut k = 1;
    let mut invariants = Vec::new();
    for evidence in proofs {
        match evidence {
            Evidence::Inductive { k: own, invariant }
            | Evidence::SimplePath { k: own, invariant } => {
                k = k.max(*own);
                invariants.extend(conjuncts(invariant));
            }
            Evidence::NoRun { steps } | Evidence::Bounded { steps } => {
                return Proof::NoRun { steps: *steps };
            }
        }
    }
    Proof::Inductive { k, invariants }
}

fn conjuncts(term: &Term) -> Vec<Term> {
    match term.kind() {
        Kind::And(all) => all.to_vec(),
        _ => vec![term.clone()],
    }
}
