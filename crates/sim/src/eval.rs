//! The value of an expression of an instance at a tick.
//!
//! `back` says how many ticks of the instance ago: `pre e` is `e` one tick
//! further back. At the present tick streams and calls are computed on demand;
//! at earlier ones they are remembered.

use lang::{
    BinOp, BoundId, CallId, ChoiceId, ConstId, Expr, ExprKind, Partial, Size, SizeAtom, Step, Type,
    Value, VarClass, VarId, ops,
};
use num_bigint::BigInt;
use num_traits::ToPrimitive;

use crate::effort::{limit_number, with_stack};
use crate::error::{SimError, internal};
use crate::instance::InstanceId;
use crate::simulator::{ChoiceSite, Oracle, Simulator};
use crate::unknown::{Inductive, Undefined};

/// Values of index and quantified variables.
pub(crate) type Env = [(BoundId, Value)];

/// Arrays with more scalars in them are not computed.
const MAX_SIZE: usize = 1 << 20;

pub(crate) type Eval<T> = Result<T, SimError>;

impl<'p> Simulator<'p> {
    pub(crate) fn eval(
        &mut self,
        id: InstanceId,
        expr: &Expr,
        env: &Env,
        back: usize,
        oracle: &mut dyn Oracle,
    ) -> Eval<Value> {
        self.effort.enter()?;
        let value = with_stack(|| self.value(id, expr, env, back, oracle));
        self.effort.leave();
        value
    }

    fn value(
        &mut self,
        id: InstanceId,
        expr: &Expr,
        env: &Env,
        back: usize,
        oracle: &mut dyn Oracle,
    ) -> Eval<Value> {
        match &expr.kind {
            ExprKind::Value(value) => Ok(value.clone()),
            ExprKind::Var(var) => self.var_at(id, *var, back, oracle),
            ExprKind::Const(constant) => self.constant(*constant, oracle),
            ExprKind::Bound(bound) => lookup(env, *bound),
            ExprKind::Choice(choice) => self.choice(id, *choice, env, back, oracle),
            ExprKind::Unary(op, a) => {
                let a = self.eval(id, a, env, back, oracle)?;
                total(ops::unary(*op, &a))
            }
            ExprKind::Binary(op, a, b) => self.binary(id, expr, *op, [a, b], env, back, oracle),
            ExprKind::If(c, a, b) => {
                let branch = if self.holds(id, c, env, back, oracle)? {
                    a
                } else {
                    b
                };
                self.eval(id, branch, env, back, oracle)
            }
            ExprKind::Merge(clock, cases) => {
                let clock = self.eval(id, clock, env, back, oracle)?;
                match cases.iter().find(|(value, _)| *value == clock) {
                    Some((_, branch)) => self.eval(id, branch, env, back, oracle),
                    None => internal("a merge without a branch for its clock"),
                }
            }
            ExprKind::Arrow(first, then) => {
                let branch = if self.is_first(id, back) { first } else { then };
                self.eval(id, branch, env, back, oracle)
            }
            ExprKind::Pre(e, choice) => {
                if !self.is_first(id, back) {
                    return self.eval(id, e, env, back + 1, oracle);
                }
                match choice {
                    Some(choice) => self.choice(id, *choice, env, back, oracle),
                    None => self.default(id, &expr.ty, oracle),
                }
            }
            ExprKind::Convert(a) => {
                let a = self.eval(id, a, env, back, oracle)?;
                total(ops::convert(&a, &expr.ty))
            }
            ExprKind::AtMostOne(all) => {
                let mut holding = 0;
                for part in all {
                    holding += usize::from(self.holds(id, part, env, back, oracle)?);
                }
                Ok(Value::Bool(holding <= 1))
            }
            ExprKind::Fields(all) => {
                Ok(Value::Fields(self.all(id, all, env, back, oracle)?.into()))
            }
            ExprKind::Array(all) => {
                self.array_size(id, &expr.ty, oracle)?;
                Ok(Value::Array(self.all(id, all, env, back, oracle)?.into()))
            }
            ExprKind::Fill(element) => {
                let size = self.array_size(id, &expr.ty, oracle)?;
                let element = self.eval(id, element, env, back, oracle)?;
                Ok(Value::Array(vec![element; size].into()))
            }
            ExprKind::Field(base, at) => match self.eval(id, base, env, back, oracle)? {
                Value::Fields(fields) => total(fields.get(*at).cloned()),
                _ => internal("a field of something without fields"),
            },
            ExprKind::Index(..) => self.index(id, expr, env, back, oracle),
            ExprKind::Update(base, path, value) => {
                let base = self.eval(id, base, env, back, oracle)?;
                let value = self.eval(id, value, env, back, oracle)?;
                self.update(id, base, path, value, env, back, oracle)
            }
            ExprKind::Quantified(quantifier, vars, body) => {
                self.quantified(id, *quantifier, vars, body, env, back, oracle)
            }
            ExprKind::Call(call, output) => {
                let indices = self.indices(id, *call, env)?;
                if back == 0 {
                    return self.call_output(id, *call, &indices, *output, oracle);
                }
                let past = self.instances[id.0].history.get(back - 1);
                let outputs = past.and_then(|past| past.calls.get(&(*call, indices)));
                total(outputs.and_then(|outputs| outputs.get(*output).cloned()))
            }
        }
    }

