//! The laws of cores and cut sets, on random systems that are small enough to look
//! at every set of parts.

use std::collections::BTreeSet;
use std::time::Duration;

use engines::{Engine, News, Portfolio, Settings, Verdict};
use proptest::prelude::*;
use syntax::{FileId, Span};
use system::{
    Constraint, Definition, Element, ElementId, ElementKind, Property, PropertyId, Role, Sort,
    StateVar, System, Term, Var, and, boolean, not, or,
};
use traceability::ivc::{self, Class};
use traceability::mcs::{self, Completeness};
use traceability::{Budget, Event, Granularity, Model, Set, Verified, Verifier};

/// A Boolean expression over numbered streams.
#[derive(Clone, Debug)]
enum Formula {
    Stream(usize),
    Not(Box<Formula>),
    And(Box<Formula>, Box<Formula>),
    Or(Box<Formula>, Box<Formula>),
}

fn formula() -> impl Strategy<Value = Formula> {
    let leaf = any::<usize>().prop_map(Formula::Stream);
    leaf.prop_recursive(3, 8, 2, |inner| {
        prop_oneof![
            inner.clone().prop_map(|a| Formula::Not(Box::new(a))),
            (inner.clone(), inner.clone())
                .prop_map(|(a, b)| Formula::And(Box::new(a), Box::new(b))),
            (inner.clone(), inner).prop_map(|(a, b)| Formula::Or(Box::new(a), Box::new(b))),
        ]
    })
}

impl Formula {
    /// Streams are taken from those that there are.
    fn term(&self, streams: &[Term]) -> Term {
        match self {
            Formula::Stream(at) => streams[at % streams.len()].clone(),
            Formula::Not(a) => not(&a.term(streams)),
            Formula::And(a, b) => and([a.term(streams), b.term(streams)]),
            Formula::Or(a, b) => or([a.term(streams), b.term(streams)]),
        }
    }
}

const MEMORY: usize = 3;
const INPUTS: usize = 2;

fn element(name: String, kind: ElementKind) -> Element {
    Element {
        kind,
        name,
        node: "top".to_owned(),
        span: Span::new(FileId(0), 0, 0),
        weak: false,
        cost: 1,
    }
}

fn boolean_var(at: usize) -> Term {
    system::var(Var(at as u32), Sort::Bool)
}

/// Memory that keeps the first streams, an assumption and a property that holds
/// unless some of the streams are anything.
fn system(streams: &[Formula], assumed: &Formula, goal: &Formula) -> System {
    let mut system = System::default();
    let first_stream = MEMORY + INPUTS;
    for at in 0..MEMORY {
        let mut var = StateVar::new(&format!("m{at}"), Sort::Bool, Role::State);
        var.init = Some(boolean(false));
        var.next = Some(boolean_var(first_stream + at % streams.len()));
        system.vars.push(var);
    }
    for at in 0..INPUTS {
        let name = format!("i{at}");
        system
            .vars
            .push(StateVar::new(&name, Sort::Bool, Role::Input));
    }
    let mut known: Vec<Term> = (0..first_stream).map(boolean_var).collect();
    for (at, formula) in streams.iter().enumerate() {
        let name = format!("x{at}");
        let mut var = StateVar::new(&name, Sort::Bool, Role::Stream);
        var.def = Some(Definition {
            term: formula.term(&known),
            element: ElementId(at as u32),
            range: None,
        });
        system.vars.push(var);
        system.elements.push(element(name, ElementKind::Equation));
        known.push(boolean_var(first_stream + at));
    }
    let id = ElementId(system.elements.len() as u32);
    let assumption = element("assumed".to_owned(), ElementKind::Assumption);
    system.elements.push(assumption);
    system.constraints.push(Constraint {
        term: assumed.term(&known),
        element: Some(id),
        range: None,
    });
    system
        .properties
        .push(Property::invariant("goal", goal.term(&known)));
    system
}

/// Enough to decide any finite system.
fn settings() -> Settings {
    Settings {
        engines: vec![Engine::Bmc, Engine::Induction, Engine::Spacer],
        ..Settings::default()
    }
}

/// By engines alone, without anything that is kept between calls.
fn is_enough(model: &Model, present: &Set) -> bool {
    let system = model.only(present, &[PropertyId(0)]).reduced();
    let settings = settings();
    let mut portfolio = Portfolio::start(system.into(), Vec::new(), Vec::new(), &settings);
    let found = portfolio.by_ref().find_map(|news| match news {
        News::Finding(finding) => Some(matches!(finding.verdict, Verdict::Always(_))),
        _ => None,
    });
    portfolio.stop();
    found.expect("a finite system is decided")
}

fn minimal(sets: &BTreeSet<Set>) -> BTreeSet<Set> {
    let contains_another = |set: &Set| sets.iter().any(|s| s != set && s.is_subset(set));
    let minimal = sets.iter().filter(|set| !contains_another(set));
    minimal.cloned().collect()
}

