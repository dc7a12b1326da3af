//! Runs solvers on scripts.

use std::io::{self, Read, Write};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

pub use smt::Answer;

/// The solver that checks a script.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Checker {
    /// Z3 in this process.
    Embedded,
    /// A program: a name on the path, or a path.
    Program(String),
}

/// Is a script without commands unsatisfiable?
pub fn check(checker: &Checker, script: &str, limit: Option<Duration>) -> io::Result<Answer> {
    match checker {
        Checker::Embedded => Ok(smt::check_script(script, limit)),
        Checker::Program(program) => {
            let script = format!("{script}(check-sat)\n(exit)\n");
            let mut answers = check_all(program, &script, limit)?.into_iter();
            match (answers.next(), answers.next()) {
                (Some(answer), None) => Ok(answer),
                _ => Ok(Answer::Unknown("no answer, or more than one".into())),
            }
        }
    }
}

/// The answers of a program to a whole script; any other line counts as an answer too.
pub fn check_all(program: &str, script: &str, limit: Option<Duration>) -> io::Result<Vec<Answer>> {
    let Some(text) = ask(program, script, limit)? else {
        return Ok(vec![Answer::Unknown("timeout".into())]);
    };
    let lines = text.lines().map(|line| line.trim().trim_matches('"'));
    let said = lines.filter(|line| !line.is_empty() && !line.starts_with("Checking "));
    let answers = said.map(|line| match line {
        "unsat" => Answer::Unsat,
        "sat" => Answer::Sat,
        other => Answer::Unknown(other.to_owned()),
    });
    Ok(answers.collect())
}

/// The options with which a solver reads SMT-LIB from its input.
fn options(program: &str) -> &'static [&'static str] {
    let name = Path::new(program)
        .file_name()
        .and_then(|name| name.to_str());
    match name.unwrap_or_default() {
        name if name.starts_with("z3") => &["-smt2", "-in"],
        name if name.starts_with("cvc") => &["--lang", "smt2", "--incremental"],
        name if name.starts_with("yices") => &["--incremental"],
        _ => &[],
    }
}

/// Runs a program on a script; after the timeout it is killed.
fn ask(program: &str, script: &str, limit: Option<Duration>) -> io::Result<Option<String>> {
    let mut child = Command::new(program)
        .args(options(program))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()?;
    let output = read_all(&mut child);
    if let Some(mut input) = child.stdin.take() {
        let script = script.to_owned();
        // If the solver has ended, the write fails, and its missing answer reports that.
        thread::spawn(move || input.write_all(script.as_bytes()));
    }
    let text = match limit {
        Some(limit) => output.recv_timeout(limit).ok(),
        None => output.recv().ok(),
    };
    if text.is_none() {
        child.kill()?;
    }
    child.wait()?;
    Ok(text)
}

fn read_all(child: &mut Child) -> mpsc::Receiver<String> {
    let (sender, receiver) = mpsc::channel();
    if let Some(mut output) = child.stdout.take() {
        thread::spawn(move || {
            let mut bytes = Vec::new();
            if output.read_to_end(&mut bytes).is_ok() {
                // The receiver is gone after a timeout.
                let _ = sender.send(String::from_utf8_lossy(&bytes).into_owned());
            }
        });
    }
    receiver
}
