//! Minimal cores, compared with published ones.
//!
//! Where the answers differ, both are judged: the model without the elements that
//! are not in a core is analysed anew, as a program of its own, and so is each
//! core with one element less. A published core that is not enough, or not
//! minimal, is disputed; one of ours would be wrong.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::time::{Duration, Instant};

use analysis::{AnalysisOptions, Engine, Generator, Numbers, Outcome as Result, Removal, weakened};
use lang::{NodeId, Program};
use sim::input::{Json, parse_json};
use syntax::SourceMap;
use system::{Element, ElementKind};
use traceability::{Granularity, Model};

use crate::json::{elements, field, is_approximate, is_set, number, objects, text};
use crate::table::rows;
use crate::verdict::output;
use crate::{Outcome, files};

pub(crate) type Core = BTreeSet<String>;

/// Seconds for a model.
const TIMEOUT: f64 = 60.0;

const FLAGS: [&str; 8] = [
    "--ivc",
    "true",
    "--ivc_all",
    "true",
    "--ivc_must_set",
    "true",
    "--ivc_category",
    "equations",
];

/// What a run has found.
pub(crate) struct Found {
    pub cores: BTreeSet<Core>,
    pub must: Core,
    pub complete: bool,
    pub seconds: f64,
}

/// Models of one node, every equation an element: JKind's cores.
pub fn flat(corpus: &Path) -> Vec<Outcome> {
    let folder = corpus.join("ivc");
    let published = cores_by_model(&files::read(&folder.join("expected_sets.json")), None);
    let times = times(&folder, "jkind_all_ivcs_s");
    compare(corpus, "cores: flat", &published, &times, Granularity::Flat)
}

/// The same models with Kind 2's elements.
pub fn stateful(corpus: &Path) -> Vec<Outcome> {
    let golden = files::read(&corpus.join("../golden/ivc_stateful.json"));
    let published = cores_by_model(&golden, Some("cores"));
    let times = match parse_json(&golden) {
        Ok(Json::Object(models)) => models
            .iter()
            .filter_map(|(name, model)| Some((name.clone(), number(field(model, "kind2_s"))?)))
            .collect(),
        _ => BTreeMap::new(),
    };
    compare(
        corpus,
        "cores: stateful",
        &published,
        &times,
        Granularity::Stateful,
    )
}

fn compare(
    corpus: &Path,
    title: &str,
    published: &BTreeMap<String, BTreeSet<Core>>,
    times: &BTreeMap<String, f64>,
    granularity: Granularity,
) -> Vec<Outcome> {
    let mut outcome = Outcome::new(title);
    let mut ratios = Vec::new();
    for (name, expected) in published {
        if !files::is_wanted(name) {
            continue;
        }
        let path = corpus.join("ivc").join(format!("{name}.lus"));
        let found = run(&path, granularity);
        if !found.complete {
            outcome
                .unknown
                .push(format!("{name} ({:.1}s)", found.seconds));
            continue;
        }
        ratios.extend(times.get(name).map(|time| time / found.seconds));
        if found.cores == *expected {
            outcome.right += 1;
            continue;
        }
        let ours = found.cores.difference(expected);
        let theirs = expected.difference(&found.cores);
        match judge(&path, granularity, ours, theirs) {
            Ok(reason) => outcome.disputed.push(format!("{name}: {reason}")),
            Err(reason) => outcome.wrong.push(format!("{name}: {reason}")),
        }
    }
    print_ratio(title, &ratios);
    vec![outcome]
}

pub(crate) fn print_ratio(title: &str, ratios: &[f64]) {
    let mean = ratios.iter().map(|ratio| ratio.ln()).sum::<f64>() / ratios.len().max(1) as f64;
    let (mean, count) = (mean.exp(), ratios.len());
    println!("{title}: reference time over ours, geometric mean {mean:.2} of {count} models");
}

pub(crate) fn run(path: &Path, granularity: Granularity) -> Found {
    let flags: &[&str] = match granularity {
        Granularity::Flat => &["--ivc_flat", "true"],
        Granularity::Stateful => &[],
    };
    let all: Vec<&str> = FLAGS.iter().chain(flags).copied().collect();
    let start = Instant::now();
    let (_, document) = output(path, &all, TIMEOUT);
    let seconds = start.elapsed().as_secs_f64();
    let (mut cores, mut must) = (BTreeSet::new(), Core::new());
    let (mut counted, mut warned) = (false, false);
    for object in &objects(&document) {
        let value = text(field(object, "value")).unwrap_or_default();
        counted |= value.starts_with("Number of minimal IVCs");
        warned |= value.contains("there may be other cores");
        warned |= is_approximate(object);
        if is_set(object, "ivc") {
            cores.insert(elements(object));
        }
        if is_set(object, "must") {
            must = elements(object);
        }
    }
    Found {
        cores,
        must,
        complete: counted && !warned,
        seconds,
    }
}

fn cores_by_model(document: &str, within: Option<&str>) -> BTreeMap<String, BTreeSet<Core>> {
    let Ok(Json::Object(models)) = parse_json(document) else {
        return BTreeMap::new();
    };
    let strings = |value: &Json| match value {
        Json::Array(items) => items
            .iter()
            .filter_map(|item| text(Some(item.clone())))
            .collect(),
        _ => Core::new(),
    };
    let mut all = BTreeMap::new();
    for (name, model) in models {
        let cores = match within {
            Some(key) => field(&model, key),
            None => Some(model),
        };
        if let Some(Json::Array(cores)) = cores {
            all.insert(name, cores.iter().map(strings).collect());
        }
    }
    all
}

