//! The parts of an expression, to be read and to be changed.

use crate::ast::{Access, Expr, ExprKind};

/// The parts of a kind of expression, in their order. `$iter` is `iter` if the
/// kind is borrowed to be read, and `iter_mut` if it is borrowed to be changed.
macro_rules! parts {
    ($kind:expr, $iter:ident, $each:expr) => {
        match $kind {
            ExprKind::Bool(_)
            | ExprKind::Int(_)
            | ExprKind::Real(_)
            | ExprKind::Name(_)
            | ExprKind::ModeRef(_) => {}
            ExprKind::Unary(_, a)
            | ExprKind::When(a, _)
            | ExprKind::Current(a)
            | ExprKind::Quantified(_, _, a)
            | ExprKind::Field(a, _)
            | ExprKind::Project(a, _) => $each(a),
            ExprKind::Binary(_, a, b)
            | ExprKind::Delay(a, _, b)
            | ExprKind::Fill(a, b)
            | ExprKind::Index(a, b) => {
                $each(a);
                $each(b);
            }
            ExprKind::If(a, b, c) | ExprKind::With(a, b, c) => {
                $each(a);
                $each(b);
                $each(c);
            }
            ExprKind::AtMostOne(all)
            | ExprKind::Nor(all)
            | ExprKind::List(all)
            | ExprKind::Tuple(all)
            | ExprKind::Array(all) => all.$iter().for_each($each),
            ExprKind::Merge(_, cases) => cases.$iter().for_each(|(_, value)| $each(value)),
            ExprKind::Record(_, fields) => fields.$iter().for_each(|(_, value)| $each(value)),
            ExprKind::Slice(a, b, c, d) => {
                $each(a);
                $each(b);
                $each(c);
                if let Some(d) = d {
                    $each(d);
                }
            }
            ExprKind::Update(base, path, value) => {
                $each(base);
                for access in path {
                    if let Access::Index(index) = access {
                        $each(index);
                    }
                }
                $each(value);
            }
            ExprKind::Call(call) => {
                call.args.$iter().for_each(&mut *$each);
                call.every.$iter().for_each(|e| $each(e));
                call.defaults.$iter().flatten().for_each(&mut *$each);
                call.restart.$iter().for_each(|e| $each(e));
            }
        }
    };
}

impl Expr {
    /// Calls `each` with every direct part of the expression.
    pub fn for_each_part<'e>(&'e self, each: &mut dyn FnMut(&'e Expr)) {
        parts!(&self.kind, iter, each)
    }

    /// Calls `each` with every direct part of the expression.
    pub fn for_each_part_mut(&mut self, each: &mut dyn FnMut(&mut Expr)) {
        parts!(&mut self.kind, iter_mut, each)
    }
}
