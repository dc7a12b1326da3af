//! `--enable interpreter`: runs a node on given inputs and shows all streams.

use std::io;
use std::path::Path;

use lang::{NodeId, Program, Value, VarClass};
use results::{Event, Level};
use session::{Listener, Model};
use sim::Simulator;
use sim::input::{Format, InputOracle, Inputs};
use syntax::{Code, Diagnostic};

use crate::args::Args;
use crate::exit;
use crate::run::{Out, single_top};
use crate::screen::diagnostics;

pub fn run(args: &Args, model: &Model, out: &mut Out) -> io::Result<u8> {
    let top = match single_top(args, model, out)? {
        Ok(top) => top,
        Err(code) => return Ok(code),
    };
    let program = &model.program;
    let inputs = match read_inputs(args, model, top) {
        Ok(inputs) => inputs,
        Err(message) => return refuse(message, model, out),
    };
    let mut notes = Vec::new();
    let steps = match steps(args, program, top, inputs.steps.len(), &mut notes) {
        Ok(steps) => steps,
        Err(message) => return refuse(message, model, out),
    };
    let mut simulator = Simulator::new(program, top, inputs.consts.clone());
    let mut oracle = InputOracle::new(&inputs, program, top);
    for step in 0..steps {
        let values = match inputs.steps.get(step) {
            Some(values) => values.clone(),
            None => default_inputs(program, top, inputs.steps.last()),
        };
        if let Err(error) = simulator.step(&values, &mut oracle) {
            let message = format!("step {step}: {error}");
            return refuse(message, model, out);
        }
    }
    let trace = simulator.trace();
    out.tell(&Event::Execution {
        program,
        top: &results::blocks(program, &trace, &model.sources),
    })?;
    notes.extend(simulator.defaulted().map(|what| {
        format!("nothing was said about {what}; it has the default value of its type")
    }));
    notes.extend(oracle.not_met().into_iter().map(|name| {
        format!("the inputs have a value for `{name}`, an operation that the run does not meet")
    }));
    for note in notes {
        out.log(Level::Note, "interpreter", note)?;
    }
    Ok(exit::SUCCESS)
}

fn refuse(message: String, model: &Model, out: &mut Out) -> io::Result<u8> {
    let diagnostic = Diagnostic::global(Code::BadInput, message);
    diagnostics(&[diagnostic], &model.sources, out)?;
    Ok(exit::ERROR)
}

fn read_inputs(args: &Args, model: &Model, top: NodeId) -> Result<Inputs, String> {
    let Some(path) = &args.interpreter_input else {
        return Ok(Inputs::default());
    };
    let bytes =
        std::fs::read(path).map_err(|error| format!("cannot read {}: {error}", path.display()))?;
    let text =
        String::from_utf8(bytes).map_err(|_| format!("{} is not text in UTF-8", path.display()))?;
    let format = format(path)?;
    let inputs = Inputs::parse(format, &text, &model.program, top, &model.sources)
        .map_err(|error| format!("{}: {error}", path.display()))?;
    constants_stay(&model.program, top, &inputs).map_err(|e| format!("{}: {e}", path.display()))?;
    Ok(inputs)
}

fn format(path: &Path) -> Result<Format, String> {
    match path.extension().and_then(|extension| extension.to_str()) {
        Some("json") => Ok(Format::Json),
        Some("csv") => Ok(Format::Csv),
        _ => Err(format!(
            "{}: the name of an input file ends in .json or .csv",
            path.display()
        )),
    }
}

/// A constant input has the same value at all steps.
fn constants_stay(program: &Program, top: NodeId, inputs: &Inputs) -> Result<(), String> {
    let node = program.node(top);
    for (at, id) in node.inputs.iter().enumerate() {
        let var = node.var(*id);
        if var.class != (VarClass::Input { is_const: true }) {
            continue;
        }
        let mut values = inputs.steps.iter().map(|step| &step[at]).enumerate();
        let Some((_, first)) = values.next() else {
            continue;
        };
        if let Some((step, _)) = values.find(|(_, value)| *value != first) {
            return Err(format!(
                "step {step}: `{}`: a constant input has the same value at all steps",
                var.name
            ));
        }
    }
    Ok(())
}

/// Inputs with more scalars get no default value.
const MAX_DEFAULT: u64 = 1 << 22;

/// How many steps to run: as many as asked for, or as the file has.
fn steps(
    args: &Args,
    program: &Program,
    top: NodeId,
    given: usize,
    notes: &mut Vec<String>,
) -> Result<usize, String> {
    let node = program.node(top);
    let steps = match args.interpreter_steps {
        0 => given,
        steps => steps,
    };
    if steps == 0 && args.interpreter_input.is_none() {
        return Err("there is nothing to run: give the inputs with \
             --interpreter_input_file, or the number of steps with --interpreter_steps"
            .to_owned());
    }
    if steps > given {
        let huge = |ty: &lang::Type| program.scalars(ty).is_some_and(|n| n > MAX_DEFAULT);
        let inputs = node.inputs.iter().map(|id| node.var(*id));
        if let Some(var) = inputs.into_iter().find(|var| huge(&var.ty)) {
            return Err(format!(
                "step {given}: `{}`: the input has no value, and a default would be too large",
                var.name
            ));
        }
    }
    if steps > given && !node.inputs.is_empty() {
        notes.push(format!(
            "there are inputs for {given} of {steps} steps; at the others each input has the \
             default value of its type"
        ));
    }
    Ok(steps)
}

/// The inputs of a step after the end of the file.
fn default_inputs(program: &Program, top: NodeId, last: Option<&Vec<Value>>) -> Vec<Value> {
    let node = program.node(top);
    let inputs = node.inputs.iter().enumerate();
    inputs
        .map(|(at, id)| {
            let var = node.var(*id);
            match last {
                Some(last) if var.class == (VarClass::Input { is_const: true }) => last[at].clone(),
                _ => program.default_value(&var.ty, &|size| size.known().unwrap_or(0) as usize),
            }
        })
        .collect()
}
