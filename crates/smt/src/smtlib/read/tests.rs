//! What is written can be read, and nothing else.

use super::*;
use crate::sexpr::parse;
use crate::smtlib::{self, Names};
use syntax::Symbol;
use system::Var;

const SORTS: [Sort; 5] = [
    Sort::Bool,
    Sort::Int,
    Sort::Real,
    Sort::BitVec(8),
    Sort::Int,
];

fn x(at: usize) -> Term {
    match SORTS.get(at) {
        Some(sort) => system::var(Var(at as u32), sort.clone()),
        None => system::var(Var(at as u32), Sort::Array(Sort::Int.into())),
    }
}

fn function() -> Function {
    Function {
        name: Symbol::new("f"),
        args: [Sort::Int, Sort::Bool].into(),
        result: Sort::Int,
    }
}

fn symbols() -> Symbols {
    let terms = (0..=SORTS.len()).map(|at| (format!("x {at}"), x(at)));
    Symbols {
        terms: terms.collect(),
        functions: [("f".to_owned(), function())].into(),
    }
}

fn read(text: &str) -> Read<Term> {
    let parsed = parse(text).map_err(Unreadable)?;
    Reader::new(&symbols()).term(&parsed[0])
}

/// The text of a term is read as the same term.
fn same(term: &Term) {
    let names = Names {
        var: &|var: Var| format!("|x {}|", var.0),
        function: &|function: &Function| function.name.to_string(),
    };
    let text = smtlib::term(term, names);
    assert_eq!(read(&text).as_ref(), Ok(term), "{text}");
}

#[test]
fn numbers_and_propositions() {
    let (b, n, r, m) = (x(0), x(1), x(2), x(4));
    same(&or([and([b.clone(), lt(&n, &m)]), not(&b)]));
    let sum = add([n.clone(), m.clone(), integer(-3)]);
    same(&eq(&ite(&b, &n, &neg(&m)), &sum));
    same(&lt(&int_div(&n, &integer(-3)), &int_mod(&m, &integer(7))));
    same(&lt(&int_div(&n, &m), &int_mod(&n, &m)));
    let third = real(BigRational::new((-1).into(), 3.into()));
    same(&le(&real_div(&r, &to_real(&n)), &mul(&third, &r)));
    same(&le(&to_real(&to_int(&r)), &third));
    let call = apply(function(), vec![sum.clone(), b]);
    same(&lt(&add([sum.clone(), call]), &mul(&sum, &sum)));
}

#[test]
fn bit_vectors() {
    let v = x(3);
    use BvOp::*;
    for op in [
        Add, Sub, Mul, Udiv, Urem, Sdiv, Srem, And, Or, Shl, Lshr, Ashr,
    ] {
        same(&eq(&bv(op, &v, &bitvec(8, &0x93.into())), &bv_not(&v)));
    }
    for signed in [false, true] {
        let wide = bv_resize(signed, 12, &v);
        same(&bv_compare(BvCompare::Slt, &wide, &bv_neg(&wide)));
        same(&bv_compare(
            BvCompare::Ule,
            &bv_resize(signed, 5, &v),
            &bitvec(5, &9.into()),
        ));
    }
    same(&eq(&int_to_bv(8, &x(1)), &v));
    for signed in [false, true] {
        same(&lt(&bv_to_int(signed, &v), &x(1)));
        same(&lt(&bv_to_int(signed, &bv_not(&v)), &x(1)));
    }
}

#[test]
fn arrays_and_quantifiers() {
    let (n, a) = (x(1), x(5));
    same(&eq(&store(&a, &n, &integer(-1)), &const_array(&n)));
    let i = system::bound(0, Sort::Int);
    same(&lt(
        &select(&lambda(0, &add([i.clone(), select(&a, &i)])), &n),
        &n,
    ));
    let inside = lt(&select(&a, &i), &add([n.clone(), integer(1)]));
    same(&quantified(
        Quantifier::Forall,
        vec![(0, Sort::Int)],
        &inside,
    ));
}

#[test]
fn operators_that_only_certificates_have() {
    let (b, n, v) = (x(0), x(1), x(3));
    let less = |op| bv_compare(op, &bitvec(8, &200.into()), &v);
    for (text, term) in [
        ("(=> |x 0| (> |x 1| 2))", implies(&b, &lt(&integer(2), &n))),
        (
            "(xor (>= 2 |x 1|) |x 0|)",
            not(&eq(&b, &le(&n, &integer(2)))),
        ),
        ("(bvugt |x 3| (_ bv200 8))", less(BvCompare::Ult)),
        ("(bvuge |x 3| (_ bv200 8))", less(BvCompare::Ule)),
        ("(bvsgt |x 3| (_ bv200 8))", less(BvCompare::Slt)),
        ("(bvsge |x 3| (_ bv200 8))", less(BvCompare::Sle)),
    ] {
        assert_eq!(read(text), Ok(term), "{text}");
    }
}

#[test]
fn what_is_no_term_is_refused() {
    for text in [
        "(+ true 1)",
        "(and |x 1|)",
        "(f 1)",
        "(f true true)",
        "(bvadd |x 3| #b1)",
        "(select |x 1| 0)",
        "((_ extract 9 0) |x 3|)",
        "(ite true 1 false)",
        "(= 1 1.0)",
        "(let ((y 1)) z)",
        "(forall ((i Int)) true)",
        "(_ bv0 0)",
        "(_ bv256 8)",
        "(_ bv 8)",
        "(=> true 1)",
        "(> |x 1|)",
        "stranger",
        "()",
        "\"text\"",
        "(- )",
        "1.5",
    ] {
        assert!(read(text).is_err(), "{text}");
    }
    assert_eq!(read("(let ((y 1)) (+ y 2))"), Ok(integer(3)));
}
