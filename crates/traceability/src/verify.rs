//! `Verify`: do the properties hold with some of the parts?
//!
//! Before any engine starts, what is known is tried: a proof whose parts are all
//! there, a run that breaks none of those that are there, a run as long as those
//! seen so far, and the lemmas that survive. Only then the engines are asked, with
//! a budget, and longer runs are looked for beside them. Whatever the answer, it is
//! kept.

use std::sync::Arc;
use std::time::{Duration, Instant};

use engines::{News, Observation, Portfolio, Run, Settings, Verdict};
use proof::{
    AtStep, Candidates, Compression, Evidence, EvidenceOf, Joined, Lemma, Lemmas, evidence_about,
    join,
};
use smt::Answer;
use smt::clock::Moment;
use system::{Inliner, PropertyId, PropertyKind, Role, Sort, System, Term, Var, and, eq, not};

use crate::frames::{Frames, Wanted};
use crate::model::{Model, Opened, Set};
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
    Inductive {
        k: usize,
        invariants: Vec<Term>,
        /// It has been checked; nothing but what it needs is in question.
        checked: bool,
    },
    /// Runs end before this step, and none violates a property.
    NoRun { steps: usize },
}

/// How an answer was found.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Means {
    KnownProof,
    KnownRun,
    /// A run no longer than those seen before.
    ShortRun,
    /// Lemmas of earlier proofs.
    Lemmas,
    Engines,
    /// Not at all.
    None,
}

/// A call of [`Verifier::verify`].
#[derive(Clone, Copy, Debug)]
pub struct Call {
    /// How many of the parts were there.
    pub present: usize,
    pub is_safe: bool,
    pub means: Means,
    pub elapsed: Duration,
}

/// All calls, by how their answers were found: how many, and how long they took.
#[derive(Clone, Debug, Default)]
pub struct Statistics {
    pub calls: Vec<Call>,
}

