//! Operations outside of their domain.
//!
//! `x div d` is `if d = 0 then f(x) else x div d` with an uninterpreted function `f`, so
//! that a division by zero has any value, but always the same one for the same dividend.
//! An element of an array outside of its bounds is a function of all elements and the
//! index. Where an operation is known to have a value (`facts.rs`), there is no function.
//!
//! An array that is defined by induction cannot be an operand of its own definition: its
//! elements outside of the bounds are a function of the indices and of a number, its token,
//! that is free at each step. So are those of an array of the solver: a function of whole
//! arrays is more than solvers can take.

use std::collections::{BTreeMap, HashMap, HashSet};

use lang::{InstancePath, Partial, Type, VarId};
use system::{Function, Kind, Role, Sort, Term, ite};

use crate::Lower;
use crate::expr::unsupported;
use crate::instance::InstanceId;
use crate::lowerer::Lowerer;
use crate::memory::{range, within};
use crate::shape::{Leaf, Shape};

/// The values of a quantified variable for which operations are looked at.
const FEW: std::ops::RangeInclusive<i32> = -1..=8;
/// Where there are more places than this, none of those under quantifiers is looked at.
const MANY: usize = 1000;

/// A place where an operation may be outside of its domain.
#[derive(Clone, Debug)]
pub struct Unknown {
    pub operation: Partial,
    /// As the interpreter names them: dividend and divisor, array and index, or the
    /// indices into an array that is defined by induction.
    pub operands: Vec<Shape>,
    /// That array.
    pub stream: Option<(InstancePath, VarId)>,
    /// Holds where it is.
    pub undefined: Term,
    pub value: Shape,
}

impl Unknown {
    /// The same place with other terms.
    pub(crate) fn map(&self, term: &mut impl FnMut(&Term) -> Term) -> Unknown {
        let operands = self.operands.iter();
        Unknown {
            operation: self.operation,
            operands: operands.map(|shape| shape.map(term)).collect(),
            stream: self.stream.clone(),
            undefined: term(&self.undefined),
            value: self.value.map(term),
        }
    }
}

/// The places in a system where operations may be outside of their domain.
#[derive(Clone, Debug, Default)]
pub struct Unknowns {
    pub all: Vec<Unknown>,
    /// Some stand under a quantifier of the solver. For a few values of its variables they
    /// are among the others, and for the rest nothing is known.
    pub hidden: bool,
}

/// The array of a type that indices lead into, the first `done` of which were followed.
#[derive(Clone, Copy)]
pub(crate) struct Indexed<'s> {
    pub ty: &'s Type,
    /// Set if it is in a stream that is defined by induction.
    pub inductive: Option<VarId>,
    pub indices: &'s [Term],
    pub done: usize,
}

/// Which result of a division is wanted.
#[derive(Clone, Copy)]
pub(crate) enum Division {
    Quotient,
    Remainder,
}

impl<'p> Lowerer<'p> {
    /// `x div y`, `x mod y` or `x / y`.
    pub fn divided(&mut self, division: Division, leaf: Leaf, x: &Term, y: &Term) -> Term {
        let (partial, divide): (Partial, fn(&Term, &Term) -> Term) = match (division, leaf) {
            (Division::Remainder, _) => (Partial::IntMod, system::int_mod),
            (Division::Quotient, Leaf::Real) => (Partial::RealDiv, system::real_div),
            (Division::Quotient, _) => (Partial::IntDiv, system::int_div),
        };
        if self.never_zero(y) {
            return divide(x, y);
        }
        let zero = nothing(y.sort());
        let function = Function {
            name: partial.function().as_str().into(),
            args: [x.sort().clone()].into(),
            result: x.sort().clone(),
        };
        let undefined = system::eq(y, &zero);
        let value = system::apply(function, vec![x.clone()]);
        let shape = |term: &Term| Shape::Leaf(term.clone(), leaf);
        self.note(Unknown {
            operation: partial,
            operands: vec![shape(x), shape(y)],
            stream: None,
            undefined: undefined.clone(),
            value: shape(&value),
        });
        ite(&undefined, &value, &divide(x, y))
    }

