//! Systems without runs, or whose runs all end: the warnings are Kind 2's, and the summary marks
//! vacuous verdicts.

mod common;

use common::{Run, Scratch, kindred, repository};

const NO_RUN: &str = "BMC Initial state is unsat, the system has no reachable states.";

fn dead_end(step: usize) -> String {
    format!(
        "BMC Unrolling of the system is unsat at {step}, the system has no more reachable states."
    )
}

fn folder() -> std::path::PathBuf {
    repository().join("crates/kindred/tests/vacuity")
}

fn run(model: &str, more: &[&str]) -> Run {
    let mut args = more.to_vec();
    args.push(model);
    kindred(&folder(), &args, "")
}

fn summary(run: &Run) -> Vec<&str> {
    let all = run.stdout.split("Summary of properties:").skip(1);
    all.flat_map(str::lines).collect()
}

/// Does a run warn that no run of the model reaches the step, and mark the property?
fn assert_vacuous(run: &Run, property: &str, step: usize) {
    let (warning, mark) = match step {
        0 => (
            NO_RUN.to_owned(),
            "vacuous: the system has no run".to_owned(),
        ),
        _ => (
            dead_end(step),
            format!("vacuous from step {step} on: no run goes on"),
        ),
    };
    let warning = format!("<Warning> {warning}");
    assert!(
        run.stdout.lines().any(|line| line == warning),
        "{}",
        run.stdout
    );
    let marked = |line: &&str| line.starts_with(property) && line.ends_with(&mark);
    assert!(
        summary(run).iter().any(marked),
        "{property}: {}",
        run.stdout
    );
}

fn assert_not_vacuous(run: &Run) {
    assert!(!run.stdout.contains("reachable states"), "{}", run.stdout);
    assert!(!run.stdout.contains("vacuous"), "{}", run.stdout);
}

#[test]
fn contradictions_are_told() {
    for (model, property, step) in [
        ("assertions.lus", "any: valid", 0),
        ("assertions.lus", "reach: unreachable", 0),
        ("assumptions.lus", "g: valid", 0),
        ("imported.lus", "any: valid", 0),
        ("constants.lus", "g: valid", 0),
        ("ranges.lus", "g: valid", 0),
        ("dead_end.lus", "any: valid", 5),
        ("dead_end.lus", "reach: unreachable", 5),
        ("far.lus", "any: valid", 100),
        ("outside_cone.lus", "cover: valid", 4),
        ("active_later.lus", "default: valid", 2),
        ("restarted.lus", "same: valid", 6),
        ("arrays.lus", "any: valid", 2),
    ] {
        assert_vacuous(&run(model, &[]), property, step);
    }
}

#[test]
fn what_is_violated_is_not_vacuous() {
    let run = run("dead_end.lus", &[]);
    let wrong = summary(&run)
        .into_iter()
        .find(|line| line.starts_with("wrong"));
    assert_eq!(
        wrong,
        Some("wrong: invalid after 2 steps"),
        "{}",
        run.stdout
    );
    assert_eq!(run.exit, 40);
}

#[test]
fn runs_that_some_inputs_let_go_on_are_runs() {
    for model in ["some_runs_go_on.lus", "never_active.lus"] {
        let run = run(model, &[]);
        assert_eq!(run.exit, 0, "{}", run.stdout);
        assert_not_vacuous(&run);
    }
    assert_not_vacuous(&run("nested.lus", &[]));
}

#[test]
fn every_engine_finds_it_alone() {
    for engine in ["BMC", "IND", "IC3IA", "IC3QE", "SPACER"] {
        for (model, step) in [("imported.lus", 0), ("outside_cone.lus", 4)] {
            let run = run(model, &["--enable", engine]);
            let property = ["any: valid", "cover: valid"][usize::from(step == 4)];
            assert_vacuous(&run, property, step);
        }
    }
}

