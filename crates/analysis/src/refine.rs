//! Which abstract nodes to open where an analysis fails.
//!
//! A counterexample of an abstract system chooses the outputs of abstract nodes, and their bodies
//! may compute others. So the interpreter runs the counterexample again with the bodies of some
//! nodes: if it no longer violates the property, it was spurious, and the contracts of these nodes
//! are too weak. As few nodes are opened as rule out one counterexample, those nearest to the
//! property first. A counterexample that the bodies of all nodes reproduce is real, and gives no
//! reason to open a node.

use std::collections::BTreeSet;

use lang::{NodeId, Program};

use crate::abstraction::{abstracted, below};
use crate::cone;
use crate::recorded_run::Rerun;
use crate::run::{Outcome, PropertyResult};
use crate::strategy::Analysis;

/// Trees of more instances than this are not run again.
const MAX_INSTANCES: usize = 4096;

/// An analysis that left properties unproved.
pub(crate) struct Refinement<'a> {
    pub program: &'a Program,
    pub analysis: &'a Analysis,
}

impl Refinement<'_> {
    /// Does the counterexample violate the property with the bodies of all nodes?
    pub fn is_real(&self, result: &PropertyResult) -> bool {
        self.rerun(result, &self.analysis.abstracted) == Rerun::Same
    }

    /// The candidates to open so that unproved properties may be proved: as few as rule out one
    /// counterexample, or else the one nearest to an undecided property.
    pub fn to_open(
        &self,
        results: &[PropertyResult],
        candidates: &BTreeSet<NodeId>,
    ) -> BTreeSet<NodeId> {
        let falsified = results
            .iter()
            .filter(|result| matches!(result.outcome, Outcome::Falsified(_)));
        let sets = falsified.filter_map(|result| self.at_fault(result, candidates));
        if let Some(fewest) = sets.min_by_key(BTreeSet::len) {
            return fewest;
        }
        let mut unknown = results
            .iter()
            .filter(|result| matches!(result.outcome, Outcome::Unknown(_)));
        let nearest = unknown
            .next()
            .map(|result| self.nearest(result, candidates));
        nearest.iter().flatten().take(1).copied().collect()
    }

    /// As few candidates as rule out a counterexample; `None` if no set of them does.
    fn at_fault(
        &self,
        result: &PropertyResult,
        candidates: &BTreeSet<NodeId>,
    ) -> Option<BTreeSet<NodeId>> {
        let changes = |opened: &BTreeSet<NodeId>| self.rerun(result, opened) != Rerun::Same;
        if candidates.is_empty() || !changes(candidates) {
            return None;
        }
        let nearest = self.nearest(result, candidates);
        let mut count = 1;
        let mut opened = BTreeSet::from([nearest[0]]);
        while !changes(&opened) {
            count = (2 * count).min(nearest.len());
            opened = nearest[..count].iter().copied().collect();
        }
        for id in nearest[..count].iter().rev() {
            if opened.len() > 1 {
                opened.remove(id);
                if !changes(&opened) {
                    opened.insert(*id);
                }
            }
        }
        Some(opened)
    }

    fn nearest(&self, result: &PropertyResult, candidates: &BTreeSet<NodeId>) -> Vec<NodeId> {
        let program = self.analysis.program(self.program);
        cone::nearest(&program, self.analysis.top, &result.origin, candidates)
    }

    /// Runs a counterexample again, with the bodies of some nodes and of all that
    /// they call.
    fn rerun(&self, result: &PropertyResult, opened: &BTreeSet<NodeId>) -> Rerun {
        let Some(recorded) = &result.recorded else {
            return Rerun::Unable;
        };
        let mut hidden = self.analysis.abstracted.clone();
        for id in opened {
            hidden.remove(id);
            for callee in below(self.program, *id, &BTreeSet::new()) {
                hidden.remove(&callee);
            }
        }
        let program = abstracted(self.program, &hidden);
        let top = self.analysis.top;
        match instances(&program, top) > MAX_INSTANCES {
            true => Rerun::Unable,
            false => recorded.rerun(&program, top, &result.origin),
        }
    }
}

/// The number of instances below a node, and the node, each call in an array
/// definition counted once.
fn instances(program: &Program, top: NodeId) -> usize {
    // Callees come before callers.
    let mut counts: Vec<usize> = Vec::new();
    for id in program.node_ids().take_while(|id| *id <= top) {
        let node = program.node(id);
        let calls = node
            .live_calls()
            .map(|call| counts[node.call(call).node.index()]);
        counts.push(calls.fold(1, usize::saturating_add));
    }
    counts.last().copied().unwrap_or(0)
}
