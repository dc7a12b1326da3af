//! Calls: when the callee ticks, and what the caller sees of it.

use lang::{CallId, Value};

use crate::eval::{Cursor, Eval, bind, index_values, total};

impl Cursor<'_, '_> {
    /// The value of an output of a call at the tick.
    pub fn output(&mut self, call: CallId, output: usize) -> Eval<Value> {
        let indices = index_values(self.env, &self.node().call(call).indices)?;
        if self.back == 0 {
            return self.call_output(call, &indices, output);
        }
        let past = self.instance().history.get(self.back - 1);
        let outputs = past.and_then(|past| past.calls.get(&(call, indices)));
        total(outputs.and_then(|outputs| outputs.get(output).cloned()))
    }

    /// Does the call tick? The answer starts the callee's tick.
    pub fn call_active(&mut self, call: CallId, indices: &[usize]) -> Eval<bool> {
        let key = (call, indices.to_vec());
        if let Some(active) = self.instance().present.calls.get(&key) {
            return Ok(*active);
        }
        let declared = self.node().call(call);
        let env = bind(&declared.indices, indices);
        let active = match &declared.clock {
            Some(clock) => self.at(self.id, &env).holds(clock)?,
            None => true,
        };
        self.instance_mut().present.calls.insert(key, active);
        let child = self.sim.child(self.id, call, indices)?;
        if active {
            let restarted = self.instance().present.restarted
                || match &declared.restart {
                    Some(restart) => self.at(self.id, &env).holds(restart)?,
                    None => false,
                };
            let present = &mut self.sim.instances[child.0].present;
            present.active = true;
            present.restarted = restarted;
        }
        Ok(active)
    }

    /// The present value of an output of a call. A call that does not tick
    /// holds its outputs; before its first tick they are the defaults.
    pub fn call_output(&mut self, call: CallId, indices: &[usize], output: usize) -> Eval<Value> {
        if self.call_active(call, indices)? {
            let child = self.sim.child(self.id, call, indices)?;
            let var = self.sim.node_of(child).outputs[output];
            return self.at(child, &[]).present(var);
        }
        let declared = self.node().call(call);
        if !self.is_first() {
            let key = (call, indices.to_vec());
            let past = self.instance().history.front();
            let outputs = past.and_then(|past| past.calls.get(&key));
            return total(outputs.and_then(|outputs| outputs.get(output).cloned()));
        }
        let env = bind(&declared.indices, indices);
        let mut here = self.at(self.id, &env);
        match &declared.defaults {
            Some(defaults) => here.eval(&defaults[output]),
            None => here.choice(declared.inactive[output]),
        }
    }
}
