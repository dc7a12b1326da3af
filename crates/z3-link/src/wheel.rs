//! The library out of the Python wheel `z3-solver`, kept in the user's cache.
//!
//! The cache folder is `kindred` under `$XDG_CACHE_HOME` or `~/.cache`, so it
//! outlives `cargo clean` and the temporary folders of `cargo install`. In it,
//! `z3-<version>-<target>` holds the library files and nothing else of the
//! wheel. That folder appears by one rename, so it is there whole or not at
//! all; a lock file makes build scripts that run at the same time fetch once.

use crate::{Target, WHEEL};
use std::ffi::OsString;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::process::{self, Command};
use std::time::{Duration, SystemTime};

/// The ways to start pip; the first that works is used.
const PIPS: &[&[&str]] = &[&["python3", "-m", "pip"], &["pip3"], &["pip"]];

/// The library in the cache, after a download if it is not there yet.
pub fn cached_or_fetched(target: &Target) -> Result<PathBuf, String> {
    if target.os == "windows" {
        return Err("the wheel for Windows has no file to link against".into());
    }
    if target.triple != target.host {
        return Err(format!(
            "a wheel fits the machine that builds ({}), not the target ({})",
            target.host, target.triple
        ));
    }
    let env = |name| std::env::var_os(name);
    let root = cache_folder(env("XDG_CACHE_HOME"), env("HOME"))
        .ok_or("no cache folder, as neither XDG_CACHE_HOME nor HOME is a full path")?;
    in_folder(target, &root, PIPS)
}

/// Kindred's cache folder. Relative paths do not count, as the XDG rules say.
fn cache_folder(xdg: Option<OsString>, home: Option<OsString>) -> Option<PathBuf> {
    let full = |path: Option<OsString>| path.map(PathBuf::from).filter(|path| path.is_absolute());
    let base = full(xdg).or_else(|| full(home).map(|home| home.join(".cache")));
    base.map(|base| base.join("kindred"))
}

fn in_folder(target: &Target, root: &Path, pips: &[&[&str]]) -> Result<PathBuf, String> {
    let home = root.join(format!("z3-{WHEEL}-{}", target.triple));
    if let Some(library) = target.library_in(&home) {
        return Ok(library);
    }
    let on_disk = |what: &str, error: io::Error| format!("{what} in {}: {error}", root.display());
    fs::create_dir_all(root).map_err(|e| on_disk("cannot make the cache folder", e))?;
    let lock = File::create(root.join("z3.lock")).map_err(|e| on_disk("cannot write", e))?;
    // Some file systems have no locks; then the rename alone keeps it safe and
    // the worst case is two downloads.
    let locked = lock.lock().is_ok();
    if let Some(library) = target.library_in(&home) {
        return Ok(library);
    }
    if locked {
        remove_leftovers(root);
    }
    let part = root.join(format!("z3-{WHEEL}.part-{}", process::id()));
    let result = install(&part.join("wheel"), pips).and_then(|()| {
        keep_library(&part)
            .and_then(|()| move_into_place(&part, &home))
            .map_err(|e| on_disk("cannot store the wheel", e))
    });
    // Gone already if all went well.
    let _ = fs::remove_dir_all(&part);
    // Someone without a lock may have been faster: what counts is the library.
    match target.library_in(&home) {
        Some(library) => Ok(library),
        None => Err(result
            .err()
            .unwrap_or_else(|| format!("the wheel has no {}", target.library_names()[0]))),
    }
}

/// Removes what killed builds left. Only the holder of the lock may do it.
fn remove_leftovers(root: &Path) {
    for entry in fs::read_dir(root).into_iter().flatten().flatten() {
        if entry.file_name().to_string_lossy().contains(".part-") {
            let _ = fs::remove_dir_all(entry.path());
        }
    }
}

