//! `cargo run --release -p corpus --example same_answer -- [RUNS]`: runs models of all kinds
//! so many times with one thread, and compares what the runs write, but for times. All
//! must be the same.

use std::process::ExitCode;

use corpus::files;
use corpus::same_answer::{difference, trials};

fn main() -> ExitCode {
    let count = std::env::args().nth(1).and_then(|text| text.parse().ok());
    let runs: usize = count.unwrap_or(20);
    let Some(corpus) = files::corpus() else {
        eprintln!("there is no corpus");
        return ExitCode::from(2);
    };
    let folder = std::env::temp_dir().join(format!("same_answer.{}", std::process::id()));
    let (mut models, mut others) = (0, 0);
    for trial in trials(&corpus) {
        let name = format!("{} {}", files::name(&trial.model), trial.flags.join(" "));
        if !files::is_wanted(&name) {
            continue;
        }
        models += 1;
        let first = trial.run(&folder);
        let mut different = Vec::new();
        for _ in 1..runs {
            let again = trial.run(&folder);
            if again == first {
                continue;
            }
            let what = difference(&first.document, &again.document);
            let exits = format!("exit {} | exit {}", first.exit, again.exit);
            let what = what.or((first.exit != again.exit).then_some(exits));
            different.push(what.unwrap_or("other files".to_owned()));
        }
        println!("{name}: {} of {runs} differ", different.len());
        for what in &different {
            println!("  {what}");
        }
        others += usize::from(!different.is_empty());
    }
    println!("{models} models, {runs} runs of each: {others} models with differences");
    match others {
        0 => ExitCode::SUCCESS,
        _ => ExitCode::FAILURE,
    }
}
