//! Contracts: inline ones, contract nodes, and imports merged in.
//!
//! An import is a scope of its own: its inputs become streams defined by the
//! arguments, its outputs are other names of the streams they are bound to.
//! Everything is declared before anything is read, since ghost variables and
//! modes may be used before their declaration.

use std::collections::HashMap;

use syntax::ast::{self, ContractItem};
use syntax::{Code, Diagnostic, Span, Symbol};

use super::Checker;
use super::body::{conjunction, shown_name};
use super::call::arguments;
use super::elab::{Elab, Name};
use super::expr::{make, unknown};
use super::global::Names;
use crate::deps;
use crate::program::*;
use crate::types::*;

/// More imports than this in one contract are refused.
const MAX_SCOPES: usize = 10_000;

/// Imports that import in turn, and so on, are refused beyond this depth.
const MAX_IMPORT_DEPTH: usize = 100;

/// The names that one contract, at one place, brings.
pub(super) struct Scope<'a> {
    contract: &'a ast::Contract,
    /// The imports that lead here.
    path: Vec<Import>,
    names: Names,
    modes: HashMap<Symbol, VarId>,
    /// The scopes of the contract's imports.
    children: Vec<(Symbol, usize)>,
}

impl<'a> Checker<'a> {
    /// Checks each contract node by itself, as if it were the contract of an
    /// imported node.
    pub(super) fn check_contracts(&mut self) {
        for item in &self.ast.items {
            let ast::Item::Contract(decl) = item else {
                continue;
            };
            let name = decl.name;
            let mut elab = Elab::new(self, name.name, ast::NodeKind::Node, name.span);
            elab.declare_params(&decl.inputs, true);
            elab.declare_params(&decl.outputs, false);
            elab.contract(&decl.contract);
            let mut node = elab.node;
            let diagnostics = deps::check(&self.program, &mut node, self.options.congruence);
            self.diagnostics.extend(diagnostics);
        }
    }
}

