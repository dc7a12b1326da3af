//! What is wrong with a run.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::path::PathBuf;

use super::Trial;
use super::run::Run;
use crate::documents::Documents;
use crate::json::{field, objects, text};

/// Seconds that a run may take beyond its time limit.
pub const SLACK: f64 = 1.0;

/// All exit codes that are documented.
const EXITS: [i32; 9] = [0, 1, 2, 3, 4, 5, 30, 40, 50];

/// What is said of properties, by the node that is analysed and their name.
pub type Plain = BTreeMap<(String, String), BTreeSet<String>>;

#[derive(Clone, Debug)]
pub enum Failure {
    /// Not a documented exit code, or one that does not fit the verdicts.
    Exit(String),
    Panic(String),
    Document(String),
    Contradiction(String),
    Late(f64),
    ProcessLeft(String),
    Unfinished(String),
}

impl Failure {
    /// Is it of the same kind?
    pub fn is_like(&self, other: &Failure) -> bool {
        std::mem::discriminant(self) == std::mem::discriminant(other)
    }

    pub fn kind(&self) -> &'static str {
        match self {
            Failure::Exit(_) => "exit code",
            Failure::Panic(_) => "panic",
            Failure::Document(_) => "document",
            Failure::Contradiction(_) => "contradiction",
            Failure::Late(_) => "late",
            Failure::ProcessLeft(_) => "process left",
            Failure::Unfinished(_) => "unfinished file",
        }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Failure::Exit(what) | Failure::Panic(what) | Failure::Document(what) => {
                write!(f, "{}: {what}", self.kind())
            }
            Failure::Contradiction(what)
            | Failure::ProcessLeft(what)
            | Failure::Unfinished(what) => write!(f, "{}: {what}", self.kind()),
            Failure::Late(seconds) => write!(f, "late: ended after {seconds:.2} s"),
        }
    }
}

pub struct Judge {
    documents: Documents,
    slack: f64,
}

impl Judge {
    pub fn new() -> Judge {
        let slack = std::env::var("KINDRED_SLACK").ok();
        Judge {
            documents: Documents::new(),
            slack: slack.and_then(|slack| slack.parse().ok()).unwrap_or(SLACK),
        }
    }

    /// Which checks cannot be made here.
    pub fn left_out(&self) -> Vec<&'static str> {
        self.documents.left_out()
    }

    pub fn judge(&self, trial: &Trial, run: &Run, plain: &Plain) -> Vec<Failure> {
        let mut failures = Vec::new();
        if let Some(what) = panic(run) {
            failures.push(Failure::Panic(what));
        }
        if run.seconds > trial.timeout() + self.slack {
            failures.push(Failure::Late(run.seconds));
        }
        failures.extend(run.left.iter().cloned().map(Failure::ProcessLeft));
        failures.extend(run.unfinished.iter().cloned().map(Failure::Unfinished));
        match run.exit {
            None => failures.push(Failure::Exit("ended by a signal".to_owned())),
            Some(code) if !EXITS.contains(&code) => {
                failures.push(Failure::Exit(code.to_string()));
            }
            Some(code) if is_silent(trial, code, run) => {}
            Some(code) => {
                failures.extend(self.document(trial, &run.stdout));
                if trial.format() == Some("--json") {
                    let said = verdicts(&run.stdout);
                    failures.extend(exit(trial, code, &said));
                    failures.extend(contradictions(trial, &said, plain));
                }
            }
        }
        failures
    }

    fn document(&self, trial: &Trial, stdout: &str) -> Option<Failure> {
        let problem = match trial.format() {
            Some("--json") => self.documents.json_problem(stdout),
            Some("--xml") => self.documents.xml_problem(stdout),
            _ => None,
        };
        problem.map(Failure::Document)
    }
}

impl Default for Judge {
    fn default() -> Judge {
        Judge::new()
    }
}

impl Trial {
    /// How results are written, by choice or otherwise.
    fn format(&self) -> Option<&'static str> {
        let chosen = ["--json", "--xml"].into_iter().find(|f| self.is_set(f));
        chosen.or(self.format)
    }

    /// Do the options change what properties mean, or which runs there are?
    fn changes_meaning(&self) -> bool {
        let meanings = [
            ("--compositional", "true"),
            ("--enforce_func_congruence", "true"),
            ("--lus_strict", "true"),
            ("--enable", "MCS"),
            ("--enable", "interpreter"),
        ];
        meanings.iter().any(|(flag, value)| self.has(flag, value))
    }
}

/// Who is told to be quiet, or refuses the command line, has no document.
fn is_silent(trial: &Trial, code: i32, run: &Run) -> bool {
    run.stdout.is_empty() && (code == 2 || trial.is_set("-q") || trial.is_set("-s"))
}

/// What a run that crashed says.
fn panic(run: &Run) -> Option<String> {
    for text in [&run.stderr, &run.stdout] {
        let lines = text.lines();
        let mut bad = lines.filter(|line| {
            let line = line.to_lowercase();
            ["panicked at", "internal error", "stack overflow"]
                .iter()
                .any(|word| line.contains(word))
        });
        if let Some(line) = bad.next() {
            return Some(line.trim().to_owned());
        }
    }
    None
}

/// The verdicts of a document.
pub fn verdicts(document: &str) -> Plain {
    let mut plain = Plain::new();
    let mut top = String::new();
    for object in objects(document) {
        match text(field(&object, "objectType")).as_deref() {
            Some("analysisStart") => top = text(field(&object, "top")).unwrap_or_default(),
            Some("property") => {
                let name = text(field(&object, "name")).unwrap_or_default();
                let answer = field(&object, "answer").and_then(|a| text(field(&a, "value")));
                let said = plain.entry((top.clone(), name)).or_default();
                said.extend(answer);
            }
            _ => {}
        }
    }
    plain
}

/// A code that says something else than the verdicts.
fn exit(trial: &Trial, code: i32, said: &Plain) -> Option<Failure> {
    let has = |answer: &str| said.values().any(|answers| answers.contains(answer));
    let violated = has("falsifiable") || has("unreachable");
    let told = !trial.has("--exit_code_mode", "only_errors");
    let problem = match code {
        0 if told && violated => "0 where something is violated",
        0 if told && has("unknown") => "0 where something is unknown",
        40 if !violated => "40 where nothing is violated",
        30 if violated && !trial.has("--enable", "MCS") => "30 where something is violated",
        _ => return None,
    };
    Some(Failure::Exit(problem.to_owned()))
}

fn contradictions(trial: &Trial, said: &Plain, plain: &Plain) -> Vec<Failure> {
    let mut failures = Vec::new();
    if trial.changes_meaning() {
        return failures;
    }
    let definite = |answers: &BTreeSet<String>| -> BTreeSet<String> {
        let known = answers.iter().filter(|answer| *answer != "unknown");
        known.cloned().collect()
    };
    for (key, answers) in said {
        let Some(expected) = plain.get(key) else {
            continue;
        };
        let (answers, expected) = (definite(answers), definite(expected));
        if !expected.is_empty() && !answers.is_subset(&expected) {
            let what = format!("{} of {}: {answers:?}, not {expected:?}", key.1, key.0);
            failures.push(Failure::Contradiction(what));
        }
    }
    failures
}

/// The schemas, beside the corpus.
pub fn reference() -> Option<PathBuf> {
    let corpus = crate::files::corpus()?;
    let folder = corpus.join("../reference");
    folder.is_dir().then_some(folder)
}
