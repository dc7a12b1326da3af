//! Input files of the interpreter.
//!
//! A file gives for each step the values of the inputs, as JSON or CSV. Beyond
//! the inputs it may name free constants and choices (see [`Inputs`]).

mod convert;
mod csv;
mod json;

use std::collections::{HashMap, HashSet};
use std::fmt;

use lang::{ChoiceId, ChoiceKind, ConstId, NodeId, Partial, PathStep, Program, Type, Value};
use syntax::SourceMap;

use crate::error::SimError;
use crate::simulator::{ChoiceSite, Oracle};
use crate::unknown::Undefined;

pub use convert::value_from_json;
pub use json::{Json, JsonError, parse as parse_json};

/// What is wrong with an input file.
#[derive(Clone, PartialEq, Debug)]
pub struct InputError {
    /// Counted from 0.
    pub step: Option<usize>,
    pub variable: Option<String>,
    pub message: String,
}

impl InputError {
    fn new(message: impl Into<String>) -> InputError {
        InputError {
            step: None,
            variable: None,
            message: message.into(),
        }
    }

    fn at_step(mut self, step: usize) -> InputError {
        self.step.get_or_insert(step);
        self
    }

    fn of(mut self, variable: &str) -> InputError {
        self.variable.get_or_insert_with(|| variable.to_owned());
        self
    }
}

impl fmt::Display for InputError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(step) = self.step {
            write!(f, "step {step}: ")?;
        }
        if let Some(variable) = &self.variable {
            write!(f, "`{variable}`: ")?;
        }
        f.write_str(&self.message)
    }
}

impl std::error::Error for InputError {}

/// The values for a run of a node.
///
/// Each step has a value for every input. A key that is not an input may be a
/// free constant, which is fixed by the first step, or a choice:
///
/// - `y`: the output `y`, where the program leaves it open,
/// - `pre[l5c10]`: the `pre` at line 5, column 10, at the first step (in a
///   definition by index for all elements; `pre[l5c10][2]` for one of them),
/// - `call[l14c5].y`: the output `y` of an activated call before its first
///   activation,
/// - any of these behind the way to a sub-node, as in `sub[l7c7].y`,
///
/// or the value of an operation outside of its domain, as it is written: `7 div 0`,
/// `[1, 2][5]`. Like a free constant it has one value for the whole run.
#[derive(Debug, Default)]
pub struct Inputs {
    pub steps: Vec<Vec<Value>>,
    pub consts: HashMap<ConstId, Value>,
    choices: Vec<HashMap<String, Value>>,
    unknowns: HashMap<String, Json>,
    names: HashMap<(NodeId, ChoiceId), String>,
    calls: HashMap<(NodeId, PathStep), String>,
}

/// Which format a file has.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Format {
    Json,
    Csv,
}

impl Inputs {
    /// Inputs for so many steps of a node without inputs.
    pub fn empty(steps: usize) -> Inputs {
        Inputs {
            steps: vec![Vec::new(); steps],
            ..Inputs::default()
        }
    }

    pub fn parse(
        format: Format,
        text: &str,
        program: &Program,
        top: NodeId,
        sources: &SourceMap,
    ) -> Result<Inputs, InputError> {
        let rows = match format {
            Format::Json => json::rows(text)?,
            Format::Csv => csv::rows(text)?,
        };
        let mut inputs = Inputs::default();
        inputs.name_choices(program, top, sources);
        for (step, row) in rows.into_iter().enumerate() {
            inputs
                .row(row, program, top)
                .map_err(|error| error.at_step(step))?;
        }
        Ok(inputs)
    }

