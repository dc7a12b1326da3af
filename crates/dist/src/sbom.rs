//! The list of all components, as CycloneDX 1.5 in JSON.

use serde_json::{Value, json};

use crate::packages::Package;

/// Z3, which is no crate.
const Z3_LICENSE: &str = "MIT";

pub fn sbom(packages: &[Package], target: &str) -> String {
    let own = packages.iter().find(|package| package.name == "kindred");
    let version = own.map_or("", |package| package.version.as_str());
    let root = format!("pkg:cargo/kindred@{version}");
    let z3 = format!("pkg:github/Z3Prover/z3@z3-{}", z3_link::VERSION);
    let others = packages.iter().filter(|package| package.name != "kindred");
    let mut components: Vec<Value> = others.map(component).collect();
    components.push(json!({
        "type": "library",
        "bom-ref": z3,
        "name": "z3",
        "version": z3_link::VERSION,
        "licenses": [{ "expression": Z3_LICENSE }],
        "purl": z3,
        "hashes": z3_link::library_digest(target)
            .map(|digest| vec![json!({ "alg": "SHA-256", "content": digest })])
            .unwrap_or_default(),
    }));
    let mut dependencies: Vec<Value> = packages
        .iter()
        .map(|package| {
            let on = package.dependencies.iter();
            let mut on: Vec<String> = on.map(|(n, v)| format!("pkg:cargo/{n}@{v}")).collect();
            if package.name == "z3-sys" {
                on.push(z3.clone());
            }
            on.sort();
            json!({ "ref": package.purl(), "dependsOn": on })
        })
        .collect();
    dependencies.push(json!({ "ref": z3, "dependsOn": [] }));
    let document = json!({
        "bomFormat": "CycloneDX",
        "specVersion": "1.5",
        "version": 1,
        "metadata": {
            "component": {
                "type": "application",
                "bom-ref": root,
                "name": "kindred",
                "version": version,
                "licenses": [{ "expression": own.map_or("", |package| &package.license) }],
                "purl": root,
            },
            "properties": [{ "name": "target", "value": target }],
        },
        "components": components,
        "dependencies": dependencies,
    });
    format!("{document:#}\n")
}

fn component(package: &Package) -> Value {
    let hashes: Vec<Value> = package
        .checksum
        .iter()
        .map(|sum| json!({ "alg": "SHA-256", "content": sum }))
        .collect();
    json!({
        "type": "library",
        "bom-ref": package.purl(),
        "name": package.name,
        "version": package.version,
        "licenses": [{ "expression": package.license }],
        "purl": package.purl(),
        "hashes": hashes,
    })
}
