//! Terms as S-expressions over the names of variables.
//!
//! A part that occurs more than once is written once, as a definition that others
//! refer to by its number. Reading checks sorts: what is no term of the system is
//! not read. Quantifiers and functions without a definition are not written.

use std::collections::{HashMap, HashSet};

use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::Zero;
use system::{BvCompare, BvOp, Kind, Sort, Term, Var};

use crate::sexp::{MAX_DEPTH, Sexp};

/// The variables of a system by name: each name is that of one variable.
#[derive(Clone, Debug, Default)]
pub struct Names {
    names: HashMap<Var, String>,
    vars: HashMap<String, Term>,
}

impl Names {
    /// Names that are given twice are given to none.
    pub fn new(all: impl IntoIterator<Item = (String, Var, Sort)>) -> Names {
        let mut names = Names::default();
        let mut twice = HashSet::new();
        for (name, var, sort) in all {
            let term = system::var(var, sort);
            match names.vars.insert(name.clone(), term.clone()) {
                Some(other) if other != term => {
                    twice.insert(name);
                }
                _ => {
                    names.names.entry(var).or_insert(name);
                }
            }
        }
        names.vars.retain(|name, _| !twice.contains(name));
        names.names.retain(|_, name| !twice.contains(name));
        names
    }

    pub fn name(&self, var: Var) -> Option<&str> {
        self.names.get(&var).map(String::as_str)
    }

    pub fn var(&self, name: &str) -> Option<&Term> {
        self.vars.get(name)
    }
}

/// Writes terms that share their parts.
pub(crate) struct Writer<'n> {
    names: &'n Names,
    /// Parts with a number, once they are defined.
    numbers: HashMap<u64, usize>,
    pub definitions: Vec<Sexp>,
}

/// What is known of a term that is being written.
struct Written {
    sexp: Option<Sexp>,
    depth: usize,
}

impl<'n> Writer<'n> {
    pub fn new(names: &'n Names) -> Writer<'n> {
        Writer {
            names,
            numbers: HashMap::new(),
            definitions: Vec::new(),
        }
    }

    /// The text of a term; nothing if it speaks of what has no name.
    pub fn term(&mut self, root: &Term) -> Option<Sexp> {
        let order = parts_first(root);
        if !order.iter().all(|term| self.can_say(term)) {
            return None;
        }
        let mut users: HashMap<u64, usize> = HashMap::new();
        for term in &order {
            term.for_each_part(|part| *users.entry(part.id()).or_default() += 1);
        }
        let mut done: HashMap<u64, Written> = HashMap::new();
        for term in &order {
            let mut depth = 0;
            let mut parts = Vec::new();
            term.for_each_part(|part| {
                let written = &done[&part.id()];
                depth = depth.max(written.depth + 1);
                parts.extend(written.sexp.clone());
            });
            let mut sexp = self.reference(term).or_else(|| self.node(term, parts))?;
            let shared = users.get(&term.id()).is_some_and(|users| *users > 1);
            if depth > 0 && (shared || depth == MAX_DEPTH / 4) {
                sexp = self.define(term, sexp);
                depth = 0;
            }
            let sexp = Some(sexp);
            done.insert(term.id(), Written { sexp, depth });
        }
        done.remove(&root.id())?.sexp
    }

    fn can_say(&self, term: &Term) -> bool {
        match term.kind() {
            Kind::Var(var) => self.names.name(*var).is_some(),
            Kind::Bound(_)
            | Kind::Apply(..)
            | Kind::ConstArray(_)
            | Kind::Lambda(..)
            | Kind::Quantified(..) => false,
            _ => true,
        }
    }

    fn reference(&self, term: &Term) -> Option<Sexp> {
        let number = self.numbers.get(&term.id())?;
        Some(Sexp::word(format!("${number}")))
    }

    fn define(&mut self, term: &Term, sexp: Sexp) -> Sexp {
        if let Some(known) = self.reference(term) {
            return known;
        }
        let number = self.definitions.len();
        self.definitions.push(sexp);
        self.numbers.insert(term.id(), number);
        Sexp::word(format!("${number}"))
    }

    fn node(&self, term: &Term, parts: Vec<Sexp>) -> Option<Sexp> {
        let sized = |head: &str, width: u32| {
            let width = Sexp::word(width.to_string());
            Sexp::list(head, [width].into_iter().chain(parts.clone()))
        };
        let head = match term.kind() {
            Kind::Bool(value) => return Some(Sexp::word(value.to_string())),
            Kind::Int(value) => return Some(Sexp::word(value.to_string())),
            Kind::Real(value) => {
                let (numer, denom) = (value.numer(), value.denom());
                return Some(Sexp::word(format!("{numer}/{denom}")));
            }
            Kind::BitVec(width, value) => return Some(Sexp::word(format!("#{width}:{value}"))),
            Kind::Var(var) => return self.names.name(*var).map(Sexp::name),
            Kind::BvTruncate(width, _) => return Some(sized("truncate", *width)),
            Kind::BvExtend { signed, width, .. } => {
                let head = if *signed {
                    "sign_extend"
                } else {
                    "zero_extend"
                };
                return Some(sized(head, *width));
            }
            Kind::IntToBv(width, _) => return Some(sized("int_to_bv", *width)),
            Kind::Bv(op, ..) => name_of(BV_OPS, op)?,
            Kind::BvCompare(op, ..) => name_of(BV_COMPARISONS, op)?,
            kind => plain_head(kind)?,
        };
        Some(Sexp::list(head, parts))
    }
}

/// Every term below a root, each once, parts before what they are part of.
fn parts_first(root: &Term) -> Vec<Term> {
    let mut order = Vec::new();
    let mut seen = HashSet::new();
    let mut open = vec![(root.clone(), false)];
    while let Some((term, ready)) = open.pop() {
        if ready {
            order.push(term);
        } else if seen.insert(term.id()) {
            open.push((term.clone(), true));
            term.for_each_part(|part| open.push((part.clone(), false)));
        }
    }
    order
}

fn plain_head(kind: &Kind) -> Option<&'static str> {
    Some(match kind {
        Kind::Not(_) => "not",
        Kind::And(_) => "and",
        Kind::Or(_) => "or",
        Kind::Eq(..) => "=",
        Kind::Ite(..) => "ite",
        Kind::Add(_) => "+",
        Kind::Neg(_) => "-",
        Kind::Mul(..) => "*",
        Kind::IntDiv(..) => "div",
        Kind::IntMod(..) => "mod",
        Kind::RealDiv(..) => "/",
        Kind::Lt(..) => "<",
        Kind::Le(..) => "<=",
        Kind::ToReal(_) => "to_real",
        Kind::ToInt(_) => "to_int",
        Kind::BvNot(_) => "bvnot",
        Kind::BvNeg(_) => "bvneg",
        Kind::BvToInt { signed: true, .. } => "sbv_to_int",
        Kind::BvToInt { signed: false, .. } => "ubv_to_int",
        Kind::Select(..) => "select",
        Kind::Store(..) => "store",
        _ => return None,
    })
}

