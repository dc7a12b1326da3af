//! The invariants of proofs as Lustre expressions.

pub(crate) mod build;
mod contract;
pub(crate) mod streams;
pub(crate) mod writer;

use lang::{NodeId, Program};
use lower::Lowered;
use syntax::{SourceMap, print};
use system::{System, Term};

pub(crate) use contract::word;

use crate::proofs::SharedProof;
use streams::Seen;
use writer::LustreWriter;

/// The forms in which the invariants of an analysis are reported.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct InvariantForms {
    /// In terms of all streams.
    pub shown: bool,
    /// As a contract.
    pub contract: bool,
}

/// The invariants of an analysis.
#[derive(Clone, Debug)]
pub struct InvariantTexts {
    /// For each proof.
    pub proofs: Vec<ProofText>,
    pub contract: Option<ContractText>,
}

#[derive(Clone, Debug)]
pub struct ProofText {
    /// The names of the properties that are proved.
    pub properties: Vec<String>,
    pub k: usize,
    /// Along paths without repeated states.
    pub simple_path: bool,
    pub invariants: Vec<String>,
    /// Those that cannot be written in terms of streams.
    pub left_out: usize,
}

/// A contract as text; empty if there is nothing to write.
#[derive(Clone, Debug)]
pub struct ContractText {
    pub name: String,
    pub text: String,
    pub guarantees: usize,
    /// The invariants that cannot be written in terms of inputs and outputs.
    pub left_out: usize,
}

/// An invariant, and for which k it is inductive, with the others of its proof.
struct Invariant {
    term: Term,
    k: usize,
}

pub(crate) fn texts(
    program: &Program,
    sources: &SourceMap,
    top: NodeId,
    lowered: &Lowered,
    proofs: &[SharedProof],
    wanted: InvariantForms,
) -> InvariantTexts {
    let mut writer = writer(program, sources, lowered, Seen::Bodies);
    let shown = proofs.iter().filter_map(|proof| {
        let written = proof.invariants.iter();
        let written: Vec<String> = written
            .filter_map(|term| Some(print::expr(&writer.invariant(term)?)))
            .collect();
        let own = proof.evidence.induction()?;
        Some(ProofText {
            properties: names(&lowered.system, proof),
            k: own.k,
            simple_path: own.simple_path,
            left_out: proof.invariants.len() - written.len(),
            invariants: written,
        })
    });
    let shown = shown.collect();
    let mut invariants: Vec<Invariant> = Vec::new();
    for proof in proofs {
        let k = proof.evidence.induction().map_or(1, |own| own.k);
        for term in &proof.invariants {
            if invariants.iter().all(|known| known.term != *term) {
                let term = term.clone();
                invariants.push(Invariant { term, k });
            }
        }
    }
    let contract = || contract::contract(program, sources, top, lowered, &invariants);
    InvariantTexts {
        proofs: shown,
        contract: wanted.contract.then(contract),
    }
}

/// A set of states in terms of streams: what holds of the memory at the end of a step, which is
/// not the first.
pub(crate) fn states(
    program: &Program,
    sources: &SourceMap,
    lowered: &Lowered,
    states: &Term,
) -> Option<String> {
    let mut writer = writer(program, sources, lowered, Seen::Contract);
    Some(print::expr(&writer.states(states)?))
}

/// A writer for some of the streams.
fn writer<'a>(
    program: &'a Program,
    sources: &SourceMap,
    lowered: &'a Lowered,
    which: Seen,
) -> LustreWriter<'a> {
    let mut writer = LustreWriter::new(program, &lowered.system);
    writer.first = lowered.slots.first().map(|part| part.first.clone());
    writer.streams = streams::streams(program, sources, lowered, which);
    writer.leaves = streams::leaves(lowered);
    writer
}

fn names(system: &System, proof: &SharedProof) -> Vec<String> {
    let ids = proof.properties.iter();
    ids.map(|id| system.property(*id).name.clone()).collect()
}
