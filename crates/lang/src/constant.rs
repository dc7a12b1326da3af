//! Constant expressions: their values, sizes, and the ranges they lie in.

use std::cell::Cell;
use std::collections::HashMap;
use std::sync::Arc;

use num_bigint::BigInt;
use num_traits::ToPrimitive;
use syntax::{MAX_DEPTH, Span};

use crate::ops;
use crate::program::*;
use crate::types::*;
use crate::value::Value;

/// Arrays larger than this are not computed as constants.
const MAX_ELEMENTS: u64 = 100_000;

/// The budget of [`eval`], in operators.
const QUICK: u64 = 10_000;

/// Why a constant expression has no value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Unknown {
    /// It depends on a free constant or an input.
    Open,
    /// It is a number that is too large, or takes too long.
    Huge,
}

/// The value of a constant expression, if it is found within a small budget. `node`
/// defines the local constants in it.
pub fn eval(program: &Program, node: Option<&Node>, expr: &Expr) -> Option<Value> {
    try_eval(program, node, expr, &mut QUICK.clone()).ok()
}

/// The value of a constant expression. The cost of the evaluation is taken from `budget`.
pub fn try_eval(
    program: &Program,
    node: Option<&Node>,
    expr: &Expr,
    budget: &mut u64,
) -> Result<Value, Unknown> {
    let evaluation = Evaluation {
        program,
        node,
        budget: Cell::new(*budget),
    };
    let result = evaluation.value(expr);
    *budget = evaluation.budget.get();
    result
}

struct Evaluation<'p> {
    program: &'p Program,
    node: Option<&'p Node>,
    budget: Cell<u64>,
}

impl Evaluation<'_> {
    fn spend(&self, cost: u64) -> Result<(), Unknown> {
        let left = self.budget.get().checked_sub(cost).ok_or(Unknown::Huge)?;
        self.budget.set(left);
        Ok(())
    }

    fn value(&self, expr: &Expr) -> Result<Value, Unknown> {
        self.spend(1)?;
        match self.value_of(expr)? {
            Some(value) if ops::is_huge(&value) => Err(Unknown::Huge),
            Some(value) => Ok(value),
            None => Err(Unknown::Open),
        }
    }

    fn values(&self, all: &[Expr]) -> Result<Arc<[Value]>, Unknown> {
        all.iter().map(|expr| self.value(expr)).collect()
    }

    fn value_of(&self, expr: &Expr) -> Result<Option<Value>, Unknown> {
        Ok(match &expr.kind {
            ExprKind::Value(value) => Some(value.clone()),
            ExprKind::Const(id) => self.program.constant(*id).value.as_ref().and_then(folded),
            ExprKind::Var(id) => self.node.and_then(|node| folded(definition(node, *id)?)),
            ExprKind::Unary(op, a) => ops::unary(*op, &self.value(a)?),
            ExprKind::Binary(op, a, b) => {
                let (a, b) = (self.value(a)?, self.value(b)?);
                self.spend(ops::cost(&a) + ops::cost(&b))?;
                ops::binary(*op, &a, &b)
            }
            ExprKind::If(c, a, b) => match self.value(c)? {
                Value::Bool(true) => Some(self.value(a)?),
                Value::Bool(false) => Some(self.value(b)?),
                _ => None,
            },
            ExprKind::Convert(a) => ops::convert(&self.value(a)?, &expr.ty),
            ExprKind::AtMostOne(all) => {
                let all = self.values(all)?;
                let holding = all.iter().filter(|v| **v == Value::Bool(true));
                Some(Value::Bool(holding.count() <= 1))
            }
            ExprKind::Fields(all) => Some(Value::Fields(self.values(all)?)),
            ExprKind::Array(all) if self.is_small(&expr.ty) => {
                Some(Value::Array(self.values(all)?))
            }
            ExprKind::Fill(element) if self.is_small(&expr.ty) => {
                let element = self.value(element)?;
                let size = match &expr.ty {
                    Type::Array(array) => array.size.known().unwrap_or(0),
                    _ => return Ok(None),
                };
                self.spend(size)?;
                Some(Value::Array(vec![element; size as usize].into()))
            }
            ExprKind::Field(base, at) => match self.value(base)? {
                Value::Fields(fields) => fields.get(*at).cloned(),
                _ => None,
            },
            ExprKind::Index(base, index) => match (self.value(base)?, self.value(index)?) {
                (Value::Array(array), Value::Int(index)) => ops::element(&array, &index).cloned(),
                _ => None,
            },
            ExprKind::Update(base, path, new) => {
                let (base, new) = (self.value(base)?, self.value(new)?);
                self.update(base, path, new)
            }
            ExprKind::Array(_)
            | ExprKind::Fill(_)
            | ExprKind::Bound(_)
            | ExprKind::Choice(_)
            | ExprKind::Arrow(..)
            | ExprKind::Pre(..)
            | ExprKind::Merge(..)
            | ExprKind::Quantified(..)
            | ExprKind::Call(..) => None,
        })
    }

    fn update(&self, base: Value, path: &[Step], new: Value) -> Option<Value> {
        let Some((step, rest)) = path.split_first() else {
            return Some(new);
        };
        match (base, step) {
            (Value::Fields(fields), Step::Field(at)) => {
                let inner = self.update(fields.get(*at)?.clone(), rest, new)?;
                Some(Value::Fields(ops::replaced(&fields, *at, inner)))
            }
            (Value::Array(array), Step::Index(index)) => {
                self.spend(array.len() as u64).ok()?;
                let at = self.value(index).ok()?.as_int()?.to_usize()?;
                let inner = self.update(array.get(at)?.clone(), rest, new)?;
                Some(Value::Array(ops::replaced(&array, at, inner)))
            }
            _ => None,
        }
    }

    fn is_small(&self, ty: &Type) -> bool {
        let scalars = self.program.scalars(ty);
        scalars.is_some_and(|scalars| scalars <= MAX_ELEMENTS)
    }
}

