//! If and frame blocks.
//!
//! They are sugar. A stream that branches define differently becomes one conditional; a
//! branch that does not define it is a hole. In a frame a hole holds the previous value,
//! elsewhere it is a choice.

use syntax::ast::{self, NodeItem};
use syntax::operator::Operands;
use syntax::{Code, Diagnostic, Span, Symbol};

use super::elab::Elab;
use super::equation::{Block, Body};
use super::expr::{join, make, unknown};
use crate::program::*;

impl<'a> Elab<'_, 'a> {
    /// The items of a block. `frame` says for which streams there is an
    /// initial value.
    fn block(&mut self, items: &'a [NodeItem], frame: Option<&Inits>) -> Block {
        let mut block = Block::default();
        for item in items {
            match item {
                NodeItem::Equation(equation) => {
                    let guarded = frame.is_some_and(|inits| {
                        let mut left = equation.left.iter();
                        left.all(|left| inits.has(self.stream_named(left.name.name)))
                    });
                    self.with(
                        |e| e.guarded = guarded,
                        |e| e.equation(equation, &mut block),
                    );
                }
                NodeItem::If(inner) => {
                    let inner = self.if_block(inner, frame);
                    for (id, span, body) in inner.streams {
                        if block.streams.iter().any(|(other, ..)| *other == id) {
                            let name = self.node.var(id).name;
                            self.defined_twice(name, span);
                        } else {
                            block.streams.push((id, span, body));
                        }
                    }
                }
                NodeItem::Frame(_)
                | NodeItem::Assert { .. }
                | NodeItem::Property(_)
                | NodeItem::Main { .. }
                | NodeItem::Ivc { .. }
                | NodeItem::Realizable { .. }
                | NodeItem::Fault(_) => self.misplaced(item, frame.is_some()),
            }
        }
        block
    }

    fn misplaced(&mut self, item: &NodeItem, in_frame: bool) {
        let what = match item {
            NodeItem::Frame(_) => "a frame block",
            NodeItem::Assert { .. } => "an assertion",
            NodeItem::Property(_) => "a property",
            NodeItem::Ivc { .. } => "an `IVC` annotation",
            NodeItem::Realizable { .. } => "a `REALIZABLE` annotation",
            NodeItem::Fault(_) => "a `FAULT` annotation",
            NodeItem::Main { .. } => "a `MAIN` annotation",
            NodeItem::Equation(_) => "an equation",
            NodeItem::If(_) => "an if block",
        };
        let (code, place) = if in_frame {
            (Code::MisplacedInFrame, "a frame block")
        } else {
            (Code::MisplacedInIf, "an if block")
        };
        self.report(
            Diagnostic::error(
                code,
                item.span(),
                format!("{what} may not stand inside {place}"),
            )
            .help("move it out of the block"),
        );
    }

    pub(super) fn if_block(&mut self, block: &'a ast::IfBlock, frame: Option<&Inits>) -> Block {
        let mut assigned = Vec::new();
        for (_, items) in &block.branches {
            assigned_names(items, &mut assigned);
        }
        assigned_names(&block.otherwise, &mut assigned);
        let guarded = frame.is_some_and(|inits| {
            let mut names = assigned.iter();
            names.all(|name| inits.has(self.stream_named(*name)))
        });
        let mut branches: Vec<(Expr, Block)> = block
            .branches
            .iter()
            .map(|(condition, items)| {
                let condition = self.with(|e| e.guarded = guarded, |e| e.boolean(condition));
                (condition, self.block(items, frame))
            })
            .collect();
        let mut otherwise = self.block(&block.otherwise, frame);
        let mut order: Vec<(VarId, Span)> = Vec::new();
        let all = branches.iter().map(|(_, block)| block).chain([&otherwise]);
        for (id, span, _) in all.flat_map(|block| &block.streams) {
            if !order.iter().any(|(other, _)| other == id) {
                order.push((*id, *span));
            }
        }
        let copies = order.len().saturating_sub(1);
        for (condition, _) in &branches {
            if !self.may_copy(condition, copies, condition.span) {
                return Block::default();
            }
        }
        let streams = order.into_iter().map(|(id, span)| {
            let last = otherwise.take(id);
            let branches = branches.iter_mut().rev();
            let body = branches.fold(last, |no, (condition, block)| {
                Body::If(condition.clone(), block.take(id).into(), no.into())
            });
            (id, span, body)
        });
        Block {
            streams: streams.collect(),
        }
    }

    pub(super) fn frame_block(&mut self, frame: &'a ast::FrameBlock) {
        if self.refuse_state("a frame block", frame.span) {
            return;
        }
        let mut listed = Vec::new();
        for var in &frame.vars {
            match self.defined_stream(*var) {
                Some(id) if listed.contains(&id) => self.error(
                    Code::Redeclared,
                    var.span,
                    format!("`{}` is listed twice", var.name),
                ),
                Some(id) => listed.push(id),
                None => {}
            }
        }
        let mut init = Block::default();
        for equation in &frame.inits {
            self.refuse_state_in_init(&equation.right);
            self.with(|e| e.guarded = false, |e| e.equation(equation, &mut init));
        }
        let inits = Inits {
            vars: init.streams.iter().map(|(id, ..)| *id).collect(),
        };
        let body = self.block(&frame.body, Some(&inits));
        self.refuse_unlisted(&init, &listed);
        self.refuse_unlisted(&body, &listed);
        for (at, id) in listed.iter().enumerate() {
            let find = |block: &Block| -> Option<Body> {
                let found = block.streams.iter().find(|(other, ..)| other == id);
                found.map(|(_, _, body)| body.clone())
            };
            let span = frame.vars.get(at).map_or(frame.span, |var| var.span);
            self.define_framed(*id, find(&init), find(&body), span);
        }
    }

    fn refuse_unlisted(&mut self, block: &Block, listed: &[VarId]) {
        for (id, span, _) in &block.streams {
            if !listed.contains(id) {
                let name = self.node.var(*id).name;
                self.report(
                    Diagnostic::error(
                        Code::NotInFrame,
                        *span,
                        format!("`{name}` is not listed in this frame block"),
                    )
                    .help(format!("add `{name}` to the list behind `frame`")),
                );
            }
        }
    }

    fn refuse_state_in_init(&mut self, expr: &ast::Expr) {
        use ast::ExprKind;
        let found = match &expr.kind {
            ExprKind::Unary(op, _) if op.row().operands == Operands::Streams => {
                Some(format!("`{op}`"))
            }
            ExprKind::Binary(op, ..) if op.row().operands == Operands::Streams => {
                Some(format!("`{}`", op.row().text))
            }
            ExprKind::Delay(..) => Some("`fby`".to_owned()),
            _ => None,
        };
        if let Some(found) = found {
            self.report(
                Diagnostic::error(
                    Code::StatefulInitialization,
                    expr.span,
                    format!("{found} is not allowed in an initialization"),
                )
                .help("an initialization is used at the first step only: give the value itself"),
            );
            return;
        }
        expr.for_each_part(&mut |part| self.refuse_state_in_init(part));
    }

    /// `x = init -> body`, where holes of the body are `pre x`.
    fn define_framed(&mut self, id: VarId, init: Option<Body>, body: Option<Body>, span: Span) {
        let name = self.node.var(id).name;
        let guarded = init.is_some();
        let body = body.unwrap_or(Body::Hole);
        if !guarded && body.has_hole() {
            self.report(
                Diagnostic::warning(
                    Code::WarnUninitializedFrame,
                    span,
                    format!("`{name}` has no initial value in this frame block"),
                )
                .help(format!("add `{name} = …;` before `let`")),
            );
            self.warn_unguarded(&format!("pre {name}"), span);
        }
        let indices = match body.indices() {
            Some(indices) => indices.to_vec(),
            None => match init.as_ref().and_then(Body::indices) {
                Some(indices) => indices.to_vec(),
                None => Vec::new(),
            },
        };
        let equation = body.equation().or(init.as_ref().and_then(Body::equation));
        let mut held = None;
        let mut hole = |elab: &mut Self| -> Expr {
            held.get_or_insert_with(|| {
                let var = elab.var(id, span);
                elab.pre_of(var, guarded, span)
            })
            .clone()
        };
        let then = self.close(&body, &indices, &mut hole);
        let expr = match init {
            None => then,
            Some(init) => {
                let mut no_hole = |_: &mut Self| unknown(span);
                let first = self.close(&init, &indices, &mut no_hole);
                let ty = join(&first.ty, &then.ty);
                make(ExprKind::Arrow(first.into(), then.into()), ty, span)
            }
        };
        self.define(id, span, indices, expr, equation);
    }
}

/// The streams that a frame initializes.
pub(super) struct Inits {
    vars: Vec<VarId>,
}

impl Inits {
    fn has(&self, id: Option<VarId>) -> bool {
        id.is_some_and(|id| self.vars.contains(&id))
    }
}

/// The names that the equations of a block define.
fn assigned_names(items: &[NodeItem], names: &mut Vec<Symbol>) {
    for item in items {
        match item {
            NodeItem::Equation(equation) => {
                names.extend(equation.left.iter().map(|left| left.name.name))
            }
            NodeItem::If(block) => {
                for (_, items) in &block.branches {
                    assigned_names(items, names);
                }
                assigned_names(&block.otherwise, names);
            }
            _ => {}
        }
    }
}
