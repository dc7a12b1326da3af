//! What is written is read, and what is no advice is none.

use analysis::advice::{Advice, Lessons, Names, Proof};
use proptest::prelude::*;
use system::{BvCompare, BvOp, Sort, Term, Var};

fn sorts() -> Vec<Sort> {
    let array = Sort::Array(Sort::Int.into());
    vec![Sort::Bool, Sort::Int, Sort::Real, Sort::BitVec(8), array]
}

fn names() -> Names {
    let vars = sorts().into_iter().enumerate();
    Names::new(vars.map(|(at, sort)| (format!("x | {at}"), Var(at as u32), sort)))
}

/// Builds terms on a stack: each number is a leaf or an operation on what is there.
fn terms(codes: &[u8]) -> Vec<Term> {
    let sorts = sorts();
    let mut stack: Vec<Term> = Vec::new();
    for code in codes {
        let leaf = usize::from(*code) % 8;
        if *code < 100 || stack.len() < 2 {
            stack.push(match leaf {
                0 => system::boolean(*code > 50),
                1 => system::integer(i32::from(*code) - 40),
                2 => system::real(num_rational::BigRational::new(7.into(), 3.into())),
                _ => system::var(Var(leaf as u32 - 3), sorts[leaf - 3].clone()),
            });
            continue;
        }
        let (b, a) = (stack[stack.len() - 1].clone(), &stack[stack.len() - 2]);
        if let Some(term) = operation(*code, a, &b) {
            stack.push(term);
        }
    }
    stack
}

fn operation(code: u8, a: &Term, b: &Term) -> Option<Term> {
    let code = code % 8;
    Some(match (a.sort(), b.sort()) {
        (Sort::Bool, Sort::Bool) if code < 3 => system::and([a.clone(), b.clone()]),
        (Sort::Bool, Sort::Bool) if code < 5 => system::or([a.clone(), b.clone()]),
        (Sort::Bool, Sort::Bool) => system::not(a),
        (Sort::Bool, _) => system::ite(a, b, b),
        (Sort::Int, Sort::Int) => match code {
            0 => system::add([a.clone(), b.clone()]),
            1 => system::mul(a, b),
            2 => system::int_div(a, b),
            3 => system::int_mod(a, b),
            4 => system::lt(a, b),
            5 => system::to_real(a),
            6 => system::int_to_bv(8, b),
            _ => system::neg(a),
        },
        (Sort::Real, Sort::Real) => match code {
            0 => system::add([a.clone(), b.clone()]),
            1 => system::real_div(a, b),
            2 => system::to_int(a),
            _ => system::le(a, b),
        },
        (Sort::BitVec(_), Sort::BitVec(_)) => match code {
            0 => system::bv(BvOp::Sdiv, a, b),
            1 => system::bv_compare(BvCompare::Slt, a, b),
            2 => system::bv_resize(true, 8, &system::bv_resize(true, 16, a)),
            3 => system::bv_to_int(true, a),
            4 => system::bv_not(a),
            _ => system::bv(BvOp::Lshr, a, b),
        },
        (Sort::Array(_), Sort::Int) => match code {
            0..4 => system::select(a, b),
            _ => system::store(a, b, b),
        },
        (x, y) if x == y => system::eq(a, b),
        _ => return None,
    })
}

fn lessons(invariants: Vec<Term>) -> Lessons {
    Lessons {
        proofs: vec![Proof {
            properties: vec!["P (x + 1)".to_owned()],
            k: 3,
            simple_path: true,
            invariants,
        }],
        runs: [("Q".to_owned(), 7)].into(),
    }
}

