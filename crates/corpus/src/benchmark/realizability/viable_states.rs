//! Viable states, compared with those of Kind 2: a model says that the two expressions are
//! equal, with the streams as inputs, and is checked like any other.

use std::path::Path;

use lang::{CheckOptions, Program, VarClass};
use sim::input::{Json, parse_json};

use super::Golden;
use super::run;
use crate::Outcome;
use crate::files;
use crate::front;
use crate::json::{field, text};
use crate::verdict;

/// The node that compares.
const NODE: &str = "Viable_states_compared";

/// Compares all outputs of Kind 2 that have viable states.
pub fn compare(folder: &Path, golden: &Golden, limit: f64) -> Outcome {
    let mut outcome = Outcome::new("viable states");
    let entries = std::fs::read_dir(golden.0.join("output"));
    let names = entries.into_iter().flatten().flatten();
    let mut names: Vec<String> = names
        .map(|entry| entry.file_name().to_string_lossy().into_owned())
        .collect();
    names.sort();
    for name in names {
        let Some(stem) = name.strip_suffix(".viable_states.json") else {
            continue;
        };
        if !files::is_wanted(stem) {
            continue;
        }
        let model = folder.join("probes").join(format!("{stem}.lus"));
        let document = files::read(&golden.0.join("output").join(&name));
        for (node, theirs) in of_document(&document) {
            let what = format!("{stem}: {node}");
            match one(&model, &node, &theirs, limit) {
                Ok(true) => outcome.right += 1,
                Ok(false) => outcome.wrong.push(format!("{what}: not those of Kind 2")),
                Err(why) => outcome.unknown.push(format!("{what}: {why}")),
            }
        }
    }
    outcome
}

/// Nodes with their viable states.
fn of_document(document: &str) -> Vec<(String, String)> {
    let Ok(Json::Array(objects)) = parse_json(document) else {
        return Vec::new();
    };
    let mut found = Vec::new();
    let mut node = String::new();
    for object in &objects {
        node = text(field(object, "top")).unwrap_or(node);
        let viable = text(field(object, "viableStates"));
        found.extend(viable.map(|viable| (node.clone(), viable)));
    }
    found
}

/// Are the viable states of a node those?
fn one(model: &Path, node: &str, theirs: &str, limit: f64) -> Result<bool, String> {
    let ran = run::check(model, &["--print_viable_states", "true"], limit);
    let answer = ran.answer(node, run::Question::Contract);
    let ours = answer.and_then(|answer| answer.viable_states.clone());
    let ours = ours.ok_or("there are none")?;
    let checked = front::check(model, &CheckOptions::default());
    let program = checked.program.ok_or("the model is refused")?;
    let compared = comparison(&program, node, &ours, theirs).ok_or("there is no such node")?;
    let text = format!("{}\n{compared}", files::read(model));
    let file = std::env::temp_dir().join(format!("kindred-viable-{}.lus", std::process::id()));
    std::fs::write(&file, text).map_err(|error| error.to_string())?;
    let found = verdict::run(&file, &["--lus_main", NODE], limit);
    let _ = std::fs::remove_file(&file);
    match (found.exit, found.properties.len()) {
        (0, 1) => Ok(true),
        (40, 1) => Ok(false),
        (exit, _) => Err(format!("the comparison ends with {exit}: {ours}")),
    }
}

/// A node that compares two expressions over the streams of a node.
fn comparison(program: &Program, node: &str, ours: &str, theirs: &str) -> Option<String> {
    let node = program.nodes.iter().find(|one| one.name.as_str() == node)?;
    let streams = node.vars.iter().filter(|var| {
        let class = var.class;
        !matches!(class, VarClass::Mode | VarClass::ContractInput)
    });
    let streams = streams.map(|var| format!("{} : {}", var.name, program.type_name(&var.ty)));
    let streams: Vec<String> = streams.collect();
    Some(format!(
        "node {NODE} ({}) returns (same : bool);\nlet\n  same = (({ours}) = ({theirs}));\n  \
         --%PROPERTY same;\ntel\n",
        streams.join("; ")
    ))
}