    pub(crate) fn holds(
        &mut self,
        id: InstanceId,
        expr: &Expr,
        env: &Env,
        back: usize,
        oracle: &mut dyn Oracle,
    ) -> Eval<bool> {
        let value = self.eval(id, expr, env, back, oracle)?;
        total(value.as_bool())
    }

    fn all(
        &mut self,
        id: InstanceId,
        all: &[Expr],
        env: &Env,
        back: usize,
        oracle: &mut dyn Oracle,
    ) -> Eval<Vec<Value>> {
        all.iter()
            .map(|part| self.eval(id, part, env, back, oracle))
            .collect()
    }

    #[allow(clippy::too_many_arguments)]
    fn binary(
        &mut self,
        id: InstanceId,
        expr: &Expr,
        op: BinOp,
        [a, b]: [&Expr; 2],
        env: &Env,
        back: usize,
        oracle: &mut dyn Oracle,
    ) -> Eval<Value> {
        let a = self.eval(id, a, env, back, oracle)?;
        if let Some(value) = decided(op, &a) {
            return Ok(Value::Bool(value));
        }
        let ty = &expr.ty;
        let partial = Partial::of(op, &b.ty);
        let b = self.eval(id, b, env, back, oracle)?;
        if let Some(operation) = partial.filter(|_| !ops::is_defined(op, &b)) {
            let undefined = Undefined {
                operation,
                operands: vec![a, b],
                stream: None,
            };
            return self.unknown(id, undefined, ty, back, oracle);
        }
        self.effort.operate(&a, &b)?;
        limit_number(total(ops::binary(op, &a, &b))?)
    }

    /// Is the tick the first since the start or the last restart?
    fn is_first(&self, id: InstanceId, back: usize) -> bool {
        // After the step is over, the present is the latest of the past.
        self.instances[id.0].ticks_before() <= back
    }

    fn var_at(
        &mut self,
        id: InstanceId,
        var: VarId,
        back: usize,
        oracle: &mut dyn Oracle,
    ) -> Eval<Value> {
        if back == 0 {
            return self.var(id, var, oracle);
        }
        let past = self.instances[id.0].history.get(back - 1);
        total(past.and_then(|past| past.values.get(var.index()).cloned()))
    }

    /// The present value of a stream.
    pub(crate) fn var(
        &mut self,
        id: InstanceId,
        var: VarId,
        oracle: &mut dyn Oracle,
    ) -> Eval<Value> {
        if let Some(value) = &self.instances[id.0].present.values[var.index()] {
            return Ok(value.clone());
        }
        let value = self.compute_var(id, var, oracle)?;
        self.instances[id.0].present.values[var.index()] = Some(value.clone());
        Ok(value)
    }

