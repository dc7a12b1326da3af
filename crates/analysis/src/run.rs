//! One analysis. It lowers the node and prepares the input of the engines, listens to the engines
//! until they have decided all properties or reach the timeout (`drive.rs`), and then reports
//! lemmas and statistics and keeps the lemmas for other analyses.

use std::collections::HashSet;
use std::sync::Arc;
use std::time::{Duration, Instant};

use engines::{
    Engine, Hierarchy, Observation, Portfolio, Progress, Rank, Settings, Statistics, unable,
};
use lang::{NodeId, Program};
use lower::{Check, InstanceStreams, Lowered, Origin, View};
use proof::{EvidenceOf, Lemmas};
use sim::{PathStep, Trace};
use syntax::SourceMap;
use system::{Property, PropertyId, Source, System};

use crate::advice::{AdviceBook, SystemAdvice};
use crate::components::{self, NodeLemmas};
use crate::invariant_text::{self, InvariantForms, InvariantTexts};
use crate::path;
use crate::proofs;
use crate::recorded_run::RecordedRun;
use crate::run_values;
use crate::small_sizes::{SizedCase, special_cases};
use crate::vacuity::Vacuity;

#[derive(Clone, Debug, Default)]
pub struct AnalysisOptions {
    pub lower: lower::LowerOptions,
    pub settings: Settings,
    /// The lemmas of all analyses so far, to which this one adds its own.
    pub lemmas: Arc<NodeLemmas>,
    /// The advice of earlier runs, to which this one adds its own.
    pub advice: Option<Arc<AdviceBook>>,
    /// In which forms the invariants of proofs are reported.
    pub invariants: InvariantForms,
    /// The inputs of counterexamples change as seldom as possible.
    pub smooth: bool,
    /// The calling thread will use the solver itself afterwards: it creates its solver context
    /// while it waits for the engines.
    pub questions_follow: bool,
}

/// The result of a property.
#[derive(Clone, Debug)]
pub enum Outcome {
    Valid(EvidenceOf),
    /// The last step of the trace violates it.
    Falsified(Trace),
    Reachable(Trace),
    Unreachable(EvidenceOf),
    /// Undecided; no run of up to this many steps decides it.
    Unknown(usize),
}

#[derive(Clone, Debug)]
pub struct PropertyResult {
    pub property: Property,
    /// The node that the property belongs to.
    pub owner: NodeId,
    pub origin: Origin,
    pub outcome: Outcome,
    /// The run that falsifies the property, to run it again on other programs.
    pub recorded: Option<RecordedRun>,
    pub engine: Option<Engine>,
    pub elapsed: Duration,
    /// From this step on it holds vacuously: no run is so long.
    pub vacuous_from: Option<usize>,
}

/// What an analysis reports while it runs.
pub enum AnalysisEvent<'e> {
    Result(&'e PropertyResult),
    /// A detail, for verbose output.
    Note(String),
    /// Something that keeps the analysis from answering.
    Warning(String),
    /// No run of the system reaches this step.
    DeadEnd(usize),
    /// A solver has failed or has given a wrong answer; the analysis goes on.
    SolverFailed(String),
    /// The solver lacks a theory that the model needs; there is no analysis.
    SolverUnfit(String),
    /// There is not enough memory for the system.
    TooLarge(String),
    /// The two semantics disagree: a bug.
    InternalError(String),
    /// All properties, at the start of the analysis: none is decided yet.
    Asked(Vec<PropertyResult>),
    /// The size of the system that is analysed.
    Size(Size),
    Progress(Progress),
    /// Induction fails for these properties, on a path whose first state need not
    /// be reachable.
    Attempt {
        properties: Vec<&'e Property>,
        k: usize,
        path: Trace,
    },
    /// The work of an engine, when the analysis is over.
    Statistics(Statistics),
    /// The lemmas that engines have proved, when the analysis is over.
    Lemmas(Lemmas),
    /// The invariants that the proofs need, when the analysis is over.
    Invariants(InvariantTexts),
}

/// How large a system is.
#[derive(Clone, Copy, Debug)]
pub struct Size {
    pub variables: usize,
    pub states: usize,
    pub constraints: usize,
    pub properties: usize,
    /// How long it took to translate the model.
    pub lowering: Duration,
}

/// The timeout for making a proof smaller.
const MINIMISE_TIMEOUT: Duration = Duration::from_secs(1);

