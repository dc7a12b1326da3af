//! Nodes: their interface, their equations and blocks.
//!
//! If and frame blocks are sugar. A stream that branches define differently
//! becomes one conditional; a branch that does not define it is a hole. In a
//! frame a hole holds the previous value, elsewhere it is a choice.

use std::collections::HashMap;
use std::sync::Arc;

use syntax::ast::{self, NodeItem};
use syntax::operator::Operands;
use syntax::{Code, Diagnostic, Span, Symbol};

use super::Checker;
use super::elab::{Elab, Name};
use super::expr::{join, joined, make, unknown};
use crate::deps;
use crate::program::*;
use crate::types::*;

/// What a block says of one stream.
#[derive(Clone)]
enum Body {
    /// Nothing.
    Hole,
    /// An equation `A[i] = expr`, with its indices.
    Equation(Vec<BoundId>, Expr, EquationId),
    If(Expr, Box<Body>, Box<Body>),
}

impl Body {
    fn has_hole(&self) -> bool {
        match self {
            Body::Hole => true,
            Body::Equation(..) => false,
            Body::If(_, yes, no) => yes.has_hole() || no.has_hole(),
        }
    }

    /// The indices of the first equation that has some.
    fn indices(&self) -> Option<&[BoundId]> {
        match self {
            Body::Hole => None,
            Body::Equation(indices, ..) => (!indices.is_empty()).then_some(indices),
            Body::If(_, yes, no) => yes.indices().or_else(|| no.indices()),
        }
    }

    fn equation(&self) -> Option<EquationId> {
        match self {
            Body::Hole => None,
            Body::Equation(_, _, id) => Some(*id),
            Body::If(_, yes, no) => yes.equation().or_else(|| no.equation()),
        }
    }
}

/// The streams that a block defines, in the order of their definitions.
#[derive(Default)]
struct Block {
    streams: Vec<(VarId, Span, Body)>,
}

impl Block {
    /// What the block says of a stream; it is asked once.
    fn take(&mut self, id: VarId) -> Body {
        let found = self.streams.iter_mut().find(|(other, ..)| *other == id);
        found.map_or(Body::Hole, |(_, _, body)| {
            std::mem::replace(body, Body::Hole)
        })
    }
}

impl<'a> Checker<'a> {
    pub(super) fn check_node(&mut self, name: Symbol) {
        let decl = self.node_decls[&name];
        let before = self.diagnostics.len();
        let mut elab = Elab::new(self, name, decl.kind, decl.name.span);
        elab.node.has_body = decl.body.is_some();
        elab.node.imported = decl.imported;
        elab.declare_params(&decl.inputs, true);
        elab.declare_params(&decl.outputs, false);
        if let Some(contract) = &decl.contract {
            elab.inline_contract(contract);
        }
        elab.locals(&decl.locals);
        match &decl.body {
            Some(items) => elab.body(items),
            None => elab.open_outputs(ChoiceKind::Imported),
        }
        let mut node = elab.node;
        let diagnostics = deps::check(&self.program, &mut node, self.options.congruence);
        self.diagnostics.extend(diagnostics);
        let own_pre = node.choices.iter().any(|c| c.kind == ChoiceKind::Pre);
        let mut calls = node.calls.iter();
        let fails = !node.faults.is_empty();
        node.open_pre = own_pre || fails || calls.any(|call| self.program.node(call.node).open_pre);
        let failed = self.diagnostics[before..].iter().any(Diagnostic::is_error);
        if !failed || node_is_usable(&node) {
            let id = NodeId(self.program.nodes.len() as u32);
            self.program.nodes.push(Arc::new(node));
            self.node_ids.insert(name, id);
        }
    }
}

/// Callers can go on with a node in error if its interface is sound.
fn node_is_usable(node: &Node) -> bool {
    let mut interface = node.inputs.iter().chain(&node.outputs);
    interface.all(|id| !node.var(*id).ty.is_unknown())
}

