//! Every installed external solver gives the same answers as Z3 in this process. The test names the
//! solvers that are not installed.

mod installed;

use installed::solvers;
use num_bigint::BigInt;
use num_rational::BigRational;
use smt::{
    Answer, AnySolver, Choice, Clock, External, Literal, Scalar, Solver, SolverContext,
    SolverProgram,
};
use std::sync::Arc;
use system::{
    BvCompare, BvOp, Random, Sort, System, Term, Var, add, and, bitvec, bv, bv_compare, eq,
    integer, ite, lt, mul, not, or, real,
};

fn system(sorts: &[Sort]) -> Arc<System> {
    Arc::new(System::of_inputs(sorts.iter().cloned()))
}

fn choices(external: External) -> [Choice; 3] {
    let plain = Choice {
        external: Some(external),
        ..Choice::default()
    };
    let asserting = Choice {
        check_sat_assume: false,
        ..plain.clone()
    };
    let named = Choice {
        short_names: false,
        ..plain.clone()
    };
    [plain, asserting, named]
}

/// Runs the test with all installed solvers that have the theory, under all settings; afterwards no
/// process is left, and none has failed.
fn with_all(sorts: &[Sort], test: impl Fn(&mut AnySolver, &str)) {
    with_all_contexts(sorts, |context, name| {
        test(&mut AnySolver::new(context, system(sorts)), name);
        assert_eq!(context.take_failure(), None, "{name}");
    });
}

fn with_all_contexts(sorts: &[Sort], test: impl Fn(&SolverContext, &str)) {
    let terms: Vec<Term> = (0..)
        .zip(sorts)
        .map(|(id, sort)| system::var(Var(id), sort.clone()))
        .collect();
    let theories = smt::smtlib::Theories::of(&terms);
    for external in solvers() {
        let name = external.program.name();
        if external.program.lacks(&theories).is_some() {
            continue;
        }
        for choice in choices(external.clone()) {
            test(&SolverContext::new(choice.clone(), Clock::Real), name);
            assert_eq!(choice.processes(), 0, "{name}");
        }
    }
}

#[test]
fn values_are_exact() {
    with_all(&[Sort::Real, Sort::Int], |solver, name| {
        let (x, y) = (
            system::var(Var(0), Sort::Real),
            system::var(Var(1), Sort::Int),
        );
        let third = BigRational::new((-1).into(), 3.into());
        let big: BigInt = BigInt::from(-7) * BigInt::from(10).pow(30);
        solver.assert(&eq(&x, &real(third.clone())), 2);
        solver.assert(&eq(&y, &integer(big.clone())), 0);
        assert_eq!(solver.check(&[]), Answer::Sat, "{name}");
        assert_eq!(solver.value(&x, 2), Some(Scalar::Real(third)), "{name}");
        assert_eq!(solver.value(&y, 0), Some(Scalar::Int(big)), "{name}");
        // No assertion has this variable: any value is right, and stays the same.
        let free = solver.value(&x, 7).expect("a value");
        assert_eq!(solver.value(&x, 7), Some(free));
    });
}

#[test]
fn bits_are_exact() {
    with_all(&[Sort::BitVec(8), Sort::BitVec(7)], |solver, name| {
        let (x, y) = (
            system::var(Var(0), Sort::BitVec(8)),
            system::var(Var(1), Sort::BitVec(7)),
        );
        solver.assert(&eq(&x, &bitvec(8, &200.into())), 0);
        solver.assert(&eq(&y, &bitvec(7, &99.into())), 0);
        assert_eq!(solver.check(&[]), Answer::Sat, "{name}");
        assert_eq!(
            solver.value(&x, 0),
            Some(Scalar::BitVec(200.into())),
            "{name}"
        );
        assert_eq!(
            solver.value(&y, 0),
            Some(Scalar::BitVec(99.into())),
            "{name}"
        );
    });
}

#[test]
fn cores_name_the_assumptions() {
    with_all(&[Sort::Int], |solver, name| {
        let x = system::var(Var(0), Sort::Int);
        let (a, b, c) = (solver.literal(), solver.literal(), solver.literal());
        solver.assert_if(a, &lt(&x, &integer(0)), 0);
        solver.assert_if(b, &lt(&integer(5), &x), 0);
        solver.assert_if(c, &lt(&x, &integer(9)), 0);
        assert_eq!(solver.check(&[b, c]), Answer::Sat, "{name}");
        assert_eq!(solver.check(&[a, b, c]), Answer::Unsat, "{name}");
        let core = solver.core();
        assert!(core.contains(&a) && core.contains(&b), "{name}: {core:?}");
        solver.retire(a);
        assert_eq!(solver.check(&[a]), Answer::Unsat, "{name}");
        assert_eq!(solver.core(), [a], "{name}");
    });
}

#[test]
fn soft_literals_are_weighed() {
    with_all(&[Sort::Int], |solver, name| {
        let x = system::var(Var(0), Sort::Int);
        let (a, b, c) = (solver.literal(), solver.literal(), solver.literal());
        solver.assert_if(a, &lt(&x, &integer(0)), 0);
        solver.assert_if(b, &lt(&integer(5), &x), 0);
        solver.assert_if(c, &lt(&integer(7), &x), 0);
        let negative = lt(&x, &integer(0));
        for (weight, expected) in [(3, true), (1, false)] {
            let soft = [(a, weight), (b, 1), (c, 1)];
            assert_eq!(solver.check_soft(&[], &soft), Answer::Sat, "{name}");
            assert_eq!(
                solver.value(&negative, 0),
                Some(Scalar::Bool(expected)),
                "{name}"
            );
        }
        assert_eq!(
            solver.check_soft(&[a, c], &[(b, 1)]),
            Answer::Unsat,
            "{name}"
        );
    });
}

