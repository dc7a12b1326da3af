//! Concrete values of every type, with exact numbers.

use std::fmt;
use std::sync::Arc;

use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::One;
use syntax::ast::Machine;

use crate::types::{EnumId, Type};

/// A value of a stream at one step.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Value {
    Bool(bool),
    Int(BigInt),
    Real(BigRational),
    /// A machine integer, always within the range of its type.
    Machine(Machine, i128),
    Enum(EnumId, u32),
    /// A value of an abstract type; all that is known is whether two are equal.
    Abstract(BigInt),
    /// A record or a tuple: the values of its fields in order.
    Fields(Arc<[Value]>),
    Array(Arc<[Value]>),
}

impl Value {
    pub fn int(value: impl Into<BigInt>) -> Value {
        Value::Int(value.into())
    }

    pub fn as_bool(&self) -> Option<bool> {
        match self {
            Value::Bool(value) => Some(*value),
            _ => None,
        }
    }

    pub fn as_int(&self) -> Option<&BigInt> {
        match self {
            Value::Int(value) => Some(value),
            _ => None,
        }
    }

    /// Does the value lie in the type, ranges included? Sizes of arrays that
    /// are not known are not compared.
    pub fn fits(&self, ty: &Type, program: &crate::Program) -> bool {
        match (self, ty) {
            (Value::Bool(_), Type::Bool)
            | (Value::Int(_), Type::Int)
            | (Value::Real(_), Type::Real)
            | (Value::Abstract(_), Type::Abstract(_)) => true,
            (Value::Int(value), Type::Range(range)) => range.contains(value),
            (Value::Machine(own, _), Type::Machine(machine)) => own == machine,
            (Value::Enum(own, _), Type::Enum(id)) => own == id,
            (Value::Fields(values), Type::Tuple(parts)) => {
                values.len() == parts.len()
                    && values
                        .iter()
                        .zip(parts.iter())
                        .all(|(v, t)| v.fits(t, program))
            }
            (Value::Fields(values), Type::Record(id)) => {
                let fields = &program.record(*id).fields;
                values.len() == fields.len()
                    && values
                        .iter()
                        .zip(fields)
                        .all(|(v, (_, t))| v.fits(t, program))
            }
            (Value::Array(values), Type::Array(array)) => {
                array.size.known().is_none_or(|n| n == values.len() as u64)
                    && values.iter().all(|v| v.fits(&array.element, program))
            }
            _ => false,
        }
    }
}

/// Numbers print as Kind 2 prints them: reals as decimals or `n/d`.
impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Value::Bool(value) => write!(f, "{value}"),
            Value::Int(value) | Value::Abstract(value) => write!(f, "{value}"),
            Value::Real(value) if value.denom().is_one() => write!(f, "{}.0", value.numer()),
            Value::Real(value) => write!(f, "{}/{}", value.numer(), value.denom()),
            Value::Machine(_, value) => write!(f, "{value}"),
            Value::Enum(_, index) => write!(f, "#{index}"),
            Value::Fields(values) => list(f, "{", values, "}"),
            Value::Array(values) => list(f, "[", values, "]"),
        }
    }
}

fn list(f: &mut fmt::Formatter<'_>, open: &str, values: &[Value], close: &str) -> fmt::Result {
    f.write_str(open)?;
    for (at, value) in values.iter().enumerate() {
        if at > 0 {
            f.write_str(", ")?;
        }
        write!(f, "{value}")?;
    }
    f.write_str(close)
}
