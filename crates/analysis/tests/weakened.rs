//! To take a part of the program away, and to take its element out of the tagged
//! system, is the same: the runs of both decide the same properties, and those
//! of the program replay.

mod hierarchy;

use std::collections::{BTreeSet, HashSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use analysis::{NoCounterexample, Removal, Subject, abstracted, cross_check, weakened};
use engines::{RunSearchOutcome, find_run};
use hierarchy::{Random, model};
use lang::{NodeId, Program};
use lower::{LowerOptions, Lowered};
use smt::SolverContext;
use syntax::SourceMap;
use system::{Constraint, PropertyId, PropertyKind, Role, System, Var};

const STEPS: usize = 4;

/// For one question to the solver.
const TIME: Duration = Duration::from_millis(500);

fn examples() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"));
    let folders = ["../../examples", "tests/models", "tests/arrays"];
    let entries = folders.iter().flat_map(|name| {
        let entries = std::fs::read_dir(folder.join(name)).unwrap();
        entries.map(|entry| entry.unwrap().path())
    });
    // Functions of arrays with open sizes are more than the solver can bear here.
    let hard = |path: &Path| path.display().to_string().contains("function_of");
    let mut models: Vec<PathBuf> = entries
        .filter(|path| path.extension().is_some_and(|e| e == "lus") && !hard(path))
        .collect();
    models.sort();
    models
}

fn check(name: &str, path: &Path, text: String) -> (Program, SourceMap) {
    let loaded = syntax::load(name, path, text, &[]);
    let checked = lang::check(&loaded.program, &lang::CheckOptions::default());
    let program = checked.program.expect("a program without errors");
    (program, loaded.sources)
}

/// The examples and some random hierarchies.
fn programs() -> Vec<(String, Program, SourceMap)> {
    let mut all = Vec::new();
    for path in examples() {
        let name = path.display().to_string();
        let text = std::fs::read_to_string(&path).unwrap();
        let (program, sources) = check(&name, &path, text);
        all.push((name, program, sources));
    }
    let mut random = Random(11);
    for _ in 0..15 {
        let text = model(&mut random);
        let (program, sources) = check("random.lus", Path::new("random.lus"), text.clone());
        all.push((text, program, sources));
    }
    all
}

/// The tagged system without some definitions and constraints.
fn without(system: &System, streams: &HashSet<Var>, constraints: &HashSet<usize>) -> System {
    let mut system = system.clone();
    let always = |term| Constraint {
        term,
        element: None,
        range: None,
    };
    for at in constraints {
        let range = system.constraints[*at].range.clone();
        system.constraints[*at] = always(range.unwrap_or(system::boolean(true)));
    }
    for var in streams {
        let declared = &mut system.vars[var.0 as usize];
        declared.role = Role::Input;
        let range = declared.def.take().and_then(|def| def.range);
        system.constraints.extend(range.map(always));
    }
    system
}

/// The same parts in the program and in the system: some of those of the whole
/// model, or, place by place, of its instances.
struct Sample {
    removals: Vec<Removal>,
    system: System,
}

fn sample(lowered: &Lowered, by_place: bool, random: &mut Random) -> Sample {
    let system = &lowered.tagged;
    let (mut kept, mut removals) = (HashSet::new(), Vec::new());
    let mut is_removed = |element: system::ElementId, place: Option<&lower::Place>| {
        let removal = Removal {
            part: lowered.parts[element.0 as usize],
            place: place.filter(|_| by_place).cloned(),
        };
        if kept.contains(&removal) || removals.contains(&removal) {
            return removals.contains(&removal);
        }
        let removed = random.chance(20);
        match removed {
            true => removals.push(removal),
            false => drop(kept.insert(removal)),
        }
        removed
    };
    let places = &lowered.places;
    let (mut streams, mut constraints) = (HashSet::new(), HashSet::new());
    for (at, var) in system.vars.iter().enumerate() {
        let var_id = Var(at as u32);
        let def = var.def.as_ref();
        if def.is_some_and(|def| is_removed(def.element, places.stream(var_id))) {
            streams.insert(var_id);
        }
    }
    for (at, constraint) in system.constraints.iter().enumerate() {
        let element = constraint.element;
        if element.is_some_and(|element| is_removed(element, places.constraint(at))) {
            constraints.insert(at);
        }
    }
    Sample {
        system: without(system, &streams, &constraints).reduced(),
        removals,
    }
}

/// Which steps of runs can decide a property, until the solver gives up.
fn decided(system: &System, property: usize) -> Vec<bool> {
    let system = Arc::new(system.clone());
    let context = SolverContext::default();
    let found = |last| match find_run(
        &context,
        &system,
        &[],
        PropertyId(property),
        last,
        Some(TIME),
    ) {
        RunSearchOutcome::Found(_) => Some(true),
        RunSearchOutcome::None => Some(false),
        RunSearchOutcome::Unknown => None,
    };
    (0..STEPS).map_while(found).collect()
}

