//! Z3 parses the text of a term, and proves it equal to the translated term.

use std::sync::Arc;

use syntax::Symbol;
use system::{
    BvCompare, BvOp, Function, Quantifier, Random, Sort, System, Term, Var, add, and, apply,
    bitvec, bound, bv, bv_compare, bv_neg, bv_not, bv_resize, bv_to_int, const_array, eq, int_div,
    int_mod, int_to_bv, integer, ite, lambda, le, lt, mul, neg, not, or, quantified, real,
    real_div, select, store, to_int, to_real,
};
use z3::ast::Ast;

use super::*;
use crate::translate::Translator;

const SORTS: [Sort; 6] = [
    Sort::Bool,
    Sort::Int,
    Sort::Real,
    Sort::BitVec(8),
    Sort::BitVec(5),
    Sort::Int,
];

fn system() -> Arc<System> {
    let mut sorts = SORTS.to_vec();
    sorts.push(Sort::Array(Sort::Int.into()));
    sorts.push(Sort::Array(Arc::new(Sort::Array(Sort::Bool.into()))));
    Arc::new(System::of_inputs(sorts))
}

fn x(id: u32) -> Term {
    system::var(Var(id), system().var(Var(id)).sort.clone())
}

fn function() -> Function {
    Function {
        name: Symbol::new("a strange name"),
        args: [Sort::Int, Sort::Bool].into(),
        result: Sort::Int,
    }
}

fn names_text(formula: &Term) -> String {
    let var = |var: Var| symbol(&format!("v{}@2", var.0));
    let function = |function: &Function| symbol(&format!("f!{}", function.name));
    let names = Names {
        var: &var,
        function: &function,
    };
    term(formula, names)
}

/// A script that asserts the formula, with all that it needs.
fn script(formula: &Term) -> String {
    let system = system();
    let mut script = String::new();
    for (id, var) in system.vars.iter().enumerate() {
        let name = symbol(&format!("v{id}@2"));
        script += &declaration(&name, &[], &var.sort);
    }
    // Variables that nothing binds are there in random terms.
    for id in 0..2 {
        script += &declaration(&format!("b!{id}"), &[], &Sort::Int);
    }
    for used in functions(formula) {
        let name = symbol(&format!("f!{}", used.name));
        script += &declaration(&name, &used.args, &used.result);
    }
    script + &format!("(assert {})", names_text(formula))
}

/// The parsed term is the translated one, up to Z3's simplifications, or else Z3 proves them
/// equivalent.
fn same(formula: &Term) {
    let read = z3::Solver::new();
    read.from_string(script(formula));
    let assertions = read.get_assertions();
    assert_eq!(assertions.len(), 1, "{}", script(formula));
    let told = Translator::new(system()).boolean(formula, 2);
    if told.simplify() == assertions[0].simplify() {
        return;
    }
    let solver = z3::Solver::new();
    let mut params = z3::Params::new();
    params.set_u32("rlimit", 5_000_000);
    solver.set_params(&params);
    solver.assert(told.eq(&assertions[0]).not());
    let text = names_text(formula);
    assert_eq!(solver.check(), z3::SatResult::Unsat, "{text}\n{told}");
}

#[test]
fn numbers_are_exact() {
    let big = integer(num_bigint::BigInt::from(-7) * num_bigint::BigInt::from(10).pow(30));
    same(&lt(&big, &x(1)));
    let third = real(BigRational::new((-1).into(), 3.into()));
    same(&le(&x(2), &third));
    same(&lt(&real(BigRational::from_integer(4.into())), &x(2)));
    for value in 0..40 {
        same(&eq(&x(3), &bitvec(8, &value.into())));
        same(&eq(&x(4), &bitvec(5, &value.into())));
    }
}

#[test]
fn every_operator() {
    let (b, n, r, v, w, m) = (x(0), x(1), x(2), x(3), x(4), x(5));
    same(&or([and([b.clone(), lt(&n, &m)]), not(&b)]));
    same(&eq(
        &ite(&b, &n, &neg(&m)),
        &add([n.clone(), m.clone(), integer(-3)]),
    ));
    same(&eq(&int_div(&n, &integer(-3)), &int_mod(&m, &integer(7))));
    same(&eq(&int_div(&n, &m), &integer(2)));
    same(&eq(&mul(&n, &m), &integer(12)));
    same(&le(&real_div(&r, &to_real(&n)), &to_real(&to_int(&r))));
    for signed in [false, true] {
        same(&lt(&bv_to_int(signed, &v), &n));
        same(&eq(&bv_resize(signed, 8, &w), &v));
    }
    same(&eq(&bv_resize(false, 5, &v), &w));
    same(&eq(&int_to_bv(8, &n), &v));
    for op in [
        BvCompare::Ult,
        BvCompare::Ule,
        BvCompare::Slt,
        BvCompare::Sle,
    ] {
        same(&bv_compare(op, &v, &bv_not(&bv_neg(&v))));
    }
    use BvOp::*;
    for op in [
        Add, Sub, Mul, Udiv, Urem, Sdiv, Srem, And, Or, Shl, Lshr, Ashr,
    ] {
        same(&eq(&bv(op, &v, &bitvec(8, &0x93.into())), &v));
        same(&bv_compare(BvCompare::Ult, &bv(op, &w, &bv_not(&w)), &w));
    }
    let call = apply(function(), vec![n.clone(), b.clone()]);
    same(&lt(&call, &n));
}