const BV_OPS: &[(&str, BvOp)] = &[
    ("bvadd", BvOp::Add),
    ("bvsub", BvOp::Sub),
    ("bvmul", BvOp::Mul),
    ("bvudiv", BvOp::Udiv),
    ("bvurem", BvOp::Urem),
    ("bvsdiv", BvOp::Sdiv),
    ("bvsrem", BvOp::Srem),
    ("bvand", BvOp::And),
    ("bvor", BvOp::Or),
    ("bvshl", BvOp::Shl),
    ("bvlshr", BvOp::Lshr),
    ("bvashr", BvOp::Ashr),
];

const BV_COMPARISONS: &[(&str, BvCompare)] = &[
    ("bvult", BvCompare::Ult),
    ("bvule", BvCompare::Ule),
    ("bvslt", BvCompare::Slt),
    ("bvsle", BvCompare::Sle),
];

fn name_of<T: PartialEq>(table: &[(&'static str, T)], wanted: &T) -> Option<&'static str> {
    let mut entries = table.iter();
    entries.find(|(_, op)| op == wanted).map(|(name, _)| *name)
}

fn op_of<T: Copy>(table: &[(&'static str, T)], wanted: &str) -> Option<T> {
    let mut entries = table.iter();
    entries.find(|(name, _)| *name == wanted).map(|(_, op)| *op)
}

/// Wider bit-vectors are not read.
const MAX_WIDTH: u32 = 1 << 12;

/// Reads terms that refer to definitions.
pub(crate) struct Reader<'n> {
    names: &'n Names,
    definitions: Vec<Option<Term>>,
}

impl<'n> Reader<'n> {
    /// Definitions may refer to those before them.
    pub fn new(names: &'n Names, definitions: &[Sexp]) -> Reader<'n> {
        let mut reader = Reader {
            names,
            definitions: Vec::new(),
        };
        for definition in definitions {
            let term = reader.term(definition);
            reader.definitions.push(term);
        }
        reader
    }

    /// The term of a text; nothing if there is none in this system.
    pub fn term(&self, sexp: &Sexp) -> Option<Term> {
        match sexp {
            Sexp::Name(name) => self.names.var(name).cloned(),
            Sexp::Word(word) => self.word(word),
            Sexp::List(_) => {
                let (head, parts) = sexp.form()?;
                self.sized(head, parts).or_else(|| {
                    let parts: Option<Vec<Term>> = parts.iter().map(|p| self.term(p)).collect();
                    operation(head, &parts?)
                })
            }
        }
    }

    fn word(&self, word: &str) -> Option<Term> {
        if let Some(number) = word.strip_prefix('$') {
            return self.definitions.get(number.parse::<usize>().ok()?)?.clone();
        }
        if let Some((width, value)) = word.strip_prefix('#').and_then(|w| w.split_once(':')) {
            let (width, value) = (width_of(width)?, value.parse::<BigInt>().ok()?);
            return Some(system::bitvec(width, &value));
        }
        if let Some((numer, denom)) = word.split_once('/') {
            let (numer, denom): (BigInt, BigInt) = (numer.parse().ok()?, denom.parse().ok()?);
            return (!denom.is_zero()).then(|| system::real(BigRational::new(numer, denom)));
        }
        match word {
            "true" => Some(system::boolean(true)),
            "false" => Some(system::boolean(false)),
            _ => word.parse::<BigInt>().ok().map(system::integer),
        }
    }

    /// Operations with a width.
    fn sized(&self, head: &str, parts: &[Sexp]) -> Option<Term> {
        let [Sexp::Word(width), of] = parts else {
            return None;
        };
        if !matches!(
            head,
            "truncate" | "sign_extend" | "zero_extend" | "int_to_bv"
        ) {
            return None;
        }
        let (width, of) = (width_of(width)?, self.term(of)?);
        match (head, of.sort()) {
            ("int_to_bv", Sort::Int) => Some(system::int_to_bv(width, &of)),
            ("truncate" | "sign_extend" | "zero_extend", Sort::BitVec(_)) => {
                Some(system::bv_resize(head == "sign_extend", width, &of))
            }
            _ => None,
        }
    }
}

fn width_of(text: &str) -> Option<u32> {
    let width = text.parse::<u32>().ok()?;
    (1..=MAX_WIDTH).contains(&width).then_some(width)
}

/// The operation on these parts, if it has a meaning.
fn operation(head: &str, parts: &[Term]) -> Option<Term> {
    let first = parts.first()?;
    let sort = first.sort();
    let alike = parts.iter().all(|part| part.sort() == sort);
    let number = matches!(sort, Sort::Int | Sort::Real);
    let bits = matches!(sort, Sort::BitVec(_));
    Some(match (head, parts) {
        ("and", _) if alike && *sort == Sort::Bool => system::and(parts.iter().cloned()),
        ("or", _) if alike && *sort == Sort::Bool => system::or(parts.iter().cloned()),
        ("+", _) if alike && number => system::add(parts.iter().cloned()),
        ("not", [a]) if *sort == Sort::Bool => system::not(a),
        ("-", [a]) if number => system::neg(a),
        ("to_real", [a]) if *sort == Sort::Int => system::to_real(a),
        ("to_int", [a]) if *sort == Sort::Real => system::to_int(a),
        ("bvnot", [a]) if bits => system::bv_not(a),
        ("bvneg", [a]) if bits => system::bv_neg(a),
        ("sbv_to_int", [a]) if bits => system::bv_to_int(true, a),
        ("ubv_to_int", [a]) if bits => system::bv_to_int(false, a),
        ("=", [a, b]) if alike => system::eq(a, b),
        ("*", [a, b]) if alike && number => system::mul(a, b),
        ("div", [a, b]) if alike && *sort == Sort::Int => system::int_div(a, b),
        ("mod", [a, b]) if alike && *sort == Sort::Int => system::int_mod(a, b),
        ("/", [a, b]) if alike && *sort == Sort::Real => system::real_div(a, b),
        ("<", [a, b]) if alike && number => system::lt(a, b),
        ("<=", [a, b]) if alike && number => system::le(a, b),
        ("ite", [c, a, b]) if *sort == Sort::Bool && a.sort() == b.sort() => system::ite(c, a, b),
        ("select", [array, index]) if is_array(array, None) && *index.sort() == Sort::Int => {
            system::select(array, index)
        }
        ("store", [array, index, value])
            if is_array(array, Some(value)) && *index.sort() == Sort::Int =>
        {
            system::store(array, index, value)
        }
        (_, [a, b]) if alike && bits => match op_of(BV_OPS, head) {
            Some(op) => system::bv(op, a, b),
            None => system::bv_compare(op_of(BV_COMPARISONS, head)?, a, b),
        },
        _ => return None,
    })
}

/// Is it an array, of such elements?
fn is_array(term: &Term, element: Option<&Term>) -> bool {
    match term.sort() {
        Sort::Array(own) => element.is_none_or(|element| element.sort() == &**own),
        _ => false,
    }
}
