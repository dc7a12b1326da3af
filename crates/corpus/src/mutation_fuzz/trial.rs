//! One text on its way through the front end.

use std::collections::HashMap;
use std::path::Path;

use lang::{NodeId, Options, Program, Value};
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
    let options = Options {
        strict: input.strict,
    };
    let checked = lang::check(&loaded.program, &options);
    render(&checked.diagnostics, &loaded.sources);
    let Some(program) = checked.program else {
        return Ok(Verdict::Refused);
    };
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
            && lang::check(&parsed.program, &Options::default())
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
            Ok(()) => observe(program, top, &mut simulator)?,
            Err(error) => return expected(error),
        }
    }
    report::blocks(program, &simulator.trace(), sources);
    Ok(())
}

/// The values of all that is claimed of a node at the last step.
fn observe(program: &Program, top: NodeId, simulator: &mut Simulator) -> Result<(), String> {
    let node = program.node(top);
    let properties = node.properties.iter().map(|property| &property.expr);
    let asserts = node.asserts.iter().map(|assertion| &assertion.expr);
    let clauses = node.contract.iter().flat_map(|contract| {
        let modes = contract.modes.iter().flat_map(|mode| &mode.ensures);
        let own = contract.assumptions.iter().chain(&contract.guarantees);
        own.chain(modes).map(|clause| &clause.expr)
    });
    for claim in properties.chain(asserts).chain(clauses) {
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
