//! Checks that operations do not go wrong: `--check_runtime`.
//!
//! For each division, index, operation on machine integers and conversion of a node a
//! property is added, "it does not go wrong here", which both semantics then see as any
//! other. An operation counts where it is evaluated:
//!
//! - in a branch of `if` or `merge` only if the branch is taken, on the right of `and`, `or`
//!   and `=>` only if the left operand does not decide, on a side of `->` only at the steps
//!   that it is for: these conditions guard the check;
//! - in the arguments of a call whenever the call runs, also if the call stands in a branch:
//!   calls run whether or not someone looks at their outputs;
//! - below `pre` at every step, since that is when it is remembered;
//! - in a definition by index or below a quantifier for all elements or values.
//!
//! An operation that cannot go wrong, for instance because an operand is constant, has no
//! check.

mod condition;

use std::sync::Arc;

use num_bigint::BigInt;
use syntax::Span;
use syntax::ast::Machine;

use self::condition::{
    binary, difference_fits, least, limits, literal, not, product_fits, size_of, sum_fits,
};
use crate::constant;
use crate::program::*;
use crate::types::*;
use crate::value::Value;

/// A way in which an operation can go wrong.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum RuntimeCheck {
    /// Division by zero, of all types of numbers.
    Division,
    /// An index outside of the bounds of an array, in an update too.
    Index,
    /// A result of `+`, `-`, `*` or `div` on machine integers that is not the one on `int`.
    Overflow,
    /// A converted value that the target type does not contain.
    Conversion,
}

impl RuntimeCheck {
    pub const ALL: [RuntimeCheck; 4] = [
        RuntimeCheck::Division,
        RuntimeCheck::Index,
        RuntimeCheck::Overflow,
        RuntimeCheck::Conversion,
    ];

    /// What goes wrong; with its place, the name of the property.
    pub fn words(self) -> &'static str {
        match self {
            RuntimeCheck::Division => "division by zero",
            RuntimeCheck::Index => "index out of bounds",
            RuntimeCheck::Overflow => "overflow",
            RuntimeCheck::Conversion => "conversion",
        }
    }
}

/// Adds the properties to all nodes with a body. The definitions of constants are checked
/// in the top nodes.
pub fn add_runtime_checks(program: &mut Program, wanted: &[RuntimeCheck]) {
    let tops = program.top_nodes();
    let ids: Vec<NodeId> = program.node_ids().collect();
    for id in ids {
        let node = program.node(id);
        if !node.has_body {
            continue;
        }
        let mut search = CheckSearch {
            program,
            node,
            wanted,
            around: Vec::new(),
            found: Vec::new(),
        };
        if tops.contains(&id) {
            let definitions = program.consts.iter().filter_map(|c| c.value.as_ref());
            definitions.for_each(|value| search.walk(value));
        }
        search.node();
        let properties = search.properties();
        Arc::make_mut(&mut program.nodes[id.index()])
            .properties
            .extend(properties);
    }
}

/// A condition or a quantifier around an operation.
#[derive(Clone)]
enum Around {
    If(Expr),
    ForAll(Vec<BoundId>),
}

struct CheckSearch<'p> {
    program: &'p Program,
    node: &'p Node,
    wanted: &'p [RuntimeCheck],
    around: Vec<Around>,
    found: Vec<(RuntimeCheck, Span, Expr)>,
}

