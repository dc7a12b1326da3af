//! The verdict on a mutant is that of an analysis of the mutant as a program of its
//! own, with another lowering and all engines from the start.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use analysis::{AnalysisOptions, Engine, Mutated, Mutator, Outcome, PreparedMutants, analyse};
use traceability::mutation::{self, Effect, Mutation, Original, Settled};

const MODELS: &[&str] = &[
    "examples/thermostat.lus",
    "examples/stopwatch.lus",
    "crates/kindred/tests/mutation/types.lus",
    "crates/kindred/tests/mutation/calls.lus",
    "crates/kindred/tests/early_ends/pointers.lus",
];

fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Compares the mutants of a model; gives back how many were decided both ways.
fn compare(path: &Path) -> usize {
    let text = std::fs::read_to_string(path).expect("a model");
    let loaded = syntax::load(&path.display().to_string(), path, text, &[]);
    let checked = lang::check(&loaded.program, &lang::CheckOptions::default());
    let program = checked.program.expect("a program");
    let top = program.top_nodes()[0];
    let mut options = AnalysisOptions::default();
    options.settings.engines = vec![Engine::Bmc, Engine::Induction, Engine::Spacer];
    options.settings.threads = 2;
    options.lower.reach = false;
    options.lower.nonvacuity = false;
    let mutators: BTreeSet<Mutator> = Mutator::ALL.iter().copied().collect();
    let sources = &loaded.sources;
    let prepared = PreparedMutants::new(&program, sources, top, &options, &mutators);
    let prepared = prepared.expect("a system");
    let judge = |program: &lang::Program| {
        let mut options = options.clone();
        options.settings.deadline = Some(Instant::now() + Duration::from_secs(20));
        analyse(program, sources, top, &options, &mut |_| {}).expect("an analysis")
    };
    let proved: Vec<_> = judge(&program)
        .into_iter()
        .filter(|result| matches!(result.outcome, Outcome::Valid(_)))
        .map(|result| result.origin)
        .collect();
    let mut properties = prepared.properties();
    properties.retain(|id| proved.contains(prepared.origin(*id)));
    let original = Original {
        tagged: Arc::new(prepared.tagged().clone()),
        properties: properties.clone(),
        k: 1,
        invariants: Vec::new(),
        observed: prepared.observed().to_vec(),
    };
    let mutations = prepared.definitions.iter().map(|definitions| Mutation {
        definitions: definitions.clone(),
    });
    let mutations: Vec<Mutation> = mutations.collect();
    let settings = mutation::SettleOptions {
        k_kill: 4,
        budget: Duration::from_secs(20),
        settings: options.settings.clone(),
    };
    let mut settled: Vec<Settled> = Vec::new();
    mutation::settle(&original, &mutations, &settings, &mut |one| {
        if one.is_final {
            settled.push(one);
        }
    });
    assert_eq!(settled.len(), mutations.len());
    let mut compared = 0;
    for one in settled {
        let mutant = &prepared.mutants[one.mutation];
        let results = judge(&Mutated::new(&program, mutant).program);
        for (id, effect) in properties.iter().zip(&one.effects) {
            let origin = prepared.origin(*id);
            // A stream that may have any value of its type is within its range, and
            // there is no property that says so.
            let Some(result) = results.iter().find(|result| result.origin == *origin) else {
                continue;
            };
            let place = format!(
                "{} at {:?}: {origin:?}",
                mutant.name,
                sources.position(mutant.at)
            );
            match (&result.outcome, effect) {
                (Outcome::Valid(_), Effect::Holds) => compared += 1,
                (Outcome::Falsified(_), Effect::Broken(run)) => {
                    let replayed = prepared.replay(&program, one.mutation, run, *id);
                    assert!(replayed.is_ok(), "{place}: {replayed:?}");
                    compared += 1;
                }
                (Outcome::Unknown(_), _) | (_, Effect::Unknown) => {}
                (other, effect) => panic!("{place}: {other:?}, but {effect:?}"),
            }
        }
    }
    compared
}

#[test]
fn mutants_are_judged_like_programs_of_their_own() {
    for model in MODELS {
        let compared = compare(&repository().join(model));
        assert!(compared > 40, "{model}: {compared}");
    }
}
