//! Standard output, written in whole objects.
//!
//! What is written waits until it is flushed, which happens behind each object of
//! a document. So whoever has to end the process in a hurry can close the
//! document, and it is well formed.

use std::io::{self, Write};
use std::sync::{Mutex, MutexGuard};

/// Held while something is written.
static GATE: Mutex<()> = Mutex::new(());

fn gate() -> MutexGuard<'static, ()> {
    GATE.lock().unwrap_or_else(|e| e.into_inner())
}

#[derive(Default)]
pub struct Output {
    pending: Vec<u8>,
}

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.pending.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        let _gate = gate();
        let mut stdout = io::stdout().lock();
        let written = stdout.write_all(&self.pending);
        self.pending.clear();
        written.and_then(|()| stdout.flush())
    }
}

/// Writes the end of a document; nobody writes anything behind it.
pub fn last_words(text: &str) {
    std::mem::forget(gate());
    let mut stdout = io::stdout().lock();
    // Nobody is left to hear of an error here.
    let _ = stdout.write_all(text.as_bytes());
    let _ = stdout.flush();
}
