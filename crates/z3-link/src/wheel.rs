//! The library out of the Python wheel `z3-solver`, kept in the user's cache.
//!
//! The cache folder is `kindred` under `$XDG_CACHE_HOME` or `~/.cache`, so it
//! outlives `cargo clean` and the temporary folders of `cargo install`. In it,
//! `z3-<version>-<target>` holds the library files and nothing else of the
//! wheel. That folder appears by one rename, so it is there whole or not at
//! all; a lock file makes build scripts that run at the same time fetch once.
//!
//! Nothing is taken on trust: pip compares the wheel with the digest in [`PINS`]
//! before it unpacks it, and the library is compared with its own digest each time it
//! is used, since others may write to the cache. A cached one that differs is fetched anew.

use crate::sha256::sha256;
use crate::{Target, WHEEL};
use std::ffi::OsString;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::process::{self, Command};
use std::time::{Duration, SystemTime};

/// The wheel of a platform and the library in it, by their digests (SHA-256).
pub struct Pin {
    pub target: &'static str,
    pub wheel: &'static str,
    pub library: &'static str,
}

/// The wheels of version [`WHEEL`] that can be linked against.
pub const PINS: &[Pin] = &[
    Pin {
        target: "x86_64-unknown-linux-gnu",
        wheel: "f17df07300228a383470d4b4e1ad9daf429dc94885996712a1844a8242803935",
        library: "2467921f3226efb4607daba74d1301e9af286ded5b4f5c65caaafeae245eb059",
    },
    Pin {
        target: "aarch64-unknown-linux-gnu",
        wheel: "b8add6becdc222090b78d4bd5300b6a212d5ecfb0e3eadb1df008b43ddef8602",
        library: "2ce59cc5b37fdc3a8e28441c6c862161cb946eb4b420e2770785fc8e3b761ff7",
    },
    Pin {
        target: "x86_64-apple-darwin",
        wheel: "27f1b0e6333b8b1d57653ef7db34fc9901ed2983b0cb9fb1efd27840e5ea880a",
        library: "6bcb381aa0461bb0e4414cb27009d6810badaee866d38ca2fee66b2322480d25",
    },
    Pin {
        target: "aarch64-apple-darwin",
        wheel: "ac0c1457a8e7a487470386af5f60d6fef7c10db40004647fcfa7dc6e6ccec190",
        library: "e912c610ffb91c76739b17086e70ed2ac203bd731a403b728004facef30e2a14",
    },
];

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
    let pin = PINS
        .iter()
        .find(|pin| pin.target == target.triple)
        .ok_or_else(|| format!("there is no wheel for {}", target.triple))?;
    let env = |name| std::env::var_os(name);
    let root = cache_folder(env("XDG_CACHE_HOME"), env("HOME"))
        .ok_or("no cache folder, as neither XDG_CACHE_HOME nor HOME is a full path")?;
    in_folder(target, pin, &root, PIPS)
}

/// Kindred's cache folder. Relative paths do not count, as the XDG rules say.
fn cache_folder(xdg: Option<OsString>, home: Option<OsString>) -> Option<PathBuf> {
    let full = |path: Option<OsString>| path.map(PathBuf::from).filter(|path| path.is_absolute());
    let base = full(xdg).or_else(|| full(home).map(|home| home.join(".cache")));
    base.map(|base| base.join("kindred"))
}

fn in_folder(target: &Target, pin: &Pin, root: &Path, pips: &[&[&str]]) -> Result<PathBuf, String> {
    let home = root.join(format!("z3-{WHEEL}-{}", target.triple));
    let genuine = || {
        let library = target.library_in(&home)?;
        is_genuine(&home, pin).then_some(library)
    };
    if let Some(library) = genuine() {
        return Ok(library);
    }
    if home.exists() {
        println!(
            "cargo::warning=the cached Z3 library in {} is not the one it should be; it is \
             fetched again",
            home.display()
        );
    }
    let on_disk = |what: &str, error: io::Error| format!("{what} in {}: {error}", root.display());
    fs::create_dir_all(root).map_err(|e| on_disk("cannot make the cache folder", e))?;
    let lock = File::create(root.join("z3.lock")).map_err(|e| on_disk("cannot write", e))?;
    // Some file systems have no locks; then the rename alone keeps it safe and
    // the worst case is two downloads.
    let locked = lock.lock().is_ok();
    if let Some(library) = genuine() {
        return Ok(library);
    }
    if locked {
        remove_leftovers(root);
    }
    let part = root.join(format!("z3-{WHEEL}.part-{}", process::id()));
    let result = install(&part, pin, pips).and_then(|()| {
        keep_library(&part).map_err(|e| on_disk("cannot store the wheel", e))?;
        if !is_genuine(&part, pin) {
            return Err("the library in the wheel is not the one it should be".to_owned());
        }
        move_into_place(&part, &home).map_err(|e| on_disk("cannot store the wheel", e))
    });
    // Gone already if all went well.
    let _ = fs::remove_dir_all(&part);
    // Someone without a lock may have been faster: what counts is the library.
    match genuine() {
        Some(library) => Ok(library),
        None => Err(result
            .err()
            .unwrap_or_else(|| format!("the wheel has no {}", target.library_names()[0]))),
    }
}

