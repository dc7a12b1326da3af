//! Mutants from the command line on: the tables of the paper, the reference
//! verdicts, the files that are written, and what types mutants have.
//!
//! Some models are not part of the repository; see `documentation.rs` for where they
//! are looked for. Without them, the tests that need them pass and say so.

mod common;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

use common::{Run, corpus, files, kindred, read, repository};
use expect_test::expect_file;
use serde_json::Value as Json;

fn here() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/mutation")
}

fn mutate(model: &Path, flags: &[&str]) -> Run {
    let model = model.display().to_string();
    let mut args = vec!["--mutation", "true"];
    args.extend(flags);
    args.push(&model);
    kindred(&repository(), &args, "")
}

/// The content of the file that an option names.
fn written(model: &Path, flag: &str, flags: &[&str]) -> String {
    static COUNT: AtomicUsize = AtomicUsize::new(0);
    let count = COUNT.fetch_add(1, Ordering::Relaxed);
    let name = format!("kindred-mutation-{}-{count}", std::process::id());
    let path = std::env::temp_dir().join(name);
    let file = path.to_str().expect("a name");
    let run = mutate(model, &[&[flag, file], flags].concat());
    assert!(!run.stdout.contains("internal error"), "{}", run.stdout);
    let text = read(&path);
    std::fs::remove_file(&path).expect("a file");
    text
}

fn json(model: &Path, flags: &[&str]) -> Json {
    serde_json::from_str(&written(model, "--mutation_json", flags)).expect("JSON")
}

/// The lines about mutants: verdict, place, name and properties.
fn table(text: &str) -> BTreeSet<String> {
    let is_mutant = |line: &&str| {
        ["KILLED ", "SURVIVED ", "UNKNOWN "]
            .iter()
            .any(|v| line.starts_with(v))
    };
    let words = |line: &str| line.split_whitespace().collect::<Vec<_>>().join(" ");
    text.lines().filter(is_mutant).map(words).collect()
}

#[test]
fn figure_5_of_the_paper() {
    let Some(corpus) = corpus("mutation") else {
        return;
    };
    let run = mutate(&corpus.join("mutation/demo2_paper_p2.lus"), &[]);
    let expected = "
        KILLED at 6:3 equal_false by [Prop2]
        KILLED at 6:3 equation_remove by [Prop2]
        KILLED at 6:3 init_false by [Prop2]
        KILLED at 6:11 g2l by [Prop2]
        KILLED at 6:13 (const int 0 -> 1) by [Prop2]
        KILLED at 7:3 init_-1 by [Prop1, Prop2]
        KILLED at 7:3 equal_5 by [Prop1, Prop2]
        KILLED at 7:3 equal_-2 by [Prop1, Prop2]
        KILLED at 7:3 equation_remove by [Prop1, Prop2]
        KILLED at 7:3 init_5 by [Prop1, Prop2]
        KILLED at 7:7 ifelsethen by [Prop2]
        KILLED at 7:7 ifelse by [Prop2]
        KILLED at 7:12 or2right by [Prop2]
        KILLED at 7:12 or2xor by [Prop2]
        SURVIVED at 6:3 init_true
        SURVIVED at 6:3 equal_true
        SURVIVED at 6:11 g2ge
        SURVIVED at 7:7 ifthen
        SURVIVED at 7:12 or2left
        SURVIVED at 7:19 l2g
        SURVIVED at 7:19 l2le
        SURVIVED at 7:21 (const int 0 -> 1)";
    let expected: BTreeSet<String> = expected
        .trim()
        .lines()
        .map(|l| l.trim().to_owned())
        .collect();
    assert_eq!(table(&run.stdout), expected);
}

/// Section 3: with each further property more mutants are killed.
#[test]
fn properties_are_added_until_all_mutants_are_killed() {
    let Some(corpus) = corpus("mutation") else {
        return;
    };
    for (properties, killed) in [(1, 5), (2, 14), (3, 16), (4, 22)] {
        let model = format!("mutation/demo2_paper_p{properties}.lus");
        let run = mutate(&corpus.join(model), &[]);
        let expected = format!("{killed} of 22 mutants killed");
        assert!(run.stdout.contains(&expected), "{}", run.stdout);
    }
}

