//! Builds the program for release: without the paths of the machine that builds it.
//!
//! Messages of panics name source files, those of other crates by their path in cargo's home
//! folder. Flags of `rustc` replace these paths; the rest of the debugging information is stripped.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::{Made, repository};

/// The folder of cargo.
fn cargo_home() -> Option<PathBuf> {
    let named = std::env::var_os("CARGO_HOME").filter(|home| !home.is_empty());
    named.map(PathBuf::from).or_else(|| {
        let home = std::env::var_os("HOME")?;
        Some(PathBuf::from(home).join(".cargo"))
    })
}

/// The flags that replace paths of the building machine. `.ci/run` sets the same, so that all is
/// built once.
pub fn flags() -> String {
    let mut flags = Vec::new();
    if let Some(home) = cargo_home() {
        flags.push(format!("--remap-path-prefix={}=/cargo", home.display()));
    }
    flags.push(format!(
        "--remap-path-prefix={}=/kindred",
        repository().display()
    ));
    flags.join(" ")
}

/// Builds the program; gives back the folder that it and the library are in.
pub fn build() -> Made<PathBuf> {
    let cargo = std::env::var_os("CARGO").unwrap_or("cargo".into());
    let mut command = Command::new(&cargo);
    command
        .args(["build", "--release", "--locked", "-p", "kindred"])
        .current_dir(repository())
        .env("RUSTFLAGS", flags())
        .env_remove("CARGO_ENCODED_RUSTFLAGS");
    let status = command
        .status()
        .map_err(|error| format!("cargo does not run: {error}"))?;
    match status.success() {
        true => Ok(target_folder().join("release")),
        false => Err("the program was not built".to_owned()),
    }
}

fn target_folder() -> PathBuf {
    match std::env::var_os("CARGO_TARGET_DIR").filter(|folder| !folder.is_empty()) {
        Some(folder) => repository().join(folder),
        None => repository().join("target"),
    }
}

/// A copy of a program without debugging information, where there is `strip`.
pub fn stripped(program: &Path, to: &Path) -> Made<()> {
    std::fs::copy(program, to).map_err(crate::at(program))?;
    let option = if cfg!(target_os = "macos") {
        "-S"
    } else {
        "--strip-debug"
    };
    match Command::new("strip").arg(option).arg(to).status() {
        Ok(status) if status.success() => Ok(()),
        Ok(_) => Err("strip has failed".to_owned()),
        Err(error) => Err(format!("strip does not run: {error}")),
    }
}

/// The platform that is built for.
pub fn target() -> Made<String> {
    let rustc = std::env::var_os("RUSTC").unwrap_or("rustc".into());
    let output = Command::new(rustc).arg("-vV").output();
    let output = output.map_err(|error| format!("rustc does not run: {error}"))?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let host = text.lines().find_map(|line| line.strip_prefix("host: "));
    host.map(str::to_owned)
        .ok_or_else(|| "rustc does not tell the platform".to_owned())
}