impl<'a> Elab<'_, 'a> {
    fn locals(&mut self, locals: &'a [ast::Local]) {
        for local in locals {
            let (name, ty) = match local {
                ast::Local::Var(var) => (var.name, Some(&var.ty)),
                ast::Local::Const(decl) => (decl.name, None),
            };
            self.refuse_shadowing(name);
            match local {
                ast::Local::Var(var) => {
                    self.refuse_clock(var);
                    let ty = ty.map_or(Type::Unknown, |ty| self.type_expr(ty));
                    let id = self.add_var(name.name, ty, VarClass::Local, name.span);
                    self.declare(name, id);
                }
                ast::Local::Const(decl) => self.local_const(decl),
            }
        }
    }

    pub(super) fn refuse_shadowing(&mut self, name: ast::Ident) {
        let earlier = match self.cx.const_decls.get(&name.name) {
            Some(decl) => Some(decl.name.span),
            None => self
                .cx
                .enum_values
                .get(&name.name)
                .map(|(_, _, span)| *span),
        };
        if let Some(earlier) = earlier {
            self.report(
                Diagnostic::error(
                    Code::Shadowed,
                    name.span,
                    format!("`{}` is already the name of a constant", name.name),
                )
                .related(earlier, "the constant is declared here")
                .help("choose another name"),
            );
        }
    }

    /// A constant of the node or of its contract. One without a value is the
    /// same for all instances, like a constant of the program.
    pub(super) fn local_const(&mut self, decl: &'a ast::ConstDecl) {
        let declared = decl.ty.as_ref().map(|ty| self.type_expr(ty));
        let name = decl.name;
        let Some(value) = &decl.value else {
            let id = ConstId(self.cx.program.consts.len() as u32);
            let scoped = format!("{}.{}", self.node.name, name.name);
            self.cx.program.consts.push(Const {
                name: Symbol::new(&scoped),
                ty: declared.unwrap_or(Type::Unknown),
                value: None,
                span: name.span,
            });
            if self.names.insert(name.name, Name::Const(id)).is_some() {
                self.error(
                    Code::Redeclared,
                    name.span,
                    format!("`{}` is declared twice", name.name),
                );
            }
            return;
        };
        let value = self.const_value(value, declared.as_ref());
        let ty = declared.unwrap_or_else(|| value.ty.clone());
        if !value.ty.is_unknown() {
            self.cx.check_const_range(&ty, &value);
        }
        let id = self.add_var(name.name, ty, VarClass::Const, name.span);
        self.node.vars[id.index()].def = Some(Def {
            indices: Vec::new(),
            expr: value,
            equation: None,
        });
        self.declare(name, id);
    }

    fn body(&mut self, items: &'a [NodeItem]) {
        self.declare_faults(items);
        for item in items {
            match item {
                NodeItem::Equation(equation) => self.top_equation(equation),
                NodeItem::Assert { expr, span } => {
                    let expr = self.specification(expr);
                    self.node.asserts.push(Assertion { expr, span: *span });
                    self.report(
                        Diagnostic::warning(
                            Code::WarnAssertion,
                            *span,
                            "assertions are taken for granted, not checked",
                        )
                        .help("consider an assumption in the contract instead"),
                    );
                }
                NodeItem::Property(property) => self.property(property),
                NodeItem::Main { value, .. } => self.node.is_main |= *value,
                NodeItem::Ivc { names, .. } => self.question(names),
                // Its stream may be defined later on.
                NodeItem::Fault(_) => {}
                NodeItem::If(block) => {
                    let block = self.if_block(block, None);
                    self.define_block(block);
                }
                NodeItem::Frame(block) => self.frame_block(block),
            }
        }
        self.require_locals();
        self.open_outputs(ChoiceKind::Undefined);
        self.faults(items);
    }

    /// The equations of these streams are in question.
    fn question(&mut self, names: &[ast::Ident]) {
        for name in names {
            match self.stream_named(name.name) {
                Some(id) => self.node.questioned.push(id),
                None => self.bad_left(*name),
            }
        }
    }

    /// An expression of a property, contract or assertion.
    pub(super) fn specification(&mut self, expr: &ast::Expr) -> Expr {
        self.with(|e| e.spec = true, |e| e.boolean(expr))
    }

    fn property(&mut self, property: &ast::Property) {
        let expr = self.specification(&property.expr);
        let kind = match &property.kind {
            ast::PropertyKind::Invariant => PropertyKind::Invariant,
            ast::PropertyKind::Provided(guard) => PropertyKind::Provided(self.specification(guard)),
            ast::PropertyKind::Reachable { from, within } => PropertyKind::Reachable {
                from: *from,
                within: *within,
            },
        };
        self.node.properties.push(Property {
            name: property.name.as_ref().map(shown_name),
            expr,
            kind,
            span: property.span,
            runtime: None,
        });
    }

    fn require_locals(&mut self) {
        let undefined: Vec<(Symbol, Span)> = self
            .node
            .vars
            .iter()
            .filter(|var| var.class == VarClass::Local && var.def.is_none())
            .map(|var| (var.name, var.span))
            .collect();
        for (name, span) in undefined {
            self.report(
                Diagnostic::error(
                    Code::UndefinedLocal,
                    span,
                    format!("the local variable `{name}` has no definition"),
                )
                .help("define it, remove it, or make it an output if it is meant to be open"),
            );
        }
    }

    /// Outputs without a definition are choices.
    fn open_outputs(&mut self, kind: impl Fn(VarId) -> ChoiceKind) {
        for id in self.node.outputs.clone() {
            let var = self.node.var(id);
            if var.def.is_some() {
                continue;
            }
            let (ty, span) = (var.ty.clone(), var.span);
            let choice = self.add_choice(kind(id), ty.clone(), Vec::new(), span);
            self.node.vars[id.index()].def = Some(Def {
                indices: Vec::new(),
                expr: make(ExprKind::Choice(choice), ty, span),
                equation: None,
            });
        }
    }

    fn top_equation(&mut self, equation: &'a ast::Equation) {
        let mut block = Block::default();
        self.equation(equation, &mut block);
        self.define_block(block);
    }

    /// Enters the definitions of a block that is not in a frame.
    fn define_block(&mut self, block: Block) {
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

    fn define(
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

    fn defined_twice(&mut self, name: Symbol, span: Span) {
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
    fn close(
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
    fn equation(&mut self, equation: &'a ast::Equation, block: &mut Block) {
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
                Some(right) if rights.len() == width => right.clone(),
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

    /// An index of one array in the definition of another stream.
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
        let name = left.name;
        let Some(id) = self.stream_named(name.name) else {
            self.bad_left(name);
            return None;
        };
        let var = self.node.var(id);
        match var.class {
            VarClass::Input { .. } => {
                self.report(
                    Diagnostic::error(
                        Code::AssignInput,
                        name.span,
                        format!("`{}` is an input and cannot be defined", name.name),
                    )
                    .help("define an output or a local variable"),
                );
                return None;
            }
            VarClass::Const => {
                self.bad_left(name);
                return None;
            }
            _ => {}
        }
        let mut ty = var.ty.clone();
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

    fn if_block(&mut self, block: &'a ast::IfBlock, frame: Option<&Inits>) -> Block {
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

    fn frame_block(&mut self, frame: &'a ast::FrameBlock) {
        if self.refuse_state("a frame block", frame.span) {
            return;
        }
        let mut listed = Vec::new();
        for var in &frame.vars {
            match self.left(
                &ast::Left {
                    name: *var,
                    indices: Vec::new(),
                },
                self.bounds.len(),
            ) {
                Some((id, ..)) if listed.contains(&id) => self.error(
                    Code::Redeclared,
                    var.span,
                    format!("`{}` is listed twice", var.name),
                ),
                Some((id, ..)) => listed.push(id),
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
struct Inits {
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

/// The expression with some indices renamed to others; `Err` where instances
/// or choices hang on the old ones.
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

/// The name of a property as it is told, in all formats.
pub(super) fn shown_name(name: &ast::Text) -> String {
    syntax::printable_name(&name.text).into_owned()
}

/// Conjunction of many; `true` for none.
pub(super) fn conjunction(all: impl IntoIterator<Item = Expr>, span: Span) -> Expr {
    joined(BinOp::And, all.into_iter().collect())
        .unwrap_or_else(|| super::expr::value_expr(crate::Value::Bool(true), Type::Bool, span))
}
