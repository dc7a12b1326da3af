//! `cargo run --release -p corpus --example options -- [--runs N] [--seed S] [--first I]`:
//! random pairs and triples of options over models of every kind.
//!
//! `--only INDEX` runs a single trial and prints its command line; `KINDRED_BINARY` names
//! another program than the one of the same build. Exit code 1 if any run failed.

use std::collections::BTreeMap;
use std::process::ExitCode;
use std::time::Instant;

use corpus::numbers::Numbers;
use corpus::option_fuzz::Fuzzer;
use corpus::verdict::binary;

struct Args {
    runs: u64,
    seed: u64,
    first: u64,
    only: Option<u64>,
}

impl Args {
    fn parse() -> Result<Args, String> {
        let given = Numbers::given(&["--runs", "--seed", "--first", "--only"])?;
        Ok(Args {
            runs: given.get("--runs").unwrap_or(5000),
            seed: given.get("--seed").unwrap_or(0),
            first: given.get("--first").unwrap_or(0),
            only: given.get("--only"),
        })
    }
}

fn main() -> ExitCode {
    let args = match Args::parse() {
        Ok(args) => args,
        Err(message) => {
            eprintln!("{message}");
            return ExitCode::from(2);
        }
    };
    match run(&args) {
        Ok(0) => ExitCode::SUCCESS,
        Ok(_) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("{}: {error}", binary().display());
            ExitCode::from(2)
        }
    }
}

/// How many runs failed.
fn run(args: &Args) -> std::io::Result<usize> {
    let folder = std::env::temp_dir().join(format!("kindred-options-{}", args.seed));
    let mut fuzzer = Fuzzer::new(&binary(), &folder, args.seed, true)?;
    let (models, options) = fuzzer.size();
    println!("{models} models, {options} options, seed {}", args.seed);
    for line in fuzzer.judge().left_out() {
        println!("{line}");
    }
    let range = match args.only {
        Some(index) => index..index + 1,
        None => args.first..args.first + args.runs,
    };
    let start = Instant::now();
    let mut kinds: BTreeMap<&str, usize> = BTreeMap::new();
    let (mut runs, mut failed) = (0, 0);
    for index in range {
        let trial = fuzzer.trial(index);
        if args.only.is_some() {
            println!("{}", fuzzer.command_line(&trial));
        }
        runs += 1;
        if let Some(failure) = fuzzer.attempt(&trial) {
            failed += 1;
            println!("FAILED {index}: {}", failure.command);
            for what in &failure.failures {
                println!("  {what}");
                *kinds.entry(what.kind()).or_default() += 1;
            }
        }
        if runs % 500 == 0 {
            println!(
                "{runs} runs, {failed} failed, {:.0} s",
                start.elapsed().as_secs_f64()
            );
        }
    }
    println!(
        "{runs} runs, {failed} failed, {:.0} s",
        start.elapsed().as_secs_f64()
    );
    for (kind, count) in kinds {
        println!("  {kind}: {count}");
    }
    Ok(failed)
}