/// Unpacks the wheel into `folder`.
///
/// pip's own settings (index, proxy, certificates) apply. Two are switched
/// off, since they refuse a plain `--target`: they protect Python
/// installations, and none is touched here.
fn install(folder: &Path, pips: &[&[&str]]) -> Result<(), String> {
    // Only one pip gets to try: without a network each would wait for long.
    let works = |pip: &&&[&str]| {
        let answer = command(pip).arg("--version").output();
        answer.is_ok_and(|answer| answer.status.success())
    };
    let pip = pips.iter().find(works).ok_or("there is no pip")?;
    let output = command(pip)
        .args(["install", "--quiet", "--no-deps", "--no-compile"])
        .args(["--only-binary", ":all:", "--target"])
        .arg(folder)
        .arg(format!("z3-solver=={WHEEL}"))
        .env("PIP_USER", "0")
        .env("PIP_REQUIRE_VIRTUALENV", "0")
        .env("PIP_NO_INPUT", "1")
        .env("PIP_DISABLE_PIP_VERSION_CHECK", "1")
        .output()
        .map_err(|error| format!("pip does not run: {error}"))?;
    if output.status.success() {
        return Ok(());
    }
    let why = last_error(&String::from_utf8_lossy(&output.stderr));
    Err(format!(
        "pip could not fetch the wheel (`{}` says: {why})",
        pip.join(" ")
    ))
}

fn command(words: &[&str]) -> Command {
    let mut command = Command::new(words[0]);
    command.args(&words[1..]);
    command
}

/// The line of pip's output that says what went wrong.
fn last_error(stderr: &str) -> String {
    let lines = || stderr.lines().rev().map(str::trim);
    let line = lines()
        .find(|line| line.starts_with("ERROR"))
        .or_else(|| lines().find(|line| !line.is_empty()));
    line.unwrap_or("nothing").trim_end_matches('.').to_owned()
}

/// Moves the library files from the unpacked wheel up into `part`, and drops
/// the rest: Python code, headers and a program of 30 MB.
fn keep_library(part: &Path) -> io::Result<()> {
    let wheel = part.join("wheel");
    for entry in fs::read_dir(wheel.join("z3").join("lib"))? {
        let entry = entry?;
        let name = entry.file_name();
        let shared = [".so", ".dylib"];
        let is_ours = name.to_str().is_some_and(|name| {
            name.starts_with("libz3.") && shared.iter().any(|kind| name.contains(kind))
        });
        if !is_ours {
            continue;
        }
        let file = part.join(&name);
        fs::rename(entry.path(), &file)?;
        // Cargo runs a build script again if a file it watches is newer than
        // the script's last start. This one was just written, so date it back.
        let past = SystemTime::UNIX_EPOCH + Duration::from_secs(1_000_000_000);
        File::options()
            .append(true)
            .open(&file)?
            .set_modified(past)?;
    }
    fs::remove_dir_all(wheel)
}

