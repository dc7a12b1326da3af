//! Files that are written whole or not at all.
//!
//! A text goes to another name first, and is moved when all of it is there. The
//! process does not end in between: the watchdog waits, so that nothing unfinished is
//! left behind by an interruption.
//!
//! Only a plain file is replaced, the one behind all links, by one with its mode and
//! owner. A device, a pipe, or a file that has other names or another owner is written
//! itself.

use std::fs::{File, Metadata, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard};
use std::time::{Duration, Instant};

use crate::standard_output;

/// Who holds it writes, or sees to it that no one does.
static WRITING: Mutex<()> = Mutex::new(());

/// For as long as this is there, the process does not end by itself.
pub fn writing() -> MutexGuard<'static, ()> {
    WRITING
        .lock()
        .unwrap_or_else(|poisoned| poisoned.into_inner())
}

/// Files are small; a disk that takes longer is not waited for.
const WRITE_TIMEOUT: Duration = Duration::from_secs(2);

/// Waits until nothing is being written, and lets nothing be written any more.
pub fn settle() {
    let start = Instant::now();
    while start.elapsed() < WRITE_TIMEOUT {
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
    let _writing = writing();
    write_held(path, text)
}

/// As [`replace`], for those who hold [`writing`].
pub fn write_held(path: &Path, text: &str) -> io::Result<()> {
    let target = WriteTarget::of(path)?;
    match &target {
        WriteTarget::Output => standard_output::write(text),
        WriteTarget::Error => io::stderr().write_all(text.as_bytes()),
        WriteTarget::Device => through(File::options().write(true).open(path)?, text),
        WriteTarget::New(target) => {
            let staged = Staged::new(target)?;
            staged.fill(text)?;
            staged.install(target)
        }
        WriteTarget::File(target, attributes) => match Staged::like(target, attributes)? {
            Some(staged) => {
                staged.fill(text)?;
                staged.install(target)
            }
            None => {
                let file = File::options().write(true).truncate(true).open(target)?;
                through(file, text)
            }
        },
    }
}

/// A new file with all its text on the disk.
pub fn create(path: &Path, text: &str) -> io::Result<File> {
    let mut file = File::create(path)?;
    file.write_all(text.as_bytes())?;
    file.sync_all()?;
    Ok(file)
}

fn through(mut file: File, text: &str) -> io::Result<()> {
    file.write_all(text.as_bytes())?;
    match file.metadata()?.is_file() {
        true => file.sync_all(),
        false => Ok(()),
    }
}

/// What a path names, behind all links.
enum WriteTarget {
    /// Standard output and standard error, under any name: a file that they go to is not
    /// replaced, and what is written before stays.
    Output,
    Error,
    /// A terminal, a pipe, a socket, a device: not to be replaced.
    Device,
    File(PathBuf, Metadata),
    /// Nothing yet.
    New(PathBuf),
}

impl WriteTarget {
    fn of(path: &Path) -> io::Result<WriteTarget> {
        let found = match std::fs::metadata(path) {
            Ok(found) => found,
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                return end_of_links(path).map(WriteTarget::New);
            }
            // A circle of links, among others.
            Err(error) => return Err(error),
        };
        if found.is_dir() {
            return Err(io::Error::new(
                io::ErrorKind::IsADirectory,
                "it is a folder",
            ));
        }
        if is_stream(&found, 1) {
            return Ok(WriteTarget::Output);
        }
        if is_stream(&found, 2) {
            return Ok(WriteTarget::Error);
        }
        match found.is_file() {
            true => Ok(WriteTarget::File(path.canonicalize()?, found)),
            false => Ok(WriteTarget::Device),
        }
    }
}

/// As many links as Linux follows.
const MOST_LINKS: usize = 40;

/// The path that a link leads to which leads to nothing, or the path itself.
fn end_of_links(path: &Path) -> io::Result<PathBuf> {
    let mut path = path.to_owned();
    for _ in 0..MOST_LINKS {
        match std::fs::read_link(&path) {
            Ok(target) => path = path.parent().unwrap_or(Path::new("")).join(target),
            Err(_) => return Ok(path),
        }
    }
    Err(io::Error::other("there are too many links"))
}

/// Is this the file behind a standard stream, by its number?
#[cfg(unix)]
fn is_stream(found: &Metadata, number: u32) -> bool {
    use std::os::unix::fs::{FileTypeExt, MetadataExt};
    // Who asks for the null device need not mean the stream that goes there.
    let is_device = found.file_type().is_char_device() || found.file_type().is_block_device();
    let stream = std::fs::metadata(format!("/dev/fd/{number}"));
    !is_device && stream.is_ok_and(|s| (s.dev(), s.ino()) == (found.dev(), found.ino()))
}

#[cfg(not(unix))]
fn is_stream(_: &Metadata, _: u32) -> bool {
    false
}

/// A file that is to take the place of another, gone unless it does.
struct Staged {
    path: PathBuf,
    file: File,
}

impl Staged {
    /// Nobody else has put a file or a link there: it may be a folder that others write to.
    fn new(target: &Path) -> io::Result<Staged> {
        Staged::with(target, &mut File::options())
    }

    fn with(target: &Path, options: &mut OpenOptions) -> io::Result<Staged> {
        let path = unfinished(target);
        let options = options.write(true).create_new(true);
        let file = match options.open(&path) {
            // Of a process that had the same number.
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                std::fs::remove_file(&path)?;
                options.open(&path)?
            }
            other => other?,
        };
        Ok(Staged { path, file })
    }

    /// One with the mode and the owner of what it replaces. Where that cannot be, or would
    /// cut off another name of the file, there is none: the file itself is to be written.
    #[cfg(unix)]
    fn like(target: &Path, attributes: &Metadata) -> io::Result<Option<Staged>> {
        use std::os::unix::fs::{MetadataExt, OpenOptionsExt, fchown};
        // What may not be written is not replaced either.
        File::options().write(true).open(target)?;
        if attributes.nlink() > 1 {
            return Ok(None);
        }
        let staged = match Staged::with(target, File::options().mode(0o600)) {
            Err(error) if error.kind() == io::ErrorKind::PermissionDenied => return Ok(None),
            staged => staged?,
        };
        let (user, group) = (attributes.uid(), attributes.gid());
        let own = staged.file.metadata()?;
        if (own.uid(), own.gid()) != (user, group)
            && fchown(&staged.file, Some(user), Some(group)).is_err()
        {
            return Ok(None);
        }
        staged.file.set_permissions(attributes.permissions())?;
        Ok(Some(staged))
    }

    #[cfg(not(unix))]
    fn like(target: &Path, _: &Metadata) -> io::Result<Option<Staged>> {
        Staged::new(target).map(Some)
    }

    fn fill(&self, text: &str) -> io::Result<()> {
        (&self.file).write_all(text.as_bytes())?;
        self.file.sync_all()
    }

    fn install(self, target: &Path) -> io::Result<()> {
        std::fs::rename(&self.path, target)
    }
}

impl Drop for Staged {
    fn drop(&mut self) {
        // It has moved if all went well.
        let _ = std::fs::remove_file(&self.path);
    }
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
