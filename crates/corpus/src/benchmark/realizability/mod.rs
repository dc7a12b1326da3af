//! Contract checks, compared with known answers, with the times of Kind 2, and with each other.

mod exit_codes;
mod jkind_twins;
mod run;
mod summary;
mod viable_states;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use run::Question;

use super::Verdict;
use crate::files;
use crate::table;

pub use summary::Report;

/// The tables and outputs of other tools.
struct Golden(PathBuf);

/// The options of the program that rows depend on.
struct Abilities {
    /// `--check_environment`.
    environment: bool,
}

/// A row of the table of known answers.
struct Row {
    file: String,
    node: String,
    question: Question,
    expected: String,
    kind2: String,
    kind2_seconds: Option<f64>,
    /// Known by hand, and beyond what the tools decide.
    stretch: bool,
    note: String,
}

/// A row with the answer of the program.
struct Answered {
    row: Row,
    found: Option<String>,
    verdict: Option<Verdict>,
    /// The wall time of the run.
    seconds: f64,
}

impl Golden {
    /// All rows, whatever part is wanted.
    fn all_rows(&self) -> impl Iterator<Item = Row> {
        let rows = table::rows(&self.0.join("expected.csv")).into_iter();
        rows.filter_map(|cells| {
            let cell = |name: &str| cells.get(name).cloned().unwrap_or_default();
            Some(Row {
                file: cell("file"),
                node: cell("node"),
                question: Question::named(&cell("what"))?,
                expected: cell("expected"),
                kind2: cell("kind2_2.1.1"),
                kind2_seconds: cell("kind2_2.1.1_s").parse().ok(),
                stretch: cell("notes").starts_with("stretch"),
                note: cell("notes"),
            })
        })
    }

    fn rows(&self) -> impl Iterator<Item = Row> {
        let rows = self.all_rows();
        rows.filter(|row| files::is_wanted(&row.file))
    }
}

impl Row {
    /// `None` where no answer is expected, or "unknown" is.
    fn judge(&self, found: Option<&str>, exit: i32) -> Option<Verdict> {
        let found = found.filter(|answer| *answer != "unknown");
        match (self.expected.as_str(), found) {
            ("undecided" | "unknown", _) => None,
            ("rejected", _) if exit == 3 => Some(Verdict::Solved),
            ("rejected", _) => Some(Verdict::Wrong),
            (_, None) => Some(Verdict::Unknown),
            (expected, Some(found)) if found == expected => Some(Verdict::Solved),
            _ => Some(Verdict::Wrong),
        }
    }
}

/// Runs all comparisons.
pub fn compare(corpus: &Path, limit: f64) -> Report {
    let golden = Golden(corpus.join("../golden/realizability"));
    let folder = corpus.join("realizability");
    let abilities = Abilities {
        environment: run::help().contains("--check_environment"),
    };
    let mut report = Report::new(limit);
    let mut by_file: BTreeMap<String, Vec<Row>> = BTreeMap::new();
    let mut known: BTreeSet<String> = BTreeSet::new();
    for row in golden.rows() {
        known.insert(row.file.clone());
        match row.question.needs_environment_check() && !abilities.environment {
            true => report.skipped += 1,
            false => by_file.entry(row.file.clone()).or_default().push(row),
        }
    }
    for (file, rows) in by_file {
        let (further, plain): (Vec<Row>, Vec<Row>) = rows
            .into_iter()
            .partition(|row| row.question.needs_environment_check());
        for (rows, environment) in [(plain, false), (further, true)] {
            if rows.is_empty() {
                continue;
            }
            let flags = abilities.flags(environment);
            let ran = run::check(&folder.join(&file), &flags, limit);
            report.add(&file, rows, &ran);
        }
    }
    for path in files::models(&folder) {
        let name = files::name(&path);
        let name = name.trim_start_matches("realizability/");
        let is_twin = jkind_twins::FOLDERS.iter().any(|f| name.starts_with(f));
        if !is_twin && !known.contains(name) && files::is_wanted(name) {
            report.without_rows.push(name.to_owned());
        }
    }
    report.exit_codes = exit_codes::compare(corpus, &golden, &abilities);
    report.viable_states = viable_states::compare(&folder, &golden, limit);
    report.jkind_twins = jkind_twins::compare(&folder, &golden, limit);
    report
}

impl Abilities {
    /// The option for or against the check of the environment, if there is one.
    fn flags(&self, environment: bool) -> Vec<&'static str> {
        match (self.environment, environment) {
            (false, _) => Vec::new(),
            (true, true) => vec!["--check_environment", "true"],
            (true, false) => vec!["--check_environment", "false"],
        }
    }
}
