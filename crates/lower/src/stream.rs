//! Streams and their definitions.
//!
//! A stream that an equation defines is a variable of its own, and the
//! equation its definition, tagged with the part of the model it comes from.

use std::collections::HashMap;

use lang::{Expr, ExprKind, VarClass, VarId};
use system::{Definition, ElementId, Role, Sort, Term, Var};

use crate::expr::unsupported;
use crate::instance::InstanceId;
use crate::lowerer::{Lowerer, Task};
use crate::memory::within;
use crate::shape::Shape;
use crate::{LoopedStream, Lower, Part};

impl<'p> Lowerer<'p> {
    /// The present value of a stream.
    pub fn var(&mut self, id: InstanceId, var: VarId) -> Lower<Shape> {
        if let Some(shape) = &self.instances[id.0].values[var.index()] {
            return Ok(shape.clone());
        }
        self.aside(|this| this.new_stream(id, var))
    }

    fn new_stream(&mut self, id: InstanceId, var: VarId) -> Lower<Shape> {
        let node = self.node_of(id);
        let declared = node.var(var);
        let shape = match (&declared.class, &declared.def) {
            (VarClass::Input { .. }, _) => self.input(id, var)?,
            (_, None) => return unsupported("a stream without a definition"),
            _ if declared.looped.is_some() => return self.looped(id, var),
            (VarClass::Const, Some(def)) => self.expr(id, &def.expr, &[])?,
            (_, Some(def)) if !def.indices.is_empty() => self.array(id, var)?,
            (_, Some(def)) if matches!(def.expr.kind, ExprKind::Choice(_)) => {
                self.expr(id, &def.expr, &[])?
            }
            (_, Some(def)) => {
                let element = self.equation(id, var)?;
                let name = format!("{}{}", self.prefix(id), declared.name);
                let shape = self.new_vars(id, &declared.ty, &name, Role::Stream, 0)?;
                self.tasks.push(Task::Stream {
                    stream: shape.clone(),
                    ty: &declared.ty,
                    id,
                    expr: &def.expr,
                    env: Vec::new(),
                    element,
                });
                shape
            }
        };
        self.instances[id.0].values[var.index()] = Some(shape.clone());
        Ok(shape)
    }

    /// The part of the model that defines a stream.
    pub fn equation(&mut self, id: InstanceId, var: VarId) -> Lower<ElementId> {
        self.element(self.defining(id, var))
    }

    fn defining(&self, id: InstanceId, var: VarId) -> Part {
        Part::defining(self.program, self.instances[id.0].node, var)
    }

    /// Gives the leaves of a stream their definitions, which stand in an
    /// instance.
    pub fn define(
        &mut self,
        id: InstanceId,
        stream: &Shape,
        value: &Shape,
        element: ElementId,
        ty: &lang::Type,
    ) -> Lower<()> {
        let mut pairs = Vec::new();
        stream.zip(value, &mut |stream, value| {
            pairs.push((stream.clone(), value.clone()));
            stream.clone()
        })?;
        let mut ranges: HashMap<Var, Term> = HashMap::new();
        for range in self.ranges_of(ty, stream) {
            let vars = range.term.vars();
            ranges.extend(vars.into_iter().map(|var| (var, range.term.clone())));
        }
        for (stream, term) in pairs {
            if let system::Kind::Var(var) = stream.kind() {
                self.places.streams.insert(*var, id.0);
                self.system.vars[var.0 as usize].def = Some(Definition {
                    term,
                    element,
                    range: ranges.remove(var),
                });
            }
        }
        Ok(())
    }

