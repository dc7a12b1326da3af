//! Equations: what they define, and the definitions that blocks of them make.

use std::collections::HashMap;

use syntax::ast;
use syntax::{Code, Diagnostic, Span, Symbol};

use super::elab::Elab;
use super::expr::{join, make, unknown};
use crate::program::*;
use crate::types::*;

/// The definition that a block has for one stream.
#[derive(Clone)]
pub(super) enum Body {
    /// The block does not define the stream.
    Hole,
    /// An equation `A[i] = expr`, with its indices.
    Equation(Vec<BoundId>, Expr, EquationId),
    If(Expr, Box<Body>, Box<Body>),
}

impl Body {
    pub(super) fn has_hole(&self) -> bool {
        match self {
            Body::Hole => true,
            Body::Equation(..) => false,
            Body::If(_, yes, no) => yes.has_hole() || no.has_hole(),
        }
    }

    /// The indices of the first equation that has some.
    pub(super) fn indices(&self) -> Option<&[BoundId]> {
        match self {
            Body::Hole => None,
            Body::Equation(indices, ..) => (!indices.is_empty()).then_some(indices),
            Body::If(_, yes, no) => yes.indices().or_else(|| no.indices()),
        }
    }

    pub(super) fn equation(&self) -> Option<EquationId> {
        match self {
            Body::Hole => None,
            Body::Equation(_, _, id) => Some(*id),
            Body::If(_, yes, no) => yes.equation().or_else(|| no.equation()),
        }
    }
}

/// The streams that a block defines, in the order of their definitions.
#[derive(Default)]
pub(super) struct Block {
    pub streams: Vec<(VarId, Span, Body)>,
}

impl Block {
    /// Takes the definition of a stream out of the block.
    pub(super) fn take(&mut self, id: VarId) -> Body {
        let found = self.streams.iter_mut().find(|(other, ..)| *other == id);
        found.map_or(Body::Hole, |(_, _, body)| {
            std::mem::replace(body, Body::Hole)
        })
    }
}