#[derive(Default)]
struct Figures {
    compared: usize,
    /// How many runs were found that the whole program does not have.
    broken: usize,
}

fn compare(subject: &Subject, name: &str, random: &mut Random, figures: &mut Figures) {
    let lower = |program: &Program, top: NodeId| {
        lower::lower(program, subject.sources, top, subject.options)
    };
    let Ok(whole) = lower(subject.program, subject.top) else {
        return;
    };
    for by_place in [false, true] {
        let sample = sample(&whole, by_place, random);
        let weaker = weakened(subject.program, subject.top, &sample.removals);
        let context = format!("{name}: without {:?}", sample.removals);
        let own = lower(&weaker.program, weaker.top).expect(&context);
        for _ in 0..2 {
            if whole.origins.is_empty() {
                continue;
            }
            let property = random.below(whole.origins.len());
            let origin = &whole.origins[property];
            // A step outside of its bounds does not decide one to be reached.
            let kind = whole.system.properties[property].kind;
            if origin.check == lower::Check::Hidden || kind != PropertyKind::Invariant {
                continue;
            }
            let expected = decided(&sample.system, property);
            let found = match own.origins.iter().position(|own| own == origin) {
                Some(at) => decided(&own.system, at),
                // The range of a stream without definition.
                None => vec![false; STEPS],
            };
            for (step, (expected, found)) in expected.iter().zip(&found).enumerate() {
                assert_eq!(expected, found, "{context}\n{origin:?} at step {step}");
                figures.compared += 1;
            }
            if let Some(last) = found.iter().position(|found| *found) {
                let unbroken = decided(&whole.system, property);
                figures.broken += usize::from(unbroken.get(last) == Some(&false));
                let steps = last + 1;
                match subject.counterexample(&sample.removals, origin, steps, Some(TIME)) {
                    Ok(shown) => assert_eq!(shown.trace.steps, steps),
                    Err(NoCounterexample::Unable(_)) => {}
                    Err(error) => panic!("{context}\n{origin:?}: {error:?}"),
                }
            }
        }
    }
}

#[test]
fn parts_and_elements_are_removed_alike() {
    let mut random = Random(3);
    let mut figures = Figures::default();
    for (name, program, sources) in programs() {
        // A node without a body has no properties, but promises.
        let tops = program.top_nodes().into_iter();
        for top in tops.filter(|top| program.node(*top).has_body) {
            let callees = analysis::below(&program, top, &BTreeSet::new());
            let has_contract = |id: &NodeId| program.node(*id).contract.is_some();
            let contracts: BTreeSet<NodeId> = callees.into_iter().filter(has_contract).collect();
            let mut variants = vec![program.clone()];
            if !contracts.is_empty() {
                variants.push(abstracted(&program, &contracts));
            }
            for program in &variants {
                let subject = Subject {
                    program,
                    sources: &sources,
                    top,
                    options: &LowerOptions::default(),
                    context: &SolverContext::default(),
                };
                compare(&subject, &name, &mut random, &mut figures);
            }
        }
    }
    let Figures { compared, broken } = figures;
    assert!(compared > 500, "only {compared} answers were compared");
    assert!(broken > 20, "only {broken} properties were broken");
}

/// The two semantics agree on programs without some of their parts, stream by
/// stream.
#[test]
fn weakened_simulation_is_unrolling() {
    let mut random = Random(8);
    let mut values = 0;
    for (name, program, sources) in programs() {
        for top in program.top_nodes() {
            let Ok(lowered) = lower::lower(&program, &sources, top, &LowerOptions::default())
            else {
                continue;
            };
            // With arrays of open size the solver takes its time.
            if !lowered.parameters.is_empty() {
                continue;
            }
            for by_place in [false, true] {
                let removals = sample(&lowered, by_place, &mut random).removals;
                let weaker = weakened(&program, top, &removals);
                match cross_check(&weaker.program, &sources, weaker.top, 4, 5, 7) {
                    Ok(done) => values += done.values,
                    Err(error) => panic!("{name}: without {removals:?}: {error}"),
                }
            }
        }
    }
    assert!(values > 5_000, "only {values} values were compared");
}

/// Copies of nodes stand before the nodes that call them.
#[test]
fn callees_come_before_callers() {
    let mut random = Random(21);
    let mut copied = 0;
    for (name, program, sources) in programs() {
        for top in program.top_nodes() {
            let Ok(lowered) = lower::lower(&program, &sources, top, &LowerOptions::default())
            else {
                continue;
            };
            let removals = sample(&lowered, true, &mut random).removals;
            let weaker = weakened(&program, top, &removals).program;
            copied += weaker.nodes.len() - program.nodes.len();
            for id in weaker.node_ids() {
                let calls = &weaker.node(id).calls;
                assert!(calls.iter().all(|call| call.node < id), "{name}");
            }
        }
    }
    assert!(copied > 10, "only {copied} nodes were copied");
}
