//! Values as texts of SMT-LIB, and what operators make of them.

use lang::{BinOp, Program, Type, UnOp, Value};
use smt::smtlib::symbol;

use super::{Simple, not_covered};

/// A scalar, or the fields of a record or tuple, or the elements of an array.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Val {
    Scalar(String),
    Fields(Vec<Val>),
}

impl Val {
    pub fn scalar(&self) -> Simple<&str> {
        match self {
            Val::Scalar(text) => Ok(text),
            Val::Fields(_) => not_covered("a structured value where one value is needed"),
        }
    }

    /// All scalars, in order.
    pub fn scalars(&self) -> Vec<&str> {
        match self {
            Val::Scalar(text) => vec![text],
            Val::Fields(all) => all.iter().flat_map(Val::scalars).collect(),
        }
    }

    /// Joins two values of one type, scalar by scalar.
    pub fn zip(&self, other: &Val, join: &impl Fn(&str, &str) -> String) -> Simple<Val> {
        match (self, other) {
            (Val::Scalar(a), Val::Scalar(b)) => Ok(Val::Scalar(join(a, b))),
            (Val::Fields(a), Val::Fields(b)) if a.len() == b.len() => {
                let all: Simple<Vec<Val>> = a.iter().zip(b).map(|(a, b)| a.zip(b, join)).collect();
                all.map(Val::Fields)
            }
            _ => not_covered("values of different shapes"),
        }
    }

    /// `if condition then self else other`.
    pub fn or_else(&self, condition: &str, other: &Val) -> Simple<Val> {
        self.zip(other, &|a, b| format!("(ite {condition} {a} {b})"))
    }

    pub fn equals(&self, other: &Val) -> Simple<String> {
        let all = self.zip(other, &|a, b| format!("(= {a} {b})"))?;
        Ok(conjunction(&all.scalars()))
    }
}

pub fn conjunction<T: AsRef<str>>(all: &[T]) -> String {
    match all {
        [] => "true".to_owned(),
        [one] => one.as_ref().to_owned(),
        _ => {
            let all: Vec<&str> = all.iter().map(AsRef::as_ref).collect();
            format!("(and {})", all.join(" "))
        }
    }
}

/// The sort of a scalar type.
pub fn sort(ty: &Type) -> Simple<String> {
    Ok(match ty {
        Type::Bool => "Bool".into(),
        Type::Int | Type::Range(_) | Type::Enum(_) | Type::Abstract(_) => "Int".into(),
        Type::Real => "Real".into(),
        Type::Machine(machine) => format!("(_ BitVec {})", machine.width),
        _ => return not_covered("a type without values"),
    })
}

/// Larger arrays are not taken apart.
const MAX_SIZE: u64 = 64;

/// The number of elements of an array.
pub fn size(ty: &Type) -> Simple<usize> {
    match ty {
        Type::Array(array) => size_of(&array.size),
        _ => not_covered("an array of another type"),
    }
}

/// A size that is known, and not too large.
pub fn size_of(size: &lang::Size) -> Simple<usize> {
    match size.known() {
        Some(size) if size <= MAX_SIZE => Ok(size as usize),
        Some(_) => not_covered(format!("an array of more than {MAX_SIZE} elements")),
        None => not_covered("an array of open size"),
    }
}

/// The parts of a structured type, with their names.
pub fn parts(program: &Program, ty: &Type) -> Simple<Option<Vec<(String, Type)>>> {
    Ok(match ty {
        Type::Record(id) => {
            let fields = program.record(*id).fields.iter();
            let fields = fields.map(|(name, ty)| (format!(".{name}"), ty.clone()));
            Some(fields.collect())
        }
        Type::Tuple(parts) => {
            let parts = parts.iter().enumerate();
            let parts = parts.map(|(at, ty)| (format!(".%{at}"), ty.clone()));
            Some(parts.collect())
        }
        Type::Array(array) => {
            let elements = 0..size(ty)?;
            let elements = elements.map(|at| (format!("[{at}]"), array.element.clone()));
            Some(elements.collect())
        }
        _ => None,
    })
}

/// New names for the scalars of a type, each told with its type.
pub fn named(
    program: &Program,
    ty: &Type,
    name: &str,
    each: &mut impl FnMut(&str, &Type),
) -> Simple<Val> {
    if let Some(parts) = parts(program, ty)? {
        let all = parts.iter();
        let all = all.map(|(part, ty)| named(program, ty, &format!("{name}{part}"), each));
        return all.collect::<Simple<Vec<Val>>>().map(Val::Fields);
    }
    sort(ty)?;
    let name = symbol(&format!("{name}@now"));
    each(&name, ty);
    Ok(Val::Scalar(name))
}

/// That a scalar is one of its type, if the sort does not say so.
pub fn in_type(program: &Program, ty: &Type, text: &str) -> Option<String> {
    match ty {
        Type::Range(range) => {
            let low = range
                .low
                .iter()
                .map(|low| format!("(<= {} {text})", integer(low)));
            let high = range
                .high
                .iter()
                .map(|high| format!("(<= {text} {})", integer(high)));
            Some(conjunction(&low.chain(high).collect::<Vec<_>>()))
        }
        Type::Enum(id) => {
            let last = program.enumeration(*id).values.len() - 1;
            Some(format!("(and (<= 0 {text}) (<= {text} {last}))"))
        }
        _ => None,
    }
}

fn integer(value: &num_bigint::BigInt) -> String {
    match value.sign() {
        num_bigint::Sign::Minus => format!("(- {})", value.magnitude()),
        _ => value.to_string(),
    }
}

