//! Divisions by zero and indices out of bounds have unknown values, in every kind of
//! analysis, and every run that shows one replays.

mod common;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use common::{Scratch, files, kindred, read};
use serde_json::Value as Json;

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/partial")
}

/// The names in quotes of comments such as `-- valid: "a", "b"`.
fn expected(text: &str) -> BTreeMap<String, &'static str> {
    let mut all = BTreeMap::new();
    for (start, verdict) in [("-- valid: ", "valid"), ("-- invalid: ", "falsifiable")] {
        let lines = text.lines().filter_map(|line| line.strip_prefix(start));
        let names = lines.flat_map(|line| line.split('"').skip(1).step_by(2));
        all.extend(names.map(|name| (name.to_owned(), verdict)));
    }
    all
}

fn verdicts(stdout: &str) -> BTreeMap<String, String> {
    let results: Json = serde_json::from_str(stdout).expect("JSON");
    let results = results.as_array().cloned().unwrap_or_default();
    for result in &results {
        assert_ne!(result["level"], "error", "{result}");
    }
    let properties = results.iter().filter(|o| o["objectType"] == "property");
    let verdict = |o: &Json| {
        let text = |value: &Json| value.as_str().unwrap_or_default().to_owned();
        (text(&o["name"]), text(&o["answer"]["value"]))
    };
    properties.map(verdict).collect()
}

fn compare(args: &[&str]) {
    for path in files(&folder(), "lus") {
        let model = path.display().to_string();
        let wanted = expected(&read(&path));
        assert!(wanted.len() > 4, "{model}");
        let run = kindred(&folder(), &[&["-json", &model], args].concat(), "");
        let found = verdicts(&run.stdout);
        for (name, verdict) in wanted {
            let own = found.get(&name).map(String::as_str);
            assert_eq!(own, Some(verdict), "{model} {args:?}: {name}");
        }
    }
}

#[test]
fn verdicts_are_as_the_comments_say() {
    compare(&["--timeout", "120"]);
}

#[test]
fn a_solver_alone_says_the_same() {
    let engines = ["--enable", "BMC", "--enable", "IND", "--timeout", "120"];
    compare(&engines);
}

#[test]
fn node_by_node_says_the_same() {
    compare(&["--modular", "true", "--timeout", "120"]);
    compare(&["--compositional", "true", "--timeout", "120"]);
}

const PROVED: &str = "
    node top (x, d: int; a: int^3; i: int; u: real) returns (q, n: int; s: int^3; v: real);
    let
      q = x div d;
      n = 0 -> if a[i] = pre a[i] and i = pre i then pre n else pre n + 1;
      s[k] = if k = 0 then x else s[k - 1] + a[k];
      v = if u = 0.0 then 1.0 else 1.0 / u;
      check \"count\" n >= 0;
      check \"quotient\" d > 0 and x >= 0 => q <= x;
      check \"sums\" s[1] = x + a[1];
      check \"still\" true -> (x = pre x and d = pre d => q = pre q);
      check \"inverse\" u > 0.0 => v > 0.0;
    tel";

#[test]
fn certificates_have_the_functions() {
    let folder = Scratch::new("partial-certificates");
    folder.write("model.lus", PROVED);
    let run = kindred(&folder.0, &["--certif", "true", "model.lus"], "");
    assert_eq!(run.exit, 0, "{}", run.stdout);
    let script = read(&folder.0.join("model.lus.out/certif/certificate.smt2"));
    assert!(script.contains("div by zero"), "{script}");
    let verify = ["verify-certificate", "model.lus.out/certif", "model.lus"];
    let run = kindred(&folder.0, &verify, "");
    assert_eq!(run.exit, 0, "{}", run.stdout);
    assert!(
        run.stdout.contains("certificate of the front end holds"),
        "{}",
        run.stdout
    );
}

/// Where an operation is guarded there is no function, and all engines take the model.
#[test]
fn guarded_operations_need_no_functions() {
    let folder = Scratch::new("partial-guarded");
    let guarded = "
        node top (x, d, i: int; a: int^3) returns (q, e: int);
        let
          q = if d = 0 then 0 else x div d;
          e = if 0 <= i and i < 3 then a[i] else 0;
          check \"zero\" d = 0 => q = 0;
          check \"element\" i = 1 => e = a[1];
        tel";
    folder.write("model.lus", guarded);
    let run = kindred(&folder.0, &["--certif", "true", "model.lus"], "");
    assert_eq!(run.exit, 0, "{}", run.stdout);
    let script = read(&folder.0.join("model.lus.out/certif/certificate.smt2"));
    assert!(!script.contains("@fun"), "{script}");
}

/// Spacer has no functions, but proves what does not depend on their values.
#[test]
fn spacer_proves_around_functions() {
    let folder = Scratch::new("partial-spacer");
    let counted = "
        node top (a: int^3; i: int) returns (n: int);
        let
          n = 0 -> if a[i] > 0 then pre n + 1 else pre n;
          check \"count\" n >= 0;
        tel";
    folder.write("model.lus", counted);
    let run = kindred(&folder.0, &["--enable", "SPACER", "model.lus"], "");
    assert_eq!(run.exit, 0, "{}", run.stdout);
}
