//! Exit codes of contract checks, compared with those of Kind 2.

use std::path::Path;

use super::{Abilities, Golden};
use crate::Outcome;
use crate::files;
use crate::table;
use crate::verdict;

/// No row needs longer.
const LIMIT: f64 = 30.0;

/// Runs each row of the table of exit codes. Files that a run writes go to a folder for that.
pub fn compare(corpus: &Path, golden: &Golden, abilities: &Abilities) -> Outcome {
    let mut outcome = Outcome::new("exit codes");
    let folder = std::env::temp_dir().join(format!("kindred-exit-codes-{}", std::process::id()));
    let written = folder.display().to_string();
    let mut skipped = 0;
    for row in table::rows(&golden.0.join("exit_codes.csv")) {
        let cell = |name: &str| row.get(name).cloned().unwrap_or_default();
        let (file, flags, expected) = (cell("file"), cell("flags"), cell("exit_code"));
        if !files::is_wanted(&file) {
            continue;
        }
        // A remark may follow the options.
        let flags = flags.split(" (").next().unwrap_or_default().to_owned();
        let environment = flags.contains("--check_environment");
        if environment && !abilities.environment {
            skipped += 1;
            continue;
        }
        let path = match file.contains('/') {
            true => corpus.join(&file),
            false => corpus.join("realizability/probes").join(&file),
        };
        let mut all = vec!["--enable", "CONTRACTCK", "--output_dir", &written];
        if !environment {
            all.extend(abilities.flags(false));
        }
        all.extend(flags.split_whitespace());
        all.extend(match cell("format").as_str() {
            "json" => Some("-json"),
            "xml" => Some("-xml"),
            _ => None,
        });
        let (exit, _) = verdict::kindred(&all, &[&path], LIMIT);
        match exit.to_string() == expected {
            true => outcome.right += 1,
            false => {
                let what = format!("{file} {} {flags}", cell("format"));
                let line = format!("{what}: {exit}, Kind 2 ends with {expected}");
                outcome.wrong.push(line);
            }
        }
    }
    if skipped > 0 {
        let what = format!("{skipped} rows skipped: the program has no `--check_environment`");
        outcome.unknown.push(what);
    }
    // It need not exist.
    let _ = std::fs::remove_dir_all(&folder);
    outcome
}
