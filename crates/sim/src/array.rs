//! Elements of arrays, updates of structured values, and sizes.

use lang::{Expr, ExprKind, Partial, Size, SizeAtom, Step, Type, Value, VarId, ops};
use num_bigint::BigInt;
use num_traits::ToPrimitive;

use crate::error::{SimError, internal};
use crate::eval::{Cursor, Eval, total};
use crate::unknown::{Inductive, Undefined};

/// Arrays with more scalars in them are not computed.
const MAX_SIZE: usize = 1 << 20;

/// The indices into a stream or another value, some of which have been followed.
struct Indexing<'i> {
    var: Option<VarId>,
    indices: &'i [BigInt],
    done: usize,
}

impl<'i> Indexing<'i> {
    fn of(indices: &'i [BigInt]) -> Indexing<'i> {
        Indexing {
            var: None,
            indices,
            done: 0,
        }
    }
}

impl Cursor<'_, '_> {
    /// `A[i][j]`: if `A` is defined element by element, only what is needed.
    pub fn index(&mut self, expr: &Expr) -> Eval<Value> {
        let mut path = Vec::new();
        let mut base = expr;
        while let ExprKind::Index(inner, index) = &base.kind {
            path.push(&**index);
            base = inner;
        }
        path.reverse();
        let mut indices = Vec::with_capacity(path.len());
        for index in path {
            match self.eval(index)? {
                Value::Int(index) => indices.push(index),
                _ => return internal("an index that is not an integer"),
            }
        }
        if let (ExprKind::Var(var), 0) = (&base.kind, self.back) {
            let known = self.instance().present.values[var.index()].is_some();
            let declared = self.node().var(*var);
            let depth = declared.def.as_ref().map_or(0, |def| def.indices.len());
            if !known && depth > 0 && declared.looped.is_none() {
                return self.lazy_index(*var, &indices, depth);
            }
        }
        let value = self.eval(base)?;
        let var = match base.kind {
            ExprKind::Var(var) => Some(var),
            _ => None,
        };
        let path = Indexing {
            var,
            ..Indexing::of(&indices)
        };
        self.elements(value, &base.ty, path)
    }

    /// An array at the tick, if it is a stream that is defined by induction.
    fn inductive(&self, var: Option<VarId>) -> Option<Inductive> {
        let var = var.filter(|var| self.node().is_inductive(*var))?;
        Some(Inductive {
            path: self.sim.path(self.id),
            var,
            step: self.step(),
        })
    }

    /// `A[i][j]` of an array of a type. Outside of the bounds there is an unknown value,
    /// of whose elements, if it is an array, the further indices choose.
    fn elements(&mut self, array: Value, ty: &Type, path: Indexing) -> Eval<Value> {
        let Indexing {
            mut var,
            indices,
            done,
        } = path;
        let mut value = array;
        let mut ty = ty;
        for (at, index) in indices.iter().enumerate().skip(done) {
            let (Value::Array(values), Type::Array(array)) = (&value, ty) else {
                return internal("an element of something that is not an array");
            };
            ty = &array.element;
            if let Some(element) = ops::element(values, index) {
                value = element.clone();
                continue;
            }
            let stream = self.inductive(var.take());
            let operands = match stream {
                Some(_) => indices[..=at].iter().cloned().map(Value::Int).collect(),
                None => vec![value, Value::Int(index.clone())],
            };
            let undefined = Undefined {
                operation: Partial::Index,
                operands,
                stream,
            };
            value = self.unknown(undefined, ty)?;
        }
        Ok(value)
    }

    /// `A[i][j]` of the present, where `A` is defined for `depth` indices and not known as
    /// a whole.
    fn lazy_index(&mut self, var: VarId, indices: &[BigInt], depth: usize) -> Eval<Value> {
        let declared = &self.node().var(var).ty;
        let mut ty = declared;
        let mut at = Vec::new();
        for index in indices.iter().take(depth) {
            let Type::Array(array) = ty else {
                return internal("an array of another type");
            };
            let size = self.size(&array.size)?;
            ty = &array.element;
            if let Some(index) = index.to_usize().filter(|index| *index < size) {
                at.push(index);
                continue;
            }
            let Some(stream) = self.inductive(Some(var)) else {
                // All elements are operands.
                let array = self.present(var)?;
                return self.elements(array, declared, Indexing::of(indices));
            };
            let (here, rest) = indices.split_at(at.len() + 1);
            let undefined = Undefined {
                operation: Partial::Index,
                operands: here.iter().cloned().map(Value::Int).collect(),
                stream: Some(stream),
            };
            let value = self.unknown(undefined, ty)?;
            return self.elements(value, ty, Indexing::of(rest));
        }
        let path = Indexing {
            var: Some(var),
            indices,
            done: at.len(),
        };
        let value = self.row(var, &mut at, ty)?;
        self.elements(value, ty, path)
    }

