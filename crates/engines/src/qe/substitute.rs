//! Substitution of terms for terms.

use std::collections::HashMap;

use system::{
    Kind, Term, add, and, apply, bv, bv_compare, bv_neg, bv_not, bv_resize, bv_to_int, eq, int_div,
    int_mod, int_to_bv, ite, le, lt, mul, neg, not, or, quantified, real_div, select, to_int,
    to_real,
};

/// The term with every key of the map replaced, where nothing is bound.
pub(crate) fn substitute(root: &Term, map: &HashMap<Term, Term>) -> Term {
    let mut done: HashMap<Term, Term> = map.clone();
    let mut open = vec![(root.clone(), false)];
    while let Some((term, ready)) = open.pop() {
        if done.contains_key(&term) {
            continue;
        }
        if !ready {
            open.push((term.clone(), true));
            term.for_each_part(|part| open.push((part.clone(), false)));
            continue;
        }
        let rebuilt = rebuild(&term, &|part| done[part].clone());
        done.insert(term, rebuilt);
    }
    done[root].clone()
}

fn rebuild(term: &Term, part: &dyn Fn(&Term) -> Term) -> Term {
    let all = |parts: &[Term]| parts.iter().map(part).collect::<Vec<Term>>();
    match term.kind() {
        Kind::Bool(_)
        | Kind::Int(_)
        | Kind::Real(_)
        | Kind::BitVec(..)
        | Kind::Var(_)
        | Kind::Bound(_) => term.clone(),
        Kind::Not(a) => not(&part(a)),
        Kind::And(parts) => and(all(parts)),
        Kind::Or(parts) => or(all(parts)),
        Kind::Eq(a, b) => eq(&part(a), &part(b)),
        Kind::Ite(c, a, b) => ite(&part(c), &part(a), &part(b)),
        Kind::Add(parts) => add(all(parts)),
        Kind::Neg(a) => neg(&part(a)),
        Kind::Mul(a, b) => mul(&part(a), &part(b)),
        Kind::IntDiv(a, b) => int_div(&part(a), &part(b)),
        Kind::IntMod(a, b) => int_mod(&part(a), &part(b)),
        Kind::RealDiv(a, b) => real_div(&part(a), &part(b)),
        Kind::Lt(a, b) => lt(&part(a), &part(b)),
        Kind::Le(a, b) => le(&part(a), &part(b)),
        Kind::ToReal(a) => to_real(&part(a)),
        Kind::ToInt(a) => to_int(&part(a)),
        Kind::BvNot(a) => bv_not(&part(a)),
        Kind::BvNeg(a) => bv_neg(&part(a)),
        Kind::Bv(op, a, b) => bv(*op, &part(a), &part(b)),
        Kind::BvCompare(op, a, b) => bv_compare(*op, &part(a), &part(b)),
        Kind::BvTruncate(width, a) => bv_resize(false, *width, &part(a)),
        Kind::BvExtend { signed, width, of } => bv_resize(*signed, *width, &part(of)),
        Kind::IntToBv(width, a) => int_to_bv(*width, &part(a)),
        Kind::BvToInt { signed, of } => bv_to_int(*signed, &part(of)),
        Kind::Apply(function, args) => apply(function.clone(), all(args)),
        Kind::Select(array, index) => select(&part(array), &part(index)),
        Kind::Quantified(quantifier, vars, body) => {
            quantified(*quantifier, vars.to_vec(), &part(body))
        }
    }
}
