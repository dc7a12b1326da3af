//! Operators on values: the types of their operands and of what they give.
//!
//! Which kinds of operands an operator takes is a row of [`syntax::operator`].

use syntax::ast::{self, BinaryOp, UnaryOp};
use syntax::operator::{Gives, Operands};
use syntax::{Code, Diagnostic, Span};

use super::elab::Elab;
use super::expr::{joined, make, unknown, value_expr};
use crate::constant;
use crate::ops;
use crate::program::*;
use crate::types::*;
use crate::value::Value;

impl Elab<'_, '_> {
    /// `whole` is the operator on its operand. All but `pre` work on single values.
    pub(super) fn unary(
        &mut self,
        op: UnaryOp,
        operand: &ast::Expr,
        whole: &ast::Expr,
    ) -> Vec<Expr> {
        let span = whole.span;
        let single = match op {
            UnaryOp::Pre => return self.pre(whole, operand),
            UnaryOp::Not => self.operation(op, UnOp::Not, operand, "bool", span),
            UnaryOp::Minus => self.operation(op, UnOp::Neg, operand, "a number", span),
            UnaryOp::BitNot => self.operation(op, UnOp::BitNot, operand, "a machine integer", span),
            UnaryOp::ToInt => self.convert(Type::Int, operand, span),
            UnaryOp::ToReal => self.convert(Type::Real, operand, span),
            UnaryOp::ToMachine(machine) => self.convert(Type::Machine(machine), operand, span),
        };
        vec![single]
    }

    /// An operator on one value, folded if that is a literal.
    fn operation(
        &mut self,
        op: UnaryOp,
        typed: UnOp,
        operand: &ast::Expr,
        wanted: &str,
        span: Span,
    ) -> Expr {
        let operand = self.one(operand);
        if operand.ty.is_unknown() {
            return unknown(span);
        }
        if !takes(op.row().operands, &operand.ty) {
            return self.wrong_operand(&operand, wanted, span);
        }
        let ty = operand.ty.widened();
        if let ExprKind::Value(value) = &operand.kind
            && let Some(value) = ops::unary(typed, value)
        {
            return value_expr(value, ty, span);
        }
        make(ExprKind::Unary(typed, operand.into()), ty, span)
    }

    fn wrong_operand(&mut self, operand: &Expr, wanted: &str, span: Span) -> Expr {
        let found = self.type_name(&operand.ty);
        self.error(
            Code::TypeMismatch,
            operand.span,
            format!("this operator needs {wanted}, not a `{found}`"),
        );
        unknown(span)
    }

    fn convert(&mut self, to: Type, operand: &ast::Expr, span: Span) -> Expr {
        let operand = self.one(operand);
        if operand.ty.is_unknown() {
            return unknown(span);
        }
        let from = &operand.ty;
        let allowed = match (&to, from) {
            (Type::Int, from) => from.is_number(),
            (Type::Real, Type::Real) => true,
            (Type::Real, from) => from.is_int(),
            (Type::Machine(to), Type::Machine(from)) => to.signed == from.signed,
            (Type::Machine(_), from) => from.is_int(),
            _ => false,
        };
        if !allowed {
            let (from, to) = (self.type_name(from), self.type_name(&to));
            self.report(
                Diagnostic::error(
                    Code::TypeMismatch,
                    operand.span,
                    format!("a `{from}` cannot be converted to `{to}`"),
                )
                .help("reals and machine integers, and signed and unsigned ones, go through `int`"),
            );
            return unknown(span);
        }
        if let ExprKind::Value(value) = &operand.kind
            && let Some(value) = ops::convert(value, &to)
        {
            return value_expr(value, to, span);
        }
        make(ExprKind::Convert(operand.into()), to, span)
    }

    /// Equalities and operators on streams work on lists, the others on single values.
    pub(super) fn binary(
        &mut self,
        op: BinaryOp,
        a: &ast::Expr,
        b: &ast::Expr,
        span: Span,
    ) -> Vec<Expr> {
        let typed = match op {
            BinaryOp::Arrow => return self.arrow(a, b, span),
            BinaryOp::Fby => return self.followed_by(a, b, span),
            BinaryOp::Concat => {
                let help = "define the result with `C[i] = if i < n then A[i] else B[i - n];`";
                return vec![self.unsupported("array concatenation is", help, span)];
            }
            BinaryOp::Eq => return vec![self.equality(true, a, b, span)],
            BinaryOp::Neq => return vec![self.equality(false, a, b, span)],
            BinaryOp::And => BinOp::And,
            BinaryOp::Or => BinOp::Or,
            BinaryOp::Xor => BinOp::Xor,
            BinaryOp::Implies => BinOp::Implies,
            BinaryOp::Lt => BinOp::Lt,
            BinaryOp::Le => BinOp::Le,
            BinaryOp::Gt => BinOp::Gt,
            BinaryOp::Ge => BinOp::Ge,
            BinaryOp::Add => BinOp::Add,
            BinaryOp::Sub => BinOp::Sub,
            BinaryOp::Mul => BinOp::Mul,
            BinaryOp::Div | BinaryOp::IntDiv => BinOp::Div,
            BinaryOp::Mod => BinOp::Mod,
            BinaryOp::BitAnd => BinOp::BitAnd,
            BinaryOp::BitOr => BinOp::BitOr,
            BinaryOp::Lsh => BinOp::Lsh,
            BinaryOp::Rsh => BinOp::Rsh,
        };
        let (left, right) = (self.one(a), self.one(b));
        if left.ty.is_unknown() || right.ty.is_unknown() || !self.operands_fit(op, &left, &right) {
            return vec![unknown(span)];
        }
        if matches!(typed, BinOp::Div | BinOp::Mod) {
            self.refuse_zero(&right);
        }
        let ty = match op.row().gives {
            Gives::Bool => Type::Bool,
            Gives::Operand => left.ty.widened(),
        };
        let kind = ExprKind::Binary(typed, left.into(), right.into());
        vec![make(kind, ty, span)]
    }