    /// A copy of a structured value with one part replaced; outside of the
    /// bounds nothing changes.
    pub fn update(&mut self, base: Value, path: &[Step], new: Value) -> Eval<Value> {
        let Some((step, rest)) = path.split_first() else {
            return Ok(new);
        };
        match (base, step) {
            (Value::Fields(fields), Step::Field(at)) => {
                let inner = total(fields.get(*at).cloned())?;
                let inner = self.update(inner, rest, new)?;
                Ok(Value::Fields(ops::replaced(&fields, *at, inner)))
            }
            (Value::Array(array), Step::Index(index)) => {
                let index = self.eval(index)?;
                let at = index.as_int().and_then(|index| index.to_usize());
                match at.filter(|at| *at < array.len()) {
                    Some(at) => {
                        self.sim.effort.allocate(array.len())?;
                        let inner = self.update(array[at].clone(), rest, new)?;
                        Ok(Value::Array(ops::replaced(&array, at, inner)))
                    }
                    None => Ok(Value::Array(array)),
                }
            }
            _ => internal("an update of something without parts"),
        }
    }

    /// How many elements an array of the size has.
    pub fn size(&mut self, size: &Size) -> Eval<usize> {
        let mut sum = BigInt::default();
        for (product, factor) in size.terms() {
            let mut term = factor.clone();
            for atom in product {
                let value = match atom {
                    SizeAtom::Const(constant) => self.constant(*constant)?,
                    SizeAtom::Var(var) => self.const_input(*var)?,
                };
                term *= total(value.as_int().cloned())?;
            }
            sum += term;
        }
        if sum < BigInt::default() {
            return Ok(0);
        }
        match sum.to_usize().filter(|size| *size <= MAX_SIZE) {
            Some(size) => Ok(size),
            None => Err(SimError::TooLarge {
                what: format!("an array of {sum} elements"),
            }),
        }
    }

    /// The size of an array that is about to be made.
    pub fn array_size(&mut self, ty: &Type) -> Eval<usize> {
        let Type::Array(array) = ty else {
            return internal("an array of another type");
        };
        let size = self.size(&array.size)?;
        let scalars = size.saturating_mul(self.scalars(&array.element)?);
        if scalars > MAX_SIZE {
            return Err(SimError::TooLarge {
                what: format!("an array of {scalars} elements in all"),
            });
        }
        self.sim.effort.allocate(size)?;
        Ok(size)
    }

    /// How many scalars a value of the type holds.
    fn scalars(&mut self, ty: &Type) -> Eval<usize> {
        let program = self.sim.program;
        let mut sum = 0usize;
        match ty {
            Type::Array(array) => {
                let size = self.size(&array.size)?;
                let element = self.scalars(&array.element)?;
                return Ok(size.saturating_mul(element));
            }
            Type::Tuple(parts) => {
                for part in parts.iter() {
                    sum = sum.saturating_add(self.scalars(part)?);
                }
            }
            Type::Record(record) => {
                for (_, ty) in &program.record(*record).fields {
                    sum = sum.saturating_add(self.scalars(ty)?);
                }
            }
            _ => sum = 1,
        }
        Ok(sum)
    }

    /// A constant input has the value of the present tick, or of the last one
    /// when there is none.
    fn const_input(&mut self, var: VarId) -> Eval<Value> {
        let instance = self.instance();
        if !instance.present.active
            && let Some(past) = instance.history.front()
        {
            return Ok(past.values[var.index()].clone());
        }
        self.present(var)
    }

    /// The default value of a type; arrays have as many elements as in the
    /// instance.
    pub fn default(&mut self, ty: &Type) -> Eval<Value> {
        let program = self.sim.program;
        Ok(match ty {
            Type::Tuple(parts) => {
                let parts = parts.iter();
                let parts: Eval<Vec<Value>> = parts.map(|part| self.default(part)).collect();
                Value::Fields(parts?.into())
            }
            Type::Record(record) => {
                let fields = program.record(*record).fields.iter();
                let fields: Eval<Vec<Value>> = fields.map(|(_, ty)| self.default(ty)).collect();
                Value::Fields(fields?.into())
            }
            Type::Array(array) => {
                let size = self.array_size(ty)?;
                let element = self.default(&array.element)?;
                Value::Array(vec![element; size].into())
            }
            scalar => program.default_value(scalar, &|_| 0),
        })
    }
}
