//! Documents of results, held against the published schemas: JSON with the `jsonschema`
//! crate, XML with `xmllint`. Where these are not there, documents must be well formed as far as
//! that can be told.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use jsonschema::Validator;
use sim::input::{Json, parse_json};

pub struct Documents {
    json: Option<Validator>,
    /// The schema of XML documents.
    xml: Option<PathBuf>,
    xmllint: bool,
}

impl Documents {
    pub fn new() -> Documents {
        let reference = crate::option_fuzz::judge::reference();
        let json = reference.as_ref().and_then(|folder| {
            let text = std::fs::read_to_string(folder.join("kind2-output.json")).ok()?;
            let schema = serde_json::from_str(&text).ok()?;
            jsonschema::validator_for(&schema).ok()
        });
        let xmllint = Command::new("xmllint").arg("--version").output();
        Documents {
            json,
            xml: reference.map(|folder| folder.join("kind2-output.xsd")),
            xmllint: xmllint.is_ok_and(|output| output.status.success()),
        }
    }

    /// Which checks cannot be made here.
    pub fn left_out(&self) -> Vec<&'static str> {
        let mut left_out = Vec::new();
        if self.json.is_none() {
            left_out.push("there is no schema: JSON must be well formed only");
        }
        if !self.xmllint {
            left_out.push("xmllint is not installed: XML must begin and end only");
        }
        left_out
    }

    pub fn json_problem(&self, document: &str) -> Option<String> {
        if !matches!(parse_json(document), Ok(Json::Array(_))) {
            return Some("this is no list in JSON".to_owned());
        }
        let Ok(value) = serde_json::from_str(document) else {
            return Some("this is no JSON".to_owned());
        };
        let problem = self.json.as_ref()?.validate(&value).err();
        problem.map(|problem| format!("{}: {problem}", problem.instance_path()))
    }

    pub fn xml_problem(&self, document: &str) -> Option<String> {
        let document = document.trim();
        let whole = document.starts_with("<?xml") && document.ends_with("</Results>");
        if !whole {
            return Some("the document does not begin or end as it should".to_owned());
        }
        if !self.xmllint {
            return None;
        }
        xmllint(self.xml.as_deref(), document)
    }
}

impl Default for Documents {
    fn default() -> Documents {
        Documents::new()
    }
}

/// What `xmllint` says against a document.
fn xmllint(schema: Option<&Path>, document: &str) -> Option<String> {
    let mut command = Command::new("xmllint");
    command.arg("--noout");
    if let Some(schema) = schema {
        command.arg("--schema").arg(schema);
    }
    let mut child = command
        .arg("-")
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .ok()?;
    if let Some(mut pipe) = child.stdin.take() {
        // Whoever does not read all says why.
        let _ = pipe.write_all(document.as_bytes());
    }
    let output = child.wait_with_output().ok()?;
    let said = String::from_utf8_lossy(&output.stderr);
    let first = said.lines().next().unwrap_or_default().to_owned();
    (!output.status.success()).then_some(first)
}