    fn compute_var(&mut self, id: InstanceId, var: VarId, oracle: &mut dyn Oracle) -> Eval<Value> {
        let node = self.node_of(id);
        let declared = node.var(var);
        if let VarClass::Input { .. } = declared.class {
            return self.argument(id, var, oracle);
        }
        if let Some(choice) = declared.looped {
            return self.looped(id, var, choice, oracle);
        }
        let Some(def) = &declared.def else {
            return internal("a stream without a definition");
        };
        if def.indices.is_empty() {
            return self.eval(id, &def.expr, &[], 0, oracle);
        }
        self.row(id, var, &mut Vec::new(), &declared.ty, oracle)
    }

    /// The input of a callee: the argument, as the caller computes it.
    fn argument(&mut self, id: InstanceId, var: VarId, oracle: &mut dyn Oracle) -> Eval<Value> {
        let node = self.node_of(id);
        let Some((parent, step)) = self.instances[id.0].parent.clone() else {
            return internal("an input without a value");
        };
        let caller = self.node_of(parent);
        let call = caller.call(step.call);
        let Some(at) = node.inputs.iter().position(|input| *input == var) else {
            return internal("an input that is not in the interface");
        };
        let env: Vec<(BoundId, Value)> = bind(&call.indices, &step.indices);
        self.eval(parent, &call.args[at], &env, 0, oracle)
    }

    /// A stream that is chosen by its own value: what was assumed for it.
    fn looped(
        &mut self,
        id: InstanceId,
        var: VarId,
        choice: ChoiceId,
        oracle: &mut dyn Oracle,
    ) -> Eval<Value> {
        if let Some(value) = self.ask(id, choice, &[], 0, oracle) {
            self.instances[id.0].guesses.remove(&var);
            return Ok(value);
        }
        if let Some(guess) = self.instances[id.0].guesses.get(&var) {
            return Ok(guess.clone());
        }
        let ty = &self.node_of(id).var(var).ty;
        let guess = self.default(id, ty, oracle)?;
        self.instances[id.0].guesses.insert(var, guess.clone());
        Ok(guess)
    }

    /// An array, or a row of one, whose elements are defined one by one.
    fn row(
        &mut self,
        id: InstanceId,
        var: VarId,
        at: &mut Vec<usize>,
        ty: &Type,
        oracle: &mut dyn Oracle,
    ) -> Eval<Value> {
        let node = self.node_of(id);
        let depth = node
            .var(var)
            .def
            .as_ref()
            .map_or(0, |def| def.indices.len());
        if at.len() == depth {
            return self.element(id, var, at, oracle);
        }
        let Type::Array(array) = ty else {
            return internal("an array of another type");
        };
        let size = self.array_size(id, ty, oracle)?;
        let mut values = Vec::with_capacity(size);
        for index in 0..size {
            at.push(index);
            values.push(self.row(id, var, at, &array.element, oracle)?);
            at.pop();
        }
        Ok(Value::Array(values.into()))
    }

    fn element(
        &mut self,
        id: InstanceId,
        var: VarId,
        at: &[usize],
        oracle: &mut dyn Oracle,
    ) -> Eval<Value> {
        let key = (var, at.to_vec());
        if let Some(value) = self.instances[id.0].present.elements.get(&key) {
            return Ok(value.clone());
        }
        let node = self.node_of(id);
        let Some(def) = &node.var(var).def else {
            return internal("an array without a definition");
        };
        let env = bind(&def.indices, at);
        let value = self.eval(id, &def.expr, &env, 0, oracle)?;
        self.instances[id.0]
            .present
            .elements
            .insert(key, value.clone());
        Ok(value)
    }