fn move_into_place(part: &Path, home: &Path) -> io::Result<()> {
    // In the way only if someone emptied the folder: it has no library.
    let _ = fs::remove_dir_all(home);
    fs::rename(part, home)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn linux() -> Target {
        Target {
            triple: "t".into(),
            host: "t".into(),
            os: "linux".into(),
        }
    }

    /// A folder of its own for each test, removed at the end.
    struct Scratch(PathBuf);

    impl Scratch {
        fn new(name: &str) -> Scratch {
            let name = format!("kindred z3-link {name} {}", process::id());
            let dir = std::env::temp_dir().join(name);
            fs::create_dir_all(&dir).unwrap();
            Scratch(dir)
        }

        /// A stand-in for pip: a shell script that gets pip's arguments. The
        /// eighth is the folder to install into. It is run by `sh` and not
        /// by itself, since a file just written may still be busy.
        #[cfg(unix)]
        fn pip(&self, body: &str) -> String {
            let file = self.0.join("pip");
            let script = format!("[ \"$1\" = --version ] && exit 0\n{body}\n");
            fs::write(&file, script).unwrap();
            file.to_str().unwrap().to_owned()
        }
    }

    impl Drop for Scratch {
        fn drop(&mut self) {
            let _ = fs::remove_dir_all(&self.0);
        }
    }

    #[test]
    fn cache_folder_follows_the_xdg_rules() {
        let os = |path: &str| Some(OsString::from(path));
        let is = |path: &str| Some(PathBuf::from(path));
        assert_eq!(cache_folder(os("/c"), os("/h")), is("/c/kindred"));
        assert_eq!(cache_folder(os("c"), os("/h")), is("/h/.cache/kindred"));
        assert_eq!(cache_folder(os(""), os("/h")), is("/h/.cache/kindred"));
        assert_eq!(cache_folder(None, None), None);
    }

    #[test]
    fn pip_errors_are_reduced_to_one_line() {
        let stderr = "WARNING: a\nERROR: no such version.\nWARNING: b\n";
        assert_eq!(last_error(stderr), "ERROR: no such version");
        assert_eq!(
            last_error("Traceback\nNo module named pip\n\n"),
            "No module named pip"
        );
        assert_eq!(last_error(""), "nothing");
    }

    #[test]
    fn a_missing_pip_is_reported_and_leaves_nothing() {
        let scratch = Scratch::new("missing");
        let error = in_folder(&linux(), &scratch.0, &[&["/nowhere/pip"]]).unwrap_err();
        assert_eq!(error, "there is no pip");
        let left: Vec<_> = fs::read_dir(&scratch.0).unwrap().flatten().collect();
        assert!(left.iter().all(|e| e.file_name() == "z3.lock"), "{left:?}");
    }

    #[cfg(unix)]
    #[test]
    fn what_pip_says_is_passed_on() {
        let scratch = Scratch::new("says");
        let pip = scratch.pip("echo 'ERROR: offline' >&2; exit 1");
        let error = in_folder(&linux(), &scratch.0, &[&["sh", &pip]]).unwrap_err();
        assert!(error.ends_with("says: ERROR: offline)"), "{error}");
    }

    #[cfg(unix)]
    #[test]
    fn only_the_library_is_kept_and_it_is_old() {
        let scratch = Scratch::new("keep");
        let pip = scratch.pip(
            "for last; do :; done; [ \"$last\" = z3-solver==5.4.0.0 ] || exit 3\n\
             mkdir -p \"$8/z3/lib\" \"$8/bin\"; echo x > \"$8/bin/z3\"\n\
             echo x > \"$8/z3/lib/libz3.so\"; echo x > \"$8/z3/lib/libz3.so.5.4\"\n\
             echo x > \"$8/z3/lib/libz3.dll\"",
        );
        fs::create_dir_all(scratch.0.join("c/z3-1.part-77")).unwrap();
        let root = scratch.0.join("c");
        let library = in_folder(&linux(), &root, &[&["/nowhere/pip"], &["sh", &pip]]).unwrap();
        let home = root.join(format!("z3-{WHEEL}-t"));
        assert_eq!(library, home.join("libz3.so"));
        let mut names: Vec<_> = fs::read_dir(&home)
            .unwrap()
            .map(|e| e.unwrap().file_name())
            .collect();
        names.sort();
        assert_eq!(names, ["libz3.so", "libz3.so.5.4"]);
        let age = fs::metadata(&library).unwrap().modified().unwrap();
        assert!(age < SystemTime::now() - Duration::from_secs(3600));
        assert!(!root.join("z3-1.part-77").exists());
        // Now it is cached: no pip is needed.
        assert_eq!(in_folder(&linux(), &root, &[]).unwrap(), library);
    }

    #[cfg(unix)]
    #[test]
    fn many_at_once_fetch_once() {
        let scratch = Scratch::new("many");
        let count = scratch.0.join("count");
        let pip = scratch.pip(&format!(
            "echo x >> '{}'; sleep 0.2; mkdir -p \"$8/z3/lib\"; echo x > \"$8/z3/lib/libz3.so\"",
            count.display()
        ));
        let root = scratch.0.join("c");
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| in_folder(&linux(), &root, &[&["sh", &pip]]).unwrap());
            }
        });
        assert_eq!(fs::read_to_string(count).unwrap(), "x\n");
    }
}
