//! The nodes that a program calls, as components of its system.
//!
//! A node is lowered by itself, with inputs that only its contract and their types constrain,
//! unless an earlier analysis has left lemmas of it. Wherever the node is called, its memory has
//! the same slots (`lower::Slot`), and so the variables of the node's system are terms of the
//! caller's system. An instance that has not run since it was started is in the initial state of
//! its node, whatever its memory holds.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::{Arc, Mutex, MutexGuard};

use engines::{Component, Hierarchy, Occurrence};
use lang::{NodeId, Program};
use lower::{InstanceSlots, Lowered, Shape, Slot, View};
use proof::Lemmas;
use sim::InstancePath;
use syntax::SourceMap;
use system::{Inliner, Kind, PropertyKind, Role, Source, Term, and, ite, or};

use crate::run::AnalysisOptions;

/// Lemmas that analyses have proved of nodes, for the analyses of their callers.
#[derive(Default)]
pub struct NodeLemmas(Mutex<BTreeMap<NodeId, Arc<Proved>>>);

/// The lemmas of a node by itself.
pub struct Proved {
    pub lowered: Arc<Lowered>,
    /// Of the reduced system.
    pub lemmas: Lemmas,
}

impl std::fmt::Debug for NodeLemmas {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_list().entries(self.nodes().keys()).finish()
    }
}

impl NodeLemmas {
    fn nodes(&self) -> MutexGuard<'_, BTreeMap<NodeId, Arc<Proved>>> {
        self.0.lock().unwrap_or_else(|e| e.into_inner())
    }

    pub fn of(&self, node: NodeId) -> Option<Arc<Proved>> {
        self.nodes().get(&node).cloned()
    }

    /// Keeps the lemmas of a node; the latest analysis replaces earlier ones.
    pub(crate) fn learn(&self, node: NodeId, lowered: Arc<Lowered>, lemmas: Lemmas) {
        if !lemmas.is_empty() {
            let proved = Proved { lowered, lemmas };
            self.nodes().insert(node, Arc::new(proved));
        }
    }
}

/// The components of a lowered node.
pub(crate) fn hierarchy(
    program: &Program,
    sources: &SourceMap,
    whole: &Lowered,
    options: &AnalysisOptions,
) -> Hierarchy {
    let mut components: Vec<Component> = Vec::new();
    let mut nodes: Vec<(NodeId, Arc<Lowered>)> = Vec::new();
    // Callees have smaller numbers.
    for id in worthwhile(whole) {
        if let Some(proved) = options.lemmas.of(id) {
            components.push(Component::known(&proved.lemmas));
            nodes.push((id, proved.lowered.clone()));
            continue;
        }
        let own = lower::LowerOptions {
            view: View::Body,
            subproperties: false,
            reach: false,
            nonvacuity: false,
            all_streams: true,
            slice: true,
            fixed: HashMap::new(),
            proved: HashMap::new(),
            settled: Default::default(),
            ..options.lower.clone()
        };
        let Ok(lowered) = lower::lower(program, sources, id, &own) else {
            continue;
        };
        let system = Arc::new(lowered.system.clone());
        let occurrences = occurrences(&lowered, &nodes);
        let roots = outputs(program, id, &lowered);
        components.push(Component::new(system, roots, occurrences));
        nodes.push((id, Arc::new(lowered)));
    }
    Hierarchy {
        components,
        occurrences: occurrences(whole, &nodes),
    }
}

/// The called nodes with memory, without those that are most of the whole system.
fn worthwhile(whole: &Lowered) -> BTreeSet<NodeId> {
    let mut sizes: HashMap<&[sim::PathStep], usize> = HashMap::new();
    for part in &whole.slots {
        let memory = part.slots.iter().filter(|(slot, _)| is_memory(slot));
        let size: usize = memory.map(|(_, shape)| shape.leaves().len()).sum();
        for length in 0..=part.path.len() {
            *sizes.entry(&part.path[..length]).or_default() += size;
        }
    }
    let all = sizes.get(&[][..]).copied().unwrap_or(0);
    let called = whole.slots.iter().filter(|part| !part.path.is_empty());
    let worth = called.filter(|part| (1..=all / 2).contains(&sizes[part.path.as_slice()]));
    worth.map(|part| part.node).collect()
}

fn is_memory(slot: &Slot) -> bool {
    matches!(
        slot,
        Slot::Stream(_) | Slot::Expression(..) | Slot::Held(..)
    )
}