    /// `A[i][j]`: if `A` is defined element by element, only what is needed.
    fn index(
        &mut self,
        id: InstanceId,
        expr: &Expr,
        env: &Env,
        back: usize,
        oracle: &mut dyn Oracle,
    ) -> Eval<Value> {
        let mut path = Vec::new();
        let mut base = expr;
        while let ExprKind::Index(inner, index) = &base.kind {
            path.push(&**index);
            base = inner;
        }
        path.reverse();
        let mut indices = Vec::with_capacity(path.len());
        for index in path {
            match self.eval(id, index, env, back, oracle)? {
                Value::Int(index) => indices.push(index),
                _ => return internal("an index that is not an integer"),
            }
        }
        if let (ExprKind::Var(var), 0) = (&base.kind, back) {
            let known = self.instances[id.0].present.values[var.index()].is_some();
            let declared = self.node_of(id).var(*var);
            let depth = declared.def.as_ref().map_or(0, |def| def.indices.len());
            if !known && depth > 0 && declared.looped.is_none() {
                return self.lazy_index(id, *var, &indices, depth, oracle);
            }
        }
        let value = self.eval(id, base, env, back, oracle)?;
        let var = match base.kind {
            ExprKind::Var(var) => Some(var),
            _ => None,
        };
        let path = Indexing {
            var,
            ..Indexing::of(&indices)
        };
        self.elements(id, value, &base.ty, path, back, oracle)
    }

    /// An array at a tick, if it is a stream that is defined by induction.
    fn inductive(&self, id: InstanceId, var: Option<VarId>, back: usize) -> Option<Inductive> {
        let var = var.filter(|var| self.node_of(id).is_inductive(*var))?;
        Some(Inductive {
            path: self.path(id),
            var,
            step: self.step_of(id, back),
        })
    }

