//! Values as people read them.

use lang::{Program, Value};

use crate::real::{RealPrecision, real};

/// A value as people read it.
pub fn value_text(program: &Program, value: &Value, reals: RealPrecision) -> String {
    let list = |values: &[Value]| {
        let values = values.iter().map(|v| value_text(program, v, reals));
        values.collect::<Vec<_>>().join(", ")
    };
    match value {
        Value::Enum(id, at) => program.enumeration(*id).values[*at as usize].to_string(),
        Value::Real(value) => real(value, reals),
        Value::Array(values) => format!("[{}]", list(values)),
        Value::Fields(values) => format!("{{{}}}", list(values)),
        other => other.to_string(),
    }
}
