//! `cargo run --release -p corpus --example synthesis`: makes nodes and environments from the
//! contracts of the corpus, and proves them. `KINDRED_PART` narrows it to some models.

use std::process::ExitCode;

use corpus::files;
use corpus::synthesis::Synthesis;

fn main() -> ExitCode {
    let Some(corpus) = files::corpus() else {
        eprintln!("there is no corpus");
        return ExitCode::from(2);
    };
    let folder = std::env::temp_dir().join(format!("synthesis.{}", std::process::id()));
    let mut all = Synthesis::default();
    for model in files::models(&corpus.join("realizability")) {
        if files::is_wanted(&files::name(&model)) {
            all.add(&model, &folder);
        }
    }
    all.print();
    match all.unproved.is_empty() {
        true => ExitCode::SUCCESS,
        false => ExitCode::FAILURE,
    }
}
