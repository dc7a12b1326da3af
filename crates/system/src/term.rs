//! Terms, shared.
//!
//! Terms are hash-consed: equal terms are one object, compared and hashed by
//! an id. They are immutable and can be handed between threads. The table that
//! finds equal terms lives as long as the process.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::fmt;
use std::hash::{Hash, Hasher};
use std::sync::{Arc, LazyLock, Mutex};

use num_bigint::BigInt;
use num_rational::BigRational;
use syntax::Symbol;

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Sort {
    Bool,
    Int,
    Real,
    BitVec(u32),
    /// From integers to a sort.
    Array(Arc<Sort>),
}

/// A variable of a system; its value changes from step to step.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Var(pub u32);

/// An uninterpreted function.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Function {
    pub name: Symbol,
    pub args: Arc<[Sort]>,
    pub result: Sort,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Quantifier {
    Forall,
    Exists,
}

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Kind {
    Bool(bool),
    Int(BigInt),
    Real(BigRational),
    /// Width and value, not negative.
    BitVec(u32, BigInt),
    Var(Var),
    /// A quantified variable.
    Bound(u32),
    Not(Term),
    And(Arc<[Term]>),
    Or(Arc<[Term]>),
    Eq(Term, Term),
    Ite(Term, Term, Term),
    Add(Arc<[Term]>),
    Neg(Term),
    Mul(Term, Term),
    /// Euclidean, by a divisor that is not zero.
    IntDiv(Term, Term),
    IntMod(Term, Term),
    RealDiv(Term, Term),
    Lt(Term, Term),
    Le(Term, Term),
    ToReal(Term),
    /// Rounds down.
    ToInt(Term),
    BvNot(Term),
    BvNeg(Term),
    Bv(BvOp, Term, Term),
    BvCompare(BvCompare, Term, Term),
    /// The lowest bits.
    BvTruncate(u32, Term),
    BvExtend {
        signed: bool,
        width: u32,
        of: Term,
    },
    IntToBv(u32, Term),
    BvToInt {
        signed: bool,
        of: Term,
    },
    Apply(Function, Arc<[Term]>),
    Select(Term, Term),
    Store(Term, Term, Term),
    /// The same element at every index.
    ConstArray(Term),
    /// The element at each index, a bound integer.
    Lambda(u32, Term),
    Quantified(Quantifier, Arc<[(u32, Sort)]>, Term),
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum BvOp {
    Add,
    Sub,
    Mul,
    Udiv,
    Urem,
    Sdiv,
    Srem,
    And,
    Or,
    Shl,
    Lshr,
    Ashr,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum BvCompare {
    Ult,
    Ule,
    Slt,
    Sle,
}

struct Node {
    id: u64,
    kind: Kind,
    sort: Sort,
    quantified: bool,
}

impl Node {
    fn for_each_part(&self, mut each: impl FnMut(&Term)) {
        match &self.kind {
            Kind::Bool(_)
            | Kind::Int(_)
            | Kind::Real(_)
            | Kind::BitVec(..)
            | Kind::Var(_)
            | Kind::Bound(_) => {}
            Kind::Not(a)
            | Kind::Neg(a)
            | Kind::ToReal(a)
            | Kind::ToInt(a)
            | Kind::BvNot(a)
            | Kind::BvNeg(a)
            | Kind::BvTruncate(_, a)
            | Kind::BvExtend { of: a, .. }
            | Kind::IntToBv(_, a)
            | Kind::BvToInt { of: a, .. }
            | Kind::ConstArray(a)
            | Kind::Lambda(_, a)
            | Kind::Quantified(_, _, a) => each(a),
            Kind::And(all) | Kind::Or(all) | Kind::Add(all) | Kind::Apply(_, all) => {
                all.iter().for_each(each)
            }
            Kind::Eq(a, b)
            | Kind::Mul(a, b)
            | Kind::IntDiv(a, b)
            | Kind::IntMod(a, b)
            | Kind::RealDiv(a, b)
            | Kind::Lt(a, b)
            | Kind::Le(a, b)
            | Kind::Bv(_, a, b)
            | Kind::BvCompare(_, a, b)
            | Kind::Select(a, b) => {
                each(a);
                each(b);
            }
            Kind::Ite(a, b, c) | Kind::Store(a, b, c) => {
                each(a);
                each(b);
                each(c);
            }
        }
    }
}

#[derive(Clone)]
pub struct Term(Arc<Node>);

impl Term {
    pub fn kind(&self) -> &Kind {
        &self.0.kind
    }

    pub fn sort(&self) -> &Sort {
        &self.0.sort
    }

    /// The same for equal terms and for no others.
    pub fn id(&self) -> u64 {
        self.0.id
    }

    pub(crate) fn make(kind: Kind, sort: Sort) -> Term {
        // Systems number their variables alike: the sort is part of the key.
        let key = (kind, sort);
        let mut table = TABLE.lock().unwrap_or_else(|e| e.into_inner());
        if let Some(term) = table.get(&key) {
            return term.clone();
        }
        let mut node = Node {
            id: table.len() as u64,
            kind: key.0.clone(),
            sort: key.1.clone(),
            quantified: matches!(key.0, Kind::Quantified(..) | Kind::Lambda(..)),
        };
        let mut inside = false;
        node.for_each_part(|part| inside |= part.is_quantified());
        node.quantified |= inside;
        let term = Term(Arc::new(node));
        table.insert(key, term.clone());
        term
    }

    /// Is there a quantifier in the term?
    pub fn is_quantified(&self) -> bool {
        self.0.quantified
    }

    /// Calls `each` with every direct part.
    pub fn for_each_part(&self, each: impl FnMut(&Term)) {
        self.0.for_each_part(each);
    }

    /// The parts that hold together if the term does.
    pub fn conjuncts(&self) -> Vec<Term> {
        match self.kind() {
            Kind::And(all) => all.to_vec(),
            _ => vec![self.clone()],
        }
    }

    /// The variables in the term, each once.
    pub fn vars(&self) -> Vec<Var> {
        let vars = self.subterms().filter_map(|term| match term.kind() {
            Kind::Var(var) => Some(*var),
            _ => None,
        });
        vars.collect::<BTreeSet<Var>>().into_iter().collect()
    }

    /// The term and all its parts, each once.
    pub fn subterms(&self) -> impl Iterator<Item = Term> + use<> {
        subterms([self.clone()])
    }
}

/// The terms and all their parts, each once: a term comes before its parts, unless these occur
/// elsewhere too.
pub fn subterms(roots: impl IntoIterator<Item = Term>) -> impl Iterator<Item = Term> {
    let mut open: Vec<Term> = roots.into_iter().collect();
    let mut seen = HashSet::new();
    std::iter::from_fn(move || {
        loop {
            let term = open.pop()?;
            if seen.insert(term.id()) {
                term.for_each_part(|part| open.push(part.clone()));
                return Some(term);
            }
        }
    })
}

static TABLE: LazyLock<Mutex<HashMap<(Kind, Sort), Term>>> = LazyLock::new(Default::default);

impl PartialEq for Term {
    fn eq(&self, other: &Term) -> bool {
        self.id() == other.id()
    }
}

impl Eq for Term {}

impl Hash for Term {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.id().hash(state);
    }
}

impl fmt::Debug for Term {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.kind().fmt(f)
    }
}