    fn row(
        &mut self,
        row: Vec<(String, Json)>,
        program: &Program,
        top: NodeId,
    ) -> Result<(), InputError> {
        let node = program.node(top);
        let mut values = vec![None; node.inputs.len()];
        let mut choices = HashMap::new();
        for (name, json) in row {
            let input = node
                .inputs
                .iter()
                .position(|id| node.var(*id).name.as_str() == name);
            if let Some(at) = input {
                let ty = &node.var(node.inputs[at]).ty;
                let value = value_from_json(&json, ty, program).map_err(|e| e.of(&name))?;
                if values[at].replace(value).is_some() {
                    return Err(InputError::new("is given twice").of(&name));
                }
                continue;
            }
            let constant = program
                .consts
                .iter()
                .position(|c| c.value.is_none() && c.name.as_str() == name);
            if let Some(at) = constant {
                let ty = &program.consts[at].ty;
                let value = value_from_json(&json, ty, program).map_err(|e| e.of(&name))?;
                let known = self
                    .consts
                    .entry(ConstId(at as u32))
                    .or_insert(value.clone());
                if *known != value {
                    let message = "a free constant has the same value at all steps";
                    return Err(InputError::new(message).of(&name));
                }
                continue;
            }
            let ty = self.choice_type(&name, program, top);
            if ty.is_none() && is_operation(&name) {
                let known = self.unknowns.entry(spaced(&name)).or_insert(json.clone());
                if *known != json {
                    let message = "has the same value throughout a run";
                    return Err(InputError::new(message).of(&name));
                }
                continue;
            }
            let Some(ty) = ty else {
                let known: Vec<&str> = node
                    .inputs
                    .iter()
                    .map(|id| node.var(*id).name.as_str())
                    .collect();
                let help = match known.is_empty() {
                    true => "the node has no inputs".to_owned(),
                    false => format!("the inputs are {}", known.join(", ")),
                };
                let message = format!("is neither an input, a free constant nor a choice; {help}");
                return Err(InputError::new(message).of(&name));
            };
            let value = value_from_json(&json, &ty, program).map_err(|e| e.of(&name))?;
            choices.insert(name, value);
        }
        let mut row = Vec::with_capacity(values.len());
        for (at, value) in values.into_iter().enumerate() {
            match value {
                Some(value) => row.push(value),
                None => {
                    let name = node.var(node.inputs[at]).name;
                    return Err(InputError::new("the input has no value").of(name.as_str()));
                }
            }
        }
        self.steps.push(row);
        self.choices.push(choices);
        Ok(())
    }

    /// Gives every choice and call its name.
    fn name_choices(&mut self, program: &Program, top: NodeId, sources: &SourceMap) {
        let place = |span| {
            let position = sources.position(span);
            format!("[l{}c{}]", position.line, position.column)
        };
        let mut open = vec![top];
        while let Some(id) = open.pop() {
            let node = program.node(id);
            for (at, choice) in node.choices.iter().enumerate() {
                let name = match choice.kind {
                    ChoiceKind::Pre => format!("pre{}", place(choice.span)),
                    ChoiceKind::Inactive(call, output) => {
                        let callee = program.node(node.call(call).node);
                        let output = callee.var(callee.outputs[output as usize]).name;
                        format!("call{}.{output}", place(choice.span))
                    }
                    ChoiceKind::Cut(_) => format!("cut{}", place(choice.span)),
                    ChoiceKind::Undefined(var)
                    | ChoiceKind::Imported(var)
                    | ChoiceKind::Hole(var)
                    | ChoiceKind::Fault(var)
                    | ChoiceKind::Loop(var) => node.var(var).name.to_string(),
                };
                self.names.insert((id, ChoiceId(at as u32)), name);
            }
            for call in node.call_ids() {
                let declared = node.call(call);
                let callee = program.node(declared.node).name;
                let step = PathStep {
                    call,
                    indices: Vec::new(),
                };
                self.calls
                    .insert((id, step), format!("{callee}{}", place(declared.span)));
                open.push(declared.node);
            }
        }
    }

