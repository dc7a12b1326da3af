//! Reads terms from SMT-LIB text of the form that this crate and the certificates of `artifacts` write.
//! The latter have a few more operators, such as `=>` and `>=`, which are read as others.
//!
//! Certificates and advice may come from anywhere: whatever is not a well-sorted term of
//! known symbols is refused.

use std::collections::HashMap;

use num_bigint::BigInt;
use num_rational::BigRational;
use system::{
    BvCompare, BvOp, Function, Kind, Quantifier, Sort, Term, add, and, apply, bitvec, boolean, bv,
    bv_compare, bv_neg, bv_not, bv_resize, bv_to_int, const_array, eq, implies, int_div, int_mod,
    int_to_bv, integer, ite, lambda, le, lt, mul, neg, not, or, quantified, real, real_div, select,
    store, sub, to_int, to_real,
};

use crate::sexpr::Sexpr;

/// The part that could not be read.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Unreadable(pub String);

type Read<T> = Result<T, Unreadable>;

fn refuse<T>(why: impl Into<String>) -> Read<T> {
    Err(Unreadable(why.into()))
}

/// The terms and functions that names in a text refer to.
#[derive(Clone, Default)]
pub struct Symbols {
    pub terms: HashMap<String, Term>,
    pub functions: HashMap<String, Function>,
}

/// Reads one term; `let` and quantifiers add names on the way.
pub struct Reader<'s> {
    symbols: &'s Symbols,
    local: HashMap<String, Vec<Term>>,
}

impl<'s> Reader<'s> {
    pub fn new(symbols: &'s Symbols) -> Reader<'s> {
        Reader {
            symbols,
            local: HashMap::new(),
        }
    }

    pub fn term(&mut self, text: &Sexpr) -> Read<Term> {
        match text {
            Sexpr::Atom(word) => self.word(word),
            Sexpr::Text(text) => refuse(format!("\"{text}\" is no term")),
            Sexpr::List(parts) => match parts.split_first() {
                None => refuse("() is no term"),
                Some((Sexpr::Atom(word), rest)) => self.application(word, rest),
                Some((Sexpr::List(operator), rest)) => {
                    let rest = self.terms(rest)?;
                    indexed(operator, &rest)
                }
                Some((Sexpr::Text(_), _)) => refuse("a text is no operator"),
            },
        }
    }

    fn terms(&mut self, all: &[Sexpr]) -> Read<Vec<Term>> {
        all.iter().map(|part| self.term(part)).collect()
    }

    fn word(&self, word: &str) -> Read<Term> {
        if let Some(term) = self.local.get(word).and_then(|all| all.last()) {
            return Ok(term.clone());
        }
        if let Some(term) = self.symbols.terms.get(word) {
            return Ok(term.clone());
        }
        if let Some(function) = self.symbols.functions.get(word)
            && function.args.is_empty()
        {
            return Ok(apply(function.clone(), Vec::new()));
        }
        match word {
            "true" => Ok(boolean(true)),
            "false" => Ok(boolean(false)),
            _ => literal(word).map_or_else(|| refuse(format!("`{word}` is not known")), Ok),
        }
    }

    fn application(&mut self, word: &str, rest: &[Sexpr]) -> Read<Term> {
        match (word, rest) {
            ("let", [bindings, body]) => self.bound_by_let(bindings, body),
            ("forall", [vars, body]) => self.quantified(Some(Quantifier::Forall), vars, body),
            ("exists", [vars, body]) => self.quantified(Some(Quantifier::Exists), vars, body),
            ("lambda", [vars, body]) => self.quantified(None, vars, body),
            ("_", [Sexpr::Atom(value), Sexpr::Atom(width)]) => decimal_bit_vector(value, width),
            _ => {
                let parts = self.terms(rest)?;
                match self.symbols.functions.get(word) {
                    Some(function) => applied(function, parts),
                    None => operator(word, &parts),
                }
            }
        }
    }

    /// `let` after `let`, without recursion from one to the next.
    fn bound_by_let<'t>(&mut self, bindings: &'t Sexpr, body: &'t Sexpr) -> Read<Term> {
        let (mut bindings, mut body) = (bindings, body);
        let mut names = Vec::new();
        loop {
            let mut found = Vec::new();
            for binding in bindings.list().unwrap_or_default() {
                let Some([Sexpr::Atom(name), value]) = binding.list() else {
                    return refuse("a binding of `let` that is none");
                };
                found.push((name.clone(), self.term(value)?));
            }
            for (name, value) in found {
                self.local.entry(name.clone()).or_default().push(value);
                names.push(name);
            }
            match body.list() {
                Some([Sexpr::Atom(word), more, inner]) if word == "let" => {
                    (bindings, body) = (more, inner);
                }
                _ => break,
            }
        }
        let term = self.term(body);
        self.forget(&names);
        term
    }

