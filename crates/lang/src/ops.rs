//! What the operators compute, on concrete values.
//!
//! `div` and `mod` on `int` are Euclidean, as in SMT-LIB; on machine integers they
//! truncate, as bit-vectors do. By zero:
//!
//! | operation | result |
//! |---|---|
//! | `x div 0`, `x / 0`, `x mod 0` on `int`; `x / 0.0` on `real` | none ([`crate::Partial`]) |
//! | `x div 0` on `uintN` | the largest value |
//! | `x div 0` on `intN` | `-1` if `x >= 0`, else `1` |
//! | `x mod 0` on machine integers | `x` |

use std::cmp::Ordering;
use std::sync::Arc;

use num_bigint::BigInt;
use num_integer::Integer;
use num_rational::BigRational;
use num_traits::{Signed, ToPrimitive, Zero};
use syntax::ast::Machine;

use crate::program::{BinOp, UnOp};
use crate::types::Type;
use crate::value::Value;

/// Numbers with more bits than this are not computed with: squared a few times
/// more, they would not fit in memory.
pub const MAX_BITS: u64 = 1 << 17;

/// Is this a number that is too large to be computed with?
pub fn is_huge(value: &Value) -> bool {
    match value {
        Value::Int(value) => value.bits() > MAX_BITS,
        Value::Real(value) => value.numer().bits().max(value.denom().bits()) > MAX_BITS,
        _ => false,
    }
}

/// How long it takes to compute with a large number, beyond what it takes with
/// a small one: fractions are reduced, which grows with the square of the bits.
pub fn cost(value: &Value) -> u64 {
    match value {
        Value::Int(value) => value.bits().pow(2) >> 16,
        Value::Real(value) if value.is_integer() => value.numer().bits().pow(2) >> 16,
        Value::Real(value) => (value.numer().bits() + value.denom().bits()).pow(2) >> 12,
        _ => 0,
    }
}

/// Reduces a number into the range of a machine integer, as C does.
pub fn wrap(machine: Machine, value: &BigInt) -> i128 {
    let modulus = BigInt::from(1) << machine.width;
    let low = value.mod_floor(&modulus).to_i128().unwrap_or_default();
    wrap_small(machine, low)
}

/// As [`wrap`], for numbers that fit 128 bits.
fn wrap_small(machine: Machine, value: i128) -> i128 {
    let modulus = 1i128 << machine.width;
    let low = value.rem_euclid(modulus);
    if machine.signed && low >= modulus / 2 {
        low - modulus
    } else {
        low
    }
}

/// Integer division that rounds so that the remainder is not negative; `None` by zero.
fn euclid(a: &BigInt, b: &BigInt) -> Option<(BigInt, BigInt)> {
    if b.is_zero() {
        return None;
    }
    let remainder = a.mod_floor(&b.abs());
    Some(((a - &remainder) / b, remainder))
}

/// Applies a unary operator; `None` if the value is not of its type.
pub fn unary(op: UnOp, value: &Value) -> Option<Value> {
    match op {
        UnOp::Not => Some(Value::Bool(!value.as_bool()?)),
        UnOp::Neg => match value {
            Value::Int(value) => Some(Value::Int(-value)),
            Value::Real(value) => Some(Value::Real(-value)),
            Value::Machine(machine, value) => {
                Some(Value::Machine(*machine, wrap_small(*machine, -value)))
            }
            _ => None,
        },
        UnOp::BitNot => match value {
            Value::Machine(machine, value) => {
                Some(Value::Machine(*machine, wrap_small(*machine, !value)))
            }
            _ => None,
        },
    }
}

/// Applies a binary operator; `None` if the values are not of its type, or outside of
/// its domain ([`is_defined`]).
pub fn binary(op: BinOp, left: &Value, right: &Value) -> Option<Value> {
    if matches!(op, BinOp::Eq | BinOp::Neq) {
        return Some(Value::Bool((left == right) == (op == BinOp::Eq)));
    }
    match (left, right) {
        (Value::Bool(a), Value::Bool(b)) => boolean(op, *a, *b),
        (Value::Int(a), Value::Int(b)) => integer(op, a, b),
        (Value::Real(a), Value::Real(b)) => real(op, a, b),
        (Value::Machine(machine, a), Value::Machine(_, b)) => machine_op(op, *machine, *a, *b),
        _ => None,
    }
}

