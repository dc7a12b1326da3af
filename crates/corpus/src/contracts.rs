//! Modular and compositional runs, compared analysis by analysis.
//!
//! An analysis is known by its top node and the abstract nodes below it. Kind 2's
//! verdicts are in a table; a verdict that Kindred has and Kind 2 has not is told
//! too. Kind 2 also infers ranges that no one declared: they are not compared.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use crate::json::{field, objects, text, texts};
use crate::table::{listed, records};
use crate::verdict::{Property, output, property};
use crate::{Outcome, files};

/// The ways to run that the table has, with their options.
const MODES: [(&str, &[&str]); 4] = [
    ("default", &[]),
    ("modular", &["--modular", "true"]),
    ("compositional", &["--compositional", "true"]),
    ("both", &["--modular", "true", "--compositional", "true"]),
];

/// Seconds for a run.
const TIMEOUT: f64 = 10.0;

/// An analysis, by its top node and what is abstract below it.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Default, Debug)]
struct Analysis {
    top: String,
    abstracted: BTreeSet<String>,
}

impl Analysis {
    fn shown(&self) -> String {
        let abstracted: Vec<&str> = self.abstracted.iter().map(String::as_str).collect();
        format!("{} [{}]", self.top, abstracted.join(" "))
    }
}

/// The answers for each property of each analysis. A property may have several:
/// the contract alone and the body are analyses of the same name.
type Answers = BTreeMap<(Analysis, String), BTreeSet<String>>;

/// What the table says of one run.
#[derive(Default)]
struct Expected {
    exit: i32,
    answers: Answers,
}

/// Runs the models of the table. `KINDRED_PART` narrows it to some files, by a
/// part of their names.
pub fn run(corpus: &Path) -> Vec<Outcome> {
    let table = table(&files::read(&corpus.join("../golden/contracts.csv")));
    let part = std::env::var("KINDRED_PART").unwrap_or_default();
    let mut verdicts = Outcome::new("contracts: verdicts");
    let mut exits = Outcome::new("contracts: exit codes");
    let mut beyond = 0;
    for (file, mode) in table.keys().filter(|(file, _)| file.contains(&part)) {
        let expected = &table[&(file.clone(), mode.clone())];
        let Some((_, flags)) = MODES.iter().find(|(name, _)| name == mode) else {
            continue;
        };
        let (exit, document) = output(&corpus.join(file), flags, TIMEOUT);
        let name = format!("{file} ({mode})");
        match exit {
            exit if exit == expected.exit => exits.right += 1,
            30 => exits.unknown.push(name.clone()),
            _ => {
                let line = format!("{name}: {exit}, Kind 2 has {}", expected.exit);
                exits.wrong.push(line);
            }
        }
        let found = answers(&document);
        compare(&name, expected, &found, &mut verdicts);
        beyond += tell_beyond(&name, expected, &found);
    }
    println!("{beyond} verdicts that Kind 2 does not have");
    vec![verdicts, exits]
}

fn compare(name: &str, expected: &Expected, found: &Answers, outcome: &mut Outcome) {
    for (key, expected) in &expected.answers {
        if !is_definite(expected) {
            continue;
        }
        let (analysis, property) = (key.0.shown(), &key.1);
        match found.get(key) {
            Some(own) if own == expected => outcome.right += 1,
            Some(own) if !is_definite(own) => {
                outcome
                    .unknown
                    .push(format!("{name}: {analysis} {property}"));
            }
            Some(own) => outcome.wrong.push(format!(
                "{name}: {analysis} {property}: {own:?}, Kind 2 says {expected:?}"
            )),
            None => {
                let line = format!("{name}: {analysis} {property} is not there");
                outcome.unknown.push(line);
            }
        }
    }
}

/// Tells what Kindred decides and Kind 2 does not; gives back how much it is.
fn tell_beyond(name: &str, expected: &Expected, found: &Answers) -> usize {
    let new = found.iter().filter(|(key, own)| {
        let known = expected.answers.get(key).is_some_and(is_definite);
        is_definite(own) && !known
    });
    let mut count = 0;
    for ((analysis, property), own) in new {
        println!("  beyond: {name}: {} {property}: {own:?}", analysis.shown());
        count += 1;
    }
    count
}

fn is_definite(answers: &BTreeSet<String>) -> bool {
    !answers.contains("unknown")
}

/// The answers in a document.
fn answers(document: &str) -> Answers {
    let mut answers = Answers::new();
    let mut analysis = Analysis::default();
    for object in &objects(document) {
        if let Some(Property { name, answer, .. }) = property(object) {
            let key = (analysis.clone(), name);
            answers.entry(key).or_default().insert(answer);
        } else if text(field(object, "objectType")).as_deref() == Some("analysisStart") {
            analysis = Analysis {
                top: text(field(object, "top")).unwrap_or_default(),
                abstracted: texts(object, "abstract"),
            };
        }
    }
    answers
}

/// The table, by file and mode.
fn table(csv: &str) -> BTreeMap<(String, String), Expected> {
    let mut table: BTreeMap<(String, String), Expected> = BTreeMap::new();
    for record in records(csv).into_iter().skip(1) {
        let [
            file,
            mode,
            exit,
            top,
            _,
            abstracted,
            property,
            source,
            _,
            answer,
        ] = record.as_slice()
        else {
            continue;
        };
        let analysis = Analysis {
            top: top.clone(),
            abstracted: listed(abstracted),
        };
        let run = table.entry((file.clone(), mode.clone())).or_default();
        run.exit = exit.parse().unwrap_or(-1);
        if source != "Generated" {
            let answers = run.answers.entry((analysis, property.clone())).or_default();
            answers.insert(answer.clone());
        }
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn properties_belong_to_the_analysis_before_them() {
        let document = r#"[
            {"objectType": "analysisStart", "top": "t", "concrete": ["c"], "abstract": ["b", "a"]},
            {"objectType": "property", "name": "p", "answer": {"value": "valid"}}
        ]"#;
        let answers = answers(document);
        let ((analysis, name), own) = answers.first_key_value().expect("an answer");
        assert_eq!((analysis.shown().as_str(), name.as_str()), ("t [a b]", "p"));
        assert!(own.contains("valid"));
    }
}
