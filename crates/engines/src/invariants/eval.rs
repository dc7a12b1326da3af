//! Values of terms on concrete states.
//!
//! Candidates are tried on many states before a solver sees them, so that
//! evaluation must be cheap: the terms are put in order once, each after its
//! parts, and a state is a pass over them. What cannot be evaluated
//! (quantifiers, uninterpreted functions, arrays) has no value; nothing here
//! decides a verdict.

use std::collections::HashMap;

use num_bigint::BigInt;
use num_integer::Integer;
use num_rational::BigRational;
use num_traits::{One, Signed, ToPrimitive, Zero};
use smt::Scalar;
use system::{BvCompare, BvOp, Kind, Sort, Term, Var};

/// The values of all variables of a system at a step, as far as they are known.
#[derive(Clone, PartialEq, Debug, Default)]
pub(crate) struct State(pub Vec<Option<Scalar>>);

impl State {
    pub fn get(&self, var: Var) -> Option<&Scalar> {
        self.0.get(var.0 as usize)?.as_ref()
    }

    pub fn set(&mut self, var: Var, value: Option<Scalar>) {
        self.0[var.0 as usize] = value;
    }
}

/// Terms in an order in which they can be evaluated.
#[derive(Clone, Default)]
pub(crate) struct Program {
    nodes: Vec<(Term, Vec<usize>)>,
    positions: HashMap<u64, usize>,
}

/// The values of the terms of a program.
pub(crate) type Values = Vec<Option<Scalar>>;

impl Program {
    /// The position of the term's value.
    pub fn add(&mut self, term: &Term) -> usize {
        let mut open = vec![(term.clone(), false)];
        while let Some((term, ready)) = open.pop() {
            if self.positions.contains_key(&term.id()) {
                continue;
            }
            if !ready {
                open.push((term.clone(), true));
                term.for_each_part(|part| open.push((part.clone(), false)));
                continue;
            }
            let mut parts = Vec::new();
            term.for_each_part(|part| parts.push(self.positions[&part.id()]));
            self.positions.insert(term.id(), self.nodes.len());
            self.nodes.push((term, parts));
        }
        self.positions[&term.id()]
    }

    pub fn has(&self, term: &Term) -> bool {
        self.positions.contains_key(&term.id())
    }

    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    pub fn eval(&self, state: &State) -> Values {
        let mut values: Values = Vec::with_capacity(self.nodes.len());
        for (term, parts) in &self.nodes {
            let value = match term.kind() {
                Kind::Var(var) => state.get(*var).cloned(),
                _ => node(term, parts, &values),
            };
            values.push(value);
        }
        values
    }
}

pub(crate) fn is_true(value: &Option<Scalar>) -> bool {
    *value == Some(Scalar::Bool(true))
}

/// A number as it is ordered; bit-vectors as unsigned.
pub(crate) fn number(value: &Scalar) -> Option<BigRational> {
    match value {
        Scalar::Bool(_) | Scalar::Array(_) => None,
        Scalar::Int(value) | Scalar::BitVec(value) => {
            Some(BigRational::from_integer(value.clone()))
        }
        Scalar::Real(value) => Some(value.clone()),
    }
}

/// The value of the bits as a signed number.
pub(crate) fn signed(value: &BigInt, width: u32) -> BigInt {
    match *value >= BigInt::one() << (width - 1) {
        true => value - (BigInt::one() << width),
        false => value.clone(),
    }
}

fn node(term: &Term, parts: &[usize], values: &Values) -> Option<Scalar> {
    let part = |at: usize| values[parts[at]].as_ref();
    match term.kind() {
        Kind::Bool(value) => Some(Scalar::Bool(*value)),
        Kind::Int(value) => Some(Scalar::Int(value.clone())),
        Kind::Real(value) => Some(Scalar::Real(value.clone())),
        Kind::BitVec(_, value) => Some(Scalar::BitVec(value.clone())),
        Kind::Not(_) => Some(Scalar::Bool(!truth(part(0)?)?)),
        Kind::And(_) => junction(parts, values, true),
        Kind::Or(_) => junction(parts, values, false),
        Kind::Eq(..) => Some(Scalar::Bool(part(0)? == part(1)?)),
        Kind::Ite(..) => match truth(part(0)?)? {
            true => part(1).cloned(),
            false => part(2).cloned(),
        },
        Kind::Bv(..)
        | Kind::BvNot(_)
        | Kind::BvNeg(_)
        | Kind::BvCompare(..)
        | Kind::BvTruncate(..)
        | Kind::BvExtend { .. }
        | Kind::IntToBv(..)
        | Kind::BvToInt { .. } => bits(term, part(0)?, parts.get(1).and_then(|_| part(1))),
        _ => arithmetic(term, parts, values),
    }
}

