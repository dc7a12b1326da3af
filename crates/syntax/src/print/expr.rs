//! Expressions, with the parentheses that their levels need.

use super::Printer;
use crate::ast::*;
use crate::number::decimal_string;
use crate::operator::Level;

impl Printer {
    pub(super) fn exprs(&mut self, exprs: &[Expr]) {
        self.separated(exprs, ", ", |p, expr| p.expr(expr, Level::OPEN));
    }

    /// Prints an expression that must be of level `least` or tighter.
    pub(super) fn expr(&mut self, expr: &Expr, least: Level) {
        if self.out.len() > self.max_bytes {
            return;
        }
        let own = expr_level(&expr.kind);
        if own < least {
            self.put("(");
            self.bare(expr);
            self.put(")");
        } else {
            self.bare(expr);
        }
    }

    fn bare(&mut self, expr: &Expr) {
        match &expr.kind {
            ExprKind::Bool(value) => self.show(value),
            ExprKind::Int(value) => self.show(value),
            // Every literal has a finite decimal expansion.
            ExprKind::Real(value) => self.put(&decimal_string(value).unwrap_or_default()),
            ExprKind::Name(name) => self.show(name),
            ExprKind::ModeRef(path) => path.iter().for_each(|part| {
                self.put("::");
                self.show(part.name);
            }),
            ExprKind::Unary(op, operand) => self.unary(*op, operand),
            ExprKind::Binary(op, left, right) => self.binary(*op, left, right),
            ExprKind::If(condition, yes, no) => self.conditional("if", condition, yes, no),
            ExprKind::With(condition, yes, no) => self.conditional("with", condition, yes, no),
            ExprKind::AtMostOne(all) => self.listed("#(", all, ")"),
            ExprKind::Nor(all) => self.listed("nor(", all, ")"),
            ExprKind::Quantified(quantifier, vars, body) => {
                self.quantified(*quantifier, vars, body)
            }
            ExprKind::When(base, clock) => {
                self.expr(base, Level::WHEN);
                self.put(" when ");
                self.clock(clock);
            }
            ExprKind::Current(base) => {
                self.put("current ");
                self.expr(base, Level::WHEN.tighter());
            }
            ExprKind::Merge(clock, cases) => self.merge(clock, cases),
            ExprKind::Call(call) => self.call(call),
            ExprKind::Delay(delayed, steps, initial) => self.delay(delayed, *steps, initial),
            ExprKind::List(all) => self.listed("(", all, ")"),
            ExprKind::Tuple(all) => self.listed("{", all, "}"),
            ExprKind::Array(all) => self.listed("[", all, "]"),
            ExprKind::Fill(element, size) => {
                self.expr(element, Level::CARET);
                self.put("^");
                self.expr(size, Level::POSTFIX);
            }
            ExprKind::Record(name, fields) => self.record(name, fields),
            ExprKind::Field(base, field) => {
                self.expr(base, Level::POSTFIX);
                self.put(".");
                self.show(field.name);
            }
            ExprKind::Project(base, position) => {
                self.expr(base, Level::POSTFIX);
                self.put(".%");
                self.show(position);
            }
            ExprKind::Index(base, index) => {
                self.expr(base, Level::POSTFIX);
                self.put("[");
                self.expr(index, Level::OPEN);
                self.put("]");
            }
            ExprKind::Slice(base, first, last, step) => self.slice(base, first, last, step),
            ExprKind::Update(base, path, value) => self.update(base, path, value),
        }
    }

    fn listed(&mut self, opening: &str, all: &[Expr], closing: &str) {
        self.put(opening);
        self.exprs(all);
        self.put(closing);
    }

    fn unary(&mut self, op: UnaryOp, operand: &Expr) {
        let start = self.out.len();
        self.show(op);
        if self.out[start..].ends_with(char::is_alphanumeric) {
            self.put(" ");
        }
        // What is converted stands in parentheses, though the parser would take it all.
        let least = match op.row().operand {
            Level::OPEN => Level::PREFIX,
            operand => operand,
        };
        self.expr(operand, least);
    }

    fn binary(&mut self, op: BinaryOp, left: &Expr, right: &Expr) {
        let row = op.row();
        self.expr(left, row.left());
        self.put(" ");
        self.put(row.text);
        self.put(" ");
        self.expr(right, row.right());
    }

    fn quantified(&mut self, quantifier: Quantifier, vars: &[Param], body: &Expr) {
        self.put(match quantifier {
            Quantifier::Forall => "forall ",
            Quantifier::Exists => "exists ",
        });
        self.params(vars);
        self.put(" ");
        self.expr(body, Level::QUANTIFIER.tighter());
    }

    fn delay(&mut self, delayed: &Expr, steps: u64, initial: &Expr) {
        self.put("fby(");
        self.expr(delayed, Level::OPEN);
        self.put(", ");
        self.show(steps);
        self.put(", ");
        self.expr(initial, Level::OPEN);
        self.put(")");
    }