    /// An input of a called node: the argument. Constants are passed on as they
    /// are, since sizes depend on them.
    fn input(&mut self, id: InstanceId, var: VarId) -> Lower<Shape> {
        let Some((parent, step)) = self.instances[id.0].parent.clone() else {
            return unsupported("an input without a value");
        };
        let node = self.node_of(id);
        let call = self.node_of(parent).call(step.call);
        let Some(at) = node.inputs.iter().position(|input| *input == var) else {
            return unsupported("an input that is not in the interface");
        };
        let values = step.indices.iter().map(|index| system::integer(*index));
        let env: Vec<_> = call.indices.iter().copied().zip(values).collect();
        let declared = node.var(var);
        if declared.class == (VarClass::Input { is_const: true }) {
            return self.expr(parent, &call.args[at], &env);
        }
        let name = format!("{}{}", self.prefix(id), declared.name);
        let stream = self.new_vars(id, &declared.ty, &name, Role::Stream, 0)?;
        let caller = self.instances[parent.0].node;
        let element = self.element(Part::Binding(caller, step.call, at))?;
        self.tasks.push(Task::Stream {
            stream: stream.clone(),
            ty: &declared.ty,
            id: parent,
            expr: &call.args[at],
            env,
            element,
        });
        Ok(stream)
    }

    /// A stream that is chosen by its own value: a choice that its definition
    /// constrains.
    fn looped(&mut self, id: InstanceId, var: VarId) -> Lower<Shape> {
        let declared = self.node_of(id).var(var);
        let (Some(choice), Some(def)) = (declared.looped, &declared.def) else {
            return unsupported("a stream without a definition");
        };
        let value = self.choice(id, choice, &[])?;
        self.instances[id.0].values[var.index()] = Some(value.clone());
        let defined = self.expr(id, &def.expr, &[])?;
        let equal = self.equal(&value, &defined)?;
        self.constrain(id, equal, self.defining(id, var))?;
        self.loops.push(LoopedStream {
            tick: self.context(id).tick,
            choice: value.clone(),
            defined,
        });
        Ok(value)
    }

    /// An array whose elements are defined one by one.
    fn array(&mut self, id: InstanceId, var: VarId) -> Lower<Shape> {
        let node = self.node_of(id);
        let declared = node.var(var);
        if !self.is_inlined(id, &declared.ty)? {
            let name = format!("{}{}", self.prefix(id), declared.name);
            let shape = self.new_vars(id, &declared.ty, &name, Role::Stream, 0)?;
            self.tasks.push(Task::Array {
                id,
                var,
                stream: shape.clone(),
            });
            return Ok(shape);
        }
        self.row(id, var, &mut Vec::new(), &declared.ty)
    }

    fn row(
        &mut self,
        id: InstanceId,
        var: VarId,
        at: &mut Vec<usize>,
        ty: &'p lang::Type,
    ) -> Lower<Shape> {
        let def = self.node_of(id).var(var).def.as_ref();
        if at.len() == def.map_or(0, |def| def.indices.len()) {
            return self.element_at(id, var, at, ty);
        }
        let lang::Type::Array(array) = ty else {
            return unsupported("an array of another type");
        };
        let mut elements = Vec::new();
        for index in 0..self.size_in(id, &array.size)? {
            at.push(index);
            elements.push(self.row(id, var, at, &array.element)?);
            at.pop();
        }
        Ok(Shape::Array(elements.into()))
    }

    /// One element, a stream of its own.
    pub fn element_at(
        &mut self,
        id: InstanceId,
        var: VarId,
        at: &[usize],
        ty: &'p lang::Type,
    ) -> Lower<Shape> {
        let key = (var, at.to_vec());
        if let Some(shape) = self.instances[id.0].elements.get(&key) {
            return Ok(shape.clone());
        }
        let declared = self.node_of(id).var(var);
        let Some(def) = &declared.def else {
            return unsupported("an array without a definition");
        };
        let indices: String = at.iter().map(|at| format!("[{at}]")).collect();
        let name = format!("{}{}{indices}", self.prefix(id), declared.name);
        let shape = self.new_vars(id, ty, &name, Role::Stream, 0)?;
        let element = self.equation(id, var)?;
        let values = at.iter().map(|index| system::integer(*index));
        self.tasks.push(Task::Stream {
            stream: shape.clone(),
            ty,
            id,
            expr: &def.expr,
            env: def.indices.iter().copied().zip(values).collect(),
            element,
        });
        self.instances[id.0].elements.insert(key, shape.clone());
        Ok(shape)
    }

