//! Translates expressions.

use lang::{BinOp, BoundId, BoundKind, Expr, ExprKind, Partial, Quantifier, Step};

use super::value::{
    Val, binary, conjunction, convert, in_type, literal, size, size_of, sort, unary,
};
use super::{Bound, Path, Simple, Translator, not_covered};

impl<'p> Translator<'p> {
    /// Translates an expression of an instance; the error for an unsupported one has its place.
    pub(super) fn expr(&mut self, path: &Path, expr: &'p Expr) -> Simple<Val> {
        let value = self.expr_of_kind(path, expr);
        value.map_err(|error| error.at(expr.span))
    }

    fn expr_of_kind(&mut self, path: &Path, expr: &'p Expr) -> Simple<Val> {
        match &expr.kind {
            ExprKind::Value(value) => literal(value),
            ExprKind::Var(id) => self.stream(path, *id),
            ExprKind::Const(id) => self.constant(*id),
            ExprKind::Choice(id) => self.choice(path, *id),
            ExprKind::Call(call, at) => self.output(path, *call, *at),
            ExprKind::Unary(op, a) => {
                let text = self.expr(path, a)?;
                Ok(Val::Scalar(unary(*op, &a.ty, text.scalar()?)))
            }
            ExprKind::Binary(op, a, b) => {
                let (left, right) = (self.expr(path, a)?, self.expr(path, b)?);
                if let Some(partial) = Partial::of(*op, &a.ty) {
                    let text = self.divided(partial, left.scalar()?, right.scalar()?);
                    return Ok(Val::Scalar(text));
                }
                Ok(Val::Scalar(match op {
                    BinOp::Eq => left.equals(&right)?,
                    BinOp::Neq => format!("(not {})", left.equals(&right)?),
                    _ => binary(*op, &a.ty, left.scalar()?, right.scalar()?)?,
                }))
            }
            ExprKind::If(c, a, b) => {
                let condition = self.expr(path, c)?;
                let (a, b) = (self.expr(path, a)?, self.expr(path, b)?);
                a.or_else(condition.scalar()?, &b)
            }
            ExprKind::Merge(clock, cases) => self.merge(path, clock, cases),
            ExprKind::Arrow(a, b) => {
                let (a, b) = (self.expr(path, a)?, self.expr(path, b)?);
                a.or_else(&self.at(path)?.first, &b)
            }
            ExprKind::Pre(e, choice) => {
                let memory = self.previous(path, e)?;
                match choice {
                    Some(choice) => {
                        let open = self.choice(path, *choice)?;
                        open.or_else(&self.at(path)?.first, &memory)
                    }
                    None => Ok(memory),
                }
            }
            ExprKind::Convert(a) => {
                let text = self.expr(path, a)?;
                convert(&a.ty, &expr.ty, text.scalar()?).map(Val::Scalar)
            }
            ExprKind::AtMostOne(all) => self.at_most_one(path, all),
            ExprKind::Fields(all) | ExprKind::Array(all) => {
                let all: Simple<Vec<Val>> = all.iter().map(|e| self.expr(path, e)).collect();
                all.map(Val::Fields)
            }
            ExprKind::Field(base, at) => match self.expr(path, base)? {
                Val::Fields(fields) => Ok(fields[*at].clone()),
                Val::Scalar(_) => not_covered("a field of a scalar"),
            },
            ExprKind::Update(base, steps, value) => {
                let base = self.expr(path, base)?;
                let value = self.expr(path, value)?;
                self.updated(path, base, steps, value)
            }
            ExprKind::Bound(id) => Ok(Val::Scalar(match self.bound(*id)? {
                Bound::Index(at) => at.to_string(),
                Bound::Quantified(name) => name.clone(),
            })),
            ExprKind::Fill(element) => {
                let element = self.expr(path, element)?;
                Ok(Val::Fields(vec![element; size(&expr.ty)?]))
            }
            ExprKind::Index(..) => self.indexed(path, expr),
            ExprKind::Quantified(quantifier, vars, body) => {
                self.quantified(path, *quantifier, vars, body)
            }
        }
    }

