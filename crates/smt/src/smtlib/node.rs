//! How each operator is written.

use num_bigint::BigInt;
use num_traits::One;
use system::{BvCompare, BvOp, Kind, Quantifier, Sort, Term};

use super::{Names, bit_vector, integer, real, sort};

/// A piece of the text of a term.
pub(super) enum Piece {
    Text(String),
    /// A direct part of the term.
    Part(Term),
    /// The part under a quantifier, where its variables are known.
    Body(Term),
}

/// The pieces of a term, in their order.
pub(super) fn pieces(term: &Term, names: &Names) -> Vec<Piece> {
    match term.kind() {
        Kind::Bool(value) => text(value.to_string()),
        Kind::Int(value) => text(integer(value)),
        Kind::Real(value) => text(real(value)),
        Kind::BitVec(width, value) => text(bit_vector(*width, value)),
        Kind::Var(var) => text((names.var)(*var)),
        Kind::Bound(id) => text(bound(*id)),
        Kind::Apply(function, args) if args.is_empty() => text((names.function)(function)),
        Kind::Apply(function, args) => applied(&(names.function)(function), &**args),
        Kind::And(all) => applied("and", &**all),
        Kind::Or(all) => applied("or", &**all),
        Kind::Add(all) => applied("+", &**all),
        Kind::ConstArray(element) => {
            let array = sort(term.sort());
            applied(&format!("(as const {array})"), [element])
        }
        Kind::Lambda(id, element) => {
            let head = format!("(lambda (({} Int)) ", bound(*id));
            under(head, element)
        }
        Kind::Quantified(quantifier, vars, body) => quantified(*quantifier, vars, body),
        Kind::Not(a) => applied("not", [a]),
        Kind::Eq(a, b) => applied("=", [a, b]),
        Kind::Ite(c, a, b) => applied("ite", [c, a, b]),
        Kind::Neg(a) => applied("-", [a]),
        Kind::Mul(a, b) => applied("*", [a, b]),
        Kind::IntDiv(a, b) => applied("div", [a, b]),
        Kind::IntMod(a, b) => applied("mod", [a, b]),
        Kind::RealDiv(a, b) => applied("/", [a, b]),
        Kind::Lt(a, b) => applied("<", [a, b]),
        Kind::Le(a, b) => applied("<=", [a, b]),
        Kind::ToReal(a) => applied("to_real", [a]),
        Kind::ToInt(a) => applied("to_int", [a]),
        Kind::BvNot(a) => applied("bvnot", [a]),
        Kind::BvNeg(a) => applied("bvneg", [a]),
        Kind::Bv(op, a, b) => applied(operation(*op), [a, b]),
        Kind::BvCompare(op, a, b) => applied(comparison(*op), [a, b]),
        Kind::BvTruncate(width, a) => applied(&format!("(_ extract {} 0)", width - 1), [a]),
        Kind::BvExtend { signed, width, of } => extended(*signed, *width, of),
        Kind::IntToBv(width, a) => applied(&format!("(_ int2bv {width})"), [a]),
        Kind::BvToInt { signed: true, of } => signed_value(term, of),
        Kind::BvToInt { signed: false, of } => applied("bv2nat", [of]),
        Kind::Select(array, index) => applied("select", [array, index]),
        Kind::Store(array, index, value) => applied("store", [array, index, value]),
    }
}

pub(super) fn bound(id: u32) -> String {
    format!("b!{id}")
}

fn quantified(quantifier: Quantifier, vars: &[(u32, Sort)], body: &Term) -> Vec<Piece> {
    let word = match quantifier {
        Quantifier::Forall => "forall",
        Quantifier::Exists => "exists",
    };
    let vars = vars.iter();
    let vars = vars.map(|(id, of)| format!("({} {})", bound(*id), sort(of)));
    let vars: Vec<String> = vars.collect();
    under(format!("({word} ({}) ", vars.join(" ")), body)
}

fn text(text: String) -> Vec<Piece> {
    vec![Piece::Text(text)]
}

fn under(head: String, body: &Term) -> Vec<Piece> {
    let end = Piece::Text(")".into());
    vec![Piece::Text(head), Piece::Body(body.clone()), end]
}

fn applied<'t>(operator: &str, parts: impl IntoIterator<Item = &'t Term>) -> Vec<Piece> {
    let mut pieces = text(format!("({operator}"));
    for part in parts {
        pieces.push(Piece::Text(" ".into()));
        pieces.push(Piece::Part(part.clone()));
    }
    pieces.push(Piece::Text(")".into()));
    pieces
}

fn extended(signed: bool, width: u32, of: &Term) -> Vec<Piece> {
    let more = width - width_of(of);
    let word = if signed { "sign_extend" } else { "zero_extend" };
    applied(&format!("(_ {word} {more})"), [of])
}

/// The value with its sign: the unsigned one, less the weight of all bits and
/// one more where the highest bit is set. The part occurs three times.
fn signed_value(term: &Term, of: &Term) -> Vec<Piece> {
    debug_assert_eq!(uses_of_parts(term), 3);
    let width = width_of(of);
    let zero = bit_vector(width, &BigInt::ZERO);
    let all = BigInt::one() << width;
    vec![
        Piece::Text("(ite (bvslt ".into()),
        Piece::Part(of.clone()),
        Piece::Text(format!(" {zero}) (- (bv2nat ")),
        Piece::Part(of.clone()),
        Piece::Text(format!(") {all}) (bv2nat ")),
        Piece::Part(of.clone()),
        Piece::Text("))".into()),
    ]
}

/// How often each part of the term is written.
pub(super) fn uses_of_parts(term: &Term) -> usize {
    match term.kind() {
        Kind::BvToInt { signed: true, .. } => 3,
        _ => 1,
    }
}

fn width_of(term: &Term) -> u32 {
    match term.sort() {
        Sort::BitVec(width) => *width,
        other => unreachable!("not a bit-vector: {other:?}"),
    }
}

fn operation(op: BvOp) -> &'static str {
    match op {
        BvOp::Add => "bvadd",
        BvOp::Sub => "bvsub",
        BvOp::Mul => "bvmul",
        BvOp::Udiv => "bvudiv",
        BvOp::Urem => "bvurem",
        BvOp::Sdiv => "bvsdiv",
        BvOp::Srem => "bvsrem",
        BvOp::And => "bvand",
        BvOp::Or => "bvor",
        BvOp::Shl => "bvshl",
        BvOp::Lshr => "bvlshr",
        BvOp::Ashr => "bvashr",
    }
}

fn comparison(op: BvCompare) -> &'static str {
    match op {
        BvCompare::Ult => "bvult",
        BvCompare::Ule => "bvule",
        BvCompare::Slt => "bvslt",
        BvCompare::Sle => "bvsle",
    }
}
