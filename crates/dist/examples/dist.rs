//! Makes the release archive: see `docs/building.md`.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};

use dist::archive::tar;
use dist::contents::contents;
use dist::packages::packages;
use dist::{Made, build, check, notices, repository, sbom};

const USAGE: &str = "\
usage: cargo run -p dist --example dist -- COMMAND
  archive [FOLDER]   the program for others, as a compressed archive (target/dist)
  install FOLDER     the same, unpacked into a folder, like /usr/local
  sbom               the list of components (CycloneDX, JSON)
  notices            the licences of third parties
  check              licences and sources of all crates
  flags              the flags of rustc that `archive` builds with";

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let done = match words.as_slice() {
        ["archive"] => archive(&repository().join("target/dist")),
        ["archive", folder] => archive(Path::new(folder)),
        ["install", folder] => install(Path::new(folder)),
        ["sbom"] => told(|target| Ok(sbom::sbom(&packages(target, false)?, target))),
        ["notices"] => told(|target| notices::notices(&packages(target, false)?)),
        ["check"] => checked(),
        ["flags"] => {
            println!("{}", build::flags());
            Ok(())
        }
        _ => Err(USAGE.to_owned()),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(why) => {
            eprintln!("{why}");
            ExitCode::FAILURE
        }
    }
}

fn told(text: impl Fn(&str) -> Made<String>) -> Made<()> {
    print!("{}", text(&build::target()?)?);
    Ok(())
}

fn checked() -> Made<()> {
    let all = packages(&build::target()?, true)?;
    let problems = check::problems(&all);
    match problems.is_empty() {
        true => {
            println!(
                "{} crates: licences and sources are as they should be",
                all.len()
            );
            Ok(())
        }
        false => Err(problems.join("\n")),
    }
}

/// The date of all files: of `SOURCE_DATE_EPOCH`, or a fixed one.
fn date() -> u64 {
    let given = std::env::var("SOURCE_DATE_EPOCH").ok();
    given
        .and_then(|date| date.parse().ok())
        .unwrap_or(1_000_000_000)
}

fn archive(folder: &Path) -> Made<()> {
    let (name, files) = contents()?;
    let bytes = tar(&files, date())?;
    fs::create_dir_all(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let path = compressed(&folder.join(format!("{name}.tar")), &bytes)?;
    println!("{}", path.display());
    Ok(())
}

/// Writes the archive through gzip, without a date; without gzip, as it is.
fn compressed(path: &Path, bytes: &[u8]) -> Made<PathBuf> {
    let at = |error: std::io::Error| format!("{}: {error}", path.display());
    fs::write(path, bytes).map_err(at)?;
    let packed = PathBuf::from(format!("{}.gz", path.display()));
    let out = fs::File::create(&packed).map_err(at)?;
    let mut gzip = Command::new("gzip");
    gzip.args(["-9", "-n", "-c"])
        .arg(path)
        .stdout(Stdio::from(out));
    match gzip.status() {
        Ok(status) if status.success() => {
            fs::remove_file(path).map_err(at)?;
            Ok(packed)
        }
        _ => {
            fs::remove_file(&packed).map_err(at)?;
            Ok(path.to_owned())
        }
    }
}

/// The program and its library into `bin` and `lib`, the rest into `share/kindred`.
fn install(folder: &Path) -> Made<()> {
    let (name, files) = contents()?;
    for (path, entry) in &files {
        let path = path.strip_prefix(&format!("{name}/")).unwrap_or(path);
        let place = match path.starts_with("bin/") || path.starts_with("lib/") {
            true => folder.join(path),
            false => folder.join("share/kindred").join(path),
        };
        write(&place, &entry.bytes, entry.is_program)
            .map_err(|error| format!("{}: {error}", place.display()))?;
    }
    println!("{}", folder.join("bin/kindred").display());
    Ok(())
}

/// A program may be running: it keeps its file.
fn write(path: &Path, bytes: &[u8], is_program: bool) -> std::io::Result<()> {
    fs::create_dir_all(path.parent().unwrap_or(path))?;
    let part = path.with_extension(format!("part-{}", std::process::id()));
    fs::write(&part, bytes)?;
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let mode = if is_program { 0o755 } else { 0o644 };
        fs::set_permissions(&part, fs::Permissions::from_mode(mode))?;
    }
    #[cfg(not(unix))]
    let _ = is_program;
    fs::rename(&part, path)
}
