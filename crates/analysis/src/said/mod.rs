//! The invariants of proofs, said in Lustre.

mod build;
mod contract;
mod speaker;
mod streams;

use lang::{NodeId, Program};
use lower::Lowered;
use syntax::{SourceMap, print};
use system::{System, Term};

use crate::proofs::SharedProof;
use speaker::Speaker;

/// What is to be said of the invariants of an analysis.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Wanted {
    /// In terms of all streams.
    pub shown: bool,
    /// As a contract.
    pub contract: bool,
}

/// The invariants of an analysis.
#[derive(Clone, Debug)]
pub struct Said {
    /// For each proof.
    pub proofs: Vec<SaidProof>,
    pub contract: Option<Contract>,
}

#[derive(Clone, Debug)]
pub struct SaidProof {
    /// The names of what is proved.
    pub properties: Vec<String>,
    pub k: usize,
    /// Along paths without repeated states.
    pub simple_path: bool,
    pub invariants: Vec<String>,
    /// Those that cannot be said in terms of streams.
    pub left_out: usize,
}

/// A contract as text; no text if there is nothing to say.
#[derive(Clone, Debug)]
pub struct Contract {
    pub name: String,
    pub text: String,
    pub guarantees: usize,
    /// The invariants that cannot be said in terms of inputs and outputs.
    pub left_out: usize,
}

/// An invariant, and for which k it is inductive, with the others of its proof.
struct Invariant {
    term: Term,
    k: usize,
}

pub(crate) fn said(
    program: &Program,
    sources: &SourceMap,
    top: NodeId,
    lowered: &Lowered,
    proofs: &[SharedProof],
    wanted: Wanted,
) -> Said {
    let mut speaker = speaker(program, sources, lowered, false);
    let shown = proofs.iter().filter_map(|proof| {
        let said = proof.invariants.iter();
        let said: Vec<String> = said
            .filter_map(|term| Some(print::expr(&speaker.invariant(term)?)))
            .collect();
        let own = proof.evidence.induction()?;
        Some(SaidProof {
            properties: names(&lowered.system, proof),
            k: own.k,
            simple_path: own.simple_path,
            left_out: proof.invariants.len() - said.len(),
            invariants: said,
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
    Said {
        proofs: shown,
        contract: wanted.contract.then(contract),
    }
}

/// What knows the streams of the top node, or those that are seen from outside.
fn speaker<'a>(
    program: &'a Program,
    sources: &SourceMap,
    lowered: &'a Lowered,
    outside: bool,
) -> Speaker<'a> {
    let mut speaker = Speaker::new(program, &lowered.system);
    speaker.first = lowered.slots.first().map(|part| part.first.clone());
    speaker.streams = streams::streams(program, sources, lowered, outside);
    speaker.leaves = streams::leaves(lowered);
    speaker
}

fn names(system: &System, proof: &SharedProof) -> Vec<String> {
    let ids = proof.properties.iter();
    ids.map(|id| system.property(*id).name.clone()).collect()
}
