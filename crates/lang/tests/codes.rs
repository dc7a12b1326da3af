//! One model for each diagnostic: `codes/E0201.lus` must give E0201 as its first
//! error (warnings may come in company), on the line that ends in `-- here`.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use syntax::{Class, Code, Severity};

fn models() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/codes");
    let mut models: Vec<PathBuf> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    models.sort();
    models
}

#[test]
fn every_model_gives_its_code() {
    for path in models() {
        let wanted = path.file_stem().unwrap().to_str().unwrap();
        let text = std::fs::read_to_string(&path).unwrap();
        let line = text
            .lines()
            .position(|line| line.ends_with("-- here"))
            .unwrap()
            + 1;
        let strict = text.starts_with("-- strict");
        let loaded = syntax::load(wanted, &path, text, &[]);
        assert!(
            loaded.errors.is_empty(),
            "{wanted} does not parse: {:?}",
            loaded.errors
        );
        let checked = lang::check(
            &loaded.program,
            &lang::CheckOptions {
                strict,
                ..lang::CheckOptions::default()
            },
        );
        let severity = match wanted.starts_with('E') {
            true => Severity::Error,
            false => Severity::Warning,
        };
        let mut all = checked.diagnostics.iter();
        let first = all
            .find(|d| d.severity == severity && (d.is_error() || d.code.as_str() == wanted))
            .unwrap_or_else(|| panic!("{wanted} gives no message"));
        let found = loaded.sources.position(first.span.unwrap()).line;
        assert_eq!(
            (first.code.as_str(), found),
            (wanted, line),
            "{}",
            first.message
        );
        let accepted = severity == Severity::Warning;
        assert_eq!(checked.program.is_some(), accepted, "{wanted}");
    }
}

#[test]
fn every_code_has_a_model() {
    let models = models();
    let known: BTreeSet<&str> = models
        .iter()
        .map(|p| p.file_stem().unwrap().to_str().unwrap())
        .collect();
    // The parser's codes have tests of their own; those about files and options
    // are not the checker's; too deep a nesting is tested elsewhere.
    let elsewhere = [Code::AmbiguousMain, Code::TooDeep, Code::Unsupported];
    for code in Code::ALL {
        let own = !matches!(code.class(), Class::Parse | Class::Input) && !elsewhere.contains(code);
        assert!(
            !own || known.contains(code.as_str()),
            "{} has no model",
            code.as_str()
        );
    }
}
