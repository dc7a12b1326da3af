//! Conditionals and merges, which choose between lists of values.

use syntax::ast::{self, ClockExpr, MergeCase};
use syntax::{Code, Diagnostic, Span};

use super::elab::{Case, Elab};
use super::expr::{binary, make, unknown, value_expr};
use crate::program::*;
use crate::types::*;
use crate::value::Value;

/// Conditions over lists and initial values of delays are copied; programs that
/// grow by more operators are refused.
const MAX_COPIED: usize = 1 << 20;

impl Elab<'_, '_> {
    pub(super) fn conditional(
        &mut self,
        condition: &ast::Expr,
        yes: &ast::Expr,
        no: &ast::Expr,
        span: Span,
    ) -> Vec<Expr> {
        let condition = self.boolean(condition);
        let (yes, no) = (self.list(yes), self.list(no));
        let mut copies = yes.len().saturating_sub(1);
        if !self.may_copy(&condition, copies, span) {
            return vec![unknown(span); yes.len()];
        }
        let mut condition = Some(condition);
        self.paired(yes, no, span, |yes, no| {
            let own = match copies {
                0 => condition.take(),
                _ => condition.clone(),
            };
            copies = copies.saturating_sub(1);
            let own = own.unwrap_or_else(|| unknown(span));
            ExprKind::If(own.into(), yes.into(), no.into())
        })
    }

    /// Counts copies of an expression; too many are an error.
    pub(super) fn may_copy(&mut self, expr: &Expr, times: usize, span: Span) -> bool {
        if times > 0 {
            self.cx.copied =
                (self.cx.copied).saturating_add(expr.operators().saturating_mul(times));
        }
        let fits = self.cx.copied <= MAX_COPIED;
        if !fits {
            self.report(
                Diagnostic::error(
                    Code::TooDeep,
                    span,
                    format!("copies of this make the program larger by more than {MAX_COPIED}"),
                )
                .help("define the condition or the initial value as a local variable"),
            );
        }
        fits
    }

    pub(super) fn static_conditional(
        &mut self,
        condition: &ast::Expr,
        yes: &ast::Expr,
        no: &ast::Expr,
    ) -> Vec<Expr> {
        let typed = self.const_value(condition, Some(&Type::Bool));
        match typed.kind {
            ExprKind::Value(Value::Bool(true)) => self.list(yes),
            ExprKind::Value(Value::Bool(false)) => self.list(no),
            _ => {
                if !typed.ty.is_unknown() {
                    self.report(
                        Diagnostic::error(
                            Code::NotConstant,
                            condition.span,
                            "the condition of `with` must have a known value",
                        )
                        .help("use `if` for conditions that depend on streams"),
                    );
                }
                vec![unknown(condition.span)]
            }
        }
    }

    pub(super) fn when(&mut self, base: &ast::Expr, clock: &ClockExpr, span: Span) -> Vec<Expr> {
        if self.refuse_state("`when`", span) {
            return vec![unknown(span)];
        }
        let Some((wanted, case)) = self.merge else {
            self.report(
                Diagnostic::error(
                    Code::MisplacedClock,
                    span,
                    "`when` may only stand in a branch of `merge`",
                )
                .help("write `merge(c; e1 when c; e2 when not c)`"),
            );
            return vec![unknown(span)];
        };
        let fits = match (clock, case) {
            (ClockExpr::On(clock), Case::True) => clock.name == wanted,
            (ClockExpr::OnNot(clock), Case::False) => clock.name == wanted,
            (ClockExpr::OnValue(value, clock), Case::Value(case)) => {
                clock.name == wanted && value.name == case
            }
            (ClockExpr::True, _) => true,
            _ => false,
        };
        if !fits {
            self.clock_mismatch(span);
        }
        self.list(base)
    }

    pub(super) fn clock_mismatch(&mut self, span: Span) {
        let Some((clock, case)) = self.merge else {
            return;
        };
        let expected = match case {
            Case::True => format!("{clock}"),
            Case::False => format!("not {clock}"),
            Case::Value(value) => format!("{value}({clock})"),
        };
        self.report(
            Diagnostic::error(
                Code::ClockMismatch,
                span,
                format!("this branch of `merge` is on the clock `{expected}`"),
            )
            .help(format!("sample it with `{expected}`")),
        );
    }

    pub(super) fn merge(
        &mut self,
        clock: &ast::Ident,
        cases: &[(MergeCase, ast::Expr)],
        span: Span,
    ) -> Vec<Expr> {
        if self.refuse_state("`merge`", span) {
            return vec![unknown(span)];
        }
        let clock_expr = self.name(clock.name, clock.span);
        let Some(values) = self.clock_values(&clock_expr) else {
            return vec![unknown(span)];
        };
        let branches = self.branches(clock, &clock_expr, &values, cases);
        let missing = values
            .iter()
            .find(|v| !branches.iter().any(|(c, _)| c == *v));
        if let Some(missing) = missing {
            self.report(
                Diagnostic::error(
                    Code::BadMerge,
                    span,
                    format!("this merge has no branch for `{}`", case_name(*missing)),
                )
                .help("add a branch for every value of the clock"),
            );
            return vec![unknown(span)];
        }
        self.select(&clock_expr, branches, span)
    }

