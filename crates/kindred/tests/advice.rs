//! Advice of one run helps the next, which checks it before use.

mod common;

use std::path::Path;

use common::{Run, Scratch, kindred, read, repository};

/// A model of the tests of engines, which induction alone does not prove.
fn model(name: &str) -> String {
    read(&repository().join("crates/kindred/tests/engines").join(name))
}

fn run(folder: &Path, args: &[&str]) -> Run {
    kindred(folder, args, "")
}

/// Bounded model checking and induction only, up to some k.
const ALONE: [&str; 6] = ["--enable", "BMC", "--enable", "IND", "--bmc_max", "12"];

fn alone(folder: &Path, more: &[&str]) -> Run {
    run(folder, &[&ALONE[..], more].concat())
}

#[test]
fn a_proof_is_used_again() {
    for name in ["twins.lus", "real_twins.lus", "machine.lus", "constant.lus"] {
        let scratch = Scratch::new(&format!("advice-{name}"));
        let folder = &scratch.0;
        scratch.write("m.lus", &model(name));
        let first = run(folder, &["--advice", "a", "m.lus"]);
        assert_eq!(first.exit, 0, "{name}: {}", first.stdout);
        let second = alone(folder, &["--advice", "a", "m.lus"]);
        assert_eq!(second.exit, 0, "{name}: {}", second.stdout);
    }
}

#[test]
fn a_proof_outlives_small_changes() {
    let scratch = Scratch::new("advice-changed");
    let folder = &scratch.0;
    let text = model("twins.lus");
    scratch.write("m.lus", &text);
    run(folder, &["--write_advice", "a", "m.lus"]);
    // Lines, names of nodes around it, and more to prove.
    let longer = format!("node other(x: int) returns (y: int);\nlet y = x + 1; tel\n\n{text}");
    let (name, more) = ("--lus_main", "--%PROPERTY \"more\" true;\ntel");
    let longer = longer.replace("\ntel", &format!("\n{more}"));
    scratch.write("m.lus", &longer);
    let top = text
        .split("node ")
        .nth(1)
        .and_then(|rest| rest.split('(').next());
    let top = top.expect("the model has a node").trim();
    let with = alone(folder, &["--read_advice", "a", name, top, "m.lus"]);
    assert_eq!(with.exit, 0, "{}", with.stdout);
    let without = alone(folder, &[name, top, "m.lus"]);
    assert_eq!(without.exit, 30, "{}", without.stdout);
}

const COUNTER: &str = "\
node top(up: bool) returns (n, m: int);
let
  n = 0 -> if up and pre n < LIMIT then pre n + 1 else pre n;
  m = 0 -> if up and pre m < 5 then pre m + 1 else pre m;
  --%PROPERTY \"alike\" n = m;
  --%PROPERTY \"small\" n <= 5;
tel
";

#[test]
fn what_is_no_longer_true_is_not_told() {
    let scratch = Scratch::new("advice-stale");
    let folder = &scratch.0;
    scratch.write("m.lus", &COUNTER.replace("LIMIT", "5"));
    assert_eq!(run(folder, &["--advice", "a", "m.lus"]).exit, 0);
    scratch.write("m.lus", &COUNTER.replace("LIMIT", "6"));
    let changed = run(folder, &["--advice", "a", "m.lus"]);
    assert_eq!(changed.exit, 40, "{}", changed.stdout);
    assert_eq!(changed.stdout.matches("invalid after 6 steps").count(), 2);
    // Back to the first model: the advised runs are none of its runs.
    scratch.write("m.lus", &COUNTER.replace("LIMIT", "5"));
    let back = run(folder, &["--advice", "a", "m.lus"]);
    assert_eq!(back.exit, 0, "{}", back.stdout);
}

#[test]
fn lies_are_not_believed() {
    let scratch = Scratch::new("advice-lies");
    let folder = &scratch.0;
    scratch.write("m.lus", &COUNTER.replace("LIMIT", "6"));
    for invariant in ["false", "(<= |pre n| 5)", "(= |pre n| |pre m|)", "(< 0 0)"] {
        let lie = format!(
            "(kindred-advice 2)\n(system |top| (proof (properties |alike| |small|) (k 1) \
             (invariants {invariant})) (proof (properties) (k 2) (invariants {invariant})) \
             (run |small| 3))"
        );
        scratch.write("a", &lie);
        let told = run(folder, &["--read_advice", "a", "m.lus"]);
        assert_eq!(told.exit, 40, "{invariant}: {}", told.stdout);
        assert!(!told.stdout.contains("<Warning>"), "{}", told.stdout);
        assert_eq!(read(&folder.join("a")), lie);
    }
}

#[test]
fn garbage_is_told_of() {
    let scratch = Scratch::new("advice-garbage");
    let folder = &scratch.0;
    scratch.write("m.lus", &COUNTER.replace("LIMIT", "5"));
    for garbage in ["", "(", "{\"a\": 1}", "(kindred-advice 7)", "\u{1}\u{2}"] {
        scratch.write("a", garbage);
        let run = run(folder, &["--advice", "a", "m.lus"]);
        assert_eq!(run.exit, 0, "{}", run.stdout);
        assert!(
            run.stdout.contains("there is no advice in a"),
            "{}",
            run.stdout
        );
        // The advice of this run replaces the file.
        assert!(read(&folder.join("a")).contains("(kindred-advice 2)"));
    }
    let old = "(kindred-advice 1)\n(system |top|\n  (define 0 (* |a \\| b| 2))\n  (run |P| 2))\n";
    scratch.write("a", old);
    let told = run(folder, &["--advice", "a", "m.lus"]);
    let why = "there is no advice in a: it is of version 1, not 2";
    assert!(told.stdout.contains(why), "{}", told.stdout);
    let missing = run(folder, &["--read_advice", "missing", "m.lus"]);
    assert_eq!(missing.exit, 0);
    assert!(missing.stdout.contains("cannot read missing"));
    let unwritable = run(folder, &["--write_advice", "m.lus/a", "m.lus"]);
    assert_eq!(unwritable.exit, 1, "{}", unwritable.stdout);
}