    /// The type of the choice of a name, if there is one.
    fn choice_type(&self, name: &str, program: &Program, top: NodeId) -> Option<lang::Type> {
        let node = program.node(top);
        for (at, choice) in node.choices.iter().enumerate() {
            let own = self.names.get(&(top, ChoiceId(at as u32)))?;
            let rest = name.strip_prefix(own.as_str());
            let element = |rest: &str| !choice.indices.is_empty() && rest.starts_with('[');
            if rest.is_some_and(|rest| rest.is_empty() || element(rest)) {
                return Some(choice.ty.clone());
            }
        }
        node.call_ids().find_map(|call| {
            let step = PathStep {
                call,
                indices: Vec::new(),
            };
            let prefix = self.calls.get(&(top, step))?;
            let rest = name.strip_prefix(prefix.as_str())?;
            let rest =
                rest.trim_start_matches(|c: char| c == '[' || c == ']' || c.is_ascii_digit());
            self.choice_type(rest.strip_prefix('.')?, program, node.call(call).node)
        })
    }
}

/// Is this an operation outside of its domain? Which ones a run will meet is not known
/// beforehand.
fn is_operation(name: &str) -> bool {
    is_division(name) || (name.ends_with(']') && name.contains('['))
}

/// Is this a division by zero?
fn is_division(name: &str) -> bool {
    let operations = [Partial::IntDiv, Partial::IntMod, Partial::RealDiv];
    operations.iter().any(|operation| {
        let sides = name.rsplit_once(&format!(" {} ", operation.word()));
        sides.is_some_and(|(_, divisor)| matches!(divisor.trim(), "0" | "0.0"))
    })
}

/// The same text with single spaces, and one behind each comma.
fn spaced(name: &str) -> String {
    let name = name.replace(',', ", ");
    let words: Vec<&str> = name.split_whitespace().collect();
    words.join(" ").replace("[ ", "[").replace(" ]", "]")
}

/// Answers with what the file says, at the steps where it says it.
pub struct InputOracle<'i> {
    inputs: &'i Inputs,
    program: &'i Program,
    top: NodeId,
    /// The operations whose values were asked for.
    met: HashSet<String>,
}

impl<'i> InputOracle<'i> {
    pub fn new(inputs: &'i Inputs, program: &'i Program, top: NodeId) -> InputOracle<'i> {
        InputOracle {
            inputs,
            program,
            top,
            met: HashSet::new(),
        }
    }

    /// The operations that the file has a value for and the run has not met.
    pub fn not_met(&self) -> Vec<&'i str> {
        let names = self.inputs.unknowns.keys().map(String::as_str);
        let mut names: Vec<&str> = names.filter(|name| !self.met.contains(*name)).collect();
        names.sort_unstable();
        names
    }
}

impl Oracle for InputOracle<'_> {
    fn choose(&mut self, site: &ChoiceSite) -> Option<Value> {
        let choices = self.inputs.choices.get(site.step)?;
        if choices.is_empty() {
            return None;
        }
        let mut name = String::new();
        let mut node = self.top;
        for step in &site.path {
            let plain = PathStep {
                call: step.call,
                indices: Vec::new(),
            };
            name.push_str(self.inputs.calls.get(&(node, plain))?);
            for index in &step.indices {
                name.push_str(&format!("[{index}]"));
            }
            name.push('.');
            node = self.program.node(node).call(step.call).node;
        }
        name.push_str(self.inputs.names.get(&(site.node, site.choice))?);
        let indices: String = site.indices.iter().map(|i| format!("[{i}]")).collect();
        let element = choices.get(&format!("{name}{indices}"));
        element.or_else(|| choices.get(&name)).cloned()
    }

    fn unknown(&mut self, _: &Undefined, name: &str, ty: &Type) -> Result<Option<Value>, SimError> {
        let Some(json) = self.inputs.unknowns.get(name) else {
            return Ok(None);
        };
        self.met.insert(name.to_owned());
        match value_from_json(json, ty, self.program) {
            Ok(value) => Ok(Some(value)),
            Err(error) => Err(SimError::BadInput(error.of(name).to_string())),
        }
    }
}