/// Does the operator have a value where the right operand has this one?
pub fn is_defined(op: BinOp, right: &Value) -> bool {
    let zero = match right {
        Value::Int(value) => value.is_zero(),
        Value::Real(value) => value.is_zero(),
        _ => false,
    };
    !(zero && matches!(op, BinOp::Div | BinOp::Mod))
}

fn boolean(op: BinOp, a: bool, b: bool) -> Option<Value> {
    Some(Value::Bool(match op {
        BinOp::And => a && b,
        BinOp::Or => a || b,
        BinOp::Xor => a != b,
        BinOp::Implies => !a || b,
        BinOp::Eq | BinOp::Neq | BinOp::Lt | BinOp::Le | BinOp::Gt | BinOp::Ge => return None,
        BinOp::Add | BinOp::Sub | BinOp::Mul | BinOp::Div | BinOp::Mod => return None,
        BinOp::BitAnd | BinOp::BitOr | BinOp::Lsh | BinOp::Rsh => return None,
    }))
}

/// What a comparison says of two values in this order; `None` for other operators.
fn compare(op: BinOp, order: Ordering) -> Option<Value> {
    Some(Value::Bool(match op {
        BinOp::Lt => order.is_lt(),
        BinOp::Le => order.is_le(),
        BinOp::Gt => order.is_gt(),
        BinOp::Ge => order.is_ge(),
        BinOp::Eq | BinOp::Neq => return None,
        BinOp::And | BinOp::Or | BinOp::Xor | BinOp::Implies => return None,
        BinOp::Add | BinOp::Sub | BinOp::Mul | BinOp::Div | BinOp::Mod => return None,
        BinOp::BitAnd | BinOp::BitOr | BinOp::Lsh | BinOp::Rsh => return None,
    }))
}

fn integer(op: BinOp, a: &BigInt, b: &BigInt) -> Option<Value> {
    Some(Value::Int(match op {
        BinOp::Add => a + b,
        BinOp::Sub => a - b,
        BinOp::Mul => a * b,
        BinOp::Div => euclid(a, b)?.0,
        BinOp::Mod => euclid(a, b)?.1,
        BinOp::Lt | BinOp::Le | BinOp::Gt | BinOp::Ge => return compare(op, a.cmp(b)),
        BinOp::And | BinOp::Or | BinOp::Xor | BinOp::Implies => return None,
        BinOp::Eq | BinOp::Neq => return None,
        BinOp::BitAnd | BinOp::BitOr | BinOp::Lsh | BinOp::Rsh => return None,
    }))
}

fn real(op: BinOp, a: &BigRational, b: &BigRational) -> Option<Value> {
    let whole = a.is_integer() && b.is_integer();
    Some(Value::Real(match op {
        // There is nothing to reduce, which takes long for large numbers.
        BinOp::Mul if whole => BigRational::from_integer(a.numer() * b.numer()),
        BinOp::Add => a + b,
        BinOp::Sub => a - b,
        BinOp::Mul => a * b,
        BinOp::Div if b.is_zero() => return None,
        BinOp::Div => a / b,
        BinOp::Lt | BinOp::Le | BinOp::Gt | BinOp::Ge => return compare(op, a.cmp(b)),
        BinOp::And | BinOp::Or | BinOp::Xor | BinOp::Implies => return None,
        BinOp::Eq | BinOp::Neq | BinOp::Mod => return None,
        BinOp::BitAnd | BinOp::BitOr | BinOp::Lsh | BinOp::Rsh => return None,
    }))
}

