//! Results as the reports show them.

use std::collections::BTreeSet;

use analysis::{NodeSummary, Outcome, Property, PropertyKind, PropertyResult, below};
use lang::{NodeId, Program};
use report::{Answer, NodeReport, PropertyReport};
use syntax::SourceMap;

/// A result in the shape in which it is shown.
pub fn property(
    program: &Program,
    sources: &SourceMap,
    result: &PropertyResult,
    timed_out: bool,
) -> PropertyReport {
    let property = &result.property;
    let trace = |trace: &sim::Trace| report::blocks(program, trace, sources);
    let reach = matches!(property.kind, PropertyKind::Reachable { .. });
    let answer = match &result.outcome {
        Outcome::Valid(evidence) => Answer::Valid {
            k: Some(evidence.k()),
        },
        Outcome::Unreachable(evidence) => Answer::Unreachable {
            k: Some(evidence.k()),
        },
        Outcome::Falsified(run) => Answer::Falsifiable {
            step: run.steps.saturating_sub(1),
            trace: trace(run),
        },
        Outcome::Reachable(run) => Answer::Reachable {
            step: run.steps.saturating_sub(1),
            trace: trace(run),
        },
        Outcome::Unknown(clear) => Answer::Unknown {
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
        answer,
        engine: result
            .engine
            .map(|engine| (engine.short_name(), engine.name())),
        seconds: result.elapsed.as_secs_f64(),
        timed_out: timed_out && matches!(result.outcome, Outcome::Unknown(_)),
        bounds: bounds(property),
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

/// What all analyses of a node have come to, if there were any.
pub fn node_report(
    program: &Program,
    sources: &SourceMap,
    id: NodeId,
    summary: Option<&NodeSummary>,
    analysed: bool,
) -> NodeReport {
    let empty = NodeSummary::default();
    let known = summary.unwrap_or(&empty);
    let results = known.contract.iter().chain(&known.results);
    let properties = results.map(|result| property(program, sources, result, false));
    NodeReport {
        name: program.node(id).name.to_string(),
        analysed,
        properties: properties.collect(),
        refinements: known.refinements,
        abstracted: known.abstracted,
        seconds: known.elapsed.as_secs_f64(),
    }
}
