//! Quantifiers, unfolded where few values matter.

use lang::{BinOp, BoundId, BoundKind, Expr, ExprKind, Size, Type};
use num_bigint::BigInt;
use num_traits::ToPrimitive;
use system::{Kind, Term};

use crate::Lower;
use crate::expr::unsupported;
use crate::instance::{Env, InstanceId};
use crate::lowerer::Lowerer;
use crate::memory::{range, within};
use crate::shape::{Extent, Leaf};

/// Quantifiers over so few values are unfolded.
const MAX_UNFOLDED: u64 = 256;

impl<'p> Lowerer<'p> {
    pub fn quantified(
        &mut self,
        id: InstanceId,
        universal: bool,
        vars: &[lang::BoundId],
        body: &'p Expr,
        env: &Env,
    ) -> Lower<Term> {
        let Some((var, rest)) = vars.split_first() else {
            return self.scalar(id, body, env);
        };
        let ty = match &self.node_of(id).bound(*var).kind {
            BoundKind::Quantified(ty) => ty,
            BoundKind::Index(size) => return self.each_index(id, universal, vars, size, body, env),
        };
        let mut env = env.to_vec();
        let bounded = match self.few_values(ty) {
            None if ty.is_int() => self.bounded_values(id, universal, *var, body, &env)?,
            values => values,
        };
        if let Some(values) = bounded {
            let mut terms = Vec::new();
            for value in values {
                env.push((*var, value));
                terms.push(self.quantified(id, universal, rest, body, &env)?);
                env.pop();
            }
            return Ok(match universal {
                true => system::and(terms),
                false => system::or(terms),
            });
        }
        let Some(leaf) = Leaf::of(ty) else {
            return unsupported("a quantifier over a structured type");
        };
        let (number, _) = self.new_bound();
        let bound = system::bound(number, leaf.sort());
        env.push((*var, bound.clone()));
        let guard = range(self.program, ty, &bound).unwrap_or(system::boolean(true));
        let inner = self.under(&guard, |this| {
            this.quantified(id, universal, rest, body, &env)
        })?;
        let (quantifier, body) = match universal {
            true => (system::Quantifier::Forall, system::implies(&guard, &inner)),
            false => (system::Quantifier::Exists, system::and([guard, inner])),
        };
        Ok(system::quantified(
            quantifier,
            vec![(number, leaf.sort())],
            &body,
        ))
    }

    /// A quantifier over the indices of an array definition.
    fn each_index(
        &mut self,
        id: InstanceId,
        universal: bool,
        vars: &[BoundId],
        size: &Size,
        body: &'p Expr,
        env: &Env,
    ) -> Lower<Term> {
        let (var, rest) = (vars[0], &vars[1..]);
        let mut env = env.to_vec();
        match self.extent(id, size)? {
            Extent::Inlined(count) => {
                let mut terms = Vec::new();
                for at in 0..count {
                    env.push((var, system::integer(at)));
                    terms.push(self.quantified(id, universal, rest, body, &env)?);
                    env.pop();
                }
                Ok(match universal {
                    true => system::and(terms),
                    false => system::or(terms),
                })
            }
            Extent::Solver(size) => {
                let (number, index) = self.new_bound();
                env.push((var, index.clone()));
                let inside = within(&index, &size);
                let inner = self.under(&inside, |this| {
                    this.quantified(id, universal, rest, body, &env)
                })?;
                let (quantifier, body) = match universal {
                    true => (system::Quantifier::Forall, system::implies(&inside, &inner)),
                    false => (system::Quantifier::Exists, system::and([inside, inner])),
                };
                let vars = vec![(number, system::Sort::Int)];
                Ok(system::quantified(quantifier, vars, &body))
            }
        }
    }

    /// The few values outside of which the body does not matter.
    fn bounded_values(
        &mut self,
        id: InstanceId,
        universal: bool,
        var: BoundId,
        body: &'p Expr,
        env: &Env,
    ) -> Lower<Option<Vec<Term>>> {
        let mut atoms = Vec::new();
        relevant(universal, body, &mut atoms);
        let (low, high) = self.bounds(id, var, &atoms, env, &mut Vec::new())?;
        let (Some(low), Some(high)) = (low, high) else {
            return Ok(None);
        };
        let count = (&high - &low + 1u32).to_i64().unwrap_or(i64::MAX);
        if count > MAX_UNFOLDED as i64 {
            return Ok(None);
        }
        let values = (0..count.max(0)).map(|at| system::integer(&low + at));
        Ok(Some(values.collect()))
    }

