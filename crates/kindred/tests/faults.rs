//! External solvers that fail in the middle of an analysis, or give wrong answers: Kindred gives no
//! wrong verdict, does not crash, and leaves no process behind. Where other engines can decide the
//! properties, they do.
//!
//! `cargo test -p kindred --test faults -- --ignored` fails five hundred times for
//! each use of a solver, or as often as `KINDRED_FAULTS` says.

#![cfg(unix)]

mod outside;

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use outside::{are_installed, kindred, processes, run, stand_in, verdicts};
use system::Random;

/// How often a solver fails in an ordinary test.
const FAULTS: usize = 3;

fn many_faults() -> usize {
    let count = std::env::var("KINDRED_FAULTS").map(|count| count.parse());
    count.map_or(500, |count| count.expect("a number of faults"))
}

const WAYS: [&str; 8] = [
    "kill", "hang", "garble", "word", "error", "cut", "close", "flood",
];

/// A use of an external solver that fails.
struct Use {
    /// The solver that it stands in for, with the options that choose it.
    options: &'static [&'static str],
    version: &'static str,
    /// The command that answers until the failure.
    command: &'static str,
    /// The last question at which it may fail.
    last: usize,
    /// One process fails, not each.
    once: bool,
}

/// Every engine asks, and one loses its solver: the others decide.
const ONE_OF_MANY: Use = Use {
    options: &["--z3_bin"],
    version: "Z3 version 4.13.0",
    command: "z3 -in -smt2",
    last: 30,
    once: true,
};

/// Every engine asks, and all lose their solvers.
const ALL: Use = Use {
    last: 8,
    once: false,
    ..ONE_OF_MANY
};

/// IC3QE uses the solver for quantifier elimination, and goes on without it.
const ELIMINATION: Use = Use {
    options: &[
        "--enable",
        "IC3QE",
        "--qe_method",
        "precise",
        "--smt_qe_solver",
        "cvc5",
        "--cvc5_bin",
    ],
    version: "This is cvc5 version 1.0.3",
    command: "cvc5 --lang=smt2 --incremental --quiet",
    last: 4,
    once: false,
};

/// IC3IA uses the solver for interpolants, and goes on without it.
const INTERPOLATION: Use = Use {
    options: &[
        "--enable",
        "IC3IA",
        "--smt_itp_solver",
        "cvc5",
        "--cvc5_bin",
    ],
    last: 3,
    ..ELIMINATION
};

impl Use {
    fn program(&self) -> &'static str {
        self.command.split(' ').next().unwrap_or_default()
    }

    fn command(&self, path: &Path, timeout: &str) -> Command {
        let mut command = kindred(self.options);
        command.arg(path).args(["--timeout", timeout]);
        command.env("STAND_IN_VERSION", self.version);
        command.env("STAND_IN_SOLVER", self.command);
        command
    }
}

/// The result of a run in which a solver fails.
struct Survived {
    /// The run reached the failure.
    failed: bool,
    decided: bool,
}

/// The solver fails at some query, in some way.
fn fail(used: &Use, index: usize, path: &Path, timeout: &str) -> Survived {
    let mut random = Random::new(2026, index as u64);
    let way = WAYS[random.below(WAYS.len())];
    let at = 1 + random.below(used.last);
    let mark = path.with_extension("failed");
    // Left by the run before.
    let _ = std::fs::remove_file(&mark);
    let mut command = used.command(path, timeout);
    command
        .env("STAND_IN_FAULT", way)
        .env("STAND_IN_AT", at.to_string())
        .env("STAND_IN_MARK", &mark);
    if used.once {
        command.env("STAND_IN_ONCE", "true");
    }
    let (code, text) = run(&mut command);
    let (wrong, decided) = verdicts(&text);
    assert!(!wrong, "{way} at {at}: {text}");
    assert!([0, 30, 40].contains(&code), "{way} at {at}: {code} {text}");
    let left = processes(path.to_str().expect("text"));
    assert_eq!(left, Vec::<String>::new(), "{way} at {at}");
    Survived {
        failed: mark.exists(),
        decided,
    }
}

