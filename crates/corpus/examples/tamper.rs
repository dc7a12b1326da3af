//! `cargo run --release -p corpus --example tamper -- [COUNT]`: changes so many
//! certificates of valid models, each so that a solver finds it to be a lie, and has
//! `kindred verify-certificate` look at them. All must be refused; so must be forgeries,
//! with other questions, another k, or another checker.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::ExitCode;

use corpus::certificates::{
    Fate, Tampered, Written, forged, is_installed, script, tampered, valid,
};
use corpus::files;

/// The solver that says which changes matter.
const SOLVER: &str = "z3";

/// Each certificate is changed in each of these once.
const FUNCTIONS: [&str; 5] = ["phi", "prop", "init", "trans", "step"];

/// How many changes are tried until one matters.
const TRIES: usize = 8;

const REFUSED: i32 = 40;

fn main() -> ExitCode {
    let count = std::env::args().nth(1).and_then(|text| text.parse().ok());
    let wanted: usize = count.unwrap_or(100);
    let Some(corpus) = files::corpus().filter(|_| is_installed(SOLVER)) else {
        eprintln!("there is no corpus, or no {SOLVER}");
        return ExitCode::from(2);
    };
    let mut models = valid(&corpus, "fmcad08");
    models.extend(valid(&corpus, "regression"));
    let mut kinds: BTreeMap<String, (usize, usize)> = BTreeMap::new();
    let (mut done, mut accepted) = (0, 0);
    let (mut forgeries, mut believed) = (0, 0);
    // Neighbours are alike.
    let stride = 7;
    for at in (0..models.len()).map(|at| at * stride % models.len()) {
        if done >= wanted {
            break;
        }
        let written = Written::new(&models[at], at);
        let all = written.certificates();
        let [certificate] = all.as_slice() else {
            continue;
        };
        let original = files::read(certificate);
        for (what, code) in forge(&written, certificate, &original) {
            forgeries += 1;
            if code != REFUSED {
                believed += 1;
                println!("not refused: {}, {what}", files::name(&written.model));
            }
        }
        let all = tampered(&original);
        for function in FUNCTIONS {
            let of = |changed: &&Tampered| changed.what.starts_with(function);
            let changes: Vec<&Tampered> = all.iter().filter(of).collect();
            let lie = (0..changes.len().min(TRIES)).find_map(|step| {
                let changed = changes[(at + step * stride) % changes.len()];
                let fate = changed.fate(SOLVER, &script(certificate, &changed.text));
                (fate != Fate::Harmless).then_some((changed, fate))
            });
            let Some((changed, fate)) = lie.filter(|_| done < wanted) else {
                continue;
            };
            done += 1;
            std::fs::write(certificate, &changed.text).expect("a file of ours");
            let (code, text) = written.verify();
            let kind = format!("{}, {fate:?}", changed.what);
            let kind = kinds.entry(kind).or_default();
            kind.0 += 1;
            if code != REFUSED {
                kind.1 += 1;
                accepted += 1;
                let name = files::name(&written.model);
                println!("not refused: {name}, {}: {}", changed.what, text.trim());
            }
        }
    }
    for (kind, (count, accepted)) in &kinds {
        println!("{count:>4} {kind}, {accepted} not refused");
    }
    println!("{done} changed certificates, {accepted} not refused");
    println!("{forgeries} forgeries, {believed} not refused");
    match accepted + believed {
        0 if done >= wanted => ExitCode::SUCCESS,
        _ => ExitCode::FAILURE,
    }
}

/// Has forgeries of a certificate verified; what each is, and the exit code.
fn forge(written: &Written, certificate: &Path, original: &str) -> Vec<(&'static str, i32)> {
    let mut codes = Vec::new();
    for (what, text) in forged(original) {
        std::fs::write(certificate, text).expect("a file of ours");
        codes.push((what, written.verify().0));
    }
    std::fs::write(certificate, original).expect("a file of ours");
    let checker = certificate.with_file_name("certificate_checker");
    let text = files::read(&checker);
    std::fs::write(&checker, "#!/bin/sh\necho unsat\necho unsat\necho unsat\n")
        .expect("a file of ours");
    codes.push(("another checker", written.verify().0));
    std::fs::write(&checker, text).expect("a file of ours");
    codes
}
