//! Certificates: written for what is valid, accepted by solvers, and refused once
//! someone has changed them.

mod tamper;

use std::path::{Path, PathBuf};
use std::time::Duration;

use artifacts::run::{Answer, check_all};

use crate::verdict::kindred;
use crate::{Outcome, files};

pub use tamper::{Fate, Tampered, forged, tampered};

/// Seconds for a model, and for a solver with a certificate.
const TIMEOUT: f64 = 60.0;

/// Certificates on disk, for as long as this is there.
pub struct Written {
    folder: PathBuf,
    pub model: PathBuf,
}

impl Written {
    /// Has certificates of a model written.
    pub fn new(model: &Path, at: usize) -> Written {
        let process = std::process::id();
        let folder = std::env::temp_dir().join(format!("kindred-certificate-{process}-{at}"));
        let written = Written {
            folder,
            model: model.to_owned(),
        };
        let out = written.folder.display().to_string();
        let flags = ["--certif", "true", "--output_dir", &out];
        kindred(&flags, &[model], TIMEOUT);
        written
    }

    pub fn folder(&self) -> PathBuf {
        self.folder.join("certif")
    }

    /// The certificates: one, or one for each top node.
    pub fn certificates(&self) -> Vec<PathBuf> {
        let below = std::fs::read_dir(self.folder()).into_iter();
        let below = below.flatten().flatten().map(|entry| entry.path());
        let folders = [self.folder()].into_iter().chain(below);
        let files = folders.map(|folder| folder.join("certificate.smt2"));
        files.filter(|path| path.is_file()).collect()
    }

    /// What `verify-certificate` exits with, and writes.
    pub fn verify(&self) -> (i32, String) {
        let files = [self.folder(), self.model.clone()];
        kindred(&["verify-certificate"], &[&files[0], &files[1]], TIMEOUT)
    }
}

/// The whole script of a certificate with this text.
pub fn script(certificate: &Path, text: &str) -> String {
    let folder = certificate.parent().unwrap_or(Path::new(""));
    files::read(&folder.join("certificate_prelude.smt2")) + text
}

impl Drop for Written {
    fn drop(&mut self) {
        // What is left behind is in nobody's way.
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}

/// The valid models of a folder, as its list says.
pub fn valid(corpus: &Path, part: &str) -> Vec<PathBuf> {
    match part {
        "fmcad08" => {
            let folder = corpus.join(part);
            let list = files::read(&folder.join("expected.csv"));
            let lines = list.lines().filter_map(|line| line.trim().split_once(','));
            let valid = lines.filter(|(_, verdict)| *verdict == "valid");
            valid.map(|(file, _)| folder.join(file)).collect()
        }
        _ => files::models(&corpus.join(part).join("success")),
    }
}

/// Every valid model has a certificate that z3 and cvc5 accept, as far as they are
/// installed.
pub fn run(corpus: &Path) -> Vec<Outcome> {
    let mut outcomes = Vec::new();
    for part in ["fmcad08", "regression"] {
        let mut written = Outcome::new(&format!("certificates: {part}"));
        let solvers = ["z3", "cvc5"].into_iter().filter(|name| is_installed(name));
        let mut accepted: Vec<(&str, Outcome)> = solvers
            .map(|solver| (solver, Outcome::new(&format!("  accepted by {solver}"))))
            .collect();
        let mut front = Outcome::new("  front end");
        for (at, model) in valid(corpus, part).iter().enumerate() {
            let name = files::name(model);
            let certificates = Written::new(model, at);
            let all = certificates.certificates();
            if all.is_empty() {
                written.unknown.push(name);
                continue;
            }
            match certificates.verify() {
                (0, _) => written.right += 1,
                (30, text) => written.unknown.push(format!("{name}: {}", text.trim())),
                (_, text) => written.wrong.push(format!("{name}: {}", text.trim())),
            }
            for certificate in all {
                match certificate.with_file_name("FEC.kind2.out").is_dir() {
                    true => front.right += 1,
                    false => front.unknown.push(name.clone()),
                }
                let script = script(&certificate, &files::read(&certificate));
                for (solver, outcome) in &mut accepted {
                    judge(solver, &script, &name, outcome);
                }
            }
        }
        outcomes.push(written);
        outcomes.push(front);
        outcomes.extend(accepted.into_iter().map(|(_, outcome)| outcome));
    }
    outcomes
}

/// Gives a script to a solver; all its questions must be unsatisfiable.
pub fn judge(solver: &str, script: &str, name: &str, outcome: &mut Outcome) {
    match answers(solver, script) {
        Ok(answers) if answers == [Answer::Unsat, Answer::Unsat, Answer::Unsat] => {
            outcome.right += 1;
        }
        Ok(answers) if answers.contains(&Answer::Sat) => outcome.wrong.push(name.to_owned()),
        Ok(answers) => outcome.unknown.push(format!("{name}: {answers:?}")),
        Err(error) => outcome.unknown.push(format!("{name}: {error}")),
    }
}

/// What a solver answers to the questions of a script.
pub fn answers(solver: &str, script: &str) -> std::io::Result<Vec<Answer>> {
    check_all(solver, script, Some(Duration::from_secs_f64(TIMEOUT)))
}

pub fn is_installed(solver: &str) -> bool {
    let asked = answers(solver, "(assert false)\n(check-sat)\n(exit)\n");
    asked.is_ok_and(|answers| answers == [Answer::Unsat])
}
