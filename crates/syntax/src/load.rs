//! Reading a file and all that it includes.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use crate::ast::{Item, Program, Text};
use crate::diag::{Code, Diagnostic};
use crate::parser::parse;
use crate::source::SourceMap;

/// A program with its includes in place.
#[derive(Debug, Default)]
pub struct Loaded {
    pub sources: SourceMap,
    pub program: Program,
    pub errors: Vec<Diagnostic>,
}

/// Reads `text`, the contents of the file `path` that messages call `name`,
/// and puts the declarations of each included file where its `include` stands.
/// A file is looked for beside the one that includes it, then in
/// `include_dirs` from first to last; one that was included before is not
/// included again.
pub fn load(name: &str, path: &Path, text: String, include_dirs: &[PathBuf]) -> Loaded {
    let mut loader = Loader {
        loaded: Loaded::default(),
        include_dirs,
        seen: HashSet::from([canonical(path)]),
    };
    loader.file(name.to_owned(), path, text);
    loader.loaded
}

struct Loader<'a> {
    loaded: Loaded,
    include_dirs: &'a [PathBuf],
    seen: HashSet<PathBuf>,
}

impl Loader<'_> {
    fn file(&mut self, name: String, path: &Path, text: String) {
        if text.len() > u32::MAX as usize {
            self.loaded.errors.push(Diagnostic::global(
                Code::CannotRead,
                format!("{name} is larger than 4 GiB"),
            ));
            return;
        }
        let file = self.loaded.sources.add(name, path, text);
        let parsed = parse(file, &self.loaded.sources.file(file).text);
        self.loaded.errors.extend(parsed.errors);
        for item in parsed.program.items {
            match item {
                Item::Include(target) => self.include(&target, path),
                item => self.loaded.program.items.push(item),
            }
        }
    }

    fn include(&mut self, target: &Text, from: &Path) {
        let beside = from.parent().unwrap_or(Path::new("")).to_owned();
        let candidates = std::iter::once(&beside)
            .chain(self.include_dirs)
            .map(|folder| folder.join(&target.text));
        let Some(path) = candidates.into_iter().find(|path| path.is_file()) else {
            let searched = if self.include_dirs.is_empty() {
                "beside this file"
            } else {
                "beside this file and in the folders given with --include_dir"
            };
            self.loaded.errors.push(
                Diagnostic::error(
                    Code::CannotRead,
                    target.span,
                    format!("cannot find the included file \"{}\"", target.text),
                )
                .help(format!(
                    "it was searched {searched}; add its folder with --include_dir"
                )),
            );
            return;
        };
        if !self.seen.insert(canonical(&path)) {
            return;
        }
        if self.loaded.sources.files().len() >= u16::MAX as usize {
            self.loaded.errors.push(Diagnostic::error(
                Code::CannotRead,
                target.span,
                "too many included files",
            ));
            return;
        }
        match std::fs::read(&path) {
            Ok(bytes) => {
                let text = String::from_utf8_lossy(&bytes).into_owned();
                self.file(path.display().to_string(), &path, text);
            }
            Err(error) => self.loaded.errors.push(
                Diagnostic::error(
                    Code::CannotRead,
                    target.span,
                    format!("cannot read {}: {error}", path.display()),
                )
                .help("check that the file exists and may be read"),
            ),
        }
    }
}

fn canonical(path: &Path) -> PathBuf {
    path.canonicalize().unwrap_or_else(|_| path.to_owned())
}
