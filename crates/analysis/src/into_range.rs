//! Replaces values outside of the ranges of their types.
//!
//! An engine asks the solver only about the cone of influence of a property. A model of the solver
//! leaves the other inputs and imported outputs open, without their declared ranges. The
//! interpreter computes all streams, so these get a value that their types allow.

use lang::{Program, Type, Value};

/// The value with its scalars in their ranges; those outside become the ones nearest to zero.
pub(crate) fn into_range(program: &Program, value: Value, ty: &Type) -> Value {
    match (value, ty) {
        (Value::Int(own), Type::Range(range)) if !range.contains(&own) => {
            Value::Int(range.nearest_to_zero())
        }
        (Value::Array(elements), Type::Array(array)) => {
            let elements = elements.iter().cloned();
            let elements = elements.map(|value| into_range(program, value, &array.element));
            Value::Array(elements.collect())
        }
        (Value::Fields(fields), Type::Tuple(types)) => {
            let fields = fields.iter().cloned().zip(types.iter());
            Value::Fields(fields.map(|(v, ty)| into_range(program, v, ty)).collect())
        }
        (Value::Fields(fields), Type::Record(id)) => {
            let types = program.record(*id).fields.iter().map(|(_, ty)| ty);
            let fields = fields.iter().cloned().zip(types);
            Value::Fields(fields.map(|(v, ty)| into_range(program, v, ty)).collect())
        }
        (value, _) => value,
    }
}
