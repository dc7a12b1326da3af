//! Verdicts of the real binary, compared with known ones.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

use sim::input::{Json, parse_json};

use crate::Outcome;
use crate::files;
use crate::json::{field, list, number, objects, text};

/// What one run of the binary said.
pub struct Verdicts {
    pub exit: i32,
    /// In the order of the output.
    pub properties: Vec<Property>,
    pub seconds: f64,
    /// How long it took to check proofs again, over all engines.
    pub certifying: f64,
}

/// What an output says of a property.
pub struct Property {
    pub name: String,
    pub line: usize,
    pub answer: String,
    pub engine: Option<String>,
}

/// The binary: what `KINDRED_BINARY` names, or the one in the folder above that of this
/// example.
pub fn binary() -> PathBuf {
    if let Some(binary) = std::env::var_os("KINDRED_BINARY") {
        return PathBuf::from(binary);
    }
    let own = std::env::current_exe().unwrap_or_default();
    let folder = own
        .parent()
        .and_then(Path::parent)
        .unwrap_or(Path::new("."));
    folder.join("kindred")
}

/// Runs the binary on a model.
pub fn run(path: &Path, flags: &[&str], timeout: f64) -> Verdicts {
    let start = Instant::now();
    let (exit, text) = output(path, flags, timeout);
    let seconds = start.elapsed().as_secs_f64();
    Verdicts {
        exit,
        certifying: certifying(&text),
        properties: properties(&text),
        seconds,
    }
}

/// The exit code and the document of a run; `KINDRED_FLAGS` has further options,
/// such as those for another solver.
pub(crate) fn output(path: &Path, flags: &[&str], timeout: f64) -> (i32, String) {
    let flags = [&["--json", "-v"], flags].concat();
    kindred(&flags, &[path], timeout)
}

/// The exit code of a run, and what it writes; `KINDRED_TIMEOUT` takes the place of the
/// time that it has.
pub(crate) fn kindred(flags: &[&str], files: &[&Path], timeout: f64) -> (i32, String) {
    let further = std::env::var("KINDRED_FLAGS").unwrap_or_default();
    let limit = std::env::var("KINDRED_TIMEOUT").unwrap_or(timeout.to_string());
    let output = Command::new(binary())
        .args(flags)
        .args(further.split_whitespace())
        .args(["--timeout", &limit])
        .args(files)
        .output();
    let Ok(output) = output else {
        eprintln!("there is no binary {}: build it first", binary().display());
        std::process::exit(2);
    };
    let text = String::from_utf8_lossy(&output.stdout);
    (output.status.code().unwrap_or(-1), text.into_owned())
}

fn properties(text: &str) -> Vec<Property> {
    let Ok(Json::Array(objects)) = parse_json(text) else {
        return vec![Property {
            name: "(no JSON)".into(),
            line: 0,
            answer: "error".into(),
            engine: None,
        }];
    };
    objects.iter().filter_map(property).collect()
}

/// The time to check proofs again, from the statistics of the engines.
fn certifying(text: &str) -> f64 {
    let objects = objects(text);
    let sections = objects.iter().flat_map(|object| list(object, "sections"));
    let items = sections.flat_map(|section| list(&section, "items"));
    let wanted = Some(Json::Text("time to check proofs again".to_owned()));
    let times = items.filter(|item| field(item, "name") == wanted);
    times.filter_map(|item| number(field(&item, "value"))).sum()
}

/// What an object says of a property, if that is what it is about.
pub(crate) fn property(object: &Json) -> Option<Property> {
    if text(field(object, "objectType")).as_deref() != Some("property") {
        return None;
    }
    let answer = field(object, "answer")?;
    Some(Property {
        name: text(field(object, "name"))?,
        line: number(field(object, "line")).unwrap_or(0.0) as usize,
        answer: text(field(&answer, "value"))?,
        engine: text(field(&answer, "source")),
    })
}

pub const REGRESSION_FLAGS: [&str; 4] = [
    "--check_subproperties",
    "true",
    "--enforce_func_congruence",
    "true",
];

/// The exit codes of the regression corpus, and the verdicts of Kind 2 for
/// each property.
pub fn regression(corpus: &Path) -> Vec<Outcome> {
    let mut outcomes = Vec::new();
    let golden = corpus.join("../golden/regression");
    let mut agreed = Outcome::new("agree with golden/regression");
    for (folder, expected) in [("success", 0), ("falsifiable", 40)] {
        let mut outcome = Outcome::new(&format!("exit codes {folder}"));
        for path in files::models(&corpus.join("regression").join(folder)) {
            let found = run(&path, &REGRESSION_FLAGS, 10.0);
            let name = files::name(&path);
            match found.exit {
                exit if exit == expected => outcome.right += 1,
                30 => outcome.unknown.push(name.clone()),
                5 => outcome.unknown.push(format!("{name}: beyond the solver")),
                exit => outcome.wrong.push(format!("{name}: exit code {exit}")),
            }
            let stem = path
                .file_stem()
                .unwrap_or_default()
                .to_string_lossy()
                .into_owned();
            let text = files::read(&golden.join(folder).join(format!("{stem}.json")));
            compare(&name, &properties(&text), &found.properties, &mut agreed);
        }
        outcomes.push(outcome);
    }
    outcomes.push(agreed);
    outcomes
}

