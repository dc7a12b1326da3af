//! Standard output, written in whole objects.
//!
//! Output is buffered until it is flushed, which happens after each object of a document. So the
//! watchdog, which ends the process at any moment, can close the document, and it is well formed.
//!
//! A failed write is an error. The standard library hides some of them: it ignores writes to a
//! closed output. So bytes are written to the file itself.

use std::fs::File;
use std::io::{self, Write};
use std::sync::{Mutex, MutexGuard, OnceLock, TryLockError};
use std::time::{Duration, Instant};

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
        let written = write_all(&self.pending);
        self.pending.clear();
        written
    }
}

/// Writes a text at once.
pub fn write(text: &str) -> io::Result<()> {
    let _gate = gate();
    write_all(text.as_bytes())
}

/// How long to wait for another thread that is writing: it takes longer only if the reader of a
/// pipe does not read.
const WRITE_TIMEOUT: Duration = Duration::from_millis(500);

/// Writes the end of a document, and keeps the lock, so that no thread writes anything after it.
pub fn write_end(text: &[u8]) -> io::Result<()> {
    let start = Instant::now();
    let gate = loop {
        match GATE.try_lock() {
            Ok(gate) => break gate,
            Err(TryLockError::Poisoned(poisoned)) => break poisoned.into_inner(),
            Err(TryLockError::WouldBlock) if start.elapsed() > WRITE_TIMEOUT => {
                return Err(io::Error::other("nobody reads them"));
            }
            Err(TryLockError::WouldBlock) => std::thread::sleep(Duration::from_millis(1)),
        }
    };
    std::mem::forget(gate);
    write_all(text)
}

/// Reports on standard error that results cannot be written.
pub fn report_write_error(error: &io::Error) {
    let message = format!("cannot write the results: {error}");
    eprintln!("error: {}", syntax::printable(&message));
}

fn write_all(bytes: &[u8]) -> io::Result<()> {
    if bytes.is_empty() {
        return Ok(());
    }
    if stdio::output_was_closed() {
        return Err(io::Error::other("standard output is closed"));
    }
    match file() {
        Some(mut file) => file.write_all(bytes),
        None => {
            let mut stdout = io::stdout().lock();
            stdout.write_all(bytes).and_then(|()| stdout.flush())
        }
    }
}

/// Standard output as a file that reports all errors.
#[cfg(unix)]
fn file() -> Option<&'static File> {
    use std::os::fd::AsFd;
    static FILE: OnceLock<Option<File>> = OnceLock::new();
    let open = || Some(io::stdout().as_fd().try_clone_to_owned().ok()?.into());
    FILE.get_or_init(open).as_ref()
}

#[cfg(not(unix))]
fn file() -> Option<&'static File> {
    None
}