    fn record(&mut self, name: &Ident, fields: &[(Ident, Expr)]) {
        self.show(name.name);
        self.put(" { ");
        self.separated(fields, "; ", |p, (field, value)| {
            p.show(field.name);
            p.put(" = ");
            p.expr(value, Level::OPEN);
        });
        self.put(" }");
    }

    fn slice(&mut self, base: &Expr, first: &Expr, last: &Expr, step: &Option<Box<Expr>>) {
        self.expr(base, Level::POSTFIX);
        self.put("[");
        self.expr(first, Level::OPEN);
        self.put("..");
        self.expr(last, Level::OPEN);
        if let Some(step) = step {
            self.put(" step ");
            self.expr(step, Level::OPEN);
        }
        self.put("]");
    }

    fn conditional(&mut self, keyword: &str, condition: &Expr, yes: &Expr, no: &Expr) {
        self.put(keyword);
        self.put(" ");
        self.expr(condition, Level::OPEN);
        self.put(" then ");
        self.expr(yes, Level::OPEN);
        self.put(" else ");
        self.expr(no, Level::ELSE);
    }

    pub(super) fn clock(&mut self, clock: &ClockExpr) {
        match clock {
            ClockExpr::On(clock) => self.show(clock.name),
            ClockExpr::OnNot(clock) => {
                self.put("not ");
                self.show(clock.name);
            }
            ClockExpr::OnValue(value, clock) => {
                self.show(value.name);
                self.put("(");
                self.show(clock.name);
                self.put(")");
            }
            ClockExpr::True => self.put("true"),
        }
    }

    fn merge(&mut self, clock: &Ident, cases: &[(MergeCase, Expr)]) {
        self.put("merge ");
        self.show(clock.name);
        for (case, value) in cases {
            self.put(" (");
            match case {
                MergeCase::True(_) => self.put("true"),
                MergeCase::False(_) => self.put("false"),
                MergeCase::Value(value) => self.show(value.name),
            }
            self.put(" -> ");
            self.expr(value, Level::OPEN);
            self.put(")");
        }
    }

    fn call(&mut self, call: &Call) {
        match (&call.every, &call.defaults) {
            (Some(every), Some(defaults)) => {
                self.put("condact(");
                self.expr(every, Level::OPEN);
                self.put(", ");
                self.restarted(call);
                for default in defaults {
                    self.put(", ");
                    self.expr(default, Level::OPEN);
                }
                self.put(")");
            }
            (Some(every), None) => {
                self.put("(activate ");
                self.show(call.node.name);
                self.put(" every ");
                self.expr(every, Level::OPEN);
                if let Some(restart) = &call.restart {
                    self.put(" restart every ");
                    self.expr(restart, Level::OPEN);
                }
                self.listed(")(", &call.args, ")");
            }
            (None, _) => self.restarted(call),
        }
    }

    fn restarted(&mut self, call: &Call) {
        match &call.restart {
            Some(restart) => {
                self.put("(restart ");
                self.show(call.node.name);
                self.put(" every ");
                self.expr(restart, Level::OPEN);
                self.listed(")(", &call.args, ")");
            }
            None => {
                self.show(call.node.name);
                self.listed("(", &call.args, ")");
            }
        }
    }

    fn update(&mut self, base: &Expr, path: &[Access], value: &Expr) {
        self.put("(");
        self.expr(base, Level::OPEN);
        self.put(" with ");
        for access in path {
            match access {
                Access::Field(field) => {
                    self.put(".");
                    self.show(field.name);
                }
                Access::Project(position, _) => {
                    self.put(".%");
                    self.show(position);
                }
                Access::Index(index) => {
                    self.put("[");
                    self.expr(index, Level::OPEN);
                    self.put("]");
                }
            }
        }
        self.put(" = ");
        self.expr(value, Level::OPEN);
        self.put(")");
    }
}

fn expr_level(kind: &ExprKind) -> Level {
    match kind {
        ExprKind::Unary(op, _) => op.row().level,
        ExprKind::Binary(op, ..) => op.row().level,
        ExprKind::If(..) | ExprKind::With(..) => Level::ELSE,
        ExprKind::Quantified(..) => Level::QUANTIFIER,
        ExprKind::When(..) | ExprKind::Current(_) => Level::WHEN,
        ExprKind::Fill(..) => Level::CARET,
        ExprKind::Bool(_)
        | ExprKind::Int(_)
        | ExprKind::Real(_)
        | ExprKind::Name(_)
        | ExprKind::ModeRef(_)
        | ExprKind::AtMostOne(_)
        | ExprKind::Nor(_)
        | ExprKind::Merge(..)
        | ExprKind::Call(_)
        | ExprKind::Delay(..)
        | ExprKind::List(_)
        | ExprKind::Tuple(_)
        | ExprKind::Array(_)
        | ExprKind::Record(..)
        | ExprKind::Field(..)
        | ExprKind::Project(..)
        | ExprKind::Index(..)
        | ExprKind::Slice(..)
        | ExprKind::Update(..) => Level::POSTFIX,
    }
}