pub fn literal(value: &Value) -> Simple<Val> {
    let text = match value {
        Value::Bool(value) => value.to_string(),
        Value::Int(value) | Value::Abstract(value) => integer(value),
        Value::Real(value) => {
            let (n, d) = (value.numer(), value.denom());
            match n.sign() {
                num_bigint::Sign::Minus => format!("(/ (- {}.0) {d}.0)", n.magnitude()),
                _ => format!("(/ {n}.0 {d}.0)"),
            }
        }
        Value::Machine(machine, value) => {
            let modulus = num_bigint::BigInt::from(1) << machine.width;
            let bits: num_bigint::BigInt = (num_bigint::BigInt::from(*value) + &modulus) % modulus;
            format!("(_ bv{bits} {})", machine.width)
        }
        Value::Enum(_, at) => at.to_string(),
        Value::Fields(all) | Value::Array(all) => {
            let all: Simple<Vec<Val>> = all.iter().map(literal).collect();
            return all.map(Val::Fields);
        }
    };
    Ok(Val::Scalar(text))
}

pub fn unary(op: UnOp, ty: &Type, a: &str) -> String {
    let word = match (op, ty) {
        (UnOp::Not, _) => "not",
        (UnOp::Neg, Type::Machine(_)) => "bvneg",
        (UnOp::Neg, _) => "-",
        (UnOp::BitNot, _) => "bvnot",
    };
    format!("({word} {a})")
}

/// An operator on two scalars of a type.
pub fn binary(op: BinOp, ty: &Type, a: &str, b: &str) -> Simple<String> {
    if let Type::Machine(machine) = ty {
        return machine_op(op, machine.signed, a, b);
    }
    Ok(match op {
        BinOp::And => format!("(and {a} {b})"),
        BinOp::Or => format!("(or {a} {b})"),
        BinOp::Xor => format!("(xor {a} {b})"),
        BinOp::Implies => format!("(=> {a} {b})"),
        BinOp::Lt => format!("(< {a} {b})"),
        BinOp::Le => format!("(<= {a} {b})"),
        BinOp::Gt => format!("(> {a} {b})"),
        BinOp::Ge => format!("(>= {a} {b})"),
        BinOp::Add => format!("(+ {a} {b})"),
        BinOp::Sub => format!("(- {a} {b})"),
        BinOp::Mul => format!("(* {a} {b})"),
        BinOp::Eq | BinOp::Neq => return not_covered("an equality of scalars only"),
        BinOp::Div | BinOp::Mod => return not_covered("a division of numbers of another type"),
        BinOp::BitAnd | BinOp::BitOr | BinOp::Lsh | BinOp::Rsh => {
            return not_covered("an operator on numbers of another type");
        }
    })
}

fn machine_op(op: BinOp, signed: bool, a: &str, b: &str) -> Simple<String> {
    let word = match (op, signed) {
        (BinOp::Lt, true) => "bvslt",
        (BinOp::Lt, false) => "bvult",
        (BinOp::Le, true) => "bvsle",
        (BinOp::Le, false) => "bvule",
        (BinOp::Gt, true) => "bvsgt",
        (BinOp::Gt, false) => "bvugt",
        (BinOp::Ge, true) => "bvsge",
        (BinOp::Ge, false) => "bvuge",
        (BinOp::Add, _) => "bvadd",
        (BinOp::Sub, _) => "bvsub",
        (BinOp::Mul, _) => "bvmul",
        (BinOp::Div, true) => "bvsdiv",
        (BinOp::Div, false) => "bvudiv",
        (BinOp::Mod, true) => "bvsrem",
        (BinOp::Mod, false) => "bvurem",
        (BinOp::BitAnd, _) => "bvand",
        (BinOp::BitOr, _) => "bvor",
        (BinOp::Lsh, _) => "bvshl",
        (BinOp::Rsh, true) => "bvashr",
        (BinOp::Rsh, false) => "bvlshr",
        (BinOp::And | BinOp::Or | BinOp::Xor | BinOp::Implies, _) => {
            return not_covered("a Boolean operator on machine integers");
        }
        (BinOp::Eq | BinOp::Neq, _) => return not_covered("an equality of scalars only"),
    };
    Ok(format!("({word} {a} {b})"))
}

pub fn convert(from: &Type, to: &Type, a: &str) -> Simple<String> {
    let is_integer = |ty: &Type| matches!(ty, Type::Int | Type::Range(_));
    Ok(match (from, to) {
        (Type::Real, Type::Real) => a.to_owned(),
        (from, to) if is_integer(from) && is_integer(to) => a.to_owned(),
        (from, Type::Real) if is_integer(from) => format!("(to_real {a})"),
        (Type::Real, to) if is_integer(to) => format!("(to_int {a})"),
        (Type::Machine(from), to) if is_integer(to) => match from.signed {
            false => format!("(bv2nat {a})"),
            true => {
                let (zero, all) = (format!("(_ bv0 {})", from.width), 1u128 << from.width);
                format!(
                    "(let ((m! {a})) (ite (bvslt m! {zero}) (- (bv2nat m!) {all}) (bv2nat m!)))"
                )
            }
        },
        (from, Type::Machine(to)) if is_integer(from) => {
            format!("((_ int2bv {}) {a})", to.width)
        }
        (Type::Machine(from), Type::Machine(to)) => {
            let more = i32::from(to.width) - i32::from(from.width);
            match (more, from.signed) {
                (0, _) => a.to_owned(),
                (1.., true) => format!("((_ sign_extend {more}) {a})"),
                (1.., false) => format!("((_ zero_extend {more}) {a})"),
                _ => format!("((_ extract {} 0) {a})", to.width - 1),
            }
        }
        _ => return not_covered("a conversion between these types"),
    })
}
