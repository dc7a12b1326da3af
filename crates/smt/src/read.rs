//! Reads Z3's terms back as terms of `system`.
//!
//! Z3 answers some questions with a formula: an invariant of Horn clauses, or what is left when
//! variables are eliminated. A declaration is recognised by its name, its arity and the sorts of
//! its arguments, because its kind is a number that differs between versions. Unknown declarations
//! are refused.

use std::collections::HashMap;

use num_bigint::BigInt;
use system::{
    BvCompare, BvOp, Function, Sort, System, Term, Var, add, and, bitvec, bv, bv_compare, bv_neg,
    bv_not, bv_resize, bv_to_int, eq, implies, int_div, int_mod, int_to_bv, integer, ite, le, lt,
    mul, neg, not, or, real_div, select, store, sub, to_int, to_real,
};
use z3::ast::{Ast, BV, Dynamic};
use z3::{FuncDecl, SortKind};

use crate::embedded::scalar;
use crate::translate::Ordered;

/// The part that could not be read.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Unreadable(pub String);

/// Reads terms over the variables of a system at one step.
pub(crate) struct Reader<'a> {
    pub system: &'a System,
    pub step: usize,
    /// What Z3's free variables stand for, by index.
    pub arguments: &'a [Term],
    pub functions: &'a HashMap<String, Function>,
}

type Read = Result<Term, Unreadable>;

fn unknown(what: impl Into<String>) -> Unreadable {
    Unreadable(what.into())
}

impl Reader<'_> {
    /// Reads without recursion: terms can be deep.
    pub fn read(&self, root: &Dynamic) -> Read {
        let mut known: Ordered<Dynamic, Term> = Ordered::default();
        let mut open = vec![(root.clone(), false)];
        while let Some((term, ready)) = open.pop() {
            if known.contains_key(&term) {
                continue;
            }
            let parts = if term.is_app() {
                term.children()
            } else {
                Vec::new()
            };
            if !ready && !parts.is_empty() {
                open.push((term, true));
                open.extend(parts.into_iter().map(|part| (part, false)));
                continue;
            }
            let parts: Vec<Term> = parts.iter().map(|part| known[part].clone()).collect();
            let read = self.node(&term, parts)?;
            known.insert(term, read);
        }
        Ok(known[root].clone())
    }

    fn node(&self, term: &Dynamic, parts: Vec<Term>) -> Read {
        if !term.is_app() {
            return self.free_variable(term);
        }
        let sort = sort_of(term)?;
        let decl = term.decl();
        let name = decl.name();
        match parts.as_slice() {
            [] => self.constant(term, &name, sort),
            _ if name.starts_with("f!") => match self.functions.get(&name) {
                Some(function) => Ok(system::apply(function.clone(), parts)),
                None => Err(unknown(name)),
            },
            _ => core(&name, &parts)
                .or_else(|| arithmetic(&name, &parts))
                .or_else(|| bit_vector(&name, &parts, &sort, &decl))
                .ok_or_else(|| unknown(format!("{decl}"))),
        }
    }

    /// `(:var 3)`
    fn free_variable(&self, term: &Dynamic) -> Read {
        let text = term.to_string();
        text.strip_prefix("(:var ")
            .and_then(|rest| rest.strip_suffix(')'))
            .and_then(|index| index.parse::<usize>().ok())
            .and_then(|index| self.arguments.get(index).cloned())
            .ok_or_else(|| unknown(text))
    }

    fn constant(&self, term: &Dynamic, name: &str, sort: Sort) -> Read {
        if let Some(var) = self.variable(name) {
            let known = self.system.var(var).sort == sort;
            return match known {
                true => Ok(system::var(var, sort)),
                false => Err(unknown(name)),
            };
        }
        let value = scalar(term, &sort);
        let literal = value.and_then(|value| value.term(&sort));
        literal.ok_or_else(|| unknown(name))
    }

    /// `v7@3`, or `v7` for a constant.
    fn variable(&self, name: &str) -> Option<Var> {
        let (id, step) = match name.strip_prefix('v')?.split_once('@') {
            Some((id, step)) => (id, Some(step.parse::<usize>().ok()?)),
            None => (&name[1..], None),
        };
        let var = Var(id.parse().ok()?);
        let declared = self.system.vars.get(var.0 as usize)?;
        let timeless = declared.role == system::Role::Constant;
        let here = match step {
            Some(step) => !timeless && step == self.step,
            None => timeless,
        };
        here.then_some(var)
    }
}

