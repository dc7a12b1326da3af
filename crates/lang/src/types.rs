//! Types of streams.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use num_bigint::BigInt;
use num_traits::{Signed, ToPrimitive, Zero};
use syntax::Symbol;
use syntax::ast::Machine;

use crate::program::{ConstId, Program, VarId};
use crate::value::Value;

#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct EnumId(pub u32);

#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct RecordId(pub u32);

#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct AbstractId(pub u32);

/// The type of a stream or an expression.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Type {
    Bool,
    Int,
    Real,
    Range(Arc<Range>),
    Machine(Machine),
    Enum(EnumId),
    Record(RecordId),
    Tuple(Arc<[Type]>),
    Array(Arc<ArrayType>),
    Abstract(AbstractId),
    /// What an expression in error has; it fits everything, so that one
    /// mistake gives one message.
    Unknown,
}

/// `subrange [low, high] of int`; at least one end is closed.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Range {
    pub low: Option<BigInt>,
    pub high: Option<BigInt>,
}

impl Range {
    pub fn contains(&self, value: &BigInt) -> bool {
        self.low.as_ref().is_none_or(|low| low <= value)
            && self.high.as_ref().is_none_or(|high| value <= high)
    }

    /// The value of the range that is nearest to zero.
    pub fn nearest_to_zero(&self) -> BigInt {
        match (&self.low, &self.high) {
            (Some(low), _) if low.is_positive() => low.clone(),
            (_, Some(high)) if high.is_negative() => high.clone(),
            _ => BigInt::zero(),
        }
    }
}

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct ArrayType {
    pub element: Type,
    pub size: Size,
}

/// What a size may depend on: constants of the program, constant inputs of the
/// node.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum SizeAtom {
    Const(ConstId),
    Var(VarId),
}

/// Products of sizes with a larger weight ([`Size::weight`]) are not computed.
const MAX_WEIGHT: usize = 100_000;

/// The size of an array: a polynomial over constants, in normal form, so that
/// two sizes are the same exactly when they are equal.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct Size {
    /// Each product of atoms (sorted) with its non-zero factor.
    terms: BTreeMap<Vec<SizeAtom>, BigInt>,
}

impl Size {
    pub fn constant(value: impl Into<BigInt>) -> Size {
        Size::default().plus(Vec::new(), value.into())
    }

    pub fn atom(atom: SizeAtom) -> Size {
        Size::default().plus(vec![atom], 1.into())
    }

    fn plus(mut self, product: Vec<SizeAtom>, factor: BigInt) -> Size {
        let sum = self.terms.remove(&product).unwrap_or_default() + factor;
        if !sum.is_zero() {
            self.terms.insert(product, sum);
        }
        self
    }

    /// Is it known only at a call?
    pub fn depends_on_input(&self) -> bool {
        let mut atoms = self.terms.keys().flatten();
        atoms.any(|atom| matches!(atom, SizeAtom::Var(_)))
    }

    pub fn add(&self, other: &Size) -> Size {
        let mut sum = self.clone();
        for (product, factor) in &other.terms {
            sum = sum.plus(product.clone(), factor.clone());
        }
        sum
    }

    pub fn negated(&self) -> Size {
        let negated = |(product, factor): (&Vec<SizeAtom>, &BigInt)| (product.clone(), -factor);
        Size {
            terms: self.terms.iter().map(negated).collect(),
        }
    }

    /// `None` if the product would be too large.
    pub fn times(&self, other: &Size) -> Option<Size> {
        if self.weight().saturating_mul(other.weight()) > MAX_WEIGHT {
            return None;
        }
        let mut result = Size::default();
        for (left, factor) in &self.terms {
            for (right, other_factor) in &other.terms {
                let mut product = [left.as_slice(), right].concat();
                product.sort();
                result = result.plus(product, factor * other_factor);
            }
        }
        Some(result)
    }

    /// How much there is to multiply: atoms, and digits of factors.
    fn weight(&self) -> usize {
        let weight = |(product, factor): (&Vec<SizeAtom>, &BigInt)| {
            1 + product.len() + (factor.bits() / 64) as usize
        };
        self.terms.iter().map(weight).sum()
    }

