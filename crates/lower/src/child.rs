//! The instances that calls run, when they run, and their outputs as the caller sees them.

use lang::{BoundId, CallId, PathStep};
use system::{Role, Sort, Term, and, boolean, ite, or};

use crate::instance::{Context, Env, InstanceId, constant_indices};
use crate::lowerer::Lowerer;
use crate::shape::{Leaf, Shape};
use crate::slots::Slot;
use crate::{Lower, Part, Unsupported};

impl<'p> Lowerer<'p> {
    /// The instance that a call runs.
    pub fn child(&mut self, id: InstanceId, call: CallId, env: &Env) -> Lower<InstanceId> {
        self.aside(|this| this.child_of(id, call, env))
    }

    fn child_of(&mut self, id: InstanceId, call: CallId, env: &Env) -> Lower<InstanceId> {
        let node = self.node_of(id);
        let declared = node.call(call);
        let indices = constant_indices(&declared.indices, env)?;
        let key = (call, indices.clone());
        if let Some(child) = self.instances[id.0].children.get(&key) {
            return Ok(*child);
        }
        let context = self.child_context(id, call, env)?;
        let step = PathStep { call, indices };
        let child = self.add_instance(declared.node, context, Some((id, step)))?;
        self.instances[id.0].children.insert(key, child);
        Ok(child)
    }

    fn child_context(&mut self, id: InstanceId, call: CallId, env: &Env) -> Lower<Context> {
        let declared = self.node_of(id).call(call);
        let own = self.context(id);
        let restart = match &declared.restart {
            Some(restart) => self.scalar(id, restart, env)?,
            None => boolean(false),
        };
        let Some(clock) = &declared.clock else {
            return Ok(Context {
                first: or([own.first, restart]),
                fresh: own.fresh,
                tick: own.tick,
            });
        };
        let clock = self.scalar(id, clock, env)?;
        let tick = and([own.tick.clone(), clock]);
        let name = format!("{}idle{}", self.prefix(id), call.0);
        let idle = self.state(&name, Sort::Bool, Some(boolean(true)));
        let indices = constant_indices(&declared.indices, env)?;
        let memory = Shape::Leaf(idle.clone(), Leaf::Bool);
        self.keep(id, Slot::Idle(call, indices), &memory);
        // A restart of the caller restarts the callee, whether the callee ticks or not.
        let reset = or([own.first.clone(), idle.clone()]);
        let fresh = or([own.fresh.clone(), idle.clone()]);
        let next = ite(&own.tick, &ite(&tick, &boolean(false), &reset), &idle);
        self.set_next(&idle, next);
        Ok(Context {
            tick,
            first: or([reset, restart]),
            fresh,
        })
    }

    /// An output of a call, a stream of the caller.
    pub fn call_output(
        &mut self,
        id: InstanceId,
        call: CallId,
        output: usize,
        env: &Env,
    ) -> Lower<Shape> {
        self.aside(|this| this.output(id, call, output, env))
    }

    fn output(&mut self, id: InstanceId, call: CallId, output: usize, env: &Env) -> Lower<Shape> {
        if self.is_for_each(id, call, env) {
            return self.each_output(id, call, output, env);
        }
        let node = self.node_of(id);
        let declared = node.call(call);
        let indices = constant_indices(&declared.indices, env)?;
        let key = (call, indices, output);
        if let Some(shape) = self.instances[id.0].outputs.get(&key) {
            return Ok(shape.clone());
        }
        let child = self.child(id, call, env)?;
        let callee = self.node_of(child);
        let var = callee.outputs[output];
        let name = format!("{}{}", self.prefix(child), callee.var(var).name);
        let ty = &declared.output_types[output];
        let stream = self.new_vars(id, ty, &name, Role::Stream, 0)?;
        self.instances[id.0].outputs.insert(key, stream.clone());
        let value = match &declared.clock {
            Some(_) => self.held(id, call, output, child, env)?,
            None => self.var(child, var)?,
        };
        let element = self.element(Part::Call(self.instances[id.0].node, call))?;
        self.define(id, &stream, &value, element, ty)?;
        Ok(stream)
    }

    /// An output of a clocked call, held while it does not tick.
    fn held(
        &mut self,
        id: InstanceId,
        call: CallId,
        output: usize,
        child: InstanceId,
        env: &Env,
    ) -> Lower<Shape> {
        let declared = self.node_of(id).call(call);
        let before = match &declared.defaults {
            Some(defaults) => self.expr(id, &defaults[output], env)?,
            None => self.choice(id, declared.inactive[output], env)?,
        };
        let var = self.node_of(child).outputs[output];
        let value = self.var(child, var)?;
        let name = format!("{}held{}.{output}", self.prefix(id), call.0);
        let held = self.new_memory(id, &declared.output_types[output], &name)?;
        let indices = constant_indices(&declared.indices, env)?;
        self.keep(id, Slot::Held(call, indices, output), &held);
        let own = self.context(id);
        let tick = self.context(child).tick;
        let idle = before.zip(&held, &mut |before, held| ite(&own.first, before, held))?;
        let shape = value.zip(&idle, &mut |value, idle| ite(&tick, value, idle))?;
        self.remember(id, &held, &shape)?;
        Ok(shape)
    }

    /// Every instance below one, with all combinations of array indices. Calls for
    /// each element of an array of open size have none.
    pub fn all_children(&mut self, id: InstanceId) -> Lower<Vec<InstanceId>> {
        let node = self.node_of(id);
        let mut children = Vec::new();
        for call in node.live_calls() {
            if self.has_open_index(id, call)? {
                self.can_be_for_each(id, call)?;
                continue;
            }
            let mut envs: Vec<Vec<(BoundId, Term)>> = vec![Vec::new()];
            for bound in &node.call(call).indices {
                let lang::BoundKind::Index(size) = &node.bound(*bound).kind else {
                    return Err(Unsupported(
                        "a call that depends on a quantified variable".into(),
                    ));
                };
                let size = self.size_in(id, size)?;
                self.room.for_instances(envs.len().saturating_mul(size))?;
                envs = envs
                    .into_iter()
                    .flat_map(|env| {
                        (0..size).map(move |at| {
                            let mut longer = env.clone();
                            longer.push((*bound, system::integer(at)));
                            longer
                        })
                    })
                    .collect();
            }
            for env in envs {
                children.push(self.child(id, call, &env)?);
            }
        }
        Ok(children)
    }
}