    fn quantified(
        &mut self,
        quantifier: Option<Quantifier>,
        vars: &Sexpr,
        body: &Sexpr,
    ) -> Read<Term> {
        let mut bound = Vec::new();
        let mut names = Vec::new();
        for var in vars.list().unwrap_or_default() {
            let Some([Sexpr::Atom(name), of]) = var.list() else {
                return refuse("a quantified variable that is none");
            };
            let number = name.strip_prefix("b!").and_then(|id| id.parse().ok());
            let Some(number) = number else {
                return refuse(format!("`{name}` is no quantified variable"));
            };
            let of = read_sort(of)?;
            let term = system::bound(number, of.clone());
            self.local.entry(name.clone()).or_default().push(term);
            names.push(name.clone());
            bound.push((number, of));
        }
        let body = self.term(body);
        self.forget(&names);
        let body = body?;
        match (quantifier, bound.as_slice()) {
            (Some(quantifier), _) => {
                sorted(&body, &Sort::Bool)?;
                Ok(quantified(quantifier, bound, &body))
            }
            (None, [(number, Sort::Int)]) => Ok(lambda(*number, &body)),
            (None, _) => refuse("an array with another index than one integer"),
        }
    }

    fn forget(&mut self, names: &[String]) {
        for name in names {
            if let Some(all) = self.local.get_mut(name) {
                all.pop();
            }
        }
    }
}

/// `Int`, `(_ BitVec 8)`, `(Array Int Bool)`.
pub fn read_sort(text: &Sexpr) -> Read<Sort> {
    match (text.atom(), text.list()) {
        (Some("Bool"), _) => Ok(Sort::Bool),
        (Some("Int"), _) => Ok(Sort::Int),
        (Some("Real"), _) => Ok(Sort::Real),
        (_, Some([Sexpr::Atom(under), Sexpr::Atom(word), Sexpr::Atom(width)]))
            if under == "_" && word == "BitVec" =>
        {
            match width.parse() {
                Ok(width @ 1..) => Ok(Sort::BitVec(width)),
                _ => refuse("a bit-vector without a width"),
            }
        }
        (_, Some([Sexpr::Atom(word), Sexpr::Atom(index), element]))
            if word == "Array" && index == "Int" =>
        {
            Ok(Sort::Array(read_sort(element)?.into()))
        }
        _ => refuse("a sort that is not known"),
    }
}

fn literal(word: &str) -> Option<Term> {
    if let Some(digits) = word.strip_prefix("#x") {
        let value = BigInt::parse_bytes(digits.as_bytes(), 16)?;
        return Some(bitvec(4 * u32::try_from(digits.len()).ok()?, &value));
    }
    if let Some(digits) = word.strip_prefix("#b") {
        let value = BigInt::parse_bytes(digits.as_bytes(), 2)?;
        return Some(bitvec(u32::try_from(digits.len()).ok()?, &value));
    }
    match word.strip_suffix(".0") {
        Some(whole) if is_number(whole) => {
            Some(real(BigRational::from_integer(whole.parse().ok()?)))
        }
        None if is_number(word) => Some(integer(word.parse::<BigInt>().ok()?)),
        _ => None,
    }
}

