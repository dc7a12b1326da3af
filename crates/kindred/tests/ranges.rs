//! Ranges: where subranges are checked, under which names, and what is assumed instead.
//!
//! Beside each model in `ranges/` stand the verdicts of its analyses in all modes; with
//! `UPDATE_EXPECT=1` they are written anew.

mod common;

use common::analyses::analyses;
use common::{files, read, repository};
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
