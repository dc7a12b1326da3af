//! The files of certificates, in the output folder.
//!
//! They belong to the last run: the certificates of earlier runs are removed before a run begins.
//! All files of a certificate are there, or none: they are written to a temporary folder, and moved
//! to their place, the script last. Other files in the folder stay.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use artifacts::certificate::{Script, checker, is_certificate};

use crate::atomic_write::{self, is_unfinished, unfinished, unwritten};

/// The folder of certificates, in the output folder.
pub const FOLDER: &str = "certif";

/// The stem of the files of a certificate, and of the front-end certificate.
pub const INVARIANCE: &str = "certificate";
pub const FRONT_END: &str = "FEC.kind2.out/certif/FECC";

/// The ends of the file names; the script is written last.
const PRELUDE: &str = "_prelude.smt2";
const CHECKER: &str = "_checker";
const SCRIPT: &str = ".smt2";

/// The scripts of an analysis as they are on disk.
pub struct Scripts<'s> {
    pub invariance: &'s Script,
    pub front_end: Option<&'s Script>,
}

struct File {
    path: String,
    text: String,
    is_program: bool,
}

/// The files of a certificate, `certificate.smt2` last.
fn files(scripts: &Scripts) -> Vec<File> {
    let front_end = scripts.front_end.map(|script| (FRONT_END, script));
    let all = front_end
        .into_iter()
        .chain([(INVARIANCE, scripts.invariance)]);
    let files = all.flat_map(|(stem, script)| {
        let file = |end: &str, text: String, is_program: bool| File {
            path: format!("{stem}{end}"),
            text,
            is_program,
        };
        [
            file(PRELUDE, script.prelude.clone(), false),
            file(CHECKER, checker(name(stem)), true),
            file(SCRIPT, script.certificate(), false),
        ]
    });
    files.collect()
}

/// The last part of the path of a certificate.
fn name(stem: &str) -> &str {
    stem.rsplit('/').next().unwrap_or(stem)
}

/// The files of a certificate that is to be checked.
pub struct Found {
    /// Its name in messages.
    pub name: &'static str,
    pub prelude: String,
    pub checker: String,
    pub script: String,
}

impl Found {
    pub fn read(folder: &Path, stem: &'static str) -> io::Result<Found> {
        let read = |end: &str| {
            let path = folder.join(format!("{stem}{end}"));
            let text = fs::read_to_string(&path);
            text.map_err(|error| {
                io::Error::new(error.kind(), format!("{}: {error}", path.display()))
            })
        };
        Ok(Found {
            name: name(stem),
            prelude: read(PRELUDE)?,
            checker: read(CHECKER)?,
            script: read(SCRIPT)?,
        })
    }
}

/// Where a script is, in the folder of its certificate.
pub fn script(folder: &Path, stem: &str) -> PathBuf {
    folder.join(format!("{stem}{SCRIPT}"))
}

/// Writes a certificate to a folder, all files of it or none.
pub fn write(folder: &Path, scripts: &Scripts) -> io::Result<()> {
    let staged = unfinished(folder);
    let files = files(scripts);
    let _writing = atomic_write::writing();
    let written = stage(&staged, &files).and_then(|()| {
        let moved = install(&staged, folder, &files);
        if moved.is_err() {
            remove_certificate(folder);
            remove_empty(folder);
        }
        moved
    });
    // Removes the rest of the temporary folder.
    let _ = fs::remove_dir_all(&staged);
    written.map_err(|error| unwritten(folder, &error))
}

fn stage(staged: &Path, files: &[File]) -> io::Result<()> {
    for file in files {
        let path = staged.join(&file.path);
        fs::create_dir_all(path.parent().unwrap_or(staged))?;
        let written = atomic_write::create(&path, &file.text)?;
        if file.is_program {
            make_executable(&written)?;
        }
    }
    Ok(())
}

fn install(staged: &Path, folder: &Path, files: &[File]) -> io::Result<()> {
    for file in files {
        let path = folder.join(&file.path);
        fs::create_dir_all(path.parent().unwrap_or(folder))?;
        match fs::symlink_metadata(&path) {
            // A path that exists may be a link or a device, and is written as `atomic_write` does.
            Ok(_) => atomic_write::write_held(&path, &file.text)?,
            Err(_) => fs::rename(staged.join(&file.path), path)?,
        }
    }
    Ok(())
}

#[cfg(unix)]
fn make_executable(file: &fs::File) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    file.set_permissions(fs::Permissions::from_mode(0o755))
}

#[cfg(not(unix))]
fn make_executable(_: &fs::File) -> io::Result<()> {
    Ok(())
}

/// Removes the certificates of earlier runs from an output folder, and temporary folders of
/// processes that were killed. Nothing else is removed.
pub fn clear(output: &Path) -> io::Result<()> {
    let _writing = atomic_write::writing();
    let certificates = output.join(FOLDER);
    let mut folders = entries(&certificates);
    folders.push(certificates.clone());
    let left: Vec<PathBuf> = folders
        .iter()
        .cloned()
        .chain(entries(output))
        .filter(|path| is_left_over(path))
        .collect();
    for path in left {
        fs::remove_dir_all(&path).map_err(|error| unremoved(&path, &error))?;
    }
    let mut removed = false;
    // The folder of all certificates comes last, and is empty by then.
    for folder in folders {
        removed |= remove_certificate(&folder);
        if removed {
            remove_empty(&folder);
        }
        let rest = [INVARIANCE, FRONT_END].map(|stem| script(&folder, stem));
        if let Some(path) = rest.iter().find(|path| is_ours(path)) {
            let error = io::Error::other("it cannot be removed");
            return Err(unremoved(path, &error));
        }
    }
    Ok(())
}

fn unremoved(path: &Path, error: &io::Error) -> io::Error {
    let message = format!(
        "a certificate of an earlier run: {}: {error}",
        path.display()
    );
    io::Error::new(error.kind(), message)
}

/// Is it a folder in which a certificate was being written?
fn is_left_over(path: &Path) -> bool {
    let name = path.file_name().and_then(|name| name.to_str());
    name.is_some_and(is_unfinished)
        && [INVARIANCE, FRONT_END]
            .iter()
            .any(|stem| path.join(format!("{stem}{PRELUDE}")).is_file())
}

/// The folders in a folder.
fn entries(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let paths = entries.map(|entry| entry.path());
    paths.filter(|path| path.is_dir()).collect()
}

/// Did Kindred write this script?
fn is_ours(path: &Path) -> bool {
    // Reading a pipe or a device may block forever.
    if !path.is_file() {
        return false;
    }
    let text = fs::read(path).unwrap_or_default();
    is_certificate(&String::from_utf8_lossy(&text))
}

/// Removes the files of a certificate, if there are any. The scripts are removed last: as long as
/// one is there, it shows that the files are Kindred's.
fn remove_certificate(folder: &Path) -> bool {
    let mut removed = false;
    for stem in [FRONT_END, INVARIANCE] {
        if is_ours(&script(folder, stem)) {
            for end in [PRELUDE, CHECKER, SCRIPT] {
                let path = folder.join(format!("{stem}{end}"));
                // Some may be missing. A link stays, for the next run.
                let target = path.canonicalize().unwrap_or(path);
                removed |= target.is_file() && fs::remove_file(target).is_ok();
            }
        }
    }
    removed
}

/// Removes the folders of a certificate that have nothing in them.
fn remove_empty(folder: &Path) {
    let mut place = Path::new(FRONT_END);
    while let Some(parent) = place.parent() {
        // The folder may hold files of others; then it stays.
        let _ = fs::remove_dir(folder.join(parent));
        place = parent;
    }
}
