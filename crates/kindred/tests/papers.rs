//! The worked examples of the papers on merit and blame, element by element.
//!
//! Models of our own like theirs are in `papers/`. The published ones are not part of the
//! repository; see `documentation.rs` for where they are looked for. Without them their tests
//! pass and say so.

mod common;

use std::collections::BTreeSet;
use std::path::Path;

use common::{corpus, kindred, read, repository};
use serde_json::Value as Json;

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

/// The names of the elements of each set of a class, in a model of ours.
fn own(model: &str, class: &str, flags: &[&str]) -> BTreeSet<BTreeSet<String>> {
    let path = repository().join("crates/kindred/tests/papers").join(model);
    let found = run(&path, flags).into_iter();
    let found = found.filter(|(own, _, _)| own == class);
    found
        .map(|(_, _, set)| set.into_iter().map(|element| element.2).collect())
        .collect()
}

fn expected(sets: &[&[&str]]) -> BTreeSet<BTreeSet<String>> {
    let set = |names: &&[&str]| names.iter().map(|name| (*name).to_owned()).collect();
    sets.iter().map(set).collect()
}

#[test]
fn redundant_sensors_are_in_no_must_set() {
    let cores = [
        "--compositional",
        "true",
        "--ivc_category",
        "contracts",
        "--ivc_all",
        "true",
        "--ivc",
        "true",
        "--ivc_must_set",
        "true",
    ];
    let one = expected(&[&["close", "low"]]);
    assert_eq!(own("one_sensor.lus", "ivc", &cores), one);
    assert_eq!(own("one_sensor.lus", "must", &cores), one);
    let two_of_three = expected(&[&["a", "b", "low"], &["a", "c", "low"], &["b", "c", "low"]]);
    assert_eq!(own("three_sensors.lus", "ivc", &cores), two_of_three);
    assert_eq!(
        own("three_sensors.lus", "must", &cores),
        expected(&[&["low"]])
    );
}

/// A cut set is what all cores share something with.
#[test]
fn cut_sets_are_the_dual_of_cores() {
    let cuts = [
        "--compositional",
        "true",
        "--enable",
        "MCS",
        "--mcs_category",
        "contracts",
        "--mcs_all",
        "true",
    ];
    let one = expected(&[&["close"], &["low"]]);
    assert_eq!(own("one_sensor.lus", "mcs", &cuts), one);
    let two = expected(&[&["low"], &["a", "b"], &["a", "c"], &["b", "c"]]);
    assert_eq!(own("three_sensors.lus", "mcs", &cuts), two);
}

#[test]
fn either_of_two_equations_is_enough() {
    let flags = ["--ivc", "true", "--ivc_all", "true", "--ivc_flat", "true"];
    let both = expected(&[&["below", "below_1", "on"], &["below", "below_2", "on"]]);
    for offline in ["true", "false"] {
        let flags = [&flags[..], &["--ivc_offline", offline]].concat();
        assert_eq!(own("either.lus", "ivc", &flags), both);
    }
}

#[test]
fn the_altitude_controller() {
    let Some(corpus) = corpus("merit_and_blame") else {
        return;
    };
    let cores = ["--ivc", "true", "--ivc_category", "contracts"];
    let cuts_flags = ["--enable", "MCS", "--mcs_category", "contracts"];
    let all = ["--ivc_all", "true", "--ivc_must_set", "true"];
    let all_must = [&cores[..], &all].concat();
    let minimal = [&cores[..], &["--ivc_approximate", "false"]].concat();
    let all_cuts = [&cuts_flags[..], &["--mcs_all", "true"]].concat();
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
        for approximate in ["true", "false"] {
            let flags = [&cuts_flags[..], &["--mcs_approximate", approximate]].concat();
            assert!(run(&model, &flags).is_subset(&cuts), "{version}");
        }
    }
}

#[test]
fn faults_of_the_sensors_only() {
    let Some(corpus) = corpus("merit_and_blame") else {
        return;
    };
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
    let Some(corpus) = corpus("merit_and_blame") else {
        return;
    };
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

/// The sets that a text shows: their titles, and their elements by node.
fn blocks(text: &str) -> Vec<(String, Vec<String>)> {
    let mut blocks: Vec<(String, Vec<String>)> = Vec::new();
    let mut node = "";
    for line in text.lines().map(str::trim) {
        if line.contains(" elements)") {
            blocks.push((line.to_owned(), Vec::new()));
        } else if let Some(name) = line.strip_prefix("Node ") {
            node = name;
        } else if let (true, Some((_, elements))) =
            (line.contains(" at position ["), blocks.last_mut())
        {
            elements.push(format!("{node}: {line}"));
        }
    }
    for (_, elements) in &mut blocks {
        elements.sort();
    }
    blocks.sort();
    blocks
}

/// Notes, warnings and what is said of sets, without times and in order.
fn remarks(text: &str) -> Vec<String> {
    let told = |line: &&str| {
        ["<Success>", "<Note>", "<Warning>"]
            .iter()
            .any(|tag| line.starts_with(tag))
            && !line.contains(" is valid by ")
    };
    let lines = text.lines().filter(told);
    let lines = lines.map(|line| match line.split_once(" generated after ") {
        Some((what, _)) => what.to_owned(),
        None => line.to_owned(),
    });
    let mut lines: Vec<String> = lines.collect();
    lines.sort();
    lines
}

fn compare(model: &Path, golden: &Path, args: &[&str]) {
    let model = model.display().to_string();
    let mut all = args.to_vec();
    all.push(&model);
    let own = kindred(&repository(), &all, "").stdout;
    let expected = read(golden);
    let place = golden.display();
    assert_eq!(blocks(&own), blocks(&expected), "{place}");
    assert_eq!(remarks(&own), remarks(&expected), "{place}");
}

#[test]
fn texts_are_those_of_kind_2() {
    let Some(corpus) = corpus("merit_and_blame") else {
        return;
    };
    let golden = corpus.join("../golden");
    let compared = |folder: &str, model: &str, way: &str, args: &[&str]| {
        let golden = golden.join(folder).join(format!("{model}.{way}.txt"));
        compare(
            &corpus.join(folder).join(format!("{model}.lus")),
            &golden,
            args,
        );
    };
    let cut_sets = ["--enable", "MCS"];
    let cores = ["--ivc", "true", "--ivc_category", "contracts"];
    let all = ["--ivc_all", "true", "--ivc_must_set", "true"];
    let all_cuts = ["--mcs_all", "true", "--mcs_category", "contracts"];
    for model in ["SystemModelV1", "SystemModelV2", "SystemModelV3"] {
        let args = [&cores[..], &all].concat();
        compared("merit_and_blame", model, "ivc_all_must", &args);
        let args = [&cut_sets[..], &all_cuts].concat();
        compared("merit_and_blame", model, "mcs_all", &args);
    }
    // There is only one minimal core.
    for model in ["SystemModelV1", "SystemModelV2"] {
        let args = [&cores[..], &["--ivc_approximate", "false"]].concat();
        compared("merit_and_blame", model, "ivc_minimal", &args);
    }
    let args = ["--ivc", "true", "--compositional", "true", "--ivc_category"];
    for (model, category) in [("ivc", "contracts"), ("ivc_weakly", "annotations")] {
        let mut args = args.to_vec();
        args.push(category);
        compared("documentation", model, "ivc", &args);
    }
    compared("documentation", "mcs", "mcs", &cut_sets);
    let mut args = cut_sets.to_vec();
    args.extend(["--print_mcs_counterexample", "true"]);
    compared("documentation", "mcs", "mcs_cex", &args);
}
