//! Results as the reports show them.

use analysis::{Outcome, Property, PropertyKind, PropertyResult};
use lang::{NodeId, Program};
use lower::View;
use report::{Answer, PropertyReport};
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
pub fn callees(program: &Program, top: NodeId, view: View) -> (Vec<String>, Vec<String>) {
    let (mut concrete, mut abstracted) = (Vec::new(), Vec::new());
    let mut seen = vec![top];
    let mut open = match view {
        View::Body => vec![top],
        View::Contract => Vec::new(),
    };
    while let Some(id) = open.pop() {
        for call in &program.node(id).calls {
            if seen.contains(&call.node) {
                continue;
            }
            seen.push(call.node);
            open.push(call.node);
            let callee = program.node(call.node);
            let list = if callee.has_body {
                &mut concrete
            } else {
                &mut abstracted
            };
            list.push(callee.name.to_string());
        }
    }
    concrete.sort();
    abstracted.sort();
    (concrete, abstracted)
}
