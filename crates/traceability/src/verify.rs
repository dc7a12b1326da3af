//! `Verify`: do the properties hold with some of the parts?
//!
//! Before any engine starts, what is known is tried (`strategies.rs`); whatever the answer, it is
//! kept (`knowledge.rs`). A proof becomes the parts and invariants that it needs by unsat cores
//! (`uc.rs`); a run becomes the parts that it breaks (`violation.rs`).

use std::time::{Duration, Instant};

use engines::Settings;
use proof::{Candidates, Evidence, Joined, Lemmas};
use smt::{Choice, Clock, Limits, Meter, SolverContext};
use system::{PropertyId, PropertyKind, Term, and};

use crate::frames::Wanted;
use crate::knowledge::{Knowledge, Proved};
use crate::model::{Model, Set};
use crate::solvers::Solvers;
use crate::uc;
use crate::violation::CHEAP;

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

impl From<Joined> for Proof {
    fn from(joined: Joined) -> Proof {
        match joined {
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

/// Limits of a search. Those that the user gave are measured by the clock, and all others in the
/// solver's work, so that a machine with other things to do finds the same answers.
#[derive(Clone, Debug)]
pub struct Budget {
    /// For each call.
    pub call: Duration,
    /// Did the user give the limit of a call?
    pub call_is_given: bool,
    /// For a query about an unsatisfiable core, if the user gave a limit.
    pub core: Option<Duration>,
    /// For everything.
    pub deadline: Option<Instant>,
}

impl Budget {
    /// The limits of a query that may take as long as a call.
    pub(crate) fn of_call(&self) -> Limits {
        let call = Some(self.call);
        Limits {
            time: call.filter(|_| !self.call_is_given),
            real: call.filter(|_| self.call_is_given),
            ..Limits::default()
        }
    }

    /// The limits of a query about an unsatisfiable core.
    pub(crate) fn of_core(&self) -> Limits {
        Limits {
            real: self.core,
            ..Limits::default()
        }
    }
}

/// See [`Verifier::worn`].
const WORN: Duration = Duration::from_millis(300);

pub struct Verifier<'m> {
    pub model: &'m Model,
    pub(crate) properties: Vec<PropertyId>,
    pub(crate) settings: Settings,
    /// Of all its solvers; the engines have others.
    pub(crate) context: SolverContext,
    pub budget: Budget,
    pub(crate) known: Knowledge,
    pub(crate) solvers: Solvers,
    /// While it says so, the runs that are looked for are wanted.
    pub(crate) wanted: Option<Wanted>,
    /// A solver that has worked for longer is replaced.
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
        settings.induction.compress = false;
        let clock = match &settings.meter {
            Some(meter) => Clock::Work(meter.clone()),
            // The engines work at the same time, and count for themselves.
            None => Clock::Guarded(Meter::default()),
        };
        let context = SolverContext::new(Choice::default(), clock);
        Verifier {
            model,
            properties,
            settings,
            budget,
            known: Knowledge::default(),
            solvers: Solvers::new(&context, opened, goals),
            context,
            wanted: None,
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

    /// From now on these parts are in all sets that are asked about: every proof needs
    /// them.
    pub(crate) fn require(&mut self, parts: &Set) {
        self.solvers.require(parts);
    }

    /// Checks the proof that these parts are enough once more, on a system with
    /// nothing else and in a fresh solver.
    pub fn confirm(&self, present: &Set) -> bool {
        let system = self.model.only(present, &self.properties).into();
        let proved = self.known.proof_within(present);
        proved.is_some_and(|proved| proof::holds_up(&self.context, &system, &proved.evidence))
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

    /// Takes note of invariants that may be of help.
    pub fn suppose(&mut self, lemmas: &Lemmas) {
        self.known.add_lemmas(lemmas.about(&self.model.tagged));
    }

    /// A smaller core than one that is known, if its proof allows it. Parts that no
    /// proof can do without are found first, as far as that is cheap.
    pub(crate) fn smaller(&mut self, core: &Set) -> Set {
        for part in core {
            let mut others = self.model.all();
            others.remove(part);
            let (depths, _) = self.known.depths();
            self.run_within(&others, depths.into_iter(), CHEAP);
        }
        let Some(Proved { parts, evidence }) = self.known.proof_within(core).cloned() else {
            return core.clone();
        };
        let Evidence::Inductive { k, invariant } = evidence else {
            return core.clone();
        };
        let proof = Proof::Inductive {
            k,
            invariants: invariant.conjuncts(),
            checked: true,
        };
        self.prove(&parts, proof).unwrap_or(parts)
    }

    /// Questions that were given up may be asked again.
    pub fn try_again(&mut self) {
        self.known.forget_undecided();
    }

    pub fn is_late(&self) -> bool {
        let over = |at| Instant::now() >= at;
        let interrupted = &self.settings.interrupted;
        self.budget.deadline.is_some_and(over)
            || interrupted.load(std::sync::atomic::Ordering::Relaxed)
    }

    /// A proof, if it is one, becomes a set of parts that is enough.
    pub(crate) fn prove(&mut self, present: &Set, proof: Proof) -> Option<Set> {
        self.solvers.limit(self.budget.of_core());
        let needed = uc::core(self, present, &proof)?;
        let mut parts = needed.parts;
        parts.extend(self.solvers.settled());
        let evidence = match proof {
            Proof::Inductive { .. } => Evidence::Inductive {
                k: needed.k,
                invariant: and(needed.invariants.iter().cloned()),
            },
            Proof::NoRun { steps } => Evidence::NoRun { steps },
        };
        let proved = Proved {
            parts: parts.clone(),
            evidence,
        };
        self.known.add_proof(proved, needed.k, needed.invariants);
        Some(parts)
    }
}
