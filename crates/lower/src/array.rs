//! Arrays: element by element where their size is known, else as arrays of the
//! solver.

use lang::{Expr, ExprKind, Size, SizeAtom, Step, Type, VarClass, VarId};
use num_traits::ToPrimitive;
use system::{Kind, Sort, Term};

use crate::Lower;
use crate::expr::unsupported;
use crate::instance::{Env, InstanceId};
use crate::lowerer::Lowerer;
use crate::memory::for_all;
use crate::partial::Indexed;
use crate::shape::{Extent, Layout, Shape};

impl<'p> Lowerer<'p> {
    /// How the arrays of a type are represented in an instance.
    pub fn layout(&mut self, id: InstanceId, ty: &Type) -> Lower<Layout> {
        let mut sizes = Vec::new();
        self.sizes_in(ty, &mut sizes);
        let mut layout = Layout {
            inline: self.options.inline_arrays,
            lift: false,
            atoms: Default::default(),
        };
        for size in &sizes {
            for atom in size.terms().flat_map(|(product, _)| product.to_vec()) {
                let shape = match atom {
                    SizeAtom::Const(constant) => self.constant(constant)?,
                    SizeAtom::Var(var) => self.const_input(id, var)?,
                };
                layout.atoms.insert(atom, shape.leaf()?.clone());
            }
            if let Extent::Solver(size) = layout.extent(size)? {
                self.open_sizes.insert(size);
            }
        }
        Ok(layout)
    }

    fn const_input(&mut self, id: InstanceId, var: VarId) -> Lower<Shape> {
        match self.node_of(id).var(var).class {
            VarClass::Input { is_const: true } => self.var(id, var),
            _ => unsupported("an array whose size is not constant"),
        }
    }

    fn sizes_in(&self, ty: &Type, sizes: &mut Vec<Size>) {
        match ty {
            Type::Array(array) => {
                sizes.push(array.size.clone());
                self.sizes_in(&array.element, sizes);
            }
            Type::Tuple(parts) => parts.iter().for_each(|ty| self.sizes_in(ty, sizes)),
            Type::Record(id) => {
                let fields = &self.program.record(*id).fields;
                fields.iter().for_each(|(_, ty)| self.sizes_in(ty, sizes));
            }
            _ => {}
        }
    }

    pub fn extent(&mut self, id: InstanceId, size: &Size) -> Lower<Extent> {
        let ty = Type::array(Type::Bool, size.clone());
        self.layout(id, &ty)?.extent(size)
    }

    /// How many elements an inlined array of the size has in the instance.
    pub fn size_in(&mut self, id: InstanceId, size: &Size) -> Lower<usize> {
        match self.extent(id, size)? {
            Extent::Inlined(count) => Ok(count),
            Extent::Solver(_) => unsupported("a call for each element of an array of unknown size"),
        }
    }

    pub fn size_term(&mut self, id: InstanceId, size: &Size) -> Lower<Term> {
        Ok(match self.extent(id, size)? {
            Extent::Inlined(count) => system::integer(count),
            Extent::Solver(size) => size,
        })
    }

    /// Is every array in the type inlined?
    pub fn is_inlined(&mut self, id: InstanceId, ty: &Type) -> Lower<bool> {
        let layout = self.layout(id, ty)?;
        let mut sizes = Vec::new();
        self.sizes_in(ty, &mut sizes);
        for size in &sizes {
            if matches!(layout.extent(size)?, Extent::Solver(_)) {
                return Ok(false);
            }
        }
        Ok(true)
    }

    pub fn new_bound(&mut self) -> (u32, Term) {
        let number = self.next_bound;
        self.next_bound += 1;
        (number, system::bound(number, Sort::Int))
    }