/// Analyses a node and reports results as they come; returns all of them in the order of the
/// properties, or `None` if the node cannot be analysed.
pub fn analyse(
    program: &Program,
    sources: &SourceMap,
    node: NodeId,
    options: &AnalysisOptions,
    tell: &mut dyn FnMut(AnalysisEvent),
) -> Option<Vec<PropertyResult>> {
    let start = Instant::now();
    let lower_options = lower::LowerOptions {
        all_streams: options.lower.all_streams || options.invariants != InvariantForms::default(),
        ..options.lower.clone()
    };
    let lowered = match lower::lower(program, sources, node, &lower_options) {
        Ok(lowered) => lowered,
        Err(_) if !has_properties(program, node) => return Some(Vec::new()),
        Err(unsupported) => {
            let name = program.node(node).name;
            let message = format!("`{name}` cannot be analysed: {}", unsupported.0);
            tell(match unsupported.is_too_large() {
                true => AnalysisEvent::TooLarge(message),
                false => AnalysisEvent::Warning(message),
            });
            return None;
        }
    };
    let task = AnalysisTask {
        program,
        sources,
        node,
        options,
        start,
        system: Arc::new(lowered.system.clone()),
        lowered: Arc::new(lowered),
    };
    let prepared = task.prepare(tell)?;
    let driven = prepared.drive(tell);
    Some(prepared.conclude(driven, tell))
}

/// A lowered node with the options of its analysis.
pub(crate) struct AnalysisTask<'t> {
    pub program: &'t Program,
    sources: &'t SourceMap,
    pub node: NodeId,
    pub options: &'t AnalysisOptions,
    start: Instant,
    pub lowered: Arc<Lowered>,
    pub system: Arc<System>,
}

/// A task with the input of the engines.
pub(crate) struct Prepared<'t> {
    pub task: AnalysisTask<'t>,
    pub instances: Vec<InstanceStreams>,
    pub observed: Vec<Observation>,
    /// The program with small sizes of arrays.
    pub cases: Vec<SizedCase>,
    /// The advice about the system.
    advice: Option<SystemAdvice>,
    pub settings: Settings,
}

/// The results of the engines.
pub(crate) struct Driven<'p> {
    pub portfolio: Portfolio,
    pub vacuity: Vacuity<'p>,
    /// By property.
    pub results: Vec<Option<PropertyResult>>,
}

impl<'t> AnalysisTask<'t> {
    /// A result with this outcome, without engine and run.
    pub fn result(&self, id: PropertyId, outcome: Outcome) -> PropertyResult {
        let origin = &self.lowered.origins[id.0];
        PropertyResult {
            property: self.system.property(id).clone(),
            owner: owner(self.program, self.node, &origin.path),
            origin: origin.clone(),
            outcome,
            recorded: None,
            engine: None,
            elapsed: self.start.elapsed(),
            vacuous_from: None,
        }
    }

    /// The properties that are not hidden.
    fn asked(&self) -> impl Iterator<Item = PropertyId> {
        let all = (0..self.system.properties.len()).map(PropertyId);
        all.filter(|id| !self.system.property(*id).hidden)
    }

    /// Reports the properties, and gathers the input of the engines; `None` if the solver lacks a
    /// theory of the system.
    fn prepare(self, tell: &mut dyn FnMut(AnalysisEvent)) -> Option<Prepared<'t>> {
        let (program, sources, node, options) =
            (self.program, self.sources, self.node, self.options);
        let (lowered, system) = (&self.lowered, &self.system);
        let open = self.asked().map(|id| self.result(id, Outcome::Unknown(0)));
        tell(AnalysisEvent::Asked(open.collect()));
        tell(AnalysisEvent::Size(Size {
            variables: system.vars.len(),
            states: system.state_vars().count(),
            constraints: system.constraints.len(),
            properties: self.asked().count(),
            lowering: self.start.elapsed(),
        }));
        let theories = smt::smtlib::Theories::of_system(system);
        if let Some(why) = options.settings.solver.refuses(&theories) {
            let name = program.node(node).name;
            tell(AnalysisEvent::SolverUnfit(format!(
                "`{name}` cannot be analysed: {why}"
            )));
            return None;
        }
        let mut observations = run_values::observed(lowered);
        let instances = lowered.reduced_instances();
        path::observe(&instances, &mut observations);
        for engine in &options.settings.engines {
            if let Some(why) = unable(*engine, system) {
                tell(AnalysisEvent::Note(why));
            }
        }
        let cases = special_cases(program, sources, node, options, lowered);
        let book = options.advice.as_ref();
        let advice =
            book.map(|book| book.open(program, sources, node, lowered, options.lower.view));
        let mut settings = options.settings.clone();
        if let Some(advice) = &advice {
            settings.advice = Arc::new(advice.advice(system));
        }
        let ranks = system.properties.iter().zip(&lowered.origins);
        settings.ranks = ranks.map(|(p, origin)| rank(p, origin)).collect();
        Some(Prepared {
            instances,
            observed: observations.observed,
            cases,
            advice,
            settings,
            task: self,
        })
    }
}