fn sort_of(term: &Dynamic) -> Result<Sort, Unreadable> {
    match term.sort_kind() {
        SortKind::Bool => Ok(Sort::Bool),
        SortKind::Int => Ok(Sort::Int),
        SortKind::Real => Ok(Sort::Real),
        SortKind::Bv => match term.as_bv() {
            Some(bv) => Ok(Sort::BitVec(bv.get_size())),
            None => Err(unknown("a bit-vector")),
        },
        SortKind::Array => array_sort(&term.get_sort()),
        other => Err(unknown(format!("{other:?}"))),
    }
}

fn array_sort(sort: &z3::Sort) -> Result<Sort, Unreadable> {
    let element = sort.array_range().ok_or_else(|| unknown("an array"))?;
    let element = match element.kind() {
        SortKind::Bool => Sort::Bool,
        SortKind::Int => Sort::Int,
        SortKind::Real => Sort::Real,
        SortKind::Array => array_sort(&element)?,
        other => return Err(unknown(format!("array of {other:?}"))),
    };
    Ok(Sort::Array(element.into()))
}

fn core(name: &str, parts: &[Term]) -> Option<Term> {
    Some(match (name, parts) {
        ("and", all) => and(all.iter().cloned()),
        ("or", all) => or(all.iter().cloned()),
        ("not", [a]) => not(a),
        ("=>", [a, b]) => implies(a, b),
        ("=" | "iff", [a, b]) => eq(a, b),
        ("xor", [a, b]) if *a.sort() == Sort::Bool => not(&eq(a, b)),
        ("distinct", [a, b]) => not(&eq(a, b)),
        ("if" | "ite", [c, a, b]) => ite(c, a, b),
        ("select", [array, index]) => select(array, index),
        ("store", [array, index, value]) => store(array, index, value),
        _ => return None,
    })
}

fn is_number(term: &Term) -> bool {
    matches!(term.sort(), Sort::Int | Sort::Real)
}

fn arithmetic(name: &str, parts: &[Term]) -> Option<Term> {
    let numbers = parts.iter().all(is_number);
    let fixed = |b: &Term| matches!(b.kind(), system::Kind::Int(v) if *v != BigInt::ZERO);
    Some(match (name, parts) {
        _ if !numbers => return None,
        ("+", all) => add(all.iter().cloned()),
        ("-", [a]) => neg(a),
        ("-", [a, rest @ ..]) => rest.iter().fold(a.clone(), |a, b| sub(&a, b)),
        ("*", [a, rest @ ..]) => rest.iter().fold(a.clone(), |a, b| mul(&a, b)),
        ("<", [a, b]) => lt(a, b),
        (">", [a, b]) => lt(b, a),
        ("<=", [a, b]) => le(a, b),
        (">=", [a, b]) => le(b, a),
        // Only for a fixed divisor: division by zero has any value in Z3, and a fixed one in the
        // constructors.
        ("div", [a, b]) if fixed(b) => int_div(a, b),
        ("mod", [a, b]) if fixed(b) => int_mod(a, b),
        ("/", [a, b]) if matches!(b.kind(), system::Kind::Real(v) if *v.numer() != BigInt::ZERO) => {
            real_div(a, b)
        }
        ("to_real", [a]) => to_real(a),
        ("to_int", [a]) => to_int(a),
        ("is_int", [a]) => eq(&to_real(&to_int(a)), a),
        ("abs", [a]) if *a.sort() == Sort::Int => ite(&lt(a, &integer(0)), &neg(a), a),
        _ => return None,
    })
}

