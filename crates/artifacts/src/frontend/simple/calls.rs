//! Calls: when an instance runs, and what its caller sees of it.

use lang::{Call, CallId, Type};

use super::not_covered;
use super::value::{Val, conjunction, size_of};
use super::{Bound, Bounds, Called, Indices, Instance, Key, Path, Simple, Translator, call_name};

impl<'p> Translator<'p> {
    /// All instances of a call: one, or one for each value of the indices of the array
    /// definition that it stands in.
    pub(super) fn instances_of(&mut self, path: &Path, id: CallId) -> Simple<Vec<Path>> {
        let node = self.node(path)?;
        let call = node.call(id);
        let mut all: Vec<Indices> = vec![Indices::new()];
        for bound in &call.indices {
            let lang::BoundKind::Index(size) = &node.bound(*bound).kind else {
                return not_covered("a call for each value of a quantifier")
                    .map_err(|error| error.at(call.span));
            };
            let size = size_of(size).map_err(|error| error.at(call.span))?;
            let longer = all
                .iter()
                .flat_map(|indices| (0..size).map(|at| [indices.as_slice(), &[at]].concat()));
            all = longer.collect();
        }
        let mut paths = Vec::new();
        for indices in all {
            self.bounds = bounds(call, &indices);
            paths.push(self.call(path, id)?);
            self.bounds.clear();
        }
        Ok(paths)
    }

    /// The call that is meant where indices have the values of this moment.
    fn called(&self, path: &Path, id: CallId) -> Simple<Called> {
        let indices = self.node(path)?.call(id).indices.iter();
        let indices = indices.map(|bound| self.index(*bound));
        Ok(Called {
            call: id,
            indices: indices.collect::<Simple<Indices>>()?,
        })
    }

    /// The instance of a call, with its context.
    fn call(&mut self, path: &Path, id: CallId) -> Simple<Path> {
        let called = self.called(path, id)?;
        let mut below = path.clone();
        below.push(called.clone());
        if self.instances.contains_key(&below) {
            return Ok(below);
        }
        let call = self.node(path)?.call(id);
        let around = std::mem::replace(&mut self.bounds, bounds(call, &called.indices));
        let instance = self.context(path, call, called);
        self.bounds = around;
        self.instances.insert(below.clone(), instance?);
        Ok(below)
    }

    /// When the instance of a call runs, and when it starts anew.
    fn context(&mut self, path: &Path, call: &'p Call, called: Called) -> Simple<Instance> {
        let caller = self.at(path)?;
        let mut first = vec![caller.first.clone()];
        if let Some(restart) = &call.restart {
            first.push(self.expr(path, restart)?.scalar()?.to_owned());
        }
        let mut tick = caller.tick.clone();
        if let Some(clock) = &call.clock {
            let clock = self.expr(path, clock)?;
            tick = conjunction(&[tick.as_str(), clock.scalar()?]);
            let name = self.name(path, &format!("{}!idle", call_name(&called)));
            let key = Key::Idle(path.clone(), called);
            let idle = self.variable(key.clone(), &Type::Bool, &name)?;
            let idle = idle.scalar()?;
            first.push(idle.to_owned());
            // It starts anew with its caller, whether it runs or not.
            let next = format!(
                "(ite {} (and (not {tick}) (or {idle} {})) {idle})",
                caller.tick, caller.first
            );
            self.set_memory(&key, Some("true"), Val::Scalar(next));
        }
        let first = match first.as_slice() {
            [one] => one.clone(),
            all => format!("(or {})", all.join(" ")),
        };
        Ok(Instance {
            node: call.node,
            tick,
            first,
        })
    }

    /// An output of a call as the caller sees it.
    pub(super) fn output(&mut self, path: &Path, id: CallId, at: usize) -> Simple<Val> {
        let called = self.called(path, id)?;
        let key = Key::Output(path.clone(), called.clone(), at);
        if let Some(val) = self.known(&key) {
            return Ok(val);
        }
        let below = self.call(path, id)?;
        let call = self.node(path)?.call(id);
        let ty = &call.output_types[at];
        let name = self.name(path, &format!("{}!output{at}", call_name(&called)));
        let val = self.variable(key.clone(), ty, &name)?;
        let output = self.node(&below)?.outputs[at];
        let mut value = self.stream(&below, output)?;
        if call.clock.is_some() {
            let before = match &call.defaults {
                Some(defaults) => self.expr(path, &defaults[at])?,
                None => self.choice(path, call.inactive[at])?,
            };
            let name = self.name(path, &format!("{}!held{at}", call_name(&called)));
            let held = Key::Held(path.clone(), called, at);
            let memory = self.variable(held.clone(), ty, &name)?;
            let (caller, tick) = (self.at(path)?, self.at(&below)?.tick);
            let idle = before.or_else(&caller.first, &memory)?;
            value = value.or_else(&tick, &idle)?;
            let next = val.or_else(&caller.tick, &memory)?;
            self.set_memory(&held, None, next);
        }
        self.define(&key, value);
        Ok(val)
    }
}

/// The indices of a call with these values.
pub(super) fn bounds(call: &Call, indices: &[usize]) -> Bounds {
    let values = indices.iter().map(|at| Bound::Index(*at));
    call.indices.iter().copied().zip(values).collect()
}
