//! `cargo run --release -p corpus --example corpus -- [PART …]`: runs parts of
//! the corpus and prints the figures; without a part, all of them. An example
//! and not a binary, so that `cargo run` has one program to choose from.

use std::process::ExitCode;

use corpus::{
    Outcome, advice, certificates, contracts, cores, counts, cuts, files, front, generated,
    mutation, verdict,
};

type Part = (&'static str, fn(&std::path::Path) -> Vec<Outcome>);

const PARTS: [Part; 20] = [
    ("accept", front::accept),
    ("refuse", front::refuse),
    ("print", front::print),
    ("generated", generated::run),
    ("time", front::time),
    ("regression", verdict::regression),
    ("machine_integers", verdict::machine_integers),
    ("verdicts", verdict::generated),
    ("contracts", contracts::run),
    ("cores_flat", cores::flat),
    ("cores_stateful", cores::stateful),
    ("cores_hierarchical", counts::hierarchical),
    ("cut_sets", cuts::run),
    ("mutants", mutation::verdicts),
    ("mutants_must", mutation::must),
    ("mutants_speed", mutation::speed),
    ("certificates", certificates::run),
    ("advice", advice::run),
    ("documentation", verdict::documentation),
    ("unroll", verdict::simulate_unroll),
];

fn main() -> ExitCode {
    let wanted: Vec<String> = std::env::args().skip(1).collect();
    for name in &wanted {
        if !PARTS.iter().any(|(part, _)| part == name) {
            let known: Vec<&str> = PARTS.iter().map(|(part, _)| *part).collect();
            eprintln!(
                "there is no part `{name}`; the parts are {}",
                known.join(", ")
            );
            return ExitCode::from(2);
        }
    }
    let Some(corpus) = files::corpus() else {
        eprintln!("there is no corpus: set KINDRED_CORPUS to its folder");
        return ExitCode::from(2);
    };
    let mut right = true;
    for (name, run) in PARTS {
        if !wanted.is_empty() && !wanted.iter().any(|part| part == name) {
            continue;
        }
        for outcome in run(&corpus) {
            outcome.print();
            right &= outcome.wrong.is_empty();
        }
    }
    if right {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}
