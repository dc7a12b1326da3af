//! How many values an expression stands for, before its types are known.
//!
//! An equation whose sides differ in width is refused before its types are checked: errors
//! about types would not help then.

use syntax::Span;
use syntax::ast::{Expr, ExprKind};
use syntax::operator::Operands;

use super::Checker;

/// Two parts that should be equally wide and are not.
pub(super) struct Uneven {
    pub span: Span,
    pub widths: (usize, usize),
}

impl Checker<'_> {
    /// `Ok(None)` if a node that it depends on is not declared.
    pub(super) fn width(&self, expr: &Expr) -> Result<Option<usize>, Uneven> {
        match &expr.kind {
            ExprKind::List(all) => {
                let mut sum = Some(0);
                for part in all {
                    sum = sum.zip(self.width(part)?).map(|(a, b)| a + b);
                }
                Ok(sum)
            }
            ExprKind::Call(call) => Ok(self
                .node_decls
                .get(&call.node.name)
                .map(|node| node.outputs.len())),
            ExprKind::When(e, _) | ExprKind::Current(e) => self.width(e),
            ExprKind::Unary(op, e) if op.row().operands == Operands::Streams => self.width(e),
            ExprKind::Binary(op, a, b) if op.row().operands == Operands::Streams => {
                self.same_width([&**a, &**b], expr.span)
            }
            ExprKind::Delay(a, _, b) | ExprKind::If(_, a, b) | ExprKind::With(_, a, b) => {
                self.same_width([&**a, &**b], expr.span)
            }
            ExprKind::Merge(_, cases) => {
                self.same_width(cases.iter().map(|(_, value)| value), expr.span)
            }
            ExprKind::Bool(_)
            | ExprKind::Int(_)
            | ExprKind::Real(_)
            | ExprKind::Name(_)
            | ExprKind::ModeRef(_)
            | ExprKind::Unary(..)
            | ExprKind::Binary(..)
            | ExprKind::AtMostOne(_)
            | ExprKind::Nor(_)
            | ExprKind::Quantified(..)
            | ExprKind::Tuple(_)
            | ExprKind::Array(_)
            | ExprKind::Fill(..)
            | ExprKind::Record(..)
            | ExprKind::Field(..)
            | ExprKind::Project(..)
            | ExprKind::Index(..)
            | ExprKind::Slice(..)
            | ExprKind::Update(..) => Ok(Some(1)),
        }
    }

    fn same_width<'e>(
        &self,
        all: impl IntoIterator<Item = &'e Expr>,
        span: Span,
    ) -> Result<Option<usize>, Uneven> {
        let mut width = None;
        for part in all {
            match (width, self.width(part)?) {
                (Some(a), Some(b)) if a != b => {
                    return Err(Uneven {
                        span,
                        widths: (a, b),
                    });
                }
                (None, found) => width = found,
                _ => {}
            }
        }
        Ok(width)
    }
}
