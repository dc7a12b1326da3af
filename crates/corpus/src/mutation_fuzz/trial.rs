//! One text on its way through the front end.

use std::collections::HashMap;
use std::path::Path;

use lang::{CheckOptions, Expr, Node, NodeId, Program, Type, Value, Var};
use sim::{NoChoices, SimError, Simulator};
use syntax::{Diagnostic, SourceMap};

use super::Input;

/// Steps that an accepted program runs.
const STEPS: usize = 3;

/// Nodes of an accepted program that are run.
const MAX_TOPS: usize = 5;

/// Nodes whose inputs hold more values than this are not run.
const MAX_INPUT: u64 = 10_000;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Verdict {
    Accepted,
    Refused,
}

/// What the front end says of an input; an error if it contradicts itself.
/// Trees may be deep: the caller has a stack of [`syntax::STACK_SIZE`].
pub fn run(input: &Input) -> Result<Verdict, String> {
    print_and_parse(&input.text)?;
    let name = "mutated.lus";
    let loaded = syntax::load(name, Path::new(name), input.text.clone(), &[]);
    render(&loaded.errors, &loaded.sources);
    if !loaded.errors.is_empty() {
        return Ok(Verdict::Refused);
    }
    let options = CheckOptions {
        strict: input.strict,
        ..CheckOptions::default()
    };
    let checked = lang::check(&loaded.program, &options);
    render(&checked.diagnostics, &loaded.sources);
    let Some(program) = checked.program else {
        return Ok(Verdict::Refused);
    };
    for node in &program.nodes {
        types_are_known(node)?;
    }
    for top in program.top_nodes().into_iter().take(MAX_TOPS) {
        simulate(&program, top, &loaded.sources)?;
    }
    Ok(Verdict::Accepted)
}

/// Is the text a program? One on which the checks panic counts as one, so that
/// the trial meets the panic again.
pub fn accepted(text: &str) -> bool {
    let checked = std::panic::catch_unwind(|| {
        let parsed = syntax::parse_without_positions(text);
        parsed.errors.is_empty()
            && lang::check(&parsed.program, &CheckOptions::default())
                .program
                .is_some()
    });
    checked.unwrap_or(true)
}

/// Printing a tree and parsing the text gives the same tree.
fn print_and_parse(text: &str) -> Result<(), String> {
    let parsed = syntax::parse_without_positions(text);
    if !parsed.errors.is_empty() {
        return Ok(());
    }
    let printed = syntax::print::program(&parsed.program);
    let again = syntax::parse_without_positions(&printed);
    if let Some(error) = again.errors.first() {
        return Err(format!("the printed text is refused: {}", error.message));
    }
    match again.program == parsed.program {
        true => Ok(()),
        false => Err("the printed text is another program".to_owned()),
    }
}

/// Only what is in error has no type.
fn types_are_known(node: &Node) -> Result<(), String> {
    let inside = |var: &Var| match &var.def {
        Some(def) => var.ty.has_unknown() || has_unknown(&def.expr),
        None => var.ty.has_unknown(),
    };
    let calls = node.calls.iter().flat_map(|call| {
        let clocks = call.clock.iter().chain(&call.restart);
        call.args
            .iter()
            .chain(clocks)
            .chain(call.defaults.iter().flatten())
    });
    if let Some(var) = node.vars.iter().find(|var| inside(var)) {
        return Err(format!("a part of `{}` has no type", var.name));
    }
    match claims(node).chain(calls).any(has_unknown) {
        true => Err(format!("a part of `{}` has no type", node.name)),
        false => Ok(()),
    }
}

fn has_unknown(expr: &Expr) -> bool {
    let mut found = expr.ty.has_unknown();
    expr.for_each_part(|part| found = found || has_unknown(part));
    found
}

fn render(diagnostics: &[Diagnostic], sources: &SourceMap) {
    for diagnostic in diagnostics {
        report::render(diagnostic, sources, false);
        diagnostic.span.map(|span| sources.position(span));
    }
}

