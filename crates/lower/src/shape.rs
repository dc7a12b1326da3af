//! Structured values as trees of scalar terms.

use std::sync::Arc;

use lang::{EnumId, Program, Type, Value};
use num_bigint::BigInt;
use num_traits::ToPrimitive;
use syntax::ast::Machine;
use system::{Sort, Term};

use crate::{Lower, Unsupported};

/// A value: scalar, record or tuple, or array of known size.
#[derive(Clone, Debug)]
pub enum Shape {
    Leaf(Term, Leaf),
    Fields(Arc<[Shape]>),
    Array(Arc<[Shape]>),
}

/// What a scalar term stands for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Leaf {
    Bool,
    Int,
    Real,
    Machine(Machine),
    Enum(EnumId),
    Abstract,
}

/// Larger arrays are not inlined.
const MAX_ELEMENTS: u64 = 4096;

impl Leaf {
    /// The scalar types; enumerations and abstract values are numbered.
    pub fn of(ty: &Type) -> Option<Leaf> {
        Some(match ty {
            Type::Bool => Leaf::Bool,
            Type::Int | Type::Range(_) => Leaf::Int,
            Type::Real => Leaf::Real,
            Type::Machine(machine) => Leaf::Machine(*machine),
            Type::Enum(id) => Leaf::Enum(*id),
            Type::Abstract(_) => Leaf::Abstract,
            _ => return None,
        })
    }

    pub fn sort(self) -> Sort {
        match self {
            Leaf::Bool => Sort::Bool,
            Leaf::Int | Leaf::Enum(_) | Leaf::Abstract => Sort::Int,
            Leaf::Real => Sort::Real,
            Leaf::Machine(machine) => Sort::BitVec(machine.width.into()),
        }
    }
}

impl Shape {
    pub fn leaf(&self) -> Lower<&Term> {
        match self {
            Shape::Leaf(term, _) => Ok(term),
            _ => Err(Unsupported(
                "a structured value where one value is needed".into(),
            )),
        }
    }

    /// A shape of the type, each leaf made by `leaf`.
    pub fn build(
        program: &Program,
        ty: &Type,
        name: &str,
        leaf: &mut impl FnMut(&str, &Type, Leaf) -> Term,
    ) -> Lower<Shape> {
        if let Some(kind) = Leaf::of(ty) {
            return Ok(Shape::Leaf(leaf(name, ty, kind), kind));
        }
        match ty {
            Type::Tuple(parts) => {
                let parts = parts.iter().enumerate();
                let parts: Lower<Vec<Shape>> = parts
                    .map(|(at, ty)| Shape::build(program, ty, &format!("{name}.%{at}"), leaf))
                    .collect();
                Ok(Shape::Fields(parts?.into()))
            }
            Type::Record(id) => {
                let fields = program.record(*id).fields.iter();
                let fields: Lower<Vec<Shape>> = fields
                    .map(|(field, ty)| Shape::build(program, ty, &format!("{name}.{field}"), leaf))
                    .collect();
                Ok(Shape::Fields(fields?.into()))
            }
            Type::Array(array) => {
                let elements: Lower<Vec<Shape>> = (0..size(&array.size)?)
                    .map(|at| Shape::build(program, &array.element, &format!("{name}[{at}]"), leaf))
                    .collect();
                Ok(Shape::Array(elements?.into()))
            }
            _ => Err(Unsupported("a value without a type".into())),
        }
    }

    /// Joins two shapes leaf by leaf.
    pub fn zip(&self, other: &Shape, join: &mut impl FnMut(&Term, &Term) -> Term) -> Lower<Shape> {
        let mut all = |a: &[Shape], b: &[Shape]| -> Lower<Arc<[Shape]>> {
            if a.len() != b.len() {
                return Err(Unsupported("values of different sizes".into()));
            }
            let joined: Lower<Vec<Shape>> = a.iter().zip(b).map(|(a, b)| a.zip(b, join)).collect();
            Ok(joined?.into())
        };
        match (self, other) {
            (Shape::Leaf(a, kind), Shape::Leaf(b, _)) => Ok(Shape::Leaf(join(a, b), *kind)),
            (Shape::Fields(a), Shape::Fields(b)) => Ok(Shape::Fields(all(a, b)?)),
            (Shape::Array(a), Shape::Array(b)) => Ok(Shape::Array(all(a, b)?)),
            _ => Err(Unsupported("values of different kinds".into())),
        }
    }

    pub fn for_each_leaf<'s>(&'s self, each: &mut impl FnMut(&'s Term, Leaf)) {
        match self {
            Shape::Leaf(term, kind) => each(term, *kind),
            Shape::Fields(parts) | Shape::Array(parts) => {
                parts.iter().for_each(|part| part.for_each_leaf(each))
            }
        }
    }

    /// The shape of a value.
    pub fn constant(value: &Value) -> Shape {
        let all = |values: &[Value]| values.iter().map(Shape::constant).collect();
        match value {
            Value::Bool(value) => Shape::Leaf(system::boolean(*value), Leaf::Bool),
            Value::Int(value) => Shape::Leaf(system::integer(value.clone()), Leaf::Int),
            Value::Real(value) => Shape::Leaf(system::real(value.clone()), Leaf::Real),
            Value::Machine(machine, value) => {
                let term = system::bitvec(machine.width.into(), &BigInt::from(*value));
                Shape::Leaf(term, Leaf::Machine(*machine))
            }
            Value::Enum(id, at) => Shape::Leaf(system::integer(*at), Leaf::Enum(*id)),
            Value::Abstract(value) => Shape::Leaf(system::integer(value.clone()), Leaf::Abstract),
            Value::Fields(values) => Shape::Fields(all(values)),
            Value::Array(values) => Shape::Array(all(values)),
        }
    }

    /// The value, given those of its leaves.
    pub fn value(&self, leaf: &mut impl FnMut(&Term, Leaf) -> Option<Value>) -> Option<Value> {
        let mut all = |parts: &[Shape]| -> Option<Arc<[Value]>> {
            parts.iter().map(|part| part.value(leaf)).collect()
        };
        match self {
            Shape::Fields(parts) => Some(Value::Fields(all(parts)?)),
            Shape::Array(parts) => Some(Value::Array(all(parts)?)),
            Shape::Leaf(term, kind) => leaf(term, *kind),
        }
    }
}

/// A size that is known and not too large.
pub fn size(size: &lang::Size) -> Lower<usize> {
    match size.value() {
        Some(value) => match value.to_u64().filter(|n| *n <= MAX_ELEMENTS) {
            Some(n) => Ok(n as usize),
            None => Err(Unsupported(format!(
                "an array of {value} elements is too large"
            ))),
        },
        None => Err(Unsupported(
            "arrays whose size is not known are not supported yet".into(),
        )),
    }
}
