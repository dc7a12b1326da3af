//! Interpolants of external solvers. Scripts stand in for solvers that are not installed, with
//! right and wrong answers.

#![cfg(unix)]

mod stand_in;

use std::path::Path;
use std::sync::Arc;

use smt::{
    Answer, Choice, Clock, External, Interpolator, Safety, SharedSolverState, Solver,
    SolverContext, SolverProgram,
};
use stand_in::stand_in;
use system::{Role, Sort, StateVar, System, Term, Var, add, boolean, eq, integer, le, not};

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

fn chosen(program: SolverProgram, path: Option<&Path>) -> Choice {
    let path = path.map(|path| path.to_str().expect("text"));
    Choice {
        interpolator: Some(External::new(program, path)),
        ..Choice::default()
    }
}

fn ask(program: SolverProgram, path: &Path) -> Option<Vec<Term>> {
    let choice = chosen(program, Some(path));
    let context = SolverContext::new(choice.clone(), Clock::Real);
    let found = ask_again(&mut Interpolator::new(&context), true);
    assert_eq!(choice.processes(), 0);
    found
}

fn ask_again(interpolator: &mut Interpolator, right: bool) -> Option<Vec<Term>> {
    let (system, question) = counter();
    let cubes = [boolean(true), boolean(true), boolean(true)];
    interpolator.interpolants(&system, &question, &cubes, |_| right)
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
    assert_eq!(ask(SolverProgram::OpenSmt, &path), Some(expected()));
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
    assert_eq!(ask(SolverProgram::MathSat, &path), Some(expected()));
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
        assert_eq!(ask(SolverProgram::OpenSmt, &path), None, "{claim}");
    }
    let path = stand_in("opensmt-sat", &[("check-sat", "echo sat")]);
    assert_eq!(ask(SolverProgram::OpenSmt, &path), None);
}

/// They follow from one another along the path, and exclude its end.
fn are_interpolants(system: &Arc<System>, question: &Safety, found: &[Term]) -> bool {
    let follows = |assumed: &Term, step: usize, claim: &Term| {
        let mut solver = smt::Z3::new(&SolverContext::default(), system.clone());
        solver.assert(assumed, 0);
        for (state, next) in &question.states {
            solver.assert_next(state, next, 0);
        }
        solver.assert(&not(claim), step);
        solver.check(&[]) == Answer::Unsat
    };
    let [first, .., last] = found else {
        return false;
    };
    let steps = found.windows(2);
    follows(&question.init[0], 0, first)
        && steps.into_iter().all(|pair| follows(&pair[0], 1, &pair[1]))
        && follows(last, 0, &not(&question.bad))
}

#[test]
fn cvc5_finds_some() {
    let choice = chosen(SolverProgram::Cvc5, None);
    let external = choice.interpolator.as_ref().expect("cvc5");
    if external.detect(&SharedSolverState::default()).is_err() {
        eprintln!("cvc5 is not installed, and not tested");
        return;
    }
    let context = SolverContext::new(choice, Clock::Real);
    let found = ask_again(&mut Interpolator::new(&context), true);
    let (system, question) = counter();
    let found = found.expect("interpolants");
    assert_eq!(found.len(), 3);
    assert!(are_interpolants(&system, &question, &found), "{found:?}");
    assert_eq!(context.take_notes(), Vec::<String>::new());
}

/// Each is asked for with the one before.
#[test]
fn from_one_to_the_next() {
    let answer = |at: usize| format!("echo '(define-fun itp!{at} () Bool (<= v0@{at} {at}))'");
    let (first, second, third) = (answer(0), answer(1), answer(2));
    let cases = [
        ("(assert (<= v0@0 0))", "seen=first"),
        ("(assert (<= v0@1 1))", "seen=second"),
        ("get-interpolant itp!0", first.as_str()),
        (
            "get-interpolant itp!1",
            &format!("[ \"$seen\" = first ] && {second}"),
        ),
        (
            "get-interpolant itp!2",
            &format!("[ \"$seen\" = second ] && {third}"),
        ),
    ];
    let path = stand_in("cvc5-sequence", &cases);
    assert_eq!(ask(SolverProgram::Cvc5, &path), Some(expected()));
}

/// After three useless answers a solver is not asked again, and one note says so.
#[test]
fn patience_ends() {
    let none = stand_in("cvc5-none", &[("get-interpolant", "echo none")]);
    let wrong = [
        ("check-sat", "echo unsat"),
        ("get-interpolants", "echo '(true true true)'"),
    ];
    let wrong = stand_in("opensmt-true", &wrong);
    let solvers = [
        (SolverProgram::Cvc5, none, "cvc5 says `none`"),
        (
            SolverProgram::OpenSmt,
            wrong,
            "OpenSMT has interpolants that are none",
        ),
    ];
    for (program, path, why) in solvers {
        let context = SolverContext::new(chosen(program, Some(&path)), Clock::Real);
        let mut interpolator = Interpolator::new(&context);
        for _ in 0..3 {
            assert_eq!(context.take_notes(), Vec::<String>::new());
            assert_eq!(ask_again(&mut interpolator, false), None);
        }
        let note = format!("{why}: interpolants come from what is built in");
        assert_eq!(context.take_notes(), [note]);
        std::fs::remove_file(&path).expect("a file");
        assert_eq!(ask_again(&mut interpolator, false), None);
        assert_eq!(context.take_notes(), Vec::<String>::new());
    }
}
