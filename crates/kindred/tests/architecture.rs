//! The crates depend on each other as `ARCHITECTURE.md` says.
//!
//! Cargo accepts any dependency that is no cycle. These tests read the manifests, and the source
//! of the two parts that must stay independent of what they are compared with, and name the
//! broken rule. The reasons are in `ARCHITECTURE.md`, section *What a crate must not know*.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// Where the reasons are, for messages.
const REASONS: &str = "ARCHITECTURE.md, section \"What a crate must not know\"";
/// Where a rule can be changed, for messages.
const TABLE: &str = "MAY_DEPEND_ON in crates/kindred/tests/architecture.rs";

/// The crates in the order of the code map, each with the crates of the workspace that it may
/// list under `[dependencies]`. A crate depends on crates before it only.
const MAY_DEPEND_ON: &[(&str, &[&str])] = &[
    ("syntax", &[]),
    ("lang", &["syntax"]),
    ("sim", &["syntax", "lang"]),
    ("system", &["syntax"]),
    ("lower", &["syntax", "lang", "system"]),
    ("z3-link", &[]),
    ("dist", &["z3-link"]),
    ("smt", &["system"]),
    ("proof", &["system", "smt"]),
    ("game", &["system", "smt", "proof"]),
    ("engines", &["system", "smt", "proof"]),
    (
        "analysis",
        &[
            "syntax", "lang", "sim", "system", "lower", "smt", "proof", "engines", "game",
        ],
    ),
    ("traceability", &["system", "smt", "proof", "engines"]),
    (
        "artifacts",
        &[
            "syntax", "lang", "system", "lower", "smt", "proof", "engines",
        ],
    ),
    ("results", &["syntax", "lang", "sim"]),
    ("report", &["syntax", "lang", "results"]),
    ("stdio", &[]),
    (
        "session",
        &[
            "syntax",
            "lang",
            "sim",
            "system",
            "lower",
            "smt",
            "analysis",
            "traceability",
            "artifacts",
            "results",
            "stdio",
        ],
    ),
    (
        "kindred",
        &[
            "syntax",
            "lang",
            "sim",
            "system",
            "lower",
            "smt",
            "analysis",
            "artifacts",
            "results",
            "report",
            "stdio",
            "session",
        ],
    ),
    (
        "corpus",
        &[
            "syntax",
            "lang",
            "sim",
            "system",
            "lower",
            "smt",
            "analysis",
            "traceability",
            "artifacts",
            "results",
            "report",
        ],
    ),
];

/// Folders whose source must not name some crates, although their own crate depends on them;
/// the last list has the paths that are allowed all the same.
const MUST_NOT_NAME: &[(&str, &[&str], &[&str])] = &[
    ("artifacts/src/frontend/simple", &["lower", "system"], &[]),
    (
        "corpus/src/oracle",
        &["lang", "sim", "lower"],
        &["sim::input::Json"],
    ),
];

fn crates() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

