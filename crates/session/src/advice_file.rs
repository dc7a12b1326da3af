//! The file of `--advice`.
//!
//! Advice is optional: if the file cannot be read, a warning is told and the run goes on without
//! advice.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use analysis::advice::{Advice, AdviceBook};
use results::Level;

use crate::atomic_write;
use crate::learnt_options::LearntOptions;
use crate::listener::Listener;

pub struct AdviceFile {
    pub book: Option<Arc<AdviceBook>>,
    to: Option<PathBuf>,
    /// The text that was last read from or written to the file.
    written: Option<String>,
}

impl AdviceFile {
    /// Reads the file that the options name.
    pub fn open(args: &LearntOptions, out: &mut dyn Listener) -> io::Result<AdviceFile> {
        let from = args.advice.as_ref().or(args.read_advice.as_ref());
        let to = args.advice.as_ref().or(args.write_advice.as_ref());
        if from.is_none() && to.is_none() {
            return Ok(AdviceFile {
                book: None,
                to: None,
                written: None,
            });
        }
        let read = match from {
            Some(path) => read(path, args.advice.is_some()),
            None => Ok(Advice::default()),
        };
        let advice = match read {
            Ok(advice) => advice,
            Err(message) => {
                out.log(Level::Warn, "supervisor", message)?;
                Advice::default()
            }
        };
        let written = (from == to).then(|| advice.text());
        Ok(AdviceFile {
            book: Some(Arc::new(AdviceBook::new(advice))),
            to: to.cloned(),
            written,
        })
    }

    /// Writes the advice so far, atomically; or returns why it cannot.
    pub fn save(&mut self) -> Result<(), String> {
        let text = self.book.as_ref().and_then(|book| book.text());
        let (Some(path), Some(text)) = (&self.to, text) else {
            return Ok(());
        };
        if self.written.as_ref() != Some(&text) {
            atomic_write::write(path, &text).map_err(|error| error.to_string())?;
            self.written = Some(text);
        }
        Ok(())
    }
}

/// With `may_be_missing`, a missing file is empty advice: this run will write it.
fn read(path: &Path, may_be_missing: bool) -> Result<Advice, String> {
    let name = path.display();
    let bytes = match std::fs::read(path) {
        Ok(bytes) => bytes,
        Err(error) if may_be_missing && error.kind() == io::ErrorKind::NotFound => {
            return Ok(Advice::default());
        }
        Err(error) => return Err(format!("there is no advice: cannot read {name}: {error}")),
    };
    let text = String::from_utf8_lossy(&bytes);
    Advice::read(&text).map_err(|why| format!("there is no advice in {name}: {why}"))
}
