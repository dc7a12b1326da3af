//! Files that are written whole or not at all.
//!
//! A text goes to another name first, and is moved when all of it is there. The
//! process does not end in between: the watchdog waits, so that nothing unfinished is
//! left behind by an interruption.

use std::fs::File;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard};
use std::time::{Duration, Instant};

/// Who holds it writes, or sees to it that no one does.
static WRITING: Mutex<()> = Mutex::new(());

/// For as long as this is there, the process does not end by itself.
pub fn writing() -> MutexGuard<'static, ()> {
    WRITING
        .lock()
        .unwrap_or_else(|poisoned| poisoned.into_inner())
}

/// Files are small; a disk that takes longer is not waited for.
const PATIENCE: Duration = Duration::from_secs(2);

/// Waits until nothing is being written, and lets nothing be written any more.
pub fn settle() {
    let start = Instant::now();
    while start.elapsed() < PATIENCE {
        if let Ok(guard) = WRITING.try_lock() {
            std::mem::forget(guard);
            return;
        }
        std::thread::sleep(Duration::from_millis(1));
    }
}

/// Where something is written before it is moved to its place.
pub fn unfinished(path: &Path) -> PathBuf {
    let mut unfinished = path.as_os_str().to_owned();
    unfinished.push(format!(".{}.part", std::process::id()));
    PathBuf::from(unfinished)
}

/// Did some process leave this behind?
pub fn is_unfinished(name: &str) -> bool {
    let number = name
        .strip_suffix(".part")
        .and_then(|name| name.rsplit_once('.'));
    number.is_some_and(|(_, number)| {
        !number.is_empty() && number.bytes().all(|digit| digit.is_ascii_digit())
    })
}

/// Writes a file, and makes its folder; an error says which file.
pub fn write(path: &Path, text: &str) -> io::Result<()> {
    let folder = path.parent().unwrap_or(Path::new(""));
    let written = std::fs::create_dir_all(folder).and_then(|()| replace(path, text));
    written.map_err(|error| unwritten(path, &error))
}

pub fn unwritten(path: &Path, error: &io::Error) -> io::Error {
    let message = format!("cannot write {}: {error}", path.display());
    io::Error::new(error.kind(), message)
}

/// Writes a file, or leaves what was there.
pub fn replace(path: &Path, text: &str) -> io::Result<()> {
    let unfinished = unfinished(path);
    let _writing = writing();
    let written = create(&unfinished, text).and_then(|_| std::fs::rename(&unfinished, path));
    if written.is_err() {
        // It may not even be there.
        let _ = std::fs::remove_file(&unfinished);
    }
    written
}

/// A new file with all its text on the disk.
pub fn create(path: &Path, text: &str) -> io::Result<File> {
    let mut file = File::create(path)?;
    file.write_all(text.as_bytes())?;
    file.sync_all()?;
    Ok(file)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unfinished_files_are_known_by_their_names() {
        let name = unfinished(Path::new("folder/certif"));
        let name = name.file_name().and_then(|name| name.to_str());
        assert!(name.is_some_and(is_unfinished));
        for other in [
            "certif",
            "certif.part",
            "certif.x1.part",
            "a..part",
            "1.parts",
        ] {
            assert!(!is_unfinished(other), "{other}");
        }
    }
}