    /// The definition of an array of the solver: a value for each index, or,
    /// where elements depend on others, a constraint on all of them.
    pub fn define_array(&mut self, id: InstanceId, var: VarId, stream: &Shape) -> Lower<()> {
        let element = self.equation(id, var)?;
        let declared = self.node_of(id).var(var);
        let Some(def) = &declared.def else {
            return unsupported("an array without a definition");
        };
        if self.options.smt_arrays && !self.node_of(id).reaches_itself(var) {
            let mut env = Vec::new();
            let value = self.tabulated(id, stream, &def.indices, &def.expr, &mut env)?;
            return self.define(id, stream, &value, element, &declared.ty);
        }
        let mut env = Vec::new();
        let term = self.elementwise(id, stream, &def.indices, &def.expr, &mut env)?;
        let ranges = self.ranges(&declared.ty, stream, true);
        let range = (!ranges.is_empty()).then(|| system::and(ranges));
        self.constrain_always(id, term, element, range);
        Ok(())
    }

    /// `A[i][j] = expr` for all indices, as a formula.
    fn elementwise(
        &mut self,
        id: InstanceId,
        stream: &Shape,
        indices: &[lang::BoundId],
        expr: &'p Expr,
        env: &mut Vec<(lang::BoundId, Term)>,
    ) -> Lower<Term> {
        let Some((index, rest)) = indices.split_first() else {
            let value = self.expr(id, expr, env)?;
            return self.equal(stream, &value);
        };
        match stream {
            Shape::Array(parts) => {
                let mut all = Vec::new();
                for (at, part) in parts.iter().enumerate() {
                    env.push((*index, system::integer(at)));
                    all.push(self.elementwise(id, part, rest, expr, env)?);
                    env.pop();
                }
                Ok(system::and(all))
            }
            Shape::Many(size, element) => {
                let (number, bound) = self.new_bound();
                env.push((*index, bound.clone()));
                let inside = within(&bound, size);
                let element = element.at(&bound);
                let inner = self.under(&inside, |this| {
                    this.elementwise(id, &element, rest, expr, env)
                })?;
                env.pop();
                let body = system::implies(&inside, &inner);
                let vars = vec![(number, Sort::Int)];
                Ok(system::quantified(system::Quantifier::Forall, vars, &body))
            }
            _ => unsupported("an array of another type"),
        }
    }

    /// `A[i][j] = expr` as a value of the solver's theory of arrays.
    fn tabulated(
        &mut self,
        id: InstanceId,
        stream: &Shape,
        indices: &[lang::BoundId],
        expr: &'p Expr,
        env: &mut Vec<(lang::BoundId, Term)>,
    ) -> Lower<Shape> {
        let Some((index, rest)) = indices.split_first() else {
            return self.expr(id, expr, env);
        };
        match stream {
            Shape::Array(parts) => {
                let mut all = Vec::new();
                for (at, part) in parts.iter().enumerate() {
                    env.push((*index, system::integer(at)));
                    all.push(self.tabulated(id, part, rest, expr, env)?);
                    env.pop();
                }
                Ok(Shape::Array(all.into()))
            }
            Shape::Many(size, element) => {
                let (number, bound) = self.new_bound();
                // Outside of the bounds nothing counts.
                let inside = within(&bound, size);
                env.push((*index, bound));
                let inner =
                    self.under(&inside, |this| this.tabulated(id, element, rest, expr, env))?;
                env.pop();
                let lambda = inner.map(&mut |leaf| system::lambda(number, leaf));
                Ok(Shape::Many(size.clone(), lambda.into()))
            }
            _ => unsupported("an array of another type"),
        }
    }
}