/// `(_ bv5 8)`.
fn decimal_bit_vector(value: &str, width: &str) -> Read<Term> {
    let digits = value.strip_prefix("bv").filter(|text| is_number(text));
    let value = digits.and_then(|digits| digits.parse::<BigInt>().ok());
    match (value, index(width)) {
        (Some(value), Some(width @ 1..)) if value.bits() <= width.into() => {
            Ok(bitvec(width, &value))
        }
        _ => refuse("a bit-vector that is none"),
    }
}

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit())
}

/// A number in the name of an operator.
fn index(text: &str) -> Option<u32> {
    text.parse().ok().filter(|number| *number < 1 << 16)
}

fn sorted(term: &Term, sort: &Sort) -> Read<()> {
    match term.sort() == sort {
        true => Ok(()),
        false => refuse(format!("{:?} where {sort:?} is needed", term.sort())),
    }
}

fn all_sorted(terms: &[Term], sort: &Sort) -> Read<()> {
    terms.iter().try_for_each(|term| sorted(term, sort))
}

fn applied(function: &Function, parts: Vec<Term>) -> Read<Term> {
    if parts.len() != function.args.len() {
        return refuse(format!(
            "`{}` with {} arguments",
            function.name,
            parts.len()
        ));
    }
    for (part, of) in parts.iter().zip(function.args.iter()) {
        sorted(part, of)?;
    }
    Ok(apply(function.clone(), parts))
}

fn operator(word: &str, parts: &[Term]) -> Read<Term> {
    match (word, parts) {
        ("and" | "or", [_, ..]) => {
            all_sorted(parts, &Sort::Bool)?;
            let parts = parts.iter().cloned();
            Ok(if word == "and" { and(parts) } else { or(parts) })
        }
        ("not", [a]) => sorted(a, &Sort::Bool).map(|()| not(a)),
        ("=>" | "xor", [a, b]) => {
            all_sorted(parts, &Sort::Bool)?;
            Ok(if word == "=>" {
                implies(a, b)
            } else {
                not(&eq(a, b))
            })
        }
        ("=", [a, b]) => sorted(b, a.sort()).map(|()| eq(a, b)),
        ("ite", [c, a, b]) => {
            sorted(c, &Sort::Bool)?;
            sorted(b, a.sort())?;
            Ok(signed_value(c, a, b).unwrap_or_else(|| ite(c, a, b)))
        }
        ("select", [array, index]) => {
            sorted(index, &Sort::Int)?;
            element_of(array).map(|_| select(array, index))
        }
        ("store", [array, index, value]) => {
            sorted(index, &Sort::Int)?;
            sorted(value, &element_of(array)?)?;
            Ok(store(array, index, value))
        }
        _ => match parts.first().map(Term::sort) {
            Some(Sort::BitVec(_)) => bit_vector(word, parts),
            Some(Sort::Int | Sort::Real) => arithmetic(word, parts),
            _ => refuse(format!("`{word}` is not known")),
        },
    }
}

/// The value of a bit-vector with its sign, as it is written.
fn signed_value(c: &Term, a: &Term, b: &Term) -> Option<Term> {
    let Kind::BvToInt { signed: false, of } = b.kind() else {
        return None;
    };
    let Sort::BitVec(width) = *of.sort() else {
        return None;
    };
    let negative = bv_compare(BvCompare::Slt, of, &bitvec(width, &BigInt::ZERO));
    let less = sub(b, &integer(BigInt::from(1) << width));
    (*c == negative && *a == less).then(|| bv_to_int(true, of))
}

fn element_of(array: &Term) -> Read<Sort> {
    match array.sort() {
        Sort::Array(element) => Ok((**element).clone()),
        _ => refuse("an element of something else than an array"),
    }
}

