//! What a run has computed, instance by instance.

use lang::{NodeId, PathStep, Value, VarId};

use crate::unknown::Unknown;

/// The values of all streams at all steps.
#[derive(Clone, Debug)]
pub struct Trace {
    pub top: InstanceTrace,
    pub steps: usize,
    /// The values that operations had outside of their domain.
    pub unknowns: Vec<Unknown>,
}

/// The values of the streams of one instance.
#[derive(Clone, Debug)]
pub struct InstanceTrace {
    pub node: NodeId,
    /// `None` for the top node.
    pub call: Option<PathStep>,
    /// By step: the values of all streams, or `None` where the instance is not
    /// active.
    pub steps: Vec<Option<Vec<Value>>>,
    /// In the order of the calls.
    pub children: Vec<InstanceTrace>,
}

impl InstanceTrace {
    pub fn value(&self, step: usize, var: VarId) -> Option<&Value> {
        self.steps.get(step)?.as_ref()?.get(var.index())
    }
}
