//! Interpolants of solvers that are not at hand: a script stands in for them,
//! and says what they would say, or what they should not.

#![cfg(unix)]

use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use smt::{Choice, External, Program, Safety, external_interpolants, with_choice};
use system::{Role, Sort, StateVar, System, Term, Var, add, boolean, eq, integer, le};

/// A script that answers each command by the first pattern that it fits.
fn stand_in(name: &str, cases: &[(&str, &str)]) -> PathBuf {
    let mut script = "#!/bin/sh\nwhile read -r line; do\n  case \"$line\" in\n".to_owned();
    for (pattern, action) in cases {
        script += &format!("    *\"{pattern}\"*) {action} ;;\n");
    }
    script += "  esac\ndone\n";
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::write(&path, script).expect("a script");
    let runs = std::fs::Permissions::from_mode(0o755);
    std::fs::set_permissions(&path, runs).expect("a script that runs");
    path
}

/// `x = 0 -> pre x + 1`, which is not 5 after two steps.
fn counter() -> (Arc<System>, Safety) {
    let x = system::var(Var(0), Sort::Int);
    let next = add([x.clone(), integer(1)]);
    let var = StateVar {
        init: Some(integer(0)),
        next: Some(next.clone()),
        ..StateVar::new("x", Sort::Int, Role::State)
    };
    let system = System {
        vars: vec![var],
        ..System::default()
    };
    let question = Safety {
        init: vec![eq(&x, &integer(0))],
        constraints: Vec::new(),
        bad: eq(&x, &integer(5)),
        states: vec![(x, next)],
    };
    (Arc::new(system), question)
}

fn ask(program: Program, path: &Path) -> Option<Vec<Term>> {
    let choice = Choice {
        interpolator: Some(External::new(program, path.to_str())),
        ..Choice::default()
    };
    let (system, question) = counter();
    let cubes = [boolean(true), boolean(true), boolean(true)];
    let found = with_choice(&choice, || {
        external_interpolants(&system, &question, &cubes)
    });
    assert_eq!(choice.processes(), 0);
    found
}

fn expected() -> Vec<Term> {
    let x = system::var(Var(0), Sort::Int);
    let bound = |most: i64| le(&x, &integer(most));
    vec![bound(0), bound(1), bound(2)]
}

#[test]
fn a_sequence_at_once() {
    let answer = "echo '((<= v0@0 0) (let ((a v0@1)) (<= a 1))'; echo ' (<= v0@2 2))'";
    let cases = [
        ("produce-interpolants", "echo success"),
        ("check-sat", "echo unsat"),
        ("get-interpolants part!0 part!1 part!2 part!3", answer),
    ];
    let path = stand_in("opensmt-sequence", &cases);
    assert_eq!(ask(Program::OpenSmt, &path), Some(expected()));
}

#[test]
fn one_after_the_other() {
    let cases = [
        (":interpolation-group part!3", ":"),
        ("check-sat", "echo unsat"),
        ("get-interpolant (part!0))", "echo '(<= v0@0 0)'"),
        ("get-interpolant (part!0 part!1))", "echo '(<= v0@1 1)'"),
        (
            "get-interpolant (part!0 part!1 part!2))",
            "echo '(<= v0@2 2)'",
        ),
    ];
    let path = stand_in("mathsat-one", &cases);
    assert_eq!(ask(Program::MathSat, &path), Some(expected()));
}

#[test]
fn what_should_not_be_said_is_no_interpolant() {
    let claims = [
        "echo '(error \"not now\")'",
        "echo '((<= v0@0 0))'",
        "echo '((<= v0@0 0) (<= v0@1 1) (<= v9@2 2))'",
        "echo '((<= v0@0 0) (<= v0@1 1) (<= v0@1 2))'",
        "echo '((<= v0@0 0) (<= v0@1 1) (frob v0@2))'",
        "echo ')))'",
        "exit 0",
    ];
    for claim in claims {
        let cases = [("check-sat", "echo unsat"), ("get-interpolants", claim)];
        let path = stand_in("opensmt-wrong", &cases);
        assert_eq!(ask(Program::OpenSmt, &path), None, "{claim}");
    }
    let path = stand_in("opensmt-sat", &[("check-sat", "echo sat")]);
    assert_eq!(ask(Program::OpenSmt, &path), None);
}
