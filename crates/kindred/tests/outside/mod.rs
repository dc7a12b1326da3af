//! Runs with external solvers, and with a script that stands in for them.

#![allow(dead_code)]

#[path = "../../../smt/tests/stand_in/script.rs"]
mod script;

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/solvers")
}

pub fn are_installed(programs: &[&str]) -> bool {
    programs.iter().all(|program| {
        let there = Command::new(program).arg("--version").output().is_ok();
        if !there {
            eprintln!("{program} is not installed, and not tested");
        }
        there
    })
}

/// Kindred on the model of two counters.
pub fn kindred(args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_kindred"));
    command.arg(folder().join("counter.lus")).args(args);
    command
}

pub fn run(command: &mut Command) -> (i32, String) {
    let Output {
        status,
        stdout,
        stderr,
    } = command.output().expect("kindred runs");
    let text = String::from_utf8_lossy(&stdout) + String::from_utf8_lossy(&stderr);
    (status.code().expect("no signal"), text.into_owned())
}

/// The executable of a stand-in, at a place of its own, so that its processes
/// can be told from those of others.
pub fn stand_in(name: &str) -> PathBuf {
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::copy(folder().join("stand_in.py"), &path).expect("a script");
    script::allow(&path);
    path
}

/// The processes whose command line has the text.
pub fn processes(text: &str) -> Vec<String> {
    let all = std::fs::read_dir("/proc").into_iter().flatten().flatten();
    let lines = all.filter_map(|entry| std::fs::read(entry.path().join("cmdline")).ok());
    let lines = lines.map(|line| String::from_utf8_lossy(&line).replace('\0', " "));
    lines
        .filter(|line| line.contains(text) && line.contains("python"))
        .collect()
}

/// Is a verdict about the counters wrong, and are all of them right?
pub fn verdicts(text: &str) -> (bool, bool) {
    let wrong = text.contains("bounded is valid")
        || text.contains("together is invalid")
        || text.contains("positive is invalid")
        || text.contains("internal error")
        || text.contains("panicked");
    let right = text.contains("bounded is invalid")
        && text.contains("together is valid")
        && text.contains("positive is valid");
    (wrong, right)
}