/// Section 3: only the cone of influence is mutated, and only one equation is in every proof.
#[test]
fn the_running_example_of_the_paper() {
    let Some(corpus) = corpus("mutation") else {
        return;
    };
    let model = corpus.join("mutation/demo_paper.lus");
    let document = json(&model, &["--mutators", "eq_remove"]);
    let analysis = &document["analyses"][0];
    let mutants = analysis["mutants"].as_array().expect("a list");
    let verdicts = mutants.iter().map(|m| {
        let text = |key: &str| m[key].as_str().expect("text").to_owned();
        (text("equation"), text("verdict"))
    });
    let pair = |name: &str, verdict: &str| (name.to_owned(), verdict.to_owned());
    let expected = [
        pair("L1", "KILLED"),
        pair("L2", "SURVIVED"),
        pair("L3", "SURVIVED"),
    ];
    assert_eq!(verdicts.collect::<Vec<_>>(), expected);
    assert_eq!(
        analysis["independent"],
        serde_json::json!(["demo.L4", "demo.d"])
    );
    let core = json(&model, &["--ivc_mutation", "true"]);
    let nodes = core["analyses"][0]["nodes"][0]["equations"]
        .as_array()
        .expect("a list");
    let names: BTreeSet<&str> = nodes.iter().filter_map(|e| e["name"].as_str()).collect();
    let cores = [BTreeSet::from(["L1", "L2"]), BTreeSet::from(["L1", "L3"])];
    assert!(cores.contains(&names), "{names:?}");
}

/// A line of the reference: file, line, column, mutator, verdict, properties.
fn cells(line: &str) -> Vec<String> {
    let mut cells = vec![String::new()];
    let mut quoted = false;
    for c in line.chars() {
        match c {
            '"' => quoted = !quoted,
            ',' if !quoted => cells.push(String::new()),
            c => cells.last_mut().expect("a cell").push(c),
        }
    }
    cells
}

/// The change in the words of the reference, which names both values at once.
fn reference_name(mutator: &str, change: &str) -> String {
    let is_first = change.contains("_5") || change.ends_with("false");
    match (mutator, is_first) {
        ("equal", true) => "eq_5_false",
        ("equal", false) => "eq_-2_true",
        ("init", true) => "init_5_false",
        ("init", false) => "init_-1_true",
        ("constant", _) if change.contains("bool") => "(const bool true -> false, false -> true)",
        ("constant", _) if change.contains("real") => "(const real 1.0 -> -1.0, x -> 1.0)",
        ("constant", _) => "(const int 1 -> -1, x -> 1)",
        (other, _) => other,
    }
    .to_owned()
}

#[test]
fn verdicts_are_those_of_the_reference() {
    let Some(corpus) = corpus("mutation") else {
        return;
    };
    let golden = |name: &str| read(&corpus.join("../golden").join(name));
    let (verdicts, sets) = (golden("mutation.csv"), golden("mutation_killsets.csv"));
    let mut compared = 0;
    for model in files(&corpus.join("mutation"), "lus") {
        let document = json(&model, &[]);
        let mutants = document["analyses"][0]["mutants"]
            .as_array()
            .expect("a list");
        let ours: Vec<_> = mutants
            .iter()
            .map(|mutant| {
                let text = |key: &str| mutant[key].as_str().expect("text");
                let place = format!("{},{}", mutant["line"], mutant["column"]);
                let name = reference_name(text("mutator"), text("change"));
                let killed_by: BTreeSet<String> =
                    serde_json::from_value(mutant["killedBy"].clone()).expect("names");
                ((place, name), text("verdict").to_owned(), killed_by)
            })
            .collect();
        let file = model
            .file_name()
            .and_then(|name| name.to_str())
            .expect("a name");
        for (text, all) in [(&verdicts, false), (&sets, true)] {
            for row in text.lines().map(cells).filter(|row| row[0] == file) {
                let key = (format!("{},{}", row[1], row[2]), row[3].clone());
                let found = ours.iter().find(|(own, ..)| *own == key);
                let (_, verdict, killed_by) = found.unwrap_or_else(|| panic!("{row:?}"));
                let names = row[5].split(';').filter(|name| !name.is_empty());
                let names: BTreeSet<String> = names.map(str::to_owned).collect();
                assert_eq!(*verdict, row[4], "{row:?}");
                assert!(killed_by.is_superset(&names), "{row:?}: {killed_by:?}");
                assert!(!all || *killed_by == names, "{row:?}: {killed_by:?}");
                compared += 1;
            }
        }
    }
    assert_eq!(compared, 276 + 41);
}

