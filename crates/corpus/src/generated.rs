//! Executions of random programs, compared with known ones value by value.

use std::path::Path;

use lang::{CheckOptions, NodeId, Program, Type, Value};
use num_bigint::BigInt;
use num_rational::BigRational;
use sim::input::{Format, InputOracle, Inputs, Json, parse_json};
use sim::{Simulator, Trace};
use syntax::{SourceMap, Symbol};

use crate::Outcome;
use crate::files;
use crate::front;

pub fn run(corpus: &Path) -> Vec<Outcome> {
    let mut outcome = Outcome::new("simulate generated");
    let mut values = 0;
    for path in files::models(&corpus.join("generated")) {
        match compare(&path) {
            Ok(count) => {
                outcome.right += 1;
                values += count;
            }
            Err(error) => outcome
                .wrong
                .push(format!("{}: {error}", files::name(&path))),
        }
    }
    println!("{values} values of generated programs are equal");
    vec![outcome]
}

/// How many values were compared, or the first that differs.
fn compare(path: &Path) -> Result<usize, String> {
    let checked = front::check(path, &CheckOptions::default());
    let program = checked.program.ok_or("refused")?;
    let top = program
        .node_named(Symbol::new("top"))
        .ok_or("no node `top`")?;
    let text = files::read(&path.with_extension("json"));
    let trace = simulate(&program, top, &text, &checked.sources)?;
    let expected = files::read(&path.with_extension("trace.json"));
    let expected = parse_json(&expected).map_err(|e| e.message)?;
    let Json::Object(streams) = expected else {
        return Err("the expected trace is not an object".into());
    };
    let mut count = 0;
    for (name, steps) in streams {
        let Json::Array(steps) = steps else {
            return Err(format!("`{name}` is not an array"));
        };
        for (step, expected) in steps.iter().enumerate() {
            let Some((value, ty)) = value_named(&program, top, &trace, &name, step) else {
                // Kind 2 shows the choices it makes up; they are no streams.
                if name.starts_with("iboracle") {
                    continue;
                }
                return Err(format!("`{name}` is not a stream"));
            };
            if !equal(&program, &value, &ty, expected) {
                return Err(format!(
                    "`{name}` at step {step}: {value}, expected {expected:?}"
                ));
            }
            count += 1;
        }
    }
    Ok(count)
}

/// Runs a node on the values of an input file.
pub fn simulate(
    program: &Program,
    top: NodeId,
    text: &str,
    sources: &SourceMap,
) -> Result<Trace, String> {
    stacker::grow(syntax::STACK_SIZE, || {
        let inputs = Inputs::parse(Format::Json, text, program, top, sources);
        let inputs = inputs.map_err(|error| error.to_string())?;
        let mut simulator = Simulator::new(program, top, inputs.consts.clone());
        let mut oracle = InputOracle::new(&inputs, program, top);
        for step in &inputs.steps {
            simulator
                .step(step, &mut oracle)
                .map_err(|e| e.to_string())?;
        }
        Ok(simulator.trace())
    })
}

/// The value of `x` or of a field `x.f` of the top node.
fn value_named(
    program: &Program,
    top: NodeId,
    trace: &Trace,
    name: &str,
    step: usize,
) -> Option<(Value, Type)> {
    let node = program.node(top);
    let mut parts = name.split('.');
    let first = parts.next()?;
    let var = node
        .var_ids()
        .find(|id| node.var(*id).name.as_str() == first)?;
    let mut value = trace.top.value(step, var)?.clone();
    let mut ty = node.var(var).ty.clone();
    for part in parts {
        let Type::Record(id) = ty else { return None };
        let fields = &program.record(id).fields;
        let at = fields
            .iter()
            .position(|(field, _)| field.as_str() == part)?;
        ty = fields[at].1.clone();
        let Value::Fields(values) = value else {
            return None;
        };
        value = values.get(at)?.clone();
    }
    Some((value, ty))
}

fn equal(program: &Program, value: &Value, ty: &Type, expected: &Json) -> bool {
    match (value, expected) {
        (Value::Bool(a), Json::Bool(b)) => a == b,
        (Value::Int(a), Json::Number(b)) => b.parse() == Ok(a.clone()),
        (Value::Machine(_, a), Json::Number(b)) => b.parse() == Ok(*a),
        (Value::Real(a), Json::Object(fields)) => match fields.as_slice() {
            [(_, Json::Number(n)), (_, Json::Number(d))] => {
                let ratio = n.parse::<BigInt>().ok().zip(d.parse::<BigInt>().ok());
                ratio.is_some_and(|(n, d)| BigRational::new(n, d) == *a)
            }
            _ => false,
        },
        (Value::Enum(id, at), Json::Text(b)) => {
            program.enumeration(*id).values[*at as usize].as_str() == b
        }
        (Value::Array(values), Json::Array(expected)) => {
            let Type::Array(array) = ty else { return false };
            values.len() == expected.len()
                && values
                    .iter()
                    .zip(expected)
                    .all(|(v, e)| equal(program, v, &array.element, e))
        }
        _ => false,
    }
}