fn arithmetic(word: &str, parts: &[Term]) -> Read<Term> {
    let of = parts[0].sort().clone();
    all_sorted(parts, &of)?;
    let whole = of == Sort::Int;
    Ok(match (word, parts) {
        ("+", [_, _, ..]) => add(parts.iter().cloned()),
        ("-", [a]) => neg(a),
        ("-", [a, b]) => sub(a, b),
        ("*", [a, b]) => mul(a, b),
        ("div", [a, b]) if whole => int_div(a, b),
        ("mod", [a, b]) if whole => int_mod(a, b),
        ("/", [a, b]) if !whole => real_div(a, b),
        ("<", [a, b]) => lt(a, b),
        ("<=", [a, b]) => le(a, b),
        (">", [a, b]) => lt(b, a),
        (">=", [a, b]) => le(b, a),
        ("to_real", [a]) if whole => to_real(a),
        ("to_int", [a]) if !whole => to_int(a),
        _ => return refuse(format!("`{word}` of numbers is not known")),
    })
}

fn bit_vector(word: &str, parts: &[Term]) -> Read<Term> {
    all_sorted(parts, parts[0].sort())?;
    let operation = match word {
        "bvadd" => BvOp::Add,
        "bvsub" => BvOp::Sub,
        "bvmul" => BvOp::Mul,
        "bvudiv" => BvOp::Udiv,
        "bvurem" => BvOp::Urem,
        "bvsdiv" => BvOp::Sdiv,
        "bvsrem" => BvOp::Srem,
        "bvand" => BvOp::And,
        "bvor" => BvOp::Or,
        "bvshl" => BvOp::Shl,
        "bvlshr" => BvOp::Lshr,
        "bvashr" => BvOp::Ashr,
        _ => return bit_vector_to_other(word, parts),
    };
    match parts {
        [a, b] => Ok(bv(operation, a, b)),
        _ => refuse(format!("`{word}` of other than two")),
    }
}

fn bit_vector_to_other(word: &str, parts: &[Term]) -> Read<Term> {
    Ok(match (word, parts) {
        ("bvnot", [a]) => bv_not(a),
        ("bvneg", [a]) => bv_neg(a),
        ("bv2nat", [a]) => bv_to_int(false, a),
        ("bvult", [a, b]) => bv_compare(BvCompare::Ult, a, b),
        ("bvule", [a, b]) => bv_compare(BvCompare::Ule, a, b),
        ("bvslt", [a, b]) => bv_compare(BvCompare::Slt, a, b),
        ("bvsle", [a, b]) => bv_compare(BvCompare::Sle, a, b),
        ("bvugt", [a, b]) => bv_compare(BvCompare::Ult, b, a),
        ("bvuge", [a, b]) => bv_compare(BvCompare::Ule, b, a),
        ("bvsgt", [a, b]) => bv_compare(BvCompare::Slt, b, a),
        ("bvsge", [a, b]) => bv_compare(BvCompare::Sle, b, a),
        _ => return refuse(format!("`{word}` of bit-vectors is not known")),
    })
}

/// `(_ extract 7 0)`, `(_ sign_extend 8)`, `(as const (Array Int Int))`.
fn indexed(operator: &[Sexpr], parts: &[Term]) -> Read<Term> {
    let [part] = parts else {
        return refuse("an operator of one part");
    };
    if let [Sexpr::Atom(word), Sexpr::Atom(constant), of] = operator
        && word == "as"
        && constant == "const"
    {
        let array = const_array(part);
        return sorted(&array, &read_sort(of)?).map(|()| array);
    }
    let words: Option<Vec<&str>> = operator.iter().map(Sexpr::atom).collect();
    let words = words.unwrap_or_default();
    match (words.as_slice(), part.sort()) {
        (["_", "extract", high, "0"], Sort::BitVec(own)) => match index(high) {
            Some(high) if high < *own => Ok(bv_resize(false, high + 1, part)),
            _ => refuse("bits that are not there"),
        },
        (["_", word @ ("zero_extend" | "sign_extend"), more], Sort::BitVec(own)) => {
            match index(more) {
                Some(more) => Ok(bv_resize(*word == "sign_extend", own + more, part)),
                None => refuse("more bits than there are"),
            }
        }
        (["_", "int2bv", width], Sort::Int) => match index(width) {
            Some(width @ 1..) => Ok(int_to_bv(width, part)),
            _ => refuse("a bit-vector without a width"),
        },
        _ => refuse("an operator that is not known"),
    }
}

#[cfg(test)]
mod tests;
