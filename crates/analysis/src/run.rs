//! One analysis: lower, run the engines, check what they find.

use std::sync::Arc;
use std::time::{Duration, Instant};

use engines::{Engine, Evidence, Portfolio, Settings, Verdict, unable};
use lang::{NodeId, Program};
use sim::Trace;
use syntax::SourceMap;
use system::{Property, PropertyId, PropertyKind};

use crate::replay::{self, Mismatch};

#[derive(Clone, Debug, Default)]
pub struct Options {
    pub lower: lower::Options,
    pub settings: Settings,
}

/// What became of a property.
#[derive(Clone, Debug)]
pub enum Outcome {
    Valid(Evidence),
    /// The last step of the trace violates it.
    Falsified(Trace),
    Reachable(Trace),
    Unreachable(Evidence),
    /// So many first steps do not decide it.
    Unknown(usize),
}

#[derive(Clone, Debug)]
pub struct PropertyResult {
    pub property: Property,
    pub outcome: Outcome,
    pub engine: Option<Engine>,
    pub elapsed: Duration,
}

/// What is to be told while an analysis runs.
pub enum Event<'e> {
    Result(&'e PropertyResult),
    /// Of interest to those who ask for details.
    Note(String),
    /// Something that keeps the analysis from answering.
    Warning(String),
    /// The two semantics disagree: a bug.
    InternalError(String),
}

/// Analyses a node and tells results as they come; gives back all of them, in
/// the order of the properties.
pub fn analyse(
    program: &Program,
    sources: &SourceMap,
    node: NodeId,
    options: &Options,
    tell: &mut dyn FnMut(Event),
) -> Vec<PropertyResult> {
    let start = Instant::now();
    let lowered = match lower::lower(program, sources, node, &options.lower) {
        Ok(lowered) => lowered,
        Err(_) if !has_properties(program, node) => return Vec::new(),
        Err(unsupported) => {
            tell(Event::Warning(format!(
                "`{}` cannot be analysed: {}",
                program.node(node).name,
                unsupported.0
            )));
            return Vec::new();
        }
    };
    let system = Arc::new(lowered.system.clone());
    let observed = replay::observed(&lowered);
    for engine in &options.settings.engines {
        if let Some(why) = unable(*engine, &system) {
            tell(Event::Note(why));
        }
    }
    let mut results: Vec<Option<PropertyResult>> = vec![None; system.properties.len()];
    let mut portfolio = Portfolio::start(system.clone(), observed.clone(), &options.settings);
    for finding in portfolio.by_ref() {
        let property = system.property(finding.property).clone();
        let reach = matches!(property.kind, PropertyKind::Reachable { .. });
        let outcome = match finding.verdict {
            Verdict::Always(evidence) if reach => Outcome::Unreachable(evidence),
            Verdict::Always(evidence) => Outcome::Valid(evidence),
            Verdict::Witness(run) => {
                let origin = &lowered.origins[finding.property.0];
                let view = options.lower.view;
                match replay::replay(program, node, &lowered, &observed, &run, origin, view) {
                    Ok(trace) if reach => Outcome::Reachable(trace),
                    Ok(trace) => Outcome::Falsified(trace),
                    Err(mismatch) => {
                        let name = &property.name;
                        tell(match mismatch {
                            Mismatch::Unable(why) => Event::Warning(format!(
                                "a run that decides {name} was found but cannot be shown: {why}"
                            )),
                            Mismatch::Disagrees(why) => Event::InternalError(format!(
                                "the run for {name} does not replay: {why}"
                            )),
                        });
                        continue;
                    }
                }
            }
        };
        let result = PropertyResult {
            property,
            outcome,
            engine: Some(finding.engine),
            elapsed: start.elapsed(),
        };
        tell(Event::Result(&result));
        results[finding.property.0] = Some(result);
    }
    portfolio.stop();
    let unknown = |at: usize| PropertyResult {
        property: system.properties[at].clone(),
        outcome: Outcome::Unknown(portfolio.clear_steps(PropertyId(at))),
        engine: None,
        elapsed: start.elapsed(),
    };
    let results = results.into_iter().enumerate();
    results
        .filter(|(at, _)| !system.properties[*at].hidden)
        .map(|(at, result)| result.unwrap_or_else(|| unknown(at)))
        .collect()
}

/// Is there anything to check in a node or below it?
fn has_properties(program: &Program, id: NodeId) -> bool {
    let node = program.node(id);
    let owed = |contract: &lang::Contract| {
        !(contract.assumptions.is_empty()
            && contract.guarantees.is_empty()
            && contract.modes.is_empty())
    };
    !node.properties.is_empty()
        || node.contract.as_ref().is_some_and(owed)
        || node
            .calls
            .iter()
            .any(|call| has_properties(program, call.node))
}
