//! Build support: finds the Z3 library and tells cargo how to link it.
//!
//! Only build scripts use this crate. The one of `smt` calls [`provide`]; the
//! one of every other crate whose tests or binaries end up linked to Z3 calls
//! [`inherit`]. Why two calls: cargo hands the library *search path* that a
//! build script prints on to all crates above it, but not the *linker
//! arguments*, and the run path that lets a program find the library from any
//! folder is a linker argument. So each such crate must print it itself. What
//! `smt` found travels to them as metadata (`links = "kindred-z3"` in its
//! manifest, `DEP_KINDRED_Z3_*` in their build scripts), so the search runs
//! once a build and all of them agree.
//!
//! Nothing here sets anything for `z3-sys`, and nothing needs to. Its own build
//! script asks for `-lz3` whatever it finds; the version it detects only opens
//! a few newer calls of the `z3` crate, which `smt` does not use. The linker
//! takes the first folder that has the library, and cargo puts the folders of
//! a crate's own build script before those of its dependencies: ours comes
//! first, so an old library in a system folder is not linked.
//!
//! The search, in this order (see `docs/building.md`):
//!
//! 1. the folder named by `KINDRED_Z3_DIR`, whose library must be [`MINIMUM`] or newer;
//! 2. a system library that pkg-config reports as [`VERSION`];
//! 3. the library inside the Python wheel `z3-solver` ([`WHEEL`]), which pip
//!    downloads once into the user's cache folder.
//!
//! What was found is copied to where cargo puts programs, and programs look for it beside
//! themselves ([`RUN_PATH`]). So they run without the cache, for other users and in other
//! places, and carry no path of the machine that they were built on.

mod sha256;
mod stage;
mod version;
mod wheel;

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{self, Command};

/// The oldest Z3 that the bindings support.
pub const MINIMUM: &str = "4.13.3";

/// The version that Kindred is tested with: that of the wheel, and of the source that
/// `--features vendored` compiles (a test compares them).
pub const VERSION: &str = "5.3.2";

/// The one version of the wheel that is fetched.
pub const WHEEL: &str = "5.3.2.0";

/// The variable that names a folder with the library, ahead of any search.
pub const OVERRIDE: &str = "KINDRED_Z3_DIR";

/// The digest (SHA-256) of the library in the wheel of a platform.
pub fn library_digest(target: &str) -> Option<&'static str> {
    let mut pins = wheel::PINS.iter();
    pins.find(|pin| pin.target == target).map(|pin| pin.library)
}

/// For the build script of `smt`: finds the library, links it, and publishes
/// the folder for [`inherit`]. Stops the build with one paragraph if there is
/// no library.
pub fn provide() {
    println!("cargo::rerun-if-changed=build.rs");
    let target = Target::from_cargo();
    match locate(&target) {
        Ok(library) => {
            // A library that goes away or changes means: search again.
            println!("cargo::rerun-if-changed={}", text(&library));
            let staged = stage::beside_programs(&library).unwrap_or_else(|error| {
                stop(&format!("cannot copy {}: {error}", library.display()))
            });
            println!("cargo::rerun-if-changed={}", text(&staged));
            let dir = staged.parent().unwrap_or(Path::new("/"));
            println!("cargo::metadata=kind=shared");
            println!("cargo::metadata=dir={}", text(dir));
            link(dir, &target.os);
        }
        Err(why) => stop(&format!(
            "Kindred needs the Z3 library, version {MINIMUM} or newer, and found none it can \
             use: {why}. Do one of these and build again: install Python 3 with pip and be \
             online once, so that the build can fetch the wheel z3-solver {WHEEL}; or install \
             Z3 {VERSION} with its development files and pkg-config; or set {OVERRIDE} to the full path of a folder that holds {}; or build \
             with `--features vendored`, which compiles Z3 from source and needs cmake 3.26 and \
             a C++20 compiler such as GCC 13. docs/building.md says more.",
            target.library_names()[0],
        )),
    }
}

