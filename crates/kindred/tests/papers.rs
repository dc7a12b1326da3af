//! The worked examples of the papers on merit and blame, element by element.
//!
//! The models are not part of the repository; see `documentation.rs` for where
//! they are looked for. Without them the tests pass and say so.

mod common;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use common::{files, kindred, read, repository};
use serde_json::Value as Json;

fn corpus() -> Option<PathBuf> {
    let folder = match std::env::var_os("KINDRED_CORPUS") {
        Some(folder) => PathBuf::from(folder),
        None => repository().parent()?.join("shared/corpus"),
    };
    let found = folder.join("merit_and_blame").is_dir();
    if !found {
        eprintln!("there is no corpus: nothing is compared");
    }
    found.then_some(folder)
}

/// An element, as documents name it.
type Element = (String, String, String, u64, u64);

/// A set with its class and property.
type Found = (String, Option<String>, BTreeSet<Element>);

fn sets(document: &str) -> BTreeSet<Found> {
    let document: Json = serde_json::from_str(document).expect("JSON");
    let text = |value: &Json| value.as_str().unwrap_or_default().to_owned();
    let number = |value: &Json| value.as_u64().unwrap_or_default();
    let mut all = BTreeSet::new();
    for object in document.as_array().expect("a list") {
        if object["objectType"] != "modelElementSet" {
            continue;
        }
        let mut elements = BTreeSet::new();
        for node in object["nodes"].as_array().expect("a list") {
            for element in node["elements"].as_array().expect("a list") {
                elements.insert((
                    text(&node["name"]),
                    text(&element["category"]),
                    text(&element["name"]),
                    number(&element["line"]),
                    number(&element["column"]),
                ));
            }
        }
        let property = object["property"].as_str().map(str::to_owned);
        all.insert((text(&object["class"]), property, elements));
    }
    all
}

fn run(model: &Path, flags: &[&str]) -> BTreeSet<Found> {
    let model = model.display().to_string();
    let mut args = vec!["-json", &model];
    args.extend(flags);
    sets(&kindred(&repository(), &args, "").stdout)
}

/// The names of the elements of each set.
fn names(found: &BTreeSet<Found>) -> BTreeSet<BTreeSet<&str>> {
    let names = |set: &'_ Found| set.2.len();
    assert!(found.iter().map(names).sum::<usize>() > 0);
    let sets = found.iter();
    sets.map(|(_, _, set)| set.iter().map(|element| element.2.as_str()).collect())
        .collect()
}

#[test]
fn the_altitude_controller() {
    let Some(corpus) = corpus() else { return };
    let cores = ["--ivc", "true", "--ivc_category", "contracts"];
    let cuts = ["--enable", "MCS", "--mcs_category", "contracts"];
    let (mut all_must, mut minimal, mut all_cuts) = (cores.to_vec(), cores.to_vec(), cuts.to_vec());
    all_must.extend(["--ivc_all", "true", "--ivc_must_set", "true"]);
    minimal.extend(["--ivc_approximate", "false"]);
    all_cuts.extend(["--mcs_all", "true"]);
    let golden = corpus.join("../golden/merit_and_blame");
    for version in ["V1", "V2", "V3"] {
        let model = corpus.join(format!("merit_and_blame/SystemModel{version}.lus"));
        let expected = |run: &str| {
            let file = format!("SystemModel{version}.{run}.json");
            sets(&read(&golden.join(file)))
        };
        assert_eq!(run(&model, &all_must), expected("ivc_all_must"));
        assert_eq!(run(&model, &all_cuts), expected("mcs_all"));
        // There may be several answers to these.
        let cores = expected("ivc_all_must");
        assert!(run(&model, &minimal).is_subset(&cores), "{version}");
        let cuts = expected("mcs_all");
        assert!(
            run(&model, &cuts_flags(&["true"])).is_subset(&cuts),
            "{version}"
        );
        assert!(
            run(&model, &cuts_flags(&["false"])).is_subset(&cuts),
            "{version}"
        );
    }
}

fn cuts_flags<'f>(approximate: &[&'f str]) -> Vec<&'f str> {
    let mut flags = vec!["--enable", "MCS", "--mcs_category", "contracts"];
    flags.push("--mcs_approximate");
    flags.extend(approximate);
    flags
}

#[test]
fn faults_of_the_sensors_only() {
    let Some(corpus) = corpus() else { return };
    for (version, size) in [("V2", 1), ("V3", 2)] {
        let model = corpus.join(format!("merit_and_blame/SystemModel{version}_sensors.lus"));
        for approximate in ["true", "false"] {
            let flags = ["--enable", "MCS", "--mcs_approximate", approximate];
            let found = run(&model, &flags);
            let sizes: Vec<usize> = found.iter().map(|(_, _, set)| set.len()).collect();
            assert_eq!(sizes, [size], "{version}");
        }
    }
}

#[test]
fn the_altitude_switch_has_two_cores() {
    let Some(corpus) = corpus() else { return };
    let model = corpus.join("documentation/asw.lus");
    for offline in ["true", "false"] {
        let flags = ["--ivc", "true", "--ivc_all", "true", "--ivc_flat", "true"];
        let found = run(&model, &[&flags[..], &["--ivc_offline", offline]].concat());
        let both = ["one_below", "doi_on", "on_p"];
        let core = |own| both.into_iter().chain([own]).collect();
        let expected = BTreeSet::from([core("a1_below"), core("a2_below")]);
        assert_eq!(names(&found), expected);
    }
}

/// Two of Kind 2's runs are there as text only, which has no categories.
#[test]
fn the_examples_of_the_documentation() {
    let Some(corpus) = corpus() else { return };
    let golden = corpus.join("../golden/documentation");
    let category = ["--ivc", "true", "--compositional", "true", "--ivc_category"];
    let ivc = [&category[..], &["contracts"]].concat();
    let weakly = [&category[..], &["annotations"]].concat();
    let mcs = vec!["--enable", "MCS"];
    let mut compared = 0;
    for (model, run_name, flags) in [
        ("ivc", "ivc.ivc", &ivc),
        ("ivc_weakly", "ivc_weakly.ivc", &weakly),
        ("mcs", "mcs.mcs", &mcs),
    ] {
        let file = corpus.join(format!("documentation/{model}.lus"));
        let found = run(&file, flags);
        let as_json = golden.join(format!("{run_name}.json"));
        if as_json.is_file() {
            assert_eq!(found, sets(&read(&as_json)), "{model}");
        }
        let text = read(&golden.join(format!("{run_name}.txt")));
        for (_, _, set) in &found {
            for (_, _, name, line, column) in set {
                let shown = format!("{name} at position [l{line}c{column}]");
                assert!(text.contains(&shown), "{model}: {shown}");
            }
            let count = text.matches(" at position [").count();
            assert_eq!(count, set.len(), "{model}");
        }
        compared += found.len();
    }
    assert_eq!(compared, 3);
    assert!(!files(&golden, "json").is_empty());
}