#[test]
fn it_is_found_with_every_way_to_translate() {
    for way in [
        &["--slice_nodes", "false"][..],
        &["--threads", "1"],
        &["--check_subproperties", "false"],
        &["--inline_arrays", "false"],
        &["--disable", "BMC"],
    ] {
        assert_vacuous(&run("outside_cone.lus", way), "cover: valid", 4);
        assert_vacuous(&run("assumptions.lus", way), "g: valid", 0);
    }
}

#[test]
fn whoever_does_not_ask_is_not_told() {
    assert_not_vacuous(&run("far.lus", &["--bmc_check_unroll", "false"]));
}

/// An unsatisfiable contract stands for a node: the caller has no runs then, while the node itself
/// has runs, and violates the contract.
#[test]
fn contracts_stand_for_nodes() {
    let plain = run("contract.lus", &[]);
    assert_eq!(plain.exit, 40, "{}", plain.stdout);
    assert_not_vacuous(&plain);
    let composed = run("contract.lus", &["--compositional", "true"]);
    assert_vacuous(&composed, "any: valid", 0);
    let modular = run(
        "contract.lus",
        &["--compositional", "true", "--modular", "true"],
    );
    assert_vacuous(&modular, "_one_mode_active: valid", 0);
    assert_vacuous(&modular, "any: valid", 0);
    assert_eq!(modular.exit, 40, "{}", modular.stdout);
    let note = "  vacuous, no run goes on: any\n";
    assert!(modular.stdout.contains(note), "{}", modular.stdout);
}

/// The assumptions of a callee do not constrain the runs of its caller.
#[test]
fn each_node_has_its_own_runs() {
    let run = run("nested.lus", &["--modular", "true"]);
    let analyses: Vec<&str> = run.stdout.split("Analyzing ").collect();
    assert!(analyses[1].starts_with("useless") && analyses[1].contains(NO_RUN));
    assert!(analyses[2].starts_with("top") && !analyses[2].contains("reachable states"));
}

/// As tools read it: a warning with the words that they search for. (That the documents
/// follow the schemas is tested with those of other models.)
#[test]
fn tools_are_told() {
    for (model, way, words) in [
        ("assumptions.lus", &[][..], NO_RUN.to_owned()),
        ("outside_cone.lus", &[], dead_end(4)),
        (
            "contract.lus",
            &["--compositional", "true"],
            NO_RUN.to_owned(),
        ),
    ] {
        let json = run(model, &[way, &["-json"]].concat());
        let document: serde_json::Value = serde_json::from_str(&json.stdout).expect("JSON");
        let logs = document.as_array().expect("an array").iter();
        let warning = |log: &&serde_json::Value| log["level"] == "warn" && log["value"] == words;
        assert_eq!(logs.filter(warning).count(), 1, "{}", json.stdout);
        let xml = run(model, &[way, &["-xml"]].concat());
        let warning = format!("<Log class=\"warn\" source=\"parse\">{words}</Log>");
        assert_eq!(xml.stdout.matches(&warning).count(), 1, "{}", xml.stdout);
        assert_eq!((json.exit, xml.exit), (0, 0));
    }
}

/// A search for cut sets proves nothing, but warns too that there are no runs.
#[test]
fn it_is_told_with_cut_sets() {
    let run = run("assumptions.lus", &["--enable", "MCS"]);
    assert!(run.stdout.contains(NO_RUN), "{}", run.stdout);
}

/// A proof of a system without runs has cores and certificates like others.
#[test]
fn vacuous_proofs_have_evidence() {
    let scratch = Scratch::new("vacuous_evidence");
    let output = scratch.0.display().to_string();
    let more = ["--certif", "true", "--ivc", "true", "--output_dir", &output];
    for (model, property, step) in [
        ("assumptions.lus", "g: valid", 0),
        ("far.lus", "any: valid", 100),
        ("outside_cone.lus", "cover: valid", 4),
    ] {
        let run = run(model, &more);
        assert_vacuous(&run, property, step);
        assert_eq!(run.exit, 0, "{}", run.stdout);
    }
}
