//! Guards the one rule cargo cannot check: a crate whose tests or binaries link
//! Z3 needs the run path from a build script of its own. Without it the build
//! passes, and the program stops at start with "cannot open shared object".

use serde_json::Value;
use std::collections::BTreeSet;
use std::process::Command;

fn dependencies<'a>(package: &'a Value, kinds: &[Option<&str>]) -> BTreeSet<&'a str> {
    let all = package["dependencies"].as_array().expect("a list");
    let of_kind = all.iter().filter(|d| kinds.contains(&d["kind"].as_str()));
    of_kind.filter_map(|d| d["name"].as_str()).collect()
}

#[test]
fn every_crate_above_smt_sets_the_run_path() {
    let manifest = concat!(env!("CARGO_MANIFEST_DIR"), "/../../Cargo.toml");
    let output = Command::new(std::env::var_os("CARGO").unwrap_or("cargo".into()))
        .args(["metadata", "--no-deps", "--offline", "--format-version=1"])
        .args(["--manifest-path", manifest])
        .output()
        .expect("cargo runs");
    assert!(output.status.success(), "{output:?}");
    let metadata: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let packages = metadata["packages"].as_array().expect("a list");

    let mut linked = BTreeSet::from(["smt"]);
    loop {
        let before = linked.len();
        for package in packages {
            if !dependencies(package, &[None, Some("dev")]).is_disjoint(&linked) {
                linked.insert(package["name"].as_str().expect("a name"));
            }
        }
        if linked.len() == before {
            break;
        }
    }

    for package in packages {
        let name = package["name"].as_str().expect("a name");
        if name == "smt" || !linked.contains(name) {
            continue;
        }
        assert!(
            dependencies(package, &[None]).contains("smt")
                && dependencies(package, &[Some("build")]).contains("z3-link"),
            "crate `{name}` links Z3: list smt under [dependencies] and z3-link under \
             [build-dependencies], and call z3_link::inherit() in its build.rs"
        );
    }
}
