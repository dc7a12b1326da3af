//! Which node is analysed next, and with which abstraction.
//!
//! A node is analysed in stages: its contract alone, its body with the callees abstracted or not,
//! and, where that fails, again with some of them opened. A callee is opened (its body takes the
//! place of its contract) only if the body is proved to respect the contract: then the body has no
//! more runs than the contract allows, and proved properties stay proved. Nodes are analysed
//! bottom-up, and properties that are proved of a node are assumed wherever it is called.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet, HashSet, VecDeque};
use std::time::Duration;

use lang::{NodeId, Program};
use lower::{Check, Origin, View};
use system::{PropertyKind, Source};

use crate::abstraction::{abstracted, below, promises};
use crate::refine::Refinement;
use crate::run::{Outcome, PropertyResult};

/// Which analyses there are, and in which order.
#[derive(Clone, Copy, Debug)]
pub struct Strategy {
    /// Every node is analysed, not only the top nodes.
    pub modular: bool,
    /// Contracts stand for the nodes that have one.
    pub compositional: bool,
    /// Nodes are opened where an analysis fails.
    pub refinement: bool,
    /// Contracts with modes get an analysis of their own.
    pub check_modes: bool,
    /// Bodies are analysed.
    pub check_implem: bool,
}

impl Default for Strategy {
    fn default() -> Strategy {
        Strategy {
            modular: false,
            compositional: false,
            refinement: true,
            check_modes: true,
            check_implem: true,
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Stage {
    /// The contract alone.
    Contract,
    /// The body, for the first time.
    First,
    /// The body, with nodes opened that were abstract before.
    Refinement,
}

/// One analysis of a node.
#[derive(Clone, Debug)]
pub struct Analysis {
    pub top: NodeId,
    pub stage: Stage,
    /// The nodes whose contracts stand for their bodies.
    pub abstracted: BTreeSet<NodeId>,
    /// Those that are concrete and were abstract in the analysis before.
    pub opened: BTreeSet<NodeId>,
    /// Properties that were proved of the nodes below.
    pub proved: BTreeMap<NodeId, Vec<Check>>,
    /// Properties that were proved before.
    settled: HashSet<Origin>,
}

impl Analysis {
    pub fn view(&self) -> View {
        match self.stage {
            Stage::Contract => View::Contract,
            Stage::First | Stage::Refinement => View::Body,
        }
    }

    /// The program that is analysed.
    pub fn program<'p>(&self, program: &'p Program) -> Cow<'p, Program> {
        let mut nodes = self.abstracted.clone();
        if self.stage == Stage::Contract {
            nodes.insert(self.top);
        }
        match nodes.is_empty() {
            true => Cow::Borrowed(program),
            false => Cow::Owned(abstracted(program, &nodes)),
        }
    }

    /// The options for lowering, with the proved properties of this analysis.
    pub fn options(&self, options: lower::LowerOptions) -> lower::LowerOptions {
        let proved = self.proved.clone().into_iter();
        lower::LowerOptions {
            view: self.view(),
            proved: proved.collect(),
            settled: self.settled.clone(),
            ..options
        }
    }
}

/// The results of all analyses of a node.
#[derive(Clone, Debug, Default)]
pub struct NodeSummary {
    /// The latest result for each property of the body.
    pub results: Vec<PropertyResult>,
    /// The same for the contract alone.
    pub contract: Vec<PropertyResult>,
    pub refinements: usize,
    /// How many nodes were abstract in the last analysis.
    pub abstracted: usize,
    /// Those of them whose bodies are not known to respect their contracts.
    pub trusted: Vec<NodeId>,
    /// The names of properties whose counterexample is real: found with abstract nodes, it also
    /// violates the property with the bodies of all nodes.
    pub real: Vec<String>,
    pub elapsed: Duration,
    /// The body respects the contract.
    correct: bool,
    /// Proved properties: they hold for every call of the node while its assumptions hold.
    proved: Vec<Check>,
}

/// The analyses of a program, in their order.
pub struct AnalysisPlan<'p> {
    program: &'p Program,
    strategy: Strategy,
    /// The analyses that are left, in bottom-up order.
    waiting: VecDeque<(NodeId, Stage)>,
    /// Those that cannot be analysed.
    refused: BTreeSet<NodeId>,
    /// A refinement comes before what waits.
    refinement: Option<Analysis>,
    summaries: BTreeMap<NodeId, NodeSummary>,
}