/// Models beside their mutants: what is changed in which type, and how.
#[test]
fn tables_are_current() {
    for model in files(&here(), "lus") {
        let table = written(&model, "--mutation_csv", &[]);
        let table = table.replace(&format!("{}/", here().display()), "");
        expect_file![model.with_extension("csv")].assert_eq(&table);
    }
}

/// Every run that kills a mutant replays in the interpreter.
#[test]
fn runs_of_mutants_replay() {
    for model in files(&repository().join("examples"), "lus") {
        let run = mutate(&model, &["--timeout", "5"]);
        assert!(!run.stdout.contains("internal error"), "{}", run.stdout);
    }
}

#[test]
fn the_document_follows_its_schema() {
    let schema: Json = serde_json::from_str(&read(&repository().join("docs/mutation.schema.json")))
        .expect("a schema");
    let schema = jsonschema::validator_for(&schema).expect("a schema");
    for model in files(&here(), "lus") {
        let document = json(&model, &[]);
        if let Err(problem) = schema.validate(&document) {
            panic!("{}: {problem}", model.display());
        }
    }
}

#[test]
fn scores_below_the_threshold_are_failures() {
    let model = repository().join("examples/thermostat.lus");
    assert_eq!(mutate(&model, &[]).exit, 0);
    assert_eq!(mutate(&model, &["--mutation_threshold", "50"]).exit, 0);
    assert_eq!(mutate(&model, &["--mutation_threshold", "51"]).exit, 50);
}

#[test]
fn mutators_are_chosen_by_name_or_group() {
    let model = repository().join("examples/thermostat.lus");
    let names = |flags: &[&str]| {
        let document = json(&model, flags);
        let mutants = document["analyses"][0]["mutants"]
            .as_array()
            .expect("a list")
            .clone();
        let names = mutants
            .iter()
            .map(|m| m["mutator"].as_str().expect("a name").to_owned());
        names
            .collect::<BTreeSet<_>>()
            .into_iter()
            .collect::<Vec<_>>()
    };
    assert_eq!(names(&["--mutators", "l2g,rm_not"]), ["l2g", "rm_not"]);
    assert_eq!(
        names(&["--mutators", "relational"]),
        ["ge2g", "ge2le", "l2g", "l2le"]
    );
    let run = mutate(&model, &["--mutators", "or2nand"]);
    assert_eq!(run.exit, 2);
    assert!(
        run.stderr.contains("the mutators are or2xor"),
        "{}",
        run.stderr
    );
}

#[test]
fn survivors_stand_in_the_page() {
    let page = written(
        &repository().join("examples/thermostat.lus"),
        "--mutation_html",
        &[],
    );
    let operator = "<span class=\"survived\" title=\"or2xor SURVIVED&#10;or2left SURVIVED&#10;or2right SURVIVED\">or</span><span class=\"names\">or2xor or2left or2right</span>";
    assert!(page.contains(operator), "{page}");
}

#[test]
fn a_property_that_kills_nothing_is_worth_a_warning() {
    let run = mutate(&here().join("types.lus"), &[]);
    let warning = "says nothing kills no mutant: it says little about the model";
    assert!(run.stdout.contains(warning), "{}", run.stdout);
}