/// The definition of a constant of the node.
fn definition(node: &Node, id: VarId) -> Option<&Expr> {
    let var = node.var(id);
    let def = var.def.as_ref()?;
    (var.class == VarClass::Const).then_some(&def.expr)
}

/// Definitions of constants are replaced by their values where those are known.
fn folded(definition: &Expr) -> Option<Value> {
    match &definition.kind {
        ExprKind::Value(value) => Some(value.clone()),
        _ => None,
    }
}

/// The size that an integer expression over constants stands for.
pub fn size(program: &Program, node: Option<&Node>, expr: &Expr) -> Option<Size> {
    let mut sizes = Sizes {
        program,
        node,
        known: HashMap::new(),
        depth: 0,
    };
    sizes.size(expr)
}

/// Sizes of constants that are defined by other constants, each computed once.
struct Sizes<'p> {
    program: &'p Program,
    node: Option<&'p Node>,
    known: HashMap<SizeAtom, Option<Size>>,
    depth: u32,
}

impl Sizes<'_> {
    fn size(&mut self, expr: &Expr) -> Option<Size> {
        if self.depth > MAX_DEPTH {
            return None;
        }
        self.depth += 1;
        let size = self.size_of(expr);
        self.depth -= 1;
        size
    }

    fn size_of(&mut self, expr: &Expr) -> Option<Size> {
        match &expr.kind {
            ExprKind::Value(Value::Int(value)) => Some(Size::constant(value.clone())),
            ExprKind::Const(id) => {
                let definition = self.program.constant(*id).value.as_ref();
                self.atom(SizeAtom::Const(*id), definition)
            }
            ExprKind::Var(id) => {
                let node = self.node?;
                let definition = definition(node, *id);
                let is_const = node.var(*id).class == VarClass::Input { is_const: true };
                match is_const || definition.is_some() {
                    true => self.atom(SizeAtom::Var(*id), definition),
                    false => None,
                }
            }
            ExprKind::Unary(UnOp::Neg, a) => Some(self.size(a)?.negated()),
            ExprKind::Binary(BinOp::Add, a, b) => Some(self.size(a)?.add(&self.size(b)?)),
            ExprKind::Binary(BinOp::Sub, a, b) => Some(self.size(a)?.add(&self.size(b)?.negated())),
            ExprKind::Binary(BinOp::Mul, a, b) => self.size(a)?.times(&self.size(b)?),
            _ => match eval(self.program, self.node, expr) {
                Some(Value::Int(value)) => Some(Size::constant(value)),
                _ => None,
            },
        }
    }

    fn atom(&mut self, atom: SizeAtom, definition: Option<&Expr>) -> Option<Size> {
        let Some(definition) = definition else {
            return Some(Size::atom(atom));
        };
        if let Some(known) = self.known.get(&atom) {
            return known.clone();
        }
        let size = self.size(definition);
        self.known.insert(atom, size.clone());
        size
    }
}

/// If the expression is an index plus a constant: that constant.
pub fn offset(program: &Program, node: &Node, expr: &Expr, index: BoundId) -> Option<BigInt> {
    let part = |e: &Expr| offset(program, node, e, index);
    let constant = |e: &Expr| match eval(program, Some(node), e) {
        Some(Value::Int(value)) => Some(value),
        _ => None,
    };
    match &expr.kind {
        ExprKind::Bound(id) if *id == index => Some(BigInt::default()),
        ExprKind::Binary(BinOp::Add, a, b) => match (part(a), part(b)) {
            (Some(offset), None) => Some(offset + constant(b)?),
            (None, Some(offset)) => Some(offset + constant(a)?),
            _ => None,
        },
        ExprKind::Binary(BinOp::Sub, a, b) => Some(part(a)? - constant(b)?),
        _ => None,
    }
}

