//! Runs with one thread are the same every time: what they write is compared byte by byte,
//! but for times, and so are the certificates.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use crate::files;
use crate::verdict::kindred;

/// A model with options, to be run again and again.
pub struct Trial {
    pub model: PathBuf,
    pub flags: Vec<&'static str>,
}

/// Seconds for a run, which none of the models needs.
const TIMEOUT: f64 = 600.0;

/// Models of all kinds, with analyses of all kinds; of a folder, one of so many.
const TRIALS: [(&str, usize, &[&str]); 22] = [
    ("ivc/cd.lus", 1, &["--ivc", "true"]),
    ("ivc/cd.lus", 1, &["--ivc", "true", "--ivc_all", "true"]),
    ("ivc/cd.lus", 1, &["--enable", "MCS"]),
    ("ivc/fast_1.lus", 1, &["--ivc", "true"]),
    ("ivc/car_5.lus", 1, &["--ivc", "true"]),
    ("ivc/hysteresis_all.lus", 1, &["--ivc", "true"]),
    ("ivc/speed2.lus", 1, &["--ivc", "true"]),
    ("ivc/ums.lus", 1, &["--ivc", "true"]),
    ("ivc/microwave01.lus", 1, &["--ivc", "true"]),
    (
        "ivc/two_counters.lus",
        1,
        &["--ivc", "true", "--ivc_all", "true"],
    ),
    ("documentation/asw.lus", 1, &["--enable", "MCS"]),
    (
        "documentation/mcs.lus",
        1,
        &["--enable", "MCS", "--mcs_all", "true"],
    ),
    (
        "documentation/ivc.lus",
        1,
        &["--ivc", "true", "--ivc_all", "true"],
    ),
    (
        "documentation/stopwatch.lus",
        1,
        &["--modular", "true", "--compositional", "true"],
    ),
    ("documentation/top_counters.lus", 1, &["--certif", "true"]),
    ("fmcad08/Int/misc", 20, &["--certif", "true"]),
    ("fmcad08/Int/simulation", 30, &["--ivc", "true"]),
    ("fmcad08/Bool/misc", 10, &[]),
    ("fmcad08/Bool/simulation", 20, &[]),
    ("regression/success", 40, &["--modular", "true"]),
    ("regression/success", 50, &["--print_invs", "true"]),
    ("regression/falsifiable", 30, &[]),
];

/// The trials whose models there are; of a folder some models.
pub fn trials(corpus: &Path) -> Vec<Trial> {
    let mut trials = Vec::new();
    for (name, every, flags) in TRIALS {
        let path = corpus.join(name);
        let models = match path.is_dir() {
            true => files::models(&path).into_iter().step_by(every).collect(),
            false => vec![path],
        };
        let models = models.into_iter().filter(|model| model.is_file());
        trials.extend(models.map(|model| Trial {
            model,
            flags: flags.to_vec(),
        }));
    }
    trials
}

/// What a run has come to: its exit code, its document and the files it has written,
/// without times.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Came {
    pub exit: i32,
    pub document: String,
    pub files: BTreeMap<PathBuf, Vec<u8>>,
}

impl Trial {
    /// Runs the program once; its files go to a folder that is gone afterwards.
    pub fn run(&self, folder: &Path) -> Came {
        // There may be none yet.
        let _ = std::fs::remove_dir_all(folder);
        let output = folder.to_string_lossy();
        let flags = ["--json", "--threads", "1", "--output_dir", &output];
        let flags = [&flags[..], &self.flags].concat();
        let (exit, document) = kindred(&flags, &[&self.model], TIMEOUT);
        let mut written = BTreeMap::new();
        gather(folder, &mut written);
        let _ = std::fs::remove_dir_all(folder);
        Came {
            exit,
            document: without_times(&document),
            files: written,
        }
    }
}

/// All files below a folder.
fn gather(folder: &Path, found: &mut BTreeMap<PathBuf, Vec<u8>>) {
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        match path.is_dir() {
            true => gather(&path, found),
            false => {
                let bytes = std::fs::read(&path).unwrap_or_default();
                found.insert(path, bytes);
            }
        }
    }
}

/// A document in which the values of all times are left out.
pub fn without_times(document: &str) -> String {
    let mut in_time = false;
    let lines = document.lines().map(|line| {
        if line.contains('"') && !line.contains("\"value\"") && line.contains('{') {
            in_time = line.contains("\"runtime\"");
        }
        match in_time && line.contains("\"value\"") {
            true => "(a time)\n".to_owned(),
            false => format!("{line}\n"),
        }
    });
    lines.collect()
}

/// The first line in which two documents differ.
pub fn difference(a: &str, b: &str) -> Option<String> {
    let (mut a, mut b) = (a.lines(), b.lines());
    loop {
        match (a.next(), b.next()) {
            (None, None) => return None,
            (a, b) if a != b => {
                let (a, b) = (a.unwrap_or("(nothing)"), b.unwrap_or("(nothing)"));
                return Some(format!("{} | {}", a.trim(), b.trim()));
            }
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_all_that_is_left_out() {
        let document = |k: u32, time: &str| {
            format!(
                "{{\n  \"k\": {k},\n  \"runtime\": {{\n    \"unit\": \"sec\",\n    \"value\": \
                 {time}\n  }},\n  \"answer\": {{\n    \"value\": \"valid\"\n  }}\n}}\n"
            )
        };
        let (one, other) = (document(1, "0.1"), document(1, "2.5"));
        assert_eq!(without_times(&one), without_times(&other));
        assert!(without_times(&one).contains("\"value\": \"valid\""));
        let deeper = without_times(&document(2, "0.1"));
        let difference = difference(&without_times(&one), &deeper);
        assert_eq!(difference.as_deref(), Some("\"k\": 1, | \"k\": 2,"));
    }
}
