//! External solvers: installed ones decide the properties, and missing ones are reported. Their
//! failures are tested in `faults.rs`.

#![cfg(unix)]

mod outside;

use std::path::PathBuf;
use std::process::Command;

use outside::{are_installed, kindred, processes, run, stand_in, verdicts};

#[test]
fn every_installed_solver_decides() {
    let solvers = [("Z3", "z3"), ("cvc5", "cvc5"), ("Yices2", "yices-smt2")];
    for (name, program) in solvers {
        if !are_installed(&[program]) {
            continue;
        }
        let mut args = vec!["--smt_solver", name];
        if name == "Z3" {
            args.extend(["--z3_bin", program]);
        }
        for more in ["--check_sat_assume=true", "--check_sat_assume=false"] {
            let (code, text) = run(kindred(&args).arg(more));
            assert_eq!(code, 40, "{text}");
            assert_eq!(verdicts(&text), (false, true), "{name}: {text}");
        }
    }
}

#[test]
fn solvers_that_are_not_there_or_not_known() {
    let (code, text) = run(&mut kindred(&["--z3_bin", "no-such-solver-anywhere"]));
    assert_eq!(code, 4, "{text}");
    assert!(text.contains("--z3_bin says where it is"), "{text}");
    let (code, text) = run(&mut kindred(&[
        "--smt_solver",
        "cvc5",
        "--cvc5_bin",
        "echo",
    ]));
    assert_eq!(code, 5, "{text}");
    let (code, text) = run(&mut kindred(&["--smt_solver", "Yices"]));
    assert_eq!(code, 5, "{text}");
    assert!(text.contains("Yices2"), "{text}");
}

#[test]
fn a_solver_without_integers_refuses_the_model() {
    if !are_installed(&["python3"]) {
        return;
    }
    let path = stand_in("bitwuzla");
    let path = path.to_str().expect("text");
    let mut command = kindred(&["--smt_solver", "Bitwuzla", "--bitwuzla_bin", path]);
    let (code, text) = run(command.env("STAND_IN_VERSION", "0.9.1"));
    assert_eq!(code, 5, "{text}");
    assert!(text.contains("Bitwuzla has no integers"), "{text}");
}

#[test]
fn stand_ins_speak_for_solvers_that_are_not_at_hand() {
    if !are_installed(&["python3", "z3"]) {
        return;
    }
    let path = stand_in("mathsat");
    let path = path.to_str().expect("text");
    let mut command = kindred(&["--smt_solver", "MathSAT", "--mathsat_bin", path]);
    let (code, text) = run(command.env("STAND_IN_VERSION", "MathSAT5 version 5.6.10"));
    assert_eq!((code, verdicts(&text)), (40, (false, true)), "{text}");
    assert_eq!(processes(path), Vec::<String>::new());
    // SMTInterpol is a JAR, so the test puts a stand-in for `java` first on the path.
    let java = stand_in("java");
    let mut command = kindred(&["--smt_solver", "SMTInterpol", "--smtinterpol_jar"]);
    let directory = java.parent().expect("a directory");
    let paths = std::env::var_os("PATH").unwrap_or_default();
    let paths = std::env::split_paths(&paths);
    let paths = std::env::join_paths([directory.to_owned()].into_iter().chain(paths));
    command
        .arg(&java)
        .env("PATH", paths.expect("paths"))
        .env("STAND_IN_VERSION", "SMTInterpol 2.5-1388");
    let (code, text) = run(&mut command);
    assert_eq!((code, verdicts(&text)), (40, (false, true)), "{text}");
}

#[test]
fn scripts_can_be_run_again() {
    let directory = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("traces");
    // Left by an earlier run.
    let _ = std::fs::remove_dir_all(&directory);
    let path = directory.to_str().expect("text");
    let mut args = vec!["--smt_trace", "--smt_trace_dir", path];
    args.extend(["--smt_short_names", "false"]);
    let (code, text) = run(&mut kindred(&args));
    assert_eq!(code, 40, "{text}");
    let scripts: Vec<PathBuf> = std::fs::read_dir(&directory)
        .expect("a directory")
        .map(|entry| entry.expect("a script").path())
        .collect();
    assert!(!scripts.is_empty());
    let is_of_bmc = |script: &&PathBuf| {
        let name = script.file_name().and_then(|name| name.to_str());
        name.is_some_and(|name| name.starts_with("bmc.") && name.ends_with(".Z3.smt2"))
    };
    assert!(
        scripts.iter().any(|script| is_of_bmc(&script)),
        "{scripts:?}"
    );
    if !are_installed(&["z3"]) {
        return;
    }
    for script in scripts {
        let text = std::fs::read_to_string(&script).expect("text");
        let answers: Vec<&str> = text.lines().filter_map(|l| l.strip_prefix("; ")).collect();
        let again = Command::new("z3").arg(&script).output().expect("z3 runs");
        let again = String::from_utf8_lossy(&again.stdout).into_owned();
        // A query that was interrupted has no answer in the script.
        for (then, now) in answers.iter().zip(again.lines()) {
            assert!(
                *then == now || *then == "unknown",
                "{script:?}: {then} {now}"
            );
        }
    }
}

/// The option chooses the solver that the only enabled engine needs for its proof.
#[test]
fn helpers_are_asked() {
    let elimination = ["--enable", "IC3QE", "--qe_method"];
    for (solver, program) in [("cvc5", "cvc5"), ("Z3", "z3")] {
        for method in ["precise", "impl"] {
            if !are_installed(&[program]) {
                continue;
            }
            let mut command = kindred(&elimination);
            command.args([method, "--smt_qe_solver", solver]);
            if solver == "Z3" {
                command.args(["--z3_bin", program]);
            }
            let (code, text) = run(&mut command);
            assert_eq!((code, verdicts(&text)), (40, (false, true)), "{text}");
            assert!(!text.contains("built in"), "{text}");
        }
    }
    if are_installed(&["cvc5"]) {
        let (code, text) = run(&mut kindred(&[
            "--enable",
            "IC3IA",
            "--smt_itp_solver",
            "cvc5",
        ]));
        assert_eq!((code, verdicts(&text)), (40, (false, true)), "{text}");
    }
}