    /// The elements as the array that the type says.
    pub fn packed(&mut self, id: InstanceId, ty: &Type, elements: Vec<Shape>) -> Lower<Shape> {
        let Type::Array(array) = ty else {
            return unsupported("an array of another type");
        };
        let Extent::Solver(size) = self.extent(id, &array.size)? else {
            return Ok(Shape::Array(elements.into()));
        };
        let nothing = self.default(id, &array.element)?;
        let mut packed = nothing.map(&mut system::const_array);
        for (at, element) in elements.iter().enumerate() {
            packed = packed.zip(element, &mut |array, element| {
                system::store(array, &system::integer(at), element)
            })?;
        }
        Ok(Shape::Many(size, packed.into()))
    }

    /// A constant of a type; its arrays as the type says.
    pub fn literal(&mut self, id: InstanceId, ty: &Type, value: &lang::Value) -> Lower<Shape> {
        match (value, ty) {
            (lang::Value::Array(values), Type::Array(array)) => {
                let elements: Lower<Vec<Shape>> = values
                    .iter()
                    .map(|value| self.literal(id, &array.element, value))
                    .collect();
                self.packed(id, ty, elements?)
            }
            (lang::Value::Fields(values), Type::Tuple(types)) => {
                let parts = types.iter().zip(values.iter());
                let parts: Lower<Vec<Shape>> = parts
                    .map(|(ty, value)| self.literal(id, ty, value))
                    .collect();
                Ok(Shape::Fields(parts?.into()))
            }
            (lang::Value::Fields(values), Type::Record(record)) => {
                let fields = &self.program.record(*record).fields;
                let parts = fields.iter().zip(values.iter());
                let parts: Lower<Vec<Shape>> = parts
                    .map(|((_, ty), value)| self.literal(id, ty, value))
                    .collect();
                Ok(Shape::Fields(parts?.into()))
            }
            _ => Ok(Shape::constant(value)),
        }
    }

    pub fn fill(&mut self, id: InstanceId, ty: &Type, element: Shape) -> Lower<Shape> {
        let Type::Array(array) = ty else {
            return unsupported("an array of another type");
        };
        Ok(match self.extent(id, &array.size)? {
            Extent::Inlined(size) => Shape::Array(vec![element; size].into()),
            Extent::Solver(size) => Shape::Many(size, element.map(&mut system::const_array).into()),
        })
    }

    /// Are two values the same? Arrays are compared within their bounds.
    pub fn equal(&mut self, a: &Shape, b: &Shape) -> Lower<Term> {
        match (a, b) {
            (Shape::Leaf(a, _), Shape::Leaf(b, _)) => Ok(system::eq(a, b)),
            (Shape::Fields(a), Shape::Fields(b)) | (Shape::Array(a), Shape::Array(b))
                if a.len() == b.len() =>
            {
                let parts = a.iter().zip(b.iter());
                let parts: Lower<Vec<Term>> = parts.map(|(a, b)| self.equal(a, b)).collect();
                Ok(system::and(parts?))
            }
            (Shape::Many(size, a), Shape::Many(_, b)) => {
                let (number, index) = self.new_bound();
                let inner = self.equal(&a.at(&index), &b.at(&index))?;
                Ok(for_all(number, &index, size, &inner))
            }
            _ => unsupported("values of different kinds"),
        }
    }

    /// `A[i][j]`, element by element where the indices are known.
    pub fn index(&mut self, id: InstanceId, expr: &'p Expr, env: &Env) -> Lower<Shape> {
        let mut path = Vec::new();
        let mut base = expr;
        while let ExprKind::Index(inner, index) = &base.kind {
            path.push(&**index);
            base = inner;
        }
        path.reverse();
        let mut indices = Vec::new();
        for index in path {
            indices.push(self.scalar(id, index, env)?);
        }
        if let ExprKind::Var(var) = &base.kind
            && let Some(shape) = self.one_element(id, *var, &indices)?
        {
            return Ok(shape);
        }
        let inductive = match base.kind {
            ExprKind::Var(var) => Some(var).filter(|var| self.node_of(id).is_inductive(*var)),
            _ => None,
        };
        let indexed = Indexed {
            ty: &base.ty,
            inductive,
            indices: &indices,
            done: 0,
        };
        let base = self.expr(id, base, env)?;
        self.select(id, &base, indexed)
    }

