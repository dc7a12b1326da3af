//! Writes the commands that a solver gets to a file (`--smt_trace`), one file for each solver, as a
//! script for any solver. Answers follow as comments. If a file cannot be written, a note is left,
//! and the engine goes on.

use std::fs::File;
use std::io::Write;
use std::path::PathBuf;

use crate::context::SolverContext;

pub(crate) struct Trace {
    context: SolverContext,
    file: File,
    path: PathBuf,
    begun: bool,
    failed: bool,
}

impl Trace {
    /// `None` if the file cannot be created.
    pub fn new(context: &SolverContext, path: PathBuf) -> Option<Trace> {
        match File::create(&path) {
            Ok(file) => Some(Trace {
                context: context.clone(),
                file,
                path,
                begun: false,
                failed: false,
            }),
            Err(error) => {
                let path = path.display();
                context.add_note(format!(
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
            self.context.add_note(format!(
                "a trace of a solver is not complete: {path}: {error}"
            ));
        }
    }

    pub fn answer(&mut self, answer: &str) {
        self.write(&format!("; {}", answer.replace('\n', " ")));
    }

    /// Begins the script again: a new process gets all commands from the start.
    pub fn restart(&mut self) {
        if self.begun {
            self.write("(reset)");
        }
    }
}