    /// The numbers between which the conditions keep a variable.
    fn bounds(
        &mut self,
        id: InstanceId,
        var: BoundId,
        atoms: &[&'p Expr],
        env: &Env,
        asked: &mut Vec<BoundId>,
    ) -> Lower<(Option<BigInt>, Option<BigInt>)> {
        asked.push(var);
        let (mut low, mut high) = (None::<BigInt>, None::<BigInt>);
        for atom in atoms {
            let ExprKind::Binary(op, a, b) = &atom.kind else {
                continue;
            };
            let is_var = |e: &Expr| matches!(e.kind, ExprKind::Bound(id) if id == var);
            let (op, other) = match (is_var(a), is_var(b)) {
                (true, false) => (*op, b),
                (false, true) => (flipped(*op), a),
                _ => continue,
            };
            let (from, to) = match &other.kind {
                ExprKind::Bound(next) if !env.iter().any(|(id, _)| id == next) => {
                    match asked.contains(next) {
                        true => continue,
                        false => self.bounds(id, *next, atoms, env, asked)?,
                    }
                }
                _ if mentions_unbound(other, env) => continue,
                _ => match self.scalar(id, other, env)?.kind() {
                    Kind::Int(value) => (Some(value.clone()), Some(value.clone())),
                    _ => continue,
                },
            };
            let (least, most) = match op {
                BinOp::Lt => (None, to.map(|to| to - 1)),
                BinOp::Le => (None, to),
                BinOp::Gt => (from.map(|from| from + 1), None),
                BinOp::Ge => (from, None),
                BinOp::Eq => (from, to),
                BinOp::Neq | BinOp::And | BinOp::Or | BinOp::Xor | BinOp::Implies => (None, None),
                BinOp::Add | BinOp::Sub | BinOp::Mul | BinOp::Div | BinOp::Mod => (None, None),
                BinOp::BitAnd | BinOp::BitOr | BinOp::Lsh | BinOp::Rsh => (None, None),
            };
            low = low.into_iter().chain(least).max();
            high = high.into_iter().chain(most).min();
        }
        asked.pop();
        Ok((low, high))
    }

    /// All values of a small finite type.
    fn few_values(&self, ty: &Type) -> Option<Vec<Term>> {
        match ty {
            Type::Bool => Some(vec![system::boolean(false), system::boolean(true)]),
            Type::Enum(id) => {
                let count = self.program.enumeration(*id).values.len();
                Some((0..count).map(system::integer).collect())
            }
            Type::Range(range) => {
                let (low, high) = (range.low.as_ref()?, range.high.as_ref()?);
                let count = (high - low + 1u32)
                    .to_u64()
                    .filter(|n| *n <= MAX_UNFOLDED)?;
                Some((0..count).map(|at| system::integer(low + at)).collect())
            }
            _ => None,
        }
    }
}

/// The conditions under which the body of a quantifier matters at all.
fn relevant<'e>(universal: bool, body: &'e Expr, atoms: &mut Vec<&'e Expr>) {
    match &body.kind {
        ExprKind::Binary(BinOp::Implies, guard, rest) if universal => {
            relevant(false, guard, atoms);
            relevant(true, rest, atoms);
        }
        ExprKind::Binary(BinOp::And, a, b) if !universal => {
            relevant(false, a, atoms);
            relevant(false, b, atoms);
        }
        _ if !universal => atoms.push(body),
        _ => {}
    }
}

fn flipped(op: BinOp) -> BinOp {
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

fn mentions_unbound(expr: &Expr, env: &Env) -> bool {
    if let ExprKind::Bound(id) = &expr.kind {
        return !env.iter().any(|(bound, _)| bound == id);
    }
    let mut found = false;
    expr.for_each_part(|part| found |= mentions_unbound(part, env));
    found
}