    /// An element of an array that is defined element by element; the others
    /// are left alone.
    fn one_element(
        &mut self,
        id: InstanceId,
        var: VarId,
        indices: &[Term],
    ) -> Lower<Option<Shape>> {
        let declared = self.node_of(id).var(var);
        let depth = declared.def.as_ref().map_or(0, |def| def.indices.len());
        let known = self.instances[id.0].values[var.index()].is_some();
        let ready = depth > 0 && indices.len() >= depth && !known && declared.looped.is_none();
        if !ready || !self.is_inlined(id, &declared.ty)? {
            return Ok(None);
        }
        let is_inductive = self.node_of(id).is_inductive(var);
        let mut ty = &declared.ty;
        let mut at = Vec::new();
        for index in &indices[..depth] {
            let (Type::Array(array), Kind::Int(value)) = (ty, index.kind()) else {
                return Ok(None);
            };
            let count = self.size_in(id, &array.size)?;
            match value.to_usize().filter(|index| *index < count) {
                Some(index) => at.push(index),
                None if is_inductive => {
                    let indexed = Indexed {
                        ty,
                        inductive: Some(var),
                        indices,
                        done: at.len(),
                    };
                    let size = system::integer(count);
                    return self.outside(id, None, &size, indexed).map(Some);
                }
                // All elements are operands.
                None => return Ok(None),
            }
            ty = &array.element;
        }
        let element = self.element_at(id, var, &at, ty)?;
        let indexed = Indexed {
            ty,
            inductive: is_inductive.then_some(var),
            indices,
            done: depth,
        };
        self.select(id, &element, indexed).map(Some)
    }

    /// The default value of a type.
    fn default(&mut self, id: InstanceId, ty: &Type) -> Lower<Shape> {
        let layout = self.layout(id, ty)?;
        let program = self.program;
        self.room.for_value(layout.leaves(program, ty)?)?;
        let mut failed = None;
        let shape = Shape::build(program, ty, "", &layout, 0, &mut |_, ty, sort| {
            let value = program.default_value(ty, &|_| 0);
            let scalar = match Shape::constant(&value).leaf() {
                Ok(term) => term.clone(),
                Err(error) => {
                    failed = Some(error);
                    system::boolean(false)
                }
            };
            everywhere(scalar, &sort)
        })?;
        failed.map_or(Ok(shape), Err)
    }

    pub fn update(
        &mut self,
        id: InstanceId,
        base: &Shape,
        path: &'p [Step],
        value: &Shape,
        env: &Env,
    ) -> Lower<Shape> {
        let Some((step, rest)) = path.split_first() else {
            return Ok(value.clone());
        };
        match (base, step) {
            (Shape::Fields(parts), Step::Field(at)) => {
                let mut parts = parts.to_vec();
                parts[*at] = self.update(id, &parts[*at].clone(), rest, value, env)?;
                Ok(Shape::Fields(parts.into()))
            }
            (Shape::Array(elements), Step::Index(index)) => {
                let index = self.scalar(id, index, env)?;
                let mut updated = Vec::new();
                for (at, element) in elements.iter().enumerate() {
                    let here = system::eq(&index, &system::integer(at));
                    let new = self.update(id, element, rest, value, env)?;
                    updated.push(new.zip(element, &mut |a, b| system::ite(&here, a, b))?);
                }
                Ok(Shape::Array(updated.into()))
            }
            (Shape::Many(size, element), Step::Index(index)) => {
                let index = self.scalar(id, index, env)?;
                let new = self.update(id, &element.at(&index), rest, value, env)?;
                let stored =
                    element.zip(&new, &mut |array, new| system::store(array, &index, new))?;
                Ok(Shape::Many(size.clone(), stored.into()))
            }
            _ => unsupported("an update of something without parts"),
        }
    }
}

/// Arrays of a sort with the same scalar at every index.
fn everywhere(scalar: Term, sort: &Sort) -> Term {
    match sort {
        Sort::Array(element) => system::const_array(&everywhere(scalar, element)),
        _ => scalar,
    }
}
