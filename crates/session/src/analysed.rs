//! An analysed system: the input of every post-analysis.

use std::time::Duration;

use analysis::{AnalysisOptions, EvidenceOf, InvariantTexts, Lemmas, Outcome, PropertyResult};
use lang::{NodeId, Program};
use lower::{Lowered, Unsupported};
use syntax::SourceMap;

use crate::model::Model;

/// A system whose analysis has ended, with its results.
pub struct Analysed<'a> {
    /// As it was read.
    pub model: &'a Model,
    /// As it was analysed: some nodes may be abstract.
    pub program: &'a Program,
    pub top: NodeId,
    /// Those of the analysis.
    pub options: &'a AnalysisOptions,
    pub results: &'a [PropertyResult],
    /// The lemmas that the engines have proved.
    pub lemmas: &'a Lemmas,
    /// The invariants that its proofs need, in the language of the model, if asked for.
    pub invariants: Option<&'a InvariantTexts>,
    pub elapsed: Duration,
    /// Other nodes are analysed for their own sake, too.
    pub one_of_many: bool,
}

impl Analysed<'_> {
    pub fn sources(&self) -> &SourceMap {
        &self.model.sources
    }

    /// The name of its top node.
    pub fn name(&self) -> &str {
        self.program.node(self.top).name.as_str()
    }

    /// The proofs behind the results, which may be of several systems.
    pub fn proofs(&self) -> Vec<&EvidenceOf> {
        let outcomes = self.results.iter().map(|result| &result.outcome);
        let proofs = outcomes.filter_map(|outcome| match outcome {
            Outcome::Valid(evidence) => Some(evidence),
            _ => None,
        });
        proofs.collect()
    }

    /// Lowers the system again, without assuming properties that were proved before.
    pub fn lowered(&self, options: &lower::LowerOptions) -> Result<Lowered, Unsupported> {
        lower::lower(self.program, self.sources(), self.top, options)
    }
}

/// Options that assume nothing that was proved before, and that leave out reachability properties.
pub fn canonical(options: &lower::LowerOptions) -> lower::LowerOptions {
    let mut options = options.clone();
    options.proved.clear();
    options.settled.clear();
    options.reach = false;
    options.nonvacuity = false;
    options
}
