//! The library is there, is new enough, and solves.

use z3::ast::{Bool, Int};
use z3::{SatResult, Solver};

/// 4.13.3 is what `z3_link::MINIMUM` says.
#[test]
fn version_is_new_enough() {
    let version = smt::version();
    let numbers: Vec<u32> = version
        .trim_start_matches(|c: char| !c.is_ascii_digit())
        .split(|c: char| !c.is_ascii_digit())
        .map_while(|part| part.parse().ok())
        .collect();
    assert!(numbers.as_slice() >= [4, 13, 3].as_slice(), "{version}");
}

#[test]
fn sat_with_a_model() {
    let (x, y) = (Int::new_const("x"), Int::new_const("y"));
    let solver = Solver::new();
    solver.assert(x.eq(&y * 2));
    solver.assert(x.gt(10));
    solver.assert(x.lt(14));
    assert_eq!(solver.check(), SatResult::Sat);
    let model = solver.get_model().expect("a model");
    let value = |term: &Int| model.eval(term, true).and_then(|v| v.as_i64());
    assert_eq!((value(&x), value(&y)), (Some(12), Some(6)));
}

#[test]
fn unsat() {
    let x = Int::new_const("x");
    let solver = Solver::new();
    let odd_and_even = Bool::and(&[(&x % 2).eq(0), ((&x + 2) % 2).eq(1)]);
    solver.assert(odd_and_even);
    assert_eq!(solver.check(), SatResult::Unsat);
}

/// The library that tests run with is the one that users get.
#[test]
fn the_library_is_the_one_version() {
    if option_env!("KINDRED_Z3_DIR").is_some_and(|folder| !folder.is_empty()) {
        eprintln!("KINDRED_Z3_DIR chooses another library: its version is not compared");
        return;
    }
    let version = smt::version();
    assert!(version.contains(z3_link::VERSION), "{version}");
}