/// Is every file in a folder of the cache the library, under whichever name?
fn is_genuine(folder: &Path, pin: &Pin) -> bool {
    let Ok(entries) = fs::read_dir(folder) else {
        return false;
    };
    let mut files = entries.map_while(Result::ok).map(|entry| entry.path());
    files.all(|file| {
        let is_plain = fs::symlink_metadata(&file).is_ok_and(|found| found.is_file());
        is_plain && fs::read(&file).is_ok_and(|bytes| sha256(&bytes) == pin.library)
    })
}

/// Removes what killed builds left. Only the holder of the lock may do it.
fn remove_leftovers(root: &Path) {
    for entry in fs::read_dir(root).into_iter().flatten().flatten() {
        if entry.file_name().to_string_lossy().contains(".part-") {
            let _ = fs::remove_dir_all(entry.path());
        }
    }
}

/// Unpacks the wheel into `wheel` in a folder, if it is the one that is pinned.
///
/// pip's own settings (index, proxy, certificates) apply. Two are switched
/// off, since they refuse a plain `--target`: they protect Python
/// installations, and none is touched here.
fn install(part: &Path, pin: &Pin, pips: &[&[&str]]) -> Result<(), String> {
    let requirement = format!("z3-solver=={WHEEL} --hash=sha256:{}\n", pin.wheel);
    let list = part.join("requirements.txt");
    fs::create_dir_all(part)
        .and_then(|()| fs::write(&list, requirement))
        .map_err(|error| format!("cannot write {}: {error}", list.display()))?;
    // Only one pip gets to try: without a network each would wait for long.
    let works = |pip: &&&[&str]| {
        let answer = command(pip).arg("--version").output();
        answer.is_ok_and(|answer| answer.status.success())
    };
    let pip = pips.iter().find(works).ok_or("there is no pip")?;
    let output = command(pip)
        .args(["install", "--quiet", "--no-deps", "--no-compile"])
        .args(["--only-binary", ":all:", "--target"])
        .arg(part.join("wheel"))
        .args(["--require-hashes", "--requirement"])
        .arg(&list)
        .env("PIP_USER", "0")
        .env("PIP_REQUIRE_VIRTUALENV", "0")
        .env("PIP_NO_INPUT", "1")
        .env("PIP_DISABLE_PIP_VERSION_CHECK", "1")
        .output()
        .map_err(|error| format!("pip does not run: {error}"))?;
    if output.status.success() {
        return fs::remove_file(&list).map_err(|error| error.to_string());
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

    /// The digest of `x` and a line break, which stands for a library.
    const STAND_IN: Pin = Pin {
        target: "t",
        wheel: "00",
        library: "73cb3858a687a8494ca3323053016282f3dad39d42cf62ca4e79dda2aac7d9ac",
    };

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
        let error = in_folder(&linux(), &STAND_IN, &scratch.0, &[&["/nowhere/pip"]]).unwrap_err();
        assert_eq!(error, "there is no pip");
        let left: Vec<_> = fs::read_dir(&scratch.0).unwrap().flatten().collect();
        assert!(left.iter().all(|e| e.file_name() == "z3.lock"), "{left:?}");
    }

    #[cfg(unix)]
    #[test]
    fn what_pip_says_is_passed_on() {
        let scratch = Scratch::new("says");
        let pip = scratch.pip("echo 'ERROR: offline' >&2; exit 1");
        let error = in_folder(&linux(), &STAND_IN, &scratch.0, &[&["sh", &pip]]).unwrap_err();
        assert!(error.ends_with("says: ERROR: offline)"), "{error}");
    }

    #[cfg(unix)]
    #[test]
    fn only_the_library_is_kept_and_it_is_old() {
        let scratch = Scratch::new("keep");
        let pip = scratch.pip(
            "for last; do :; done\n\
             [ \"$(cat \"$last\")\" = 'z3-solver==5.3.2.0 --hash=sha256:00' ] || exit 3\n\
             [ \"$9\" = --require-hashes ] || exit 4\n\
             mkdir -p \"$8/z3/lib\" \"$8/bin\"; echo x > \"$8/bin/z3\"\n\
             echo x > \"$8/z3/lib/libz3.so\"; echo x > \"$8/z3/lib/libz3.so.5.3\"\n\
             echo x > \"$8/z3/lib/libz3.dll\"",
        );
        fs::create_dir_all(scratch.0.join("c/z3-1.part-77")).unwrap();
        let root = scratch.0.join("c");
        let library = in_folder(
            &linux(),
            &STAND_IN,
            &root,
            &[&["/nowhere/pip"], &["sh", &pip]],
        )
        .unwrap();
        let home = root.join(format!("z3-{WHEEL}-t"));
        assert_eq!(library, home.join("libz3.so"));
        let mut names: Vec<_> = fs::read_dir(&home)
            .unwrap()
            .map(|e| e.unwrap().file_name())
            .collect();
        names.sort();
        assert_eq!(names, ["libz3.so", "libz3.so.5.3"]);
        let age = fs::metadata(&library).unwrap().modified().unwrap();
        assert!(age < SystemTime::now() - Duration::from_secs(3600));
        assert!(!root.join("z3-1.part-77").exists());
        // Now it is cached: no pip is needed.
        assert_eq!(in_folder(&linux(), &STAND_IN, &root, &[]).unwrap(), library);
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
                scope.spawn(|| in_folder(&linux(), &STAND_IN, &root, &[&["sh", &pip]]).unwrap());
            }
        });
        assert_eq!(fs::read_to_string(count).unwrap(), "x\n");
    }

    #[cfg(unix)]
    #[test]
    fn a_wheel_with_another_library_is_refused() {
        let scratch = Scratch::new("other");
        let pip = scratch.pip("mkdir -p \"$8/z3/lib\"; echo y > \"$8/z3/lib/libz3.so\"");
        let error = in_folder(&linux(), &STAND_IN, &scratch.0, &[&["sh", &pip]]).unwrap_err();
        assert!(error.contains("not the one it should be"), "{error}");
        assert!(!scratch.0.join(format!("z3-{WHEEL}-t")).exists());
    }

    #[cfg(unix)]
    #[test]
    fn a_cache_that_was_changed_is_fetched_again() {
        let scratch = Scratch::new("changed");
        let pip = scratch.pip("mkdir -p \"$8/z3/lib\"; echo x > \"$8/z3/lib/libz3.so\"");
        let root = scratch.0.join("c");
        let home = root.join(format!("z3-{WHEEL}-t"));
        let changes: [&dyn Fn(); 3] = [
            &|| fs::write(home.join("libz3.so"), "evil").unwrap(),
            &|| fs::write(home.join("libz3.so.5.3"), "evil").unwrap(),
            &|| {
                fs::remove_file(home.join("libz3.so")).unwrap();
                std::os::unix::fs::symlink("/dev/null", home.join("libz3.so")).unwrap();
            },
        ];
        for change in changes {
            in_folder(&linux(), &STAND_IN, &root, &[&["sh", &pip]]).unwrap();
            change();
            assert!(in_folder(&linux(), &STAND_IN, &root, &[]).is_err());
            change();
            let library = in_folder(&linux(), &STAND_IN, &root, &[&["sh", &pip]]).unwrap();
            assert_eq!(fs::read_to_string(library).unwrap(), "x\n");
        }
    }

    #[test]
    fn every_platform_has_its_digests() {
        let is_digest =
            |text: &str| text.len() == 64 && text.bytes().all(|b| b.is_ascii_hexdigit());
        for pin in PINS {
            assert!(
                is_digest(pin.wheel) && is_digest(pin.library),
                "{}",
                pin.target
            );
        }
    }
}