impl Prepared<'_> {
    /// The components of the system.
    pub fn hierarchy(&self) -> Hierarchy {
        let task = &self.task;
        components::hierarchy(task.program, task.sources, &task.lowered, task.options)
    }

    /// Reports lemmas, statistics and the invariants of proofs after the engines have ended, and
    /// keeps lemmas and advice; returns the results of all properties that are not hidden.
    fn conclude(&self, driven: Driven, tell: &mut dyn FnMut(AnalysisEvent)) -> Vec<PropertyResult> {
        let task = &self.task;
        let (lowered, options) = (&task.lowered, task.options);
        let Driven {
            mut portfolio,
            mut vacuity,
            mut results,
        } = driven;
        portfolio.stop();
        tell(AnalysisEvent::Lemmas(portfolio.lemmas()));
        for statistics in portfolio.statistics() {
            tell(AnalysisEvent::Statistics(statistics));
        }
        let wanted = options.invariants;
        if self.advice.is_some() || wanted != InvariantForms::default() {
            let (context, time) = (
                options.settings.context(),
                at_most(MINIMISE_TIMEOUT, options),
            );
            let proofs = proofs::proofs(&context, &task.system, &results, time);
            if let Some(advice) = &self.advice {
                advice.learn(&task.system, &proofs, &results, &portfolio.lemmas());
            }
            if wanted != InvariantForms::default() {
                let (program, sources) = (task.program, task.sources);
                let texts =
                    invariant_text::texts(program, sources, task.node, lowered, &proofs, wanted);
                tell(AnalysisEvent::Invariants(texts));
            }
        }
        let unknown = |id| task.result(id, Outcome::Unknown(portfolio.clear_steps(id)));
        let asked = task.asked();
        let told = asked.map(|id| results[id.0].take().unwrap_or_else(|| unknown(id)));
        let mut told: Vec<PropertyResult> = told.collect();
        vacuity.mark(&mut told, tell);
        if options.lower.view == View::Body {
            let lemmas = portfolio.lemmas();
            options.lemmas.learn(task.node, lowered.clone(), lemmas);
        }
        told
    }
}

/// The order of properties: those that the user wrote come before generated ones, and those of the
/// analysed node before those of its callees.
fn rank(property: &Property, origin: &Origin) -> Rank {
    let own = origin.path.is_empty();
    match property.source {
        _ if property.hidden || matches!(origin.check, Check::Range(..)) => Rank::Generated,
        Source::Generated | Source::NonVacuity => Rank::Generated,
        _ if !own => Rank::Callee,
        Source::Annotation => Rank::Own,
        Source::Assumption | Source::Guarantee | Source::Ensure | Source::OneModeActive => {
            Rank::Contract
        }
    }
}

/// The time, or the rest until the deadline of the analysis if that is less.
pub(crate) fn at_most(time: Duration, options: &AnalysisOptions) -> Duration {
    let left = |end: Instant| end.saturating_duration_since(Instant::now());
    options.settings.deadline.map_or(time, left).min(time)
}

/// The node of an instance.
fn owner(program: &Program, top: NodeId, path: &[PathStep]) -> NodeId {
    path.iter()
        .fold(top, |id, step| program.node(id).call(step.call).node)
}

/// Does a node, or a node below it, have properties?
fn has_properties(program: &Program, id: NodeId) -> bool {
    let owed = |contract: &lang::Contract| {
        !(contract.assumptions.is_empty()
            && contract.guarantees.is_empty()
            && contract.modes.is_empty())
    };
    let mut seen = HashSet::from([id]);
    let mut open = vec![id];
    while let Some(id) = open.pop() {
        let node = program.node(id);
        if !node.properties.is_empty() || node.contract.as_ref().is_some_and(owed) {
            return true;
        }
        let callees = node.calls.iter().map(|call| call.node);
        open.extend(callees.filter(|callee| seen.insert(*callee)));
    }
    false
}
