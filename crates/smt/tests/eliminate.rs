//! Quantifier elimination by external solvers, and by scripts that stand in for them and give wrong
//! answers.

#![cfg(unix)]

mod stand_in;

use std::sync::Arc;
use std::time::Duration;

use smt::{
    Answer, Choice, Clock, Eliminator, External, SharedSolverState, Solver, SolverContext,
    SolverProgram, Z3,
};
use stand_in::stand_in;
use system::{
    BvCompare, Sort, System, Term, Var, and, bitvec, bv_compare, eq, int_mod, integer, le, lt, mul,
    not, or, real, to_int, to_real,
};

const TIME: Duration = Duration::from_secs(60);

fn chosen(external: External) -> Choice {
    Choice {
        eliminator: Some(external),
        ..Choice::default()
    }
}

fn installed() -> Vec<Choice> {
    let known =
        [SolverProgram::Cvc5, SolverProgram::Z3].map(|program| External::new(program, None));
    let there = known.into_iter().filter(|external| {
        let there = external.detect(&SharedSolverState::default()).is_ok();
        if !there {
            eprintln!("{} is not installed, and not tested", external.path);
        }
        there
    });
    there.map(chosen).collect()
}

/// The formula is equivalent to the one that Z3 in this process finds.
fn check(sorts: &[Sort], formula: impl Fn(&[Term]) -> Term, gone: &[u32]) {
    let system = Arc::new(System::of_inputs(sorts.iter().cloned()));
    let terms = (0..).zip(sorts);
    let terms: Vec<Term> = terms
        .map(|(id, sort)| system::var(Var(id), sort.clone()))
        .collect();
    let formula = formula(&terms);
    let gone: Vec<Var> = gone.iter().map(|id| Var(*id)).collect();
    let known =
        Eliminator::new(&SolverContext::default(), &system).eliminate(&formula, &gone, TIME);
    let known = known.expect("a formula");
    for choice in installed() {
        let name = choice.eliminator.as_ref().map(|e| e.program.name());
        {
            let context = SolverContext::new(choice.clone(), Clock::Real);
            let mut eliminator = Eliminator::new(&context, &system);
            // The second query uses the same process.
            for _ in 0..2 {
                let found = eliminator.eliminate(&formula, &gone, TIME);
                let found = found.unwrap_or_else(|| panic!("{name:?}: {:?}", context.take_notes()));
                assert!(
                    !found.vars().iter().any(|var| gone.contains(var)),
                    "{found:?}"
                );
                let mut solver = Z3::new(&context, system.clone());
                solver.assert(&not(&eq(&found, &known)), 0);
                assert_eq!(
                    solver.check(&[]),
                    Answer::Unsat,
                    "{name:?}: {found:?} {known:?}"
                );
            }
            assert!(eliminator.is_external());
        }
        assert_eq!(choice.processes(), 0);
    }
}

#[test]
fn integers() {
    let formula = |v: &[Term]| {
        let even = eq(&mul(&integer(2), &v[1]), &v[0]);
        let bounds = or([
            le(&integer(3), &v[1]),
            and([v[3].clone(), lt(&v[2], &v[0])]),
        ]);
        and([even, bounds, lt(&v[1], &integer(100))])
    };
    let sorts = [Sort::Int, Sort::Int, Sort::Int, Sort::Bool];
    check(&sorts, formula, &[1]);
    check(&sorts, formula, &[1, 3]);
    let parity = |v: &[Term]| {
        let odd = eq(&int_mod(&v[0], &integer(2)), &integer(1));
        and([or([odd, lt(&v[1], &integer(4))]), lt(&v[0], &v[1])])
    };
    check(&[Sort::Int, Sort::Int], parity, &[1]);
}

#[test]
fn real_numbers() {
    let third = num_rational::BigRational::new(1.into(), 3.into());
    let formula = |v: &[Term]| {
        let third = mul(&real(third.clone()), &v[0]);
        and([lt(&third, &v[1]), lt(&v[1], &v[2])])
    };
    check(&[Sort::Real, Sort::Real, Sort::Real], formula, &[1]);
    let whole = |v: &[Term]| and([lt(&v[0], &v[1]), le(&to_real(&to_int(&v[0])), &v[1])]);
    check(&[Sort::Real, Sort::Real], whole, &[1]);
}

#[test]
fn machine_integers() {
    let formula = |v: &[Term]| {
        let less = |a: &Term, b: &Term| bv_compare(BvCompare::Ult, a, b);
        and([less(&v[0], &v[1]), less(&v[1], &bitvec(4, &9.into()))])
    };
    check(&[Sort::BitVec(4), Sort::BitVec(4)], formula, &[1]);
}

/// An answer that is no formula, or has other variables, is refused; after three of these the
/// built-in elimination is used.
#[test]
fn answers_that_are_none() {
    let system = Arc::new(System::of_inputs([Sort::Int, Sort::Int]));
    let (x, y) = (
        system::var(Var(0), Sort::Int),
        system::var(Var(1), Sort::Int),
    );
    let formula = and([lt(&x, &y), lt(&y, &integer(5))]);
    let claims = [
        "echo '(error \"not now\")'",
        "echo perhaps",
        "echo '(< v7@0 4)'",
        "echo '(exists ((z Int)) (< v0@0 z 5))'",
        "echo '(frob v0@0)'",
        "echo '(goals (goal (< v0@0 4) :precision precise))'",
        "echo ')))'",
        "exit 0",
    ];
    for (at, claim) in claims.iter().enumerate() {
        let path = stand_in(&format!("cvc5-qe-{at}"), &[("get-qe", claim)]);
        let choice = chosen(External::new(SolverProgram::Cvc5, path.to_str()));
        {
            let context = SolverContext::new(choice.clone(), Clock::Real);
            let mut eliminator = Eliminator::new(&context, &system);
            for _ in 0..3 {
                assert!(eliminator.is_external(), "{claim}");
                assert_eq!(
                    eliminator.eliminate(&formula, &[Var(1)], TIME),
                    None,
                    "{claim}"
                );
            }
            assert!(!eliminator.is_external(), "{claim}");
            assert_eq!(context.take_notes().len(), 1, "{claim}");
            let found = eliminator.eliminate(&formula, &[Var(1)], TIME);
            assert_eq!(found.expect("a formula").vars(), [Var(0)], "{claim}");
        }
        assert_eq!(choice.processes(), 0, "{claim}");
    }
}

/// A solver that does not answer reaches the timeout.
#[test]
fn silence_is_no_answer() {
    let system = Arc::new(System::of_inputs([Sort::Int, Sort::Int]));
    let (x, y) = (
        system::var(Var(0), Sort::Int),
        system::var(Var(1), Sort::Int),
    );
    let path = stand_in("z3-qe-silent", &[("apply qe", ":")]);
    let choice = chosen(External::new(SolverProgram::Z3, path.to_str()));
    {
        let context = SolverContext::new(choice.clone(), Clock::Real);
        let mut eliminator = Eliminator::new(&context, &system);
        let short = Duration::from_millis(50);
        assert_eq!(eliminator.eliminate(&lt(&x, &y), &[Var(1)], short), None);
        assert!(eliminator.is_external());
    }
    assert_eq!(choice.processes(), 0);
}
