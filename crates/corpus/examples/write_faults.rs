//! `cargo run --release -p corpus --example write_faults -- [--moments N] [MODEL]...`:
//! full disks, lost output and signals (at N moments each) in runs on models, by default
//! two of `examples/`. Exit code 1 if anything was wrong.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use corpus::verdict::binary;
use corpus::write_faults::{Injected, Injector, SIGNALS, WAYS};

fn main() -> ExitCode {
    let mut moments = 12;
    let kindred = binary();
    let mut models: Vec<PathBuf> = Vec::new();
    let mut given = std::env::args().skip(1);
    while let Some(word) = given.next() {
        match word.as_str() {
            "--moments" => {
                let Some(number) = given.next().and_then(|value| value.parse().ok()) else {
                    eprintln!("--moments needs a number");
                    return ExitCode::from(2);
                };
                moments = number;
            }
            model => models.push(model.into()),
        }
    }
    let examples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples");
    if models.is_empty() {
        models = ["stopwatch.lus", "thermostat.lus"]
            .map(|name| examples.join(name))
            .into();
    }
    let (Ok(binary), folder) = (std::fs::canonicalize(&kindred), std::env::temp_dir()) else {
        eprintln!("there is no {}", kindred.display());
        return ExitCode::from(2);
    };
    let mut total = Injected::default();
    for model in models {
        let Ok(model) = std::fs::canonicalize(&model) else {
            eprintln!("there is no {}", model.display());
            return ExitCode::from(2);
        };
        let injector = Injector {
            binary: binary.clone(),
            folder: folder.join(format!("kindred-faults-{}", std::process::id())),
            model,
        };
        for way in WAYS {
            let mut injected = injector.full_disk(way);
            injected.add(injector.lost_output(way));
            injected.add(injector.signals(way, SIGNALS, moments));
            println!(
                "{:<20} {:>4} runs, {:>4} struck, {:>3} wrong",
                way.name,
                injected.runs,
                injected.struck,
                injected.wrong.len()
            );
            for wrong in &injected.wrong {
                println!("  WRONG: {wrong}");
            }
            total.add(injected);
        }
        // What is left behind is in nobody's way.
        let _ = std::fs::remove_dir_all(&injector.folder);
    }
    println!(
        "{} runs, {} struck, {} wrong",
        total.runs,
        total.struck,
        total.wrong.len()
    );
    match total.wrong.len() {
        0 => ExitCode::SUCCESS,
        _ => ExitCode::FAILURE,
    }
}
