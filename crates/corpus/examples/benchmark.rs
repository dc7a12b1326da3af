//! `cargo run --release -p corpus --example benchmark -- [PART …] [--limit S]
//! [--repeat N] [--out FOLDER]`: solves the corpus with a time limit for each
//! model, prints the figures, and writes `results.csv` and `cactus.svg`; the part
//! `realizability` writes `realizability.csv`.
//!
//! Build the binary first: `cargo build --release`.

use std::io::{IsTerminal, Write};
use std::path::PathBuf;
use std::process::ExitCode;

use corpus::benchmark::{
    CONTRACT_CHECKS, PARTS, Solution, Verdict, against_baseline, cactus, engines, families,
    realizability, solve, tasks,
};
use corpus::files;

struct Arguments {
    parts: Vec<String>,
    limit: f64,
    repeat: usize,
    out: PathBuf,
}

fn arguments() -> Result<Arguments, String> {
    let mut parsed = Arguments {
        parts: Vec::new(),
        limit: 30.0,
        repeat: 1,
        out: PathBuf::from("target/benchmark"),
    };
    let mut words = std::env::args().skip(1);
    while let Some(word) = words.next() {
        let mut value = || words.next().ok_or(format!("`{word}` needs a value"));
        let number = |text: String| text.parse().map_err(|_| format!("`{text}` is no number"));
        match word.as_str() {
            "--limit" => parsed.limit = number(value()?)?,
            "--repeat" => parsed.repeat = number(value()?)? as usize,
            "--out" => parsed.out = value()?.into(),
            part if PARTS.contains(&part) => parsed.parts.push(part.to_owned()),
            other => return Err(format!("`{other}`: the parts are {}", PARTS.join(", "))),
        }
    }
    if parsed.parts.is_empty() {
        parsed.parts = PARTS.map(str::to_owned).to_vec();
    }
    Ok(parsed)
}

fn main() -> ExitCode {
    let arguments = match arguments() {
        Ok(arguments) => arguments,
        Err(message) => {
            eprintln!("{message}");
            return ExitCode::from(2);
        }
    };
    let Some(corpus) = files::corpus() else {
        eprintln!("there is no corpus: set KINDRED_CORPUS to its folder");
        return ExitCode::from(2);
    };
    let mut wrong = false;
    for round in 1..=arguments.repeat {
        if arguments.repeat > 1 {
            println!("round {round} of {}", arguments.repeat);
        }
        if arguments.parts.iter().any(|part| part == CONTRACT_CHECKS) {
            let report = realizability::compare(&corpus, arguments.limit);
            report.print();
            wrong |= report.is_wrong();
            let csv = ("realizability.csv", report.csv());
            if let Err(error) = write(&arguments.out, &[csv]) {
                eprintln!("{}: {error}", arguments.out.display());
                return ExitCode::from(2);
            }
        }
        if arguments.parts.iter().all(|part| part == CONTRACT_CHECKS) {
            continue;
        }
        let solutions = run(&arguments, &corpus);
        wrong |= solutions.iter().any(|s| s.verdict == Verdict::Wrong);
        println!("{}\n{}", families(&solutions), engines(&solutions));
        let reference = corpus.join("../reference");
        let (table, curves) = against_baseline(&solutions, &reference, arguments.limit);
        println!("{table}");
        let svg = cactus("fmcad08", &curves, arguments.limit);
        let files = [("results.csv", csv(&solutions)), ("cactus.svg", svg)];
        if let Err(error) = write(&arguments.out, &files) {
            eprintln!("{}: {error}", arguments.out.display());
            return ExitCode::from(2);
        }
    }
    if wrong {
        ExitCode::FAILURE
    } else {
        ExitCode::SUCCESS
    }
}

fn run(arguments: &Arguments, corpus: &std::path::Path) -> Vec<Solution> {
    let parts = arguments.parts.iter();
    let tasks: Vec<_> = parts.flat_map(|part| tasks(corpus, part)).collect();
    let count = tasks.len();
    let mut solutions = Vec::new();
    for (at, task) in tasks.into_iter().enumerate() {
        if std::io::stderr().is_terminal() {
            eprint!("\r{at} of {count}");
            let _ = std::io::stderr().flush();
        }
        solutions.push(solve(task, arguments.limit));
    }
    if std::io::stderr().is_terminal() {
        eprint!("\r{:20}\r", "");
    }
    solutions
}

fn csv(solutions: &[Solution]) -> String {
    let mut csv = String::from("family,name,verdict,seconds,engines\n");
    for s in solutions {
        let engines: Vec<String> = s.engines.iter().map(|(e, n)| format!("{e}:{n}")).collect();
        let verdict = format!("{:?}", s.verdict).to_lowercase();
        let (family, name, engines) = (&s.family, &s.name, engines.join(" "));
        csv += &format!("{family},{name},{verdict},{:.3},{engines}\n", s.seconds);
    }
    csv
}

fn write(folder: &std::path::Path, files: &[(&str, String)]) -> std::io::Result<()> {
    std::fs::create_dir_all(folder)?;
    for (name, text) in files {
        std::fs::write(folder.join(name), text)?;
    }
    Ok(())
}
