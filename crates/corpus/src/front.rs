//! The front end: what is accepted, what is refused and why, what is printed.

use std::collections::BTreeMap;
use std::path::Path;

use lang::{CheckOptions, Program};
use syntax::{Class, Diagnostic, SourceMap};

use crate::Outcome;
use crate::files;

/// The parts whose every file must be accepted.
const ACCEPTED: [&str; 13] = [
    "regression/success",
    "regression/falsifiable",
    "machine_integers",
    "fmcad08",
    "ivc",
    "jkind",
    "parametric_arrays",
    "merit_and_blame",
    "mutation",
    "generated",
    "documentation",
    "syntax",
    "frontend/accepted",
];

/// Files that a part holds although they must be refused.
const DISPUTED: [(&str, &str); 5] = [
    (
        "frontend/accepted/test_array_sizes.lus",
        "concatenates and slices arrays, which chapter 8.1.3 excludes, and defines streams twice",
    ),
    (
        "frontend/accepted/test_const_prop.lus",
        "concatenates arrays, which chapter 8.1.3 excludes",
    ),
    (
        "frontend/accepted/test_group_type_flattening.lus",
        "has a local variable without a definition, as frontend/rejected/lustreSyntaxChecks__undefined_local.lus",
    ),
    (
        "frontend/accepted/test_merge.lus",
        "is the same file as frontend/rejected/lustreSyntaxChecks__test_merge.lus",
    ),
    (
        "jkind/drivetrain.lus",
        "has a loop without a solution: for some throttle positions no gear fits",
    ),
];

/// The one file of the accepted parts that is known to be in error.
const TYPE_ERROR: &str = "parametric_arrays/count_array.lus";

pub struct Checked {
    pub sources: SourceMap,
    pub program: Option<Program>,
    pub errors: Vec<Diagnostic>,
}

/// Reads and checks a file.
pub fn check(path: &Path, options: &CheckOptions) -> Checked {
    stacker::grow(syntax::STACK_SIZE, || {
        let loaded = syntax::load(&path.display().to_string(), path, files::read(path), &[]);
        if !loaded.errors.is_empty() {
            return Checked {
                sources: loaded.sources,
                program: None,
                errors: loaded.errors,
            };
        }
        let mut checked = lang::check(&loaded.program, options);
        analysis::settle_loops(&mut checked, &loaded.sources, options.congruence);
        let errors = checked.diagnostics.into_iter().filter(Diagnostic::is_error);
        Checked {
            errors: errors.collect(),
            sources: loaded.sources,
            program: checked.program,
        }
    })
}

fn first_error(checked: &Checked) -> String {
    match checked.errors.first() {
        Some(error) => {
            let line = error
                .span
                .map_or(0, |span| checked.sources.position(span).line);
            format!("line {line}: {}: {}", error.code.as_str(), error.message)
        }
        None => "accepted".to_owned(),
    }
}

pub fn accept(corpus: &Path) -> Vec<Outcome> {
    ACCEPTED
        .iter()
        .map(|part| accept_part(corpus, part))
        .collect()
}

fn accept_part(corpus: &Path, part: &str) -> Outcome {
    let mut outcome = Outcome::new(&format!("accept {part}"));
    for path in files::models(&corpus.join(part)) {
        let name = files::name(&path);
        let checked = check(&path, &CheckOptions::default());
        let disputed = DISPUTED.iter().find(|(file, _)| *file == name);
        match (checked.errors.is_empty(), disputed) {
            (true, None) if name != TYPE_ERROR => outcome.right += 1,
            (false, None) if name == TYPE_ERROR => outcome.right += 1,
            (false, Some((_, why))) => outcome.disputed.push(format!("{name} {why}")),
            _ => outcome
                .wrong
                .push(format!("{name}: {}", first_error(&checked))),
        }
    }
    outcome
}

/// Refused, and for a reason of the class that `expected.csv` names.
pub fn refuse(corpus: &Path) -> Vec<Outcome> {
    let mut outcome = Outcome::new("refuse frontend/rejected");
    let mut table: BTreeMap<(String, String), usize> = BTreeMap::new();
    let expected = files::read(&corpus.join("frontend/expected.csv"));
    for line in expected.lines().skip(1) {
        let Some((file, class)) = line.split_once(',') else {
            continue;
        };
        let path = corpus.join("frontend/rejected").join(file);
        if !path.is_file() {
            continue;
        }
        let checked = check(&path, &CheckOptions::default());
        let found = match checked.errors.first() {
            Some(error) => kind2_name(error.code.class()),
            None => "Ok",
        };
        *table
            .entry((class.to_owned(), found.to_owned()))
            .or_default() += 1;
        if found == class {
            outcome.right += 1;
        } else {
            let error = first_error(&checked);
            outcome
                .wrong
                .push(format!("{file}: expected {class}, found {found}: {error}"));
        }
    }
    println!("confusion table of frontend/rejected (expected, found, files):");
    for ((class, found), count) in &table {
        println!("  {class:<36} {found:<36} {count:>4}");
    }
    let mut strict = Outcome::new("refuse regression/error");
    for path in files::models(&corpus.join("regression/error")) {
        let options = CheckOptions {
            strict: true,
            ..CheckOptions::default()
        };
        let checked = check(&path, &options);
        if checked.errors.is_empty() {
            strict
                .wrong
                .push(format!("{}: accepted", files::name(&path)));
        } else {
            strict.right += 1;
        }
    }
    vec![outcome, strict]
}

/// Printing a tree and parsing the text gives the same tree.
pub fn print(corpus: &Path) -> Vec<Outcome> {
    let mut outcome = Outcome::new("print and parse");
    for path in files::models(corpus) {
        let text = files::read(&path);
        let parsed = syntax::parse_without_positions(&text);
        if !parsed.errors.is_empty() {
            continue;
        }
        let printed = syntax::print::program(&parsed.program);
        let again = syntax::parse_without_positions(&printed);
        if again.errors.is_empty() && again.program == parsed.program {
            outcome.right += 1;
        } else {
            outcome.wrong.push(files::name(&path));
        }
    }
    vec![outcome]
}

/// How long it takes to read and check the largest files.
pub fn time(corpus: &Path) -> Vec<Outcome> {
    let mut models = files::models(corpus);
    models.sort_by_key(|path| std::cmp::Reverse(path.metadata().map_or(0, |m| m.len())));
    println!("reading and checking the largest files:");
    for path in models.iter().take(5) {
        let start = std::time::Instant::now();
        let checked = check(path, &CheckOptions::default());
        let elapsed = start.elapsed();
        println!(
            "  {:>8.1} ms  {:>9} bytes  {} ({} errors)",
            elapsed.as_secs_f64() * 1000.0,
            path.metadata().map_or(0, |m| m.len()),
            files::name(path),
            checked.errors.len()
        );
    }
    Vec::new()
}

/// The name of a class of errors in Kind 2's own reports.
fn kind2_name(class: Class) -> &'static str {
    match class {
        Class::Parse => "LustreParserError",
        Class::Syntax => "LustreSyntaxChecksError",
        Class::Dependency => "LustreAstDependenciesError",
        Class::Type => "LustreTypeCheckerError",
        Class::Constant => "LustreAstInlineConstantsError",
        Class::ArrayDependency => "LustreArrayDependencies",
        Class::Range => "LustreAbstractInterpretationError",
        Class::IfBlock => "LustreDesugarIfBlocksError",
        Class::FrameBlock => "LustreDesugarFrameBlocksError",
        Class::Input => "InputError",
    }
}
