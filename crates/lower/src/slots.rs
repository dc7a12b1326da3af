//! Instances as components of a system.
//!
//! A node is translated in the same way by itself and wherever it is called: what
//! an instance remembers has a place in its node, a [`Slot`]. So what is known of
//! the node by itself can be said of each of its calls.

use std::collections::{BTreeMap, HashMap};

use lang::{CallId, ChoiceId, InstancePath, NodeId, VarId};
use syntax::Span;
use system::Term;

use crate::instance::InstanceId;
use crate::lowerer::Lowerer;
use crate::shape::Shape;

/// The place in a node of something that an instance is given or remembers.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Slot {
    Input(VarId),
    Choice(ChoiceId, Vec<usize>),
    /// The memory behind `pre x`.
    Stream(VarId),
    /// The memory behind `pre` of another expression, for some indices.
    Expression(Span, Vec<usize>),
    /// Whether a clocked call has not run since its caller started.
    Idle(CallId, Vec<usize>),
    /// What an output of a clocked call was at its last tick.
    Held(CallId, Vec<usize>, usize),
    /// Whether the assumptions have held so far.
    Assumptions,
}

/// An instance, in terms of the tagged system.
#[derive(Clone, Debug)]
pub struct InstanceSlots {
    pub path: InstancePath,
    pub node: NodeId,
    /// Whether it runs at this step.
    pub tick: Term,
    /// Whether this is its first tick, or a restart.
    pub first: Term,
    /// The same as far as it is known without looking at this step: it has not
    /// run since it was started.
    pub fresh: Term,
    /// Where its promises rest on assumptions: these hold and have held so far.
    pub owed: Option<Term>,
    pub slots: BTreeMap<Slot, Shape>,
    /// The streams that something depends on.
    pub streams: HashMap<VarId, Shape>,
    /// Outputs of calls without indices, as this instance sees them.
    pub outputs: HashMap<(CallId, usize), Shape>,
}

impl Lowerer<'_> {
    /// All instances that were looked at.
    pub(crate) fn slots(&self) -> Vec<InstanceSlots> {
        let ids = (0..self.instances.len()).map(InstanceId);
        let mut parts: Vec<InstanceSlots> = ids.map(|id| self.slots_of(id)).collect();
        let by_path: HashMap<InstancePath, usize> = parts
            .iter()
            .enumerate()
            .map(|(at, part)| (part.path.clone(), at))
            .collect();
        for (key, shape) in &self.choices {
            if let Some(at) = by_path.get(&key.path) {
                let slot = Slot::Choice(key.choice, key.indices.clone());
                parts[*at].slots.insert(slot, shape.clone());
            }
        }
        parts
    }

    fn slots_of(&self, id: InstanceId) -> InstanceSlots {
        let instance = &self.instances[id.0];
        let context = self.context(id);
        let mut slots: BTreeMap<Slot, Shape> = BTreeMap::new();
        let mut ambiguous = Vec::new();
        for (slot, shape) in &instance.slots {
            if slots.insert(slot.clone(), shape.clone()).is_some() {
                ambiguous.push(slot);
            }
        }
        ambiguous.into_iter().for_each(|slot| {
            slots.remove(slot);
        });
        for input in &self.node_of(id).inputs {
            if let Some(shape) = &instance.values[input.index()] {
                slots.insert(Slot::Input(*input), shape.clone());
            }
        }
        let streams = instance.values.iter().enumerate();
        let streams = streams.filter_map(|(at, shape)| Some((VarId(at as u32), shape.clone()?)));
        let outputs = instance.outputs.iter();
        let outputs = outputs.filter(|((_, indices, _), _)| indices.is_empty());
        InstanceSlots {
            streams: streams.collect(),
            outputs: outputs
                .map(|((call, _, at), shape)| ((*call, *at), shape.clone()))
                .collect(),
            path: self.path(id),
            node: instance.node,
            tick: context.tick,
            first: context.first,
            fresh: context.fresh,
            owed: instance.owed.clone(),
            slots,
        }
    }
}