/// The verdicts of Kind 2 for the examples of its documentation.
pub fn documentation(corpus: &Path) -> Vec<Outcome> {
    let mut agreed = Outcome::new("agree with documentation");
    for path in files::models(&corpus.join("documentation")) {
        let golden = corpus.join("../golden/documentation");
        let golden = golden.join(path.with_extension("json").file_name().unwrap_or_default());
        let expected = properties(&files::read(&golden));
        let found = run(&path, &[], 10.0);
        compare(
            &files::name(&path),
            &expected,
            &found.properties,
            &mut agreed,
        );
    }
    vec![agreed]
}

/// Counts properties on which both are definite; a property may be analysed
/// more than once, so that the answers of a name are compared as sets.
fn compare(file: &str, expected: &[Property], found: &[Property], outcome: &mut Outcome) {
    let by_name = |properties: &[Property]| {
        let mut map: BTreeMap<String, Vec<String>> = BTreeMap::new();
        for property in properties {
            let answers = map.entry(property.name.clone()).or_default();
            answers.push(property.answer.clone());
        }
        map
    };
    let found = by_name(found);
    for (name, mut expected) in by_name(expected) {
        let Some(mut own) = found.get(&name).cloned() else {
            continue;
        };
        for answers in [&mut expected, &mut own] {
            answers.sort();
            answers.dedup();
        }
        let definite = |all: &[String]| !all.iter().any(|answer| answer == "unknown");
        if !definite(&expected) || !definite(&own) {
            continue;
        }
        if expected == own {
            outcome.right += 1;
        } else {
            outcome
                .wrong
                .push(format!("{file}: {name}: {own:?}, Kind 2 says {expected:?}"));
        }
    }
}

pub fn machine_integers(corpus: &Path) -> Vec<Outcome> {
    let mut outcome = Outcome::new("verdicts machine_integers");
    for path in files::models(&corpus.join("machine_integers")) {
        let name = files::name(&path);
        let expected = match name.contains("-invalid") {
            true => 40,
            false => 0,
        };
        let found = run(&path, &[], 20.0);
        match found.exit {
            exit if exit == expected => outcome.right += 1,
            30 => outcome.unknown.push(name),
            exit => outcome.wrong.push(format!("{name}: exit code {exit}")),
        }
    }
    vec![outcome]
}

pub fn generated(corpus: &Path) -> Vec<Outcome> {
    let mut outcome = Outcome::new("verdicts generated");
    let table = files::read(&corpus.join("generated/verdicts.csv"));
    let mut expected: BTreeMap<&str, Vec<(String, String)>> = BTreeMap::new();
    for line in table.lines().skip(1) {
        let cells: Vec<&str> = line.split(',').collect();
        if let [file, property, answer] = cells.as_slice() {
            let row = ((*property).to_owned(), (*answer).to_owned());
            expected.entry(file).or_default().push(row);
        }
    }
    for (file, expected) in expected {
        let path = corpus.join("generated").join(format!("{file}.lus"));
        let found = run(&path, &["--lus_main", "top"], 10.0);
        for (name, answer) in expected {
            let own = found.properties.iter().find(|own| own.name == name);
            match own.map(|own| own.answer.as_str()) {
                Some(own) if own == answer => outcome.right += 1,
                Some("unknown") | None => {
                    outcome.unknown.push(format!("{file}: {name} is {answer}"))
                }
                _ if answer == "unknown" => outcome.right += 1,
                Some(own) => outcome
                    .wrong
                    .push(format!("{file}: {name}: {own}, Kind 2 says {answer}")),
            }
        }
    }
    vec![outcome]
}

/// How many runs of each model are compared, and how long they are.
const RUNS: usize = 10;
const STEPS: usize = 8;

/// The two semantics agree on random runs of every accepted model.
pub fn simulate_unroll(corpus: &Path) -> Vec<Outcome> {
    let mut outcome = Outcome::new("simulate = unroll");
    let (mut runs, mut values, mut broken) = (0, 0, 0);
    // KINDRED_PART narrows it to a folder.
    let part = std::env::var("KINDRED_PART").unwrap_or_default();
    for path in files::models(&corpus.join(part)) {
        let checked = crate::front::check(&path, &lang::CheckOptions::default());
        let Some(program) = checked.program else {
            continue;
        };
        let name = files::name(&path);
        for top in program.top_nodes() {
            let result = stacker::grow(syntax::STACK_SIZE, || {
                analysis::cross_check(&program, &checked.sources, top, RUNS, STEPS, 1)
            });
            match result {
                Ok(done) => {
                    match done.gap {
                        Some(gap) => outcome
                            .unknown
                            .push(format!("{name}: {} of {RUNS} runs: {gap}", done.runs)),
                        None => outcome.right += 1,
                    }
                    runs += done.runs;
                    values += done.values;
                    broken += done.broken;
                }
                Err(error) => outcome.wrong.push(format!("{name}: {error}")),
            }
        }
    }
    println!(
        "{runs} runs, {values} values equal in both semantics, assertions broken at {broken} steps"
    );
    vec![outcome]
}