impl<'a> Elab<'_, 'a> {
    pub(super) fn top_equation(&mut self, equation: &'a ast::Equation) {
        let mut block = Block::default();
        self.equation(equation, &mut block);
        self.define_block(block);
    }

    /// Enters the definitions of a block that is not in a frame.
    pub(super) fn define_block(&mut self, block: Block) {
        for (id, span, body) in block.streams {
            let equation = body.equation();
            let indices = body.indices().unwrap_or_default().to_vec();
            let mut hole = None;
            let expr = self.close(&body, &indices, &mut |elab| {
                let choice = *hole.get_or_insert_with(|| {
                    let ty = elab.node.var(id).ty.clone();
                    elab.add_choice(ChoiceKind::Hole(id), ty, Vec::new(), span)
                });
                let ty = elab.node.var(id).ty.clone();
                make(ExprKind::Choice(choice), ty, span)
            });
            self.define(id, span, indices, expr, equation);
        }
    }

    pub(super) fn define(
        &mut self,
        id: VarId,
        span: Span,
        indices: Vec<BoundId>,
        expr: Expr,
        equation: Option<EquationId>,
    ) {
        let var = &mut self.node.vars[id.index()];
        if var.def.is_some() {
            let name = var.name;
            self.defined_twice(name, span);
            return;
        }
        var.def = Some(Def {
            indices,
            expr,
            equation,
        });
    }

    pub(super) fn defined_twice(&mut self, name: Symbol, span: Span) {
        self.report(
            Diagnostic::error(
                Code::DefinedTwice,
                span,
                format!("`{name}` already has a definition"),
            )
            .help("every stream has one definition: remove one or rename it"),
        );
    }

    /// One expression for a stream, with its holes filled.
    pub(super) fn close(
        &mut self,
        body: &Body,
        indices: &[BoundId],
        hole: &mut dyn FnMut(&mut Self) -> Expr,
    ) -> Expr {
        match body {
            Body::Hole => {
                let whole = hole(self);
                self.element(whole, indices)
            }
            Body::Equation(own, expr, _) if own.is_empty() => self.element(expr.clone(), indices),
            Body::Equation(own, expr, _) if own == indices => expr.clone(),
            Body::Equation(own, expr, _) => self.renamed(expr, own, indices),
            Body::If(condition, yes, no) => {
                let yes = self.close(yes, indices, hole);
                let no = self.close(no, indices, hole);
                let ty = join(&yes.ty, &no.ty);
                let span = condition.span;
                make(
                    ExprKind::If(condition.clone().into(), yes.into(), no.into()),
                    ty,
                    span,
                )
            }
        }
    }

    /// `whole[i][j]`
    pub(super) fn element(&self, whole: Expr, indices: &[BoundId]) -> Expr {
        let span = whole.span;
        indices.iter().fold(whole, |base, index| {
            let ty = match &base.ty {
                Type::Array(array) => array.element.clone(),
                _ => Type::Unknown,
            };
            let index = make(ExprKind::Bound(*index), Type::Int, span);
            make(ExprKind::Index(base.into(), index.into()), ty, span)
        })
    }

    /// Reads an equation and adds what it defines to the block.
    pub(super) fn equation(&mut self, equation: &'a ast::Equation, block: &mut Block) {
        if self.refuse_uneven(equation) {
            // The streams count as defined: one message is enough.
            for left in &equation.left {
                if let Some(id) = self.stream_named(left.name.name) {
                    let id_equation = self.add_equation(equation.span, vec![id]);
                    let expr = unknown(equation.span);
                    let body = Body::Equation(Vec::new(), expr, id_equation);
                    block.streams.push((id, left.name.span, body));
                }
            }
            return;
        }
        let depth = self.bounds.len();
        let lefts: Vec<Option<(VarId, Vec<BoundId>, Type)>> = equation
            .left
            .iter()
            .map(|left| self.left(left, depth))
            .collect();
        let rights = self.list(&equation.right);
        self.bounds.truncate(depth);
        let defined = lefts.iter().flatten().map(|(id, ..)| *id).collect();
        let id_equation = self.add_equation(equation.span, defined);
        for (at, left) in lefts.into_iter().enumerate() {
            let Some((id, indices, ty)) = left else {
                continue;
            };
            let name = equation.left[at].name;
            let right = match rights.get(at) {
                Some(right) if rights.len() == equation.left.len() => right.clone(),
                _ => unknown(equation.right.span),
            };
            self.expect(&right, &ty);
            self.refuse_stray_indices(&right, &indices);
            if block.streams.iter().any(|(other, ..)| *other == id) {
                self.defined_twice(name.name, name.span);
                continue;
            }
            let body = Body::Equation(indices, right, id_equation);
            block.streams.push((id, name.span, body));
        }
    }

    /// Reports an equation whose sides stand for different numbers of values.
    fn refuse_uneven(&mut self, equation: &ast::Equation) -> bool {
        let width = equation.left.len();
        let uneven = match self.cx.width(&equation.right) {
            Err(uneven) => Some((uneven.span, uneven.widths)),
            Ok(Some(found)) if found != width => Some((equation.span, (width, found))),
            Ok(_) => None,
        };
        if let Some((span, (a, b))) = uneven {
            self.report(
                Diagnostic::error(
                    Code::EquationWidth,
                    span,
                    format!("the two sides have {a} and {b} values"),
                )
                .help("lists must have the same number of values; operators do not work on lists"),
            );
        }
        uneven.is_some()
    }

    /// Reports an index of one array in the definition of another stream.
    fn refuse_stray_indices(&mut self, right: &Expr, indices: &[BoundId]) {
        let mut used = Vec::new();
        self.bounds_in(right, &mut used);
        let stray = used.iter().find(|id| !indices.contains(id));
        if let Some(stray) = stray {
            let name = self.node.bound(*stray).name;
            self.error(
                Code::UnknownName,
                right.span,
                format!("the index `{name}` is not one of this stream's"),
            );
        }
    }

    /// Resolves a left-hand side and brings its indices in force.
    fn left(&mut self, left: &ast::Left, depth: usize) -> Option<(VarId, Vec<BoundId>, Type)> {
        let id = self.defined_stream(left.name)?;
        let mut ty = self.node.var(id).ty.clone();
        let mut indices = Vec::new();
        for (at, index) in left.indices.iter().enumerate() {
            let Type::Array(array) = &ty else {
                if !ty.is_unknown() {
                    let found = self.type_name(&ty);
                    self.error(
                        Code::TypeMismatch,
                        index.span,
                        format!("a value of type `{found}` cannot be indexed"),
                    );
                }
                return None;
            };
            let array = array.clone();
            // In `M[i][i]` the second index hides the first.
            let hidden = left.indices[at + 1..].iter().any(|i| i.name == index.name);
            let earlier = self.bounds[depth..]
                .iter()
                .find(|(other, _)| *other == index.name && !hidden)
                .map(|(_, id)| *id)
                .filter(|id| {
                    matches!(&self.node.bound(*id).kind, BoundKind::Index(size) if *size == array.size)
                });
            let bound = earlier.unwrap_or_else(|| {
                let id = self.own_index(id, at, index.name, &array.size);
                self.bounds.push((index.name, id));
                id
            });
            indices.push(bound);
            ty = array.element.clone();
        }
        Some((id, indices, ty))
    }

    /// The stream of a left-hand side, if an equation may define it.
    pub(super) fn defined_stream(&mut self, name: ast::Ident) -> Option<VarId> {
        let Some(id) = self.stream_named(name.name) else {
            self.bad_left(name);
            return None;
        };
        match self.node.var(id).class {
            VarClass::Input { .. } => {
                self.report(
                    Diagnostic::error(
                        Code::AssignInput,
                        name.span,
                        format!("`{}` is an input and cannot be defined", name.name),
                    )
                    .help("define an output or a local variable"),
                );
                None
            }
            VarClass::Const => {
                self.bad_left(name);
                None
            }
            VarClass::Output
            | VarClass::Local
            | VarClass::Ghost
            | VarClass::ContractInput
            | VarClass::Mode => Some(id),
        }
    }

    /// All definitions of a stream, in whatever branch, share its indices.
    fn own_index(&mut self, var: VarId, at: usize, name: Symbol, size: &Size) -> BoundId {
        if let Some(id) = self.indices.get(&(var, at)) {
            return *id;
        }
        let id = self.add_bound(name, BoundKind::Index(size.clone()));
        self.indices.insert((var, at), id);
        id
    }

    /// The definition with the indices of another stream of the same equation
    /// replaced by the stream's own.
    fn renamed(&mut self, expr: &Expr, from: &[BoundId], to: &[BoundId]) -> Expr {
        let map: HashMap<BoundId, BoundId> = from.iter().copied().zip(to.iter().copied()).collect();
        match rename(expr.clone(), &map, &self.node) {
            Ok(expr) => expr,
            Err(span) => {
                self.report(
                    Diagnostic::error(
                        Code::Unsupported,
                        span,
                        "one index serves two arrays here, and a call or `pre` depends on it",
                    )
                    .help("define the two arrays in two equations"),
                );
                unknown(span)
            }
        }
    }

    pub(super) fn bad_left(&mut self, name: ast::Ident) {
        let constant = self.names.contains_key(&name.name)
            || self.cx.const_decls.contains_key(&name.name)
            || self.cx.enum_values.contains_key(&name.name);
        let diagnostic = if constant {
            Diagnostic::error(
                Code::AssignConstant,
                name.span,
                format!("`{}` is a constant and cannot be defined here", name.name),
            )
        } else {
            Diagnostic::error(
                Code::UndeclaredLeft,
                name.span,
                format!("`{}` is not declared", name.name),
            )
            .help("declare it as an output or a local variable")
        };
        self.report(diagnostic);
    }
}

/// The expression with some indices renamed to others; `Err` where instances
/// or choices depend on the old ones.
fn rename(mut expr: Expr, map: &HashMap<BoundId, BoundId>, node: &Node) -> Result<Expr, Span> {
    let hangs = |indices: &[BoundId]| indices.iter().any(|id| map.contains_key(id));
    match &mut expr.kind {
        ExprKind::Bound(id) => *id = map.get(id).copied().unwrap_or(*id),
        ExprKind::Call(id, _) if hangs(&node.call(*id).indices) => return Err(expr.span),
        ExprKind::Choice(id) | ExprKind::Pre(_, Some(id)) if hangs(&node.choice(*id).indices) => {
            return Err(expr.span);
        }
        _ => {}
    }
    let mut failed = None;
    expr.for_each_part_mut(|part| {
        let taken = std::mem::replace(part, unknown(Span::default()));
        match rename(taken, map, node) {
            Ok(renamed) => *part = renamed,
            Err(span) => failed = failed.or(Some(span)),
        }
    });
    failed.map_or(Ok(expr), Err)
}