fn machine_op(op: BinOp, machine: Machine, a: i128, b: i128) -> Option<Value> {
    let width = i128::from(machine.width);
    // The amount of a shift is unsigned; shifting by the width or more shifts
    // everything out.
    let amount = if b < 0 || b >= width { width } else { b };
    let result = match op {
        BinOp::Add => a + b,
        BinOp::Sub => a - b,
        BinOp::Mul => {
            return Some(Value::Machine(
                machine,
                wrap(machine, &(BigInt::from(a) * b)),
            ));
        }
        BinOp::Div if b == 0 && machine.signed => {
            if a >= 0 {
                -1
            } else {
                1
            }
        }
        BinOp::Div if b == 0 => -1,
        BinOp::Div => a / b,
        BinOp::Mod if b == 0 => a,
        BinOp::Mod => a % b,
        BinOp::BitAnd => a & b,
        BinOp::BitOr => a | b,
        BinOp::Lsh if amount == width => 0,
        BinOp::Lsh => wrap_small(machine, a) << amount,
        BinOp::Rsh => a >> amount,
        BinOp::Lt | BinOp::Le | BinOp::Gt | BinOp::Ge => return compare(op, a.cmp(&b)),
        BinOp::And | BinOp::Or | BinOp::Xor | BinOp::Implies => return None,
        BinOp::Eq | BinOp::Neq => return None,
    };
    Some(Value::Machine(machine, wrap_small(machine, result)))
}

/// Converts between numbers: `int` of a real rounds down, machine integers
/// wrap.
pub fn convert(value: &Value, to: &Type) -> Option<Value> {
    let integer = match value {
        Value::Int(value) => value.clone(),
        Value::Machine(_, value) => BigInt::from(*value),
        Value::Real(value) => match to {
            Type::Real => return Some(Value::Real(value.clone())),
            _ => value.floor().to_integer(),
        },
        _ => return None,
    };
    Some(match to {
        Type::Int | Type::Range(_) => Value::Int(integer),
        Type::Real => Value::Real(BigRational::from_integer(integer)),
        Type::Machine(machine) => Value::Machine(*machine, wrap(*machine, &integer)),
        _ => return None,
    })
}

/// One element of an array; `None` outside of its bounds.
pub fn element<'v>(array: &'v [Value], index: &BigInt) -> Option<&'v Value> {
    array.get(index.to_usize()?)
}

/// A copy of the values with the one at `position` replaced.
pub fn replaced(values: &Arc<[Value]>, position: usize, value: Value) -> Arc<[Value]> {
    let mut values: Vec<Value> = values.to_vec();
    values[position] = value;
    values.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    const U8: Machine = Machine {
        signed: false,
        width: 8,
    };
    const I8: Machine = Machine {
        signed: true,
        width: 8,
    };

    fn machine(op: BinOp, machine: Machine, a: i128, b: i128) -> i128 {
        match machine_op(op, machine, a, b) {
            Some(Value::Machine(_, value)) => value,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn euclidean_division_has_a_non_negative_remainder() {
        for a in -9i64..=9 {
            for b in [-4i64, -3, -1, 1, 2, 5] {
                let (q, r) = euclid(&a.into(), &b.into()).expect("not by zero");
                assert_eq!((q, r), (a.div_euclid(b).into(), a.rem_euclid(b).into()));
            }
        }
        assert_eq!(euclid(&7.into(), &0.into()), None);
    }

    #[test]
    fn machine_division_truncates_and_is_total() {
        assert_eq!(machine(BinOp::Div, I8, -7, 2), -3);
        assert_eq!(machine(BinOp::Mod, I8, -7, 2), -1);
        assert_eq!(machine(BinOp::Div, I8, -128, -1), -128);
        assert_eq!(machine(BinOp::Div, U8, 7, 0), 255);
        assert_eq!(machine(BinOp::Mod, U8, 7, 0), 7);
        assert_eq!(machine(BinOp::Div, I8, 7, 0), -1);
        assert_eq!(machine(BinOp::Div, I8, -7, 0), 1);
    }

    #[test]
    fn shifts_fill_with_zeros_or_the_sign() {
        assert_eq!(machine(BinOp::Rsh, U8, 255, 12), 0);
        assert_eq!(machine(BinOp::Rsh, I8, -128, 1), -64);
        assert_eq!(machine(BinOp::Rsh, I8, -1, 200), -1);
        assert_eq!(machine(BinOp::Lsh, I8, -1, 1), -2);
        assert_eq!(machine(BinOp::Lsh, U8, 255, 9), 0);
    }

    #[test]
    fn conversions_wrap_and_round_down() {
        assert_eq!(wrap(I8, &300.into()), 44);
        assert_eq!(wrap(U8, &256.into()), 0);
        let half = Value::Real(BigRational::new((-3).into(), 2.into()));
        assert_eq!(convert(&half, &Type::Int), Some(Value::int(-2)));
    }
}