    /// The values that the clock of a merge may have.
    fn clock_values(&mut self, clock: &Expr) -> Option<Vec<Case>> {
        match &clock.ty {
            Type::Bool => Some(vec![Case::True, Case::False]),
            Type::Enum(id) => {
                let values = &self.cx.program.enumeration(*id).values;
                Some(values.iter().map(|value| Case::Value(*value)).collect())
            }
            Type::Unknown => None,
            other => {
                let found = self.type_name(other);
                self.error(
                    Code::BadMerge,
                    clock.span,
                    format!("the clock of a merge is a `bool` or an enumeration, not a `{found}`"),
                );
                None
            }
        }
    }

    /// The branches of a merge, each for a value of its clock.
    fn branches(
        &mut self,
        clock: &ast::Ident,
        clock_expr: &Expr,
        values: &[Case],
        cases: &[(MergeCase, ast::Expr)],
    ) -> Vec<(Case, Vec<Expr>)> {
        let mut branches: Vec<(Case, Vec<Expr>)> = Vec::new();
        for (case, expr) in cases {
            let key = match case {
                MergeCase::True(_) => Case::True,
                MergeCase::False(_) => Case::False,
                MergeCase::Value(value) => Case::Value(value.name),
            };
            let problem = if !values.contains(&key) {
                Some("is not a value of the clock")
            } else if branches.iter().any(|(other, _)| *other == key) {
                Some("has two branches")
            } else {
                None
            };
            if let Some(problem) = problem {
                self.error(
                    Code::BadMerge,
                    case.span(),
                    format!("`{}` {problem}", case_name(key)),
                );
                continue;
            }
            let branch = self.with(
                |e| e.merge = Some((clock.name, key)),
                |e| e.merge_branch(clock_expr, key, expr),
            );
            branches.push((key, branch));
        }
        branches
    }

    /// A branch that is a plain call runs on the clock of the branch, as if it
    /// were activated.
    fn merge_branch(&mut self, clock: &Expr, case: Case, branch: &ast::Expr) -> Vec<Expr> {
        match &branch.kind {
            ast::ExprKind::Call(call) if call.every.is_none() && call.restart.is_none() => {
                let value = self.case_value(case, &clock.ty);
                let on = match value {
                    Value::Bool(true) => clock.clone(),
                    Value::Bool(false) => {
                        let not = ExprKind::Unary(UnOp::Not, clock.clone().into());
                        make(not, Type::Bool, clock.span)
                    }
                    value => {
                        let value = value_expr(value, clock.ty.clone(), clock.span);
                        binary(BinOp::Eq, clock.clone(), value, Type::Bool)
                    }
                };
                self.call_on(call, Some(on), branch.span)
            }
            _ => self.list(branch),
        }
    }

    /// The value of the clock for a branch.
    fn case_value(&self, case: Case, clock: &Type) -> Value {
        match (case, clock) {
            (Case::Value(name), Type::Enum(id)) => {
                let values = &self.cx.program.enumeration(*id).values;
                let at = values.iter().position(|value| *value == name).unwrap_or(0);
                Value::Enum(*id, at as u32)
            }
            (case, _) => Value::Bool(case == Case::True),
        }
    }

    /// One merge for each position of the branches.
    fn select(&mut self, clock: &Expr, branches: Vec<(Case, Vec<Expr>)>, span: Span) -> Vec<Expr> {
        let values: Vec<Value> = branches
            .iter()
            .map(|(case, _)| self.case_value(*case, &clock.ty))
            .collect();
        let mut branches = branches.into_iter();
        let Some((_, first)) = branches.next() else {
            return vec![unknown(span)];
        };
        let clock = Box::new(clock.clone());
        let mut result: Vec<Expr> = first
            .into_iter()
            .map(|value| {
                let ty = value.ty.clone();
                let cases = vec![(values[0].clone(), value)];
                make(ExprKind::Merge(clock.clone(), cases), ty, span)
            })
            .collect();
        for (at, (_, branch)) in branches.enumerate() {
            result = self.paired(result, branch, span, |merge, value| match merge.kind {
                ExprKind::Merge(clock, mut cases) => {
                    cases.push((values[at + 1].clone(), value));
                    ExprKind::Merge(clock, cases)
                }
                other => other,
            });
        }
        result
    }
}

fn case_name(case: Case) -> String {
    match case {
        Case::True => "true".to_owned(),
        Case::False => "false".to_owned(),
        Case::Value(value) => value.to_string(),
    }
}
