//! Structured values as trees of scalar terms.

use std::collections::HashMap;
use std::sync::Arc;

use lang::{EnumId, Program, Size, SizeAtom, Type, Value};
use num_bigint::BigInt;
use num_traits::ToPrimitive;
use syntax::ast::Machine;
use system::{Sort, Term};

use crate::{Lower, Unsupported};

/// A value: scalar, record or tuple, or array.
#[derive(Clone, Debug)]
pub enum Shape {
    Leaf(Term, Leaf),
    Fields(Arc<[Shape]>),
    /// An array of known size, element by element.
    Array(Arc<[Shape]>),
    /// An array as one value of the solver: the leaves of the element are
    /// arrays of what they would be, indexed from 0 to the size.
    Many(Term, Arc<Shape>),
}

/// What a scalar term stands for.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Leaf {
    Bool,
    Int,
    Real,
    Machine(Machine),
    Enum(EnumId),
    Abstract,
}

/// Larger arrays are not inlined.
const MAX_ELEMENTS: i64 = 4096;

/// How the arrays of an instance are represented.
#[derive(Clone)]
pub(crate) struct Layout {
    /// Arrays of known size are shapes, element by element.
    pub inline: bool,
    /// Arrays whose size depends on an input are not.
    pub lift: bool,
    /// The terms of what sizes may depend on.
    pub atoms: HashMap<SizeAtom, Term>,
}

pub(crate) enum Extent {
    Inlined(usize),
    Solver(Term),
}

impl Layout {
    pub fn extent(&self, size: &Size) -> Lower<Extent> {
        let mut sum = Vec::new();
        for (product, factor) in size.terms() {
            let mut term = system::integer(factor.clone());
            for atom in product {
                let Some(value) = self.atoms.get(atom) else {
                    return Err(Unsupported("a size that is not known".into()));
                };
                term = system::mul(&term, value);
            }
            sum.push(term);
        }
        let from_input = size.depends_on_input();
        let size = system::add(sum);
        let known = match size.kind() {
            _ if self.lift && from_input => None,
            system::Kind::Int(value) if self.inline => value.to_i64(),
            _ => None,
        };
        Ok(match known {
            Some(count) if count <= MAX_ELEMENTS => Extent::Inlined(count.max(0) as usize),
            _ => Extent::Solver(size),
        })
    }

    /// How many leaves the shape of a type has.
    pub fn leaves(&self, program: &Program, ty: &Type) -> Lower<u64> {
        let mut sum = 0u64;
        match ty {
            Type::Tuple(parts) => {
                for part in parts.iter() {
                    sum = sum.saturating_add(self.leaves(program, part)?);
                }
                Ok(sum)
            }
            Type::Record(id) => {
                for (_, field) in program.record(*id).fields.iter() {
                    sum = sum.saturating_add(self.leaves(program, field)?);
                }
                Ok(sum)
            }
            Type::Array(array) => {
                let element = self.leaves(program, &array.element)?;
                Ok(match self.extent(&array.size)? {
                    Extent::Inlined(size) => element.saturating_mul(size as u64),
                    Extent::Solver(_) => element,
                })
            }
            _ => Ok(1),
        }
    }
}

