//! Which analyses a run has made, and what each has found.

use serde_json::Value as Json;

use super::{kindred, repository};

/// Each analysis with its abstract nodes, and the verdicts in it by name; at the
/// end the exit code.
pub fn analyses(model: &str, args: &[&str]) -> String {
    let mut all = vec!["-json", "--check_nonvacuity", "false"];
    all.extend(args);
    let run = kindred(&repository(), &all, model);
    let document: Json = serde_json::from_str(&run.stdout).expect("JSON");
    let mut out = String::new();
    let mut verdicts = Vec::new();
    for object in document.as_array().into_iter().flatten() {
        match object["objectType"].as_str() {
            Some("analysisStart") => {
                let names = object["abstract"].as_array().into_iter().flatten();
                let names: Vec<&str> = names.filter_map(Json::as_str).collect();
                let top = object["top"].as_str().unwrap_or_default();
                out += &format!("{top} [{}]\n", names.join(" "));
            }
            Some("property") => {
                let name = object["name"].as_str().unwrap_or_default();
                let verdict = object["answer"]["value"].as_str().unwrap_or_default();
                verdicts.push(format!("  {name}: {verdict}\n"));
            }
            Some("analysisStop") => {
                verdicts.sort();
                out.extend(verdicts.drain(..));
            }
            _ => assert_ne!(object["level"], "fatal", "{object}"),
        }
    }
    out + &format!("exit {}\n", run.exit)
}
