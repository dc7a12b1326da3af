//! One analysis: lower, run the engines, check what they find.

use std::collections::HashSet;
use std::sync::Arc;
use std::time::{Duration, Instant};

use engines::{
    Engine, News, Observation, Portfolio, Progress, Rank, Run, Settings, SpecialCase, Statistics,
    Verdict, unable,
};
use lang::{NodeId, Program};
use lower::{Check, Lowered, Origin, Shape, View};
use proof::{EvidenceOf, Lemmas};
use sim::{PathStep, Trace};
use syntax::SourceMap;
use system::{Property, PropertyId, PropertyKind, Source, Term};

use crate::advice::AdviceBook;
use crate::cases::special_cases;
use crate::components::{self, NodeLemmas};
use crate::path;
use crate::proofs;
use crate::replay::{self, Mismatch};
use crate::runs::Runs;
use crate::said::{self, Said, Wanted};
use crate::script::Script;

#[derive(Clone, Debug, Default)]
pub struct Options {
    pub lower: lower::Options,
    pub settings: Settings,
    /// What analyses of other nodes have proved, and this one adds to.
    pub lemmas: Arc<NodeLemmas>,
    /// What earlier runs have learnt, and this one adds to.
    pub advice: Option<Arc<AdviceBook>>,
    /// What is to be said of the invariants of proofs.
    pub invariants: Wanted,
    /// The inputs of counterexamples change as seldom as possible.
    pub smooth: bool,
    /// Will the calling thread ask the solver itself afterwards? It makes ready for
    /// that while it waits for the engines.
    pub questions_follow: bool,
}

/// What became of a property.
#[derive(Clone, Debug)]
pub enum Outcome {
    Valid(EvidenceOf),
    /// The last step of the trace violates it.
    Falsified(Trace),
    Reachable(Trace),
    Unreachable(EvidenceOf),
    /// So many first steps do not decide it.
    Unknown(usize),
}

#[derive(Clone, Debug)]
pub struct PropertyResult {
    pub property: Property,
    /// The node that the property belongs to.
    pub owner: NodeId,
    pub origin: Origin,
    pub outcome: Outcome,
    /// What determines the run that falsifies the property.
    pub script: Option<Script>,
    pub engine: Option<Engine>,
    pub elapsed: Duration,
    /// It holds from this step on because no run goes on so far.
    pub vacuous_from: Option<usize>,
}

/// What is to be said of a run that does not show what it should. One that a solver
/// outside has made up is no mistake of ours.
fn not_replayed<'e>(name: &str, mismatch: Mismatch, settings: &Settings) -> Event<'e> {
    let external = settings.solver.external.as_ref();
    match (mismatch, external.map(|external| external.program.name())) {
        (Mismatch::Unable(why), _) => Event::Warning(format!(
            "a run that decides {name} was found but cannot be shown: {why}"
        )),
        (Mismatch::Disagrees(why), None) => {
            Event::InternalError(format!("the run for {name} does not replay: {why}"))
        }
        (Mismatch::Disagrees(why), Some(solver)) => {
            settings.solver.shared.catch();
            Event::SolverFailed(format!(
                "the run for {name} that {solver} has found does not replay: {why}"
            ))
        }
    }
}