    /// `A[i][j]`.
    pub fn select(&mut self, id: InstanceId, array: &Shape, at: Indexed) -> Lower<Shape> {
        let Some(index) = at.indices.get(at.done) else {
            return Ok(array.clone());
        };
        let Type::Array(ty) = at.ty else {
            return unsupported("an element of something that is not an array");
        };
        let inside = Indexed {
            ty: &ty.element,
            done: at.done + 1,
            ..at
        };
        match array {
            Shape::Array(elements) => {
                if let Kind::Int(value) = index.kind()
                    && let Some(element) = element_at(elements, value)
                {
                    return self.select(id, element, inside);
                }
                let size = system::integer(elements.len());
                let known = self.is_within(index, &size);
                let mut chosen = match (known, elements.split_last()) {
                    (true, Some((last, _))) => self.select(id, last, inside)?,
                    _ => self.outside(id, Some(array), &size, at)?,
                };
                for (at, element) in elements.iter().enumerate().rev() {
                    let here = system::eq(index, &system::integer(at));
                    let element = self.select(id, element, inside)?;
                    chosen = element.zip(&chosen, &mut |a, b| ite(&here, a, b))?;
                }
                Ok(chosen)
            }
            Shape::Many(size, element) => {
                let value = self.select(id, &element.at(index), inside)?;
                if self.is_within(index, size) {
                    return Ok(value);
                }
                let outside = self.outside(id, Some(array), size, at)?;
                let within = within(index, size);
                value.zip(&outside, &mut |a, b| ite(&within, a, b))
            }
            _ => unsupported("an element of something that is not an array"),
        }
    }

    /// `A[i][j]` where the index that comes next is outside of the bounds of an array of the
    /// size. Of one that is defined by induction nothing else needs to be known.
    pub fn outside(
        &mut self,
        id: InstanceId,
        array: Option<&Shape>,
        size: &Term,
        at: Indexed,
    ) -> Lower<Shape> {
        let (Type::Array(ty), Some(index)) = (at.ty, at.indices.get(at.done)) else {
            return unsupported("an element of something that is not an array");
        };
        let ty = &ty.element;
        let followed = &at.indices[..=at.done];
        let value = match (array, at.inductive) {
            (Some(Shape::Many(_, element)), _) => {
                let args = self.stamped(element, index);
                self.applied_to(id, ty, true, args)?
            }
            (_, Some(var)) => {
                let token = self.token(id, var);
                let args = [token].into_iter().chain(followed.iter().cloned());
                self.applied_to(id, ty, true, args.collect())?
            }
            (Some(array), None) => {
                let mut args = Vec::new();
                array.for_each_leaf(&mut |term, _| args.push(term.clone()));
                args.push(index.clone());
                self.applied_to(id, ty, false, args)?
            }
            (None, None) => return unsupported("an element of an array that is not known"),
        };
        let number = |term: &Term| Shape::Leaf(term.clone(), Leaf::Int);
        let operands = match (array, at.inductive) {
            (Some(array), None) => vec![array.clone(), number(index)],
            _ => followed.iter().map(number).collect(),
        };
        let path = self.path(id);
        self.note(Unknown {
            operation: Partial::Index,
            operands,
            stream: at.inductive.map(|var| (path, var)),
            undefined: system::not(&within(index, size)),
            value: value.clone(),
        });
        let rest = Indexed {
            ty,
            inductive: None,
            done: at.done + 1,
            ..at
        };
        self.select(id, &value, rest)
    }

    /// The unknown value of a type that belongs to the arguments.
    fn applied_to(
        &mut self,
        id: InstanceId,
        ty: &Type,
        token: bool,
        args: Vec<Term>,
    ) -> Lower<Shape> {
        let name = Partial::outside_of(self.program, ty, token, args.len());
        let layout = self.layout(id, ty)?;
        let shape = self.uninterpreted(ty, &name, &layout, args)?;
        Ok(self.of_type(ty, &shape))
    }

