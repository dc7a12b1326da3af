//! Expressions.
//!
//! A syntax expression may stand for several values (`(a, b)`, a call with two
//! outputs, a conditional over lists): [`Elab::list`] gives them all, and
//! [`Elab::one`] insists on a single one.

use syntax::{Code, Diagnostic, Span, ast};

use super::elab::Elab;
use crate::program::*;
use crate::types::*;
use crate::value::Value;

impl Elab<'_, '_> {
    /// One value; a list of another length is an error.
    pub(super) fn one(&mut self, expr: &ast::Expr) -> Expr {
        let mut all = self.list(expr);
        if all.len() == 1 {
            return all.swap_remove(0);
        }
        if !all.iter().any(|e| e.ty.is_unknown()) || all.is_empty() {
            let count = all.len();
            self.report(
                Diagnostic::error(
                    Code::TypeMismatch,
                    expr.span,
                    format!("expected one value, found a list of {count}"),
                )
                .help("operators work on single values, not on lists"),
            );
        }
        unknown(expr.span)
    }

    pub(super) fn boolean(&mut self, expr: &ast::Expr) -> Expr {
        let typed = self.one(expr);
        self.expect(&typed, &Type::Bool);
        typed
    }

    /// All values that the expression stands for.
    pub(super) fn list(&mut self, expr: &ast::Expr) -> Vec<Expr> {
        if !self.cx.deepen(expr.span) {
            return vec![unknown(expr.span)];
        }
        let all = self.values(expr);
        self.cx.depth -= 1;
        all
    }

    fn values(&mut self, expr: &ast::Expr) -> Vec<Expr> {
        use ast::ExprKind as E;
        let span = expr.span;
        let single = match &expr.kind {
            E::List(all) => return all.iter().flat_map(|e| self.list(e)).collect(),
            E::If(c, a, b) => return self.conditional(c, a, b, span),
            E::With(c, a, b) => return self.static_conditional(c, a, b),
            E::Delay(e, steps, initial) => return self.delay(e, *steps, initial, span),
            E::Unary(op, operand) => return self.unary(*op, operand, expr),
            E::Binary(op, a, b) => return self.binary(*op, a, b, span),
            E::When(e, clock) => return self.when(e, clock, span),
            E::Merge(clock, cases) => return self.merge(clock, cases, span),
            E::Call(call) => return self.call(call, span),

            E::Bool(value) => value_expr(Value::Bool(*value), Type::Bool, span),
            E::Int(value) => value_expr(Value::Int(value.clone()), Type::Int, span),
            E::Real(value) => value_expr(Value::Real(value.clone()), Type::Real, span),
            E::Name(name) => self.name(*name, span),
            E::ModeRef(path) => self.mode_ref(path, span),
            E::AtMostOne(all) => {
                let all = self.booleans(all);
                make(ExprKind::AtMostOne(all), Type::Bool, span)
            }
            E::Nor(all) => {
                let all = self.booleans(all);
                match joined(BinOp::Or, all) {
                    Some(any) => make(ExprKind::Unary(UnOp::Not, any.into()), Type::Bool, span),
                    None => value_expr(Value::Bool(true), Type::Bool, span),
                }
            }
            E::Quantified(quantifier, vars, body) => self.quantified(*quantifier, vars, body, span),
            E::Current(_) => {
                let help = "use `merge` or `condact` to hold the value of a clocked stream";
                self.unsupported("`current` is", help, span)
            }
            E::Tuple(all) => self.tuple(all, span),
            E::Array(all) => self.array(all, span),
            E::Fill(element, size) => self.fill(element, size, span),
            E::Record(name, fields) => self.record(name, fields, span),
            E::Field(base, field) => self.field(expr, base, field),
            E::Project(base, at) => self.project(base, *at as usize, span),
            E::Index(base, index) => self.index(base, index, span),
            E::Slice(..) => {
                let help = "define the part with `B[i] = A[low + i];`";
                self.unsupported("array slices are", help, span)
            }
            E::Update(base, path, value) => self.update(base, path, value, span),
        };
        vec![single]
    }

    fn booleans(&mut self, all: &[ast::Expr]) -> Vec<Expr> {
        all.iter().map(|e| self.boolean(e)).collect()
    }

    pub(super) fn unsupported(&mut self, what: &str, help: &str, span: Span) -> Expr {
        self.report(
            Diagnostic::error(Code::Unsupported, span, format!("{what} not supported")).help(help),
        );
        unknown(span)
    }

    /// Pairs the values of two lists and joins each pair.
    pub(super) fn paired(
        &mut self,
        left: Vec<Expr>,
        right: Vec<Expr>,
        span: Span,
        mut pair: impl FnMut(Expr, Expr) -> ExprKind,
    ) -> Vec<Expr> {
        if left.len() != right.len() {
            if !left.iter().chain(&right).any(|e| e.ty.is_unknown()) {
                self.error(
                    Code::TypeMismatch,
                    span,
                    format!(
                        "the two sides are lists of {} and {} values",
                        left.len(),
                        right.len()
                    ),
                );
            }
            return vec![unknown(span); left.len().max(right.len())];
        }
        let mut all = Vec::with_capacity(left.len());
        for (left, right) in left.into_iter().zip(right) {
            self.expect(&right, &left.ty);
            let ty = join(&left.ty, &right.ty);
            all.push(make(pair(left, right), ty, span));
        }
        all
    }
}

pub(super) fn make(kind: ExprKind, ty: Type, span: Span) -> Expr {
    Expr { kind, ty, span }
}

pub(super) fn value_expr(value: Value, ty: Type, span: Span) -> Expr {
    make(ExprKind::Value(value), ty, span)
}

/// The expression in place of one in error.
pub(super) fn unknown(span: Span) -> Expr {
    value_expr(Value::Bool(false), Type::Unknown, span)
}

pub(super) fn binary(op: BinOp, a: Expr, b: Expr, ty: Type) -> Expr {
    let span = a.span.to(b.span);
    make(ExprKind::Binary(op, a.into(), b.into()), ty, span)
}

/// Joins expressions by an operator on `bool`, as a balanced tree; `None` if there are
/// none.
pub(super) fn joined(op: BinOp, mut all: Vec<Expr>) -> Option<Expr> {
    while all.len() > 1 {
        let mut parts = all.into_iter();
        let mut pairs = Vec::with_capacity(parts.len() / 2 + 1);
        while let Some(a) = parts.next() {
            pairs.push(match parts.next() {
                Some(b) => binary(op, a, b, Type::Bool),
                None => a,
            });
        }
        all = pairs;
    }
    all.pop()
}

/// A type for values of either type.
pub(super) fn join(a: &Type, b: &Type) -> Type {
    match (a, b) {
        (Type::Unknown, _) | (_, Type::Unknown) => Type::Unknown,
        (a, b) if a == b => a.clone(),
        (a, _) => a.widened(),
    }
}
