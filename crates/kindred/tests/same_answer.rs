//! With `--threads 1`, all that a run writes is the same every time, but for times: verdicts,
//! counterexamples, cores, cut sets and certificates.

mod common;

use std::path::Path;

use common::{Scratch, files, kindred, read, repository};

/// How often each model is run.
const RUNS: usize = 4;

/// A document in which the values of all times are left out.
fn without_times(document: &str) -> String {
    let mut in_time = false;
    let lines = document.lines().map(|line| {
        if line.contains('"') && line.contains('{') {
            in_time = line.contains("\"runtime\"");
        }
        match in_time && line.contains("\"value\"") {
            true => "(a time)\n".to_owned(),
            false => format!("{line}\n"),
        }
    });
    lines.collect()
}

/// What a run writes: its exit code, its document and the files in a folder.
fn answer(model: &str, flags: &[&str], folder: &Path) -> (i32, String) {
    // Left by the run before.
    let _ = std::fs::remove_dir_all(folder);
    let output = folder.to_string_lossy();
    let mut args = vec!["-json", "--threads", "1", "--output_dir", &output];
    args.extend(flags);
    args.push(model);
    let run = kindred(&repository().join("examples"), &args, "");
    let mut written = without_times(&run.stdout);
    let certificate = folder.join("certificate");
    if certificate.is_dir() {
        for file in files(&certificate, "smt2") {
            written += &read(&file);
        }
    }
    (run.exit, written)
}

/// Runs a model again and again.
fn is_repeated(name: &str, model: &str, flags: &[&str]) {
    let scratch = Scratch::new(name);
    let folder = scratch.0.join("out");
    let first = answer(model, flags, &folder);
    assert!(first.1.len() > 100, "{model}: {}", first.1);
    for _ in 1..RUNS {
        let again = answer(model, flags, &folder);
        assert_eq!(again, first, "{model} {flags:?}");
    }
}

#[test]
fn verdicts_and_counterexamples_are_repeated() {
    is_repeated("same_altitude", "altitude.lus", &[]);
    is_repeated("same_jugs", "jugs.lus", &[]);
    is_repeated("same_voter", "voter.lus", &["--modular", "true"]);
    let both = ["--modular", "true", "--compositional", "true"];
    is_repeated("same_stopwatch", "stopwatch.lus", &both);
}

#[test]
fn cores_are_repeated() {
    is_repeated("same_core", "triplex.lus", &["--ivc", "true"]);
    let all = ["--ivc", "true", "--ivc_all", "true"];
    is_repeated("same_cores", "gray_counter.lus", &all);
}

#[test]
fn cut_sets_are_repeated() {
    let all = ["--enable", "MCS", "--mcs_all", "true"];
    is_repeated("same_cuts", "triplex.lus", &all);
    is_repeated("same_cut", "thermostat.lus", &["--enable", "MCS"]);
}

#[test]
fn certificates_are_repeated() {
    is_repeated(
        "same_certificate",
        "gray_counter.lus",
        &["--certif", "true"],
    );
}