    fn operands_fit(&mut self, op: BinaryOp, left: &Expr, right: &Expr) -> bool {
        let operands = op.row().operands;
        for operand in [left, right] {
            if !takes(operands, &operand.ty) {
                self.wrong_operand(operand, named(operands), operand.span);
                return false;
            }
        }
        let agree = match (operands, &left.ty, &right.ty) {
            // The amount of a shift is unsigned, of the same width.
            (Operands::Shift, Type::Machine(a), Type::Machine(b)) => {
                a.width == b.width && !b.signed
            }
            (_, a, b) => a.fits(b),
        };
        if !agree {
            let (a, b) = (self.type_name(&left.ty), self.type_name(&right.ty));
            let help = match operands {
                Operands::Shift => "the amount of a shift is unsigned and as wide as the value",
                _ => "convert one of them, for instance with `real`, `int` or `uint8`",
            };
            self.report(
                Diagnostic::error(
                    Code::TypeMismatch,
                    right.span,
                    format!("the operands have different types, `{a}` and `{b}`"),
                )
                .help(help),
            );
        }
        agree
    }

    fn refuse_zero(&mut self, divisor: &Expr) {
        let zero = match constant::eval(&self.cx.program, Some(&self.node), divisor) {
            Some(Value::Int(value)) => value == 0.into(),
            Some(Value::Real(value)) => *value.numer() == 0.into(),
            _ => false,
        };
        if zero {
            self.report(
                Diagnostic::error(
                    Code::DivisionByZero,
                    divisor.span,
                    "this divides by the constant zero",
                )
                .help("change the divisor"),
            );
        }
    }

    /// Two lists are equal when all their values are.
    fn equality(&mut self, equal: bool, a: &ast::Expr, b: &ast::Expr, span: Span) -> Expr {
        let (left, right) = (self.list(a), self.list(b));
        if left.iter().chain(&right).any(|e| e.ty.is_unknown()) {
            return unknown(span);
        }
        if left.len() != right.len() {
            self.error(
                Code::TypeMismatch,
                span,
                format!(
                    "a list of {} values is compared with one of {}",
                    left.len(),
                    right.len()
                ),
            );
            return unknown(span);
        }
        let mut all = Vec::new();
        for (left, right) in left.into_iter().zip(right) {
            if !left.ty.fits(&right.ty) {
                self.expect(&right, &left.ty);
                return unknown(span);
            }
            if left.ty.has_array(&self.cx.program.records) && !self.cx.array_equality {
                self.report(
                    Diagnostic::error(Code::ArrayEquality, span, "arrays cannot be compared")
                        .help("compare their elements, or use a quantifier over the index"),
                );
                return unknown(span);
            }
            all.push(make(
                ExprKind::Binary(BinOp::Eq, left.into(), right.into()),
                Type::Bool,
                span,
            ));
        }
        if let [single] = &mut all[..] {
            if let ExprKind::Binary(op, ..) = &mut single.kind {
                *op = if equal { BinOp::Eq } else { BinOp::Neq };
            }
            return all.swap_remove(0);
        }
        let both = joined(BinOp::And, all);
        let both = both.unwrap_or_else(|| value_expr(Value::Bool(true), Type::Bool, span));
        if equal {
            return both;
        }
        make(ExprKind::Unary(UnOp::Not, both.into()), Type::Bool, span)
    }
}

/// Can an operand be of the type?
fn takes(operands: Operands, ty: &Type) -> bool {
    match operands {
        Operands::Streams | Operands::Values => true,
        Operands::Bools => ty.is_bool(),
        Operands::Numbers | Operands::Convertible => ty.is_number(),
        Operands::Integers => ty.is_int() || ty.is_machine(),
        Operands::Machines | Operands::Shift => ty.is_machine(),
        Operands::Arrays => matches!(ty, Type::Array(_)),
    }
}

/// What messages call the operands.
fn named(operands: Operands) -> &'static str {
    match operands {
        Operands::Streams | Operands::Values => "a value",
        Operands::Bools => "`bool`",
        Operands::Numbers | Operands::Convertible => "a number",
        Operands::Integers => "`int` or a machine integer",
        Operands::Machines | Operands::Shift => "a machine integer",
        Operands::Arrays => "an array",
    }
}
