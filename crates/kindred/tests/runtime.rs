//! `--check_runtime`: each operation that can go wrong is a property at its place.

mod common;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use common::schema::{Schema, has_xmllint, reference, xml_problem};
use common::{Scratch, kindred, read};
use serde_json::Value as Json;

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/runtime")
}

/// By line: the checks in the comment behind it, sorted.
fn expected(text: &str) -> BTreeMap<u64, Vec<String>> {
    let mut all = BTreeMap::new();
    for (line, text) in (1..).zip(text.lines()) {
        let Some((_, marks)) = text.rsplit_once("-- ") else {
            continue;
        };
        let mut marks: Vec<String> = marks
            .split_whitespace()
            .filter(|mark| mark.ends_with(":valid") || mark.ends_with(":invalid"))
            .map(str::to_owned)
            .collect();
        marks.sort();
        if !marks.is_empty() {
            all.insert(line, marks);
        }
    }
    all
}

fn properties(stdout: &str) -> Vec<Json> {
    let results: Json = serde_json::from_str(stdout).expect("JSON");
    let results = results.as_array().cloned().unwrap_or_default();
    let is_property = |object: &Json| object["objectType"] == "property";
    results.into_iter().filter(is_property).collect()
}

/// By line: the results of the generated properties of the top node.
fn found(stdout: &str) -> BTreeMap<u64, Vec<String>> {
    let mut all: BTreeMap<u64, Vec<String>> = BTreeMap::new();
    for property in properties(stdout) {
        let name = property["name"].as_str().unwrap_or_default();
        if property["source"] != "Generated" || name.starts_with("half") {
            continue;
        }
        let kind = name.split([' ', '[']).next().unwrap_or_default();
        let verdict = match property["answer"]["value"].as_str() {
            Some("falsifiable") => "invalid",
            Some(other) => other,
            None => "",
        };
        let line = property["line"].as_u64().expect("a line");
        let place = format!("[l{line}c{}]", property["column"]);
        assert!(name.ends_with(&place), "{name} {place}");
        let marks = all.entry(line).or_default();
        marks.push(format!("{kind}:{verdict}"));
        marks.sort();
    }
    all
}

#[test]
fn every_operation_is_checked() {
    let path = folder().join("operations.lus");
    let mut wanted = expected(&read(&path));
    let model = path.display().to_string();
    let run = kindred(
        &folder(),
        &[
            "-json",
            "--timeout",
            "120",
            "--check_runtime",
            "all",
            &model,
        ],
        "",
    );
    assert_eq!(run.exit, 40, "{}", run.stdout);
    // This check belongs to the called node.
    wanted.retain(|line, _| *line != 9);
    assert_eq!(found(&run.stdout), wanted);
    let called = properties(&run.stdout);
    let called = called.iter().filter_map(|p| p["name"].as_str());
    let called = called.filter(|name| name.starts_with("half[") && name.contains("].division"));
    assert!(called.count() >= 2);
}

#[test]
fn only_what_was_asked_for() {
    let model = folder().join("operations.lus").display().to_string();
    let without = kindred(&folder(), &["-json", "--timeout", "60", &model], "");
    assert!(found(&without.stdout).is_empty());
    let args = [
        "-json",
        "--timeout",
        "60",
        "--check_runtime",
        "index",
        &model,
    ];
    let run = kindred(&folder(), &args, "");
    let found = found(&run.stdout);
    assert!(found.len() > 3, "{found:?}");
    assert!(
        found
            .values()
            .flatten()
            .all(|mark| mark.starts_with("index:"))
    );
    let run = kindred(&folder(), &["--check_runtime", "everything", &model], "");
    assert_eq!(run.exit, 2, "{}", run.stdout);
}

const CALLED: &str = "
    node divide (x, d: int) returns (q: int);
    (*@contract
      assume \"not zero\" d <> 0;
      guarantee \"small\" x >= 0 and d > 0 => q <= x;
    *)
    let
      q = x div d;
    tel
    node top (x: int; c: bool) returns (y: int);
    let
      y = if c then divide(x, 2) else divide(x, 3);
      check \"y\" x >= 0 => y <= x;
    tel";

/// In a node by itself its assumptions protect the operation; so do the arguments of calls.
#[test]
fn other_analyses_check_too() {
    let scratch = Scratch::new("runtime-called");
    scratch.write("model.lus", CALLED);
    for more in [
        &["--modular", "true"][..],
        &["--modular", "true", "--compositional", "true"],
        &["--ivc", "true"],
        &["--slice_nodes", "false"],
    ] {
        let args = [&["--check_runtime", "all", "model.lus"], more].concat();
        let run = kindred(&scratch.0, &args, "");
        assert_eq!(run.exit, 0, "{more:?}: {}", run.stdout);
        assert!(
            run.stdout.contains("division by zero[l8c17]"),
            "{}",
            run.stdout
        );
    }
}

/// The check of a certificate needs the same `--check_runtime` option.
#[test]
fn certificates_have_the_checks() {
    let scratch = Scratch::new("runtime-certificates");
    scratch.write("model.lus", CALLED);
    let checks = ["--check_runtime", "all"];
    let args = [&["--certif", "true", "model.lus"], &checks[..]].concat();
    let run = kindred(&scratch.0, &args, "");
    assert_eq!(run.exit, 0, "{}", run.stdout);
    let verify = ["verify-certificate", "model.lus.out/certif", "model.lus"];
    let run = kindred(&scratch.0, &[&verify, &checks[..]].concat(), "");
    assert_eq!(run.exit, 0, "{}", run.stdout);
    let named = "divide[l12c21].division by zero[l8c17]";
    assert!(run.stdout.contains(named), "{}", run.stdout);
    let run = kindred(&scratch.0, &verify, "");
    assert_eq!(run.exit, 40, "{}", run.stdout);
}

#[test]
fn documents_follow_the_schemas() {
    let Some(folder_of_schemas) = reference() else {
        eprintln!("there are no schemas: nothing is validated");
        return;
    };
    let model = folder().join("operations.lus").display().to_string();
    let args = |format| [format, "--timeout", "60", "--check_runtime", "all", &model];
    let run = kindred(&folder(), &args("-json"), "");
    let document: Json = serde_json::from_str(&run.stdout).expect("JSON");
    let schema = Schema::read(&folder_of_schemas.join("kind2-output.json"));
    assert_eq!(schema.problem(&document), None);
    if has_xmllint() {
        let run = kindred(&folder(), &args("-xml"), "");
        let schema = folder_of_schemas.join("kind2-output.xsd");
        assert_eq!(xml_problem(&schema, &run.stdout), None);
    }
}