fn read(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The names of all crates, by their folders.
fn folders() -> BTreeSet<String> {
    let entries = fs::read_dir(crates()).expect("the folder of crates");
    let paths = entries.map(|entry| entry.expect("an entry").path());
    let manifests = paths.filter(|path| path.join("Cargo.toml").is_file());
    let names = manifests.filter_map(|path| Some(path.file_name()?.to_str()?.to_owned()));
    names.collect()
}

/// The dependencies in a manifest, each with the kind of the section that lists it:
/// `dependencies`, `dev-dependencies` or `build-dependencies`.
fn dependencies(manifest: &str) -> Vec<(String, String)> {
    let mut kind = None;
    let mut found = Vec::new();
    for line in manifest.lines().map(str::trim) {
        if let Some(section) = line.strip_prefix('[') {
            let section = section.trim_end_matches(']');
            let last = section.rsplit('.').next().unwrap_or(section);
            kind = last.ends_with("dependencies").then(|| last.to_owned());
        } else if let Some(kind) = &kind
            && let Some((name, _)) = line.split_once(['.', '=', ' '])
            && !name.is_empty()
            && !name.starts_with('#')
        {
            found.push((kind.clone(), name.to_owned()));
        }
    }
    found
}

fn manifest_of(name: &str) -> String {
    read(&crates().join(name).join("Cargo.toml"))
}

#[test]
fn crates_depend_on_what_they_may_know_only() {
    let all = folders();
    let mut broken = Vec::new();
    for name in &all {
        let Some((_, allowed)) = MAY_DEPEND_ON.iter().find(|(own, _)| own == name) else {
            broken.push(format!("`{name}` has no row in {TABLE}"));
            continue;
        };
        for (kind, dependency) in dependencies(&manifest_of(name)) {
            if !all.contains(&dependency) {
                continue;
            }
            let known = match kind.as_str() {
                "dependencies" => allowed.contains(&dependency.as_str()),
                "build-dependencies" => dependency == "z3-link",
                _ => true,
            };
            if !known {
                let allowed = allowed.join(", ");
                broken.push(format!(
                    "crates/{name}/Cargo.toml, [{kind}]: `{name}` must not know `{dependency}`; \
                     under [dependencies] it may have: {allowed} ({TABLE})"
                ));
            }
        }
    }
    assert!(broken.is_empty(), "{}\nsee {REASONS}", broken.join("\n"));
}

#[test]
fn the_table_is_the_code_map() {
    let map = read(&crates().join("../ARCHITECTURE.md"));
    let names = map.lines().filter_map(|line| line.strip_prefix("`crates/"));
    let names = names.filter_map(|line| Some(line.split_once("` — ")?.0));
    let names: Vec<&str> = names.collect();
    let rows: Vec<&str> = MAY_DEPEND_ON.iter().map(|(name, _)| *name).collect();
    assert_eq!(
        rows, names,
        "the rows of {TABLE} and the code map of ARCHITECTURE.md are not in the same order"
    );
    for (at, (name, allowed)) in MAY_DEPEND_ON.iter().enumerate() {
        for dependency in *allowed {
            assert!(
                rows[..at].contains(dependency),
                "{TABLE}: `{name}` may depend on crates that come before it in the code map, and \
                 `{dependency}` does not"
            );
        }
    }
}

#[test]
fn no_crate_but_smt_names_z3() {
    for name in folders().iter().filter(|name| *name != "smt") {
        for (kind, dependency) in dependencies(&manifest_of(name)) {
            assert!(
                !["z3", "z3-sys"].contains(&dependency.as_str()),
                "crates/{name}/Cargo.toml, [{kind}]: no crate but `smt` names `{dependency}`\n\
                 see {REASONS}"
            );
        }
    }
}

#[test]
fn independent_parts_do_not_name_what_they_are_compared_with() {
    for (folder, crates_not_named, exceptions) in MUST_NOT_NAME {
        for file in sources(&crates().join(folder)) {
            for (at, line) in read(&file).lines().enumerate() {
                let code = line.split("//").next().unwrap_or(line);
                let code = exceptions
                    .iter()
                    .fold(code.to_owned(), |code, path| code.replace(path, ""));
                for name in *crates_not_named {
                    assert!(
                        !names_crate(&code, name),
                        "crates/{folder} must not name `{name}` (MUST_NOT_NAME in \
                         crates/kindred/tests/architecture.rs), but line {} of {} does:\n{line}\n\
                         see {REASONS}",
                        at + 1,
                        file.display(),
                    );
                }
            }
        }
    }
}

/// The Rust files in a folder and below it.
fn sources(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder);
    let entries = entries.unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let mut found = Vec::new();
    for path in entries.map(|entry| entry.expect("an entry").path()) {
        if path.is_dir() {
            found.extend(sources(&path));
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
    assert!(!found.is_empty(), "no source in {}", folder.display());
    found
}

/// Does a line have a path that begins with the crate, or import it?
fn names_crate(code: &str, name: &str) -> bool {
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    code.match_indices(name).any(|(at, _)| {
        let (before, after) = (&code[..at], &code[at + name.len()..]);
        let starts = !before.ends_with(|c: char| is_word(c) || c == '.')
            && !before.trim_end().ends_with("::");
        let imported = before.trim_start().starts_with("use ")
            || before.trim_start().starts_with("extern crate ");
        starts && !after.starts_with(is_word) && (after.starts_with("::") || imported)
    })
}

#[test]
fn paths_of_crates_are_recognised() {
    for code in [
        "use sim::Trace;",
        "let x = sim::run();",
        "use sim as other;",
        "pub use {sim::A, b};",
    ] {
        assert!(names_crate(code, "sim"), "{code}");
    }
    for code in ["self.sim.run()", "use crate::sim::Trace;", "simple::f()"] {
        assert!(!names_crate(code, "sim"), "{code}");
    }
    let manifest = "[dependencies]\nsmt.workspace = true\n# z3 = 1\n\
                    [target.'cfg(unix)'.dependencies]\nrustix = { version = \"1\" }\n\
                    [features]\nvendored = [\"z3/vendored\"]\n[dev-dependencies]\nreport = \"1\"\n";
    let expected = [
        ("dependencies", "smt"),
        ("dependencies", "rustix"),
        ("dev-dependencies", "report"),
    ];
    let expected = expected.map(|(kind, name)| (kind.to_owned(), name.to_owned()));
    assert_eq!(dependencies(manifest), expected);
}
