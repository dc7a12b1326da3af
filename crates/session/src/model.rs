//! A model, read and checked.

use std::path::{Path, PathBuf};

use lang::{Program, RuntimeCheck};
use syntax::{Diagnostic, SourceMap};

/// A model that passed all checks.
pub struct Model {
    /// As it is written.
    pub tree: syntax::ast::Program,
    pub program: Program,
    pub sources: SourceMap,
}

/// How a model is read.
#[derive(Clone, Debug, Default)]
pub struct ReadOptions {
    /// Where its file lies, for files that it includes.
    pub path: Option<PathBuf>,
    /// Folders in which included files are looked for, too.
    pub include_dirs: Vec<PathBuf>,
    /// A `pre` without an initial value is refused.
    pub strict: bool,
    /// Functions without a body give the same outputs for the same inputs.
    pub congruence: bool,
    /// The operations that get a generated property: they have no runtime error.
    pub runtime_checks: Vec<RuntimeCheck>,
}

/// The result of reading a model.
pub struct Opened {
    /// Errors and warnings, in the order of the source.
    pub diagnostics: Vec<Diagnostic>,
    pub sources: SourceMap,
    /// There is none if it has errors.
    pub model: Option<Model>,
}

impl Model {
    /// Reads and checks the text of a model; messages use `name` for it.
    pub fn open(name: &str, text: &str, options: &ReadOptions) -> Opened {
        let path = options.path.as_deref().unwrap_or(Path::new("-"));
        let loaded = syntax::load(name, path, text.to_owned(), &options.include_dirs);
        if !loaded.errors.is_empty() {
            return Opened {
                diagnostics: loaded.errors,
                sources: loaded.sources,
                model: None,
            };
        }
        let mut checked = lang::check(
            &loaded.program,
            &lang::CheckOptions {
                strict: options.strict,
                congruence: options.congruence,
            },
        );
        analysis::settle_loops(&mut checked, &loaded.sources, options.congruence);
        let model = checked.program.map(|mut program| {
            lang::add_runtime_checks(&mut program, &options.runtime_checks);
            Model {
                tree: loaded.program,
                program,
                sources: loaded.sources.clone(),
            }
        });
        Opened {
            diagnostics: checked.diagnostics,
            sources: loaded.sources,
            model,
        }
    }
}
