//! What earlier runs have learnt, in a file for later ones.
//!
//! For each system that was analysed: which invariants its properties were proved
//! with, for which k, and how long the runs were that violate them. All of it is
//! said in terms of names, so that it outlives small changes of a model; what speaks
//! of names that are no longer there is not read. None of it is believed: a later
//! run proves again what it uses.
//!
//! A file has the form of SMT-LIB, and so have the terms in it.
//!
//! This module knows no engine and no Lustre.

use std::collections::{BTreeMap, HashSet};
use std::fmt::Write;

use smt::sexpr::{Sexpr, parse, parse_one};
use smt::smtlib::symbol;
use system::Term;

use super::term_names::Names;

/// The version of the format.
const VERSION: &str = "2";

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

/// What is known of all systems, by their names: for each, its proofs and runs as text.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Advice {
    systems: BTreeMap<String, Vec<Sexpr>>,
}

impl Advice {
    /// Reads a file's text; or says why it cannot be.
    pub fn read(text: &str) -> Result<Advice, String> {
        match version(text).as_deref() {
            Some(VERSION) => {}
            Some(version) => return Err(format!("it is of version {version}, not {VERSION}")),
            None => return Err(format!("it does not begin with `({MARK} {VERSION})`")),
        }
        let mut advice = Advice::default();
        for part in parse(text)?.iter().skip(1) {
            let Some(("system", [Sexpr::Atom(name), entries @ ..])) = form(part) else {
                return Err("something in it is no system".to_owned());
            };
            advice.systems.insert(name.clone(), entries.to_vec());
        }
        Ok(advice)
    }

    pub fn is_empty(&self) -> bool {
        self.systems.is_empty()
    }

    /// What is known of a system with these variables.
    pub fn lessons(&self, system: &str, names: &Names) -> Lessons {
        let mut lessons = Lessons::default();
        for entry in self.systems.get(system).into_iter().flatten() {
            match form(entry) {
                Some(("proof", parts)) => lessons.proofs.extend(proof(parts, names)),
                Some(("run", [Sexpr::Atom(property), Sexpr::Atom(last)])) => {
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
        let proofs = lessons.proofs.iter().map(|proof| entry(proof, names));
        let runs = lessons.runs.iter();
        let runs = runs.map(|(property, last)| format!("(run {} {last})", symbol(property)));
        let entries = proofs.chain(runs).filter_map(|text| parse_one(&text));
        let entries: Vec<Sexpr> = entries.collect();
        match entries.is_empty() {
            true => self.systems.remove(system),
            false => self.systems.insert(system.to_owned(), entries),
        };
    }

    /// The text of a file.
    pub fn text(&self) -> String {
        let mut text = String::from(
            "; What Kindred has learnt. A run that is given this file proves again what it\n\
             ; uses of it, so that it may speak of another version of the model.\n",
        );
        text.push_str(&format!("({MARK} {VERSION})\n"));
        for (name, entries) in &self.systems {
            // Writing to a string does not fail.
            let _ = write!(text, "\n(system {}", symbol(name));
            for entry in entries {
                let _ = write!(text, "\n  {entry}");
            }
            text.push_str(")\n");
        }
        text
    }
}

/// The version of the format, which stands before all else. What follows may be in
/// another one.
fn version(text: &str) -> Option<String> {
    let is_comment = |line: &&str| line.is_empty() || line.starts_with(';');
    let first = text.lines().map(str::trim).find(|line| !is_comment(line))?;
    match form(parse(first).ok()?.first()?) {
        Some((MARK, [Sexpr::Atom(version)])) => Some(version.clone()),
        _ => None,
    }
}

/// The word that a list begins with, and the rest of it.
fn form(sexpr: &Sexpr) -> Option<(&str, &[Sexpr])> {
    let (head, rest) = sexpr.list()?.split_first()?;
    Some((head.atom()?, rest))
}

fn entry(proof: &Proof, names: &Names) -> String {
    let properties: Vec<String> = proof.properties.iter().map(|name| symbol(name)).collect();
    let along = match proof.simple_path {
        true => " (along simple-paths)",
        false => "",
    };
    let said = proof.invariants.iter();
    let said: Vec<String> = said.filter_map(|term| names.text(term)).collect();
    format!(
        "(proof (properties {}) (k {}){along} (invariants {}))",
        properties.join(" "),
        proof.k,
        said.join(" ")
    )
}

/// A proof as far as it can be read; nothing without a k.
fn proof(parts: &[Sexpr], names: &Names) -> Option<Proof> {
    let mut proof = Proof {
        properties: Vec::new(),
        k: 0,
        simple_path: false,
        invariants: Vec::new(),
    };
    for part in parts {
        match form(part)? {
            ("properties", all) => {
                let all = all.iter().filter_map(Sexpr::atom);
                proof.properties.extend(all.map(str::to_owned));
            }
            ("k", [Sexpr::Atom(k)]) => proof.k = k.parse().ok()?,
            ("along", [Sexpr::Atom(paths)]) => proof.simple_path = paths == "simple-paths",
            ("invariants", terms) => {
                let terms = terms.iter().filter_map(|term| names.formula(term));
                proof.invariants.extend(terms);
            }
            _ => return None,
        }
    }
    (1..=MAX_K).contains(&proof.k).then_some(proof)
}

/// A larger k is not worth a try, nor is a longer run.
const MAX_K: usize = 200;
const MAX_RUN: usize = 200;
