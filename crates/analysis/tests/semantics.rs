//! The interpreter and the transition system agree, and every run that the
//! engines find replays.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use analysis::{
    AnalysisEvent, AnalysisOptions, Outcome, PropertyResult, Source, abstracted, analyse,
    cross_check,
};
use lang::Program;
use syntax::SourceMap;

fn models(folder: &str) -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
    let mut models: Vec<PathBuf> = std::fs::read_dir(&folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|e| e == "lus"))
        .collect();
    models.sort();
    assert!(!models.is_empty(), "no models in {}", folder.display());
    models
}

fn load(path: &Path) -> (Program, SourceMap) {
    let text = std::fs::read_to_string(path).unwrap();
    let loaded = syntax::load(&path.display().to_string(), path, text, &[]);
    assert!(
        loaded.errors.is_empty(),
        "{}: {:?}",
        path.display(),
        loaded.errors
    );
    let checked = lang::check(&loaded.program, &lang::CheckOptions::default());
    let program = checked.program.expect("a program without errors");
    (program, loaded.sources)
}

#[test]
fn simulation_is_unrolling() {
    let mut values = 0;
    for path in models("tests/models")
        .into_iter()
        .chain(models("../../examples"))
    {
        let (program, sources) = load(&path);
        for top in program.top_nodes() {
            match cross_check(&program, &sources, top, 20, 8, 7) {
                Ok(done) => values += done.values,
                Err(error) => panic!("{}: {error}", path.display()),
            }
        }
    }
    assert!(values > 10_000, "only {values} values were compared");
}

/// Contracts that stand for nodes mean the same in both.
#[test]
fn abstract_simulation_is_unrolling() {
    let mut values = 0;
    for path in models("../../examples") {
        let (program, sources) = load(&path);
        let has_promises = |id: &lang::NodeId| {
            let contract = program.node(*id).contract.as_ref();
            contract.is_some_and(|c| !c.guarantees.is_empty() || !c.modes.is_empty())
        };
        let callees = program.node_ids().filter(has_promises);
        let callees: BTreeSet<lang::NodeId> = callees.collect();
        for top in program.top_nodes() {
            let mut nodes = callees.clone();
            nodes.remove(&top);
            if nodes.is_empty() {
                continue;
            }
            let program = abstracted(&program, &nodes);
            match cross_check(&program, &sources, top, 20, 8, 7) {
                Ok(done) => values += done.values,
                Err(error) => panic!("{}: {error}", path.display()),
            }
        }
    }
    assert!(values > 1_000, "only {values} values were compared");
}

#[test]
fn counterexamples_replay() {
    for path in models("tests/models") {
        let (program, sources) = load(&path);
        let mut options = AnalysisOptions::default();
        options.settings.unrolling.max_depth = 6;
        for top in program.top_nodes() {
            let results = analyse(&program, &sources, top, &options, &mut |event| {
                if let AnalysisEvent::InternalError(message) = event {
                    panic!("{}: {message}", path.display());
                }
            });
            let declared = |result: &&PropertyResult| result.property.source == Source::Annotation;
            for result in results.iter().flatten().filter(declared) {
                if let Outcome::Falsified(_) = result.outcome {
                    continue;
                }
                panic!(
                    "{}: {} was not falsified",
                    path.display(),
                    result.property.name
                );
            }
        }
    }
}

/// The names in quotes of a comment such as `-- valid: "a", "b"`.
fn expected(text: &str, verdict: &str) -> Vec<String> {
    let start = format!("-- {verdict}: ");
    let lines = text.lines().filter_map(|line| line.strip_prefix(&start));
    let names = lines.flat_map(|line| line.split('"').skip(1).step_by(2));
    names.map(str::to_owned).collect()
}

#[test]
fn arrays_of_any_size() {
    for path in models("tests/arrays") {
        let text = std::fs::read_to_string(&path).unwrap();
        let (valid, invalid) = (expected(&text, "valid"), expected(&text, "invalid"));
        assert!(!valid.is_empty() && !invalid.is_empty());
        let (program, sources) = load(&path);
        for (inline_arrays, smt_arrays) in
            [(true, false), (true, true), (false, false), (false, true)]
        {
            let mut options = AnalysisOptions::default();
            options.lower.inline_arrays = inline_arrays;
            options.lower.smt_arrays = smt_arrays;
            options.settings.unrolling.max_depth = 4;
            // Some queries about arrays hang at random. In one thread engines take turns
            // until there is an answer, however long that takes.
            options.settings.threads = 1;
            options.settings.meter = Some(smt::Meter::default());
            let top = program.top_nodes()[0];
            let results = analyse(&program, &sources, top, &options, &mut |event| {
                if let AnalysisEvent::InternalError(message) = event {
                    panic!("{}: {message}", path.display());
                }
            });
            for result in results.into_iter().flatten() {
                let name = &result.property.name;
                let shown = format!("{} {inline_arrays} {smt_arrays}: {name}", path.display());
                match result.outcome {
                    Outcome::Valid(_) => assert!(!invalid.contains(name), "{shown} is invalid"),
                    Outcome::Falsified(_) => assert!(!valid.contains(name), "{shown} is valid"),
                    _ => panic!("{shown} is not decided"),
                }
            }
        }
    }
}