    /// `A[i][j]` of an array of a type. Outside of the bounds there is an unknown value,
    /// of whose elements, if it is an array, the further indices choose.
    fn elements(
        &mut self,
        id: InstanceId,
        array: Value,
        ty: &Type,
        path: Indexing,
        back: usize,
        oracle: &mut dyn Oracle,
    ) -> Eval<Value> {
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
            let stream = self.inductive(id, var.take(), back);
            let operands = match stream {
                Some(_) => indices[..=at].iter().cloned().map(Value::Int).collect(),
                None => vec![value, Value::Int(index.clone())],
            };
            let undefined = Undefined {
                operation: Partial::Index,
                operands,
                stream,
            };
            value = self.unknown(id, undefined, ty, back, oracle)?;
        }
        Ok(value)
    }

    fn lazy_index(
        &mut self,
        id: InstanceId,
        var: VarId,
        indices: &[BigInt],
        depth: usize,
        oracle: &mut dyn Oracle,
    ) -> Eval<Value> {
        let declared = &self.node_of(id).var(var).ty;
        let mut ty = declared;
        let mut at = Vec::new();
        for index in indices.iter().take(depth) {
            let Type::Array(array) = ty else {
                return internal("an array of another type");
            };
            let size = self.size(id, &array.size, oracle)?;
            ty = &array.element;
            if let Some(index) = index.to_usize().filter(|index| *index < size) {
                at.push(index);
                continue;
            }
            let Some(stream) = self.inductive(id, Some(var), 0) else {
                // All elements are operands.
                let array = self.var(id, var, oracle)?;
                return self.elements(id, array, declared, Indexing::of(indices), 0, oracle);
            };
            let (here, rest) = indices.split_at(at.len() + 1);
            let undefined = Undefined {
                operation: Partial::Index,
                operands: here.iter().cloned().map(Value::Int).collect(),
                stream: Some(stream),
            };
            let value = self.unknown(id, undefined, ty, 0, oracle)?;
            return self.elements(id, value, ty, Indexing::of(rest), 0, oracle);
        }
        let path = Indexing {
            var: Some(var),
            indices,
            done: at.len(),
        };
        let value = self.row(id, var, &mut at, ty, oracle)?;
        self.elements(id, value, ty, path, 0, oracle)
    }

    /// A copy of a structured value with one part replaced; outside of the
    /// bounds nothing changes.
    #[allow(clippy::too_many_arguments)]
    fn update(
        &mut self,
        id: InstanceId,
        base: Value,
        path: &[Step],
        new: Value,
        env: &Env,
        back: usize,
        oracle: &mut dyn Oracle,
    ) -> Eval<Value> {
        let Some((step, rest)) = path.split_first() else {
            return Ok(new);
        };
        match (base, step) {
            (Value::Fields(fields), Step::Field(at)) => {
                let inner = total(fields.get(*at).cloned())?;
                let inner = self.update(id, inner, rest, new, env, back, oracle)?;
                Ok(Value::Fields(ops::replaced(&fields, *at, inner)))
            }
            (Value::Array(array), Step::Index(index)) => {
                let index = self.eval(id, index, env, back, oracle)?;
                let at = index.as_int().and_then(|index| index.to_usize());
                match at.filter(|at| *at < array.len()) {
                    Some(at) => {
                        self.effort.allocate(array.len())?;
                        let inner = array[at].clone();
                        let inner = self.update(id, inner, rest, new, env, back, oracle)?;
                        Ok(Value::Array(ops::replaced(&array, at, inner)))
                    }
                    None => Ok(Value::Array(array)),
                }
            }
            _ => internal("an update of something without parts"),
        }
    }

    /// The values of the indices that a call depends on.
    fn indices(&self, id: InstanceId, call: CallId, env: &Env) -> Eval<Vec<usize>> {
        let indices = &self.node_of(id).call(call).indices;
        indices
            .iter()
            .map(|bound| index_value(env, *bound))
            .collect()
    }

    /// Does the call tick? The answer starts the callee's tick.
    pub(crate) fn call_active(
        &mut self,
        id: InstanceId,
        call: CallId,
        indices: &[usize],
        oracle: &mut dyn Oracle,
    ) -> Eval<bool> {
        let key = (call, indices.to_vec());
        if let Some(active) = self.instances[id.0].present.calls.get(&key) {
            return Ok(*active);
        }
        let node = self.node_of(id);
        let declared = node.call(call);
        let env = bind(&declared.indices, indices);
        let active = match &declared.clock {
            Some(clock) => self.holds(id, clock, &env, 0, oracle)?,
            None => true,
        };
        self.instances[id.0].present.calls.insert(key, active);
        let child = self.child(id, call, indices)?;
        if active {
            let restarted = self.instances[id.0].present.restarted
                || match &declared.restart {
                    Some(restart) => self.holds(id, restart, &env, 0, oracle)?,
                    None => false,
                };
            let present = &mut self.instances[child.0].present;
            present.active = true;
            present.restarted = restarted;
        }
        Ok(active)
    }

    /// The present value of an output of a call. A call that does not tick
    /// holds its outputs; before its first tick they are the defaults.
    pub(crate) fn call_output(
        &mut self,
        id: InstanceId,
        call: CallId,
        indices: &[usize],
        output: usize,
        oracle: &mut dyn Oracle,
    ) -> Eval<Value> {
        if self.call_active(id, call, indices, oracle)? {
            let child = self.child(id, call, indices)?;
            let var = self.node_of(child).outputs[output];
            return self.var(child, var, oracle);
        }
        let declared = self.node_of(id).call(call);
        if !self.is_first(id, 0) {
            let key = (call, indices.to_vec());
            let past = self.instances[id.0].history.front();
            let outputs = past.and_then(|past| past.calls.get(&key));
            return total(outputs.and_then(|outputs| outputs.get(output).cloned()));
        }
        let env = bind(&declared.indices, indices);
        match &declared.defaults {
            Some(defaults) => self.eval(id, &defaults[output], &env, 0, oracle),
            None => self.choice(id, declared.inactive[output], &env, 0, oracle),
        }
    }

    /// The value of a choice at a tick.
    fn choice(
        &mut self,
        id: InstanceId,
        choice: ChoiceId,
        env: &Env,
        back: usize,
        oracle: &mut dyn Oracle,
    ) -> Eval<Value> {
        let declared = self.node_of(id).choice(choice);
        let indices: Eval<Vec<usize>> = declared
            .indices
            .iter()
            .map(|bound| index_value(env, *bound))
            .collect();
        let key = (choice, indices?);
        let every_step = declared.kind.every_step();
        let instance = &self.instances[id.0];
        let known = match (every_step, back) {
            (true, 0) => instance.present.choices.get(&key),
            (true, _) => instance
                .history
                .get(back - 1)
                .and_then(|past| past.choices.get(&key)),
            (false, 0) => instance.present.first_choices.get(&key),
            (false, _) => instance.first_choices.get(&key),
        };
        if let Some(value) = known {
            return Ok(value.clone());
        }
        let value = match self.ask(id, choice, &key.1, back, oracle) {
            Some(value) => value,
            None => {
                self.note_defaulted(id, choice);
                self.default(id, &declared.ty, oracle)?
            }
        };
        let instance = &mut self.instances[id.0];
        match (every_step, back) {
            (true, 0) => instance.present.choices.insert(key, value.clone()),
            (true, _) => match instance.history.get_mut(back - 1) {
                Some(past) => past.choices.insert(key, value.clone()),
                None => None,
            },
            (false, 0) => instance.present.first_choices.insert(key, value.clone()),
            (false, _) => instance.first_choices.insert(key, value.clone()),
        };
        Ok(value)
    }

    fn ask(
        &self,
        id: InstanceId,
        choice: ChoiceId,
        indices: &[usize],
        back: usize,
        oracle: &mut dyn Oracle,
    ) -> Option<Value> {
        oracle.choose(&ChoiceSite {
            path: self.path(id),
            node: self.instances[id.0].node,
            choice,
            indices: indices.to_vec(),
            step: self.step_of(id, back),
        })
    }

    fn note_defaulted(&mut self, id: InstanceId, choice: ChoiceId) {
        let node = self.node_of(id);
        let site = node.choice(choice);
        let what = match site.kind {
            lang::ChoiceKind::Pre => "a `pre` without initial value".to_owned(),
            lang::ChoiceKind::Undefined(var) | lang::ChoiceKind::Loop(var) => {
                format!("the output `{}` without definition", node.var(var).name)
            }
            lang::ChoiceKind::Imported(var) => {
                format!("the output `{}` of an imported node", node.var(var).name)
            }
            lang::ChoiceKind::Hole(var) => {
                format!("`{}` where no branch defines it", node.var(var).name)
            }
            lang::ChoiceKind::Fault(var) => {
                format!("`{}` while it fails", node.var(var).name)
            }
            lang::ChoiceKind::Inactive(call, _) => {
                let callee = node.call(call).node;
                let name = self.program.node(callee).name;
                format!("`{name}` before its first activation")
            }
            lang::ChoiceKind::Cut(call) => {
                let callee = node.call(call).node;
                let name = self.program.node(callee).name;
                format!("what passes to or from `{name}`")
            }
        };
        self.note_default(format!("{what}, in node `{}`", node.name));
    }

    fn constant(&mut self, id: ConstId, oracle: &mut dyn Oracle) -> Eval<Value> {
        if let Some(value) = &self.consts[id.index()] {
            return Ok(value.clone());
        }
        let top = crate::simulator::TOP;
        let constant = self.program.constant(id);
        let value = match &constant.value {
            Some(value) => self.eval(top, value, &[], 0, oracle)?,
            None => {
                self.note_default(format!("the free constant `{}`", constant.name));
                self.default(top, &constant.ty, oracle)?
            }
        };
        self.consts[id.index()] = Some(value.clone());
        Ok(value)
    }

    /// How many elements an array of the size has.
    pub(crate) fn size(
        &mut self,
        id: InstanceId,
        size: &Size,
        oracle: &mut dyn Oracle,
    ) -> Eval<usize> {
        let mut sum = BigInt::default();
        for (product, factor) in size.terms() {
            let mut term = factor.clone();
            for atom in product {
                let value = match atom {
                    SizeAtom::Const(constant) => self.constant(*constant, oracle)?,
                    SizeAtom::Var(var) => self.const_input(id, *var, oracle)?,
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
    fn array_size(&mut self, id: InstanceId, ty: &Type, oracle: &mut dyn Oracle) -> Eval<usize> {
        let Type::Array(array) = ty else {
            return internal("an array of another type");
        };
        let size = self.size(id, &array.size, oracle)?;
        let scalars = size.saturating_mul(self.scalars(id, &array.element, oracle)?);
        if scalars > MAX_SIZE {
            return Err(SimError::TooLarge {
                what: format!("an array of {scalars} elements in all"),
            });
        }
        self.effort.allocate(size)?;
        Ok(size)
    }

    /// How many scalars a value of the type holds.
    fn scalars(&mut self, id: InstanceId, ty: &Type, oracle: &mut dyn Oracle) -> Eval<usize> {
        let program = self.program;
        let mut sum = 0usize;
        match ty {
            Type::Array(array) => {
                let size = self.size(id, &array.size, oracle)?;
                let element = self.scalars(id, &array.element, oracle)?;
                return Ok(size.saturating_mul(element));
            }
            Type::Tuple(parts) => {
                for part in parts.iter() {
                    sum = sum.saturating_add(self.scalars(id, part, oracle)?);
                }
            }
            Type::Record(record) => {
                for (_, ty) in &program.record(*record).fields {
                    sum = sum.saturating_add(self.scalars(id, ty, oracle)?);
                }
            }
            _ => sum = 1,
        }
        Ok(sum)
    }

    /// A constant input has the value of the present tick, or of the last one
    /// when there is none.
    fn const_input(&mut self, id: InstanceId, var: VarId, oracle: &mut dyn Oracle) -> Eval<Value> {
        let instance = &self.instances[id.0];
        if !instance.present.active
            && let Some(past) = instance.history.front()
        {
            return Ok(past.values[var.index()].clone());
        }
        self.var(id, var, oracle)
    }

    /// The default value of a type; arrays have as many elements as in the
    /// instance.
    pub(crate) fn default(
        &mut self,
        id: InstanceId,
        ty: &Type,
        oracle: &mut dyn Oracle,
    ) -> Eval<Value> {
        let program = self.program;
        Ok(match ty {
            Type::Tuple(parts) => {
                let parts: Eval<Vec<Value>> = parts
                    .iter()
                    .map(|part| self.default(id, part, oracle))
                    .collect();
                Value::Fields(parts?.into())
            }
            Type::Record(record) => {
                let fields = program.record(*record).fields.iter();
                let fields: Eval<Vec<Value>> =
                    fields.map(|(_, ty)| self.default(id, ty, oracle)).collect();
                Value::Fields(fields?.into())
            }
            Type::Array(array) => {
                let size = self.array_size(id, ty, oracle)?;
                let element = self.default(id, &array.element, oracle)?;
                Value::Array(vec![element; size].into())
            }
            scalar => program.default_value(scalar, &|_| 0),
        })
    }
}

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

/// The value of an operation that its left operand alone decides.
fn decided(op: BinOp, left: &Value) -> Option<bool> {
    match op {
        BinOp::And => (*left == Value::Bool(false)).then_some(false),
        BinOp::Or => (*left == Value::Bool(true)).then_some(true),
        BinOp::Implies => (*left == Value::Bool(false)).then_some(true),
        BinOp::Xor | BinOp::Eq | BinOp::Neq => None,
        BinOp::Lt | BinOp::Le | BinOp::Gt | BinOp::Ge => None,
        BinOp::Add | BinOp::Sub | BinOp::Mul | BinOp::Div | BinOp::Mod => None,
        BinOp::BitAnd | BinOp::BitOr | BinOp::Lsh | BinOp::Rsh => None,
    }
}

fn total<T>(value: Option<T>) -> Eval<T> {
    match value {
        Some(value) => Ok(value),
        None => internal("a value of another type"),
    }
}

fn lookup(env: &Env, bound: BoundId) -> Eval<Value> {
    match env.iter().rev().find(|(id, _)| *id == bound) {
        Some((_, value)) => Ok(value.clone()),
        None => internal("an index without a value"),
    }
}

fn index_value(env: &Env, bound: BoundId) -> Eval<usize> {
    let value = lookup(env, bound)?;
    total(value.as_int().and_then(|value| value.to_usize()))
}

fn bind(bounds: &[BoundId], indices: &[usize]) -> Vec<(BoundId, Value)> {
    let values = indices.iter().map(|index| Value::int(*index));
    bounds.iter().copied().zip(values).collect()
}
