//! Values that operations have outside of their domain.
//!
//! A division by zero and an index out of bounds have an unknown value, the same one for
//! the same operands throughout a run ([`lang::Partial`]). The [`Oracle`](crate::Oracle)
//! may know it; otherwise it is the default value of its type.

use std::collections::{BTreeSet, HashMap};

use lang::{InstancePath, Partial, Program, Type, Value, VarId};

use crate::error::SimError;
use crate::eval::{Cursor, Eval};
use crate::simulator::Simulator;

/// An operation and operands for which it has no value of its own.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Undefined {
    pub operation: Partial,
    /// Dividend and divisor, or array and index; the indices, for an array that is defined
    /// by induction.
    pub operands: Vec<Value>,
    pub stream: Option<Inductive>,
}

/// An array at a step, defined by induction.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Inductive {
    pub path: InstancePath,
    pub var: VarId,
    pub step: usize,
}

/// An unknown value that a run has met.
#[derive(Clone, Debug)]
pub struct Unknown {
    /// The operation as it is written: `7 div 0`, `[1, 2][5]`.
    pub name: String,
    pub ty: Type,
    pub value: Value,
    /// When it was met.
    pub steps: BTreeSet<usize>,
}

/// The unknown values of a run, in the order in which they turned up.
#[derive(Debug, Default)]
pub(crate) struct Unknowns {
    pub all: Vec<Unknown>,
    places: HashMap<Undefined, usize>,
}

impl Cursor<'_, '_> {
    /// The value of an operation outside of its domain at the tick.
    pub fn unknown(&mut self, undefined: Undefined, ty: &Type) -> Eval<Value> {
        let step = self.step();
        let unknowns = &mut self.sim.unknowns;
        if let Some(at) = unknowns.places.get(&undefined) {
            let known = &mut unknowns.all[*at];
            known.steps.insert(step);
            return Ok(known.value.clone());
        }
        let name = self.sim.written(&undefined);
        let value = match self.oracle.unknown(&undefined, &name, ty)? {
            Some(value) => value,
            None => {
                self.sim.note_default(format!("`{name}`"));
                self.default(ty)?
            }
        };
        let unknowns = &mut self.sim.unknowns;
        unknowns.places.insert(undefined, unknowns.all.len());
        unknowns.all.push(Unknown {
            name,
            ty: ty.clone(),
            value: value.clone(),
            steps: BTreeSet::from([step]),
        });
        Ok(value)
    }

    /// Which step of the run the tick was.
    pub fn step(&self) -> usize {
        let past = self.back.checked_sub(1);
        let past = past.and_then(|at| self.instance().history.get(at));
        past.map_or(self.sim.step, |past| past.step)
    }
}

impl Simulator<'_> {
    /// The operation on its operands, as it is written.
    fn written(&self, undefined: &Undefined) -> String {
        let text = |value: &Value| text(self.program, value);
        let operands: Vec<String> = undefined.operands.iter().map(text).collect();
        if let Some(stream) = &undefined.stream {
            let mut name = String::new();
            let mut node = self.node_of(crate::simulator::TOP);
            for step in &stream.path {
                node = self.program.node(node.call(step.call).node);
                name = format!("{}.", node.name);
            }
            let indices = operands.iter().map(|index| format!("[{index}]"));
            return format!(
                "{name}{}{}",
                node.var(stream.var).name,
                indices.collect::<String>()
            );
        }
        match (undefined.operation, operands.as_slice()) {
            (Partial::Index, [array, index]) => format!("{array}[{index}]"),
            (operation, operands) => operands.join(&format!(" {} ", operation.word())),
        }
    }
}

fn text(program: &Program, value: &Value) -> String {
    let list = |values: &[Value]| {
        let values = values.iter().map(|value| text(program, value));
        values.collect::<Vec<_>>().join(", ")
    };
    match value {
        Value::Enum(id, at) => program.enumeration(*id).values[*at as usize].to_string(),
        Value::Array(values) => format!("[{}]", list(values)),
        Value::Fields(values) => format!("{{{}}}", list(values)),
        other => other.to_string(),
    }
}

/// The error for an operation without a known value, where no default may be taken.
pub fn unknown_operation(name: &str) -> SimError {
    SimError::UnknownOperation {
        operation: name.to_owned(),
    }
}