/// Runs a node, its properties and its contract.
fn simulate(program: &Program, top: NodeId, sources: &SourceMap) -> Result<(), String> {
    let Some(inputs) = default_inputs(program, top) else {
        return Ok(());
    };
    let mut simulator = Simulator::new(program, top, HashMap::new());
    for _ in 0..STEPS {
        match simulator.step(&inputs, &mut NoChoices) {
            Ok(()) => {
                values_fit(program, top, &simulator)?;
                observe(program, top, &mut simulator)?;
            }
            Err(error) => return expected(error),
        }
    }
    results::blocks(program, &simulator.trace(), sources);
    Ok(())
}

/// Every stream has a value of its type; that it lies in its range is a
/// property.
fn values_fit(program: &Program, top: NodeId, simulator: &Simulator) -> Result<(), String> {
    let node = program.node(top);
    for id in node.var_ids() {
        let var = node.var(id);
        let fits = |value: &Value| shape_fits(program, value, &var.ty);
        if !simulator.last(id).is_some_and(fits) {
            return Err(format!("`{}` has a value of another type", var.name));
        }
    }
    Ok(())
}

fn shape_fits(program: &Program, value: &Value, ty: &Type) -> bool {
    match (value, ty) {
        (Value::Int(_), Type::Range(_)) => true,
        (Value::Fields(values), Type::Tuple(parts)) => {
            let mut pairs = values.iter().zip(parts.iter());
            values.len() == parts.len() && pairs.all(|(v, ty)| shape_fits(program, v, ty))
        }
        (Value::Fields(values), Type::Record(id)) => {
            let fields = &program.record(*id).fields;
            let mut pairs = values.iter().zip(fields);
            values.len() == fields.len() && pairs.all(|(v, (_, ty))| shape_fits(program, v, ty))
        }
        (Value::Array(values), Type::Array(array)) => {
            let size = array.size.known();
            size.is_none_or(|size| size == values.len() as u64)
                && values
                    .iter()
                    .all(|v| shape_fits(program, v, &array.element))
        }
        (value, ty) => value.fits(ty, program),
    }
}

/// All that is claimed of a node.
fn claims(node: &Node) -> impl Iterator<Item = &Expr> {
    let properties = node.properties.iter().map(|property| &property.expr);
    let asserts = node.asserts.iter().map(|assertion| &assertion.expr);
    let clauses = node.contract.iter().flat_map(|contract| {
        let modes = contract.modes.iter().flat_map(|mode| &mode.ensures);
        let own = contract.assumptions.iter().chain(&contract.guarantees);
        own.chain(modes).map(|clause| &clause.expr)
    });
    properties.chain(asserts).chain(clauses)
}

/// Every claim has a truth value at the last step.
fn observe(program: &Program, top: NodeId, simulator: &mut Simulator) -> Result<(), String> {
    for claim in claims(program.node(top)) {
        match simulator.eval_last(claim, &mut NoChoices) {
            Ok(Value::Bool(_)) => {}
            Ok(other) => return Err(format!("a claim has the value {other}")),
            Err(error) => expected(error)?,
        }
    }
    Ok(())
}

fn expected(error: SimError) -> Result<(), String> {
    match error {
        SimError::Internal(message) => Err(format!("internal error: {message}")),
        _ => Ok(()),
    }
}

/// Default values for the inputs, unless they are many or their number is not
/// known.
fn default_inputs(program: &Program, top: NodeId) -> Option<Vec<Value>> {
    let node = program.node(top);
    let types = || node.inputs.iter().map(|id| &node.var(*id).ty);
    let mut sum = 0u64;
    for ty in types() {
        sum = sum.saturating_add(program.scalars(ty)?);
    }
    if sum > MAX_INPUT {
        return None;
    }
    let size = |size: &lang::Size| size.known().unwrap_or(0) as usize;
    Some(types().map(|ty| program.default_value(ty, &size)).collect())
}