/// The outputs and properties of a node: terms for candidates in its callers.
fn outputs(program: &Program, id: NodeId, lowered: &Lowered) -> Vec<Term> {
    let mut inliner = Inliner::new(&lowered.tagged);
    let mut roots = Vec::new();
    let top = lowered.instances.first();
    for output in &program.node(id).outputs {
        let shape = top.and_then(|top| top.values.get(output.index()));
        for (term, _) in shape.map(Shape::leaves).unwrap_or_default() {
            roots.push(inliner.term(&term));
        }
    }
    let properties = lowered.system.properties.iter();
    roots.extend(properties.map(|property| property.term.clone()));
    roots
}

/// The occurrences of the nodes in a system.
fn occurrences(host: &Lowered, nodes: &[(NodeId, Arc<Lowered>)]) -> Vec<Occurrence> {
    let parts = host.slots.iter();
    let mut translation = Translation {
        host,
        parts: parts.map(|part| (part.path.clone(), part)).collect(),
        inliner: Inliner::new(&host.tagged),
    };
    let mut found = Vec::new();
    for (at, (id, own)) in nodes.iter().enumerate() {
        for part in &host.slots {
            if part.node == *id && !part.path.is_empty() {
                found.push(translation.occurrence(at, own, part));
            }
        }
    }
    found
}

/// From the variables of nodes by themselves to the terms of a system.
struct Translation<'h> {
    host: &'h Lowered,
    parts: HashMap<InstancePath, &'h InstanceSlots>,
    inliner: Inliner<'h>,
}

impl<'h> Translation<'h> {
    fn occurrence(&mut self, at: usize, own: &Lowered, part: &'h InstanceSlots) -> Occurrence {
        let mut found = Occurrence::new(at);
        let fresh = self.inliner.term(&part.fresh);
        let first = self.inliner.term(&part.first);
        for inner in &own.slots {
            let path: InstancePath = part.path.iter().chain(&inner.path).cloned().collect();
            let Some(there) = self.parts.get(&path).copied() else {
                continue;
            };
            for (slot, shape) in &inner.slots {
                if let Some(other) = there.slots.get(slot) {
                    self.say(own, &mut found, shape, other, (&fresh, &first));
                }
            }
        }
        for (id, shape) in &own.consts {
            let other = self.host.consts.iter().find(|(other, _)| other == id);
            if let Some((_, other)) = other {
                self.say(own, &mut found, shape, other, (&fresh, &first));
            }
        }
        let start = &own.slots[0].first;
        found.state.insert(start.clone(), fresh.clone());
        found.step.insert(start.clone(), first);
        self.conditions(&mut found, part, fresh);
        found
    }

    /// Maps the leaves of a value in the node's system to those of a value in the host's.
    fn say(
        &mut self,
        own: &Lowered,
        found: &mut Occurrence,
        shape: &Shape,
        other: &Shape,
        (fresh, first): (&Term, &Term),
    ) {
        let mut pairs = Vec::new();
        let alike = shape.zip(other, &mut |own, other| {
            pairs.push((own.clone(), other.clone()));
            own.clone()
        });
        if alike.is_err() {
            return;
        }
        for (variable, term) in pairs {
            let Kind::Var(var) = variable.kind() else {
                continue;
            };
            let declared = own.system.var(*var);
            let term = self.inliner.term(&term);
            let started = |flag: &Term| match &declared.init {
                Some(init) => ite(flag, init, &term),
                None => term.clone(),
            };
            if declared.role != Role::Input {
                found.state.insert(variable.clone(), started(fresh));
            }
            found.step.insert(variable, started(first));
        }
    }

    /// The condition under which invariants of the node hold in the host.
    fn conditions(&mut self, found: &mut Occurrence, part: &InstanceSlots, fresh: Term) {
        let tick = self.inliner.term(&part.tick);
        let owed = part.owed.as_ref().map(|owed| self.inliner.term(owed));
        found.active = and([tick].into_iter().chain(owed));
        if let Some(Shape::Leaf(before, _)) = part.slots.get(&Slot::Assumptions) {
            found.kept = or([fresh, before.clone()]);
        }
        let properties = self.host.system.properties.iter().zip(&self.host.origins);
        let owed = properties.filter(|(property, origin)| {
            property.source == Source::Assumption
                && property.kind == PropertyKind::Invariant
                && origin.path == part.path
        });
        found.assumed = owed.map(|(property, _)| property.term.clone()).collect();
    }
}
