//! Expressions.
//!
//! A syntax expression may stand for several values (`(a, b)`, a call with two
//! outputs, a conditional over lists): [`Elab::list`] gives them all, and
//! [`Elab::one`] insists on a single one.

use syntax::ast::{self, Access, BinaryOp, ClockExpr, MergeCase, UnaryOp};
use syntax::operator::{Gives, Operands};
use syntax::{Code, Diagnostic, Span, Symbol, print};

use super::elab::{Case, Elab, Name};
use crate::constant;
use crate::ops;
use crate::program::*;
use crate::types::*;
use crate::value::Value;

/// `fby(e, n, d)` is unfolded; more steps than this, together with those of the
/// delays around, are refused.
const MAX_DELAY: u64 = 1000;

/// Conditions over lists and initial values of delays are copied; programs that
/// grow by more operators are refused.
const MAX_COPIED: usize = 1 << 20;

/// Unknown names for which one that resembles them is looked for.
const MAX_SUGGESTIONS: usize = 100;

impl Elab<'_, '_> {
    /// One value; a list of another length is an error.
    pub fn one(&mut self, expr: &ast::Expr) -> Expr {
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

    pub fn boolean(&mut self, expr: &ast::Expr) -> Expr {
        let typed = self.one(expr);
        self.expect(&typed, &Type::Bool);
        typed
    }

    /// All values that the expression stands for.
    pub fn list(&mut self, expr: &ast::Expr) -> Vec<Expr> {
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
            E::Current(_) => self.unsupported("`current` is", span),
            E::Tuple(all) => self.tuple(all, span),
            E::Array(all) => self.array(all, span),
            E::Fill(element, size) => {
                let element = self.one(element);
                match self.size(size) {
                    Some(size) if !element.ty.is_unknown() => {
                        let ty = Type::array(element.ty.clone(), size);
                        make(ExprKind::Fill(element.into()), ty, span)
                    }
                    _ => unknown(span),
                }
            }
            E::Record(name, fields) => self.record(name, fields, span),
            E::Field(base, field) => self.field(expr, base, field),
            E::Project(base, at) => self.project(base, *at as usize, span),
            E::Index(base, index) => self.index(base, index, span),
            E::Slice(..) => self.unsupported("array slices are", span),
            E::Update(base, path, value) => self.update(base, path, value, span),
        };
        vec![single]
    }

    fn booleans(&mut self, all: &[ast::Expr]) -> Vec<Expr> {
        all.iter().map(|e| self.boolean(e)).collect()
    }

    fn unsupported(&mut self, what: &str, span: Span) -> Expr {
        let help = match what {
            "`current` is" => "use `merge` or `condact` to hold the value of a clocked stream",
            "array slices are" => "define the part with `B[i] = A[low + i];`",
            _ => "define the result with `C[i] = if i < n then A[i] else B[i - n];`",
        };
        self.report(
            Diagnostic::error(Code::Unsupported, span, format!("{what} not supported")).help(help),
        );
        unknown(span)
    }

