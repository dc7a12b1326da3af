//! The ways to answer whether the properties hold with some of the parts.
//!
//! They are tried in the order of [`Verifier::STRATEGIES`], from what costs nothing to what costs
//! most, and the first that has an answer is believed. What is known comes first; then a run as
//! long as those seen so far, which is found sooner than a proof; then a proof by the lemmas of
//! other proofs; and the engines at last, beside which longer runs are looked for.

use std::sync::Arc;
use std::time::{Duration, Instant};

use engines::{News, Observation, Portfolio, Verdict};
use proof::{EvidenceOf, Lemma, Lemmas, evidence_about, join};
use smt::Limits;
use system::{Inliner, Role, Sort, System, Term, Var};

use crate::frames::{Wanted, within};
use crate::knowledge::DEEPER;
use crate::model::Set;
use crate::uc;
use crate::verify::{Means, Proof, Verified, Verifier};
use crate::violation::{CHEAP, SHORT};

/// For runs longer than any before: before the engines start, and beside them.
const ALONE: Duration = Duration::from_millis(5);
const BESIDE: Duration = Duration::from_millis(500);

/// A set of parts that is asked about, and what the strategies so far have for the next ones.
struct Question<'q> {
    present: &'q Set,
    /// Lemmas of earlier proofs that are inductive with these parts.
    survivors: Vec<Term>,
    /// The engines, once they are started.
    portfolio: Option<Portfolio>,
}

/// A way to answer a question, if it has an answer.
type Strategy<'m> = fn(&mut Verifier<'m>, &mut Question<'_>) -> Option<Verified>;

