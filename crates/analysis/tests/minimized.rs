//! Programs without the parts that a proof does not need are Lustre, and are
//! proved again.

mod hierarchy;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use analysis::{
    AnalysisEvent, AnalysisOptions, Outcome, Removal, Style, abstracted, analyse, minimized,
    unreached, weakened,
};
use engines::{RunSearchOutcome, find_run};
use hierarchy::{Random, model};
use lang::{NodeId, Program};
use lower::Part;
use smt::SolverContext;
use syntax::{Loaded, SourceMap, Symbol};
use system::PropertyId;

fn load(path: &Path, text: String) -> (Loaded, Program) {
    let loaded = syntax::load("model.lus", path, text, &[]);
    let text = &loaded.sources.files()[0].text;
    assert!(loaded.errors.is_empty(), "{:?}\n{text}", loaded.errors);
    let checked = lang::check(&loaded.program, &lang::CheckOptions::default());
    let Some(program) = checked.program else {
        panic!("{:?}\n{text}", checked.diagnostics);
    };
    (loaded, program)
}

fn options() -> AnalysisOptions {
    let mut options = AnalysisOptions::default();
    options.lower.reach = false;
    options.settings.unrolling.max_depth = 4;
    options
}

/// The properties that hold.
fn valid(program: &Program, sources: &SourceMap, top: NodeId) -> Vec<String> {
    let results = analyse(program, sources, top, &options(), &mut |event| {
        if let AnalysisEvent::InternalError(message) = event {
            panic!("{message}");
        }
    });
    let results = results.expect("a node that can be analysed").into_iter();
    let valid = results.filter(|result| matches!(result.outcome, Outcome::Valid(_)));
    valid.map(|result| result.property.name).collect()
}

/// Parts that the proofs of the named properties do not need, found one after the other.
fn useless(program: &Program, sources: &SourceMap, top: NodeId, names: &[&str]) -> Vec<Part> {
    let lowered = lower::lower(program, sources, top, &options().lower);
    let parts = lowered.expect("a node that can be analysed").parts;
    let mut removed = unreached(program, top, &parts);
    for part in parts {
        removed.push(part);
        let removals: Vec<Removal> = removed.iter().copied().map(Removal::everywhere).collect();
        let weaker = weakened(program, top, &removals);
        let valid = valid(&weaker.program, sources, weaker.top);
        if !names.iter().all(|name| valid.iter().any(|v| v == name)) {
            removed.pop();
        }
    }
    removed
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/minimize")
}

fn expect(name: &str, text: &str) {
    let path = folder().join(name);
    if std::env::var_os("UPDATE_EXPECT").is_some() {
        std::fs::write(&path, text).unwrap();
    }
    assert_eq!(text, std::fs::read_to_string(&path).unwrap(), "{name}");
}

#[test]
fn what_is_left_is_proved_again() {
    let path = folder().join("station.lus");
    let (loaded, program) = load(&path, std::fs::read_to_string(&path).unwrap());
    let top = program.top_nodes()[0];
    let names = ["same", "calm", "near"];
    let removed = useless(&program, &loaded.sources, top, &names);
    let text = minimized(&loaded.program, &program, &removed, Style::ValidLustre);
    expect("station.valid_lustre", &text);
    let concise = minimized(&loaded.program, &program, &removed, Style::Concise);
    expect("station.concise", &concise);
    let (again, program) = load(&path, text.clone());
    let top = program.node_named(Symbol::new("top")).unwrap();
    let valid = valid(&program, &again.sources, top);
    for name in names {
        assert!(valid.iter().any(|v| v == name), "{name} is lost:\n{text}");
    }
}

/// The names of the top node's properties that a run of some length violates.
fn violated(program: &Program, sources: &SourceMap) -> BTreeSet<(String, usize)> {
    let top = program.node_named(Symbol::new("top")).unwrap();
    let lowered = lower::lower(program, sources, top, &options().lower);
    let system = Arc::new(lowered.expect("a node that can be analysed").system);
    let mut found = BTreeSet::new();
    for (at, property) in system.properties.iter().enumerate() {
        for last in (0..3).filter(|_| property.name.starts_with("top")) {
            let run = find_run(
                &SolverContext::default(),
                &system,
                &[],
                PropertyId(at),
                last,
                None,
            );
            if let RunSearchOutcome::Found(_) = run {
                found.insert((property.name.clone(), last));
            }
        }
    }
    found
}

/// Whatever is removed, the text allows what the program allows, and no more than
/// the program without the parts.
#[test]
fn the_text_lies_between() {
    let mut random = Random(17);
    let mut gained = 0;
    for at in 0..30 {
        let path = Path::new("random.lus");
        // Removed streams stay in their ranges, others may violate them.
        let text = model(&mut random).replace("subrange [0, 5] of int", "int");
        let (loaded, mut program) = load(path, text);
        let contract = |id: &NodeId| program.node(*id).contract.is_some();
        let abstract_nodes: BTreeSet<NodeId> = match at % 2 {
            0 => program.node_ids().filter(contract).collect(),
            _ => BTreeSet::new(),
        };
        program = abstracted(&program, &abstract_nodes);
        let top = program.node_named(Symbol::new("top")).unwrap();
        let lowered = lower::lower(&program, &loaded.sources, top, &options().lower);
        let mut removed = lowered.expect("a node that can be analysed").parts;
        removed.retain(|_| random.chance(30));
        let removals: Vec<Removal> = removed.iter().copied().map(Removal::everywhere).collect();
        let weaker = weakened(&program, top, &removals).program;
        let text = minimized(&loaded.program, &program, &removed, Style::ValidLustre);
        let (again, between) = load(path, text.clone());
        let named = |id: &NodeId| between.node_named(program.node(*id).name).unwrap();
        let abstract_nodes: BTreeSet<NodeId> = abstract_nodes.iter().map(named).collect();
        // A node that has lost its guarantees cannot be abstract.
        let promises = |id: &NodeId| between.node(*id).contract.is_some();
        if !abstract_nodes.iter().all(promises) {
            continue;
        }
        let between = abstracted(&between, &abstract_nodes);

        let least = violated(&program, &loaded.sources);
        let found = violated(&between, &again.sources);
        let most = violated(&weaker, &loaded.sources);
        assert!(least.is_subset(&found), "{removed:?}\n{text}");
        assert!(found.is_subset(&most), "{removed:?}\n{text}");
        gained += found.difference(&least).count();
    }
    assert!(gained > 10, "only {gained} runs are new");
}

/// Whatever is removed of the examples, the text is Lustre.
#[test]
fn the_text_is_lustre() {
    let mut random = Random(4);
    let mut shorter = 0;
    for folder in ["../../examples", "tests/models", "tests/arrays"] {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.extension().is_none_or(|e| e != "lus") {
                continue;
            }
            let (loaded, program) = load(&path, std::fs::read_to_string(&path).unwrap());
            for top in program.top_nodes() {
                let lowered = lower::lower(&program, &loaded.sources, top, &options().lower);
                let parts = lowered.map_or(Vec::new(), |lowered| lowered.parts);
                for percent in [30, 100] {
                    let mut removed = unreached(&program, top, &parts);
                    removed.extend(parts.iter().filter(|_| random.chance(percent)));
                    let source = &loaded.program;
                    let text = minimized(source, &program, &removed, Style::ValidLustre);
                    load(&path, text);
                    let concise = minimized(source, &program, &removed, Style::Concise);
                    let whole = syntax::print::program(source);
                    shorter += usize::from(concise.len() < whole.len());
                }
            }
        }
    }
    assert!(shorter > 20, "only {shorter} texts are shorter");
}