impl Statistics {
    pub fn by(&self, means: Means) -> (usize, Duration) {
        let calls = self.calls.iter().filter(|call| call.means == means);
        calls.fold((0, Duration::ZERO), |(count, time), call| {
            (count + 1, time + call.elapsed)
        })
    }
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
    /// Parts that are in all sets from now on, and those of them that are not open.
    required: Set,
    settled: Set,
    opened: Opened,
    pub(crate) runs: Frames,
    /// Runs of many steps, which would weigh on all questions about short ones.
    long_runs: Option<Frames>,
    pub(crate) paths: Frames,
    /// While it says so, the runs that are looked for are wanted.
    wanted: Option<Wanted>,
    /// Sets of parts that are enough, and why.
    proofs: Vec<(Set, Evidence)>,
    cuts: Vec<Cut>,
    /// By length: sets of parts with which no run violates a property at its end.
    clear: Vec<Vec<Set>>,
    /// Invariants of some proof, candidates for others; with the largest k.
    lemmas: Vec<Term>,
    k: usize,
    /// Sets that could not be decided.
    undecided: Vec<Set>,
    /// A solver that has worked for longer is replaced: what it has learnt for many
    /// questions slows it down in the end.
    pub worn: Duration,
    /// Have cores as small as their proofs allow.
    pub minimise: bool,
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
        let opened = model.opened(&Set::new());
        let goals = properties.iter();
        let goals = goals.map(|id| opened.system.property(*id).term.clone());
        let goals: Vec<Term> = goals.collect();
        let mut settings = settings.clone();
        // A core is of a proof that looks at single steps.
        settings.induction.compression = Compression::NONE;
        Verifier {
            runs: Frames::new(&opened, &goals, true),
            paths: Frames::new(&opened, &goals, false),
            long_runs: None,
            opened,
            required: Set::new(),
            settled: Set::new(),
            wanted: None,
            model,
            goals,
            properties,
            settings,
            budget,
            proofs: Vec::new(),
            cuts: Vec::new(),
            clear: Vec::new(),
            lemmas: Vec::new(),
            k: 1,
            undecided: Vec::new(),
            worn: WORN,
            minimise: false,
            statistics: Statistics::default(),
        }
    }

    /// Do the properties hold with these parts?
    pub fn verify(&mut self, present: &Set) -> Verified {
        let start = Instant::now();
        let (answer, means) = self.answer(present);
        self.statistics.calls.push(Call {
            present: present.len(),
            is_safe: matches!(answer, Verified::Safe(_)),
            means,
            elapsed: start.elapsed(),
        });
        answer
    }

    fn answer(&mut self, present: &Set) -> (Verified, Means) {
        if let Some((known, _)) = self.proof_within(present) {
            return (Verified::Safe(known.clone()), Means::KnownProof);
        }
        if let Some(known) = self.cuts.iter().find(|cut| cut.broken.is_disjoint(present)) {
            return (Verified::Unsafe(known.clone()), Means::KnownRun);
        }
        if self.is_late() {
            return (Verified::Unknown, Means::None);
        }
        debug_assert!(self.required.is_subset(present));
        self.replace_worn();
        let (known, deeper) = self.depths();
        let (for_known, for_deeper) = match self.settings.threads {
            1 => (SHORT, CHEAP),
            _ => (CHEAP, ALONE),
        };
        let cut = self.run_within(present, known.iter().copied(), for_known);
        let some = deeper.clone().take(DEEPER);
        let cut = cut.or_else(|| self.run_within(present, some, for_deeper));
        if let Some(cut) = cut {
            return (Verified::Unsafe(cut), Means::ShortRun);
        }
        let lemmas = self.survivors(present);
        if self.goals.iter().all(|goal| lemmas.contains(goal)) {
            let proof = Proof::Inductive {
                k: self.k,
                invariants: lemmas.clone(),
                checked: true,
            };
            if let Some(used) = self.prove(present, proof) {
                return (Verified::Safe(used), Means::Lemmas);
            }
        }
        // What is not known to be enough has no subset that is.
        if self.undecided.iter().any(|set| present.is_subset(set)) {
            return (Verified::Unknown, Means::None);
        }
        let mut portfolio = self.start(present, lemmas);
        let depths = known.into_iter().chain(deeper);
        if let Some(cut) = self.run_beside(&portfolio, present, depths) {
            portfolio.stop();
            return (Verified::Unsafe(cut), Means::ShortRun);
        }
        portfolio.take_over();
        match self.engines(present, portfolio) {
            Verified::Unknown => {
                self.undecided.push(present.clone());
                (Verified::Unknown, Means::None)
            }
            answer => (answer, Means::Engines),
        }
    }

    /// From now on these parts are in all sets that are asked about: every proof needs
    /// them.
    pub(crate) fn require(&mut self, parts: &Set) {
        self.required = parts.clone();
    }

    /// Replaces solvers that have become slow. What is required becomes a part of
    /// their system, which is smaller then.
    fn replace_worn(&mut self) {
        let runs = self.runs.spent() > self.worn;
        let paths = self.paths.spent() > self.worn;
        let settles = (runs || paths) && self.settled != self.required;
        if settles {
            self.settle();
        }
        if runs || settles {
            self.runs = Frames::new(&self.opened, &self.goals, true);
        }
        if paths || settles {
            self.paths = Frames::new(&self.opened, &self.goals, false);
        }
    }

    fn settle(&mut self) {
        self.settled = self.required.clone();
        self.opened = self.model.opened(&self.settled);
        self.long_runs = None;
        let system = self.model.freed(&self.settled);
        let mut inliner = Inliner::new(&system);
        for term in self.lemmas.iter_mut().chain(&mut self.goals) {
            *term = inliner.term(term);
        }
    }

    fn proof_within(&self, present: &Set) -> Option<&(Set, Evidence)> {
        let mut proofs = self.proofs.iter();
        proofs.find(|(used, _)| used.is_subset(present))
    }

    /// Checks the proof that these parts are enough once more, on a system with
    /// nothing else and in a fresh solver.
    pub fn confirm(&self, present: &Set) -> bool {
        let system = self.model.only(present, &self.properties).into();
        let proof = self.proof_within(present);
        proof.is_some_and(|(_, evidence)| proof::holds_up(&system, evidence))
    }

    /// Takes note of a proof of the whole model, if it is one.
    pub fn learn(&mut self, candidates: Candidates) -> Option<Set> {
        let proof = Proof::Inductive {
            k: candidates.k,
            invariants: candidates.terms,
            checked: false,
        };
        self.prove(&self.model.all(), proof)
    }

    /// Takes note of invariants that may be of help. Those that come from proofs
    /// are known already, and there is a limit to what can be tried each time.
    pub fn suppose(&mut self, lemmas: &Lemmas) {
        self.keep(lemmas.about(&self.model.tagged));
    }

    fn keep(&mut self, lemmas: Vec<Lemma>) {
        for Lemma { k, term } in lemmas.into_iter().filter(|lemma| lemma.k <= MAX_K) {
            let room = self.lemmas.len() < MAX_LEMMAS;
            if room && !self.lemmas.contains(&term) {
                self.lemmas.push(term);
                self.k = self.k.max(k);
            }
        }
    }

    /// Is a run known that breaks nothing but this part?
    pub(crate) fn is_must(&self, part: usize) -> bool {
        let alone = |cut: &Cut| cut.broken.iter().all(|broken| *broken == part);
        self.cuts.iter().any(alone)
    }

    /// A smaller core than one that is known, if its proof allows it. Parts that no
    /// proof can do without are found first, as far as that is cheap.
    pub(crate) fn smaller(&mut self, core: &Set) -> Set {
        for part in core {
            let mut others = self.model.all();
            others.remove(part);
            let (depths, _) = self.depths();
            self.run_within(&others, depths.into_iter(), CHEAP);
        }
        let known = self.proof_within(core).cloned();
        let Some((used, Evidence::Inductive { k, invariant })) = known else {
            return core.clone();
        };
        let invariants = invariant.conjuncts();
        let proof = Proof::Inductive {
            k,
            invariants,
            checked: true,
        };
        self.prove(&used, proof).unwrap_or(used)
    }

    /// Questions that were given up may be asked again.
    pub fn try_again(&mut self) {
        self.undecided.clear();
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
        let (mut used, k, lemmas) = uc::core(self, present, &proof)?;
        used.extend(&self.settled);
        let evidence = match proof {
            Proof::Inductive { .. } => Evidence::Inductive {
                k,
                invariant: and(lemmas.iter().cloned()),
            },
            Proof::NoRun { steps } => Evidence::NoRun { steps },
        };
        self.proofs.push((used.clone(), evidence));
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
    pub(crate) fn run_at(&mut self, present: &Set, depth: usize, time: Duration) -> Option<Cut> {
        if self.is_clear(present, depth) {
            return None;
        }
        let violated = self.violated();
        let wanted = self.wanted.clone();
        let runs = self.runs_through(depth);
        runs.limit(Some(time));
        runs.wanted = wanted;
        let answer = runs.check(present, depth, &[AtStep::new(violated, depth)]);
        runs.wanted = None;
        match answer {
            Answer::Sat => self.cut_found(present, depth),
            Answer::Unsat => {
                if let Some(enough) = runs.enough() {
                    let depths = self.clear.len().max(depth + 1);
                    self.clear.resize(depths, Vec::new());
                    self.clear[depth].push(enough);
                }
                None
            }
            Answer::Unknown(_) => None,
        }
    }

    /// The same with inputs that are known to lead to a violation.
    fn run_again(&mut self, present: &Set, run: &Run, time: Duration) -> Option<Cut> {
        let depth = run.steps.len().checked_sub(1)?;
        let inputs = inputs(&self.model.only(present, &self.properties));
        let mut terms = vec![AtStep::new(self.violated(), depth)];
        for (at, values) in run.steps.iter().enumerate() {
            for (input, value) in inputs.iter().zip(values) {
                let value = value.as_ref().and_then(|value| value.term(input.sort()));
                terms.extend(value.map(|value| AtStep::new(eq(input, &value), at)));
            }
        }
        let runs = self.runs_through(depth);
        runs.limit(Some(time));
        match runs.check(present, depth, &terms) {
            Answer::Sat => self.cut_found(present, depth),
            // Some value may not have been told as it is.
            Answer::Unsat | Answer::Unknown(_) => self.run_at(present, depth, time),
        }
    }

    fn violated(&self) -> Term {
        not(&and(self.goals.iter().cloned()))
    }

    /// What the run that was found breaks.
    fn cut_found(&mut self, present: &Set, depth: usize) -> Option<Cut> {
        let others = self.model.complement(present);
        let runs = self.runs_through(depth);
        if runs.is_wrong(present, depth) {
            self.runs = Frames::new(&self.opened, &self.goals, true);
            self.long_runs = None;
            return None;
        }
        let broken = runs.broken(&others, depth);
        let cut = Cut { broken, depth };
        self.cuts.push(cut.clone());
        Some(cut)
    }

    /// Where runs of so many steps are looked for.
    fn runs_through(&mut self, depth: usize) -> &mut Frames {
        let new = || Frames::new(&self.opened, &self.goals, true);
        match depth {
            ..=SHORT_RUN => &mut self.runs,
            _ => self.long_runs.get_or_insert_with(new),
        }
    }

    /// Is it known that no run with these parts violates a property at this step?
    fn is_clear(&self, present: &Set, depth: usize) -> bool {
        let known = self.clear.get(depth).into_iter().flatten();
        known.into_iter().any(|enough| enough.is_subset(present))
    }

    /// The fewest parts, by cost, that have to fail for a violation at this step;
    /// the parts in `present` do not.
    pub fn least_cut(&mut self, present: &Set, depth: usize) -> Option<Cut> {
        let violated = self.violated();
        let costs: Vec<u32> = self.model.parts.iter().map(|part| part.cost).collect();
        self.runs.limit(Some(self.budget.call));
        let violation = [AtStep::new(violated, depth)];
        let answer = self.runs.check_soft(present, depth, &violation, &costs);
        if answer != Answer::Sat {
            return None;
        }
        let others = self.model.complement(present);
        let broken = self.runs.broken(&others, depth);
        let cut = Cut { broken, depth };
        self.cuts.push(cut.clone());
        Some(cut)
    }

    /// As few broken parts as a run of the same length can do with, though not the
    /// fewest of all: each in turn is asked to hold.
    pub(crate) fn shrunk(&mut self, present: &Set, cut: Cut) -> Cut {
        let mut cut = cut;
        let mut open = cut.broken.clone();
        while let Some(part) = open.pop_first() {
            let mut holding = self.model.complement(&cut.broken);
            holding.extend(present);
            holding.insert(part);
            if let Some(other) = self.run_at(&holding, cut.depth, SHORT) {
                open.retain(|part| other.broken.contains(part));
                cut = other;
            }
        }
        cut
    }

    /// A run longer than those seen so far, while that is cheap and the engines have
    /// no answer.
    fn run_beside(
        &mut self,
        portfolio: &Portfolio,
        present: &Set,
        depths: impl Iterator<Item = usize>,
    ) -> Option<Cut> {
        if self.settings.threads == 1 {
            return None;
        }
        let open: Wanted = Arc::new(portfolio.watch());
        self.wanted = Some(open.clone());
        let cut = self.run_within(present, depths.take_while(|_| open()), BESIDE);
        self.wanted = None;
        cut
    }

    /// A violation at one of the steps, in the order given, as long as there is time.
    fn run_within(
        &mut self,
        present: &Set,
        mut depths: impl Iterator<Item = usize>,
        time: Duration,
    ) -> Option<Cut> {
        let start = Moment::now();
        while let Some(left) = time.checked_sub(start.elapsed()) {
            let depth = depths.next()?;
            if let Some(cut) = self.run_at(present, depth, left) {
                return Some(cut);
            }
        }
        None
    }

    /// The lengths to try, those first that have often led to a violation, and then
    /// new ones: each of the next, and some of those that follow.
    fn depths(&self) -> (Vec<usize>, impl Iterator<Item = usize> + Clone + use<>) {
        let longest = self.cuts.iter().map(|cut| cut.depth).max().unwrap_or(0);
        let longest = longest.max(self.k);
        let mut depths: Vec<usize> = (0..=longest).collect();
        let seen = |depth: usize| self.cuts.iter().filter(|cut| cut.depth == depth).count();
        depths.sort_by_key(|depth| std::cmp::Reverse(seen(*depth)));
        let next = longest + 1..=longest + DEEPER;
        let far = (longest + DEEPER..).step_by(STRIDE).skip(1);
        (depths, next.chain(far))
    }

    /// The lemmas of earlier proofs that are inductive with these parts.
    fn survivors(&mut self, present: &Set) -> Vec<Term> {
        let others = self.lemmas.iter().filter(|term| !self.goals.contains(term));
        let candidates: Vec<Term> = others.chain(&self.goals).cloned().collect();
        self.runs.limit(Some(SHORT));
        self.paths.limit(Some(SHORT));
        uc::survivors(self, present, candidates, self.k).unwrap_or_default()
    }

    /// Starts the engines on the system with these parts.
    fn start(&self, present: &Set, lemmas: Vec<Term>) -> Portfolio {
        let system = self.model.only(present, &self.properties);
        // Engines work on systems without streams.
        let mut inliner = Inliner::new(&system);
        let lemmas = Lemma::all(self.k, lemmas.iter().map(|term| inliner.term(term)));
        let mut settings = self.settings.clone();
        let observed = inputs(&system).into_iter().map(|term| Observation {
            term,
            sizes: Vec::new(),
        });
        let observed: Vec<Observation> = observed.collect();
        let system = Arc::new(system.reduced());
        settings.lemmas = Lemmas::new(system.clone(), lemmas);
        match settings.repeatable {
            true => {
                settings.deadline = self.budget.deadline;
                settings.budget = Some(self.budget.call);
            }
            false => settings.deadline = self.end_of_call(),
        }
        settings.caller_unrolls = true;
        Portfolio::start(system, observed, Vec::new(), &settings)
    }

    /// What the engines find out.
    fn engines(&mut self, present: &Set, mut portfolio: Portfolio) -> Verified {
        let mut proofs = Vec::new();
        let mut violation = None;
        for news in portfolio.by_ref() {
            let News::Finding(finding) = news else {
                continue;
            };
            match finding.verdict {
                Verdict::Always(evidence) => proofs.push(evidence),
                Verdict::Witness(run) => {
                    violation = Some(run);
                    break;
                }
            }
        }
        portfolio.stop();
        // The streams of parts that were absent are inputs in both systems.
        let lemmas = portfolio.lemmas();
        self.keep(lemmas.about(&self.opened.system));
        if let Some(run) = violation {
            return self
                .run_again(present, &run, self.budget.call)
                .map_or(Verified::Unknown, Verified::Unsafe);
        }
        let proofs = proofs.into_iter();
        let proofs = proofs.map(|own| EvidenceOf::new(lemmas.system().clone(), own));
        let proofs: Vec<EvidenceOf> = proofs.collect();
        let proofs = evidence_about(&proofs.iter().collect::<Vec<_>>(), &self.opened.system);
        if proofs.len() < self.properties.len() {
            return Verified::Unknown;
        }
        self.prove(present, joined(&proofs))
            .map_or(Verified::Unknown, Verified::Safe)
    }
}