    /// Refuses an operator with memory where there may be none.
    pub fn refuse_state(&mut self, what: &str, span: Span) -> bool {
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

    fn name(&mut self, name: Symbol, span: Span) -> Expr {
        if let Some((_, id)) = self.bounds.iter().rev().find(|(bound, _)| *bound == name) {
            let ty = match &self.node.bound(*id).kind {
                BoundKind::Index(_) => Type::Int,
                BoundKind::Quantified(ty) => ty.clone(),
            };
            let id = *id;
            if self.constant {
                self.not_a_constant(name, span);
                return unknown(span);
            }
            return make(ExprKind::Bound(id), ty, span);
        }
        match self.names.get(&name) {
            Some(Name::Var(id)) => return self.var(*id, span),
            Some(Name::Const(id)) => return self.const_ref(*id, span),
            None => {}
        }
        if self.cx.const_decls.contains_key(&name) {
            return match self.cx.global_const(name) {
                Some(id) => self.const_ref(id, span),
                None => unknown(span),
            };
        }
        if let Some((id, at, _)) = self.cx.enum_values.get(&name) {
            return value_expr(Value::Enum(*id, *at), Type::Enum(*id), span);
        }
        let (code, what) = if self.constant {
            (Code::UnknownConstant, "constant")
        } else {
            (Code::UnknownName, "name")
        };
        let mut diagnostic =
            Diagnostic::error(code, span, format!("the {what} `{name}` is not declared"));
        diagnostic = match self.similar(name) {
            Some(other) => diagnostic.help(format!("did you mean `{other}`?")),
            None if self.in_contract => diagnostic.help(
                "a contract sees the inputs and outputs of its node and its own variables only",
            ),
            None => diagnostic.help("declare it, or correct its spelling"),
        };
        self.report(diagnostic);
        unknown(span)
    }

    /// A name in force that differs in little.
    fn similar(&mut self, name: Symbol) -> Option<Symbol> {
        self.cx.suggestions += 1;
        if self.cx.suggestions > MAX_SUGGESTIONS {
            return None;
        }
        let wanted = name.as_str();
        let mut best = None;
        let names = self.names.keys().chain(self.cx.const_decls.keys());
        for other in names.chain(self.cx.enum_values.keys()) {
            let distance = edit_distance(wanted, other.as_str());
            if distance <= wanted.len() / 3
                && best.is_none_or(|(d, s)| (distance, other.as_str()) < (d, s))
            {
                best = Some((distance, other.as_str()));
            }
        }
        best.map(|(_, text)| Symbol::new(text))
    }

    fn not_a_constant(&mut self, name: Symbol, span: Span) {
        self.report(
            Diagnostic::error(
                Code::NotConstant,
                span,
                format!("`{name}` is not a constant"),
            )
            .help("only numbers, declared constants and `const` inputs may stand here"),
        );
    }

    pub fn var(&mut self, id: VarId, span: Span) -> Expr {
        let var = self.node.var(id);
        let is_const = matches!(
            var.class,
            VarClass::Const | VarClass::Input { is_const: true }
        );
        if self.constant && !is_const {
            let name = var.name;
            self.not_a_constant(name, span);
            return unknown(span);
        }
        make(ExprKind::Var(id), var.ty.clone(), span)
    }

    fn const_ref(&self, id: ConstId, span: Span) -> Expr {
        let ty = self.cx.program.constant(id).ty.clone();
        make(ExprKind::Const(id), ty, span)
    }

    /// `whole` is the operator on its operand. All but `pre` work on single values.
    fn unary(&mut self, op: UnaryOp, operand: &ast::Expr, whole: &ast::Expr) -> Vec<Expr> {
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
    fn binary(&mut self, op: BinaryOp, a: &ast::Expr, b: &ast::Expr, span: Span) -> Vec<Expr> {
        let typed = match op {
            BinaryOp::Arrow => return self.arrow(a, b, span),
            BinaryOp::Fby => return self.followed_by(a, b, span),
            BinaryOp::Concat => return vec![self.unsupported("array concatenation is", span)],
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

    /// Pairs the values of two lists and joins each pair.
    fn paired(
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

    fn conditional(
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
    pub fn may_copy(&mut self, expr: &Expr, times: usize, span: Span) -> bool {
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

    fn static_conditional(
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

    fn arrow(&mut self, first: &ast::Expr, then: &ast::Expr, span: Span) -> Vec<Expr> {
        if self.refuse_state("`->`", span) {
            return vec![unknown(span)];
        }
        let first = self.list(first);
        let then = self.with(|e| e.guarded = true, |e| e.list(then));
        self.paired(first, then, span, |first, then| {
            ExprKind::Arrow(first.into(), then.into())
        })
    }

    fn followed_by(&mut self, first: &ast::Expr, then: &ast::Expr, span: Span) -> Vec<Expr> {
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

    fn delay(
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
    fn pre(&mut self, whole: &ast::Expr, operand: &ast::Expr) -> Vec<Expr> {
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

    pub fn warn_unguarded(&mut self, shown: &str, span: Span) {
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
    pub fn pre_of(&mut self, operand: Expr, guarded: bool, span: Span) -> Expr {
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

    /// The index and quantified variables that an expression depends on.
    pub fn bounds_in(&self, expr: &Expr, found: &mut Vec<BoundId>) {
        let mut add = |id: BoundId| {
            if !found.contains(&id) {
                found.push(id);
            }
        };
        match &expr.kind {
            ExprKind::Bound(id) => add(*id),
            ExprKind::Call(id, _) => self.node.call(*id).indices.iter().for_each(|id| add(*id)),
            ExprKind::Choice(id) => {
                let indices = &self.node.choice(*id).indices;
                indices.iter().for_each(|id| add(*id));
            }
            ExprKind::Quantified(_, vars, body) => {
                let mut inner = Vec::new();
                self.bounds_in(body, &mut inner);
                inner
                    .iter()
                    .filter(|id| !vars.contains(id))
                    .for_each(|id| add(*id));
            }
            _ => expr.for_each_part(|part| self.bounds_in(part, found)),
        }
    }

    fn when(&mut self, base: &ast::Expr, clock: &ClockExpr, span: Span) -> Vec<Expr> {
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

    pub fn clock_mismatch(&mut self, span: Span) {
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

    fn merge(
        &mut self,
        clock: &ast::Ident,
        cases: &[(MergeCase, ast::Expr)],
        span: Span,
    ) -> Vec<Expr> {
        if self.refuse_state("`merge`", span) {
            return vec![unknown(span)];
        }
        let clock_expr = self.name(clock.name, clock.span);
        let values: Vec<Case> = match &clock_expr.ty {
            Type::Bool => vec![Case::True, Case::False],
            Type::Enum(id) => {
                let values = &self.cx.program.enumeration(*id).values;
                values.iter().map(|value| Case::Value(*value)).collect()
            }
            Type::Unknown => return vec![unknown(span)],
            other => {
                let found = self.type_name(other);
                self.error(
                    Code::BadMerge,
                    clock.span,
                    format!("the clock of a merge is a `bool` or an enumeration, not a `{found}`"),
                );
                return vec![unknown(span)];
            }
        };
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
                |e| e.merge_branch(&clock_expr, key, expr),
            );
            branches.push((key, branch));
        }
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

    fn quantified(
        &mut self,
        quantifier: Quantifier,
        vars: &[ast::Param],
        body: &ast::Expr,
        span: Span,
    ) -> Expr {
        if !self.spec || self.constant {
            self.report(
                Diagnostic::error(
                    Code::MisplacedQuantifier,
                    span,
                    "quantifiers may only stand in properties, contracts and assertions",
                )
                .help("define the stream without a quantifier, for instance with an array"),
            );
            return unknown(span);
        }
        let depth = self.bounds.len();
        let mut ids = Vec::new();
        for var in vars {
            let ty = self.type_expr(&var.ty);
            let id = self.add_bound(var.name.name, BoundKind::Quantified(ty));
            self.bounds.push((var.name.name, id));
            ids.push(id);
        }
        let body = self.boolean(body);
        self.bounds.truncate(depth);
        make(
            ExprKind::Quantified(quantifier, ids, body.into()),
            Type::Bool,
            span,
        )
    }

    fn tuple(&mut self, all: &[ast::Expr], span: Span) -> Expr {
        let all: Vec<Expr> = all.iter().map(|e| self.one(e)).collect();
        if all.iter().any(|e| e.ty.is_unknown()) {
            return unknown(span);
        }
        let ty = Type::Tuple(all.iter().map(|e| e.ty.clone()).collect());
        let ty = self.cx.limit_parts(ty, span);
        make(ExprKind::Fields(all), ty, span)
    }

    fn array(&mut self, all: &[ast::Expr], span: Span) -> Expr {
        let all: Vec<Expr> = all.iter().map(|e| self.one(e)).collect();
        let mut element = all[0].ty.clone();
        for part in &all {
            self.expect(part, &element);
            element = match part.ty.fits(&element) {
                true => join(&element, &part.ty),
                false => Type::Unknown,
            };
        }
        if element.is_unknown() {
            return unknown(span);
        }
        let ty = Type::array(element, Size::constant(all.len()));
        make(ExprKind::Array(all), ty, span)
    }

    fn record(
        &mut self,
        name: &ast::Ident,
        fields: &[(ast::Ident, ast::Expr)],
        span: Span,
    ) -> Expr {
        let ty = self.cx.named_type(name.name, name.span);
        let Type::Record(id) = ty else {
            if !ty.is_unknown() {
                self.error(
                    Code::BadRecord,
                    name.span,
                    format!("`{}` is not a record type", name.name),
                );
            }
            return unknown(span);
        };
        let declared = self.cx.program.record(id).fields.clone();
        let mut values: Vec<Option<Expr>> = vec![None; declared.len()];
        let mut failed = false;
        for (field, value) in fields {
            let value = self.one(value);
            match declared.iter().position(|(name, _)| *name == field.name) {
                Some(at) if values[at].is_none() => {
                    self.expect(&value, &declared[at].1);
                    values[at] = Some(value);
                }
                found => {
                    let problem = match found {
                        Some(_) => format!("the field `{}` is given twice", field.name),
                        None => format!("`{}` has no field `{}`", name.name, field.name),
                    };
                    self.error(Code::BadRecord, field.span, problem);
                    failed = true;
                }
            }
        }
        let missing = values
            .iter()
            .zip(&declared)
            .find(|(value, _)| value.is_none());
        if let Some((_, (field, _))) = missing {
            if !failed {
                self.report(
                    Diagnostic::error(
                        Code::BadRecord,
                        span,
                        format!("the field `{field}` of `{}` has no value", name.name),
                    )
                    .help(format!("add `{field} = …`")),
                );
            }
            return unknown(span);
        }
        let values = values.into_iter().flatten().collect();
        make(ExprKind::Fields(values), Type::Record(id), span)
    }

    fn field(&mut self, whole: &ast::Expr, base: &ast::Expr, field: &ast::Ident) -> Expr {
        if self.dotted
            && let Some(id) = dotted_name(whole).and_then(|name| self.names.get(&name))
        {
            return match *id {
                Name::Var(id) => self.var(id, whole.span),
                Name::Const(id) => self.const_ref(id, whole.span),
            };
        }
        let base = self.one(base);
        match self.field_of(&base.ty, field) {
            Some((at, ty)) => make(ExprKind::Field(base.into(), at), ty, whole.span),
            None => unknown(whole.span),
        }
    }

    fn field_of(&mut self, ty: &Type, field: &ast::Ident) -> Option<(usize, Type)> {
        let Type::Record(id) = ty else {
            if !ty.is_unknown() {
                let found = self.type_name(ty);
                self.error(
                    Code::NoSuchField,
                    field.span,
                    format!("a value of type `{found}` has no fields"),
                );
            }
            return None;
        };
        let fields = &self.cx.program.record(*id).fields;
        if let Some(at) = fields.iter().position(|(name, _)| *name == field.name) {
            return Some((at, fields[at].1.clone()));
        }
        let known: Vec<String> = fields.iter().map(|(name, _)| format!("`{name}`")).collect();
        let found = self.type_name(ty);
        self.report(
            Diagnostic::error(
                Code::NoSuchField,
                field.span,
                format!("`{found}` has no field `{}`", field.name),
            )
            .help(format!("its fields are {}", known.join(", "))),
        );
        None
    }

    fn project(&mut self, base: &ast::Expr, at: usize, span: Span) -> Expr {
        let base = self.one(base);
        match self.part_of(&base.ty, at, span) {
            Some(ty) => make(ExprKind::Field(base.into(), at), ty, span),
            None => unknown(span),
        }
    }

    fn part_of(&mut self, ty: &Type, at: usize, span: Span) -> Option<Type> {
        match ty {
            Type::Unknown => None,
            Type::Tuple(parts) if at < parts.len() => Some(parts[at].clone()),
            other => {
                let found = self.type_name(other);
                self.error(
                    Code::NoSuchField,
                    span,
                    format!("a value of type `{found}` has no part number {at}"),
                );
                None
            }
        }
    }

    fn index(&mut self, base: &ast::Expr, index: &ast::Expr, span: Span) -> Expr {
        let base = self.one(base);
        let index = self.one(index);
        let Some(ty) = self.element_of(&base.ty, &index, base.span) else {
            return unknown(span);
        };
        make(ExprKind::Index(base.into(), index.into()), ty, span)
    }

    fn element_of(&mut self, ty: &Type, index: &Expr, span: Span) -> Option<Type> {
        let Type::Array(array) = ty else {
            if !ty.is_unknown() {
                let found = self.type_name(ty);
                self.error(
                    Code::TypeMismatch,
                    span,
                    format!("a value of type `{found}` cannot be indexed"),
                );
            }
            return None;
        };
        self.expect(index, &Type::Int);
        if self.constant {
            let value = constant::eval(&self.cx.program, Some(&self.node), index);
            if let (Some(Value::Int(value)), Some(size)) = (value, array.size.value())
                && (value < 0.into() || value >= size)
            {
                self.report(
                    Diagnostic::error(
                        Code::OutOfBounds,
                        index.span,
                        format!("the index {value} is outside of the array of size {size}"),
                    )
                    .help("indices go from 0 to the size minus one"),
                );
                return None;
            }
        }
        Some(array.element.clone())
    }

    fn update(&mut self, base: &ast::Expr, path: &[Access], value: &ast::Expr, span: Span) -> Expr {
        let base = self.one(base);
        let mut ty = base.ty.clone();
        let mut steps = Vec::new();
        for access in path {
            let next = match access {
                Access::Field(field) => self
                    .field_of(&ty, field)
                    .map(|(at, ty)| (Step::Field(at), ty)),
                Access::Project(at, span) => self
                    .part_of(&ty, *at as usize, *span)
                    .map(|ty| (Step::Field(*at as usize), ty)),
                Access::Index(index) => {
                    let index = self.one(index);
                    self.element_of(&ty, &index, span)
                        .map(|ty| (Step::Index(index), ty))
                }
            };
            let Some((step, inner)) = next else {
                return unknown(span);
            };
            steps.push(step);
            ty = inner;
        }
        let value = self.one(value);
        self.expect(&value, &ty);
        let ty = base.ty.clone();
        make(ExprKind::Update(base.into(), steps, value.into()), ty, span)
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

pub(super) fn make(kind: ExprKind, ty: Type, span: Span) -> Expr {
    Expr { kind, ty, span }
}

pub(super) fn value_expr(value: Value, ty: Type, span: Span) -> Expr {
    make(ExprKind::Value(value), ty, span)
}

/// What stands for an expression in error.
pub(super) fn unknown(span: Span) -> Expr {
    value_expr(Value::Bool(false), Type::Unknown, span)
}

pub(super) fn binary(op: BinOp, a: Expr, b: Expr, ty: Type) -> Expr {
    let span = a.span.to(b.span);
    make(ExprKind::Binary(op, a.into(), b.into()), ty, span)
}

/// All joined by an operator on `bool`, as flat as can be; `None` for none.
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

fn case_name(case: Case) -> String {
    match case {
        Case::True => "true".to_owned(),
        Case::False => "false".to_owned(),
        Case::Value(value) => value.to_string(),
    }
}

/// `a.b.c` as one name.
fn dotted_name(expr: &ast::Expr) -> Option<Symbol> {
    fn text(expr: &ast::Expr) -> Option<String> {
        match &expr.kind {
            ast::ExprKind::Name(name) => Some(name.to_string()),
            ast::ExprKind::Field(base, field) => Some(format!("{}.{}", text(base)?, field.name)),
            _ => None,
        }
    }
    text(expr).map(|text| Symbol::new(&text))
}

/// How many single-letter edits turn one word into the other.
fn edit_distance(a: &str, b: &str) -> usize {
    if a.len().abs_diff(b.len()) > a.len() / 3 {
        return usize::MAX;
    }
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, from) in a.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, to) in b.iter().enumerate() {
            let change = diagonal + usize::from(from != *to);
            diagonal = row[j + 1];
            row[j + 1] = change.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[b.len()]
}
