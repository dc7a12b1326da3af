//! Values of a type from what a file says.

use lang::{EnumId, Program, Range, Type, Value, ops};
use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::{Signed, Zero, pow};
use syntax::ast::Machine;

use super::InputError;
use super::json::Json;

/// Reads a value of the type.
pub fn value_from_json(json: &Json, ty: &Type, program: &Program) -> Result<Value, InputError> {
    let wrong = || {
        InputError::new(format!(
            "expected a value of type `{}`, found {}",
            program.type_name(ty),
            json.describe()
        ))
    };
    match (ty, json) {
        (Type::Bool, Json::Bool(value)) => Ok(Value::Bool(*value)),
        (Type::Bool, Json::Text(text)) if text == "true" || text == "false" => {
            Ok(Value::Bool(text == "true"))
        }
        (Type::Int, Json::Number(text) | Json::Text(text)) => integer(text).map(Value::Int),
        (Type::Range(range), Json::Number(text) | Json::Text(text)) => in_range(text, range),
        (Type::Machine(own), Json::Number(text) | Json::Text(text)) => machine(text, *own),
        (Type::Real, Json::Number(text) | Json::Text(text)) => rational(text).map(Value::Real),
        (Type::Abstract(_), Json::Number(text) | Json::Text(text)) => {
            integer(text).map(Value::Abstract)
        }
        (Type::Enum(id), Json::Text(text)) => enumerated(text, *id, program),
        (Type::Record(id), Json::Object(given)) => {
            let fields = &program.record(*id).fields;
            let names = fields.iter().map(|(name, ty)| (name.to_string(), ty));
            parts(names.collect(), given, program)
        }
        (Type::Tuple(types), Json::Tuple(given) | Json::Array(given)) => {
            if types.len() != given.len() {
                let message = format!("expected {} parts, found {}", types.len(), given.len());
                return Err(InputError::new(message));
            }
            let values = types.iter().zip(given);
            let values = values.map(|(ty, json)| value_from_json(json, ty, program));
            Ok(Value::Fields(values.collect::<Result<_, InputError>>()?))
        }
        (Type::Tuple(types), Json::Object(given)) => {
            let names = types.iter().enumerate();
            parts(
                names.map(|(at, ty)| (at.to_string(), ty)).collect(),
                given,
                program,
            )
        }
        (Type::Array(array), Json::Array(given)) => {
            if let Some(size) = array.size.known().filter(|n| *n != given.len() as u64) {
                let message = format!("expected {size} elements, found {}", given.len());
                return Err(InputError::new(message));
            }
            let values = given.iter();
            let values = values.map(|json| value_from_json(json, &array.element, program));
            Ok(Value::Array(values.collect::<Result<_, InputError>>()?))
        }
        _ => Err(wrong()),
    }
}

fn in_range(text: &str, range: &Range) -> Result<Value, InputError> {
    let value = integer(text)?;
    match range.contains(&value) {
        true => Ok(Value::Int(value)),
        false => Err(InputError::new(format!("{value} is outside of {range}"))),
    }
}

fn machine(text: &str, machine: Machine) -> Result<Value, InputError> {
    let value = integer(text)?;
    let wrapped = ops::wrap(machine, &value);
    if BigInt::from(wrapped) != value {
        let message = format!("{value} is outside of the range of `{machine}`");
        return Err(InputError::new(message));
    }
    Ok(Value::Machine(machine, wrapped))
}

fn enumerated(text: &str, id: EnumId, program: &Program) -> Result<Value, InputError> {
    let values = &program.enumeration(id).values;
    match values.iter().position(|value| value.as_str() == text) {
        Some(at) => Ok(Value::Enum(id, at as u32)),
        None => {
            let known: Vec<&str> = values.iter().map(|value| value.as_str()).collect();
            let message = format!("`{text}` is not one of {}", known.join(", "));
            Err(InputError::new(message))
        }
    }
}

/// The fields of a record or tuple, each given once.
fn parts(
    fields: Vec<(String, &Type)>,
    given: &[(String, Json)],
    program: &Program,
) -> Result<Value, InputError> {
    for (name, _) in given {
        if !fields.iter().any(|(field, _)| field == name) {
            return Err(InputError::new(format!("there is no field `{name}`")));
        }
    }
    let mut values = Vec::new();
    for (field, ty) in fields {
        let Some((_, json)) = given.iter().find(|(name, _)| *name == field) else {
            return Err(InputError::new(format!("the field `{field}` has no value")));
        };
        values.push(value_from_json(json, ty, program)?);
    }
    Ok(Value::Fields(values.into()))
}

fn integer(text: &str) -> Result<BigInt, InputError> {
    text.trim()
        .parse()
        .map_err(|_| InputError::new(format!("`{text}` is not an integer")))
}

/// Exponents beyond this are refused.
const MAX_EXPONENT: i64 = 10_000;

/// `2`, `-0.5`, `1e-3`, `1/3`, `1.0/2.0`
fn rational(text: &str) -> Result<BigRational, InputError> {
    let bad = || InputError::new(format!("`{text}` is not a number"));
    let (numerator, denominator) = match text.split_once('/') {
        Some((a, b)) => (a, Some(b)),
        None => (text, None),
    };
    let numerator = decimal(numerator.trim()).ok_or_else(bad)?;
    let Some(denominator) = denominator else {
        return Ok(numerator);
    };
    let denominator = decimal(denominator.trim()).ok_or_else(bad)?;
    if denominator.is_zero() {
        return Err(InputError::new(format!("`{text}` divides by zero")));
    }
    Ok(numerator / denominator)
}

fn decimal(text: &str) -> Option<BigRational> {
    let (mantissa, exponent) = match text.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, exponent.parse::<i64>().ok()?),
        None => (text, 0),
    };
    if exponent.abs() > MAX_EXPONENT {
        return None;
    }
    let (sign, digits) = match mantissa.strip_prefix('-') {
        Some(rest) => (-1, rest),
        None => (1, mantissa.strip_prefix('+').unwrap_or(mantissa)),
    };
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
    let all = format!("{whole}{fraction}");
    if all.is_empty() || !all.bytes().all(|b| b.is_ascii_digit()) {
        return None;
    }
    let numerator: BigInt = all.parse().ok()?;
    let value = BigRational::new(numerator * sign, pow(BigInt::from(10), fraction.len()));
    let power = BigRational::from_integer(pow(BigInt::from(10), exponent.unsigned_abs() as usize));
    debug_assert!(power.is_positive());
    Some(if exponent < 0 {
        value / power
    } else {
        value * power
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rationals_are_exact() {
        let ratio = |n: i64, d: i64| BigRational::new(n.into(), d.into());
        assert_eq!(rational("1.0/2.0").unwrap(), ratio(1, 2));
        assert_eq!(rational("-0.25").unwrap(), ratio(-1, 4));
        assert_eq!(rational("1e-3").unwrap(), ratio(1, 1000));
        assert!(rational("1/0").is_err());
        assert!(rational("one").is_err());
    }
}
