//! `cargo run --release -p corpus --example oracle -- [--programs N] [--seed S] [--first I]`:
//! random finite-state programs, decided by plain search and by the program in all mixes of
//! engines.
//!
//! `--mixes N` takes N of them for each program, in turn, beside the default (0: all);
//! `--only INDEX` runs a single program with all mixes and prints it first;
//! `KINDRED_BINARY` names another program than the one of the same build. Exit code 1 if
//! any verdict was wrong.

use std::collections::BTreeMap;
use std::process::ExitCode;
use std::time::Instant;

use corpus::numbers::Numbers;
use corpus::oracle::compare::{Oracle, check};
use corpus::oracle::mixes::{MIXES, Mix};
use corpus::oracle::{generate, print};
use corpus::verdict::binary;

struct Args {
    programs: u64,
    seed: u64,
    first: u64,
    mixes: usize,
    timeout: u32,
    only: Option<u64>,
}

impl Args {
    fn parse() -> Result<Args, String> {
        let known = [
            "--programs",
            "--seed",
            "--first",
            "--mixes",
            "--timeout",
            "--only",
        ];
        let given = Numbers::given(&known)?;
        Ok(Args {
            programs: given.get("--programs").unwrap_or(1000),
            seed: given.get("--seed").unwrap_or(0),
            first: given.get("--first").unwrap_or(0),
            mixes: given.get("--mixes").unwrap_or(3) as usize,
            timeout: given.get("--timeout").unwrap_or(30) as u32,
            only: given.get("--only"),
        })
    }
}

#[derive(Default)]
struct Figures {
    runs: usize,
    right: usize,
    long: usize,
    unknown: usize,
    open: usize,
    wrong: usize,
    seconds: f64,
}

fn main() -> ExitCode {
    let args = match Args::parse() {
        Ok(args) => args,
        Err(message) => {
            eprintln!("{message}");
            return ExitCode::from(2);
        }
    };
    let folder = std::env::temp_dir().join(format!("kindred-oracle-{}", args.seed));
    if let Err(error) = std::fs::create_dir_all(&folder) {
        eprintln!("{}: {error}", folder.display());
        return ExitCode::from(2);
    }
    let range = match args.only {
        Some(index) => index..index + 1,
        None => args.first..args.first + args.programs,
    };
    let mut figures: BTreeMap<&str, Figures> = BTreeMap::new();
    let (mut programs, mut given_up, mut failed) = (0, 0, 0);
    for index in range {
        let Some(program) = generate::program(args.seed, index) else {
            given_up += 1;
            continue;
        };
        programs += 1;
        let printed = print::print(&program);
        if args.only.is_some() {
            println!("{}", printed.text);
        }
        let model = folder.join(format!("{index}.lus"));
        if let Err(error) = std::fs::write(&model, &printed.text) {
            eprintln!("{}: {error}", model.display());
            return ExitCode::from(2);
        }
        let mut oracle = Oracle::new(&program, &printed);
        let mut keep = args.only.is_some();
        for mix in chosen(&args, index) {
            let start = Instant::now();
            let compared = match check(&binary(), &mut oracle, &model, mix, args.timeout) {
                Ok(compared) => compared,
                Err(error) => {
                    eprintln!("{}: {error}", binary().display());
                    return ExitCode::from(2);
                }
            };
            let sum = figures.entry(mix.name).or_default();
            sum.runs += 1;
            sum.right += compared.right;
            sum.long += compared.long;
            sum.unknown += compared.unknown;
            sum.open += compared.open;
            sum.wrong += compared.wrong.len();
            sum.seconds += start.elapsed().as_secs_f64();
            let undecided = mix.complete && compared.unknown > 0;
            if undecided {
                println!(
                    "undecided: {} {}: {}",
                    model.display(),
                    mix.name,
                    compared.unknown
                );
            }
            keep |= undecided;
            for wrong in &compared.wrong {
                println!(
                    "WRONG: kindred {} {}\n  {wrong}",
                    mix.flags.join(" "),
                    model.display()
                );
                keep = true;
                failed += 1;
            }
        }
        if programs % 100 == 0 {
            let right: usize = figures.values().map(|sum| sum.right).sum();
            println!("{programs} programs, {right} verdicts right, {failed} wrong");
        }
        if !keep {
            // What is left behind is in nobody's way.
            let _ = std::fs::remove_file(&model);
        }
    }
    summary(&figures);
    println!("{programs} programs, {given_up} given up, {failed} wrong");
    match failed {
        0 => ExitCode::SUCCESS,
        _ => ExitCode::FAILURE,
    }
}

/// The first mix, and others in turn.
fn chosen(args: &Args, index: u64) -> Vec<&'static Mix> {
    if args.mixes == 0 || args.mixes >= MIXES.len() || args.only.is_some() {
        return MIXES.iter().collect();
    }
    let others = &MIXES[1..];
    let from = index as usize * args.mixes;
    let chosen = (from..from + args.mixes).map(|at| &others[at % others.len()]);
    [&MIXES[0]].into_iter().chain(chosen).collect()
}

fn summary(figures: &BTreeMap<&str, Figures>) {
    println!(
        "{:<30} {:>6} {:>7} {:>6} {:>8} {:>6} {:>6} {:>8}",
        "mix", "runs", "right", "longer", "unknown", "open", "wrong", "seconds"
    );
    for (name, sum) in figures {
        println!(
            "{name:<30} {:>6} {:>7} {:>6} {:>8} {:>6} {:>6} {:>8.1}",
            sum.runs, sum.right, sum.long, sum.unknown, sum.open, sum.wrong, sum.seconds
        );
    }
    let total: usize = figures.values().map(|sum| sum.right).sum();
    println!("{total} verdicts are right, over {} mixes", figures.len());
}
