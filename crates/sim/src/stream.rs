//! The values of streams, and of arrays whose elements are defined one by one.

use lang::{BoundId, ChoiceId, Type, Value, VarClass, VarId};

use crate::error::internal;
use crate::eval::{Cursor, Eval, bind, total};

impl Cursor<'_, '_> {
    /// The value of a stream at the tick.
    pub fn stream(&mut self, var: VarId) -> Eval<Value> {
        if self.back == 0 {
            return self.present(var);
        }
        let past = self.instance().history.get(self.back - 1);
        total(past.and_then(|past| past.values.get(var.index()).cloned()))
    }

    /// The present value of a stream.
    pub fn present(&mut self, var: VarId) -> Eval<Value> {
        if let Some(value) = &self.instance().present.values[var.index()] {
            return Ok(value.clone());
        }
        let value = self.at(self.id, &[]).computed(var)?;
        self.instance_mut().present.values[var.index()] = Some(value.clone());
        Ok(value)
    }

    fn computed(&mut self, var: VarId) -> Eval<Value> {
        let declared = self.node().var(var);
        if let VarClass::Input { .. } = declared.class {
            return self.argument(var);
        }
        if let Some(choice) = declared.looped {
            return self.looped(var, choice);
        }
        let Some(def) = &declared.def else {
            return internal("a stream without a definition");
        };
        if def.indices.is_empty() {
            return self.eval(&def.expr);
        }
        self.row(var, &mut Vec::new(), &declared.ty)
    }

    /// The input of a callee: the argument, as the caller computes it.
    fn argument(&mut self, var: VarId) -> Eval<Value> {
        let node = self.node();
        let Some((parent, step)) = self.instance().parent.clone() else {
            return internal("an input without a value");
        };
        let call = self.sim.node_of(parent).call(step.call);
        let Some(at) = node.inputs.iter().position(|input| *input == var) else {
            return internal("an input that is not in the interface");
        };
        let env: Vec<(BoundId, Value)> = bind(&call.indices, &step.indices);
        self.at(parent, &env).eval(&call.args[at])
    }

    /// The value that was assumed for a stream whose branches are chosen by its own value.
    fn looped(&mut self, var: VarId, choice: ChoiceId) -> Eval<Value> {
        if let Some(value) = self.ask(choice, &[]) {
            self.instance_mut().guesses.remove(&var);
            return Ok(value);
        }
        if let Some(guess) = self.instance().guesses.get(&var) {
            return Ok(guess.clone());
        }
        let guess = self.default(&self.node().var(var).ty)?;
        self.instance_mut().guesses.insert(var, guess.clone());
        Ok(guess)
    }

    /// An array, or a row of one, whose elements are defined one by one.
    pub fn row(&mut self, var: VarId, at: &mut Vec<usize>, ty: &Type) -> Eval<Value> {
        let def = self.node().var(var).def.as_ref();
        if at.len() == def.map_or(0, |def| def.indices.len()) {
            return self.element(var, at);
        }
        let Type::Array(array) = ty else {
            return internal("an array of another type");
        };
        let size = self.array_size(ty)?;
        let mut values = Vec::with_capacity(size);
        for index in 0..size {
            at.push(index);
            values.push(self.row(var, at, &array.element)?);
            at.pop();
        }
        Ok(Value::Array(values.into()))
    }

    fn element(&mut self, var: VarId, at: &[usize]) -> Eval<Value> {
        let key = (var, at.to_vec());
        if let Some(value) = self.instance().present.elements.get(&key) {
            return Ok(value.clone());
        }
        let Some(def) = &self.node().var(var).def else {
            return internal("an array without a definition");
        };
        let env = bind(&def.indices, at);
        let value = self.at(self.id, &env).eval(&def.expr)?;
        let elements = &mut self.instance_mut().present.elements;
        elements.insert(key, value.clone());
        Ok(value)
    }
}
