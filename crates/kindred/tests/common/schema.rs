//! Validates documents against the published schemas, with the `jsonschema` crate
//! and `xmllint`.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use jsonschema::Validator;
use serde_json::{Value as Json, json};

/// The folder with Kind 2's schemas: `reference` in the folder that `KINDRED_CORPUS`
/// names or in `../shared` beside the repository.
pub fn reference() -> Option<PathBuf> {
    let shared = match std::env::var_os("KINDRED_CORPUS") {
        Some(corpus) => PathBuf::from(corpus).join(".."),
        None => super::repository().parent()?.join("shared"),
    };
    let folder = shared.join("reference");
    folder.join("kind2-output.json").is_file().then_some(folder)
}

pub struct Schema {
    whole: Validator,
    /// The schema of each type of object.
    objects: HashMap<String, Validator>,
}

impl Schema {
    pub fn read(path: &Path) -> Schema {
        let root: Json = serde_json::from_str(&super::read(path)).expect("a schema in JSON");
        let definitions = &root["definitions"];
        let kinds = definitions.as_object().expect("definitions").keys();
        let objects = kinds.map(|kind| {
            let own = json!({
                "$schema": root["$schema"],
                "$ref": format!("#/definitions/{kind}"),
                "definitions": definitions,
            });
            (kind.clone(), validator(&own))
        });
        Schema {
            objects: objects.collect(),
            whole: validator(&root),
        }
    }

    /// What is wrong with a document of results. Each object is validated against the definition of
    /// its own type, which gives a better message than that it matches none.
    pub fn problem(&self, document: &Json) -> Option<String> {
        for object in document.as_array().into_iter().flatten() {
            let kind = object["objectType"].as_str().unwrap_or_default();
            let Some(definition) = self.objects.get(kind) else {
                return Some(format!("there is no object type `{kind}`"));
            };
            if let Err(problem) = definition.validate(object) {
                return Some(format!("{kind}{}: {problem}", problem.instance_path()));
            }
        }
        let whole = self.whole.validate(document);
        whole.err().map(|problem| problem.to_string())
    }
}

fn validator(schema: &Json) -> Validator {
    jsonschema::validator_for(schema).expect("a schema")
}

/// The complaint of `xmllint` about a document; `None` if it is valid.
pub fn xml_problem(schema: &Path, document: &str) -> Option<String> {
    use std::io::Write;
    let mut child = Command::new("xmllint")
        .arg("--noout")
        .arg("--schema")
        .arg(schema)
        .arg("-")
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .expect("xmllint starts");
    let mut pipe = child.stdin.take().expect("a pipe");
    pipe.write_all(document.as_bytes())
        .expect("xmllint reads all");
    drop(pipe);
    let output = child.wait_with_output().expect("xmllint ends");
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    (!output.status.success()).then_some(said)
}

pub fn has_xmllint() -> bool {
    let tried = Command::new("xmllint").arg("--version").output();
    tried.is_ok_and(|output| output.status.success())
}
