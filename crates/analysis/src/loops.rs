//! Streams that depend on themselves within a step.
//!
//! Such a loop is refused, unless a solver proves that its equations have a solution for every
//! state and every input of the node: otherwise runs could end at the loop, and proofs would be
//! vacuous. Models for JKind have loops that conditions break. A node is checked by itself, with
//! all nodes that it calls. Then its loops have a solution wherever it is called, also where parts
//! of it are removed, or abstracted by contracts that they respect.

use std::sync::Arc;

use engines::{LoopEquation, Observation, Run, Solutions, solutions};
use lang::{Checked, EnumId, Node, NodeId, Program};
use lower::{Leaf, Lowered, Shape, lower};
use smt::SolverContext;
use syntax::{Code, Diagnostic, Severity, SourceMap};
use system::{Term, integer, le, lt};

use crate::mutate::written;
use crate::run_values::Values;

/// Refuses the loops that are not proved to have a solution: their warnings become errors, and
/// there is no program. With congruence, imported functions give the same outputs for the same
/// inputs.
pub fn settle_loops(checked: &mut Checked, sources: &SourceMap, congruence: bool) {
    let Some(program) = &checked.program else {
        return;
    };
    let (context, mut refused) = (SolverContext::default(), false);
    for id in looped_nodes(program) {
        let Some(why) = unsolved(&context, program, sources, id, congruence) else {
            continue;
        };
        refused = true;
        let node = program.node(id);
        let own = checked.diagnostics.iter_mut();
        for diagnostic in own.filter(|d| warns_of_loop(d, node)) {
            diagnostic.code = Code::Cycle;
            diagnostic.severity = Severity::Error;
            diagnostic.help = Some(why.clone());
        }
    }
    if refused {
        checked.program = None;
    }
}

/// The nodes whose own streams depend on themselves.
fn looped_nodes(program: &Program) -> impl Iterator<Item = NodeId> {
    let is_looped = |id: &NodeId| program.node(*id).vars.iter().any(|v| v.looped.is_some());
    program.node_ids().filter(is_looped)
}

fn warns_of_loop(diagnostic: &Diagnostic, node: &Node) -> bool {
    let of_node = node
        .vars
        .iter()
        .any(|var| Some(var.span) == diagnostic.span);
    diagnostic.code == Code::WarnLoop && of_node
}

/// Do all loops at and below a node have solutions? Those of a mutant may not, although
/// those of its model do.
pub(crate) fn are_solved(
    context: &SolverContext,
    program: &Program,
    sources: &SourceMap,
    congruence: bool,
) -> bool {
    looped_nodes(program).all(|id| unsolved(context, program, sources, id, congruence).is_none())
}

/// Has the program any loop?
pub(crate) fn has_loops(program: &Program) -> bool {
    looped_nodes(program).next().is_some()
}

/// Why the loops of a node are refused.
fn unsolved(
    context: &SolverContext,
    program: &Program,
    sources: &SourceMap,
    id: NodeId,
    congruence: bool,
) -> Option<String> {
    let options = lower::LowerOptions {
        congruence,
        all_streams: true,
        reach: false,
        nonvacuity: false,
        ..lower::LowerOptions::default()
    };
    let lowered = match lower(program, sources, id, &options) {
        Ok(lowered) => lowered,
        Err(unsupported) => return Some(not_shown(&unsupported.0)),
    };
    let Some(equations) = equations(&lowered) else {
        return Some(not_shown("it has an array of the solver"));
    };
    let observed = observed(&lowered);
    let system = Arc::new(lowered.system.clone());
    match solutions(
        context,
        &system,
        &equations,
        &enumerations(program, &lowered),
        &observed,
    ) {
        Solutions::Always => None,
        Solutions::Missing(run) => Some(missing(program, id, &lowered, &observed, &run)),
        Solutions::Open => Some(not_shown("the solver came to no answer")),
    }
}

const BREAK: &str = "break the cycle, for instance with `pre`";

fn not_shown(why: &str) -> String {
    format!("it is not known whether this always has a solution, since {why}: {BREAK}")
}

fn missing(
    program: &Program,
    id: NodeId,
    lowered: &Lowered,
    observed: &[Observation],
    run: &Run,
) -> String {
    let values = Values::new(program, observed, run);
    let node = program.node(id);
    let inputs = node.inputs.iter().zip(&lowered.inputs);
    let example = inputs.filter_map(|(input, shape)| {
        let value = values.value(shape, 0)?;
        Some(format!(
            "{} = {}",
            node.var(*input).name,
            written(program, &value)
        ))
    });
    let example: Vec<String> = example.collect();
    let place = match example.is_empty() {
        true => "at some step".to_owned(),
        false => format!("at some step with {}", example.join(", ")),
    };
    format!("{place}, no value satisfies the definition: {BREAK}")
}

/// The equations of all loops, one for each scalar; `None` if a loop has a definition of another
/// kind.
fn equations(lowered: &Lowered) -> Option<Vec<LoopEquation>> {
    let mut equations = Vec::new();
    for looped in &lowered.loops {
        let (unknowns, defined) = (looped.choice.leaves(), looped.defined.leaves());
        if unknowns.len() != defined.len() {
            return None;
        }
        for ((unknown, sizes), (defined, _)) in unknowns.into_iter().zip(defined) {
            if !sizes.is_empty() {
                return None;
            }
            equations.push(LoopEquation {
                unknown,
                defined,
                active: looped.tick.clone(),
            });
        }
    }
    Some(equations)
}

fn observed(lowered: &Lowered) -> Vec<Observation> {
    let leaves = lowered.inputs.iter().flat_map(Shape::leaves);
    let observation = |(term, sizes): (Term, Vec<Term>)| Observation { term, sizes };
    leaves.map(observation).collect()
}

/// Constraints that variables of an enumeration have one of its values.
fn enumerations(program: &Program, lowered: &Lowered) -> Vec<Term> {
    let consts = lowered.consts.iter().map(|(_, shape)| shape);
    let choices = lowered.choices.values();
    let mut leaves = Vec::new();
    for shape in lowered.inputs.iter().chain(consts).chain(choices) {
        enumerated(shape, &mut leaves);
    }
    // The same order in every run.
    leaves.sort_by_key(|(term, _)| term.id());
    let within = leaves.iter().flat_map(|(term, id)| {
        let count = program.enumeration(*id).values.len();
        [le(&integer(0), term), lt(term, &integer(count))]
    });
    within.collect()
}

fn enumerated(shape: &Shape, found: &mut Vec<(Term, EnumId)>) {
    match shape {
        Shape::Leaf(term, Leaf::Enum(id)) => found.push((term.clone(), *id)),
        Shape::Fields(parts) | Shape::Array(parts) => {
            parts.iter().for_each(|part| enumerated(part, found));
        }
        Shape::Leaf(..) | Shape::Many(..) => {}
    }
}
