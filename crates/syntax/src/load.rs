//! Reading a file and all that it includes.
//!
//! The author of a model chooses what it includes, and its user may be able to read more
//! files: a file that is not a model is refused, and messages show nothing of its contents.
//! What counts as a model is in [`is_model`]; messages about one show its lines as usual.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use crate::ast::{Item, Program, Text};
use crate::diag::{Code, Diagnostic};
use crate::parser::{Parsed, parse};
use crate::source::{SourceMap, Span};

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
    loader.file(name.to_owned(), path, text, None);
    loader.loaded
}

struct Loader<'a> {
    loaded: Loaded,
    include_dirs: &'a [PathBuf],
    seen: HashSet<PathBuf>,
}

impl Loader<'_> {
    /// Reads a file, which stands at an `include` unless it is the first.
    fn file(&mut self, name: String, path: &Path, text: String, included: Option<Span>) {
        if text.len() > u32::MAX as usize {
            self.loaded.errors.push(Diagnostic::global(
                Code::CannotRead,
                format!("{name} is larger than 4 GiB"),
            ));
            return;
        }
        let file = self.loaded.sources.add(name, path, text);
        let parsed = parse(file, &self.loaded.sources.file(file).text);
        if let Some(span) = included.filter(|_| !is_model(path, &parsed)) {
            let refusal = self.not_a_model(span, &parsed);
            self.loaded.errors.push(refusal);
            return;
        }
        self.loaded.errors.extend(parsed.errors);
        for item in parsed.program.items {
            match item {
                Item::Include(target) => self.include(&target, path),
                item => self.loaded.program.items.push(item),
            }
        }
    }

    /// Says where the first error is, and nothing of what is there.
    fn not_a_model(&self, included: Span, parsed: &Parsed) -> Diagnostic {
        let place = parsed.errors.iter().find_map(|error| error.span);
        let at = place.map_or(String::new(), |span| {
            let position = self.loaded.sources.position(span);
            let (line, column) = (position.line, position.column);
            format!("; the first error is in line {line}, column {column}")
        });
        Diagnostic::error(
            Code::NotAModel,
            included,
            format!("the included file is not a model{at}"),
        )
        .help("include a file of declarations; one that is named *.lus is shown with its errors")
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
                self.file(path.display().to_string(), &path, text, Some(target.span));
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

/// Is an included file a model, maybe with errors? It is if it is one by its name, the one
/// behind all links, or if it begins with a declaration; an `include` is too little, as
/// other languages have it.
fn is_model(path: &Path, parsed: &Parsed) -> bool {
    let Some(error) = parsed.errors.iter().filter_map(|error| error.span).min() else {
        return parsed.errors.is_empty();
    };
    let is_named = canonical(path).extension().is_some_and(|end| end == "lus");
    let mut starts = parsed.program.items.iter().filter_map(declared_at);
    is_named || starts.any(|span| span.start < error.start)
}

/// Where a declaration stands.
fn declared_at(item: &Item) -> Option<Span> {
    match item {
        Item::Include(_) => None,
        Item::Type(declared) => Some(declared.span),
        Item::Const(declared) => Some(declared.span),
        Item::Node(declared) => Some(declared.span),
        Item::Contract(declared) => Some(declared.span),
    }
}

fn canonical(path: &Path) -> PathBuf {
    path.canonicalize().unwrap_or_else(|_| path.to_owned())
}