    /// The value, if it is one of its type, with its subranges and enumerations; else the
    /// default.
    fn of_type(&self, ty: &Type, shape: &Shape) -> Shape {
        let all = |types: &mut dyn Iterator<Item = &Type>, parts: &[Shape]| -> Vec<Shape> {
            let parts = types.zip(parts);
            parts.map(|(ty, part)| self.of_type(ty, part)).collect()
        };
        match (ty, shape) {
            (_, Shape::Leaf(term, leaf)) if !matches!(term.sort(), Sort::Array(_)) => {
                let Some(allowed) = range(self.program, ty, term) else {
                    return shape.clone();
                };
                let default = Shape::constant(&self.program.default_value(ty, &|_| 0));
                match default {
                    Shape::Leaf(default, _) => Shape::Leaf(ite(&allowed, term, &default), *leaf),
                    _ => shape.clone(),
                }
            }
            (Type::Tuple(types), Shape::Fields(parts)) => {
                Shape::Fields(all(&mut types.iter(), parts).into())
            }
            (Type::Record(record), Shape::Fields(parts)) => {
                let fields = &self.program.record(*record).fields;
                Shape::Fields(all(&mut fields.iter().map(|(_, ty)| ty), parts).into())
            }
            (Type::Array(array), Shape::Array(parts)) => {
                let types = std::iter::repeat(&array.element);
                Shape::Array(all(&mut types.take(parts.len()), parts).into())
            }
            _ => shape.clone(),
        }
    }

    /// What an element of an array of the solver outside of its bounds depends on: a token,
    /// the index, and what the array depends on below a quantifier.
    fn stamped(&mut self, element: &Shape, index: &Term) -> Vec<Term> {
        let (mut array, mut bounds) = (Vec::new(), BTreeMap::new());
        element.for_each_leaf(&mut |term, _| {
            array.push(term.clone());
            bounds.extend(free_bounds(term));
        });
        let token = match self.array_tokens.get(&array) {
            Some(token) => token.clone(),
            None => {
                let name = format!("array{} out of bounds", self.array_tokens.len());
                let token = self.new_var(&name, Sort::Int, Role::Input, None);
                self.array_tokens.insert(array, token.clone());
                token
            }
        };
        let bounds = bounds.into_iter();
        let bounds = bounds.map(|(number, sort)| system::bound(number, sort));
        [token, index.clone()].into_iter().chain(bounds).collect()
    }

    /// A number that is free at each step, for an array that is defined by induction.
    fn token(&mut self, id: InstanceId, var: VarId) -> Term {
        if let Some(token) = self.tokens.get(&(id, var)) {
            return token.clone();
        }
        let name = format!(
            "{}{} out of bounds",
            self.prefix(id),
            self.node_of(id).var(var).name
        );
        let token = self.new_var(&name, Sort::Int, Role::Input, None);
        self.tokens.insert((id, var), token.clone());
        token
    }

    /// Takes note of a place; under quantifiers of the solver, for a few of their values.
    fn note(&mut self, unknown: Unknown) {
        let mut bounds = free_bounds(&unknown.undefined);
        for shape in unknown.operands.iter().chain([&unknown.value]) {
            shape.for_each_leaf(&mut |term, _| bounds.extend(free_bounds(term)));
        }
        let Some((bound, sort)) = bounds.into_iter().next() else {
            return self.note_closed(unknown);
        };
        self.unknowns.hidden = true;
        if sort != Sort::Int || self.unknowns.all.len() > MANY {
            return;
        }
        let variable = system::bound(bound, sort);
        for value in FEW {
            let map = HashMap::from([(variable.clone(), system::integer(value))]);
            self.note(unknown.map(&mut |term| system::substitute(term, &map)));
        }
    }

    fn note_closed(&mut self, unknown: Unknown) {
        if unknown.undefined == system::boolean(false) {
            return;
        }
        let mut key = vec![unknown.undefined.id()];
        unknown
            .value
            .for_each_leaf(&mut |term, _| key.push(term.id()));
        if self.noted.insert(key) {
            self.unknowns.all.push(unknown);
        }
    }
}

fn element_at<'s>(elements: &'s [Shape], index: &num_bigint::BigInt) -> Option<&'s Shape> {
    use num_traits::ToPrimitive;
    elements.get(index.to_usize()?)
}

/// The variables of a term that a quantifier around it binds.
fn free_bounds(term: &Term) -> BTreeMap<u32, Sort> {
    let (mut found, mut bound) = (BTreeMap::new(), HashSet::new());
    for term in term.subterms() {
        match term.kind() {
            Kind::Bound(id) => {
                found.insert(*id, term.sort().clone());
            }
            Kind::Quantified(_, vars, _) => bound.extend(vars.iter().map(|(id, _)| *id)),
            Kind::Lambda(id, _) => {
                bound.insert(*id);
            }
            _ => {}
        }
    }
    found.retain(|id, _| !bound.contains(id));
    found
}

fn nothing(sort: &Sort) -> Term {
    match sort {
        Sort::Real => system::real(num_rational::BigRational::from_integer(0.into())),
        _ => system::integer(0),
    }
}
