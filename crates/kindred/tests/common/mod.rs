//! Runs the real program, and replays transcripts of such runs.
//!
//! A transcript is a text like this, kept as a file or in a document:
//!
//! ```text
//! # What is shown.
//! $ kindred --only_parse true missing.lus
//! <what it writes>
//! ! <what it writes to standard error>
//! [exit 1]
//! ```
//!
//! [`replay`] gives the text as it is now; a test compares the two. With
//! `UPDATE_EXPECT=1` in the environment the file is rewritten instead.

#![allow(dead_code)]

pub mod analyses;
pub mod schema;

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// The output and exit code of a run.
pub struct Run {
    pub stdout: String,
    pub stderr: String,
    pub exit: i32,
}

/// The folder that holds the whole workspace.
pub fn repository() -> PathBuf {
    let manifest = Path::new(env!("CARGO_MANIFEST_DIR"));
    let root = manifest.parent().and_then(Path::parent);
    root.expect("the crate lies in crates/").to_owned()
}

/// The files of a folder whose names end as given, sorted.
pub fn files(folder: &Path, extension: &str) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).expect("the folder can be read");
    let mut paths: Vec<PathBuf> = entries
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| path.extension().is_some_and(|e| e == extension))
        .collect();
    paths.sort();
    paths
}

pub fn read(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The corpus, if it has this folder. A test without it prints that it is skipped.
pub fn corpus(folder: &str) -> Option<PathBuf> {
    let corpus = match std::env::var_os("KINDRED_CORPUS") {
        Some(corpus) => PathBuf::from(corpus),
        None => repository().parent()?.join("shared/corpus"),
    };
    let found = corpus.join(folder).is_dir();
    if !found {
        eprintln!("there is no corpus: nothing is compared");
    }
    found.then_some(corpus)
}

/// A folder for one test, removed when the test ends.
pub struct Scratch(pub PathBuf);

impl Scratch {
    pub fn new(name: &str) -> Scratch {
        let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
        let _ = std::fs::remove_dir_all(&path);
        std::fs::create_dir_all(&path).expect("a folder can be made");
        Scratch(path)
    }

    pub fn write(&self, name: &str, text: &str) {
        std::fs::write(self.0.join(name), text).expect("a file can be written");
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // A folder that cannot be removed does no harm.
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// Runs the program in a folder.
pub fn kindred(folder: &Path, args: &[&str], stdin: &str) -> Run {
    let mut child = Command::new(env!("CARGO_BIN_EXE_kindred"))
        .args(args)
        .current_dir(folder)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program starts");
    if let Some(mut pipe) = child.stdin.take() {
        // A program that reads nothing may close it early.
        let _ = pipe.write_all(stdin.as_bytes());
    }
    let output = child.wait_with_output().expect("the program ends");
    let text = |bytes| String::from_utf8(bytes).expect("it writes UTF-8");
    Run {
        stdout: text(output.stdout),
        stderr: text(output.stderr),
        exit: output.status.code().unwrap_or(-1),
    }
}

/// The ways to start a command line of a transcript.
const PROGRAMS: [&str; 2] = ["$ kindred", "$ cargo run --release --"];

/// The transcript with the current output of its commands.
pub fn replay(transcript: &str, folder: &Path) -> String {
    let mut replayed = String::new();
    for line in transcript.lines() {
        let command = PROGRAMS
            .iter()
            .find_map(|program| line.strip_prefix(program));
        if let Some(command) = command {
            replayed.push_str(&format!("{line}\n{}\n", transcribe(command, folder)));
        } else if line.starts_with("# ") {
            replayed.push_str(&format!("{line}\n"));
        }
    }
    replayed
}

fn transcribe(command: &str, folder: &Path) -> String {
    let mut args: Vec<&str> = command.split_whitespace().collect();
    let mut stdin = String::new();
    if let Some(at) = args.iter().position(|arg| *arg == "<") {
        stdin = read(&folder.join(args[at + 1]));
        args.truncate(at);
    }
    let run = kindred(folder, &args, &stdin);
    let mut text = run.stdout.trim_end().to_owned();
    if !text.is_empty() {
        text.push('\n');
    }
    for line in run.stderr.trim_end().lines() {
        text.push_str(format!("! {line}").trim_end());
        text.push('\n');
    }
    if run.exit != 0 {
        text.push_str(&format!("[exit {}]\n", run.exit));
    }
    text
}
