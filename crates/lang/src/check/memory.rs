//! Operators with memory: `->`, `fby` and `pre`.

use syntax::{Code, Diagnostic, Span, ast, print};

use super::elab::Elab;
use super::expr::{join, make, unknown};
use crate::program::*;

/// `fby(e, n, d)` is unfolded; more steps than this, together with those of the
/// delays around, are refused.
const MAX_DELAY: u64 = 1000;

impl Elab<'_, '_> {
    /// Refuses an operator with memory where there may be none.
    pub(super) fn refuse_state(&mut self, what: &str, span: Span) -> bool {
        if self.constant {
            self.report(
                Diagnostic::error(
                    Code::NotConstant,
                    span,
                    format!("{what} is not allowed in a constant"),
                )
                .help("constants are built from numbers, constants and operators without memory"),
            );
            return true;
        }
        if self.is_function() {
            let name = self.node.name;
            self.report(
                Diagnostic::error(
                    Code::StatefulFunction,
                    span,
                    format!("{what} is not allowed in the function `{name}` or its contract"),
                )
                .help("functions have no memory; declare it as a `node`"),
            );
            return true;
        }
        false
    }

    pub(super) fn arrow(&mut self, first: &ast::Expr, then: &ast::Expr, span: Span) -> Vec<Expr> {
        if self.refuse_state("`->`", span) {
            return vec![unknown(span)];
        }
        let first = self.list(first);
        let then = self.with(|e| e.guarded = true, |e| e.list(then));
        self.paired(first, then, span, |first, then| {
            ExprKind::Arrow(first.into(), then.into())
        })
    }

    pub(super) fn followed_by(
        &mut self,
        first: &ast::Expr,
        then: &ast::Expr,
        span: Span,
    ) -> Vec<Expr> {
        if self.refuse_state("`fby`", span) {
            return vec![unknown(span)];
        }
        let first = self.list(first);
        let then = self.with(|e| e.guarded = false, |e| e.list(then));
        self.paired(first, then, span, |first, then| {
            let ty = then.ty.clone();
            let pre = make(ExprKind::Pre(then.into(), None), ty, span);
            ExprKind::Arrow(first.into(), pre.into())
        })
    }

    pub(super) fn delay(
        &mut self,
        delayed: &ast::Expr,
        steps: u64,
        initial: &ast::Expr,
        span: Span,
    ) -> Vec<Expr> {
        if self.refuse_state("`fby`", span) {
            return vec![unknown(span)];
        }
        let outer = self.delay;
        if steps > MAX_DELAY - outer {
            self.error(
                Code::Unsupported,
                span,
                format!("delays of more than {MAX_DELAY} steps are not supported"),
            );
            return vec![unknown(span)];
        }
        self.delay += steps;
        let guarded = self.guarded;
        let initial = self.list(initial);
        let delayed = self.with(|e| e.guarded = guarded && steps == 0, |e| e.list(delayed));
        self.delay = outer;
        for value in &initial {
            if !self.may_copy(value, steps as usize, span) {
                return vec![unknown(span); initial.len()];
            }
        }
        self.paired(initial, delayed, span, |initial, delayed| {
            let ty = join(&initial.ty, &delayed.ty);
            let mut result = delayed;
            for _ in 0..steps {
                let ty_pre = result.ty.clone();
                let pre = make(ExprKind::Pre(result.into(), None), ty_pre, span);
                let kind = ExprKind::Arrow(initial.clone().into(), pre.into());
                result = make(kind, ty.clone(), span);
            }
            result.kind
        })
    }

    /// `whole` is `pre operand`.
    pub(super) fn pre(&mut self, whole: &ast::Expr, operand: &ast::Expr) -> Vec<Expr> {
        let span = whole.span;
        if self.refuse_state("`pre`", span) {
            return vec![unknown(span)];
        }
        let guarded = self.guarded;
        let all = self.with(|e| e.guarded = false, |e| e.list(operand));
        if !guarded && !all.iter().any(|e| e.ty.is_unknown()) {
            self.warn_unguarded(&print::short_expr(whole), span);
        }
        all.into_iter()
            .map(|operand| self.pre_of(operand, guarded, span))
            .collect()
    }

    pub(super) fn warn_unguarded(&mut self, shown: &str, span: Span) {
        let message = format!("`{shown}` has no value at the first step");
        let help = "give it one with `->`, as in `0 -> pre x`";
        self.report(if self.cx.options.strict {
            Diagnostic::error(Code::UnguardedPre, span, message).help(help)
        } else {
            Diagnostic::warning(Code::WarnUnguardedPre, span, message).help(help)
        });
    }

    /// `pre` of a typed expression. Quantified variables do not change over
    /// time, so that `pre` moves past them onto the streams.
    pub(super) fn pre_of(&mut self, operand: Expr, guarded: bool, span: Span) -> Expr {
        let mut bounds = Vec::new();
        self.bounds_in(&operand, &mut bounds);
        let is_quantified =
            |id: &BoundId| matches!(self.node.bound(*id).kind, BoundKind::Quantified(_));
        if bounds.iter().any(is_quantified) {
            return self.pre_inside(operand, guarded, span);
        }
        if operand.ty.is_unknown() {
            return unknown(span);
        }
        let ty = operand.ty.clone();
        let choice = (!guarded).then(|| self.add_choice(ChoiceKind::Pre, ty.clone(), bounds, span));
        make(ExprKind::Pre(operand.into(), choice), ty, span)
    }

    fn pre_inside(&mut self, operand: Expr, guarded: bool, span: Span) -> Expr {
        let mut pre = |part: Box<Expr>| -> Box<Expr> {
            let mut bounds = Vec::new();
            self.bounds_in(&part, &mut bounds);
            let constant = matches!(part.kind, ExprKind::Value(_) | ExprKind::Const(_));
            if constant || (matches!(part.kind, ExprKind::Bound(_))) {
                return part;
            }
            self.pre_of(*part, guarded, span).into()
        };
        let kind = match operand.kind {
            ExprKind::Bound(id) => {
                let name = self.node.bound(id).name;
                self.report(
                    Diagnostic::error(
                        Code::PreOfBoundVariable,
                        operand.span,
                        format!("`pre` of the quantified variable `{name}`"),
                    )
                    .help(format!(
                        "`{name}` does not change over time: leave `pre` out"
                    )),
                );
                return unknown(span);
            }
            ExprKind::Unary(op, a) => ExprKind::Unary(op, pre(a)),
            ExprKind::Convert(a) => ExprKind::Convert(pre(a)),
            ExprKind::Fill(a) => ExprKind::Fill(pre(a)),
            ExprKind::Field(a, at) => ExprKind::Field(pre(a), at),
            ExprKind::Binary(op, a, b) => ExprKind::Binary(op, pre(a), pre(b)),
            ExprKind::Index(a, b) => ExprKind::Index(pre(a), pre(b)),
            ExprKind::If(a, b, c) => ExprKind::If(pre(a), pre(b), pre(c)),
            _ => {
                self.report(
                    Diagnostic::error(
                        Code::PreOfBoundVariable,
                        operand.span,
                        "`pre` of this expression with a quantified variable is not supported",
                    )
                    .help("put `pre` on the streams inside it"),
                );
                return unknown(span);
            }
        };
        make(kind, operand.ty, operand.span)
    }
}
