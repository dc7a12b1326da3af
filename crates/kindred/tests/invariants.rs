//! Invariants as contracts: a written contract parses, its node can import it, and all its
//! guarantees are proved.

mod common;

use std::path::PathBuf;

use common::{Run, Scratch, files, kindred, read, repository};

/// The model with the contract in its node, as the contract's comment says.
fn with_import(model: &str, contract: &str) -> String {
    let import = contract.lines().find_map(|line| line.strip_prefix("--   "));
    let import = import.expect("the contract says how to import it");
    let mut lines = contract.lines();
    let name = lines.find_map(|line| line.strip_prefix("contract "));
    let name = name.expect("a contract");
    let name = name.split("_invariants").next().expect("its name");
    let start = model.find(&format!("node {name}")).expect("the node");
    // Behind the outputs.
    let returns = start + model[start..].find("returns").expect("outputs");
    let end = returns + model[returns..].find(';').expect("an end") + 1;
    let mut end = end;
    while model[..end].matches('(').count() != model[..end].matches(')').count() {
        end += model[end..].find(';').expect("an end") + 1;
    }
    format!(
        "include \"contract.lus\"\n{}\n{import}\n{}",
        &model[..end],
        &model[end..]
    )
}

fn guarantees(run: &Run) -> Vec<String> {
    let summary = run.stdout.split("Summary of properties").last();
    let lines = summary.unwrap_or_default().lines();
    let of_contract = |line: &&str| line.contains("_invariants") && line.contains("guarantee[");
    lines.filter(of_contract).map(str::to_owned).collect()
}

#[test]
fn contracts_parse_and_prove() {
    let mut models: Vec<PathBuf> = ["twins", "real_twins", "machine", "constant"]
        .map(|name| repository().join(format!("crates/kindred/tests/engines/{name}.lus")))
        .to_vec();
    models.extend(files(
        &repository().join("crates/kindred/tests/invariants"),
        "lus",
    ));
    let mut proved = 0;
    for model in models {
        let text = read(&model);
        let name = model.file_stem().expect("a name").to_string_lossy();
        let scratch = Scratch::new(&format!("invariants-{name}"));
        let folder = &scratch.0;
        scratch.write("m.lus", &text);
        let flags = [
            "--timeout",
            "60",
            "--log_invs",
            "true",
            "--output_dir",
            "o",
            "m.lus",
        ];
        let first = kindred(folder, &flags, "");
        assert_eq!(first.exit, 0, "{name}: {}", first.stdout);
        let Ok(written) = std::fs::read_dir(folder.join("o")) else {
            continue;
        };
        for contract in written.flatten() {
            let contract = read(&contract.path());
            scratch.write("contract.lus", &contract);
            scratch.write("with.lus", &with_import(&text, &contract));
            let again = kindred(folder, &["--timeout", "60", "with.lus"], "");
            let told = guarantees(&again);
            let wanted = contract.matches("\n  guarantee ").count();
            assert_eq!(told.len(), wanted, "{name}: {contract}{}", again.stdout);
            for line in told {
                assert!(line.contains(": valid"), "{name}: {line}\n{contract}");
                proved += 1;
            }
            assert_eq!(again.exit, 0, "{name}: {}", again.stdout);
        }
    }
    assert!(proved > 3, "only {proved} guarantees were proved");
}

#[test]
fn invariants_are_shown_in_terms_of_streams() {
    let folder = repository().join("crates/kindred/tests/invariants");
    let args = ["--enable", "SPACER", "--print_invs", "true", "lock.lus"];
    let run = kindred(&folder, &args, "");
    assert_eq!(run.exit, 0, "{}", run.stdout);
    let (_, shown) = run
        .stdout
        .split_once("Post-analysis: invariants")
        .expect("invariants");
    assert!(shown.contains("Invariants of lock for "), "{shown}");
    // The memory of the node is written with the names of streams.
    assert!(shown.contains("held"), "{shown}");
    assert!(!shown.contains("cannot be said"), "{shown}");
    let quiet = kindred(&folder, &["--enable", "SPACER", "lock.lus"], "");
    assert!(!quiet.stdout.contains("Invariants of"), "{}", quiet.stdout);
    let json = [&["-json"], &args[..]].concat();
    let json = kindred(&folder, &json, "");
    assert!(
        json.stdout.contains("Invariants of lock for "),
        "{}",
        json.stdout
    );
}

/// How often the inputs of a run change.
fn changes(run: &Run, inputs: &[&str]) -> usize {
    let table = run.stdout.split("== Inputs ==").nth(1).expect("inputs");
    let rows = table
        .lines()
        .map(|line| line.split_whitespace().collect::<Vec<_>>());
    let of_inputs = rows.filter(|row| row.first().is_some_and(|name| inputs.contains(name)));
    let changes = of_inputs.map(|row| row[1..].windows(2).filter(|w| w[0] != w[1]).count());
    changes.sum()
}

const TANK: &str = "\
node tank(open: bool; flow: subrange [0, 3] of int; spill: int) returns (level: int);
let
  level = 0 -> pre level + (if open then flow else 0) - (if spill > 5 then 1 else 0);
  --%PROPERTY \"low\" level < 7;
tel
";

#[test]
fn smooth_runs_do_not_change_their_inputs() {
    let scratch = Scratch::new("smooth");
    let folder = &scratch.0;
    scratch.write("m.lus", TANK);
    let run = kindred(folder, &["--smooth", "true", "m.lus"], "");
    assert_eq!(run.exit, 40, "{}", run.stdout);
    // As short as without.
    assert!(
        run.stdout.contains("invalid after 3 steps"),
        "{}",
        run.stdout
    );
    assert_eq!(
        changes(&run, &["open", "flow", "spill"]),
        0,
        "{}",
        run.stdout
    );
}
