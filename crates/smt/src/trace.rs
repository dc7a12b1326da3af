//! Scripts of what a solver is told (`--smt_trace`): a file a solver, which can
//! be given to any solver again. What was answered stands behind it as a
//! comment.

use std::fs::File;
use std::io::Write;
use std::path::PathBuf;

pub(crate) struct Trace {
    file: File,
    begun: bool,
}

impl Trace {
    /// `None` if there can be no such file: a trace is worth no failure.
    pub fn new(path: PathBuf) -> Option<Trace> {
        let file = File::create(path).ok()?;
        Some(Trace { file, begun: false })
    }

    pub fn write(&mut self, command: &str) {
        self.begun = true;
        // See above.
        let _ = writeln!(self.file, "{command}");
    }

    pub fn answer(&mut self, answer: &str) {
        self.write(&format!("; {}", answer.replace('\n', " ")));
    }

    /// Another process is told all from the start.
    pub fn restart(&mut self) {
        if self.begun {
            self.write("(reset)");
        }
    }
}
