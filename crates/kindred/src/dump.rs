//! Files that are written beside the results.

use std::fs::File;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use crate::args::Args;

/// The folder of `--output_dir`; it is made when the first file is written.
pub struct OutputFolder {
    path: PathBuf,
    counterexamples: usize,
    witnesses: usize,
}

/// What is written, and to which folder below.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Dumped {
    Counterexample,
    Witness,
}

impl OutputFolder {
    pub fn new(args: &Args) -> OutputFolder {
        let path = args.output_dir.clone().unwrap_or_else(|| {
            let model = args.model_file().unwrap_or(Path::new("stdin"));
            let mut path = model.as_os_str().to_owned();
            path.push(".out");
            path.into()
        });
        OutputFolder {
            path,
            counterexamples: 0,
            witnesses: 0,
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

    /// Writes all files of a folder below, or none: they go to another folder first.
    /// What was there before is gone. Some files are programs.
    pub fn write_folder(
        &self,
        name: &Path,
        files: &[(String, String, bool)],
    ) -> io::Result<PathBuf> {
        let path = self.path.join(name);
        let mut unfinished = path.as_os_str().to_owned();
        unfinished.push(format!(".{}.part", std::process::id()));
        let unfinished = PathBuf::from(unfinished);
        let written = write_files(&unfinished, files).and_then(|()| {
            if path.exists() {
                std::fs::remove_dir_all(&path)?;
            }
            std::fs::rename(&unfinished, &path)
        });
        if written.is_err() {
            // It may not even be there.
            let _ = std::fs::remove_dir_all(&unfinished);
        }
        written.map_err(|error| unwritten(&path, &error))?;
        Ok(path)
    }

    /// Writes a file of a name of its own.
    pub fn write(&self, name: &str, text: &str) -> io::Result<PathBuf> {
        let path = self.path.join(name);
        write(&path, text).map(|()| path)
    }
}

fn write_files(folder: &Path, files: &[(String, String, bool)]) -> io::Result<()> {
    for (name, text, is_program) in files {
        let path = folder.join(name);
        std::fs::create_dir_all(path.parent().unwrap_or(folder))?;
        let mut file = File::create(&path)?;
        file.write_all(text.as_bytes())?;
        if *is_program {
            make_executable(&file)?;
        }
        file.sync_all()?;
    }
    Ok(())
}

#[cfg(unix)]
fn make_executable(file: &File) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    file.set_permissions(std::fs::Permissions::from_mode(0o755))
}

#[cfg(not(unix))]
fn make_executable(_: &File) -> io::Result<()> {
    Ok(())
}

/// Writes a file, and makes its folder; an error says which file.
pub fn write(path: &Path, text: &str) -> io::Result<()> {
    let folder = path.parent().unwrap_or(Path::new(""));
    let written = std::fs::create_dir_all(folder).and_then(|()| write_whole(path, text));
    written.map_err(|error| unwritten(path, &error))
}

fn unwritten(path: &Path, error: &io::Error) -> io::Error {
    let message = format!("cannot write {}: {error}", path.display());
    io::Error::new(error.kind(), message)
}

/// Writes a file, or leaves what was there: the text goes to another name first.
pub fn write_whole(path: &Path, text: &str) -> io::Result<()> {
    let mut unfinished = path.as_os_str().to_owned();
    unfinished.push(format!(".{}.part", std::process::id()));
    let unfinished = PathBuf::from(unfinished);
    let written = File::create(&unfinished)
        .and_then(|mut file| {
            file.write_all(text.as_bytes())?;
            file.sync_all()
        })
        .and_then(|()| std::fs::rename(&unfinished, path));
    if written.is_err() {
        // It may not even be there.
        let _ = std::fs::remove_file(&unfinished);
    }
    written
}
