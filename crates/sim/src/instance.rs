//! The state of one instance of a node.

use std::collections::{HashMap, VecDeque};

use lang::{CallId, ChoiceId, Node, NodeId, PathStep, Value, VarId};

/// Which of the simulator's instances.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct InstanceId(pub usize);

/// A call or a choice, at the indices of an array definition.
pub(crate) type At<Id> = (Id, Vec<usize>);

/// A tick that is over.
#[derive(Clone, Debug)]
pub(crate) struct Past {
    /// Which step of the run it was.
    pub step: usize,
    pub values: Vec<Value>,
    pub calls: HashMap<At<CallId>, Vec<Value>>,
    pub choices: HashMap<At<ChoiceId>, Value>,
}

/// The tick that is being computed.
#[derive(Clone, Debug, Default)]
pub(crate) struct Present {
    /// The instance ticks at this step.
    pub active: bool,
    /// It starts anew at this tick.
    pub restarted: bool,
    pub values: Vec<Option<Value>>,
    /// Elements of arrays that are defined one by one.
    pub elements: HashMap<At<VarId>, Value>,
    /// Whether a call ticks.
    pub calls: HashMap<At<CallId>, bool>,
    pub choices: HashMap<At<ChoiceId>, Value>,
    pub first_choices: HashMap<At<ChoiceId>, Value>,
}

#[derive(Debug)]
pub(crate) struct Instance {
    pub node: NodeId,
    pub parent: Option<(InstanceId, PathStep)>,
    pub children: HashMap<At<CallId>, InstanceId>,
    /// How many ticks there were since the start or the last restart.
    pub age: usize,
    /// The latest of them, newest first.
    pub history: VecDeque<Past>,
    /// The choices made at the first tick.
    pub first_choices: HashMap<At<ChoiceId>, Value>,
    pub present: Present,
    /// For streams that are chosen by their own value: the value assumed.
    pub guesses: HashMap<VarId, Value>,
    /// For the trace: the values at each step, `None` where it did not tick.
    pub recorded: Vec<Option<Vec<Value>>>,
}

impl Instance {
    pub fn new(
        id: NodeId,
        node: &Node,
        parent: Option<(InstanceId, PathStep)>,
        steps: usize,
    ) -> Instance {
        let mut instance = Instance {
            node: id,
            parent,
            children: HashMap::new(),
            age: 0,
            history: VecDeque::new(),
            first_choices: HashMap::new(),
            present: Present::default(),
            guesses: HashMap::new(),
            recorded: vec![None; steps],
        };
        instance.clear_present(node);
        instance
    }

    pub fn clear_present(&mut self, node: &Node) {
        self.present = Present {
            values: vec![None; node.vars.len()],
            ..Present::default()
        };
    }

    /// Ticks before the present one.
    pub fn ticks_before(&self) -> usize {
        if self.present.restarted { 0 } else { self.age }
    }

    pub fn forget(&mut self) {
        self.age = 0;
        self.history.clear();
        self.first_choices.clear();
    }
}
