//! Files that are written beside the results.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

use crate::atomic_write::{unwritten, write};

/// The folder for all files; it is made when the first one is written.
#[derive(Clone, Debug)]
pub struct OutputFolder {
    path: PathBuf,
    counterexamples: usize,
    witnesses: usize,
    deadlocks: usize,
}

/// The kind of a trace, which decides its subfolder.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Dumped {
    Counterexample,
    Witness,
    /// Of a contract that cannot be honoured.
    Deadlock,
}

impl OutputFolder {
    pub fn new(path: PathBuf) -> OutputFolder {
        OutputFolder {
            path,
            counterexamples: 0,
            witnesses: 0,
            deadlocks: 0,
        }
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Writes a trace to a file of its own.
    pub fn dump(&mut self, what: Dumped, text: &str) -> io::Result<PathBuf> {
        let (folder, count) = match what {
            Dumped::Counterexample => ("cex", &mut self.counterexamples),
            Dumped::Witness => ("witness", &mut self.witnesses),
            Dumped::Deadlock => ("trace", &mut self.deadlocks),
        };
        *count += 1;
        let path = self.path.join(folder).join(format!("{count}.txt"));
        write(&path, text).map(|()| path)
    }

    /// A new file that is written little by little.
    pub fn create(&self, name: &Path) -> io::Result<File> {
        let path = self.path.join(name);
        let folder = path.parent().unwrap_or(Path::new(""));
        let created = std::fs::create_dir_all(folder).and_then(|()| File::create(&path));
        created.map_err(|error| unwritten(&path, &error))
    }

    /// Writes a file of a name of its own.
    pub fn write(&self, name: &str, text: &str) -> io::Result<PathBuf> {
        let path = self.path.join(name);
        write(&path, text).map(|()| path)
    }
}
