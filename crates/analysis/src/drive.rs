//! Listens to the engines, and turns what they find into results.
//!
//! The interpreter, which does not know the lowering, replays every run that an engine finds before
//! the result is told. A run that does not replay is an internal error, or a failure of an external
//! solver, and never a verdict.

use std::collections::HashSet;
use std::sync::Arc;
use std::time::Duration;

use engines::{
    Attempt, Finding, News, Observation, Portfolio, Run, Settings, SpecialCase, Verdict,
};
use lower::{Lowered, Shape};
use proof::EvidenceOf;
use system::{Property, PropertyId, PropertyKind, Term};

use crate::path;
use crate::replay::{self, Claim, Mismatch};
use crate::run::{
    AnalysisEvent, AnalysisOptions, Driven, Outcome, Prepared, PropertyResult, at_most,
};
use crate::vacuity::Vacuity;

/// The timeout for making a run smoother.
const SMOOTHING: Duration = Duration::from_secs(10);

impl Prepared<'_> {
    /// Runs the engines, and tells results as they come.
    pub fn drive(&self, tell: &mut dyn FnMut(AnalysisEvent)) -> Driven<'_> {
        let system = &self.task.system;
        let special = self.cases.iter().map(SpecialCase::from).collect();
        let (observed, settings) = (self.observed.clone(), &self.settings);
        let mut portfolio =
            Portfolio::start_hierarchical(system.clone(), observed, special, settings);
        if self.task.options.questions_follow {
            smt::warm_up();
        }
        let mut vacuity = Vacuity::new(system, settings);
        let mut results: Vec<Option<PropertyResult>> = vec![None; system.properties.len()];
        // Engines start again in every turn, and would repeat their attempts.
        let mut told: HashSet<(Vec<PropertyId>, usize)> = HashSet::new();
        while let Some(news) = portfolio.next() {
            match news {
                News::Finding(finding) => {
                    if let Verdict::Always(evidence) = &finding.verdict {
                        vacuity.proved(evidence, tell);
                    }
                    let id = finding.property;
                    if let Some(result) = self.result(finding, tell) {
                        tell(AnalysisEvent::Result(&result));
                        results[id.0] = Some(result);
                    }
                }
                News::Progress(progress) => tell(AnalysisEvent::Progress(progress)),
                News::HierarchyWanted => portfolio.tell_components(Arc::new(self.hierarchy())),
                News::SolverFailed(message) | News::SolverNote(message) => {
                    tell(AnalysisEvent::SolverFailed(message));
                }
                News::Failure(message) => tell(AnalysisEvent::InternalError(message)),
                News::Attempt(attempt) => {
                    if told.insert((attempt.properties.clone(), attempt.k)) {
                        self.tell_attempt(&attempt, tell);
                    }
                }
            }
        }
        Driven {
            portfolio,
            vacuity,
            results,
        }
    }

    /// Tells of a path on which induction fails, unless all of its properties are hidden.
    fn tell_attempt(&self, attempt: &Attempt, tell: &mut dyn FnMut(AnalysisEvent)) {
        let task = &self.task;
        let ids = attempt.properties.iter();
        let properties = ids.map(|id| task.system.property(*id));
        let properties: Vec<&Property> = properties.filter(|p| !p.hidden).collect();
        let (instances, observed) = (&self.instances, &self.observed);
        let path = path::trace(task.program, task.node, instances, observed, &attempt.run);
        if let (Some(path), false) = (path, properties.is_empty()) {
            let k = attempt.k;
            tell(AnalysisEvent::Attempt {
                properties,
                k,
                path,
            });
        }
    }

    /// The result for the program; `None` if the run of the finding does not replay.
    fn result(
        &self,
        finding: Finding,
        tell: &mut dyn FnMut(AnalysisEvent),
    ) -> Option<PropertyResult> {
        let (task, id) = (&self.task, finding.property);
        let kind = task.system.property(id).kind;
        let reach = matches!(kind, PropertyKind::Reachable { .. });
        let mut recorded = None;
        let outcome = match finding.verdict {
            Verdict::Always(evidence) => {
                let evidence = EvidenceOf::new(task.system.clone(), evidence);
                match reach {
                    true => Outcome::Unreachable(evidence),
                    false => Outcome::Valid(evidence),
                }
            }
            Verdict::Witness(run) => {
                let replayed = self.replayed(id, run, !reach, tell)?;
                match reach {
                    true => Outcome::Reachable(replayed.trace),
                    false => {
                        recorded = Some(replayed.recorded);
                        Outcome::Falsified(replayed.trace)
                    }
                }
            }
        };
        let mut result = task.result(id, outcome);
        (result.recorded, result.engine) = (recorded, Some(finding.engine));
        Some(result)
    }

    /// Replays a run in the interpreter; a counterexample is made smoother before, if the options
    /// ask for that.
    fn replayed(
        &self,
        id: PropertyId,
        run: Run,
        violates: bool,
        tell: &mut dyn FnMut(AnalysisEvent),
    ) -> Option<replay::Replayed> {
        let task = &self.task;
        let origin = &task.lowered.origins[id.0];
        let (lowered, observed) = match run.case {
            Some(at) => (&self.cases[at].lowered, &self.cases[at].observed),
            None => (&*task.lowered, &self.observed),
        };
        let name = &task.system.property(id).name;
        let run = match task.options.smooth && violates {
            true => smoother(lowered, observed, id, run, task.options),
            false => run,
        };
        match replay::replay(
            task.program,
            task.node,
            lowered.into(),
            observed,
            &run,
            Claim::Decides(origin),
        ) {
            Ok(replayed) => {
                for gap in &replayed.gaps {
                    tell(AnalysisEvent::Warning(format!(
                        "the run for {name} is not replayed exactly: {gap}"
                    )));
                }
                Some(replayed)
            }
            Err(mismatch) => {
                tell(not_replayed(name, mismatch, &self.settings));
                None
            }
        }
    }
}

/// The message for a run that the interpreter could not reproduce. If an external solver has found
/// the run, the solver is blamed, otherwise it is an internal error.
fn not_replayed<'e>(name: &str, mismatch: Mismatch, settings: &Settings) -> AnalysisEvent<'e> {
    let external = settings.solver.external.as_ref();
    match (mismatch, external.map(|external| external.program.name())) {
        (Mismatch::Unable(why), _) => AnalysisEvent::Warning(format!(
            "a run that decides {name} was found but cannot be shown: {why}"
        )),
        (Mismatch::Disagrees(why), None) => {
            AnalysisEvent::InternalError(format!("the run for {name} does not replay: {why}"))
        }
        (Mismatch::Disagrees(why), Some(solver)) => {
            settings.solver.shared.catch();
            AnalysisEvent::SolverFailed(format!(
                "the run for {name} that {solver} has found does not replay: {why}"
            ))
        }
    }
}

/// The run, or one of the same length whose inputs change less often.
fn smoother(
    lowered: &Lowered,
    observed: &[Observation],
    id: PropertyId,
    run: Run,
    options: &AnalysisOptions,
) -> Run {
    let inputs = lowered.inputs.iter().flat_map(Shape::leaves);
    let inputs: Vec<Term> = inputs.map(|(term, _)| term).collect();
    let system = Arc::new(lowered.system.clone());
    let (context, time) = (options.settings.context(), at_most(SMOOTHING, options));
    match engines::smoothed(&context, &system, observed, id, &run, &inputs, time) {
        Some(smooth) => Run {
            case: run.case,
            ..smooth
        },
        None => run,
    }
}
