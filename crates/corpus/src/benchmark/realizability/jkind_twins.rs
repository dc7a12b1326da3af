//! The same contracts as JKind has them: `--%REALIZABLE` names the inputs of a node.

use std::collections::BTreeMap;
use std::path::Path;

use super::Golden;
use super::run::{self, Question};
use crate::Outcome;
use crate::files;

/// Folders of such models; those without the suffix have their twins.
pub const FOLDERS: [&str; 2] = ["fret_jkind/", "probes_jkind/"];

/// A model that every program that knows `--%REALIZABLE` decides.
const TRIAL: &str = "probes_jkind/first_step_deadlock.lus";

/// Compares each model with the known answer of its twin.
pub fn compare(folder: &Path, golden: &Golden, limit: f64) -> Outcome {
    let mut outcome = Outcome::new("JKind twins");
    let mut twins = Vec::new();
    for part in FOLDERS {
        for path in files::models(&folder.join(part)) {
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            let twin = format!("{}/{name}", part.trim_end_matches("_jkind/"));
            if files::is_wanted(&format!("{part}{name}")) {
                twins.push((path.clone(), twin));
            }
        }
    }
    if twins.is_empty() {
        return outcome;
    }
    if run::check(&folder.join(TRIAL), &[], limit)
        .answers()
        .is_empty()
    {
        let count = twins.len();
        let what = format!("{count} models skipped: the program does not read `--%REALIZABLE`");
        outcome.unknown.push(what);
        return outcome;
    }
    let rows = golden.all_rows();
    let rows = rows.filter(|row| row.question == Question::Contract);
    let expected: BTreeMap<String, _> = rows.map(|row| (row.file.clone(), row)).collect();
    for (path, twin) in twins {
        let Some(row) = expected.get(&twin) else {
            outcome.unknown.push(format!("{twin}: no known answer"));
            continue;
        };
        let ran = run::check(&path, &[], limit);
        let answers = ran.answers().iter();
        let mut answers = answers.filter(|answer| answer.question == Question::Contract);
        let answer = answers.next_back().map(|answer| answer.result.clone());
        let name = files::name(&path);
        match (row.expected.as_str(), answer.as_deref()) {
            (_, None | Some("unknown")) => outcome.unknown.push(name),
            (expected, Some(found)) if found == expected => outcome.right += 1,
            ("undecided" | "unknown", Some(found)) => outcome
                .explained
                .push(format!("{name}: {found}, not known before")),
            // What an unguarded `pre` means is another thing there.
            (_, Some(found)) if row.note.contains("unguarded pre") => outcome
                .explained
                .push(format!("{name}: {found}: {}", row.note)),
            (expected, Some(found)) => {
                let line = format!("{name}: {found}, its twin is {expected}");
                outcome.wrong.push(line);
            }
        }
    }
    outcome
}
