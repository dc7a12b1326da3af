//! Models in `tests/invariants` that k-induction proves with invariants only.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use analysis::{
    AnalysisEvent, AnalysisOptions, Engine, Evidence, Generator, Numbers, Outcome, PropertyResult,
    analyse,
};

fn prove(model: &str, generators: &[Generator], max_depth: usize) -> Vec<PropertyResult> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/invariants");
    let path: PathBuf = folder.join(model).with_extension("lus");
    let text = std::fs::read_to_string(&path).unwrap();
    let loaded = syntax::load(model, &path, text, &[]);
    assert!(loaded.errors.is_empty(), "{model}: {:?}", loaded.errors);
    let checked = lang::check(&loaded.program, &lang::CheckOptions::default());
    let program = checked.program.expect("a program without errors");
    let mut options = AnalysisOptions::default();
    options.settings.engines = vec![Engine::Bmc, Engine::Induction];
    let generators = generators.iter().map(|g| Engine::Invariants(*g));
    options.settings.engines.extend(generators);
    options.settings.unrolling.max_depth = max_depth;
    // What cannot be proved must not hang.
    options.settings.deadline = Some(Instant::now() + Duration::from_secs(100));
    let top = *program.top_nodes().first().expect("a top node");
    let results = analyse(
        &program,
        &loaded.sources,
        top,
        &options,
        &mut |event| match event {
            AnalysisEvent::Warning(message) | AnalysisEvent::InternalError(message) => {
                panic!("{model}: {message}")
            }
            _ => {}
        },
    );
    results.expect("a node that can be analysed")
}

/// The property is proved with the generators, and not within a few steps
/// without them.
fn needs(model: &str, numbers: &[Numbers], two_state: bool) {
    let alone = prove(model, &[], 12);
    let open = |result: &PropertyResult| matches!(result.outcome, Outcome::Unknown(_));
    assert!(alone.iter().all(open), "{model}: k-induction is enough");
    let generators: Vec<Generator> = numbers
        .iter()
        .map(|numbers| Generator {
            numbers: *numbers,
            two_state,
        })
        .collect();
    for result in prove(model, &generators, 0) {
        let Outcome::Valid(evidence) = &result.outcome else {
            panic!("{model}: {} was not proved", result.property.name);
        };
        let Evidence::Inductive { .. } = evidence.kind() else {
            panic!("{model}: {} has no invariant", result.property.name);
        };
    }
}

#[test]
fn exclusive_bits() {
    needs("booleans", &[Numbers::None], false);
}

#[test]
fn exclusive_bits_with_two_states() {
    needs("booleans", &[Numbers::None], true);
}

#[test]
fn two_encodings_of_a_counter() {
    needs("encodings", &[Numbers::None, Numbers::Int], false);
}

#[test]
fn a_timer_that_saturates() {
    needs("bounds", &[Numbers::Int], false);
}

#[test]
fn counters_that_move_together() {
    needs("differences", &[Numbers::Int], false);
}

#[test]
fn modes() {
    needs("modes", &[Numbers::None, Numbers::Int], false);
}

#[test]
fn machine_integers() {
    needs("machine", &[Numbers::None, Numbers::Machine], false);
}

#[test]
fn reals() {
    needs("reals", &[Numbers::Real], false);
}

#[test]
fn while_the_environment_behaves() {
    needs("latches", &[Numbers::None, Numbers::Int], false);
}

#[test]
fn memory_of_a_clocked_instance() {
    needs("clocked", &[Numbers::Int], false);
}

#[test]
fn a_node_that_is_called_in_many_ways() {
    needs("calls", &[Numbers::None, Numbers::Int], false);
}
