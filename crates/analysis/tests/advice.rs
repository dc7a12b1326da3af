//! Advice about a model is given to its mutants: no verdict depends on it.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;

use analysis::advice::AdviceBook;
use analysis::{
    AnalysisEvent, AnalysisOptions, Engine, Generator, Mutated, Mutator, Numbers, Outcome, analyse,
    mutants,
};
use lang::{NodeId, Program};
use syntax::SourceMap;

const MODELS: [&str; 3] = [
    "
node twins(step: bool) returns (ok: bool);
var x, y: int;
let
  x = 0 -> if step then pre x + 1 else pre x;
  y = 0 -> if step then pre y + 1 else pre y;
  ok = x <= 6 or y > 5;
  --%PROPERTY ok;
tel",
    "
node count(up: bool) returns (n: int);
let
  n = 0 -> if up and pre n < 4 then pre n + 1 else if up then 0 else pre n;
tel
node top(a, b: bool) returns (x, y: int);
var before: int;
let
  x = count(a);
  y = count(a and not (a and b and not a));
  before = 0 -> pre x;
  --%PROPERTY \"alike\" x = y;
  --%PROPERTY \"small\" x + y <= 8;
  --%PROPERTY \"slow\" x <= before + 1;
tel",
    "
type mode = enum { Off, Low, High };
node heater(cold, very: bool) returns (m: mode; power: real);
let
  m = Off -> if pre m = Off and cold then Low
             else if pre m = Low and very then High
             else if not cold then Off else pre m;
  power = if m = High then 2.0 else if m = Low then 1.0 else 0.0 -> 0.5 * pre power;
  --%PROPERTY \"bounded\" power <= 2.0;
  --%PROPERTY \"off\" true -> (pre m = Off => m <> High);
tel",
];

fn load(text: &str) -> (Program, SourceMap) {
    let loaded = syntax::load("m.lus", Path::new("m.lus"), text.to_owned(), &[]);
    assert!(loaded.errors.is_empty());
    let program = lang::check(&loaded.program, &lang::CheckOptions::default()).program;
    (program.expect("a model without errors"), loaded.sources)
}

/// Bounded model checking and induction, up to a small depth.
fn options(advice: Option<&Arc<AdviceBook>>) -> AnalysisOptions {
    let mut options = AnalysisOptions {
        advice: advice.cloned(),
        ..AnalysisOptions::default()
    };
    options.settings.engines = vec![Engine::Bmc, Engine::Induction];
    options.settings.unrolling.max_depth = 8;
    options.settings.threads = 1;
    options
}

/// What became of each property, in a word; nothing if that is not known.
fn verdicts(
    program: &Program,
    sources: &SourceMap,
    top: NodeId,
    options: &AnalysisOptions,
) -> Vec<Option<&'static str>> {
    let results = analyse(program, sources, top, options, &mut |event| {
        if let AnalysisEvent::InternalError(message) = event {
            panic!("{message}");
        }
    });
    let word = |outcome: &Outcome| match outcome {
        Outcome::Valid(_) => Some("valid"),
        Outcome::Falsified(_) => Some("falsified"),
        Outcome::Reachable(_) => Some("reachable"),
        Outcome::Unreachable(_) => Some("unreachable"),
        Outcome::Unknown(_) => None,
    };
    let results = results.expect("the model can be analysed");
    results.iter().map(|result| word(&result.outcome)).collect()
}

#[test]
fn no_verdict_depends_on_advice() {
    let (mut compared, mut helped) = (0, 0);
    for model in MODELS {
        let (program, sources) = load(model);
        let top = *program.top_nodes().last().expect("a top node");
        let book = Arc::new(AdviceBook::default());
        let mut learning = options(Some(&book));
        let generator = |numbers| {
            Engine::Invariants(Generator {
                numbers,
                two_state: false,
            })
        };
        let engines = &mut learning.settings.engines;
        engines.extend([generator(Numbers::None), generator(Numbers::Int)]);
        engines.push(Engine::Spacer);
        verdicts(&program, &sources, top, &learning);
        let text = book.text().expect("something was learnt");
        let wanted: BTreeSet<Mutator> = Mutator::ALL.iter().copied().collect();
        for mutant in mutants(&program, &sources, top, &wanted) {
            let mutated = Mutated::new(&program, &mutant).program;
            let advice = analysis::advice::Advice::read(&text).expect("what was written");
            let advice = Arc::new(AdviceBook::new(advice));
            let with = verdicts(&mutated, &sources, top, &options(Some(&advice)));
            let without = verdicts(&mutated, &sources, top, &options(None));
            for (with, without) in with.iter().zip(&without) {
                if let (Some(with), Some(without)) = (with, without) {
                    assert_eq!(with, without, "{}\n{model}", mutant.name);
                    compared += 1;
                }
                helped += usize::from(with.is_some() && without.is_none());
            }
        }
    }
    assert!(compared > 100, "only {compared} verdicts were compared");
    assert!(helped > 0, "advice was of no help");
}
