//! Solvers outside of the program, and what becomes of an analysis when they
//! fail: never a wrong answer, never a crash, and no process is left behind.
//!
//! `cargo test -p kindred --test solvers -- --ignored` fails five hundred times.

#![cfg(unix)]

use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use system::Random;

/// How often the solver fails in an ordinary test.
const FAULTS: usize = 8;
const MANY_FAULTS: usize = 500;

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/solvers")
}

fn is_installed(program: &str) -> bool {
    let there = Command::new(program).arg("--version").output().is_ok();
    if !there {
        eprintln!("{program} is not installed, and not tested");
    }
    there
}

fn kindred(args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_kindred"));
    command.arg(folder().join("counter.lus")).args(args);
    command
}

fn run(command: &mut Command) -> (i32, String) {
    let Output {
        status,
        stdout,
        stderr,
    } = command.output().expect("kindred runs");
    let text = String::from_utf8_lossy(&stdout) + String::from_utf8_lossy(&stderr);
    (status.code().expect("no signal"), text.into_owned())
}

/// The executable of a stand-in, at a place of its own, so that its processes
/// can be told from those of others.
fn stand_in(name: &str) -> PathBuf {
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::copy(folder().join("stand_in.py"), &path).expect("a script");
    let runs = std::fs::Permissions::from_mode(0o755);
    std::fs::set_permissions(&path, runs).expect("a script that runs");
    path
}

/// The processes whose command line has the text.
fn processes(text: &str) -> Vec<String> {
    let all = std::fs::read_dir("/proc").into_iter().flatten().flatten();
    let lines = all.filter_map(|entry| std::fs::read(entry.path().join("cmdline")).ok());
    let lines = lines.map(|line| String::from_utf8_lossy(&line).replace('\0', " "));
    lines
        .filter(|line| line.contains(text) && line.contains("python"))
        .collect()
}

fn verdicts(text: &str) -> (bool, bool) {
    let wrong = text.contains("bounded is valid")
        || text.contains("together is invalid")
        || text.contains("positive is invalid")
        || text.contains("internal error")
        || text.contains("panicked");
    let right = text.contains("bounded is invalid") && text.contains("together is valid");
    (wrong, right)
}

#[test]
fn every_installed_solver_decides() {
    let solvers = [("Z3", "z3"), ("cvc5", "cvc5"), ("Yices2", "yices-smt2")];
    for (name, program) in solvers {
        if !is_installed(program) {
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
    if !is_installed("python3") {
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
    if !is_installed("python3") || !is_installed("z3") {
        return;
    }
    let path = stand_in("mathsat");
    let path = path.to_str().expect("text");
    let mut command = kindred(&["--smt_solver", "MathSAT", "--mathsat_bin", path]);
    let (code, text) = run(command.env("STAND_IN_VERSION", "MathSAT5 version 5.6.10"));
    assert_eq!((code, verdicts(&text)), (40, (false, true)), "{text}");
    assert_eq!(processes(path), Vec::<String>::new());
    // SMTInterpol is a JAR, which a `java` runs that is found first.
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

/// The solver fails at some query, in some way; what is said is right all the
/// same, or less.
fn fail(index: usize, path: &str) -> bool {
    const WAYS: [&str; 8] = [
        "kill", "hang", "garble", "word", "error", "cut", "close", "flood",
    ];
    let mut random = Random::new(2026, index as u64);
    let way = WAYS[random.below(WAYS.len())];
    let at = 1 + random.below(30);
    let mut command = kindred(&["--z3_bin", path, "--timeout", "2"]);
    command
        .env("STAND_IN_VERSION", "Z3 version 4.13.0")
        .env("STAND_IN_FAULT", way)
        .env("STAND_IN_AT", at.to_string());
    let (code, text) = run(&mut command);
    let (wrong, right) = verdicts(&text);
    assert!(!wrong, "{way} at {at}: {text}");
    assert!([0, 30, 40].contains(&code), "{way} at {at}: {code} {text}");
    assert_eq!(processes(path), Vec::<String>::new(), "{way} at {at}");
    right
}

fn fail_often(name: &str, count: usize) {
    if !is_installed("python3") || !is_installed("z3") {
        return;
    }
    let path = stand_in(name);
    let path = path.to_str().expect("text");
    let right = (0..count).filter(|index| fail(*index, path)).count();
    eprintln!("{count} faults, and all properties decided in {right} runs");
}

#[test]
fn faults_are_survived() {
    fail_often("z3-faults", FAULTS);
}

#[test]
#[ignore = "takes half an hour"]
fn many_faults_are_survived() {
    fail_often("z3-many-faults", MANY_FAULTS);
}

#[test]
fn scripts_can_be_run_again() {
    let directory = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("traces");
    // Of an earlier run.
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
    if !is_installed("z3") {
        return;
    }
    for script in scripts {
        let text = std::fs::read_to_string(&script).expect("text");
        let answers: Vec<&str> = text.lines().filter_map(|l| l.strip_prefix("; ")).collect();
        let again = Command::new("z3").arg(&script).output().expect("z3 runs");
        let again = String::from_utf8_lossy(&again.stdout).into_owned();
        // A query that was cut off has no answer here.
        for (then, now) in answers.iter().zip(again.lines()) {
            assert!(
                *then == now || *then == "unknown",
                "{script:?}: {then} {now}"
            );
        }
    }
}
