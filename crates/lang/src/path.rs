//! The way from the top node of a run to an instance.

use crate::program::CallId;

/// A call on the way from the top node to an instance; the indices tell apart
/// the instances of a call in an array definition.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct PathStep {
    pub call: CallId,
    pub indices: Vec<usize>,
}

/// The calls on the way from the top node to an instance.
pub type InstancePath = Vec<PathStep>;