#[test]
fn arrays_and_quantifiers() {
    let (n, a, aa) = (x(1), x(6), x(7));
    same(&eq(&store(&a, &n, &integer(-1)), &const_array(&n)));
    same(&select(&select(&aa, &n), &integer(0)));
    let i = bound(0, Sort::Int);
    let square = lambda(0, &add([i.clone(), select(&a, &i), n.clone()]));
    same(&lt(&select(&square, &n), &n));
    let inside = lt(&select(&a, &i), &add([n.clone(), integer(1)]));
    let all = quantified(Quantifier::Forall, vec![(0, Sort::Int)], &inside);
    same(&and([
        all.clone(),
        lt(&add([n.clone(), integer(1)]), &integer(9)),
    ]));
}

/// The variable of a quantifier is bound again inside of it, and parts with it
/// mean one thing here and another there.
#[test]
fn variables_that_are_bound_again() {
    let (i, j) = (bound(0, Sort::Int), bound(1, Sort::Int));
    let n = x(1);
    let sum = add([n.clone(), mul(&integer(3), &i)]);
    let twice = lt(&add([sum.clone(), j.clone()]), &mul(&integer(2), &sum));
    let inner = quantified(Quantifier::Exists, vec![(0, Sort::Int)], &twice);
    let body = or([
        inner.clone(),
        lt(&sum, &n),
        lt(&add([sum.clone(), j.clone()]), &j),
    ]);
    let outer = quantified(
        Quantifier::Forall,
        vec![(0, Sort::Int), (1, Sort::Int)],
        &body,
    );
    same(&outer);
    let again = quantified(
        Quantifier::Exists,
        vec![(0, Sort::Int)],
        &lt(&sum, &integer(0)),
    );
    same(&or([outer, again, lt(&n, &integer(0))]));
}

/// A doubled term, forty times over: written in full it fills any disk.
#[test]
fn shared_parts_are_written_once() {
    let mut term = x(1);
    for _ in 0..40 {
        term = add([mul(&integer(3), &term), neg(&term)]);
        term = ite(&lt(&term, &x(5)), &term, &integer(1));
    }
    let formula = lt(&term, &integer(0));
    assert!(names_text(&formula).len() < 6_000);
    let read = z3::Solver::new();
    read.from_string(script(&formula));
    let told = Translator::new(system()).boolean(&formula, 2);
    assert!(read.get_assertions()[0] == told);
}

#[test]
fn deep_terms_need_no_stack() {
    let mut term = x(1);
    for _ in 0..100_000 {
        term = int_div(&neg(&term), &integer(2));
    }
    let text = names_text(&lt(&term, &integer(0)));
    assert!(text.starts_with("(< (div (- (div (- "));
}

#[test]
fn random_terms() {
    let mut random = Random(2024);
    for _ in 0..200 {
        same(&proposition(&mut random, 4));
    }
}

fn proposition(random: &mut Random, depth: usize) -> Term {
    if depth == 0 {
        return x(0);
    }
    let mut part = || proposition(random, depth - 1);
    let (a, b) = (part(), part());
    match random.below(6) {
        0 => and([a, b]),
        1 => not(&or([a, b])),
        2 => eq(&a, &b),
        3 => lt(&number(random, depth - 1), &number(random, depth - 1)),
        4 => {
            let i = bound(random.below(2) as u32, Sort::Int);
            let body = or([lt(&i, &number(random, 1)), a]);
            let bound = random.below(2) as u32;
            quantified(Quantifier::Exists, vec![(bound, Sort::Int)], &body)
        }
        _ => ite(&a, &b, &lt(&number(random, depth - 1), &integer(3))),
    }
}

fn number(random: &mut Random, depth: usize) -> Term {
    if depth == 0 {
        return match random.below(4) {
            0 => integer(random.below(9) as i64 - 4),
            1 => bound(random.below(2) as u32, Sort::Int),
            _ => x(1 + 4 * random.below(2) as u32),
        };
    }
    let (a, b) = (number(random, depth - 1), number(random, depth - 1));
    match random.below(4) {
        0 => add([a, b]),
        1 => neg(&a),
        2 => mul(&integer(3), &a),
        _ => ite(&lt(&a, &b), &b, &integer(0)),
    }
}

#[test]
fn names_are_quoted_where_they_must_be() {
    assert_eq!(symbol("x_1"), "x_1");
    assert_eq!(symbol("a b"), "|a b|");
    assert_eq!(symbol("3x"), "|3x|");
    assert_eq!(symbol("let"), "|let|");
    assert_eq!(symbol(""), "||");
    assert_eq!(symbol("@x"), "|@x|");
    assert_eq!(symbol("a|b\\c"), "|a!b!c|");
}

#[test]
fn the_logic_is_named_by_what_occurs() {
    let logic = |term: &Term| Theories::of([term]).logic();
    assert_eq!(logic(&x(0)), "QF_UF");
    assert_eq!(logic(&lt(&x(1), &mul(&integer(2), &x(1)))), "QF_LIA");
    assert_eq!(logic(&lt(&x(1), &mul(&x(1), &x(5)))), "QF_NIA");
    assert_eq!(logic(&lt(&x(2), &to_real(&x(1)))), "QF_LIRA");
    assert_eq!(logic(&eq(&x(3), &bv_not(&x(3)))), "QF_BV");
    assert_eq!(logic(&lt(&select(&x(6), &x(1)), &x(1))), "QF_ALIA");
    let call = apply(function(), vec![x(1), x(0)]);
    assert_eq!(logic(&lt(&call, &x(1))), "QF_UFLIA");
    let i = bound(0, Sort::Int);
    let all = quantified(Quantifier::Forall, vec![(0, Sort::Int)], &lt(&i, &call));
    assert_eq!(logic(&all), "UFLIA");
}