fn width_of(term: &Term) -> Option<u32> {
    match term.sort() {
        Sort::BitVec(width) => Some(*width),
        _ => None,
    }
}

fn bit_vector(name: &str, parts: &[Term], sort: &Sort, decl: &FuncDecl) -> Option<Term> {
    if let ("int2bv" | "int_to_bv", [a], Sort::BitVec(width)) = (name, parts, sort) {
        return (*a.sort() == Sort::Int).then(|| int_to_bv(*width, a));
    }
    for part in parts {
        width_of(part)?;
    }
    let fold = |op: BvOp| {
        let (first, rest) = parts.split_first()?;
        Some(rest.iter().fold(first.clone(), |a, b| bv(op, &a, b)))
    };
    let xor = |a: &Term, b: &Term| {
        let (both, any) = (bv(BvOp::And, a, b), bv(BvOp::Or, a, b));
        bv(BvOp::And, &any, &bv_not(&both))
    };
    Some(match (name, parts) {
        ("bvadd", _) => fold(BvOp::Add)?,
        ("bvmul", _) => fold(BvOp::Mul)?,
        ("bvand", _) => fold(BvOp::And)?,
        ("bvor", _) => fold(BvOp::Or)?,
        ("bvxor", [a, b]) => xor(a, b),
        ("bvsub", [a, b]) => bv(BvOp::Sub, a, b),
        ("bvnot", [a]) => bv_not(a),
        ("bvneg", [a]) => bv_neg(a),
        ("bvudiv" | "bvudiv_i", [a, b]) => bv(BvOp::Udiv, a, b),
        ("bvurem" | "bvurem_i", [a, b]) => bv(BvOp::Urem, a, b),
        ("bvsdiv" | "bvsdiv_i", [a, b]) => bv(BvOp::Sdiv, a, b),
        ("bvsrem" | "bvsrem_i", [a, b]) => bv(BvOp::Srem, a, b),
        ("bvshl", [a, b]) => bv(BvOp::Shl, a, b),
        ("bvlshr", [a, b]) => bv(BvOp::Lshr, a, b),
        ("bvashr", [a, b]) => bv(BvOp::Ashr, a, b),
        ("bvult", [a, b]) => bv_compare(BvCompare::Ult, a, b),
        ("bvule", [a, b]) => bv_compare(BvCompare::Ule, a, b),
        ("bvugt", [a, b]) => bv_compare(BvCompare::Ult, b, a),
        ("bvuge", [a, b]) => bv_compare(BvCompare::Ule, b, a),
        ("bvslt", [a, b]) => bv_compare(BvCompare::Slt, a, b),
        ("bvsle", [a, b]) => bv_compare(BvCompare::Sle, a, b),
        ("bvsgt", [a, b]) => bv_compare(BvCompare::Slt, b, a),
        ("bvsge", [a, b]) => bv_compare(BvCompare::Sle, b, a),
        ("zero_extend", [a]) => bv_resize(false, sort_width(sort)?, a),
        ("sign_extend", [a]) => bv_resize(true, sort_width(sort)?, a),
        ("concat", [first, rest @ ..]) => {
            rest.iter().try_fold(first.clone(), |a, b| concat(&a, b))?
        }
        ("extract", [a]) => extract(a, sort_width(sort)?, decl)?,
        ("bit2bool", [a]) => bit(a, decl)?,
        ("bv2int" | "bv2nat" | "ubv_to_int", [a]) => bv_to_int(false, a),
        ("sbv_to_int", [a]) => bv_to_int(true, a),
        _ => return None,
    })
}

fn sort_width(sort: &Sort) -> Option<u32> {
    match sort {
        Sort::BitVec(width) => Some(*width),
        _ => None,
    }
}

