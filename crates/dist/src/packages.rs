//! The crates that the program is made of, as cargo tells.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::process::Command;

use serde_json::Value;

use crate::{Made, repository};

#[derive(Clone, Debug)]
pub struct Package {
    pub name: String,
    pub version: String,
    /// As an SPDX expression.
    pub license: String,
    /// Where cargo has it from; nothing for crates of this repository.
    pub source: Option<String>,
    pub checksum: Option<String>,
    pub folder: PathBuf,
    /// The crates that it is linked with.
    pub dependencies: Vec<(String, String)>,
}

impl Package {
    pub fn is_own(&self) -> bool {
        self.source.is_none()
    }

    pub fn purl(&self) -> String {
        format!("pkg:cargo/{}@{}", self.name, self.version)
    }
}

/// Everything that cargo knows of the workspace, for one platform.
pub fn metadata(target: &str) -> Made<Value> {
    let cargo = std::env::var_os("CARGO").unwrap_or("cargo".into());
    let run = |offline: bool| {
        let mut command = Command::new(&cargo);
        command
            .args(["metadata", "--locked", "--format-version=1"])
            .args(["--filter-platform", target])
            .current_dir(repository());
        if offline {
            command.arg("--offline");
        }
        command.output()
    };
    // Missing crates are downloaded; that needs a network.
    let mut output = run(true).map_err(|error| format!("cargo does not run: {error}"))?;
    if !output.status.success() {
        output = run(false).map_err(|error| format!("cargo does not run: {error}"))?;
    }
    if !output.status.success() {
        let why = String::from_utf8_lossy(&output.stderr).into_owned();
        return Err(format!("cargo metadata: {why}"));
    }
    serde_json::from_slice(&output.stdout).map_err(|error| format!("cargo metadata: {error}"))
}

/// The crates in the program: `kindred` and what it is linked with, or, with `all`, also
/// what builds and tests it. Sorted by name.
pub fn packages(target: &str, all: bool) -> Made<Vec<Package>> {
    let metadata = metadata(target)?;
    let by_id: BTreeMap<&str, &Value> = list(&metadata["packages"])
        .iter()
        .map(|package| (text(&package["id"]), package))
        .collect();
    let nodes: BTreeMap<&str, &Value> = list(&metadata["resolve"]["nodes"])
        .iter()
        .map(|node| (text(&node["id"]), node))
        .collect();
    let checksums = checksums()?;
    let mut open: Vec<&str> = by_id
        .iter()
        .filter(|(_, package)| package["source"].is_null())
        .filter(|(_, package)| all || package["name"] == "kindred")
        .map(|(id, _)| *id)
        .collect();
    let mut seen: BTreeSet<&str> = open.iter().copied().collect();
    let mut found = Vec::new();
    while let Some(id) = open.pop() {
        let package = by_id.get(id).ok_or("cargo metadata has a gap")?;
        let linked = nodes.get(id).map(|node| linked(node, all));
        let linked = linked.unwrap_or_default();
        open.extend(linked.iter().copied().filter(|id| seen.insert(id)));
        let named = |id: &&str| {
            let package = by_id.get(id)?;
            Some((
                text(&package["name"]).to_owned(),
                text(&package["version"]).to_owned(),
            ))
        };
        let (name, version) = (text(&package["name"]), text(&package["version"]));
        let manifest = PathBuf::from(text(&package["manifest_path"]));
        found.push(Package {
            name: name.to_owned(),
            version: version.to_owned(),
            license: expression(text(&package["license"])),
            source: package["source"].as_str().map(str::to_owned),
            checksum: checksums
                .get(&(name.to_owned(), version.to_owned()))
                .cloned(),
            folder: manifest.parent().unwrap_or(&manifest).to_owned(),
            dependencies: linked.iter().filter_map(named).collect(),
        });
    }
    found.sort_by(|a, b| (&a.name, &a.version).cmp(&(&b.name, &b.version)));
    Ok(found)
}

/// The licence as an SPDX expression; older crates write `MIT/Apache-2.0`.
fn expression(license: &str) -> String {
    let parts: Vec<&str> = license.split('/').map(str::trim).collect();
    parts.join(" OR ")
}

/// The crates that one depends on: to be linked with, unless `all` are wanted.
fn linked(node: &Value, all: bool) -> Vec<&str> {
    let is_wanted = |dependency: &&Value| {
        let kinds = list(&dependency["dep_kinds"]);
        all || kinds.iter().any(|kind| kind["kind"].is_null())
    };
    let wanted = list(&node["deps"]).iter().filter(is_wanted);
    wanted.map(|dependency| text(&dependency["pkg"])).collect()
}

/// The digests in `Cargo.lock`.
fn checksums() -> Made<BTreeMap<(String, String), String>> {
    let path = repository().join("Cargo.lock");
    let lock = std::fs::read_to_string(&path).map_err(crate::at(&path))?;
    let mut found = BTreeMap::new();
    for block in lock.split("[[package]]").skip(1) {
        let field = |name: &str| {
            let rest = block.lines().find_map(|line| line.strip_prefix(name))?;
            let rest = rest.strip_prefix(" = \"")?;
            rest.strip_suffix('"').map(str::to_owned)
        };
        if let (Some(name), Some(version), Some(sum)) =
            (field("name"), field("version"), field("checksum"))
        {
            found.insert((name, version), sum);
        }
    }
    Ok(found)
}

fn list(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}