#[test]
fn steps_and_levels() {
    with_all(&[Sort::Int, Sort::Int], |solver, name| {
        let (x, y) = (
            system::var(Var(0), Sort::Int),
            system::var(Var(1), Sort::Int),
        );
        let next = add([x.clone(), y.clone()]);
        solver.assert_next(&x, &next, 0);
        solver.assert(&eq(&x, &integer(3)), 0);
        solver.push();
        solver.assert(&eq(&x, &integer(10)), 1);
        assert_eq!(solver.check(&[]), Answer::Sat, "{name}");
        assert_eq!(solver.value(&y, 0), Some(Scalar::Int(7.into())), "{name}");
        solver.assert(&lt(&y, &integer(7)), 0);
        assert_eq!(solver.check(&[]), Answer::Unsat, "{name}");
        solver.pop();
        solver.assert(&lt(&y, &integer(7)), 0);
        assert_eq!(solver.check(&[]), Answer::Sat, "{name}");
        solver.assert_different(std::slice::from_ref(&x), 0, 1);
        solver.assert(&eq(&y, &integer(0)), 0);
        assert_eq!(solver.check(&[]), Answer::Unsat, "{name}");
    });
}

/// The same questions as to the solver in this process, and the same answers.
fn agree(sorts: &[Sort], formula: impl Fn(&mut Random) -> Term) {
    with_all(sorts, |solver, name| {
        let mut random = Random(7);
        let mut known = AnySolver::new(&SolverContext::default(), system(sorts));
        let mut literals: Vec<(Literal, Literal)> = Vec::new();
        for _ in 0..60 {
            let term = formula(&mut random);
            let pair = (solver.literal(), known.literal());
            solver.assert_if(pair.0, &term, 0);
            known.assert_if(pair.1, &term, 0);
            literals.push(pair);
            let asked: Vec<&(Literal, Literal)> =
                literals.iter().filter(|_| random.once_in(8)).collect();
            let (own, theirs): (Vec<Literal>, Vec<Literal>) = asked.into_iter().copied().unzip();
            let answer = solver.check(&own);
            assert_eq!(answer, known.check(&theirs), "{name}");
            if answer == Answer::Unsat {
                let core = solver.core();
                assert_eq!(solver.check(&core), Answer::Unsat, "{name}");
            } else {
                assert!(solver.value(&term, 0).is_some(), "{name}");
            }
        }
    });
}

#[test]
fn answers_about_integers_are_the_same() {
    agree(&[Sort::Int, Sort::Int, Sort::Bool], |random| {
        let mut number = |depth| number(random, depth);
        let (a, b) = (number(2), number(2));
        let b = add([b, system::int_mod(&number(1), &integer(5))]);
        let truth = system::var(Var(2), Sort::Bool);
        or([
            and([lt(&a, &b), truth.clone()]),
            and([eq(&a, &b), not(&truth)]),
        ])
    });
}

fn number(random: &mut Random, depth: usize) -> Term {
    if depth == 0 {
        return match random.once_in(3) {
            true => integer(random.below(20) as i64 - 10),
            false => system::var(Var(random.below(2) as u32), Sort::Int),
        };
    }
    let (a, b) = (number(random, depth - 1), number(random, depth - 1));
    match random.below(3) {
        0 => add([a, b]),
        1 => mul(&integer(-2), &a),
        _ => ite(&lt(&a, &b), &b, &integer(4)),
    }
}

#[test]
fn answers_about_bits_are_the_same() {
    use BvOp::*;
    let ops = [
        Add, Sub, Mul, Udiv, Urem, Sdiv, Srem, And, Or, Shl, Lshr, Ashr,
    ];
    agree(&[Sort::BitVec(6), Sort::BitVec(6)], |random| {
        let var = |id| system::var(Var(id), Sort::BitVec(6));
        let mut term = bitvec(6, &random.below(64).into());
        for _ in 0..2 {
            let op = ops[random.below(ops.len())];
            term = bv(op, &var(random.below(2) as u32), &term);
        }
        bv_compare(BvCompare::Slt, &term, &var(0))
    });
}

/// Not all solvers have unsat cores here; then all assumptions are one.
#[test]
fn cores_of_products() {
    let sorts = [Sort::Real];
    with_all_contexts(&sorts, |context, name| {
        let solver = &mut AnySolver::new(context, system(&sorts));
        let x = system::var(Var(0), Sort::Real);
        let zero = real(BigRational::from_integer(0.into()));
        let (a, b) = (solver.literal(), solver.literal());
        solver.assert_if(a, &lt(&mul(&x, &x), &zero), 0);
        solver.assert_if(b, &lt(&x, &zero), 0);
        // Some solvers do not support products, and report that.
        let answer = solver.check(&[b, a]);
        if context.has_failed() {
            return;
        }
        assert_eq!(answer, Answer::Unsat, "{name}");
        assert!(solver.core().contains(&a), "{name}");
        assert_eq!(solver.check(&[b]), Answer::Sat, "{name}");
        assert_eq!(context.take_failure(), None, "{name}");
    });
}

#[test]
fn a_solver_without_a_theory_says_so() {
    for external in solvers() {
        if external.program != SolverProgram::Bitwuzla {
            continue;
        }
        let choice = Choice {
            external: Some(external),
            ..Choice::default()
        };
        let context = SolverContext::new(choice, Clock::Real);
        let mut solver = AnySolver::new(&context, system(&[Sort::Int]));
        let x = system::var(Var(0), Sort::Int);
        solver.assert(&lt(&x, &integer(0)), 0);
        assert!(matches!(solver.check(&[]), Answer::Unknown(_)));
        assert_eq!(
            context.take_failure().as_deref(),
            Some("Bitwuzla has no integers")
        );
    }
}