fn concat(high: &Term, low: &Term) -> Option<Term> {
    let (upper, lower) = (width_of(high)?, width_of(low)?);
    let width = upper + lower;
    let high = bv_resize(false, width, high);
    let shifted = bv(BvOp::Shl, &high, &bitvec(width, &BigInt::from(lower)));
    Some(bv(BvOp::Or, &shifted, &bv_resize(false, width, low)))
}

/// Some bits in the middle.
fn extract(of: &Term, width: u32, decl: &FuncDecl) -> Option<Term> {
    let own = width_of(of)?;
    let [high, low] = indices(own, decl)?.try_into().ok()?;
    if high.checked_sub(low)? + 1 != width {
        return None;
    }
    Some(bits(of, own, low, width))
}

/// Is a bit set?
fn bit(of: &Term, decl: &FuncDecl) -> Option<Term> {
    let own = width_of(of)?;
    let [at] = indices(own, decl)?.try_into().ok()?;
    Some(eq(&bits(of, own, at, 1), &bitvec(1, &BigInt::from(1))))
}

fn bits(of: &Term, own: u32, low: u32, width: u32) -> Term {
    let shifted = match low {
        0 => of.clone(),
        _ => bv(BvOp::Lshr, of, &bitvec(own, &BigInt::from(low))),
    };
    bv_resize(false, width, &shifted)
}

/// The 7 and the 4 of `(_ extract 7 4)`: only an application shows them.
fn indices(width: u32, decl: &FuncDecl) -> Option<Vec<u32>> {
    let applied = decl.apply(&[&BV::new_const("x", width)]).to_string();
    let (head, _) = applied.strip_prefix("((_ ")?.split_once(')')?;
    let numbers = head.split(' ').skip(1);
    numbers.map(|number| number.parse().ok()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::translate::Translator;
    use std::sync::Arc;
    use z3::ast::Bool;

    fn system(sorts: &[Sort]) -> Arc<System> {
        Arc::new(System::of_inputs(sorts.iter().cloned()))
    }

    fn read(system: &System, formula: &Bool) -> Read {
        let reader = Reader {
            system,
            step: 0,
            arguments: &[],
            functions: &HashMap::new(),
        };
        reader.read(&formula.clone().into())
    }

    /// Checks that the term read back is equivalent to the original.
    fn check(system: &Arc<System>, formula: &Bool) {
        let term = read(system, formula).expect("it is known");
        let mut translator = Translator::new(system.clone());
        let solver = z3::Solver::new();
        solver.assert(formula.eq(translator.boolean(&term, 0)).not());
        assert_eq!(solver.check(), z3::SatResult::Unsat, "{formula} {term:?}");
    }

    #[test]
    fn pieces_of_bit_vectors() {
        let system = system(&[Sort::BitVec(8), Sort::BitVec(8)]);
        let (x, y) = (BV::new_const("v0@0", 8), BV::new_const("v1@0", 8));
        check(&system, &x.extract(7, 4).eq(y.extract(3, 0)));
        check(&system, &x.extract(5, 5).eq(y.extract(7, 7)));
        check(&system, &x.extract(3, 0).concat(y.extract(6, 3)).bvult(&y));
        check(&system, &x.bvxor(&y).bvsge(y.bvnot()));
        check(&system, &x.zero_ext(4).bvsle(y.sign_ext(4)));
    }

    #[test]
    fn arithmetic_and_conditionals() {
        let system = system(&[Sort::Int, Sort::Bool]);
        let x = z3::ast::Int::new_const("v0@0");
        let b = Bool::new_const("v1@0");
        check(&system, &b.ite(&x, &(-&x)).ge(x.modulo(3)));
        check(&system, &b.xor(x.gt(4)).implies((&x * 2 - 5).lt(x.div(-3))));
    }

    #[test]
    fn other_steps_and_strangers_are_refused() {
        let system = system(&[Sort::Bool]);
        assert!(read(&system, &Bool::new_const("v0@0")).is_ok());
        assert!(read(&system, &Bool::new_const("v0@1")).is_err());
        assert!(read(&system, &Bool::new_const("w")).is_err());
    }
}
