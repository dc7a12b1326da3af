//! The mutators: small changes that mimic mistakes of those who write models.
//!
//! *Specification Quality Metrics Based on Mutation and Inductive Incremental Model
//! Checking*, Table 2 and Figure 5.

use lang::{BinOp, Expr, ExprKind, Program, Type, UnOp, Value};
use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::One;

macro_rules! mutators {
    ($($(#[$doc:meta])* $mutator:ident $name:literal $group:ident),* $(,)?) => {
        #[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
        pub enum Mutator {
            $($(#[$doc])* $mutator),*
        }

        impl Mutator {
            pub const ALL: &'static [Mutator] = &[$(Mutator::$mutator),*];

            pub fn name(self) -> &'static str {
                match self {
                    $(Mutator::$mutator => $name),*
                }
            }

            pub fn group(self) -> Group {
                match self {
                    $(Mutator::$mutator => Group::$group),*
                }
            }
        }
    };
}

mutators! {
    OrToXor "or2xor" Boolean,
    XorToImplies "xor2implies" Boolean,
    ImpliesToAnd "implies2and" Boolean,
    AndToOr "and2or" Boolean,
    OrToLeft "or2left" Boolean,
    OrToRight "or2right" Boolean,
    AndToLeft "and2left" Boolean,
    AndToRight "and2right" Boolean,
    RemoveNot "rm_not" Boolean,
    EqToNeq "eq2neq" Relational,
    NeqToEq "neq2eq" Relational,
    GtToGe "g2ge" Relational,
    GeToGt "ge2g" Relational,
    LtToLe "l2le" Relational,
    LeToLt "le2l" Relational,
    GtToLt "g2l" Relational,
    LtToGt "l2g" Relational,
    GeToLe "ge2le" Relational,
    LeToGe "le2ge" Relational,
    PlusToMinus "plus2minus" Arithmetic,
    MinusToPlus "minus2plus" Arithmetic,
    RemoveMinus "rm_minus" Arithmetic,
    /// The condition is true.
    IfThen "ifthen" Branching,
    /// The condition is false.
    IfElse "ifelse" Branching,
    /// The branches change places.
    IfElseThen "ifelsethen" Branching,
    Constant "constant" Constant,
    /// The stream may have any value that its type allows.
    Remove "eq_remove" Equation,
    /// The stream is a constant.
    Equal "equal" Equation,
    /// The stream is a constant at the first step.
    Init "init" Equation,
}

/// Mutators of a kind.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Group {
    Boolean,
    Relational,
    Arithmetic,
    Branching,
    Constant,
    Equation,
}

impl Group {
    pub fn name(self) -> &'static str {
        match self {
            Group::Boolean => "boolean",
            Group::Relational => "relational",
            Group::Arithmetic => "arithmetic",
            Group::Branching => "branching",
            Group::Constant => "constant",
            Group::Equation => "equation",
        }
    }
}

impl Mutator {
    /// Those of this name, or of the group of this name; `None` if there are none.
    pub fn named(name: &str) -> Option<Vec<Mutator>> {
        let all = Mutator::ALL.iter().copied();
        let named = all.filter(|m| name == "all" || m.name() == name || m.group().name() == name);
        let named: Vec<Mutator> = named.collect();
        (!named.is_empty()).then_some(named)
    }
}

/// The mutations of an operator with two operands.
pub(super) fn binary(op: BinOp, left: &Expr, right: &Expr) -> Vec<(Mutator, ExprKind)> {
    use Mutator::*;
    let with = |op| ExprKind::Binary(op, left.clone().into(), right.clone().into());
    let (left, right) = (left.kind.clone(), right.kind.clone());
    match op {
        BinOp::Or => vec![
            (OrToXor, with(BinOp::Xor)),
            (OrToLeft, left),
            (OrToRight, right),
        ],
        BinOp::And => vec![
            (AndToOr, with(BinOp::Or)),
            (AndToLeft, left),
            (AndToRight, right),
        ],
        BinOp::Xor => vec![(XorToImplies, with(BinOp::Implies))],
        BinOp::Implies => vec![(ImpliesToAnd, with(BinOp::And))],
        BinOp::Eq => vec![(EqToNeq, with(BinOp::Neq))],
        BinOp::Neq => vec![(NeqToEq, with(BinOp::Eq))],
        BinOp::Gt => vec![(GtToGe, with(BinOp::Ge)), (GtToLt, with(BinOp::Lt))],
        BinOp::Ge => vec![(GeToGt, with(BinOp::Gt)), (GeToLe, with(BinOp::Le))],
        BinOp::Lt => vec![(LtToLe, with(BinOp::Le)), (LtToGt, with(BinOp::Gt))],
        BinOp::Le => vec![(LeToLt, with(BinOp::Lt)), (LeToGe, with(BinOp::Ge))],
        BinOp::Add => vec![(PlusToMinus, with(BinOp::Sub))],
        BinOp::Sub => vec![(MinusToPlus, with(BinOp::Add))],
        BinOp::Mul | BinOp::Div | BinOp::Mod => Vec::new(),
        BinOp::BitAnd | BinOp::BitOr | BinOp::Lsh | BinOp::Rsh => Vec::new(),
    }
}

pub(super) fn unary(op: UnOp, operand: &Expr) -> Option<(Mutator, ExprKind)> {
    match op {
        UnOp::Not => Some((Mutator::RemoveNot, operand.kind.clone())),
        UnOp::Neg => Some((Mutator::RemoveMinus, operand.kind.clone())),
        UnOp::BitNot => None,
    }
}

pub(super) fn branching(condition: &Expr, yes: &Expr, no: &Expr) -> Vec<(Mutator, ExprKind)> {
    let swapped = ExprKind::If(
        condition.clone().into(),
        no.clone().into(),
        yes.clone().into(),
    );
    vec![
        (Mutator::IfThen, yes.kind.clone()),
        (Mutator::IfElse, no.kind.clone()),
        (Mutator::IfElseThen, swapped),
    ]
}

/// Another constant: -1 for 1, 1 for any other number, the other Boolean, the next
/// value of an enumeration. Unsigned numbers have 0 for -1.
pub(super) fn constant(program: &Program, value: &Value) -> Option<Value> {
    Some(match value {
        Value::Bool(value) => Value::Bool(!value),
        Value::Int(value) if value.is_one() => Value::Int((-1).into()),
        Value::Int(_) => Value::Int(BigInt::one()),
        Value::Real(value) if value.is_one() => Value::Real(-BigRational::one()),
        Value::Real(_) => Value::Real(BigRational::one()),
        Value::Machine(machine, 1) if machine.signed => Value::Machine(*machine, -1),
        Value::Machine(machine, 1) => Value::Machine(*machine, 0),
        Value::Machine(machine, _) => Value::Machine(*machine, 1),
        Value::Enum(id, at) => {
            let count = program.enumeration(*id).values.len() as u32;
            Value::Enum(*id, (at + 1) % count)
        }
        Value::Abstract(_) | Value::Fields(_) | Value::Array(_) => return None,
    })
    .filter(|other| other != value)
}

/// The constants that a stream of the type is set to: two for always, two for the
/// first step. Ranges have those nearest to the usual ones.
pub(super) fn constants(program: &Program, ty: &Type) -> Option<([Value; 2], [Value; 2])> {
    let (always, first) = ([5, -2], [5, -1]);
    let both = |value: &dyn Fn(i64) -> Value| (always.map(value), first.map(value));
    Some(match ty {
        Type::Bool => {
            let values = [Value::Bool(false), Value::Bool(true)];
            (values.clone(), values)
        }
        Type::Int => both(&|value| Value::Int(value.into())),
        Type::Real => both(&|value| Value::Real(BigRational::from_integer(value.into()))),
        Type::Range(range) => both(&|value| {
            let value = BigInt::from(value);
            let value = range.low.iter().fold(value, |v, low| v.max(low.clone()));
            Value::Int(range.high.iter().fold(value, |v, high| v.min(high.clone())))
        }),
        Type::Machine(machine) => both(&|value| {
            let value = if machine.signed { value } else { value.abs() };
            Value::Machine(*machine, value.into())
        }),
        Type::Enum(id) => {
            let last = program.enumeration(*id).values.len() as u32 - 1;
            let values = [Value::Enum(*id, last), Value::Enum(*id, 0)];
            (values.clone(), values)
        }
        Type::Record(_) | Type::Tuple(_) | Type::Array(_) | Type::Abstract(_) | Type::Unknown => {
            return None;
        }
    })
}

/// A constant as it is written in Lustre.
pub(crate) fn written(program: &Program, value: &Value) -> String {
    match value {
        Value::Enum(id, at) => program.enumeration(*id).values[*at as usize].to_string(),
        value => value.to_string(),
    }
}

/// The type of a constant, for people; empty for values that are not mutated.
pub(super) fn kind(program: &Program, value: &Value) -> String {
    match value {
        Value::Bool(_) => "bool".to_owned(),
        Value::Int(_) => "int".to_owned(),
        Value::Real(_) => "real".to_owned(),
        Value::Machine(machine, _) => machine.to_string(),
        Value::Enum(id, _) => program.enumeration(*id).name.to_string(),
        Value::Abstract(_) | Value::Fields(_) | Value::Array(_) => String::new(),
    }
}
