//! Full disks, lost output and signals while something is written.
//!
//! This is a sample; `cargo run --release -p corpus --example write_faults` tries all ways
//! to write (`docs/testing.md`).

#![cfg(target_os = "linux")]

mod common;

use std::path::Path;
use std::process::Command;

use common::{Scratch, repository};
use corpus::write_faults::{Injector, SIGNALS, WAYS, Way};

fn injector(scratch: &Scratch, model: &str) -> Injector {
    Injector {
        binary: Path::new(env!("CARGO_BIN_EXE_kindred")).to_owned(),
        folder: scratch.0.join("run"),
        model: repository().join("examples").join(model),
    }
}

fn way(name: &str) -> &'static Way {
    let way = WAYS.iter().find(|way| way.name == name);
    way.expect("a way to write something")
}

fn has_prlimit() -> bool {
    let there = Command::new("prlimit").arg("--version").output().is_ok();
    if !there {
        eprintln!("prlimit is not installed, and full disks are not tested");
    }
    there
}

#[test]
fn a_full_disk_leaves_whole_files_and_an_error() {
    if !has_prlimit() {
        return;
    }
    let scratch = Scratch::new("full_disk");
    let injector = injector(&scratch, "stopwatch.lus");
    for name in ["counterexamples", "advice"] {
        let injected = injector.full_disk(way(name));
        assert_eq!(injected.wrong, Vec::<String>::new());
        assert!(injected.struck > 0, "{name}");
    }
}

#[test]
fn output_that_nobody_takes_is_an_error() {
    let scratch = Scratch::new("lost_output");
    let injector = injector(&scratch, "stopwatch.lus");
    let injected = injector.lost_output(way("JSON"));
    assert_eq!(injected.wrong, Vec::<String>::new());
    assert!(injected.struck > 0);
}

#[test]
fn a_signal_leaves_whole_files_and_a_closed_document() {
    let scratch = Scratch::new("signals");
    let injector = injector(&scratch, "thermostat.lus");
    let injected = injector.signals(way("certificates"), SIGNALS, 3);
    assert_eq!(injected.wrong, Vec::<String>::new());
    assert!(injected.struck > 0);
}