pub(crate) fn times(folder: &Path, column: &str) -> BTreeMap<String, f64> {
    let rows = rows(&folder.join("expected.csv"));
    let times = rows.iter().filter_map(|row| {
        let time: f64 = row.get(column)?.parse().ok()?;
        Some((row.get("model")?.clone(), time))
    });
    times.collect()
}

/// Why only the published cores are wrong; or why ours are, or may be.
pub(crate) fn judge<'c>(
    path: &Path,
    granularity: Granularity,
    ours: impl Iterator<Item = &'c Core>,
    theirs: impl Iterator<Item = &'c Core>,
) -> std::result::Result<String, String> {
    let Some(mut judge) = Judge::of(path, granularity) else {
        return Err("the model cannot be read again".to_owned());
    };
    let mut reasons = Vec::new();
    for core in ours {
        if let Some(fault) = judge.fault(core) {
            return Err(format!("our core of {} elements {fault}", core.len()));
        }
        reasons.push(format!("one of {} is right, and not published", core.len()));
    }
    for core in theirs {
        match judge.fault(core) {
            Some(fault) => reasons.push(format!("a published one of {} {fault}", core.len())),
            None => return Err(format!("a core of {} elements is missing", core.len())),
        }
    }
    Ok(reasons.join(", "))
}

struct Judge {
    program: Program,
    sources: SourceMap,
    top: NodeId,
    options: AnalysisOptions,
    /// What can be taken away, with the names of its elements: those of an argument
    /// with several scalars stay as long as one of them does.
    removals: Vec<(Removal, Core)>,
}

impl Judge {
    fn of(path: &Path, granularity: Granularity) -> Option<Judge> {
        let loaded = syntax::load(&files::name(path), path, files::read(path), &[]);
        let checked = lang::check(&loaded.program, &lang::CheckOptions::default());
        let program = checked.program?;
        let top = *program.top_nodes().first()?;
        let mut options = AnalysisOptions::default();
        options.settings.engines = engines();
        options.lower.reach = false;
        options.lower.nonvacuity = false;
        let lowered = lower::lower(&program, &loaded.sources, top, &options.lower).ok()?;
        let wanted = |element: &Element| {
            use ElementKind::*;
            matches!(element.kind, Equation | Ghost | Binding)
        };
        let model = Model::new(lowered.tagged.clone(), granularity, &wanted);
        let mut removals: Vec<(Removal, Core)> = Vec::new();
        for part in &model.parts {
            for stream in &part.streams {
                let removal = Removal {
                    part: lowered.parts[part.id.0 as usize],
                    place: lowered.places.stream(*stream).cloned(),
                };
                let name = part.element.name.clone();
                match removals.iter_mut().find(|(known, _)| *known == removal) {
                    Some((_, names)) => {
                        names.insert(name);
                    }
                    None => removals.push((removal, Core::from([name]))),
                }
            }
        }
        Some(Judge {
            removals,
            sources: loaded.sources,
            program,
            top,
            options,
        })
    }

    /// What is wrong with a core, if anything is.
    fn fault(&mut self, core: &Core) -> Option<String> {
        match self.proves(core) {
            Some(false) => return Some("is not enough".to_owned()),
            None => return Some("could not be checked".to_owned()),
            Some(true) => {}
        }
        for name in core {
            let mut fewer = core.clone();
            fewer.remove(name);
            if self.absent(&fewer).len() == self.absent(core).len() {
                // Nothing that this program could do without.
                continue;
            }
            match self.proves(&fewer) {
                Some(true) => return Some(format!("is enough without {name}")),
                None => return Some(format!("could not be checked without {name}")),
                Some(false) => {}
            }
        }
        None
    }

    fn absent(&self, present: &Core) -> Vec<Removal> {
        let absent = self.removals.iter();
        let absent = absent.filter(|(_, names)| names.is_disjoint(present));
        absent.map(|(removal, _)| removal.clone()).collect()
    }

    /// Are all properties proved with these equations only?
    fn proves(&mut self, present: &Core) -> Option<bool> {
        let removals = self.absent(present);
        let weak = weakened(&self.program, self.top, &removals);
        self.options.settings.deadline = Some(Instant::now() + Duration::from_secs(60));
        let results = analysis::analyse(
            &weak.program,
            &self.sources,
            weak.top,
            &self.options,
            &mut |_| {},
        )?;
        let mut answer = Some(true);
        for result in &results {
            match result.outcome {
                Result::Falsified(_) => return Some(false),
                Result::Unknown(_) => answer = None,
                _ => {}
            }
        }
        answer
    }
}

fn engines() -> Vec<Engine> {
    let generator = |numbers, two_state| Engine::Invariants(Generator { numbers, two_state });
    vec![
        Engine::Bmc,
        Engine::Induction,
        generator(Numbers::None, true),
        generator(Numbers::Int, false),
        generator(Numbers::Real, false),
        Engine::Spacer,
        Engine::Ic3ia,
        Engine::Ic3qe,
    ]
}