/// See [`Verifier::worn`].
const WORN: Duration = Duration::from_millis(300);

/// Lemmas that are kept for later questions.
const MAX_LEMMAS: usize = 200;
const MAX_K: usize = 4;

/// For runs longer than any before: before the engines start, and beside them.
const ALONE: Duration = Duration::from_millis(5);
const DEEPER: usize = 10;
const STRIDE: usize = 2;
const BESIDE: Duration = Duration::from_millis(500);

/// Steps of runs that have no solver of their own.
const SHORT_RUN: usize = 12;

/// For questions that no other thread answers meanwhile.
const CHEAP: Duration = Duration::from_millis(50);

/// For a query that may be in vain.
const SHORT: Duration = Duration::from_millis(500);

/// What a run is free to choose, without arrays.
fn inputs(system: &System) -> Vec<Term> {
    let vars = (0..).map(Var).zip(&system.vars);
    let chosen = vars.filter(|(_, var)| {
        let is_array = matches!(var.sort, Sort::Array(..));
        matches!(var.role, Role::Input | Role::Constant) && !is_array
    });
    chosen
        .map(|(at, var)| system::var(at, var.sort.clone()))
        .collect()
}

/// One proof of all properties.
fn joined(proofs: &[Evidence]) -> Proof {
    match join(proofs) {
        Joined::Inductive {
            candidates,
            simple_path,
        } => Proof::Inductive {
            k: candidates.k,
            invariants: candidates.terms,
            checked: !simple_path,
        },
        Joined::NoRun { steps } => Proof::NoRun { steps },
    }
}