/// Checks that a constant of the type, with subranges anywhere in it, can only
/// have values within them; the error says where and why.
pub fn check_range(program: &Program, ty: &Type, value: &Expr) -> Result<(), (Span, String)> {
    match (ty, &value.kind) {
        (Type::Range(range), _) => {
            let own = Intervals::new(program).interval(value);
            let low_fits = range.low.is_none() || (own.0.is_some() && own.0 >= range.low);
            let high_fits = match (&range.high, &own.1) {
                (None, _) => true,
                (Some(high), Some(own)) => own <= high,
                (Some(_), None) => false,
            };
            if low_fits && high_fits {
                return Ok(());
            }
            let possible = match own {
                (Some(low), Some(high)) if low == high => format!("is {low}"),
                (Some(low), Some(high)) => format!("may lie anywhere in [{low}, {high}]"),
                _ => "may be any integer".to_owned(),
            };
            Err((
                value.span,
                format!("the value {possible}, outside of {range}"),
            ))
        }
        (_, ExprKind::Value(own)) if own.fits(ty, program) => Ok(()),
        (Type::Array(array), ExprKind::Array(all)) => all
            .iter()
            .try_for_each(|part| check_range(program, &array.element, part)),
        (Type::Array(array), ExprKind::Fill(part)) => check_range(program, &array.element, part),
        (Type::Array(array), ExprKind::Value(Value::Array(all))) => all.iter().try_for_each(|v| {
            let part = Expr {
                kind: ExprKind::Value(v.clone()),
                ty: array.element.clone(),
                span: value.span,
            };
            check_range(program, &array.element, &part)
        }),
        (Type::Tuple(parts), ExprKind::Fields(all)) => parts
            .iter()
            .zip(all)
            .try_for_each(|(ty, part)| check_range(program, ty, part)),
        (Type::Record(id), ExprKind::Fields(all)) => program
            .record(*id)
            .fields
            .iter()
            .zip(all)
            .try_for_each(|((_, ty), part)| check_range(program, ty, part)),
        _ => Ok(()),
    }
}

type Interval = (Option<BigInt>, Option<BigInt>);

/// Intervals of constants, each computed once.
struct Intervals<'p> {
    program: &'p Program,
    known: HashMap<ConstId, Interval>,
    depth: u32,
}

impl<'p> Intervals<'p> {
    fn new(program: &'p Program) -> Intervals<'p> {
        Intervals {
            program,
            known: HashMap::new(),
            depth: 0,
        }
    }

    /// An interval that holds every value of an integer constant.
    fn interval(&mut self, expr: &Expr) -> Interval {
        if self.depth > MAX_DEPTH {
            return (None, None);
        }
        self.depth += 1;
        let (low, high) = self.interval_of(expr);
        self.depth -= 1;
        let small = |bound: &BigInt| bound.bits() <= ops::MAX_BITS;
        (low.filter(small), high.filter(small))
    }

    fn interval_of(&mut self, expr: &Expr) -> Interval {
        match &expr.kind {
            ExprKind::Value(Value::Int(value)) => (Some(value.clone()), Some(value.clone())),
            ExprKind::Const(id) => self.constant(*id),
            ExprKind::Unary(UnOp::Neg, a) => {
                let (low, high) = self.interval(a);
                (high.map(|h| -h), low.map(|l| -l))
            }
            ExprKind::Binary(BinOp::Add, a, b) => {
                let ((a_low, a_high), (b_low, b_high)) = (self.interval(a), self.interval(b));
                (sum(a_low, b_low), sum(a_high, b_high))
            }
            ExprKind::Binary(BinOp::Sub, a, b) => {
                let ((a_low, a_high), (b_low, b_high)) = (self.interval(a), self.interval(b));
                (
                    sum(a_low, b_high.map(|h| -h)),
                    sum(a_high, b_low.map(|l| -l)),
                )
            }
            ExprKind::Binary(BinOp::Mul, a, b) => match (self.interval(a), self.interval(b)) {
                ((Some(al), Some(ah)), (Some(bl), Some(bh))) => {
                    let products = [&al * &bl, &al * &bh, &ah * &bl, &ah * &bh];
                    let low = products.iter().min().cloned();
                    let high = products.iter().max().cloned();
                    (low, high)
                }
                _ => (None, None),
            },
            ExprKind::If(_, a, b) => {
                let ((a_low, a_high), (b_low, b_high)) = (self.interval(a), self.interval(b));
                (
                    a_low.zip(b_low).map(|(a, b)| a.min(b)),
                    a_high.zip(b_high).map(|(a, b)| a.max(b)),
                )
            }
            _ => declared(&expr.ty),
        }
    }

    fn constant(&mut self, id: ConstId) -> Interval {
        let constant = self.program.constant(id);
        let Some(value) = &constant.value else {
            return declared(&constant.ty);
        };
        if let Some(known) = self.known.get(&id) {
            return known.clone();
        }
        let interval = self.interval(value);
        self.known.insert(id, interval.clone());
        interval
    }
}

fn declared(ty: &Type) -> Interval {
    match ty {
        Type::Range(range) => (range.low.clone(), range.high.clone()),
        _ => (None, None),
    }
}

fn sum(a: Option<BigInt>, b: Option<BigInt>) -> Option<BigInt> {
    Some(a? + b?)
}