/// Repeats the failure `count` times; with `others`, other engines must decide all properties.
fn fail_often(used: &Use, name: &str, count: usize, others: bool) {
    if !are_installed(&["python3", used.program()]) {
        return;
    }
    let path = stand_in(name);
    let timeout = if others { "120" } else { "15" };
    let mut failed = 0;
    for index in 0..count {
        let survived = fail(used, index, &path, timeout);
        failed += usize::from(survived.failed);
        assert!(survived.decided || !others, "not all is decided: {index}");
    }
    eprintln!("{name}: {failed} faults in {count} runs");
    assert!(failed > 0);
}

#[test]
fn one_engine_loses_its_solver_and_the_others_decide() {
    fail_often(&ONE_OF_MANY, "z3-once", FAULTS, true);
}

#[test]
fn all_engines_lose_their_solvers() {
    fail_often(&ALL, "z3-all", FAULTS, false);
}

#[test]
fn ic3qe_goes_on_without_its_helper() {
    fail_often(&ELIMINATION, "cvc5-elimination", FAULTS, true);
}

#[test]
fn ic3ia_goes_on_without_its_helper() {
    fail_often(&INTERPOLATION, "cvc5-interpolation", FAULTS, true);
}

#[test]
#[ignore = "takes half an hour"]
fn one_engine_loses_its_solver_many_times() {
    fail_often(&ONE_OF_MANY, "z3-many-once", many_faults(), true);
}

#[test]
#[ignore = "takes half an hour"]
fn all_engines_lose_their_solvers_many_times() {
    fail_often(&ALL, "z3-many-all", many_faults(), false);
}

#[test]
#[ignore = "takes half an hour"]
fn ic3qe_goes_on_many_times() {
    fail_often(&ELIMINATION, "cvc5-many-elimination", many_faults(), true);
}

#[test]
#[ignore = "takes half an hour"]
fn ic3ia_goes_on_many_times() {
    fail_often(
        &INTERPOLATION,
        "cvc5-many-interpolation",
        many_faults(),
        true,
    );
}

/// The reader of the output closes the pipe while a solver hangs: the solver process ends with the
/// run.
#[test]
fn no_one_reads_the_results() {
    if !are_installed(&["python3", "z3"]) {
        return;
    }
    let path = stand_in("z3-unread");
    let mark = path.with_extension("failed");
    // Left by an earlier test.
    let _ = std::fs::remove_file(&mark);
    let mut command = ALL.command(&path, "10");
    command
        .env("STAND_IN_FAULT", "hang")
        .env("STAND_IN_AT", "1")
        .env("STAND_IN_MARK", &mark)
        .stdout(Stdio::piped())
        .stderr(Stdio::null());
    let mut kindred = command.spawn().expect("kindred runs");
    while !mark.exists() && matches!(kindred.try_wait(), Ok(None)) {
        std::thread::sleep(Duration::from_millis(10));
    }
    drop(kindred.stdout.take());
    kindred.wait().expect("kindred ends");
    assert!(mark.exists(), "the solver was asked");
    let left = processes(path.to_str().expect("text"));
    assert_eq!(left, Vec::<String>::new());
}

/// A solver gives the same answer to all queries, with made-up values: no wrong answer becomes a
/// verdict.
#[test]
fn lies_are_not_believed() {
    if !are_installed(&["python3"]) {
        return;
    }
    let path = stand_in("z3-lies");
    for lie in ["unsat", "sat"] {
        let mut command = ALL.command(&path, "4");
        let (code, text) = run(command.env("STAND_IN_LIE", lie));
        assert!(!verdicts(&text).0, "{lie}: {text}");
        assert!([0, 30, 40].contains(&code), "{lie}: {code} {text}");
        assert!(
            text.contains("warning") || text.contains("Warning"),
            "{lie}: {text}"
        );
    }
}

/// The solver for quantifier elimination claims that all states lead to a violation. IC3QE detects
/// the wrong answer, and goes on without the solver.
#[test]
fn lies_about_quantifiers_are_noticed() {
    if !are_installed(&["python3"]) {
        return;
    }
    let path = stand_in("cvc5-lies");
    let mut command = ELIMINATION.command(&path, "120");
    let (code, text) = run(command.env("STAND_IN_LIE", "unsat"));
    assert_eq!((code, verdicts(&text)), (40, (false, true)), "{text}");
    assert!(
        text.contains("cvc5 has eliminated quantifiers wrongly"),
        "{text}"
    );
}
