//! Instances of nodes, their contexts and their memory.

use std::collections::HashMap;

use lang::{BoundId, CallId, Expr, Node, NodeId, PathStep, VarId};
use system::Term;

use crate::lowerer::Lowerer;
use crate::shape::Shape;
use crate::slots::Slot;
use crate::{Lower, Unsupported};

/// Which of the lowerer's instances.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub(crate) struct InstanceId(pub usize);

pub(crate) const TOP: InstanceId = InstanceId(0);

/// Values of index and quantified variables.
pub(crate) type Env = [(BoundId, Term)];

/// When an instance runs.
#[derive(Clone, Debug)]
pub(crate) struct Context {
    pub tick: Term,
    pub first: Term,
    /// `first` without the restarts of this step: the instance has not run since
    /// it was started.
    pub fresh: Term,
}

/// An expression of the program, where it stands, with the values of indices.
type Occurrence = (*const Expr, Vec<(BoundId, Term)>);

pub(crate) struct Instance {
    pub node: NodeId,
    pub context: Context,
    pub parent: Option<(InstanceId, PathStep)>,
    pub values: Vec<Option<Shape>>,
    pub elements: HashMap<(VarId, Vec<usize>), Shape>,
    pub children: HashMap<(CallId, Vec<usize>), InstanceId>,
    /// Outputs of calls, as their caller sees them.
    pub outputs: HashMap<(CallId, Vec<usize>, usize), Shape>,
    /// Memory behind `pre x` of a stream, and of other expressions.
    pub stream_memory: HashMap<VarId, Shape>,
    pub memory: HashMap<Occurrence, Shape>,
    /// All memory, by its place in the node.
    pub slots: Vec<(Slot, Shape)>,
    /// Its assumptions hold and have held so far.
    pub owed: Option<Term>,
}

impl<'p> Lowerer<'p> {
    pub fn add_instance(
        &mut self,
        node: NodeId,
        context: Context,
        parent: Option<(InstanceId, PathStep)>,
    ) -> Lower<InstanceId> {
        let count = self.instances.len();
        let growth = match count < self.instances.capacity() {
            true => 0,
            false => 2 * count * size_of::<Instance>(),
        };
        self.room.for_instance(count, growth as u64)?;
        let id = InstanceId(count);
        self.instances.push(Instance {
            node,
            context,
            parent,
            values: vec![None; self.program.node(node).vars.len()],
            elements: HashMap::new(),
            children: HashMap::new(),
            outputs: HashMap::new(),
            stream_memory: HashMap::new(),
            memory: HashMap::new(),
            slots: Vec::new(),
            owed: None,
        });
        Ok(id)
    }

    /// Takes note of memory that an instance has.
    pub fn keep(&mut self, id: InstanceId, slot: Slot, memory: &Shape) {
        let slots = &mut self.instances[id.0].slots;
        slots.push((slot, memory.clone()));
    }

    pub fn node_of(&self, id: InstanceId) -> &'p Node {
        self.program.node(self.instances[id.0].node)
    }

    pub fn context(&self, id: InstanceId) -> Context {
        self.instances[id.0].context.clone()
    }

    /// The names on the way to an instance, as reports show them.
    pub fn prefix(&self, id: InstanceId) -> String {
        let mut parts = Vec::new();
        let mut at = id;
        while let Some((parent, step)) = &self.instances[at.0].parent {
            let call = self.node_of(*parent).call(step.call);
            let position = self.sources.position(call.span);
            let indices: String = step.indices.iter().map(|i| format!("[{i}]")).collect();
            parts.push(format!(
                "{}[l{}c{}]{indices}.",
                self.node_of(at).name,
                position.line,
                position.column
            ));
            at = *parent;
        }
        parts.reverse();
        parts.concat()
    }

    pub fn path(&self, id: InstanceId) -> Vec<PathStep> {
        let mut path = Vec::new();
        let mut at = id;
        while let Some((parent, step)) = &self.instances[at.0].parent {
            path.push(step.clone());
            at = *parent;
        }
        path.reverse();
        path
    }
}

/// The values of indices, which are known once arrays are inlined.
pub(crate) fn constant_indices(bounds: &[BoundId], env: &Env) -> Lower<Vec<usize>> {
    use num_traits::ToPrimitive;
    let index = |bound: &BoundId| match value_of(*bound, env)?.kind() {
        system::Kind::Int(value) => value.to_usize(),
        _ => None,
    };
    let all: Option<Vec<usize>> = bounds.iter().map(index).collect();
    all.ok_or_else(|| Unsupported("a call for each element of an array of unknown size".into()))
}

/// The value of an index or quantified variable.
pub(crate) fn value_of(bound: BoundId, env: &Env) -> Option<&Term> {
    let found = env.iter().rev().find(|(id, _)| *id == bound);
    found.map(|(_, term)| term)
}
