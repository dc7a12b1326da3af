//! Files that are written whole or not at all.
//!
//! A text is written to a temporary name first, and renamed when it is complete. The watchdog does
//! not end the process in between, so that an interruption leaves no unfinished files.
//!
//! Only a plain file is replaced: the one behind all symbolic links, by one with the same mode and
//! owner. A device, a pipe, or a file with other hard links or another owner is written in place.

use std::fs::{File, Metadata, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard};
use std::time::{Duration, Instant};

use crate::standard_output;

/// Held by the thread that writes files, or by the watchdog, so that no thread does.
static WRITING: Mutex<()> = Mutex::new(());

/// While this guard lives, the watchdog does not end the process.
pub fn writing() -> MutexGuard<'static, ()> {
    WRITING
        .lock()
        .unwrap_or_else(|poisoned| poisoned.into_inner())
}

/// How long to wait for a thread that writes files: they are small.
const WRITE_TIMEOUT: Duration = Duration::from_secs(2);

/// Waits until no file is being written, and prevents further writes.
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

/// The temporary name under which a file is written.
pub fn unfinished(path: &Path) -> PathBuf {
    let mut unfinished = path.as_os_str().to_owned();
    unfinished.push(format!(".{}.part", std::process::id()));
    PathBuf::from(unfinished)
}

/// Is this the temporary name of a file, left by a process that was killed?
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

/// Replaces a file, or on an error leaves the old one.
pub fn replace(path: &Path, text: &str) -> io::Result<()> {
    let _writing = writing();
    write_held(path, text)
}

/// As [`replace`], for a caller that holds [`writing`].
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

/// What a path leads to, behind all symbolic links.
enum WriteTarget {
    /// Standard output, under any name: the file that it is redirected to is not replaced, and its
    /// earlier content stays.
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
            // For example a cycle of links.
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

/// The missing target of a dangling link, or the path itself.
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

/// Is this the file behind a standard stream, by device and inode?
#[cfg(unix)]
fn is_stream(found: &Metadata, number: u32) -> bool {
    use std::os::unix::fs::{FileTypeExt, MetadataExt};
    // A stream may be redirected to the null device: that path then need not mean the stream.
    let is_device = found.file_type().is_char_device() || found.file_type().is_block_device();
    let stream = std::fs::metadata(format!("/dev/fd/{number}"));
    !is_device && stream.is_ok_and(|s| (s.dev(), s.ino()) == (found.dev(), found.ino()))
}

#[cfg(not(unix))]
fn is_stream(_: &Metadata, _: u32) -> bool {
    false
}

/// A temporary file that will replace another; removed when dropped before that.
struct Staged {
    path: PathBuf,
    file: File,
}

impl Staged {
    /// Creates the file, and fails if the name exists: others may be able to write to the folder.
    fn new(target: &Path) -> io::Result<Staged> {
        Staged::with(target, &mut File::options())
    }

    fn with(target: &Path, options: &mut OpenOptions) -> io::Result<Staged> {
        let path = unfinished(target);
        let options = options.write(true).create_new(true);
        let file = match options.open(&path) {
            // Left by an earlier process with the same id.
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                std::fs::remove_file(&path)?;
                options.open(&path)?
            }
            other => other?,
        };
        Ok(Staged { path, file })
    }

    /// A temporary file with the mode and owner of the file that it replaces. `None` if these
    /// cannot be set, or if the file has other hard links: then the file is written in place.
    #[cfg(unix)]
    fn like(target: &Path, attributes: &Metadata) -> io::Result<Option<Staged>> {
        use std::os::unix::fs::{MetadataExt, OpenOptionsExt, fchown};
        // A file without permission to write is not replaced either.
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
        // The file was renamed if all went well.
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
