//! What is in the archive, and where.
//!
//! ```text
//! kindred-0.1.0-<platform>/bin/kindred
//!                          lib/libz3.so.5.3
//!                          docs/ examples/ README.md CHANGELOG.md LICENSE
//!                          THIRD_PARTY_NOTICES.txt sbom.cdx.json
//! ```
//!
//! The program finds the library by its own place, so that the folder can be anywhere.

use std::fs;
use std::path::{Path, PathBuf};

use crate::archive::{Entry, Files};
use crate::packages::{Package, packages};
use crate::{Made, build, notices, repository, sbom};

/// The files of the archive, under a folder of its name; and that name.
pub fn contents() -> Made<(String, Files)> {
    let target = build::target()?;
    let linked = packages(&target, false)?;
    let folder = build::build()?;
    let version = version(&linked)?;
    let name = format!("kindred-{version}-{target}");
    let mut files = Files::new();
    let mut add = |path: String, bytes: Vec<u8>, is_program: bool| {
        files.insert(format!("{name}/{path}"), Entry { bytes, is_program });
    };
    for (path, file) in programs(&folder)? {
        let bytes = fs::read(&file).map_err(crate::at(&file))?;
        add(path, bytes, true);
    }
    let root = repository();
    for file in ["README.md", "CHANGELOG.md", "LICENSE"] {
        let path = root.join(file);
        add(
            file.to_owned(),
            fs::read(&path).map_err(crate::at(&path))?,
            false,
        );
    }
    for folder in ["docs", "examples"] {
        for path in files_below(&root.join(folder))? {
            let name = path.strip_prefix(&root).map_err(crate::at(&path))?;
            let name = name.to_string_lossy().replace('\\', "/");
            add(name, fs::read(&path).map_err(crate::at(&path))?, false);
        }
    }
    add(
        "THIRD_PARTY_NOTICES.txt".to_owned(),
        notices::notices(&linked)?.into(),
        false,
    );
    add(
        "sbom.cdx.json".to_owned(),
        sbom::sbom(&linked, &target).into(),
        false,
    );
    Ok((name, files))
}

fn version(packages: &[Package]) -> Made<String> {
    let own = packages.iter().find(|package| package.name == "kindred");
    own.map(|package| package.version.clone())
        .ok_or_else(|| "there is no kindred".to_owned())
}

/// The program, stripped, and the library that it loads, in the folder of a build: where
/// each of them goes.
pub fn programs(folder: &Path) -> Made<Vec<(String, PathBuf)>> {
    let stripped = folder.join("kindred.stripped");
    build::stripped(&folder.join("kindred"), &stripped)?;
    let mut found = vec![("bin/kindred".to_owned(), stripped)];
    for entry in fs::read_dir(folder).map_err(crate::at(folder))? {
        let path = entry.map_err(crate::at(folder))?.path();
        let name = path
            .file_name()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned();
        if is_loaded(&name) {
            found.push((format!("lib/{name}"), path));
        }
    }
    Ok(found)
}

/// Is this the name that the loader uses? The linker uses another one.
fn is_loaded(name: &str) -> bool {
    match cfg!(target_os = "macos") {
        true => name == "libz3.dylib",
        false => {
            let short: Vec<&str> = z3_link::VERSION.split('.').take(2).collect();
            name == format!("libz3.so.{}", short.join("."))
        }
    }
}

/// All files below a folder, sorted. What runs of examples have left is not taken.
fn files_below(folder: &Path) -> Made<Vec<PathBuf>> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).map_err(crate::at(folder))? {
        let path = entry.map_err(crate::at(folder))?.path();
        match path.is_dir() {
            true if path.extension().is_some_and(|end| end == "out") => {}
            true => found.extend(files_below(&path)?),
            false => found.push(path),
        }
    }
    found.sort();
    Ok(found)
}
