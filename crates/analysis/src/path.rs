//! Paths of the system from any state, as traces of the program.
//!
//! The interpreter starts in the initial state, so it cannot compute these paths; the values of all
//! streams come from the solver.

use std::collections::HashMap;

use engines::{Observation, Run};
use lang::{NodeId, Program, Value};
use lower::{InstanceStreams, Leaf, Shape};
use sim::{InstancePath, InstanceTrace, Trace};

use crate::run_values::{Observations, Values};

/// Adds the streams of all instances, as far as they are lowered, to the observed terms.
pub(crate) fn observe(instances: &[InstanceStreams], observed: &mut Observations) {
    for instance in instances {
        observed.add(&Shape::Leaf(instance.tick.clone(), Leaf::Bool));
        for shape in &instance.values {
            observed.add(shape);
        }
    }
}

/// The path as a trace; `None` if some value cannot be represented.
pub(crate) fn trace(
    program: &Program,
    top: NodeId,
    instances: &[InstanceStreams],
    observed: &[Observation],
    run: &Run,
) -> Option<Trace> {
    let values = Values::new(program, observed, run);
    let mut children: HashMap<InstancePath, Vec<&InstanceStreams>> = HashMap::new();
    let mut root = None;
    for instance in instances {
        match instance.path.split_last() {
            Some((_, parent)) => children.entry(parent.to_vec()).or_default().push(instance),
            None => root = Some(instance),
        }
    }
    let tree = Tree {
        program,
        values,
        children,
        steps: run.steps.len(),
    };
    Some(Trace {
        unknowns: Vec::new(),
        top: tree.instance(root?, top)?,
        steps: run.steps.len(),
    })
}

struct Tree<'a> {
    program: &'a Program,
    values: Values<'a>,
    children: HashMap<InstancePath, Vec<&'a InstanceStreams>>,
    steps: usize,
}

impl Tree<'_> {
    fn instance(&self, streams: &InstanceStreams, node: NodeId) -> Option<InstanceTrace> {
        let mut below: Vec<&InstanceStreams> = Vec::new();
        below.extend(self.children.get(&streams.path).into_iter().flatten());
        below.sort_by_key(|child| {
            let step = child.path.last();
            step.map(|step| (step.call, step.indices.clone()))
        });
        let children = below.into_iter().map(|child| {
            let call = child.path.last()?.call;
            self.instance(child, self.program.node(node).call(call).node)
        });
        let steps = (0..self.steps).map(|step| self.at(streams, step));
        Some(InstanceTrace {
            node,
            call: streams.path.last().cloned(),
            steps: steps.collect::<Option<_>>()?,
            children: children.collect::<Option<_>>()?,
        })
    }

    /// The values at a step; an inner `None` if the instance is not active.
    fn at(&self, streams: &InstanceStreams, step: usize) -> Option<Option<Vec<Value>>> {
        let tick = Shape::Leaf(streams.tick.clone(), Leaf::Bool);
        if self.values.value(&tick, step)? == Value::Bool(false) {
            return Some(None);
        }
        let values = streams.values.iter();
        let values: Option<Vec<Value>> = values.map(|v| self.values.value(v, step)).collect();
        Some(Some(values?))
    }
}