fn subsets(all: &Set) -> Vec<Set> {
    let parts: Vec<usize> = all.iter().copied().collect();
    let members = |mask: usize| {
        let chosen = parts.iter().enumerate();
        let chosen = chosen.filter(|(at, _)| mask >> at & 1 == 1);
        chosen.map(|(_, part)| *part).collect()
    };
    (0..1usize << parts.len()).map(members).collect()
}

fn verifier(model: &Model) -> Verifier<'_> {
    let budget = Budget {
        call: Duration::from_secs(30),
        call_is_given: false,
        core: None,
        deadline: None,
    };
    Verifier::new(model, &[PropertyId(0)], &settings(), budget)
}

fn all_cores(mut verifier: Verifier, options: &ivc::IvcSearchOptions) -> (Vec<Set>, Option<Set>) {
    let (mut cores, mut must) = (Vec::new(), None);
    let found = ivc::cores(&mut verifier, options, &mut |event| {
        if let Event::Found(found) = event {
            assert!(found.confirmed);
            match found.class {
                Class::Must => must = Some(found.set),
                Class::Ivc => cores.push(found.set),
            }
        }
    });
    assert!(!found.expect("the property holds").incomplete);
    (cores, must)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 12, max_shrink_iters: 64, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn searches_find_what_there_is(
        streams in proptest::collection::vec(formula(), 3..5),
        assumed in formula(),
        goal in formula(),
    ) {
        let tagged = system(&streams, &assumed, &goal);
        let model = Model::new(tagged, Granularity::Flat, &|_| true);
        let all = model.all();
        let enough = subsets(&all).into_iter().filter(|set| is_enough(&model, set));
        let enough: BTreeSet<Set> = enough.collect();
        if !enough.contains(&all) {
            let mut verifier = verifier(&model);
            prop_assert!(matches!(verifier.verify(&all), Verified::Unsafe(cut) if cut.broken.is_empty()));
            return Ok(());
        }
        let cores = minimal(&enough);
        let cuts = subsets(&all).into_iter().filter(|cut| !enough.contains(&model.complement(cut)));
        let cuts = minimal(&cuts.collect());

        // All cores, in every way to look for them.
        let search = ivc::IvcSearchOptions { all: true, ..ivc::IvcSearchOptions::default() };
        for options in [
            search.clone(),
            ivc::IvcSearchOptions { offline: true, ..search.clone() },
            ivc::IvcSearchOptions { smallest_first: true, ..search.clone() },
            ivc::IvcSearchOptions { disable_must: true, ..search.clone() },
            ivc::IvcSearchOptions { precomputed_mcs: 2, ..search.clone() },
        ] {
            // With solvers that are kept, and with new ones for each question.
            for worn in [Duration::MAX, Duration::ZERO] {
                let mut verifier = verifier(&model);
                verifier.worn = worn;
                let (found, _) = all_cores(verifier, &options);
                prop_assert_eq!(found.len(), cores.len());
                let sizes: Vec<usize> = found.iter().map(Set::len).collect();
                prop_assert!(!options.smallest_first || sizes.is_sorted());
                prop_assert_eq!(found.into_iter().collect::<BTreeSet<Set>>(), cores.clone());
            }
        }

        // The MUST set, and one minimal core.
        let one = ivc::IvcSearchOptions { must_set: true, ..ivc::IvcSearchOptions::default() };
        let (found, must) = all_cores(verifier(&model), &one);
        prop_assert!(cores.contains(&found[0]));
        let in_all = |part: &usize| cores.iter().all(|core| core.contains(part));
        let alone = |part: &usize| cuts.contains(&Set::from([*part]));
        let must = must.expect("it was asked for");
        prop_assert_eq!(&must, &all.iter().copied().filter(in_all).collect::<Set>());
        prop_assert_eq!(&must, &all.iter().copied().filter(alone).collect::<Set>());

        // All cut sets, cheapest first, and single ones.
        let mut found = Vec::new();
        mcs::all(&mut verifier(&model), None, &mut |event| {
            if let Event::Found(cut) = event { found.push(cut.set) }
        });
        prop_assert!(found.iter().map(Set::len).is_sorted());
        prop_assert_eq!(found.iter().cloned().collect::<BTreeSet<Set>>(), cuts.clone());
        let mut smallest = None;
        let outcome = mcs::global(&mut verifier(&model), None, &mut |event| {
            if let Event::Found(cut) = event { smallest = Some(cut.set.len()) }
        });
        prop_assert_eq!(smallest, cuts.iter().map(Set::len).min());
        prop_assert_eq!(outcome == Completeness::NoCutSet, cuts.is_empty());
        mcs::local(&mut verifier(&model), None, &mut |event| {
            if let Event::Found(cut) = event { smallest = Some(cut.set.len()) }
        });
        prop_assert!(smallest >= cuts.iter().map(Set::len).min());

        // Cores are the minimal sets that hit all cut sets.
        let hits = subsets(&all).into_iter().filter(|set| cuts.iter().all(|cut| !cut.is_disjoint(set)));
        prop_assert_eq!(minimal(&hits.collect()), cores);
    }
}