impl<'m> Verifier<'m> {
    /// What is tried, from what costs nothing to what costs most.
    const STRATEGIES: [(Means, Strategy<'m>); 8] = [
        (Means::KnownProof, Self::known_proof),
        (Means::KnownRun, Self::known_run),
        (Means::None, Self::out_of_time),
        (Means::ShortRun, Self::short_run),
        (Means::Lemmas, Self::surviving_lemmas),
        (Means::None, Self::given_up_before),
        (Means::ShortRun, Self::run_beside_engines),
        (Means::Engines, Self::engines),
    ];

    /// The answer of the first strategy that has one, and its name.
    pub(crate) fn answer(&mut self, present: &Set) -> (Verified, Means) {
        let mut question = Question {
            present,
            survivors: Vec::new(),
            portfolio: None,
        };
        for (means, strategy) in Self::STRATEGIES {
            if let Some(answer) = strategy(self, &mut question) {
                return (answer, means);
            }
        }
        self.known.add_undecided(present);
        (Verified::Unknown, Means::None)
    }

    fn known_proof(&mut self, question: &mut Question) -> Option<Verified> {
        let proved = self.known.proof_within(question.present)?;
        Some(Verified::Safe(proved.parts.clone()))
    }

    fn known_run(&mut self, question: &mut Question) -> Option<Verified> {
        let cut = self.known.cut_without(question.present)?;
        Some(Verified::Unsafe(cut.clone()))
    }

    fn out_of_time(&mut self, _: &mut Question) -> Option<Verified> {
        self.is_late().then_some(Verified::Unknown)
    }

    /// Runs as long as those seen so far, and a little longer.
    fn short_run(&mut self, question: &mut Question) -> Option<Verified> {
        let present = question.present;
        debug_assert!(self.solvers.required().is_subset(present));
        let lemmas = &mut self.known.lemmas;
        self.solvers.replace_worn(self.model, lemmas, self.worn);
        let (known, deeper) = self.known.depths();
        let (for_known, for_deeper) = match self.settings.threads {
            1 => (SHORT, CHEAP),
            _ => (CHEAP, ALONE),
        };
        let cut = self.run_within(present, known.into_iter(), for_known);
        let cut = cut.or_else(|| self.run_within(present, deeper.take(DEEPER), for_deeper));
        cut.map(Verified::Unsafe)
    }

    /// A proof by the lemmas of earlier proofs that are inductive with these parts.
    fn surviving_lemmas(&mut self, question: &mut Question) -> Option<Verified> {
        let goals = &self.solvers.goals;
        let others = self.known.lemmas.iter();
        let others = others.filter(|term| !goals.contains(term));
        let candidates: Vec<Term> = others.chain(goals).cloned().collect();
        self.solvers.limit(within(Limits::default(), SHORT));
        let k = self.known.k();
        let survivors = uc::survivors(&mut self.solvers, question.present, candidates, k);
        question.survivors = survivors.unwrap_or_default();
        let mut goals = self.solvers.goals.iter();
        if !goals.all(|goal| question.survivors.contains(goal)) {
            return None;
        }
        let proof = Proof::Inductive {
            k,
            invariants: question.survivors.clone(),
            checked: true,
        };
        self.prove(question.present, proof).map(Verified::Safe)
    }

    fn given_up_before(&mut self, question: &mut Question) -> Option<Verified> {
        let is_undecided = self.known.is_undecided(question.present);
        is_undecided.then_some(Verified::Unknown)
    }

    /// Starts the engines, and looks for a run longer than those seen so far, while that is
    /// cheap and the engines have no answer.
    fn run_beside_engines(&mut self, question: &mut Question) -> Option<Verified> {
        let survivors = std::mem::take(&mut question.survivors);
        let mut portfolio = self.start(question.present, survivors);
        let (known, deeper) = self.known.depths();
        let mut cut = None;
        if self.settings.threads > 1 {
            let open: Wanted = Arc::new(portfolio.watch());
            self.wanted = Some(open.clone());
            let depths = known.into_iter().chain(deeper).take_while(|_| open());
            cut = self.run_within(question.present, depths, BESIDE);
            self.wanted = None;
        }
        match cut {
            Some(_) => portfolio.stop(),
            None => question.portfolio = Some(portfolio),
        }
        cut.map(Verified::Unsafe)
    }

    /// What the engines find out.
    fn engines(&mut self, question: &mut Question) -> Option<Verified> {
        let mut portfolio = question.portfolio.take()?;
        portfolio.take_over();
        let system = portfolio.lemmas().system().clone();
        let mut proofs = Vec::new();
        let mut violation = None;
        for news in portfolio.by_ref() {
            let News::Finding(finding) = news else {
                continue;
            };
            match finding.verdict {
                Verdict::Always(evidence) => {
                    proofs.push(EvidenceOf::new(system.clone(), evidence));
                }
                Verdict::Witness(run) => {
                    violation = Some(run);
                    break;
                }
            }
        }
        portfolio.stop();
        // The streams of parts that were absent are inputs in both systems.
        let lemmas = portfolio.lemmas().about(&self.solvers.opened.system);
        self.known.add_lemmas(lemmas);
        if let Some(run) = violation {
            let cut = self.run_again(question.present, &run, self.budget.of_call());
            return cut.map(Verified::Unsafe);
        }
        let proofs: Vec<&EvidenceOf> = proofs.iter().collect();
        let proofs = evidence_about(&proofs, &self.solvers.opened.system);
        if proofs.len() < self.properties.len() {
            return None;
        }
        let proof = Proof::from(join(&proofs));
        self.prove(question.present, proof).map(Verified::Safe)
    }

    /// Starts the engines on the system with these parts.
    fn start(&self, present: &Set, lemmas: Vec<Term>) -> Portfolio {
        let system = self.model.only(present, &self.properties);
        // Engines work on systems without streams.
        let mut inliner = Inliner::new(&system);
        let lemmas = Lemma::all(self.known.k(), lemmas.iter().map(|term| inliner.term(term)));
        let mut settings = self.settings.clone();
        let observed = inputs(&system).into_iter().map(|term| Observation {
            term,
            sizes: Vec::new(),
        });
        let observed: Vec<Observation> = observed.collect();
        let system = Arc::new(system.reduced());
        settings.lemmas = Lemmas::new(system.clone(), lemmas);
        let by_clock = self.budget.call_is_given && !settings.is_repeatable();
        settings.budget = (!by_clock).then_some(self.budget.call);
        settings.deadline = match by_clock {
            true => self.end_of_call(),
            false => self.budget.deadline,
        };
        settings.caller_unrolls = true;
        Portfolio::start(system, observed, Vec::new(), &settings)
    }

    /// When a call that begins now must end.
    fn end_of_call(&self) -> Option<Instant> {
        let own = Instant::now().checked_add(self.budget.call);
        own.into_iter().chain(self.budget.deadline).min()
    }
}

/// What a run is free to choose, without arrays.
pub(crate) fn inputs(system: &System) -> Vec<Term> {
    let vars = (0..).map(Var).zip(&system.vars);
    let chosen = vars.filter(|(_, var)| {
        let is_array = matches!(var.sort, Sort::Array(..));
        matches!(var.role, Role::Input | Role::Constant) && !is_array
    });
    chosen
        .map(|(at, var)| system::var(at, var.sort.clone()))
        .collect()
}
