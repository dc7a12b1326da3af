//! The command line as its users see it: transcripts in `tests/cli`.

mod common;

use std::path::{Path, PathBuf};

use common::{files, read, replay};
use expect_test::expect_file;

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cli")
}

fn check(name: &str) {
    let path = folder().join(name).with_extension("transcript");
    let replayed = replay(&read(&path), &folder());
    expect_file![&path].assert_eq(&replayed);
}

macro_rules! transcripts {
    ($($name:ident)*) => {
        const NAMES: &[&str] = &[$(stringify!($name)),*];

        $(#[test]
        fn $name() {
            check(stringify!($name));
        })*
    };
}

transcripts! {
    arrays
    bad_input
    bad_options
    blocks
    clocks
    contract_usage
    contracts
    csv
    formats
    help
    includes
    input_values
    machine_integers
    modes
    operators
    several_errors
    stdin
    strict
    text
    top_nodes
    undefined
}

#[test]
fn every_transcript_is_replayed() {
    for path in files(&folder(), "transcript") {
        let name = path.file_stem().and_then(|name| name.to_str());
        assert!(
            name.is_some_and(|name| NAMES.contains(&name)),
            "{} is not listed in cli.rs",
            path.display()
        );
    }
}
