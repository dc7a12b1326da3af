//! Validates documents against the published schemas.
//!
//! For JSON, as much of JSON Schema as Kind 2's schema uses; a keyword that is
//! not known here is an error, so that nothing passes because it is not looked
//! at. For XML, `xmllint`.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::Value as Json;

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
    root: Json,
}

impl Schema {
    pub fn read(path: &Path) -> Schema {
        let root = serde_json::from_str(&super::read(path)).expect("a schema in JSON");
        Schema { root }
    }

    /// What is wrong with a document of results. Each object is held against the
    /// definition that it claims to follow, which tells more than that it follows
    /// none of them.
    pub fn problem(&self, document: &Json) -> Option<String> {
        for object in document.as_array().into_iter().flatten() {
            let kind = object["objectType"].as_str().unwrap_or_default();
            let definition = &self.root["definitions"][kind];
            if definition.is_null() {
                return Some(format!("there is no object type `{kind}`"));
            }
            if let Err(problem) = self.check(definition, object, kind) {
                return Some(problem);
            }
        }
        self.check(&self.root, document, "document").err()
    }

    fn check(&self, schema: &Json, value: &Json, place: &str) -> Result<(), String> {
        let rules = schema.as_object().ok_or("a schema is an object")?;
        for (keyword, rule) in rules {
            let holds = match keyword.as_str() {
                "$schema" | "$id" | "title" | "definitions" => true,
                "$ref" => {
                    let pointer = rule.as_str().unwrap_or_default().trim_start_matches('#');
                    let target = self.root.pointer(pointer).ok_or("a broken reference")?;
                    self.check(target, value, place)?;
                    true
                }
                "anyOf" => {
                    let mut choices = list(rule).iter();
                    choices.any(|choice| self.check(choice, value, place).is_ok())
                }
                "type" => has_type(value, rule.as_str().unwrap_or_default()),
                "const" => value == rule,
                "enum" => list(rule).contains(value),
                "minimum" => value.as_f64() >= rule.as_f64() || !value.is_number(),
                "required" => match value.as_object() {
                    Some(object) => list(rule)
                        .iter()
                        .all(|key| key.as_str().is_some_and(|key| object.contains_key(key))),
                    None => true,
                },
                "properties" => {
                    for (key, inner) in rule.as_object().ok_or("properties by name")? {
                        if let Some(part) = value.get(key) {
                            self.check(inner, part, &format!("{place}.{key}"))?;
                        }
                    }
                    true
                }
                "items" => {
                    for (at, part) in list(value).iter().enumerate() {
                        let inner = match rule.as_array() {
                            Some(by_place) => by_place.get(at),
                            None => Some(rule),
                        };
                        if let Some(inner) = inner {
                            self.check(inner, part, &format!("{place}[{at}]"))?;
                        }
                    }
                    true
                }
                "minItems" => list(value).len() as u64 >= rule.as_u64().unwrap_or(0),
                "maxItems" => list(value).len() as u64 <= rule.as_u64().unwrap_or(0),
                other => return Err(format!("the keyword {other} is not known")),
            };
            if !holds {
                return Err(format!("{place}: {keyword} {rule} does not hold: {value}"));
            }
        }
        Ok(())
    }
}

fn list(json: &Json) -> &[Json] {
    json.as_array().map_or(&[], Vec::as_slice)
}

fn has_type(value: &Json, name: &str) -> bool {
    match name {
        "object" => value.is_object(),
        "array" => value.is_array(),
        "string" => value.is_string(),
        "boolean" => value.is_boolean(),
        "null" => value.is_null(),
        "number" => value.is_number(),
        // Of any size: the text tells.
        "integer" => value.is_number() && !value.to_string().contains(['.', 'e', 'E']),
        _ => false,
    }
}

/// What `xmllint` says against a document; `None` if it is valid.
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
