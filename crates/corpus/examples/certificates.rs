//! `cargo run --release -p corpus --example certificates -- [--programs N] [--seed S]`:
//! certificates of random finite-state programs, and of our own models, given to cvc5.
//!
//! Each must be accepted by `kindred verify-certificate` and answered with `unsat` three times. Exit code 1
//! if one is not; without cvc5 there is nothing to do.

use std::process::ExitCode;

use corpus::certificates::{Written, is_installed, judge, script};
use corpus::numbers::Numbers;
use corpus::oracle::{generate, print};
use corpus::{Outcome, files, mutation_fuzz};

const SOLVER: &str = "cvc5";

fn main() -> ExitCode {
    let given = match Numbers::given(&["--programs", "--seed"]) {
        Ok(given) => given,
        Err(message) => {
            eprintln!("{message}");
            return ExitCode::from(2);
        }
    };
    let programs = given.get("--programs").unwrap_or(100);
    let seed = given.get("--seed").unwrap_or(0);
    if !is_installed(SOLVER) {
        println!("{SOLVER} is not installed: nothing is given to it");
        return ExitCode::SUCCESS;
    }
    let folder = std::env::temp_dir().join(format!("kindred-certificates-{seed}"));
    let mut models = mutation_fuzz::own_models();
    for index in 0..programs {
        let Some(program) = generate::program(seed, index) else {
            continue;
        };
        let path = folder.join(format!("{index}.lus"));
        let written = std::fs::create_dir_all(&folder)
            .and_then(|()| std::fs::write(&path, print::print(&program).text));
        if let Err(error) = written {
            eprintln!("{}: {error}", path.display());
            return ExitCode::from(2);
        }
        models.push(path);
    }
    let mut accepted = Outcome::new("accepted by cvc5");
    let mut verified = Outcome::new("verify-certificate");
    for (at, model) in models.iter().enumerate() {
        let name = files::name(model);
        let written = Written::new(model, at);
        let all = written.certificates();
        if all.is_empty() {
            continue;
        }
        match written.verify() {
            (0, _) => verified.right += 1,
            (30, text) => verified.unknown.push(format!("{name}: {}", text.trim())),
            (_, text) => verified.wrong.push(format!("{name}: {}", text.trim())),
        }
        for certificate in all {
            let script = script(&certificate, &files::read(&certificate));
            judge(SOLVER, &script, &name, &mut accepted);
        }
    }
    accepted.print();
    verified.print();
    match accepted.wrong.len() + verified.wrong.len() {
        0 => ExitCode::SUCCESS,
        _ => ExitCode::FAILURE,
    }
}
