//! The clauses that IC3QE excludes states with, in a file.
//!
//! One line for each, when it is found: the property, the last frame that the clause
//! holds in, and the clause, as SMT-LIB has it. A clause that is pushed to a later frame
//! has another line.

use std::fs::File;
use std::io::{self, Write};
use std::sync::{Arc, Mutex, PoisonError};

/// A file that all instances of the engine write to.
#[derive(Clone, Debug)]
pub struct ClauseLog {
    file: Arc<Mutex<File>>,
    failure: Arc<Mutex<Option<io::Error>>>,
}

impl ClauseLog {
    pub fn new(file: File) -> ClauseLog {
        ClauseLog {
            file: Arc::new(Mutex::new(file)),
            failure: Arc::default(),
        }
    }

    pub(crate) fn clause(&self, property: &str, frame: usize, clause: &str) {
        let mut file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        if let Err(error) = writeln!(file, "{property}: frame {frame}: {clause}") {
            let failure = self.failure.lock();
            let mut failure = failure.unwrap_or_else(PoisonError::into_inner);
            failure.get_or_insert(error);
        }
    }

    /// Why something could not be written.
    pub fn failure(&self) -> Option<io::Error> {
        let failure = self.failure.lock();
        failure.unwrap_or_else(PoisonError::into_inner).take()
    }
}
