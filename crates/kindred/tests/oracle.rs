//! Verdicts on random finite-state programs are those of a plain search of their states.
//!
//! This is a sample; `cargo run --release -p corpus --example oracle` goes on for as long
//! as one likes (`docs/testing.md`).

mod common;

use std::path::Path;

use common::Scratch;
use corpus::oracle::compare::{Oracle, check};
use corpus::oracle::mixes::MIXES;
use corpus::oracle::{generate, print};

const SEED: u64 = 2026;
const PROGRAMS: u64 = 9;

#[test]
fn verdicts_are_those_of_a_plain_search() {
    let scratch = Scratch::new("oracle");
    let binary = Path::new(env!("CARGO_BIN_EXE_kindred"));
    let mut right = 0;
    for index in 0..PROGRAMS {
        let Some(program) = generate::program(SEED, index) else {
            continue;
        };
        let printed = print::print(&program);
        let model = scratch.0.join(format!("{index}.lus"));
        std::fs::write(&model, &printed.text).expect("a file can be written");
        let mut oracle = Oracle::new(&program, &printed);
        // Each mix has its turn.
        for mix in [index, index + PROGRAMS] {
            let mix = &MIXES[mix as usize % MIXES.len()];
            let compared = check(binary, &mut oracle, &model, mix, 10).expect("the program starts");
            let none: [String; 0] = [];
            assert_eq!(compared.wrong, none, "{}: {}", mix.name, printed.text);
            right += compared.right;
        }
    }
    assert!(right > 100, "{right} verdicts were compared");
}
