//! Makes the release archive: the program, its library, documents, examples, the notices of third
//! parties, and a list of all components (an SBOM).
//!
//! `cargo run -p dist --example dist -- archive` makes it; see `docs/building.md`. The
//! same input gives the same archive, byte by byte. *Only those who build use this crate.*

pub mod archive;
pub mod build;
pub mod check;
pub mod contents;
pub mod notices;
pub mod packages;
pub mod sbom;

use std::path::{Path, PathBuf};

/// A result whose error is a message for the person who builds.
pub type Made<T> = Result<T, String>;

/// The folder that holds the whole workspace.
pub fn repository() -> PathBuf {
    let manifest = Path::new(env!("CARGO_MANIFEST_DIR"));
    let root = manifest.parent().and_then(Path::parent);
    root.unwrap_or(manifest).to_owned()
}

/// Says which file an error is about.
pub(crate) fn at<E: std::fmt::Display>(path: &Path) -> impl Fn(E) -> String + '_ {
    move |error| format!("{}: {error}", path.display())
}
