//! The interpreter runs of Kind 2's documentation, value by value.
//!
//! The models are not part of the repository. They are looked for in the folder
//! that `KINDRED_CORPUS` names, or in `../shared/corpus` beside the repository;
//! Kind 2's output is in `golden` beside that folder. Without them the test
//! passes and says so.

mod common;

use std::collections::BTreeMap;
use std::path::Path;

use common::{corpus, files, kindred, read, repository};
use serde_json::Value as Json;

/// The values of all streams, by node, stream and step.
type Values = BTreeMap<(String, String), Vec<(usize, String)>>;

/// Choices that Kind 2 makes up show in its output as streams of this name.
const MADE_UP: &str = "iboracle_";

#[test]
fn runs_are_those_of_kind_2() {
    let Some(corpus) = corpus("documentation") else {
        eprintln!("there is no corpus: nothing is compared");
        return;
    };
    let golden = corpus.join("../golden/documentation");
    let mut count = 0;
    for model in files(&corpus.join("documentation"), "lus") {
        let name = model.file_stem().and_then(|name| name.to_str());
        let name = name.expect("a name in UTF-8");
        for (extension, flag, values) in [
            ("json", "-json", json_values as fn(&str) -> Values),
            ("txt", "-v", text_values),
        ] {
            let expected = golden.join(format!("{name}.interpreter.{extension}"));
            if expected.is_file() {
                let mut expected = values(&read(&expected));
                expected.retain(|(_, stream), _| !stream.starts_with(MADE_UP));
                assert!(!expected.is_empty(), "{name}: nothing to compare");
                assert_eq!(values(&run(&model, flag)), expected, "{name}");
                count += 1;
            }
        }
    }
    assert!(count > 0, "no run was compared");
}

fn run(model: &Path, flag: &str) -> String {
    let input = model.with_extension("json");
    let (model, input) = (model.display().to_string(), input.display().to_string());
    let mut args = vec!["--enable", "interpreter", flag, &model];
    if Path::new(&input).is_file() {
        args.extend(["--interpreter_input_file", &input]);
    } else {
        args.extend(["--interpreter_steps", "12"]);
    }
    if model.ends_with("activate_merge.lus") {
        args.extend(["--lus_main", "example"]);
    }
    let run = kindred(&repository(), &args, "");
    assert_eq!(run.exit, 0, "{model}: {}", run.stdout);
    run.stdout
}

fn json_values(text: &str) -> Values {
    let document: Json = serde_json::from_str(text).expect("JSON");
    let mut all = Values::new();
    for object in document.as_array().into_iter().flatten() {
        for block in list(&object["trace"]) {
            block_values(block, "", &mut all);
        }
    }
    all
}

fn list(json: &Json) -> &[Json] {
    json.as_array().map_or(&[], Vec::as_slice)
}

fn block_values(block: &Json, above: &str, all: &mut Values) {
    let call = format!("[l{}c{}]", block["line"], block["column"]);
    let path = format!("{above}/{}{call}", block["name"]);
    for stream in list(&block["streams"]) {
        let values = list(&stream["instantValues"]).iter();
        let values = values.map(|pair| (pair[0].as_u64().unwrap_or(0) as usize, &pair[1]));
        let values = values.map(|(step, value)| (step, value.to_string()));
        let name = stream["name"].as_str().unwrap_or_default().to_owned();
        all.insert((path.clone(), name), values.collect());
    }
    for inner in list(&block["subnodes"]) {
        block_values(inner, &path, all);
    }
}

/// The tables of the text format: `Node name (path)`, then a line for each
/// stream; `_` where the node does not run.
fn text_values(text: &str) -> Values {
    let mut all = Values::new();
    let mut node = String::new();
    for line in text.lines() {
        if line.starts_with("Node ") || line.starts_with("Function ") {
            node = line.to_owned();
            continue;
        }
        let is_stream = line.starts_with("  ") && !line.starts_with("  ==");
        let mut cells = line.split_whitespace();
        if let (true, false, Some(name)) = (is_stream, node.is_empty(), cells.next()) {
            let values = cells.enumerate().filter(|(_, cell)| *cell != "_");
            let values = values.map(|(step, cell)| (step, cell.to_owned()));
            all.insert((node.clone(), name.to_owned()), values.collect());
        }
    }
    all
}