    /// The value, when it depends on nothing.
    pub fn value(&self) -> Option<BigInt> {
        match self.terms.len() {
            0 => Some(BigInt::zero()),
            1 => self.terms.get(&Vec::new()).cloned(),
            _ => None,
        }
    }

    /// The number of elements, when it is known.
    pub fn known(&self) -> Option<u64> {
        self.value()?.to_u64()
    }

    pub fn terms(&self) -> impl Iterator<Item = (&[SizeAtom], &BigInt)> {
        self.terms
            .iter()
            .map(|(product, factor)| (product.as_slice(), factor))
    }

    /// Replaces every atom by a size.
    pub fn substitute(&self, with: &impl Fn(SizeAtom) -> Option<Size>) -> Option<Size> {
        let mut result = Size::default();
        for (product, factor) in &self.terms {
            let mut term = Size::constant(factor.clone());
            for atom in product {
                term = term.times(&with(*atom)?)?;
            }
            result = result.add(&term);
        }
        Some(result)
    }
}

impl Type {
    pub fn array(element: Type, size: Size) -> Type {
        Type::Array(Arc::new(ArrayType { element, size }))
    }

    pub fn is_int(&self) -> bool {
        matches!(self, Type::Int | Type::Range(_))
    }

    pub fn is_bool(&self) -> bool {
        matches!(self, Type::Bool)
    }

    pub fn is_machine(&self) -> bool {
        matches!(self, Type::Machine(_))
    }

    pub fn is_number(&self) -> bool {
        matches!(self, Type::Real | Type::Machine(_)) || self.is_int()
    }

    pub fn is_unknown(&self) -> bool {
        matches!(self, Type::Unknown)
    }

    /// Is the type, or a part of it, unknown?
    pub fn has_unknown(&self) -> bool {
        match self {
            Type::Unknown => true,
            Type::Tuple(parts) => parts.iter().any(Type::has_unknown),
            Type::Array(array) => array.element.has_unknown(),
            _ => false,
        }
    }

    /// The type with every subrange widened to `int`: what typing compares.
    pub fn widened(&self) -> Type {
        match self {
            Type::Range(_) => Type::Int,
            Type::Tuple(parts) => Type::Tuple(parts.iter().map(Type::widened).collect()),
            Type::Array(array) => Type::array(array.element.widened(), array.size.clone()),
            other => other.clone(),
        }
    }

    /// May a value of one type stand where the other is wanted? Ranges are
    /// checked as properties, not as types.
    pub fn fits(&self, other: &Type) -> bool {
        match (self, other) {
            (Type::Unknown, _) | (_, Type::Unknown) => true,
            (a, b) if a.is_int() && b.is_int() => true,
            (Type::Tuple(a), Type::Tuple(b)) => {
                a.len() == b.len() && a.iter().zip(b.iter()).all(|(a, b)| a.fits(b))
            }
            (Type::Array(a), Type::Array(b)) => a.size == b.size && a.element.fits(&b.element),
            (a, b) => a == b,
        }
    }

    /// Replaces the atoms of all sizes in the type.
    pub fn substitute(&self, with: &impl Fn(SizeAtom) -> Option<Size>) -> Type {
        match self {
            Type::Tuple(parts) => Type::Tuple(parts.iter().map(|t| t.substitute(with)).collect()),
            Type::Array(array) => match array.size.substitute(with) {
                Some(size) => Type::array(array.element.substitute(with), size),
                None => Type::Unknown,
            },
            other => other.clone(),
        }
    }

    /// How many types it is built from, itself included.
    pub fn parts(&self, records: &[RecordDecl]) -> usize {
        let inner: usize = match self {
            Type::Tuple(parts) => parts.iter().map(|part| part.parts(records)).sum(),
            Type::Record(id) => {
                let fields = records[id.0 as usize].fields.iter();
                fields.map(|(_, ty)| ty.parts(records)).sum()
            }
            Type::Array(array) => array.element.parts(records),
            _ => 0,
        };
        1 + inner
    }

    /// Does the type hold an array anywhere?
    pub fn has_array(&self, records: &[RecordDecl]) -> bool {
        match self {
            Type::Array(_) => true,
            Type::Tuple(parts) => parts.iter().any(|part| part.has_array(records)),
            Type::Record(id) => {
                let fields = &records[id.0 as usize].fields;
                fields.iter().any(|(_, ty)| ty.has_array(records))
            }
            _ => false,
        }
    }
}

