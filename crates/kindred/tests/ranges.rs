//! Ranges: where subranges are checked, under which names, and what is assumed instead.
//!
//! Beside each model in `ranges/` stand the verdicts of its analyses in all modes; with
//! `UPDATE_EXPECT=1` they are written anew.

mod common;

use common::analyses::analyses;
use common::{files, kindred, read, repository};
use expect_test::expect_file;

const MODES: [(&str, &[&str]); 5] = [
    ("default", &[]),
    ("without subproperties", &["--check_subproperties", "false"]),
    ("modular", &["--modular", "true"]),
    ("compositional", &["--compositional", "true"]),
    (
        "modular and compositional",
        &["--modular", "true", "--compositional", "true"],
    ),
];

#[test]
fn ranges_are_checked_in_all_modes() {
    let folder = repository().join("crates/kindred/tests/ranges");
    for path in files(&folder, "lus") {
        let model = read(&path);
        let mut all = String::new();
        for (mode, args) in MODES {
            all += &format!("# {mode}\n{}\n", analyses(&model, args));
        }
        expect_file![path.with_extension("verdicts")].assert_eq(all.trim_end());
    }
}

/// An engine works on the cone of influence of a property; inputs and imported outputs outside of
/// it are in their ranges in counterexamples, too.
#[test]
fn runs_keep_ranges_that_a_property_does_not_depend_on() {
    let folder = repository().join("crates/kindred/tests/ranges");
    for engine in ["BMC", "SPACER", "IC3QE", "IC3IA"] {
        let run = kindred(&folder, &["--enable", engine, "beside.lus"], "");
        assert_eq!(run.exit, 40, "{}", run.stdout);
        for property in ["b: invalid", "x: invalid", "y: invalid"] {
            assert!(run.stdout.contains(property), "{}", run.stdout);
        }
        let x = run
            .stdout
            .lines()
            .filter(|line| line.trim().starts_with("x "));
        for value in x.flat_map(|line| line.split_whitespace().skip(1)) {
            assert!(["1", "2", "3"].contains(&value), "{}", run.stdout);
        }
    }
}