fn truth(value: &Scalar) -> Option<bool> {
    match value {
        Scalar::Bool(value) => Some(*value),
        _ => None,
    }
}

/// One part may decide, whatever the others are.
fn junction(parts: &[usize], values: &Values, neutral: bool) -> Option<Scalar> {
    let mut all_known = true;
    for at in parts {
        match values[*at].as_ref().and_then(truth) {
            Some(value) if value != neutral => return Some(Scalar::Bool(!neutral)),
            Some(_) => {}
            None => all_known = false,
        }
    }
    all_known.then_some(Scalar::Bool(neutral))
}

fn arithmetic(term: &Term, parts: &[usize], values: &Values) -> Option<Scalar> {
    let args: Option<Vec<BigRational>> = parts
        .iter()
        .map(|at| values[*at].as_ref().and_then(number))
        .collect();
    let args = args?;
    let result = match term.kind() {
        Kind::Lt(..) => return Some(Scalar::Bool(args[0] < args[1])),
        Kind::Le(..) => return Some(Scalar::Bool(args[0] <= args[1])),
        Kind::Add(_) => args.iter().sum(),
        Kind::Neg(_) => -&args[0],
        Kind::Mul(..) => &args[0] * &args[1],
        Kind::RealDiv(..) if !args[1].is_zero() => &args[0] / &args[1],
        Kind::IntDiv(..) | Kind::IntMod(..) if !args[1].is_zero() => {
            let (a, b) = (args[0].to_integer(), args[1].to_integer());
            let rest = a.mod_floor(&b.abs());
            BigRational::from_integer(match term.kind() {
                Kind::IntMod(..) => rest,
                _ => (a - rest) / b,
            })
        }
        Kind::ToReal(_) => args[0].clone(),
        Kind::ToInt(_) => args[0].floor(),
        _ => return None,
    };
    match term.sort() {
        Sort::Real => Some(Scalar::Real(result)),
        _ => Some(Scalar::Int(result.to_integer())),
    }
}

fn bits(term: &Term, a: &Scalar, b: Option<&Scalar>) -> Option<Scalar> {
    let (Scalar::BitVec(a) | Scalar::Int(a)) = a else {
        return None;
    };
    let own_width = |of: &Term| match of.sort() {
        Sort::BitVec(width) => *width,
        _ => 1,
    };
    let wrap = |value: BigInt, width: u32| value.mod_floor(&(BigInt::one() << width));
    let result = match (term.kind(), b) {
        (Kind::BvToInt { signed: true, of }, _) => {
            return Some(Scalar::Int(signed(a, own_width(of))));
        }
        (Kind::BvToInt { .. }, _) => return Some(Scalar::Int(a.clone())),
        (
            Kind::BvExtend {
                signed: true, of, ..
            },
            _,
        ) => signed(a, own_width(of)),
        (Kind::BvExtend { .. } | Kind::BvTruncate(..) | Kind::IntToBv(..), _) => a.clone(),
        (Kind::BvNot(_), _) => -a - 1,
        (Kind::BvNeg(_), _) => -a,
        (Kind::BvCompare(op, of, _), Some(Scalar::BitVec(b))) => {
            let width = own_width(of);
            let (x, y) = (signed(a, width), signed(b, width));
            return Some(Scalar::Bool(match op {
                BvCompare::Ult => a < b,
                BvCompare::Ule => a <= b,
                BvCompare::Slt => x < y,
                BvCompare::Sle => x <= y,
            }));
        }
        (Kind::Bv(op, ..), Some(Scalar::BitVec(b))) => operation(*op, a, b, own_width(term))?,
        _ => return None,
    };
    Some(Scalar::BitVec(wrap(result, own_width(term))))
}

/// Before it is reduced to the width; nothing where solvers make things up.
fn operation(op: BvOp, a: &BigInt, b: &BigInt, width: u32) -> Option<BigInt> {
    let (x, y) = (signed(a, width), signed(b, width));
    let shift = b.to_u32().filter(|by| *by < width).unwrap_or(width);
    Some(match op {
        BvOp::Add => a + b,
        BvOp::Sub => a - b,
        BvOp::Mul => a * b,
        BvOp::And => a & b,
        BvOp::Or => a | b,
        BvOp::Shl => a << shift,
        BvOp::Lshr => a >> shift,
        BvOp::Ashr => x >> shift,
        _ if b.is_zero() => return None,
        BvOp::Udiv => a / b,
        BvOp::Urem => a % b,
        BvOp::Sdiv => x / y,
        BvOp::Srem => x % y,
    })
}