/// Arrays of arrays, so many times, of a sort.
fn lifted(sort: Sort, depth: usize) -> Sort {
    (0..depth).fold(sort, |sort, _| Sort::Array(sort.into()))
}

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

    /// A shape of the type that stands in `depth` arrays of the solver, each
    /// leaf made by `leaf`.
    pub(crate) fn build(
        program: &Program,
        ty: &Type,
        name: &str,
        layout: &Layout,
        depth: usize,
        leaf: &mut impl FnMut(&str, &Type, Sort) -> Term,
    ) -> Lower<Shape> {
        if let Some(kind) = Leaf::of(ty) {
            let sort = lifted(kind.sort(), depth);
            return Ok(Shape::Leaf(leaf(name, ty, sort), kind));
        }
        match ty {
            Type::Tuple(parts) => {
                let parts = parts.iter().enumerate();
                let parts: Lower<Vec<Shape>> = parts
                    .map(|(at, ty)| {
                        let name = format!("{name}.%{at}");
                        Shape::build(program, ty, &name, layout, depth, leaf)
                    })
                    .collect();
                Ok(Shape::Fields(parts?.into()))
            }
            Type::Record(id) => {
                let fields = program.record(*id).fields.iter();
                let fields: Lower<Vec<Shape>> = fields
                    .map(|(field, ty)| {
                        let name = format!("{name}.{field}");
                        Shape::build(program, ty, &name, layout, depth, leaf)
                    })
                    .collect();
                Ok(Shape::Fields(fields?.into()))
            }
            Type::Array(array) => match layout.extent(&array.size)? {
                Extent::Inlined(size) => {
                    let elements: Lower<Vec<Shape>> = (0..size)
                        .map(|at| {
                            let name = format!("{name}[{at}]");
                            Shape::build(program, &array.element, &name, layout, depth, leaf)
                        })
                        .collect();
                    Ok(Shape::Array(elements?.into()))
                }
                Extent::Solver(size) => {
                    let element =
                        Shape::build(program, &array.element, name, layout, depth + 1, leaf)?;
                    Ok(Shape::Many(size, element.into()))
                }
            },
            _ => Err(Unsupported("a value without a type".into())),
        }
    }

    /// The shape with other terms for its leaves.
    pub fn map(&self, leaf: &mut impl FnMut(&Term) -> Term) -> Shape {
        match self {
            Shape::Leaf(term, kind) => Shape::Leaf(leaf(term), *kind),
            Shape::Fields(parts) => Shape::Fields(parts.iter().map(|p| p.map(leaf)).collect()),
            Shape::Array(parts) => Shape::Array(parts.iter().map(|p| p.map(leaf)).collect()),
            Shape::Many(size, element) => Shape::Many(size.clone(), element.map(leaf).into()),
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
            (Shape::Many(size, a), Shape::Many(_, b)) => {
                Ok(Shape::Many(size.clone(), a.zip(b, join)?.into()))
            }
            _ => Err(Unsupported("values of different kinds".into())),
        }
    }

    pub fn for_each_leaf<'s>(&'s self, each: &mut impl FnMut(&'s Term, Leaf)) {
        match self {
            Shape::Leaf(term, kind) => each(term, *kind),
            Shape::Fields(parts) | Shape::Array(parts) => {
                parts.iter().for_each(|part| part.for_each_leaf(each))
            }
            Shape::Many(_, element) => element.for_each_leaf(each),
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

    /// Does an array of the solver stand in the shape?
    pub fn is_symbolic(&self) -> bool {
        match self {
            Shape::Leaf(..) => false,
            Shape::Fields(parts) | Shape::Array(parts) => parts.iter().any(Shape::is_symbolic),
            Shape::Many(..) => true,
        }
    }

    /// The element at an index, if the leaves are arrays of the solver. Outside of the
    /// bounds it has no meaning.
    pub(crate) fn at(&self, index: &Term) -> Shape {
        self.map(&mut |leaf| system::select(leaf, index))
    }

    /// The leaves, each with the sizes of the arrays of the solver around it.
    pub fn leaves(&self) -> Vec<(Term, Vec<Term>)> {
        let mut all = Vec::new();
        self.collect_leaves(&mut Vec::new(), &mut all);
        all
    }

    fn collect_leaves(&self, sizes: &mut Vec<Term>, all: &mut Vec<(Term, Vec<Term>)>) {
        match self {
            Shape::Leaf(term, _) => all.push((term.clone(), sizes.clone())),
            Shape::Fields(parts) | Shape::Array(parts) => parts
                .iter()
                .for_each(|part| part.collect_leaves(sizes, all)),
            Shape::Many(size, element) => {
                sizes.push(size.clone());
                element.collect_leaves(sizes, all);
                sizes.pop();
            }
        }
    }

    /// The value, given those of its leaves. A leaf in arrays of the solver is
    /// asked for at each of their indices.
    pub fn value(&self, model: &mut impl Model) -> Option<Value> {
        self.value_at(&mut Vec::new(), model)
    }

    fn value_at(&self, at: &mut Vec<usize>, model: &mut impl Model) -> Option<Value> {
        let mut all = |parts: &[Shape]| -> Option<Arc<[Value]>> {
            parts.iter().map(|part| part.value_at(at, model)).collect()
        };
        match self {
            Shape::Fields(parts) => Some(Value::Fields(all(parts)?)),
            Shape::Array(parts) => Some(Value::Array(all(parts)?)),
            Shape::Leaf(term, kind) => model.leaf(term, *kind, at),
            Shape::Many(size, element) => {
                let mut elements = Vec::new();
                for index in 0..model.size(size)? {
                    at.push(index);
                    elements.push(element.value_at(at, model)?);
                    at.pop();
                }
                Some(Value::Array(elements.into()))
            }
        }
    }
}

/// The values of terms.
pub trait Model {
    /// Of a leaf, at an element of the arrays around it.
    fn leaf(&mut self, term: &Term, kind: Leaf, at: &[usize]) -> Option<Value>;

    fn size(&mut self, size: &Term) -> Option<usize>;
}