    fn merge(
        &mut self,
        path: &Path,
        clock: &'p Expr,
        cases: &'p [(lang::Value, Expr)],
    ) -> Simple<Val> {
        let clock = self.expr(path, clock)?;
        let Some(((_, last), others)) = cases.split_last() else {
            return not_covered("a merge without branches");
        };
        let mut result = self.expr(path, last)?;
        for (value, branch) in others {
            let chosen = clock.equals(&literal(value)?)?;
            result = self.expr(path, branch)?.or_else(&chosen, &result)?;
        }
        Ok(result)
    }

    fn at_most_one(&mut self, path: &Path, all: &'p [Expr]) -> Simple<Val> {
        let mut texts = Vec::new();
        for part in all {
            texts.push(self.expr(path, part)?.scalar()?.to_owned());
        }
        let mut pairs = Vec::new();
        for (at, a) in texts.iter().enumerate() {
            for b in &texts[at + 1..] {
                pairs.push(format!("(not (and {a} {b}))"));
            }
        }
        Ok(Val::Scalar(conjunction(&pairs)))
    }

    /// A quantifier over the values of a type.
    fn quantified(
        &mut self,
        path: &Path,
        quantifier: Quantifier,
        vars: &[BoundId],
        body: &'p Expr,
    ) -> Simple<Val> {
        let node = self.node(path)?;
        let kind = |id: &BoundId| &node.bound(*id).kind;
        if let Some(BoundKind::Index(size)) = vars.first().map(kind) {
            return self.each_index(path, quantifier, vars, size_of(size)?, body);
        }
        let (mut declared, mut typed) = (Vec::new(), Vec::new());
        for id in vars {
            let BoundKind::Quantified(ty) = kind(id) else {
                return not_covered("a quantified index");
            };
            let name = format!("q!{}", id.0);
            declared.push(format!("({name} {})", sort(ty)?));
            typed.extend(in_type(self.program, ty, &name));
            self.bounds.push((*id, Bound::Quantified(name)));
        }
        let body = self.expr(path, body);
        self.bounds.truncate(self.bounds.len() - vars.len());
        let (typed, declared) = (conjunction(&typed), declared.join(" "));
        let body = body?;
        let body = body.scalar()?;
        Ok(Val::Scalar(match quantifier {
            Quantifier::Forall => format!("(forall ({declared}) (=> {typed} {body}))"),
            Quantifier::Exists => format!("(exists ({declared}) (and {typed} {body}))"),
        }))
    }

    /// A quantifier over the indices of an array definition.
    fn each_index(
        &mut self,
        path: &Path,
        quantifier: Quantifier,
        vars: &[BoundId],
        size: usize,
        body: &'p Expr,
    ) -> Simple<Val> {
        let mut all = Vec::new();
        for at in 0..size {
            self.bounds.push((vars[0], Bound::Index(at)));
            let value = match &vars[1..] {
                [] => self.expr(path, body),
                rest => self.quantified(path, quantifier, rest, body),
            };
            self.bounds.pop();
            all.push(value?.scalar()?.to_owned());
        }
        Ok(Val::Scalar(match quantifier {
            Quantifier::Forall => conjunction(&all),
            Quantifier::Exists => format!("(or false {})", all.join(" ")),
        }))
    }

    /// A record or an array with one of its parts replaced; nothing is, outside of the
    /// bounds.
    fn updated(&mut self, path: &Path, base: Val, steps: &'p [Step], value: Val) -> Simple<Val> {
        let (step, rest) = match steps.split_first() {
            None => return Ok(value),
            Some(split) => split,
        };
        let Val::Fields(mut parts) = base else {
            return not_covered("a part of a scalar");
        };
        match step {
            Step::Field(at) => {
                parts[*at] = self.updated(path, parts[*at].clone(), rest, value)?;
            }
            Step::Index(index) => {
                let index = self.expr(path, index)?;
                for (at, part) in parts.iter_mut().enumerate() {
                    let inner = self.updated(path, part.clone(), rest, value.clone())?;
                    let here = format!("(= {} {at})", index.scalar()?);
                    *part = inner.or_else(&here, part)?;
                }
            }
        }
        Ok(Val::Fields(parts))
    }
}
