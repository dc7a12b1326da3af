//! Scripts of what a solver is told (`--smt_trace`): a file a solver, which can
//! be given to any solver again. What was answered stands behind it as a
//! comment. One that cannot be written is told of, and ends no engine.

use std::fs::File;
use std::io::Write;
use std::path::PathBuf;

use crate::notes;

pub(crate) struct Trace {
    file: File,
    path: PathBuf,
    begun: bool,
    failed: bool,
}

impl Trace {
    /// `None` if there can be no such file.
    pub fn new(path: PathBuf) -> Option<Trace> {
        match File::create(&path) {
            Ok(file) => Some(Trace {
                file,
                path,
                begun: false,
                failed: false,
            }),
            Err(error) => {
                let path = path.display();
                notes::add(format!(
                    "a trace of a solver cannot be written: {path}: {error}"
                ));
                None
            }
        }
    }

    pub fn write(&mut self, command: &str) {
        self.begun = true;
        if let Err(error) = writeln!(self.file, "{command}")
            && !std::mem::replace(&mut self.failed, true)
        {
            let path = self.path.display();
            notes::add(format!(
                "a trace of a solver is not complete: {path}: {error}"
            ));
        }
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