impl<'a> Elab<'_, 'a> {
    /// The contract of a node. Its own variables are not seen by the body.
    pub(super) fn inline_contract(&mut self, contract: &'a ast::Contract) {
        for item in &contract.items {
            if let ContractItem::Mode { name, .. } = item
                && let Some(Name::Var(id)) = self.names.get(&name.name)
            {
                let earlier = self.node.var(*id).span;
                self.report(
                    Diagnostic::error(
                        Code::Shadowed,
                        name.span,
                        format!("the mode `{}` has the name of a stream", name.name),
                    )
                    .related(earlier, "the stream is declared here")
                    .help("choose another name"),
                );
            }
        }
        let outer = self.names.clone();
        self.contract(contract);
        self.names = outer;
    }

    fn contract(&mut self, contract: &'a ast::Contract) {
        self.in_contract = true;
        let names = self.names.clone();
        self.open_scope(contract, Vec::new(), names);
        // Scopes are opened one after the other; each may open more.
        let mut at = 0;
        while at < self.scopes.len() {
            self.open_imports(at);
            at += 1;
        }
        let mut merged = Contract::default();
        for at in 0..self.scopes.len() {
            self.scope = at;
            self.names = std::mem::take(&mut self.scopes[at].names);
            self.contract_items(at, &mut merged);
        }
        self.node.contract = Some(merged);
        self.in_contract = false;
    }

    /// Declares the variables, constants and modes of a contract.
    fn open_scope(&mut self, contract: &'a ast::Contract, path: Vec<Import>, names: Names) {
        self.names = names;
        let prefix = scope_prefix(&path);
        let mut modes = HashMap::new();
        for item in &contract.items {
            match item {
                ContractItem::Const(decl) => self.local_const(decl),
                ContractItem::Vars { vars, .. } => {
                    for var in vars {
                        let ty = self.type_expr(&var.ty);
                        let scoped = Symbol::new(&format!("{prefix}{}", var.name.name));
                        let id = self.add_var(scoped, ty, VarClass::Ghost, var.name.span);
                        self.declare(var.name, id);
                    }
                }
                ContractItem::Mode { name, .. } => {
                    let scoped = Symbol::new(&format!("{prefix}{}", name.name));
                    let id = self.add_var(scoped, Type::Bool, VarClass::Mode, name.span);
                    if modes.insert(name.name, id).is_some() {
                        self.error(
                            Code::Redeclared,
                            name.span,
                            format!("the mode `{}` is declared twice", name.name),
                        );
                    }
                }
                _ => {}
            }
        }
        let names = std::mem::take(&mut self.names);
        self.scopes.push(Scope {
            contract,
            path,
            names,
            modes,
            children: Vec::new(),
        });
    }

    /// Opens a scope for each import of a contract.
    fn open_imports(&mut self, at: usize) {
        let contract = self.scopes[at].contract;
        for item in &contract.items {
            let ContractItem::Import {
                contract: name,
                args,
                outputs,
                span,
            } = item
            else {
                continue;
            };
            let Some(decl) = self.cx.contract_decls.get(&name.name).copied() else {
                self.report(
                    Diagnostic::error(
                        Code::UnknownContract,
                        name.span,
                        format!("the contract `{}` is not declared", name.name),
                    )
                    .help(format!(
                        "declare it: `contract {} (…) returns (…);`",
                        name.name
                    )),
                );
                continue;
            };
            if self.scopes[at].path.len() >= MAX_IMPORT_DEPTH {
                self.error(
                    Code::TooDeep,
                    *span,
                    format!("imports are nested more than {MAX_IMPORT_DEPTH} levels deep here"),
                );
                return;
            }
            if self.scopes.len() >= MAX_SCOPES {
                self.error(
                    Code::TooDeep,
                    *span,
                    format!("more than {MAX_SCOPES} contracts are imported here"),
                );
                return;
            }
            let mut path = self.scopes[at].path.clone();
            path.push(Import {
                contract: name.name,
                span: *span,
            });
            let names = self.import_names(at, decl, args, outputs, &path);
            let child = self.scopes.len();
            self.open_scope(&decl.contract, path, names);
            self.scopes[at].children.push((name.name, child));
        }
    }

    /// The inputs and outputs of an imported contract, bound to this place.
    fn import_names(
        &mut self,
        at: usize,
        decl: &'a ast::ContractDecl,
        args: &'a [ast::Expr],
        outputs: &'a [ast::Ident],
        path: &[Import],
    ) -> Names {
        let prefix = scope_prefix(path);
        let mut names = Names::new();
        self.names = Names::new();
        let single = singles(args);
        for (position, param) in decl.inputs.iter().enumerate() {
            let ty = self.type_expr(&param.ty);
            let scoped = Symbol::new(&format!("{prefix}{}", param.name.name));
            let class = match param.is_const {
                true => VarClass::Const,
                false => VarClass::ContractInput,
            };
            let id = self.add_var(scoped, ty, class, param.name.span);
            if let (true, Some(arg)) = (param.is_const, single.get(position)) {
                self.constant_argument(at, id, arg);
            }
            names.insert(param.name.name, Name::Var(id));
            self.names.insert(param.name.name, Name::Var(id));
        }
        for (param, actual) in decl.outputs.iter().zip(outputs) {
            let ty = self.type_expr(&param.ty);
            match self.scopes[at].names.get(&actual.name).copied() {
                Some(Name::Var(id)) => {
                    let found = self.node.var(id).ty.clone();
                    if !found.fits(&ty) {
                        self.expect(&make(ExprKind::Var(id), found, actual.span), &ty);
                    }
                    names.insert(param.name.name, Name::Var(id));
                }
                _ => {
                    self.error(
                        Code::UnknownName,
                        actual.span,
                        format!("the stream `{}` is not declared", actual.name),
                    );
                }
            }
        }
        if decl.outputs.len() != outputs.len() {
            let span = path.last().map_or(decl.name.span, |import| import.span);
            self.error(
                Code::WrongArity,
                span,
                format!(
                    "the contract `{}` has {} outputs, found {}",
                    decl.name.name,
                    decl.outputs.len(),
                    outputs.len()
                ),
            );
        }
        names
    }

    /// Sizes in the contract may depend on its constant inputs: their values
    /// are needed at once.
    fn constant_argument(&mut self, at: usize, id: VarId, arg: &'a ast::Expr) {
        let names = self.scopes[at].names.clone();
        let own = std::mem::replace(&mut self.names, names);
        let ty = self.node.var(id).ty.clone();
        let value = self.const_value(arg, Some(&ty));
        self.names = own;
        if !value.ty.is_unknown() {
            self.define_ghost(id, value, None);
        }
    }

    fn contract_items(&mut self, at: usize, merged: &mut Contract) {
        let contract = self.scopes[at].contract;
        let path = self.scopes[at].path.clone();
        let mut child = 0;
        for item in &contract.items {
            match item {
                ContractItem::Const(_) => {}
                ContractItem::Vars { vars, value, span } => self.ghost(vars, value, *span),
                ContractItem::Assume(clause) => {
                    let clause = self.clause(clause, &path);
                    merged.assumptions.push(clause);
                }
                ContractItem::Guarantee(clause) => {
                    let clause = self.clause(clause, &path);
                    merged.guarantees.push(clause);
                }
                ContractItem::Mode {
                    name,
                    requires,
                    ensures,
                    span,
                } => {
                    let mode = self.mode(at, *name, requires, ensures, *span, &path);
                    merged.modes.extend(mode);
                }
                ContractItem::Import {
                    contract,
                    args,
                    span,
                    ..
                } => {
                    let opened = self.scopes[at].children.get(child).copied();
                    if let Some((name, scope)) = opened
                        && name == contract.name
                    {
                        child += 1;
                        self.import_arguments(scope, name, args, *span);
                    }
                }
            }
        }
    }

    fn ghost(&mut self, vars: &'a [ast::Param], value: &'a ast::Expr, span: Span) {
        let values = self.list(value);
        if values.len() != vars.len() && !values.iter().any(|e| e.ty.is_unknown()) {
            self.report(
                Diagnostic::error(
                    Code::GhostWidth,
                    span,
                    format!(
                        "{} variables are defined by {} values",
                        vars.len(),
                        values.len()
                    ),
                )
                .help("give one value for each variable"),
            );
            return;
        }
        let ids: Vec<VarId> = vars
            .iter()
            .filter_map(|var| self.stream_named(var.name.name))
            .collect();
        let equation = self.add_equation(span, ids.clone());
        for (id, value) in ids.into_iter().zip(values) {
            let ty = self.node.var(id).ty.clone();
            self.expect(&value, &ty);
            self.define_ghost(id, value, Some(equation));
        }
    }

    fn define_ghost(&mut self, id: VarId, expr: Expr, equation: Option<EquationId>) {
        let var = &mut self.node.vars[id.index()];
        var.def.get_or_insert(Def {
            indices: Vec::new(),
            expr,
            equation,
        });
    }

    fn clause(&mut self, clause: &'a ast::Clause, path: &[Import]) -> Clause {
        Clause {
            name: clause.name.as_ref().map(shown_name),
            weak: clause.weak,
            expr: self.specification(&clause.expr),
            span: clause.span,
            scope: path.to_vec(),
        }
    }

    fn mode(
        &mut self,
        at: usize,
        name: ast::Ident,
        requires: &'a [ast::Clause],
        ensures: &'a [ast::Clause],
        span: Span,
        path: &[Import],
    ) -> Option<Mode> {
        let active = self.scopes[at].modes.get(&name.name).copied()?;
        self.mode = Some(active);
        let requires: Vec<Clause> = requires.iter().map(|c| self.clause(c, path)).collect();
        let ensures = ensures.iter().map(|c| self.clause(c, path)).collect();
        self.mode = None;
        let all = requires.iter().map(|clause| clause.expr.clone());
        let condition = conjunction(all, span);
        self.define_ghost(active, condition, None);
        Some(Mode {
            name: name.name,
            scope: path.to_vec(),
            requires,
            ensures,
            active,
            span,
        })
    }

    /// Defines the inputs of an imported contract by the arguments.
    fn import_arguments(&mut self, scope: usize, name: Symbol, args: &'a [ast::Expr], span: Span) {
        let decl = self.cx.contract_decls[&name];
        let values: Vec<Expr> = args.iter().flat_map(|arg| self.list(arg)).collect();
        if values.len() != decl.inputs.len() {
            if !values.iter().any(|e| e.ty.is_unknown()) {
                self.error(
                    Code::WrongArity,
                    span,
                    format!(
                        "the contract `{name}` takes {}, found {}",
                        arguments(decl.inputs.len()),
                        values.len()
                    ),
                );
            }
            return;
        }
        for (param, value) in decl.inputs.iter().zip(values) {
            // Ghost variables of the contract cannot have its inputs' names,
            // so that the name still means the input.
            if let Some(Name::Var(id)) = self.scopes[scope].names.get(&param.name.name).copied() {
                let ty = self.node.var(id).ty.clone();
                self.expect(&value, &ty);
                self.define_ghost(id, value, None);
            }
        }
    }

    /// `::contract::mode`, from the scope that is being read.
    pub(super) fn mode_ref(&mut self, path: &[ast::Ident], span: Span) -> Expr {
        let mut scope = Some(self.scope);
        let (mode, imports) = match path.split_last() {
            Some((mode, imports)) if !self.scopes.is_empty() => (mode, imports),
            _ => {
                self.report(
                    Diagnostic::error(Code::UnknownMode, span, "there is no contract here")
                        .help("modes can be referred to in contracts only"),
                );
                return unknown(span);
            }
        };
        if self.constant {
            self.refuse_state("a mode reference", span);
            return unknown(span);
        }
        if !self.in_contract {
            scope = Some(0);
        }
        for import in imports {
            scope = scope.and_then(|at| {
                let mut children = self.scopes[at].children.iter();
                children
                    .find(|(name, _)| *name == import.name)
                    .map(|(_, at)| *at)
            });
        }
        match scope.and_then(|at| self.scopes[at].modes.get(&mode.name)) {
            Some(id) if self.mode == Some(*id) => {
                self.report(
                    Diagnostic::error(
                        Code::Cycle,
                        span,
                        format!("the mode `{}` refers to itself", mode.name),
                    )
                    .help("a mode may refer to other modes only"),
                );
                unknown(span)
            }
            Some(id) => make(ExprKind::Var(*id), Type::Bool, span),
            None => {
                let known = self.known_modes(self.scope, "::");
                let help = match known.is_empty() {
                    true => "this contract has no modes".to_owned(),
                    false => format!("the modes of this contract are {}", known.join(", ")),
                };
                self.report(
                    Diagnostic::error(
                        Code::UnknownMode,
                        span,
                        format!("the mode `{}` is not declared", mode.name),
                    )
                    .help(help),
                );
                unknown(span)
            }
        }
    }

    /// The modes of a contract and of those it imports, as references to them are
    /// written.
    fn known_modes(&self, scope: usize, before: &str) -> Vec<String> {
        let Some(scope) = self.scopes.get(scope) else {
            return Vec::new();
        };
        let names = scope.modes.keys().map(|mode| format!("`{before}{mode}`"));
        let mut names: Vec<String> = names.collect();
        names.sort();
        for (import, at) in &scope.children {
            let inner = self.known_modes(*at, &format!("{before}{import}::"));
            // A contract may be imported twice.
            let new = inner.into_iter().filter(|name| !names.contains(name));
            names.extend(new.collect::<Vec<_>>());
        }
        names
    }
}

/// Arguments without the lists that they may stand in.
fn singles(args: &[ast::Expr]) -> Vec<&ast::Expr> {
    let mut single = Vec::new();
    let mut open: Vec<&ast::Expr> = args.iter().rev().collect();
    while let Some(arg) = open.pop() {
        match &arg.kind {
            ast::ExprKind::List(parts) => open.extend(parts.iter().rev()),
            _ => single.push(arg),
        }
    }
    single
}

fn scope_prefix(path: &[Import]) -> String {
    path.iter()
        .map(|import| format!("{}.", import.contract))
        .collect()
}