/// For the build script of `smt` when `z3-sys` itself compiles Z3 and links it
/// statically: there is nothing to find and no run path to set.
pub fn provide_vendored() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::metadata=kind=static");
    if let Some(dir) = static_cxx(&Target::from_cargo()) {
        println!("cargo::rustc-link-search=native={}", text(&dir));
    }
}

/// For the build scripts of all other crates that link Z3 through `smt`, which
/// must be a direct dependency of theirs: cargo passes metadata no further.
pub fn inherit() {
    println!("cargo::rerun-if-changed=build.rs");
    match env::var("DEP_KINDRED_Z3_KIND").as_deref() {
        Ok("static") => {}
        Ok(_) => {
            let dir = env::var("DEP_KINDRED_Z3_DIR").unwrap_or_default();
            link(Path::new(&dir), &Target::from_cargo().os);
        }
        Err(_) => stop(
            "the build script of this crate calls z3_link::inherit(), but its manifest does \
             not list `smt` under [dependencies].",
        ),
    }
}

/// What cargo says about the platform that is built for.
struct Target {
    triple: String,
    host: String,
    os: String,
}

impl Target {
    fn from_cargo() -> Target {
        let get = |name| env::var(name).unwrap_or_default();
        Target {
            triple: get("TARGET"),
            host: get("HOST"),
            os: get("CARGO_CFG_TARGET_OS"),
        }
    }

    /// The file names the linker accepts for `-lz3`, best first.
    fn library_names(&self) -> &'static [&'static str] {
        match self.os.as_str() {
            "macos" => &["libz3.dylib", "libz3.a"],
            "windows" => &["libz3.lib", "libz3.dll.a", "libz3.a"],
            _ => &["libz3.so", "libz3.a"],
        }
    }

    /// The library file in `dir`, if it has one.
    fn library_in(&self, dir: &Path) -> Option<PathBuf> {
        let mut files = self.library_names().iter().map(|name| dir.join(name));
        files.find(|file| file.is_file())
    }
}

/// Searches for the library file. The error says in one clause for each step
/// why it gave nothing.
fn locate(target: &Target) -> Result<PathBuf, String> {
    println!("cargo::rerun-if-env-changed={OVERRIDE}");
    if let Some(dir) = env::var_os(OVERRIDE).filter(|dir| !dir.is_empty()) {
        return overridden(target, Path::new(&dir));
    }
    let no_system = match system(target) {
        Ok(library) => return Ok(library),
        Err(why) => why,
    };
    for name in ["XDG_CACHE_HOME", "HOME"] {
        println!("cargo::rerun-if-env-changed={name}");
    }
    let no_wheel = match wheel::cached_or_fetched(target) {
        Ok(library) => return Ok(library),
        Err(why) => why,
    };
    Err(format!("{no_system}; {no_wheel}"))
}

/// Step 1. A folder that is named but has no library is an error: to go on
/// searching would hide the mistake.
fn overridden(target: &Target, dir: &Path) -> Result<PathBuf, String> {
    let shown = dir.display();
    if !dir.is_absolute() {
        return Err(format!("{OVERRIDE} is not a full path ({shown})"));
    }
    // The archives of Z3's own releases keep the library in `bin`, installed
    // trees in `lib`.
    let library = [dir.to_path_buf(), dir.join("lib"), dir.join("bin")]
        .iter()
        .find_map(|dir| target.library_in(dir))
        .ok_or_else(|| format!("{OVERRIDE} names a folder without it ({shown})"))?;
    let version = version::checked(&library)?;
    if !version::is_ours(&version) {
        println!(
            "cargo::warning=the library in {OVERRIDE} is Z3 {version}; Kindred is tested with \
             {VERSION}"
        );
    }
    Ok(library)
}

