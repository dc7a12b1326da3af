//! Where the models are.

use std::path::{Path, PathBuf};

/// The folder of the corpus: what `KINDRED_CORPUS` names, or `shared/corpus`
/// beside the repository; `None` if there is none.
pub fn corpus() -> Option<PathBuf> {
    let folder = match std::env::var_os("KINDRED_CORPUS") {
        Some(folder) => PathBuf::from(folder),
        None => Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/corpus"),
    };
    folder.is_dir().then_some(folder)
}

/// All models below a folder of the corpus, sorted.
pub fn models(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut open = vec![folder.to_owned()];
    while let Some(folder) = open.pop() {
        let Ok(entries) = std::fs::read_dir(&folder) else {
            continue;
        };
        for entry in entries.flatten() {
            let path = entry.path();
            if path.is_dir() {
                open.push(path);
            } else if path.extension().is_some_and(|e| e == "lus") {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}

pub fn read(path: &Path) -> String {
    let bytes = std::fs::read(path).unwrap_or_default();
    String::from_utf8_lossy(&bytes).into_owned()
}

/// The name of a file within the corpus.
pub fn name(path: &Path) -> String {
    let parts: Vec<_> = path
        .components()
        .map(|c| c.as_os_str().to_string_lossy())
        .collect();
    let from = parts
        .iter()
        .rposition(|part| part == "corpus")
        .map_or(0, |at| at + 1);
    parts[from..].join("/")
}

/// `KINDRED_PART` narrows a part to some models, by a part of their names.
pub fn is_wanted(name: &str) -> bool {
    let part = std::env::var("KINDRED_PART").unwrap_or_default();
    name.contains(&part)
}
