//! Turns results into the form that reports show.

use std::collections::{BTreeMap, BTreeSet};

use analysis::{AnalysisPlan, NodeSummary, Outcome, Property, PropertyKind, PropertyResult, below};
use lang::{NodeId, Program};
use results::{NodeReport, PropertyReport, PropertyVerdict};
use syntax::SourceMap;

/// The report of a result.
pub fn property(
    program: &Program,
    sources: &SourceMap,
    result: &PropertyResult,
    timed_out: bool,
) -> PropertyReport {
    let property = &result.property;
    let trace = |trace: &sim::Trace| results::blocks(program, trace, sources);
    let reach = matches!(property.kind, PropertyKind::Reachable { .. });
    let verdict = match &result.outcome {
        Outcome::Valid(evidence) => PropertyVerdict::Valid {
            k: Some(evidence.k()),
        },
        Outcome::Unreachable(evidence) => PropertyVerdict::Unreachable {
            k: Some(evidence.k()),
        },
        Outcome::Falsified(run) => PropertyVerdict::Falsifiable {
            step: run.steps.saturating_sub(1),
            trace: trace(run),
        },
        Outcome::Reachable(run) => PropertyVerdict::Reachable {
            step: run.steps.saturating_sub(1),
            trace: trace(run),
        },
        Outcome::Unknown(clear) => PropertyVerdict::Unknown {
            clear: *clear,
            reach,
        },
    };
    PropertyReport {
        name: property.name.clone(),
        scope: program.node(result.owner).name.to_string(),
        file: sources.file(property.span.file).name.clone(),
        position: sources.position(property.span),
        source: property.source.name(),
        verdict,
        engine: result
            .engine
            .map(|engine| (engine.short_name(), engine.name())),
        seconds: result.elapsed.as_secs_f64(),
        timed_out: timed_out && matches!(result.outcome, Outcome::Unknown(_)),
        bounds: bounds(property),
        vacuous_from: result.vacuous_from,
    }
}

/// The message that no run reaches a step, in the wording that Kind 2's clients search for.
pub fn dead_end(step: usize) -> String {
    match step {
        0 => "BMC Initial state is unsat, the system has no reachable states.".to_owned(),
        _ => format!(
            "BMC Unrolling of the system is unsat at {step}, the system has no more reachable \
             states."
        ),
    }
}

/// "in 5 steps or less", for properties to be reached.
fn bounds(property: &Property) -> String {
    let PropertyKind::Reachable { from, within } = property.kind else {
        return String::new();
    };
    match (from, within) {
        (Some(m), Some(n)) if m == n => format!(" at step {m}"),
        (Some(m), Some(n)) => format!(" between steps {m} and {n}"),
        (Some(m), None) => format!(" in {m} steps or more"),
        (None, Some(n)) => format!(" in {n} steps or less"),
        (None, None) => String::new(),
    }
}

/// The nodes below, with and without a body.
pub fn callees(program: &Program, top: NodeId) -> (Vec<String>, Vec<String>) {
    let nodes = below(program, top, &BTreeSet::new()).into_iter();
    let (concrete, abstracted): (Vec<NodeId>, Vec<NodeId>) =
        nodes.partition(|id| program.node(*id).has_body);
    let names = |ids: Vec<NodeId>| {
        let names = ids.into_iter().map(|id| program.node(id).name.to_string());
        let mut names: Vec<String> = names.collect();
        names.sort();
        names
    };
    (names(concrete), names(abstracted))
}

/// The reports of all nodes that have properties.
pub fn nodes(program: &Program, sources: &SourceMap, plan: &AnalysisPlan) -> Vec<NodeReport> {
    let left = plan.left();
    let mut summaries: BTreeMap<NodeId, &NodeSummary> = plan.summaries().collect();
    let name = |id: NodeId| program.node(id).name.to_string();
    let empty = NodeSummary::default();
    for id in &left {
        summaries.entry(*id).or_insert(&empty);
    }
    let reports = summaries.into_iter().map(|(id, summary)| {
        let results = summary.contract.iter().chain(&summary.results);
        let properties = results.map(|result| property(program, sources, result, false));
        NodeReport {
            name: name(id),
            analysed: !left.contains(&id),
            properties: properties.collect(),
            refinements: summary.refinements,
            abstracted: summary.abstracted,
            real: summary.real.clone(),
            trusted: summary.trusted.iter().map(|id| name(*id)).collect(),
            seconds: summary.elapsed.as_secs_f64(),
        }
    });
    let told = |node: &NodeReport| !node.analysed || !node.properties.is_empty();
    reports.filter(told).collect()
}
