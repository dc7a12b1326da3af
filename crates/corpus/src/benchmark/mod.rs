//! The benchmark: the corpus with a time limit, figures per family, and a
//! comparison with the reference times of two other model checkers.

mod cactus;
pub mod realizability;
mod summary;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use crate::files;
use crate::verdict::{self, Verdicts};

pub use cactus::{Curve, cactus};
pub use summary::{against_baseline, engines, families};

/// What is known of a model.
enum Expected {
    Exit(i32),
    /// Properties by name, each valid or not.
    Properties(BTreeMap<String, bool>),
}

/// A model to be solved.
pub struct Task {
    pub family: String,
    /// Within its part of the corpus.
    pub name: String,
    path: PathBuf,
    flags: &'static [&'static str],
    expected: Expected,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Verdict {
    Solved,
    Wrong,
    Unknown,
}

/// A task with what came of it.
pub struct Solution {
    pub family: String,
    pub name: String,
    pub verdict: Verdict,
    pub seconds: f64,
    /// How many properties each engine decided.
    pub engines: BTreeMap<String, usize>,
    /// How long it took to check proofs again.
    pub certifying: f64,
}

pub const PARTS: [&str; 5] = ["fmcad08", "regression", "ivc", "jkind", CONTRACT_CHECKS];

/// The part that has no tasks, but comparisons of its own.
pub const CONTRACT_CHECKS: &str = "realizability";

/// The tasks of a part of the corpus.
pub fn tasks(corpus: &Path, part: &str) -> Vec<Task> {
    match part {
        "fmcad08" => fmcad08(&corpus.join("fmcad08")),
        "regression" => regression(&corpus.join("regression")),
        "ivc" => files::models(&corpus.join("ivc"))
            .into_iter()
            .map(|path| exits("ivc", path, 0, &[]))
            .collect(),
        "jkind" => files::models(&corpus.join("jkind"))
            .into_iter()
            .map(jkind)
            .collect(),
        _ => Vec::new(),
    }
}

fn exits(family: &str, path: PathBuf, exit: i32, flags: &'static [&'static str]) -> Task {
    let stem = path.file_stem().unwrap_or_default().to_string_lossy();
    Task {
        family: family.to_owned(),
        name: stem.into_owned(),
        path,
        flags,
        expected: Expected::Exit(exit),
    }
}

fn fmcad08(folder: &Path) -> Vec<Task> {
    let list = files::read(&folder.join("expected.csv"));
    let rows = list.lines().skip(1).filter_map(|line| line.split_once(','));
    rows.map(|(file, verdict)| {
        let family = file.rsplit_once('/').map_or("", |(family, _)| family);
        let exit = if verdict == "valid" { 0 } else { 40 };
        let mut task = exits(&format!("fmcad08/{family}"), folder.join(file), exit, &[]);
        task.name = file.to_owned();
        task
    })
    .collect()
}

fn regression(folder: &Path) -> Vec<Task> {
    let mut tasks = Vec::new();
    for (part, exit) in [("success", 0), ("falsifiable", 40)] {
        for path in files::models(&folder.join(part)) {
            let family = format!("regression/{part}");
            tasks.push(exits(&family, path, exit, &verdict::REGRESSION_FLAGS));
        }
    }
    tasks
}

/// A model of JKind that is refused: its loop has no solution for some inputs, on which its
/// published verdicts rest.
const REFUSED: &str = "drivetrain";

/// A property of a model that is valid with JKind, for which an index out of bounds reads an
/// element of the array. It reads an unknown value here, as with Kind 2.
const OUT_OF_BOUNDS: (&str, &str) = ("array", "ok1");

/// The comment at the head of a model of JKind lists its properties.
fn jkind(path: PathBuf) -> Task {
    let is = |name: &str| path.file_stem().is_some_and(|stem| stem == name);
    if is(REFUSED) {
        return exits("jkind", path, 3, &[]);
    }
    let text = files::read(&path);
    let mut expected = BTreeMap::new();
    for (at, _) in text.match_indices("VALID PROPERTIES: [") {
        let valid = !text[..at].ends_with("IN");
        let list = &text[at..];
        let list = &list[list.find('[').unwrap_or(0) + 1..list.find(']').unwrap_or(list.len())];
        for name in list.split(',') {
            let name = name.trim_matches(|c: char| c.is_whitespace() || c == '-');
            let name = name.split(" (").next().unwrap_or(name);
            expected.insert(name.to_owned(), valid);
        }
    }
    if is(OUT_OF_BOUNDS.0) {
        expected.insert(OUT_OF_BOUNDS.1.to_owned(), false);
    }
    Task {
        expected: Expected::Properties(expected),
        ..exits("jkind", path, 0, &[])
    }
}

/// Runs one task.
pub fn solve(task: Task, limit: f64) -> Solution {
    let found = verdict::run(&task.path, task.flags, limit);
    let verdict = match &task.expected {
        Expected::Exit(exit) if found.exit == *exit => Verdict::Solved,
        Expected::Exit(_) if found.exit == 30 => Verdict::Unknown,
        Expected::Exit(_) => Verdict::Wrong,
        Expected::Properties(expected) => properties(&task.path, expected, &found),
    };
    let mut engines = BTreeMap::new();
    for property in &found.properties {
        if let Some(engine) = &property.engine {
            *engines.entry(engine.clone()).or_default() += 1;
        }
    }
    Solution {
        family: task.family,
        name: task.name,
        verdict,
        seconds: found.seconds,
        engines,
        certifying: found.certifying,
    }
}

/// Properties without a name go by the stream that their line names.
fn properties(path: &Path, expected: &BTreeMap<String, bool>, found: &Verdicts) -> Verdict {
    let text = files::read(path);
    let lines: Vec<&str> = text.lines().collect();
    let mut verdict = Verdict::Solved;
    for property in &found.properties {
        let line = lines.get(property.line.wrapping_sub(1)).unwrap_or(&"");
        let stated = line.split("PROPERTY").nth(1).unwrap_or_default();
        let name = stated.trim_matches(|c: char| c.is_whitespace() || c == ';');
        let Some(valid) = expected.get(name) else {
            continue;
        };
        match (property.answer.as_str(), valid) {
            ("valid", true) | ("falsifiable", false) => {}
            ("valid" | "falsifiable", _) => return Verdict::Wrong,
            _ => verdict = Verdict::Unknown,
        }
    }
    match found.properties.is_empty() {
        true => Verdict::Unknown,
        false => verdict,
    }
}
