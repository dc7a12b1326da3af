//! Why a run cannot go on.

use std::fmt;

use lang::Value;

#[derive(Clone, PartialEq, Debug)]
pub enum SimError {
    /// A quantifier over `int` without bounds that can be read off it.
    UnboundedQuantifier { variable: String },
    /// A domain or an array that is too large to be enumerated.
    TooLarge { what: String },
    /// An array input that does not have the size its type says.
    WrongSize {
        input: String,
        expected: usize,
        found: usize,
    },
    /// A stream that is chosen by its own value has no consistent value, or
    /// none was found.
    NoSolution { stream: String },
    /// The value given for such a stream does not satisfy its definition.
    Inconsistent {
        stream: String,
        given: Box<Value>,
        computed: Box<Value>,
    },
    /// What an input file says does not fit.
    BadInput(String),
    /// An operation has no known value for its operands, and no default may be taken.
    UnknownOperation { operation: String },
    /// The program is not what the checker promises.
    Internal(String),
}

impl fmt::Display for SimError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SimError::UnboundedQuantifier { variable } => write!(
                f,
                "the quantified variable `{variable}` has no bounds, so that its values cannot be \
                 tried; bound it as in `0 <= {variable} and {variable} < n => …`"
            ),
            SimError::TooLarge { what } => write!(f, "{what} is too large to be computed"),
            SimError::WrongSize {
                input,
                expected,
                found,
            } => write!(
                f,
                "`{input}` has {found} elements; its type says {expected}"
            ),
            SimError::NoSolution { stream } => write!(
                f,
                "`{stream}` depends on its own current value and no value was found that fits"
            ),
            SimError::Inconsistent {
                stream,
                given,
                computed,
            } => write!(
                f,
                "`{stream}` was given as {given}, but its definition says {computed}"
            ),
            SimError::BadInput(message) => f.write_str(message),
            SimError::UnknownOperation { operation } => {
                write!(f, "the value of `{operation}` is not known")
            }
            SimError::Internal(message) => write!(f, "internal error: {message}"),
        }
    }
}

impl std::error::Error for SimError {}

pub(crate) fn internal<T>(message: &str) -> Result<T, SimError> {
    Err(SimError::Internal(message.to_owned()))
}
