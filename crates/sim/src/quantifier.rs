//! Quantifiers, by trying all values.
//!
//! Finite types are enumerated. An `int` must be bounded by the formula
//! itself: `forall (i: int) 0 <= i and i < n => …` and
//! `exists (i: int) 0 <= i and i < n and …`.

use lang::{BinOp, BoundId, BoundKind, Expr, ExprKind, Quantifier, Type, Value};
use num_bigint::BigInt;
use num_traits::ToPrimitive;

use crate::error::SimError;
use crate::eval::{Cursor, Env, Eval};

/// More values than this are not tried for one variable.
const MAX_VALUES: u64 = 1 << 20;

impl Cursor<'_, '_> {
    pub fn quantified(
        &mut self,
        quantifier: Quantifier,
        vars: &[BoundId],
        body: &Expr,
    ) -> Eval<Value> {
        let Some((var, rest)) = vars.split_first() else {
            return self.eval(body);
        };
        let values = self.domain(quantifier, *var, body)?;
        self.sim.effort.spend(values.len())?;
        let decisive = quantifier == Quantifier::Exists;
        let mut env = self.env.to_vec();
        for value in values {
            env.push((*var, value));
            let result = self.within(&env).quantified(quantifier, rest, body)?;
            env.pop();
            if result == Value::Bool(decisive) {
                return Ok(result);
            }
        }
        Ok(Value::Bool(!decisive))
    }

    /// The values of a variable outside of which the body does not matter.
    fn domain(&mut self, quantifier: Quantifier, var: BoundId, body: &Expr) -> Eval<Vec<Value>> {
        let bound = self.node().bound(var);
        let ty = match &bound.kind {
            BoundKind::Quantified(ty) => ty,
            BoundKind::Index(size) => {
                let size = self.size(size)?;
                return Ok((0..size).map(Value::int).collect());
            }
        };
        match ty {
            Type::Bool => return Ok(vec![Value::Bool(false), Value::Bool(true)]),
            Type::Enum(id) => {
                let count = self.sim.program.enumeration(*id).values.len() as u32;
                return Ok((0..count).map(|at| Value::Enum(*id, at)).collect());
            }
            Type::Machine(machine) if machine.width <= 16 => {
                let count = 1i128 << machine.width;
                let low = if machine.signed { -count / 2 } else { 0 };
                let values = low..low + count;
                return Ok(values
                    .map(|value| Value::Machine(*machine, value))
                    .collect());
            }
            _ => {}
        }
        let mut atoms = Vec::new();
        guards(quantifier, body, &mut atoms);
        let bounds = self.bounds(var, &atoms, &mut Vec::new())?;
        let (Some(low), Some(high)) = (bounds.low, bounds.high) else {
            return Err(SimError::UnboundedQuantifier {
                variable: bound.name.to_string(),
            });
        };
        let count: BigInt = &high - &low + 1u32;
        if count > BigInt::from(MAX_VALUES) {
            return Err(SimError::TooLarge {
                what: format!("the range of the quantified variable `{}`", bound.name),
            });
        }
        let count = count.to_u64().unwrap_or(0);
        Ok((0..count).map(|at| Value::Int(&low + at)).collect())
    }

    /// What `e <= i`, `i < e` and the like say of a variable; another variable
    /// bounds it by its own bounds. `asked` are those whose bounds are being looked for.
    fn bounds(&mut self, var: BoundId, atoms: &[&Expr], asked: &mut Vec<BoundId>) -> Eval<Bounds> {
        asked.push(var);
        let mut bounds = match &self.node().bound(var).kind {
            BoundKind::Quantified(Type::Range(range)) => Bounds {
                low: range.low.clone(),
                high: range.high.clone(),
            },
            _ => Bounds::default(),
        };
        for atom in atoms {
            let ExprKind::Binary(op, a, b) = &atom.kind else {
                continue;
            };
            let is_var = |e: &Expr| matches!(e.kind, ExprKind::Bound(id) if id == var);
            let (op, other) = match (is_var(a), is_var(b)) {
                (true, false) => (*op, b),
                (false, true) => (mirrored(*op), a),
                _ => continue,
            };
            let other = match other.kind {
                _ if closed(other, self.env) => match self.eval(other)? {
                    Value::Int(value) => Bounds {
                        low: Some(value.clone()),
                        high: Some(value),
                    },
                    _ => continue,
                },
                ExprKind::Bound(next) if !asked.contains(&next) => {
                    self.bounds(next, atoms, asked)?
                }
                _ => continue,
            };
            bounds.tighten(op, other);
        }
        asked.pop();
        Ok(bounds)
    }
}

#[derive(Clone, Default)]
struct Bounds {
    low: Option<BigInt>,
    high: Option<BigInt>,
}

impl Bounds {
    /// The variable stands in a relation to a value within `other`.
    fn tighten(&mut self, op: BinOp, other: Bounds) {
        let (low, high) = match op {
            BinOp::Lt => (None, other.high.map(|high| high - 1)),
            BinOp::Le => (None, other.high),
            BinOp::Gt => (other.low.map(|low| low + 1), None),
            BinOp::Ge => (other.low, None),
            BinOp::Eq => (other.low, other.high),
            BinOp::Neq | BinOp::And | BinOp::Or | BinOp::Xor | BinOp::Implies => (None, None),
            BinOp::Add | BinOp::Sub | BinOp::Mul | BinOp::Div | BinOp::Mod => (None, None),
            BinOp::BitAnd | BinOp::BitOr | BinOp::Lsh | BinOp::Rsh => (None, None),
        };
        if let Some(low) = low {
            self.low = Some(self.low.take().map_or(low.clone(), |own| own.max(low)));
        }
        if let Some(high) = high {
            self.high = Some(self.high.take().map_or(high.clone(), |own| own.min(high)));
        }
    }
}

/// The conditions outside of which the body does not matter.
fn guards<'e>(quantifier: Quantifier, body: &'e Expr, atoms: &mut Vec<&'e Expr>) {
    match (&body.kind, quantifier) {
        (ExprKind::Binary(BinOp::Implies, guard, rest), Quantifier::Forall) => {
            guards(Quantifier::Exists, guard, atoms);
            guards(quantifier, rest, atoms);
        }
        (ExprKind::Binary(BinOp::And, a, b), Quantifier::Exists) => {
            guards(quantifier, a, atoms);
            guards(quantifier, b, atoms);
        }
        (ExprKind::Quantified(inner, _, rest), _) if *inner == quantifier => {
            guards(quantifier, rest, atoms)
        }
        (_, Quantifier::Exists) => atoms.push(body),
        _ => {}
    }
}

fn mirrored(op: BinOp) -> BinOp {
    match op {
        BinOp::Lt => BinOp::Gt,
        BinOp::Le => BinOp::Ge,
        BinOp::Gt => BinOp::Lt,
        BinOp::Ge => BinOp::Le,
        BinOp::Eq | BinOp::Neq | BinOp::And | BinOp::Or | BinOp::Xor | BinOp::Implies => op,
        BinOp::Add | BinOp::Sub | BinOp::Mul | BinOp::Div | BinOp::Mod => op,
        BinOp::BitAnd | BinOp::BitOr | BinOp::Lsh | BinOp::Rsh => op,
    }
}

/// Are all its variables bound already?
fn closed(expr: &Expr, env: &Env) -> bool {
    if let ExprKind::Bound(id) = &expr.kind {
        return env.iter().any(|(bound, _)| bound == id);
    }
    let mut all = true;
    expr.for_each_part(|part| all &= closed(part, env));
    all
}
