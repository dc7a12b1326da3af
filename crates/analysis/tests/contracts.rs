//! Proofs part by part never contradict the proof of the whole, whatever the
//! contracts say.

mod hierarchy;

use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;

use analysis::{
    Analysis, AnalysisEvent, AnalysisOptions, AnalysisPlan, Outcome, Source, Strategy, analyse,
};
use hierarchy::{Random, model};
use lang::Program;
use syntax::SourceMap;

fn options() -> AnalysisOptions {
    let mut options = AnalysisOptions::default();
    options.lower.subproperties = false;
    options.settings.unrolling.max_depth = 5;
    options
}

fn results(
    program: &Program,
    sources: &SourceMap,
    analysis: &Analysis,
) -> Vec<analysis::PropertyResult> {
    let mut options = options();
    options.lower = analysis.options(options.lower);
    let program = analysis.program(program);
    let results = analyse(&program, sources, analysis.top, &options, &mut |event| {
        if let AnalysisEvent::InternalError(message) = event {
            panic!(
                "{message}\n{}",
                sources.file(program.node(analysis.top).span.file).text
            );
        }
    });
    results.expect("the node can be analysed")
}

/// The results of the top node, if all contracts that they rely on are proved.
struct Found {
    outcomes: BTreeMap<String, Outcome>,
    /// The properties that are violated without any abstraction, too.
    real: Vec<String>,
    refinements: usize,
    /// Some assumption is violated by a real run, so that its node is not opened.
    misuse: bool,
}

fn run_plan(
    program: &Program,
    sources: &SourceMap,
    modular: bool,
    compositional: bool,
) -> Option<Found> {
    let strategy = Strategy {
        modular,
        compositional,
        refinement: true,
        check_modes: true,
        check_implem: true,
    };
    let tops = program.top_nodes();
    let mut plan = AnalysisPlan::new(program, &tops, strategy);
    while let Some(analysis) = plan.next_analysis() {
        let results = results(program, sources, &analysis);
        plan.learn(&analysis, results, Duration::ZERO);
    }
    let (_, summary) = plan.summaries().find(|(id, _)| *id == tops[0])?;
    let results = summary.results.iter();
    let outcomes = results.map(|result| (result.property.name.clone(), result.outcome.clone()));
    summary.trusted.is_empty().then(|| Found {
        outcomes: outcomes.collect(),
        real: summary.real.clone(),
        refinements: summary.refinements,
        misuse: summary.results.iter().any(|result| {
            let real = summary.real.contains(&result.property.name);
            real && result.property.source == Source::Assumption
        }),
    })
}

#[test]
fn the_whole_and_its_parts_agree() {
    let mut random = Random(5);
    let (mut compared, mut weak, mut refined, mut real) = (0, 0, 0, 0);
    for _ in 0..40 {
        let text = model(&mut random);
        let loaded = syntax::load("random.lus", Path::new("random.lus"), text.clone(), &[]);
        let checked = lang::check(&loaded.program, &lang::CheckOptions::default());
        let Some(program) = checked.program else {
            panic!("{:?}\n{text}", checked.diagnostics);
        };
        let whole = run_plan(&program, &loaded.sources, false, false).expect("nothing is abstract");
        for compositional in [false, true] {
            let Some(parts) = run_plan(&program, &loaded.sources, true, compositional) else {
                continue;
            };
            refined += parts.refinements;
            real += parts.real.len();
            for (name, outcome) in &whole.outcomes {
                let contradicts = match (outcome, parts.outcomes.get(name)) {
                    (Outcome::Falsified(_), Some(Outcome::Valid(_))) => true,
                    (Outcome::Valid(_), Some(Outcome::Falsified(_))) => {
                        weak += 1;
                        !parts.misuse || parts.real.contains(name)
                    }
                    _ => false,
                };
                assert!(
                    !contradicts,
                    "{name}, compositional: {compositional}\n{text}"
                );
                compared += 1;
            }
        }
    }
    assert!(compared > 150, "only {compared} verdicts were compared");
    assert!(weak > 0, "no contract was too weak");
    assert!(refined > 0, "no node was opened");
    assert!(real > 0, "no counterexample was real");
}
