//! The library beside the programs that use it.
//!
//! Cargo puts programs into `target/<profile>`, tests and examples into folders in it. The
//! library goes there too, under all its names: the linker asks for one, the loader for
//! another. A library for static linking stays where it is.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

/// Copies the library, with the other names it has in its folder, to the folder of
/// programs; gives back the copy.
pub fn beside_programs(library: &Path) -> io::Result<PathBuf> {
    let out = std::env::var_os("OUT_DIR").map(PathBuf::from);
    let programs = out.as_deref().and_then(programs);
    match programs {
        Some(programs) if is_shared(library) => copy(library, programs),
        _ => Ok(library.to_owned()),
    }
}

/// `target/<profile>`, of `target/<profile>/build/<package>/out`.
fn programs(out: &Path) -> Option<&Path> {
    let build = out.parent()?.parent()?;
    build.ends_with("build").then(|| build.parent()).flatten()
}

fn is_shared(file: &Path) -> bool {
    let name = file.file_name().unwrap_or_default().to_string_lossy();
    name.starts_with("libz3.") && (name.contains(".so") || name.contains(".dylib"))
}

fn copy(library: &Path, programs: &Path) -> io::Result<PathBuf> {
    let folder = library.parent().unwrap_or(Path::new("/"));
    for entry in fs::read_dir(folder)? {
        let file = entry?.path();
        if is_shared(&file) && file.is_file() {
            let name = file.file_name().unwrap_or_default();
            replace(&file, &programs.join(name))?;
        }
    }
    Ok(programs.join(library.file_name().unwrap_or_default()))
}

/// A program may be running with what is there: that one keeps its file. What was there
/// may be another name of something else.
fn replace(from: &Path, to: &Path) -> io::Result<()> {
    if same(from, to) {
        return Ok(());
    }
    let part = to.with_extension(format!("part-{}", std::process::id()));
    fs::copy(from, &part)?;
    // Cargo runs a build script again if a file it watches is newer than the script's
    // last start.
    let past = SystemTime::UNIX_EPOCH + Duration::from_secs(1_000_000_000);
    File::options()
        .append(true)
        .open(&part)?
        .set_modified(past)?;
    fs::rename(&part, to)
}

fn same(one: &Path, other: &Path) -> bool {
    match (fs::read(one), fs::read(other)) {
        (Ok(one), Ok(other)) => one == other,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs_lie_above_the_folder_of_a_build_script() {
        let out = Path::new("/w/target/debug/build/smt-0123/out");
        assert_eq!(programs(out), Some(Path::new("/w/target/debug")));
        assert_eq!(programs(Path::new("/elsewhere/out")), None);
    }

    #[test]
    fn all_names_of_the_library_are_copied() {
        let root = std::env::temp_dir().join(format!("kindred-stage-{}", std::process::id()));
        let (from, to) = (root.join("from"), root.join("to"));
        fs::create_dir_all(&from).unwrap();
        fs::create_dir_all(&to).unwrap();
        for name in ["libz3.so", "libz3.so.5.3", "libz3.a", "other.so"] {
            fs::write(from.join(name), name).unwrap();
        }
        fs::write(to.join("libz3.so"), "older").unwrap();
        let copied = copy(&from.join("libz3.so"), &to).unwrap();
        assert_eq!(copied, to.join("libz3.so"));
        let mut names: Vec<_> = fs::read_dir(&to)
            .unwrap()
            .map(|entry| entry.unwrap().file_name())
            .collect();
        names.sort();
        assert_eq!(names, ["libz3.so", "libz3.so.5.3"]);
        assert_eq!(fs::read_to_string(copied).unwrap(), "libz3.so");
        fs::remove_dir_all(root).unwrap();
    }
}