/// Step 2.
fn system(target: &Target) -> Result<PathBuf, String> {
    let found = pkg_config::Config::new()
        .exactly_version(VERSION)
        .cargo_metadata(false)
        .probe("z3")
        .map_err(|_| format!("pkg-config knows no z3 of version {VERSION}"))?;
    let libdir = pkg_config::get_variable("z3", "libdir").map(PathBuf::from);
    found
        .link_paths
        .iter()
        .chain(libdir.as_ref().ok())
        .find_map(|dir| target.library_in(dir))
        .ok_or_else(|| {
            let version = found.version;
            format!("pkg-config reports z3 {version}, but its library file is missing")
        })
}

/// A folder that makes the `-lstdc++` of `z3-sys` mean the static archive, if
/// the compiler has one, so that a release does not need a C++ library as new
/// as the one it was built with.
///
/// The folder holds nothing but a copy of that archive. The linker looks for
/// shared and static forms one folder at a time, ours before the system's.
/// Whoever chooses the C++ library with `CXXSTDLIB` gets just that.
fn static_cxx(target: &Target) -> Option<PathBuf> {
    for name in ["CXX", "CXXSTDLIB"] {
        println!("cargo::rerun-if-env-changed={name}");
    }
    let gnu = target.triple.contains("linux-gnu") && target.triple == target.host;
    if !gnu || env::var_os("CXXSTDLIB").is_some() {
        return None;
    }
    let name = "libstdc++.a";
    let answer = Command::new(env::var_os("CXX").unwrap_or("c++".into()))
        .arg(format!("-print-file-name={name}"))
        .output()
        .ok()?;
    // A compiler that has none answers with the bare name.
    let archive = PathBuf::from(String::from_utf8(answer.stdout).ok()?.trim());
    if !archive.is_absolute() || !archive.is_file() {
        return None;
    }
    let dir = PathBuf::from(env::var_os("OUT_DIR")?).join("cxx");
    let copy = dir.join(name);
    fs::create_dir_all(&dir).ok()?;
    let _ = fs::remove_file(&copy);
    fs::copy(&archive, &copy).ok()?;
    Some(dir)
}

/// Where a program looks for the library, from its own folder: beside itself; one folder
/// up, for tests and examples of cargo; and in `lib` beside its `bin`.
pub const RUN_PATH: [&str; 3] = ["", "/..", "/../lib"];

/// Prints what makes the linker take the library in `dir` and the program find
/// it beside itself.
///
/// On ELF systems the run path is written as DT_RPATH, the older of two kinds.
/// The loader reads it before `LD_LIBRARY_PATH`, the newer DT_RUNPATH after
/// it. A program must run with the library it was linked to, whatever other Z3
/// the user's environment leads to, so the older kind is the right one.
fn link(dir: &Path, os: &str) {
    let dir = text(dir);
    println!("cargo::rustc-link-search=native={dir}");
    let own = match os {
        "windows" => return,
        "macos" => "@loader_path",
        _ => "$ORIGIN",
    };
    let mut args = Vec::new();
    if os != "macos" {
        args.push("--disable-new-dtags".to_owned());
    }
    for place in RUN_PATH {
        args.extend(["-rpath".to_owned(), format!("{own}{place}")]);
    }
    for arg in args {
        // Not `-Wl,`: that would split a path at its commas.
        println!("cargo::rustc-link-arg=-Xlinker");
        println!("cargo::rustc-link-arg={arg}");
    }
}

/// A path as a build script can print it.
fn text(path: &Path) -> String {
    match path.to_str() {
        Some(text) if !text.contains(['\n', ':']) || cfg!(windows) => text.to_owned(),
        _ => stop(&format!(
            "the path {path:?} of the Z3 library cannot be written into a program: it has a \
             colon, a line break or is not UTF-8. Set {OVERRIDE} or XDG_CACHE_HOME to another \
             folder."
        )),
    }
}

/// Ends the build with one message, printed as an error of the crate at hand.
fn stop(message: &str) -> ! {
    println!("cargo::error={}", message.replace('\n', " "));
    process::exit(0)
}
