//! Nodes: their interface, their local variables, and the items of their bodies.

use std::sync::Arc;

use syntax::ast::{self, NodeItem};
use syntax::{Code, Diagnostic, Span, Symbol};

use super::Checker;
use super::elab::{Elab, Name};
use super::expr::{joined, make, value_expr};
use crate::deps;
use crate::program::*;
use crate::types::*;
use crate::value::Value;

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
                NodeItem::Realizable { names, .. } => self.give_to_environment(names),
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

    /// `--%IVC x, y;`
    fn question(&mut self, names: &[ast::Ident]) {
        for name in names {
            match self.stream_named(name.name) {
                Some(id) => self.node.questioned.push(id),
                None => self.bad_left(*name),
            }
        }
    }

    /// `--%REALIZABLE x, y;`
    fn give_to_environment(&mut self, names: &[ast::Ident]) {
        self.node.realizable.get_or_insert_default();
        for name in names {
            let id = self.stream_named(name.name);
            let input = id.filter(|id| self.node.inputs.contains(id));
            let given = self.node.realizable.get_or_insert_default();
            let problem = match input {
                Some(id) if !given.contains(&id) => {
                    given.push(id);
                    continue;
                }
                Some(_) => "is named twice",
                None if id.is_some() => "is no input of the node",
                None => "is not declared",
            };
            let message = format!("`{}` {problem}", name.name);
            self.report(
                Diagnostic::error(Code::NotAnInput, name.span, message)
                    .help("name the inputs that the environment picks, each once"),
            );
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
}

/// The name of a property as reports show it, in all formats.
pub(super) fn shown_name(name: &ast::Text) -> String {
    syntax::printable_name(&name.text).into_owned()
}

/// Conjunction of many; `true` for none.
pub(super) fn conjunction(all: impl IntoIterator<Item = Expr>, span: Span) -> Expr {
    joined(BinOp::And, all.into_iter().collect())
        .unwrap_or_else(|| value_expr(Value::Bool(true), Type::Bool, span))
}
