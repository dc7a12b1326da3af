//! Pairs and triples of options, over our own models and generated ones.
//!
//! This is a sample; `cargo run --release -p corpus --example options` goes on for as long
//! as one likes (`docs/testing.md`). Here a run may end late: how fast a machine is that runs tests is not
//! known.

mod common;

use std::path::Path;

use common::Scratch;
use corpus::option_fuzz::Fuzzer;
use corpus::option_fuzz::judge::Failure;

const SEED: u64 = 2026;
const RUNS: u64 = 30;

#[test]
fn options_go_together() {
    let scratch = Scratch::new("options");
    let binary = Path::new(env!("CARGO_BIN_EXE_kindred"));
    let mut fuzzer = Fuzzer::new(binary, &scratch.0, SEED, false).expect("the program starts");
    let (models, options) = fuzzer.size();
    assert!(models > 20 && options > 90, "{models}, {options}");
    for index in 0..RUNS {
        let trial = fuzzer.trial(index);
        let Some(failed) = fuzzer.attempt(&trial) else {
            continue;
        };
        let timed = |failure: &Failure| matches!(failure, Failure::Late(_));
        let wrong: Vec<String> = failed
            .failures
            .iter()
            .filter(|failure| !timed(failure))
            .map(Failure::to_string)
            .collect();
        assert_eq!(wrong, Vec::<String>::new(), "{}", failed.command);
    }
}
