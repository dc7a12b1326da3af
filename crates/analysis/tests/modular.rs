//! Invariants of called nodes hold wherever the nodes are called, whatever the
//! clocks, restarts and assumptions there.

mod hierarchy;

use std::path::Path;
use std::sync::Arc;

use analysis::{
    AnalysisEvent, AnalysisOptions, Engine, Generator, NodeLemmas, Numbers, Property, analyse,
};
use engines::{News, Portfolio, Settings, Verdict};
use hierarchy::{Random, model};
use lang::{NodeId, Program};
use proof::Lemma;
use syntax::SourceMap;
use system::System;

/// Looks for invariants and for nothing else.
fn options(lemmas: &Arc<NodeLemmas>, top_only: bool, modular: bool) -> AnalysisOptions {
    let generator = |numbers| {
        Engine::Invariants(Generator {
            numbers,
            two_state: true,
        })
    };
    let mut options = AnalysisOptions {
        lemmas: lemmas.clone(),
        ..AnalysisOptions::default()
    };
    options.lower.subproperties = !modular;
    options.settings.engines = vec![generator(Numbers::None), generator(Numbers::Int)];
    options.settings.invariants.top_only = top_only;
    options.settings.invariants.max_depth = 2;
    options.settings.threads = 1;
    options
}

fn explore(program: &Program, sources: &SourceMap, node: NodeId, options: &AnalysisOptions) {
    analyse(program, sources, node, options, &mut |event| {
        if let AnalysisEvent::InternalError(message) = event {
            panic!("{message}");
        }
    });
}

/// The lemmas as properties of their system.
fn claims(system: &System, lemmas: &[Lemma]) -> System {
    let properties = lemmas
        .iter()
        .enumerate()
        .map(|(at, lemma)| Property::invariant(&at.to_string(), lemma.term.clone()));
    System {
        properties: properties.collect(),
        ..system.clone()
    }
}

/// Checks the first steps; gives back how many lemmas there are.
fn hold(text: &str, system: &System, lemmas: &[Lemma]) -> usize {
    let mut settings = Settings {
        engines: vec![Engine::Bmc],
        threads: 1,
        ..Settings::default()
    };
    settings.unrolling.max_depth = 5;
    let claimed = Arc::new(claims(system, lemmas));
    let portfolio = Portfolio::start(claimed, Vec::new(), Vec::new(), &settings);
    for news in portfolio {
        if let News::Finding(finding) = news
            && let Verdict::Witness(_) = finding.verdict
        {
            let Lemma { k, term } = &lemmas[finding.property.0];
            panic!("{k}: {term:?} does not hold\n{text}");
        }
    }
    lemmas.len()
}

#[test]
fn lemmas_of_callees_hold_of_calls() {
    let mut random = Random(11);
    let (mut checked, mut more) = (0, 0);
    for _ in 0..14 {
        let text = model(&mut random);
        let loaded = syntax::load("random.lus", Path::new("random.lus"), text.clone(), &[]);
        let program = lang::check(&loaded.program, &lang::CheckOptions::default()).program;
        let program = program.expect("a model without errors");
        let top = program.top_nodes()[0];
        let lemmas_of = |top_only: bool, modular: bool| {
            let lemmas = Arc::default();
            let options = options(&lemmas, top_only, modular);
            for node in program.node_ids().filter(|node| modular && *node != top) {
                explore(&program, &loaded.sources, node, &options);
            }
            explore(&program, &loaded.sources, top, &options);
            lemmas.of(top)
        };
        let alone = lemmas_of(true, false).map_or(0, |proved| proved.lemmas.len());
        for modular in [false, true] {
            if let Some(proved) = lemmas_of(false, modular) {
                let system = proved.lemmas.system();
                let count = hold(&text, system, &proved.lemmas.about(system));
                checked += count;
                more += usize::from(count > alone);
            }
        }
    }
    assert!(checked > 20, "only {checked} lemmas were checked");
    assert!(more > 0, "no lemma came from a called node");
}
