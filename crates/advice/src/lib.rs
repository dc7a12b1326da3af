//! What earlier runs have learnt, in a file for later ones.
//!
//! For each system that was analysed: which invariants its properties were proved
//! with, for which k, and how long the runs were that violate them. All of it is
//! said in terms of names, so that it outlives small changes of a model; what speaks
//! of names that are no longer there is not read. None of it is believed: a later
//! run proves again what it uses.
//!
//! *Knows no engine and no Lustre.*

mod sexp;
mod term;

use std::collections::{BTreeMap, HashSet};
use std::fmt::Write;

use system::{Sort, Term};

use sexp::Sexp;
pub use term::Names;
use term::{Reader, Writer};

/// The version of the format.
const VERSION: &str = "1";

/// The word that a file begins with.
const MARK: &str = "kindred-advice";

/// A proof: the properties and the invariants are k-inductive together.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Proof {
    /// By name; none for invariants that have proved nothing yet.
    pub properties: Vec<String>,
    pub k: usize,
    /// Along paths without repeated states.
    pub simple_path: bool,
    pub invariants: Vec<Term>,
}

/// What is known of a system.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Lessons {
    pub proofs: Vec<Proof>,
    /// By the name of a property: the last step of the run that decides it.
    pub runs: BTreeMap<String, usize>,
}

impl Lessons {
    /// Takes over what others say of some properties, and what has proved nothing yet.
    pub fn extend_from(&mut self, other: &Lessons, properties: &HashSet<&str>) {
        let concerns = |name: &String| properties.contains(name.as_str());
        let of_them =
            |proof: &&Proof| proof.properties.is_empty() || proof.properties.iter().any(concerns);
        self.proofs
            .extend(other.proofs.iter().filter(of_them).cloned());
        let runs = other.runs.iter().filter(|(name, _)| concerns(name));
        self.runs
            .extend(runs.map(|(name, last)| (name.clone(), *last)));
    }
}

/// The same as text.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
struct Section {
    definitions: Vec<Sexp>,
    /// Proofs and runs.
    entries: Vec<Sexp>,
}

/// What is known of all systems, by their names.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Advice {
    sections: BTreeMap<String, Section>,
}

impl Advice {
    /// Reads a file's text; or says why it cannot be.
    pub fn read(text: &str) -> Result<Advice, String> {
        let all = sexp::read(text)?;
        let mut rest = all.iter();
        match rest.next().and_then(Sexp::form) {
            Some((MARK, [Sexp::Word(version)])) if version == VERSION => {}
            Some((MARK, [Sexp::Word(version)])) => {
                return Err(format!("it is of version {version}, not {VERSION}"));
            }
            _ => return Err(format!("it does not begin with `({MARK} {VERSION})`")),
        }
        let mut advice = Advice::default();
        for part in rest {
            let Some(("system", [Sexp::Name(name), entries @ ..])) = part.form() else {
                return Err("something in it is no system".to_owned());
            };
            advice.sections.insert(name.clone(), section(entries));
        }
        Ok(advice)
    }

    pub fn is_empty(&self) -> bool {
        self.sections.is_empty()
    }

    /// What is known of a system with these variables.
    pub fn lessons(&self, system: &str, names: &Names) -> Lessons {
        let Some(section) = self.sections.get(system) else {
            return Lessons::default();
        };
        let reader = Reader::new(names, &section.definitions);
        let mut lessons = Lessons::default();
        for entry in &section.entries {
            match entry.form() {
                Some(("proof", parts)) => lessons.proofs.extend(proof(parts, &reader)),
                Some(("run", [Sexp::Name(property), Sexp::Word(last)])) => {
                    let last = last.parse().ok().filter(|last| *last <= MAX_RUN);
                    lessons
                        .runs
                        .extend(last.map(|last| (property.clone(), last)));
                }
                _ => {}
            }
        }
        lessons
    }

    /// Takes note of what is known of a system, in place of what was.
    pub fn learn(&mut self, system: &str, names: &Names, lessons: &Lessons) {
        let mut writer = Writer::new(names);
        let proofs = lessons.proofs.iter();
        let mut entries: Vec<Sexp> = proofs.map(|proof| entry(proof, &mut writer)).collect();
        for (property, last) in &lessons.runs {
            let parts = [Sexp::name(property), Sexp::word(last.to_string())];
            entries.push(Sexp::list("run", parts));
        }
        let section = Section {
            definitions: writer.definitions,
            entries,
        };
        match section.entries.is_empty() {
            true => self.sections.remove(system),
            false => self.sections.insert(system.to_owned(), section),
        };
    }

    /// The text of a file.
    pub fn text(&self) -> String {
        let mut text = String::from(
            "; What Kindred has learnt. A run that is given this file proves again what it\n\
             ; uses of it, so that it may speak of another version of the model.\n",
        );
        text.push_str(&format!("({MARK} {VERSION})\n"));
        for (name, section) in &self.sections {
            // Writing to a string does not fail.
            let _ = write!(text, "\n(system {}", Sexp::name(name));
            for (at, term) in section.definitions.iter().enumerate() {
                let _ = write!(text, "\n  (define {at} {term})");
            }
            for entry in &section.entries {
                let _ = write!(text, "\n  {entry}");
            }
            text.push_str(")\n");
        }
        text
    }
}

/// Definitions are numbered in their order; one out of order defines nothing.
fn section(parts: &[Sexp]) -> Section {
    let mut section = Section::default();
    for part in parts {
        match part.form() {
            Some(("define", [Sexp::Word(number), term])) => {
                if *number == section.definitions.len().to_string() {
                    section.definitions.push(term.clone());
                }
            }
            _ => section.entries.push(part.clone()),
        }
    }
    section
}

fn entry(proof: &Proof, writer: &mut Writer) -> Sexp {
    let properties = proof.properties.iter().map(Sexp::name);
    let mut parts = vec![
        Sexp::list("properties", properties),
        Sexp::list("k", [Sexp::word(proof.k.to_string())]),
    ];
    if proof.simple_path {
        parts.push(Sexp::list("along", [Sexp::word("simple-paths")]));
    }
    let said = proof.invariants.iter().filter_map(|term| writer.term(term));
    parts.push(Sexp::list("invariants", said));
    Sexp::list("proof", parts)
}

/// A proof as far as it can be read; nothing without a k.
fn proof(parts: &[Sexp], reader: &Reader) -> Option<Proof> {
    let mut proof = Proof {
        properties: Vec::new(),
        k: 0,
        simple_path: false,
        invariants: Vec::new(),
    };
    for part in parts {
        match part.form()? {
            ("properties", names) => proof.properties.extend(names.iter().filter_map(named)),
            ("k", [Sexp::Word(k)]) => proof.k = k.parse().ok()?,
            ("along", [Sexp::Word(paths)]) => proof.simple_path = paths == "simple-paths",
            ("invariants", terms) => {
                let terms = terms.iter().filter_map(|term| reader.term(term));
                let truths = terms.filter(|term| *term.sort() == Sort::Bool);
                proof.invariants.extend(truths);
            }
            _ => return None,
        }
    }
    (1..=MAX_K).contains(&proof.k).then_some(proof)
}

/// A larger k is not worth a try, nor is a longer run.
const MAX_K: usize = 200;
const MAX_RUN: usize = 200;

fn named(sexp: &Sexp) -> Option<String> {
    match sexp {
        Sexp::Name(name) => Some(name.clone()),
        _ => None,
    }
}
