//! Advice: proofs and lengths of runs that earlier runs of Kindred have found, and those of this
//! run.

mod file;
mod names;
mod term_names;

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::{Arc, Mutex};

use engines::Advised;
use lang::{NodeId, Program};
use lower::{Lowered, View};
use proof::{Lemma, Lemmas};
use syntax::SourceMap;
use system::{Property, PropertyId, System};

use crate::proofs::SharedProof;
use crate::run::{Outcome, PropertyResult};
use term_names::plain;

pub use file::{Advice, Lessons, Proof};
pub use term_names::Names;

/// The advice of a run of Kindred: the advice that it was given, extended by its own results.
#[derive(Debug, Default)]
pub struct AdviceBook(Mutex<Advice>);

/// The largest number of lemmas to keep that no proof has used.
const MAX_LEMMAS: usize = 200;

impl AdviceBook {
    pub fn new(advice: Advice) -> AdviceBook {
        AdviceBook(Mutex::new(advice))
    }

    /// All advice as the text of a file; `None` if there is none.
    pub fn text(&self) -> Option<String> {
        let advice = self.0.lock().unwrap_or_else(|e| e.into_inner());
        (!advice.is_empty()).then(|| advice.text())
    }

    /// The advice for one system.
    pub(crate) fn open(
        self: &Arc<Self>,
        program: &Program,
        sources: &SourceMap,
        top: NodeId,
        lowered: &Lowered,
        view: View,
    ) -> SystemAdvice {
        let names = names::names(program, sources, top, lowered);
        let system = key(program, top, view);
        let advice = self.0.lock().unwrap_or_else(|e| e.into_inner());
        let lessons = advice.lessons(&system, &names);
        drop(advice);
        SystemAdvice {
            book: self.clone(),
            system,
            names,
            lessons,
        }
    }
}

/// The key of a system in the advice: its node and what of the program is analysed.
fn key(program: &Program, top: NodeId, view: View) -> String {
    let name = program.node(top).name;
    let abstracted = program.nodes.iter().filter(|node| node.abstracted);
    let mut abstracted: Vec<&str> = abstracted.map(|node| node.name.as_str()).collect();
    abstracted.sort_unstable();
    match (view, abstracted.is_empty()) {
        (View::Contract, _) => format!("contract of {name}"),
        (View::Body, true) => name.to_string(),
        (View::Body, false) => format!("{name} with contracts for {}", abstracted.join(", ")),
    }
}

/// The advice about one system.
pub(crate) struct SystemAdvice {
    book: Arc<AdviceBook>,
    system: String,
    names: Names,
    lessons: Lessons,
}

impl SystemAdvice {
    /// The advice in terms of the system; properties that the system does not have are left out.
    pub fn advice(&self, system: &System) -> engines::Advice {
        let labels = labels(system);
        let ids: HashMap<&str, PropertyId> = labels
            .iter()
            .enumerate()
            .map(|(at, label)| (label.as_str(), PropertyId(at)))
            .collect();
        let proofs = self.lessons.proofs.iter().map(|proof| {
            let properties = proof.properties.iter();
            Advised {
                properties: properties
                    .filter_map(|name| ids.get(name.as_str()).copied())
                    .collect(),
                k: proof.k,
                simple_path: proof.simple_path,
                invariants: proof.invariants.clone(),
            }
        });
        let runs = self.lessons.runs.iter();
        let runs = runs.filter_map(|(name, last)| Some((*ids.get(name.as_str())?, *last)));
        engines::Advice {
            proofs: proofs.collect(),
            runs: runs.collect(),
        }
    }

    /// Adds the results of an analysis. For properties that are still undecided, the earlier advice
    /// is kept, together with the lemmas of the analysis.
    pub fn learn(
        &self,
        system: &System,
        proofs: &[SharedProof],
        results: &[Option<PropertyResult>],
        lemmas: &Lemmas,
    ) {
        let labels = labels(system);
        let proofs = proofs.iter();
        let mut lessons = Lessons {
            proofs: proofs.filter_map(|proved| proof(&labels, proved)).collect(),
            runs: runs(&labels, results),
        };
        let asked = |at: &usize| results[*at].is_none() && !system.properties[*at].hidden;
        let open: Vec<usize> = (0..results.len()).filter(asked).collect();
        if !open.is_empty() {
            let open: HashSet<&str> = open.iter().map(|at| labels[*at].as_str()).collect();
            lessons.extend_from(&self.lessons, &open);
            lessons.proofs.extend(unused(lemmas.about(system)));
        }
        let mut advice = self.book.0.lock().unwrap_or_else(|e| e.into_inner());
        advice.learn(&self.system, &self.names, &lessons);
    }
}

/// A name for each property that does not depend on lines and columns.
fn labels(system: &System) -> Vec<String> {
    let mut known: HashMap<String, usize> = HashMap::new();
    let label = |property: &Property| {
        let name = plain(&without_positions(&property.name));
        let count = known.entry(name.clone()).or_default();
        *count += 1;
        match *count {
            1 => name,
            n => format!("{name}#{n}"),
        }
    };
    system.properties.iter().map(label).collect()
}

/// A name without parts such as `[l12c3]`.
fn without_positions(name: &str) -> String {
    let mut parts = name.split("[l");
    let mut kept = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        match part.split_once(']') {
            Some((place, rest)) if place.chars().all(|c| c == 'c' || c.is_ascii_digit()) => {
                kept.push_str(rest)
            }
            _ => {
                kept.push_str("[l");
                kept.push_str(part);
            }
        }
    }
    kept
}

/// A proof, without the conjuncts that are the properties themselves.
fn proof(labels: &[String], proved: &SharedProof) -> Option<Proof> {
    let own = proved.evidence.induction()?;
    let names = proved.properties.iter();
    Some(Proof {
        properties: names.map(|id| labels[id.0].clone()).collect(),
        k: own.k,
        simple_path: own.simple_path,
        invariants: proved.invariants.clone(),
    })
}

fn runs(labels: &[String], results: &[Option<PropertyResult>]) -> BTreeMap<String, usize> {
    let mut runs = BTreeMap::new();
    for (label, result) in labels.iter().zip(results) {
        if let Some(Outcome::Falsified(trace) | Outcome::Reachable(trace)) =
            result.as_ref().map(|result| &result.outcome)
            && trace.steps > 0
        {
            runs.insert(label.clone(), trace.steps - 1);
        }
    }
    runs
}

/// The first lemmas of an analysis, as a proof without properties.
fn unused(lemmas: Vec<Lemma>) -> Option<Proof> {
    let first = &lemmas[..lemmas.len().min(MAX_LEMMAS)];
    Some(Proof {
        properties: Vec::new(),
        k: first.iter().map(|lemma| lemma.k).max()?,
        simple_path: false,
        invariants: first.iter().flat_map(|own| own.term.conjuncts()).collect(),
    })
}