proptest! {
    #[test]
    fn what_is_written_is_read(codes in proptest::collection::vec(any::<u8>(), 0..60)) {
        let mut truths = terms(&codes);
        truths.retain(|term| *term.sort() == Sort::Bool);
        let lessons = lessons(truths);
        let mut advice = Advice::default();
        advice.learn("a system", &names(), &lessons);
        let read = Advice::read(&advice.text()).expect("what was written");
        prop_assert_eq!(&read, &advice);
        prop_assert_eq!(read.lessons("a system", &names()), lessons);
    }

    #[test]
    fn any_text_is_read_or_refused(text in "\\PC*") {
        // Either is fine: it must not panic.
        let _ = Advice::read(&text);
    }

    /// A file in which something was overwritten is read, or refused; what is read of
    /// it are formulas.
    #[test]
    fn damaged_files_are_survived(
        codes in proptest::collection::vec(any::<u8>(), 0..60),
        at in any::<prop::sample::Index>(),
        other in "[()|$#0-9a-z+*<=/ -]{1,4}",
    ) {
        let mut truths = terms(&codes);
        truths.retain(|term| *term.sort() == Sort::Bool);
        let mut advice = Advice::default();
        advice.learn("a system", &names(), &lessons(truths));
        let text = advice.text();
        let at = at.index(text.len());
        let damaged = format!("{}{other}{}", &text[..at], &text[(at + 2).min(text.len())..]);
        if let Ok(read) = Advice::read(&damaged) {
            for proof in read.lessons("a system", &names()).proofs {
                prop_assert!(proof.k > 0);
                prop_assert!(proof.invariants.iter().all(|term| *term.sort() == Sort::Bool));
            }
        }
    }
}

#[test]
fn parts_are_written_once() {
    let mut term = system::var(Var(1), Sort::Int);
    for _ in 0..3000 {
        term = system::mul(&term, &term);
    }
    let truth = system::le(&term, &system::integer(5));
    let lessons = lessons(vec![truth]);
    let mut advice = Advice::default();
    advice.learn("deep", &names(), &lessons);
    let text = advice.text();
    assert!(text.len() < 200_000, "{}", text.len());
    let read = Advice::read(&text).expect("what was written");
    assert_eq!(read.lessons("deep", &names()), lessons);
}

#[test]
fn unknown_names_and_other_sorts_are_dropped() {
    let (x, y) = (
        system::var(Var(0), Sort::Int),
        system::var(Var(1), Sort::Int),
    );
    let zero = system::integer(0);
    let both = vec![system::le(&zero, &x), system::le(&zero, &y)];
    let before = Names::new([
        ("x".to_owned(), Var(0), Sort::Int),
        ("y".to_owned(), Var(1), Sort::Int),
    ]);
    let mut advice = Advice::default();
    advice.learn("s", &before, &lessons(both));
    // Numbers of variables do not matter, names and sorts do.
    let after = Names::new([
        ("x".to_owned(), Var(5), Sort::Int),
        ("y".to_owned(), Var(0), Sort::Bool),
    ]);
    let left = advice.lessons("s", &after);
    let x = system::var(Var(5), Sort::Int);
    assert_eq!(left.proofs[0].invariants, [system::le(&zero, &x)]);
    let ambiguous = Names::new([
        ("x".to_owned(), Var(5), Sort::Int),
        ("x".to_owned(), Var(6), Sort::Int),
    ]);
    let left = advice.lessons("s", &ambiguous);
    assert!(left.proofs[0].invariants.is_empty());
}

#[test]
fn what_has_no_name_is_not_written() {
    let unnamed = system::var(Var(9), Sort::Bool);
    let bound = system::bound(0, Sort::Int);
    let all = system::quantified(
        system::Quantifier::Forall,
        vec![(0, Sort::Int)],
        &system::le(&bound, &system::var(Var(1), Sort::Int)),
    );
    let mut advice = Advice::default();
    advice.learn("s", &names(), &lessons(vec![unnamed, all]));
    let read = Advice::read(&advice.text()).expect("what was written");
    assert_eq!(read.lessons("s", &names()), lessons(Vec::new()));
}

#[test]
fn files_of_another_kind_are_refused() {
    for text in [
        "",
        "{}",
        "(kindred-advice 3)",
        "(kindred-advice 2) x",
        "(kindred-advice 2) (system",
        "(advice)",
    ] {
        assert!(Advice::read(text).is_err(), "{text}");
    }
    assert!(Advice::read("; nothing\n(kindred-advice 2)").is_ok_and(|a| a.is_empty()));
    // The format of an older version need not be known to tell it.
    let old = "; a comment\n(kindred-advice 1)\n(system |a \\| b|)";
    let why = Advice::read(old).expect_err("it is old");
    assert_eq!(why, "it is of version 1, not 2");
}
