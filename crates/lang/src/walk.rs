//! The parts of an expression, and every expression of a node.

use crate::program::{Contract, Expr, ExprKind, Node, PropertyKind, Step};

/// The parts of a kind of expression, in their order. `$iter` is `iter` if the
/// kind is borrowed to be read, and `iter_mut` if it is borrowed to be changed.
macro_rules! parts {
    ($kind:expr, $iter:ident, $each:expr) => {
        match $kind {
            ExprKind::Value(_)
            | ExprKind::Var(_)
            | ExprKind::Const(_)
            | ExprKind::Bound(_)
            | ExprKind::Choice(_)
            | ExprKind::Call(..) => {}
            ExprKind::Unary(_, a)
            | ExprKind::Pre(a, _)
            | ExprKind::Convert(a)
            | ExprKind::Fill(a)
            | ExprKind::Field(a, _)
            | ExprKind::Quantified(_, _, a) => $each(a),
            ExprKind::Binary(_, a, b) | ExprKind::Arrow(a, b) | ExprKind::Index(a, b) => {
                $each(a);
                $each(b);
            }
            ExprKind::If(a, b, c) => {
                $each(a);
                $each(b);
                $each(c);
            }
            ExprKind::AtMostOne(all) | ExprKind::Fields(all) | ExprKind::Array(all) => {
                all.$iter().for_each($each)
            }
            ExprKind::Merge(clock, cases) => {
                $each(clock);
                cases.$iter().for_each(|(_, value)| $each(value));
            }
            ExprKind::Update(base, path, value) => {
                $each(base);
                for step in path {
                    if let Step::Index(index) = step {
                        $each(index);
                    }
                }
                $each(value);
            }
        }
    };
}

impl Expr {
    /// Calls `each` with every direct part of the expression.
    pub fn for_each_part<'e>(&'e self, mut each: impl FnMut(&'e Expr)) {
        parts!(&self.kind, iter, each)
    }

    /// Calls `each` with every direct part of the expression.
    pub fn for_each_part_mut(&mut self, mut each: impl FnMut(&mut Expr)) {
        parts!(&mut self.kind, iter_mut, each)
    }
}

impl Node {
    /// Calls `each` with every expression of the node: definitions, what calls are
    /// made with, assertions, properties and the contract.
    pub fn for_each_expr_mut(&mut self, mut each: impl FnMut(&mut Expr)) {
        for def in self.vars.iter_mut().filter_map(|var| var.def.as_mut()) {
            each(&mut def.expr);
        }
        for call in &mut self.calls {
            let defaults = call.defaults.iter_mut().flatten();
            let parts = call.args.iter_mut().chain(defaults);
            let parts = parts.chain(&mut call.clock).chain(&mut call.restart);
            parts.for_each(&mut each);
        }
        for assertion in &mut self.asserts {
            each(&mut assertion.expr);
        }
        for property in &mut self.properties {
            each(&mut property.expr);
            if let PropertyKind::Provided(guard) = &mut property.kind {
                each(guard);
            }
        }
        if let Some(contract) = &mut self.contract {
            contract.for_each_expr_mut(each);
        }
    }
}

impl Contract {
    fn for_each_expr_mut(&mut self, mut each: impl FnMut(&mut Expr)) {
        let own = self.assumptions.iter_mut().chain(&mut self.guarantees);
        let modes = self.modes.iter_mut();
        let modes = modes.flat_map(|mode| mode.requires.iter_mut().chain(&mut mode.ensures));
        for clause in own.chain(modes) {
            each(&mut clause.expr);
        }
    }
}