#[derive(Clone, PartialEq, Debug)]
pub struct EnumDecl {
    pub name: Symbol,
    pub values: Vec<Symbol>,
}

#[derive(Clone, PartialEq, Debug)]
pub struct RecordDecl {
    pub name: Symbol,
    pub fields: Vec<(Symbol, Type)>,
}

impl Program {
    /// How the type is written.
    pub fn type_name(&self, ty: &Type) -> String {
        match ty {
            Type::Bool => "bool".to_owned(),
            Type::Int => "int".to_owned(),
            Type::Real => "real".to_owned(),
            Type::Range(range) => range.to_string(),
            Type::Machine(machine) => machine.to_string(),
            Type::Enum(id) => self.enumeration(*id).name.to_string(),
            Type::Record(id) => self.record(*id).name.to_string(),
            Type::Abstract(id) => self.abstract_types[id.0 as usize].to_string(),
            Type::Tuple(parts) => {
                let parts: Vec<String> = parts.iter().map(|part| self.type_name(part)).collect();
                format!("[{}]", parts.join(", "))
            }
            Type::Array(array) => {
                let size = match array.size.value() {
                    Some(size) => size.to_string(),
                    None => self.size_name(&array.size),
                };
                format!("{}^{size}", self.type_name(&array.element))
            }
            Type::Unknown => "?".to_owned(),
        }
    }

    fn size_name(&self, size: &Size) -> String {
        let mut text = String::new();
        for (product, factor) in size.terms() {
            let mut parts: Vec<String> = product
                .iter()
                .map(|atom| match atom {
                    SizeAtom::Const(id) => self.constant(*id).name.to_string(),
                    SizeAtom::Var(_) => "n".to_owned(),
                })
                .collect();
            if *factor != 1.into() || parts.is_empty() {
                parts.insert(0, factor.to_string());
            }
            if !text.is_empty() {
                text.push_str(" + ");
            }
            text.push_str(&parts.join(" * "));
        }
        format!("({text})")
    }

    /// How many scalars a value of the type holds, if its sizes are known.
    pub fn scalars(&self, ty: &Type) -> Option<u64> {
        let sum = |sum: u64, ty: &Type| Some(sum.saturating_add(self.scalars(ty)?));
        match ty {
            Type::Tuple(parts) => parts.iter().try_fold(0, sum),
            Type::Record(id) => {
                let mut fields = self.record(*id).fields.iter();
                fields.try_fold(0, |count, (_, ty)| sum(count, ty))
            }
            Type::Array(array) => {
                let element = self.scalars(&array.element)?;
                Some(element.saturating_mul(array.size.known()?))
            }
            _ => Some(1),
        }
    }

    /// The value that a stream of the type has when nothing else is said:
    /// `false`, zero, the first value of an enumeration, the value of a
    /// subrange that is nearest to zero.
    pub fn default_value(&self, ty: &Type, size: &impl Fn(&Size) -> usize) -> Value {
        match ty {
            Type::Bool | Type::Unknown => Value::Bool(false),
            Type::Int => Value::int(0),
            Type::Range(range) => Value::Int(range.nearest_to_zero()),
            Type::Real => Value::Real(Default::default()),
            Type::Machine(machine) => Value::Machine(*machine, 0),
            Type::Enum(id) => Value::Enum(*id, 0),
            Type::Abstract(_) => Value::Abstract(0.into()),
            Type::Tuple(parts) => {
                Value::Fields(parts.iter().map(|t| self.default_value(t, size)).collect())
            }
            Type::Record(id) => {
                let fields = self.record(*id).fields.iter();
                Value::Fields(fields.map(|(_, t)| self.default_value(t, size)).collect())
            }
            Type::Array(array) => {
                let element = self.default_value(&array.element, size);
                Value::Array(vec![element; size(&array.size)].into())
            }
        }
    }
}

impl fmt::Display for Range {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let end = |bound: &Option<BigInt>| match bound {
            Some(bound) => bound.to_string(),
            None => "*".to_owned(),
        };
        write!(
            f,
            "subrange [{}, {}] of int",
            end(&self.low),
            end(&self.high)
        )
    }
}