impl CheckSearch<'_> {
    fn node(&mut self) {
        let node = self.node;
        for var in node.vars.iter().filter(|var| var.class != VarClass::Mode) {
            if let Some(def) = &var.def {
                self.for_all(&def.indices, |this| this.walk(&def.expr));
            }
        }
        for call in node.live_calls() {
            self.call(node.call(call));
        }
        for assertion in &node.asserts {
            self.walk(&assertion.expr);
        }
        for property in &node.properties {
            match &property.kind {
                PropertyKind::Provided(guard) => {
                    self.walk(guard);
                    self.under(guard.clone(), |this| this.walk(&property.expr));
                }
                _ => self.walk(&property.expr),
            }
        }
        if let Some(contract) = &node.contract {
            self.contract(contract);
        }
    }

    fn call(&mut self, call: &Call) {
        self.for_all(&call.indices, |this| {
            let always = call.clock.iter().chain(&call.restart);
            always.for_each(|expr| this.walk(expr));
            let Some(clock) = &call.clock else {
                call.args.iter().for_each(|arg| this.walk(arg));
                return;
            };
            this.under(clock.clone(), |this| {
                call.args.iter().for_each(|arg| this.walk(arg));
            });
            let defaults = call.defaults.iter().flatten();
            this.under(not(clock.clone()), |this| {
                defaults.for_each(|default| this.walk(default));
            });
        });
    }

    fn contract(&mut self, contract: &Contract) {
        let own = contract.assumptions.iter().chain(&contract.guarantees);
        own.for_each(|clause| self.walk(&clause.expr));
        for mode in &contract.modes {
            let requires = mode.requires.iter();
            requires.for_each(|clause| self.walk(&clause.expr));
            let active = Expr {
                kind: ExprKind::Var(mode.active),
                ty: Type::Bool,
                span: mode.span,
            };
            self.under(active, |this| {
                let ensures = mode.ensures.iter();
                ensures.for_each(|clause| this.walk(&clause.expr));
            });
        }
    }

    fn under(&mut self, guard: Expr, look: impl FnOnce(&mut Self)) {
        self.around.push(Around::If(guard));
        look(self);
        self.around.pop();
    }

    fn for_all(&mut self, indices: &[BoundId], look: impl FnOnce(&mut Self)) {
        self.around.push(Around::ForAll(indices.to_vec()));
        look(self);
        self.around.pop();
    }

    /// Looks for operations in an expression.
    fn walk(&mut self, expr: &Expr) {
        self.operation(expr);
        match &expr.kind {
            ExprKind::If(c, a, b) => {
                self.walk(c);
                self.under((**c).clone(), |this| this.walk(a));
                self.under(not((**c).clone()), |this| this.walk(b));
            }
            ExprKind::Binary(BinOp::And | BinOp::Implies, a, b) => {
                self.walk(a);
                self.under((**a).clone(), |this| this.walk(b));
            }
            ExprKind::Binary(BinOp::Or, a, b) => {
                self.walk(a);
                self.under(not((**a).clone()), |this| this.walk(b));
            }
            ExprKind::Merge(clock, cases) => {
                self.walk(clock);
                for (value, branch) in cases {
                    let value = literal(value.clone(), &clock.ty, clock.span);
                    let chosen = binary(BinOp::Eq, (**clock).clone(), value);
                    self.under(chosen, |this| this.walk(branch));
                }
            }
            ExprKind::Arrow(first, then) => {
                let at = |first: bool| {
                    let truth = |value| literal(Value::Bool(value), &Type::Bool, expr.span);
                    Expr {
                        kind: ExprKind::Arrow(truth(first).into(), truth(!first).into()),
                        ty: Type::Bool,
                        span: expr.span,
                    }
                };
                self.under(at(true), |this| this.walk(first));
                self.under(at(false), |this| this.walk(then));
            }
            ExprKind::Pre(inner, _) => {
                // The conditions around it are of a later step.
                let around = std::mem::take(&mut self.around);
                let binders = around.iter();
                let binders = binders.filter(|part| matches!(part, Around::ForAll(_)));
                self.around = binders.cloned().collect();
                self.walk(inner);
                self.around = around;
            }
            ExprKind::Quantified(_, vars, body) => {
                self.for_all(vars, |this| this.walk(body));
            }
            _ => expr.for_each_part(|part| self.walk(part)),
        }
    }

    /// Is the expression itself an operation that can go wrong?
    fn operation(&mut self, expr: &Expr) {
        match &expr.kind {
            ExprKind::Binary(op, a, b) => self.binary(expr, *op, a, b),
            ExprKind::Unary(op, a) => match op {
                UnOp::Neg => self.negation(expr, a),
                UnOp::Not | UnOp::BitNot => {}
            },
            ExprKind::Convert(a) => self.conversion(a, &expr.ty),
            ExprKind::Index(base, index) => self.index(&base.ty, index),
            ExprKind::Update(base, path, _) => {
                let mut ty = &base.ty;
                for step in path {
                    ty = match (step, ty) {
                        (Step::Index(index), Type::Array(array)) => {
                            self.index(ty, index);
                            &array.element
                        }
                        (Step::Field(at), Type::Record(id)) => {
                            &self.program.record(*id).fields[*at].1
                        }
                        (Step::Field(at), Type::Tuple(parts)) => &parts[*at],
                        _ => return,
                    };
                }
            }
            ExprKind::Value(_)
            | ExprKind::Var(_)
            | ExprKind::Const(_)
            | ExprKind::Bound(_)
            | ExprKind::Choice(_)
            | ExprKind::If(..)
            | ExprKind::Merge(..)
            | ExprKind::Arrow(..)
            | ExprKind::Pre(..)
            | ExprKind::AtMostOne(_)
            | ExprKind::Fields(_)
            | ExprKind::Array(_)
            | ExprKind::Fill(_)
            | ExprKind::Field(..)
            | ExprKind::Quantified(..)
            | ExprKind::Call(..) => {}
        }
    }

    /// A division by zero, and what wraps on machine integers.
    fn binary(&mut self, expr: &Expr, op: BinOp, a: &Expr, b: &Expr) {
        let machine = match &expr.ty {
            Type::Machine(machine) => Some(*machine),
            _ => None,
        };
        match op {
            BinOp::Div | BinOp::Mod => {
                self.division(b);
                if let Some(machine) = machine {
                    self.machine_division(expr, machine, a, b);
                }
            }
            BinOp::Add => self.overflow(b, machine.map(|m| sum_fits(m, a, b, expr))),
            BinOp::Sub => self.overflow(b, machine.map(|m| difference_fits(m, a, b, expr))),
            BinOp::Mul => self.overflow(b, machine.map(|m| product_fits(m, a, b, expr))),
            BinOp::And | BinOp::Or | BinOp::Xor | BinOp::Implies => {}
            BinOp::Eq | BinOp::Neq | BinOp::Lt | BinOp::Le | BinOp::Gt | BinOp::Ge => {}
            BinOp::BitAnd | BinOp::BitOr | BinOp::Lsh | BinOp::Rsh => {}
        }
    }

    fn overflow(&mut self, operand: &Expr, condition: Option<Expr>) {
        if let Some(condition) = condition {
            self.add(RuntimeCheck::Overflow, operand.span, condition);
        }
    }

    fn negation(&mut self, expr: &Expr, a: &Expr) {
        if let Type::Machine(machine) = &expr.ty
            && self.value(a).is_none()
        {
            let odd = match machine.signed {
                true => binary(BinOp::Neq, a.clone(), least(*machine, a)),
                false => binary(BinOp::Eq, a.clone(), least(*machine, a)),
            };
            self.add(RuntimeCheck::Overflow, a.span, odd);
        }
    }

    fn value(&self, expr: &Expr) -> Option<Value> {
        constant::eval(self.program, Some(self.node), expr)
    }

    fn division(&mut self, divisor: &Expr) {
        let zero = match &divisor.ty {
            Type::Real => Value::Real(Default::default()),
            Type::Machine(machine) => Value::Machine(*machine, 0),
            _ => Value::int(0),
        };
        if self.value(divisor).is_some_and(|value| value != zero) {
            return;
        }
        let zero = literal(zero, &divisor.ty, divisor.span);
        let condition = binary(BinOp::Neq, divisor.clone(), zero);
        self.add(RuntimeCheck::Division, divisor.span, condition);
    }

    /// The least value divided by -1 is one more than the largest.
    fn machine_division(&mut self, expr: &Expr, machine: Machine, a: &Expr, b: &Expr) {
        let minus_one = Value::Machine(machine, -1);
        let fits = |value: Value| value != minus_one;
        if !machine.signed || self.value(b).is_some_and(fits) {
            return;
        }
        if !matches!(expr.kind, ExprKind::Binary(BinOp::Div, ..)) {
            return;
        }
        let minus_one = literal(minus_one, &b.ty, b.span);
        let condition = binary(
            BinOp::Or,
            binary(BinOp::Neq, a.clone(), least(machine, a)),
            binary(BinOp::Neq, b.clone(), minus_one),
        );
        self.add(RuntimeCheck::Overflow, b.span, condition);
    }

    fn index(&mut self, array: &Type, index: &Expr) {
        let Type::Array(array) = array else {
            return;
        };
        if let (Some(Value::Int(index)), Some(size)) = (self.value(index), array.size.value())
            && index >= BigInt::default()
            && index < size
        {
            return;
        }
        // The index variable of an array definition is in the bounds of arrays of that size.
        if let ExprKind::Bound(bound) = &index.kind
            && matches!(&self.node.bound(*bound).kind, BoundKind::Index(size) if *size == array.size)
        {
            return;
        }
        let zero = literal(Value::int(0), &Type::Int, index.span);
        let size = size_of(&array.size, index.span);
        let condition = binary(
            BinOp::And,
            binary(BinOp::Le, zero, index.clone()),
            binary(BinOp::Lt, index.clone(), size),
        );
        self.add(RuntimeCheck::Index, index.span, condition);
    }

    fn conversion(&mut self, value: &Expr, to: &Type) {
        let Type::Machine(to) = to else {
            return;
        };
        let (low, high) = limits(*to);
        let (own_low, own_high, value) = match &value.ty {
            Type::Machine(from) => {
                let (low, high) = limits(*from);
                (Some(low), Some(high), value.clone())
            }
            Type::Range(range) => (range.low.clone(), range.high.clone(), value.clone()),
            Type::Int => (None, None, value.clone()),
            Type::Real => {
                let whole = Expr {
                    kind: ExprKind::Convert(value.clone().into()),
                    ty: Type::Int,
                    span: value.span,
                };
                (None, None, whole)
            }
            _ => return,
        };
        if let Some(Value::Int(known)) = self.value(&value)
            && known >= low
            && known <= high
        {
            return;
        }
        // Subranges are checked as properties of their own: only machine integers count here.
        let bounded = matches!(value.ty, Type::Machine(_));
        let limit = |limit: BigInt| match &value.ty {
            Type::Machine(from) => Value::Machine(*from, crate::ops::wrap(*from, &limit)),
            _ => Value::Int(limit),
        };
        let mut conditions = Vec::new();
        if !bounded || own_low.is_none_or(|own| own < low) {
            let low = literal(limit(low), &value.ty, value.span);
            conditions.push(binary(BinOp::Le, low, value.clone()));
        }
        if !bounded || own_high.is_none_or(|own| own > high) {
            let high = literal(limit(high), &value.ty, value.span);
            conditions.push(binary(BinOp::Le, value.clone(), high));
        }
        let span = value.span;
        if let Some(condition) = conditions
            .into_iter()
            .reduce(|a, b| binary(BinOp::And, a, b))
        {
            self.add(RuntimeCheck::Conversion, span, condition);
        }
    }

    fn add(&mut self, check: RuntimeCheck, span: Span, condition: Expr) {
        if !self.wanted.contains(&check) {
            return;
        }
        let condition = self
            .around
            .iter()
            .rev()
            .fold(condition, |inner, around| match around {
                Around::If(guard) => binary(BinOp::Implies, guard.clone(), inner),
                Around::ForAll(vars) if vars.is_empty() => inner,
                Around::ForAll(vars) => Expr {
                    ty: Type::Bool,
                    span,
                    kind: ExprKind::Quantified(Quantifier::Forall, vars.clone(), inner.into()),
                },
            });
        self.found.push((check, span, condition));
    }

    /// One property for each source location, even if the checker copied the operation.
    fn properties(self) -> Vec<Property> {
        let mut all: Vec<Property> = Vec::new();
        for (check, span, condition) in self.found {
            let same = |p: &&mut Property| p.runtime == Some(check) && p.span == span;
            match all.iter_mut().find(same) {
                Some(known) if known.expr.same_as(&condition) => {}
                Some(known) => known.expr = binary(BinOp::And, known.expr.clone(), condition),
                None => all.push(Property {
                    name: None,
                    expr: condition,
                    kind: PropertyKind::Invariant,
                    span,
                    runtime: Some(check),
                }),
            }
        }
        all
    }
}