impl<'p> AnalysisPlan<'p> {
    pub fn new(program: &'p Program, tops: &[NodeId], strategy: Strategy) -> AnalysisPlan<'p> {
        let mut nodes: Vec<NodeId> = tops.to_vec();
        if strategy.modular {
            let all = tops.iter();
            let mut all: BTreeSet<NodeId> = all
                .flat_map(|top| below(program, *top, &BTreeSet::new()))
                .collect();
            all.extend(tops);
            // Callees have smaller numbers.
            nodes = all.into_iter().collect();
        }
        let mut waiting = VecDeque::new();
        for id in nodes {
            let node = program.node(id);
            let has_modes = node.contract.as_ref().is_some_and(|c| !c.modes.is_empty());
            if has_modes && strategy.check_modes {
                waiting.push_back((id, Stage::Contract));
            }
            if node.has_body && strategy.check_implem {
                waiting.push_back((id, Stage::First));
            }
        }
        AnalysisPlan {
            program,
            strategy,
            waiting,
            refused: BTreeSet::new(),
            refinement: None,
            summaries: BTreeMap::new(),
        }
    }

    /// The next analysis, with the properties that are proved so far.
    pub fn next_analysis(&mut self) -> Option<Analysis> {
        if let Some(refined) = self.refinement.take() {
            return Some(refined);
        }
        let (top, stage) = self.waiting.pop_front()?;
        Some(self.analysis(top, stage, &BTreeSet::new()))
    }

    /// Is the node of an analysis that has ended not analysed again?
    pub fn is_last(&self, analysis: &Analysis) -> bool {
        let open = self.waiting.iter().any(|(id, _)| *id == analysis.top);
        self.refinement.is_none() && !open
    }

    /// The latest results for the body of a node.
    pub fn results(&self, top: NodeId) -> &[PropertyResult] {
        let summary = self.summaries.get(&top);
        summary.map_or(&[], |summary| &summary.results)
    }

    /// The nodes that are not analysed yet, or cannot be.
    pub fn left(&self) -> BTreeSet<NodeId> {
        let refused = self.refused.iter().copied();
        self.waiting().into_iter().chain(refused).collect()
    }

    /// The nodes that are not analysed yet.
    pub fn waiting(&self) -> BTreeSet<NodeId> {
        self.waiting.iter().map(|(id, _)| *id).collect()
    }

    /// The node that is to be analysed again, and those that are opened for it.
    pub fn refinement(&self) -> Option<(NodeId, &BTreeSet<NodeId>)> {
        let refined = self.refinement.as_ref()?;
        Some((refined.top, &refined.opened))
    }

    pub fn summaries(&self) -> impl Iterator<Item = (NodeId, &NodeSummary)> {
        self.summaries.iter().map(|(id, summary)| (*id, summary))
    }

    fn analysis(&self, top: NodeId, stage: Stage, concrete: &BTreeSet<NodeId>) -> Analysis {
        let program = self.program;
        let refinable = program.node_ids().filter(|id| {
            let node = program.node(*id);
            node.has_body && promises(node) && !concrete.contains(id) && *id != top
        });
        let refinable: BTreeSet<NodeId> = match self.strategy.compositional {
            true => refinable.collect(),
            false => BTreeSet::new(),
        };
        let hidden = match stage {
            Stage::Contract => BTreeSet::from([top]),
            _ => refinable.clone(),
        };
        let below = below(program, top, &hidden);
        let known = below.iter().filter_map(|id| {
            let proved = &self.summaries.get(id)?.proved;
            (!proved.is_empty()).then(|| (*id, proved.clone()))
        });
        Analysis {
            top,
            stage,
            proved: known.collect(),
            abstracted: refinable.intersection(&below).copied().collect(),
            opened: BTreeSet::new(),
            settled: HashSet::new(),
        }
    }

    /// Records that an analysis is not possible.
    pub fn refuse(&mut self, analysis: &Analysis) {
        self.refused.insert(analysis.top);
        self.summaries.entry(analysis.top).or_default();
    }

    /// Records the results of an analysis.
    pub fn learn(&mut self, analysis: &Analysis, results: Vec<PropertyResult>, elapsed: Duration) {
        let real = self.real(analysis, &results);
        // A proof with abstract callees is one of the node only if their bodies respect their
        // contracts.
        let doubtful = |id: &&NodeId| !self.is_correct(**id);
        let trusted = analysis.abstracted.iter().filter(doubtful);
        let trusted: Vec<NodeId> = trusted.copied().collect();
        let sound = trusted.is_empty();
        let summary = self.summaries.entry(analysis.top).or_default();
        summary.elapsed += elapsed;
        if analysis.stage == Stage::Contract {
            summary.contract = results;
            return;
        }
        if sound {
            let valid = results.iter().filter(|result| is_valid(result));
            let own = valid.filter(|result| result.origin.path.is_empty());
            summary.proved.extend(own.map(|result| result.origin.check));
        }
        summary.abstracted = analysis.abstracted.len();
        summary.trusted = trusted;
        summary.real = real;
        summary.refinements += usize::from(analysis.stage == Stage::Refinement);
        let before = std::mem::take(&mut summary.results).into_iter();
        let kept = before.filter(|result| analysis.settled.contains(&result.origin));
        summary.results = kept.chain(results).collect();
        let invariants = summary.results.iter();
        let mut invariants = invariants.filter(|r| r.property.kind == PropertyKind::Invariant);
        summary.correct = sound && invariants.all(is_valid);
        self.refinement = self.refine(analysis);
    }

    /// The properties that are violated without any abstraction, too.
    fn real(&self, analysis: &Analysis, results: &[PropertyResult]) -> Vec<String> {
        let program = self.program;
        let refinement = Refinement { program, analysis };
        let doubtful = results.iter().filter(|_| !analysis.abstracted.is_empty());
        let real = doubtful.filter(|result| refinement.is_real(result));
        real.map(|result| result.property.name.clone()).collect()
    }

    /// The next analysis of the same node with some callees opened, if this one failed and that may
    /// help.
    fn refine(&self, analysis: &Analysis) -> Option<Analysis> {
        let summary = self.summaries.get(&analysis.top)?;
        if !self.strategy.refinement {
            return None;
        }
        // Opening a callee whose assumptions the caller violates does not help.
        let misused: HashSet<NodeId> = summary
            .results
            .iter()
            .filter(|result| result.property.source == Source::Assumption)
            .filter(|result| summary.real.contains(&result.property.name))
            .map(|result| result.owner)
            .collect();
        let candidates = analysis.abstracted.iter();
        let candidates: BTreeSet<NodeId> = candidates
            .filter(|id| self.is_correct(**id) && !misused.contains(id))
            .copied()
            .collect();
        let program = self.program;
        let refinement = Refinement { program, analysis };
        let chosen = refinement.to_open(&summary.results, &candidates);
        if chosen.is_empty() {
            return None;
        }
        let mut concrete = self.concrete(analysis);
        concrete.extend(&chosen);
        let valid = summary.results.iter().filter(|result| is_valid(result));
        let settled = valid.map(|result| result.origin.clone()).collect();
        Some(Analysis {
            opened: chosen,
            settled,
            ..self.analysis(analysis.top, Stage::Refinement, &concrete)
        })
    }

    fn is_correct(&self, id: NodeId) -> bool {
        self.summaries.get(&id).is_some_and(|s| s.correct)
    }

    /// The nodes below that are concrete although their contracts could stand
    /// for them.
    fn concrete(&self, analysis: &Analysis) -> BTreeSet<NodeId> {
        let mut all = below(self.program, analysis.top, &analysis.abstracted);
        all.retain(|id| !analysis.abstracted.contains(id));
        all
    }
}

fn is_valid(result: &PropertyResult) -> bool {
    matches!(result.outcome, Outcome::Valid(_))
}