/// What is to be told while an analysis runs.
pub enum Event<'e> {
    Result(&'e PropertyResult),
    /// Of interest to those who ask for details.
    Note(String),
    /// Something that keeps the analysis from answering.
    Warning(String),
    /// No run of the system reaches this step.
    DeadEnd(usize),
    /// A solver has failed, or is to be trusted less; the analysis goes on.
    SolverFailed(String),
    /// The solver has no theory of something in the model, and is not asked.
    SolverUnfit(String),
    /// There is not enough memory for the system.
    TooLarge(String),
    /// The two semantics disagree: a bug.
    InternalError(String),
    /// The properties, none of which is decided yet.
    Asked(Vec<PropertyResult>),
    /// The system that is analysed, in numbers.
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
    /// The invariants that were proved on the way, when the analysis is over.
    Lemmas(Lemmas),
    /// The invariants that the proofs need, when the analysis is over.
    Invariants(Said),
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

/// For making a run smoother.
const SMOOTHING: Duration = Duration::from_secs(10);

/// For making a proof smaller.
const PATIENCE: Duration = Duration::from_secs(1);

/// Analyses a node and tells results as they come; gives back all of them, in
/// the order of the properties, or nothing if the node cannot be analysed.
pub fn analyse(
    program: &Program,
    sources: &SourceMap,
    node: NodeId,
    options: &Options,
    tell: &mut dyn FnMut(Event),
) -> Option<Vec<PropertyResult>> {
    let start = Instant::now();
    let lower_options = lower::Options {
        all_streams: options.lower.all_streams || options.invariants != Wanted::default(),
        ..options.lower.clone()
    };
    let lowered = match lower::lower(program, sources, node, &lower_options) {
        Ok(lowered) => lowered,
        Err(_) if !has_properties(program, node) => return Some(Vec::new()),
        Err(unsupported) => {
            let name = program.node(node).name;
            let message = format!("`{name}` cannot be analysed: {}", unsupported.0);
            tell(match unsupported.is_too_large() {
                true => Event::TooLarge(message),
                false => Event::Warning(message),
            });
            return None;
        }
    };
    let system = Arc::new(lowered.system.clone());
    let undecided = |at: usize, clear: usize| PropertyResult {
        property: system.properties[at].clone(),
        owner: owner(program, node, &lowered.origins[at].path),
        origin: lowered.origins[at].clone(),
        outcome: Outcome::Unknown(clear),
        script: None,
        engine: None,
        elapsed: start.elapsed(),
        vacuous_from: None,
    };
    let asked = (0..system.properties.len()).filter(|at| !system.properties[*at].hidden);
    tell(Event::Asked(asked.map(|at| undecided(at, 0)).collect()));
    tell(Event::Size(Size {
        variables: system.vars.len(),
        states: system.state_vars().count(),
        constraints: system.constraints.len(),
        properties: system.properties.iter().filter(|p| !p.hidden).count(),
        lowering: start.elapsed(),
    }));
    let theories = smt::smtlib::Theories::of_system(&system);
    if let Some(why) = options.settings.solver.refuses(&theories) {
        let name = program.node(node).name;
        tell(Event::SolverUnfit(format!(
            "`{name}` cannot be analysed: {why}"
        )));
        return None;
    }
    let mut observations = replay::observed(&lowered);
    let instances = lowered.reduced_instances();
    path::observe(&instances, &mut observations);
    let observed = observations.observed;
    for engine in &options.settings.engines {
        if let Some(why) = unable(*engine, &system) {
            tell(Event::Note(why));
        }
    }
    let mut results: Vec<Option<PropertyResult>> = vec![None; system.properties.len()];
    let cases = special_cases(program, sources, node, options, &lowered);
    let special = cases.iter().map(SpecialCase::from).collect();
    let book = options.advice.as_ref();
    let page = book.map(|book| book.open(program, sources, node, &lowered, options.lower.view));
    let mut settings = options.settings.clone();
    if let Some(page) = &page {
        settings.advice = Arc::new(page.advice(&system));
    }
    let origins = lowered.origins.iter();
    let ranks = system.properties.iter().zip(origins);
    settings.ranks = ranks.map(|(p, origin)| rank(p, origin)).collect();
    let mut portfolio =
        Portfolio::start_hierarchical(system.clone(), observed.clone(), special, &settings);
    if options.questions_follow {
        smt::warm_up();
    }
    let mut runs = Runs::new(&system, &settings);
    // Engines begin anew from turn to turn.
    let mut told: HashSet<(Vec<PropertyId>, usize)> = HashSet::new();
    while let Some(news) = portfolio.next() {
        let finding = match news {
            News::Finding(finding) => finding,
            News::Progress(progress) => {
                tell(Event::Progress(progress));
                continue;
            }
            News::HierarchyWanted => {
                let hierarchy = components::hierarchy(program, sources, &lowered, options);
                portfolio.tell_components(Arc::new(hierarchy));
                continue;
            }
            News::SolverFailed(message) | News::SolverNote(message) => {
                tell(Event::SolverFailed(message));
                continue;
            }
            News::Failure(message) => {
                tell(Event::InternalError(message));
                continue;
            }
            News::Attempt(attempt) if !told.insert((attempt.properties.clone(), attempt.k)) => {
                continue;
            }
            News::Attempt(attempt) => {
                let ids = attempt.properties.iter();
                let properties = ids.map(|id| system.property(*id));
                let properties: Vec<&Property> = properties.filter(|p| !p.hidden).collect();
                let path = path::trace(program, node, &instances, &observed, &attempt.run);
                if let (Some(path), false) = (path, properties.is_empty()) {
                    let k = attempt.k;
                    tell(Event::Attempt {
                        properties,
                        k,
                        path,
                    });
                }
                continue;
            }
        };
        if let Verdict::Always(evidence) = &finding.verdict {
            runs.proved(evidence, tell);
        }
        let property = system.property(finding.property).clone();
        let reach = matches!(property.kind, PropertyKind::Reachable { .. });
        let mut script = None;
        let outcome = match finding.verdict {
            Verdict::Always(evidence) => {
                let evidence = EvidenceOf::new(system.clone(), evidence);
                match reach {
                    true => Outcome::Unreachable(evidence),
                    false => Outcome::Valid(evidence),
                }
            }
            Verdict::Witness(run) => {
                let origin = &lowered.origins[finding.property.0];
                let (lowered, observed) = match run.case {
                    Some(at) => (&cases[at].lowered, &cases[at].observed),
                    None => (&lowered, &observed),
                };
                let name = &property.name;
                let run = match options.smooth && !reach {
                    true => {
                        let time = at_most(SMOOTHING, options);
                        smoother(lowered, observed, finding.property, run, time)
                    }
                    false => run,
                };
                match replay::replay(program, node, lowered.into(), observed, &run, origin) {
                    Ok(replayed) => {
                        for gap in &replayed.gaps {
                            tell(Event::Warning(format!(
                                "the run for {name} is not replayed exactly: {gap}"
                            )));
                        }
                        match reach {
                            true => Outcome::Reachable(replayed.trace),
                            false => {
                                script = Some(replayed.script);
                                Outcome::Falsified(replayed.trace)
                            }
                        }
                    }
                    Err(mismatch) => {
                        tell(not_replayed(name, mismatch, &settings));
                        continue;
                    }
                }
            }
        };
        let result = PropertyResult {
            property,
            owner: owner(program, node, &lowered.origins[finding.property.0].path),
            origin: lowered.origins[finding.property.0].clone(),
            outcome,
            script,
            engine: Some(finding.engine),
            elapsed: start.elapsed(),
            vacuous_from: None,
        };
        tell(Event::Result(&result));
        results[finding.property.0] = Some(result);
    }
    portfolio.stop();
    tell(Event::Lemmas(portfolio.lemmas()));
    for statistics in portfolio.statistics() {
        tell(Event::Statistics(statistics));
    }
    if page.is_some() || options.invariants != Wanted::default() {
        let proofs = proofs::proofs(&system, &results, at_most(PATIENCE, options));
        if let Some(page) = &page {
            page.learn(&system, &proofs, &results, &portfolio.lemmas());
        }
        if options.invariants != Wanted::default() {
            let wanted = options.invariants;
            let said = said::said(program, sources, node, &lowered, &proofs, wanted);
            tell(Event::Invariants(said));
        }
    }
    let unknown = |at: usize| undecided(at, portfolio.clear_steps(PropertyId(at)));
    let results = results.into_iter().enumerate();
    let wanted = results.filter(|(at, _)| !system.properties[*at].hidden);
    let results = wanted.map(|(at, result)| result.unwrap_or_else(|| unknown(at)));
    let mut results: Vec<PropertyResult> = results.collect();
    runs.mark(&mut results, tell);
    if options.lower.view == View::Body {
        let lemmas = portfolio.lemmas();
        options.lemmas.learn(node, Arc::new(lowered), lemmas);
    }
    Some(results)
}

/// Which properties come first: what someone wrote, and of that what is in the node
/// that is analysed.
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

/// A time, or what is left of the time for the analysis.
fn at_most(time: Duration, options: &Options) -> Duration {
    let left = |end: Instant| end.saturating_duration_since(Instant::now());
    options.settings.deadline.map_or(time, left).min(time)
}

/// The run, or one of the same length whose inputs change less often.
fn smoother(
    lowered: &Lowered,
    observed: &[Observation],
    id: PropertyId,
    run: Run,
    time: Duration,
) -> Run {
    let inputs = lowered.inputs.iter().flat_map(Shape::leaves);
    let inputs: Vec<Term> = inputs.map(|(term, _)| term).collect();
    let system = Arc::new(lowered.system.clone());
    match engines::smoothed(&system, observed, id, &run, &inputs, time) {
        Some(smooth) => Run {
            case: run.case,
            ..smooth
        },
        None => run,
    }
}

/// The node of an instance.
fn owner(program: &Program, top: NodeId, path: &[PathStep]) -> NodeId {
    path.iter()
        .fold(top, |id, step| program.node(id).call(step.call).node)
}

/// Is there anything to check in a node or below it?
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
