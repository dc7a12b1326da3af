//! Checks the syntax tree and builds the typed program.
//!
//! The order of the stages: declarations and their names ([`global`]), cycles
//! between nodes and contracts ([`order`]), types and constants on demand,
//! then each node from callees to callers: its contract ([`contract`]), its
//! body ([`body`]) with its equations ([`equation`]) and blocks ([`block`]), its
//! expressions, and at last the dependencies between its streams
//! ([`crate::deps`]).
//!
//! Expressions start in [`expr`]: names ([`name`]), operators ([`operator`]) and those
//! with memory ([`memory`]), conditionals and merges ([`conditional`]), structured
//! values ([`structure`]) and calls ([`call`]).

mod block;
mod body;
mod call;
mod conditional;
mod contract;
mod elab;
mod equation;
mod expr;
mod fault;
mod global;
mod memory;
mod name;
mod operator;
mod order;
mod structure;
mod width;

use std::collections::HashMap;

use syntax::ast;
use syntax::{Code, Diagnostic, Span, Symbol};

use crate::program::*;
use crate::types::*;

/// What the checks depend on besides the text.
#[derive(Clone, Debug, Default)]
pub struct CheckOptions {
    /// Refuse `pre` without an initial value.
    pub strict: bool,
    /// Imported functions give the same outputs for the same inputs.
    pub congruence: bool,
}

/// The result of the checks: the program, if there was no error, and all diagnostics.
#[derive(Debug)]
pub struct Checked {
    pub program: Option<Program>,
    pub diagnostics: Vec<Diagnostic>,
}

/// Checks a syntax tree whose includes are in place.
pub fn check(ast: &ast::Program, options: &CheckOptions) -> Checked {
    let mut checker = Checker::new(ast, options);
    checker.declare_all();
    if let Some(order) = checker.sort_nodes() {
        checker.check_globals();
        checker.global_diagnostics = checker.diagnostics.len();
        for name in order {
            checker.check_node(name);
        }
        checker.check_contracts();
    } else {
        checker.check_globals();
    }
    checker.finish()
}

/// Levels of expressions and types, together with the constants and types that
/// they need.
const MAX_NESTING: u32 = 2 * syntax::MAX_DEPTH;

/// A type or a constant whose check has started, or is done.
#[derive(Clone)]
pub(super) enum Progress<T> {
    Started,
    Done(T),
}

pub(super) struct Checker<'a> {
    options: &'a CheckOptions,
    ast: &'a ast::Program,
    diagnostics: Vec<Diagnostic>,
    /// How many of them concern declarations outside of nodes.
    global_diagnostics: usize,
    program: Program,
    type_decls: HashMap<Symbol, &'a ast::TypeDecl>,
    types: HashMap<Symbol, Progress<Type>>,
    const_decls: HashMap<Symbol, &'a ast::ConstDecl>,
    consts: HashMap<Symbol, Progress<Option<ConstId>>>,
    enum_values: HashMap<Symbol, (EnumId, u32, Span)>,
    enum_ids: HashMap<Symbol, EnumId>,
    node_decls: HashMap<Symbol, &'a ast::NodeDecl>,
    contract_decls: HashMap<Symbol, &'a ast::ContractDecl>,
    /// The nodes that are checked already, by name.
    node_ids: HashMap<Symbol, NodeId>,
    /// Some array is declared in JKind's way: its dialect lets arrays be
    /// compared.
    array_equality: bool,
    /// How deep the expression that is being read nests, the constants and
    /// types that it needs included.
    depth: u32,
    /// How many operators were copied ([`Elab::may_copy`](elab::Elab::may_copy)).
    copied: usize,
    /// What is left for computing constants, in operators.
    constant_budget: u64,
    /// For how many unknown names a similar one was looked for.
    suggestions: usize,
}

impl<'a> Checker<'a> {
    pub(super) fn new(ast: &'a ast::Program, options: &'a CheckOptions) -> Checker<'a> {
        Checker {
            options,
            ast,
            diagnostics: Vec::new(),
            global_diagnostics: 0,
            program: Program::default(),
            type_decls: HashMap::new(),
            types: HashMap::new(),
            const_decls: HashMap::new(),
            consts: HashMap::new(),
            enum_values: HashMap::new(),
            enum_ids: HashMap::new(),
            node_decls: HashMap::new(),
            contract_decls: HashMap::new(),
            node_ids: HashMap::new(),
            array_equality: false,
            depth: 0,
            copied: 0,
            constant_budget: 1 << 26,
            suggestions: 0,
        }
    }

    pub(super) fn report(&mut self, diagnostic: Diagnostic) {
        self.diagnostics.push(diagnostic);
    }

    pub(super) fn error(&mut self, code: Code, span: Span, message: impl Into<String>) {
        self.report(Diagnostic::error(code, span, message));
    }

    /// Enters an expression or a type, unless it lies too deep.
    pub(super) fn deepen(&mut self, span: Span) -> bool {
        let fits = self.depth < MAX_NESTING;
        if fits {
            self.depth += 1;
        } else {
            self.report(
                Diagnostic::error(
                    Code::TooDeep,
                    span,
                    format!("this is nested more than {MAX_NESTING} levels deep"),
                )
                .help("declare constants and types before those that they are used in"),
            );
        }
        fits
    }

    pub(super) fn finish(mut self) -> Checked {
        // Errors of early stages come first: those of later ones may follow
        // from them.
        let global = self.global_diagnostics;
        let mut keyed: Vec<_> = self.diagnostics.drain(..).enumerate().collect();
        keyed.sort_by_key(|(at, d)| {
            let late = stage(d.code) > 2 && *at >= global;
            (d.severity, late, stage(d.code), d.span)
        });
        self.diagnostics = keyed.into_iter().map(|(_, d)| d).collect();
        // Imported contracts are looked at once for each import.
        let mut seen = std::collections::HashSet::new();
        self.diagnostics
            .retain(|d| seen.insert((d.code, d.span, d.message.clone())));
        let failed = self.diagnostics.iter().any(Diagnostic::is_error);
        Checked {
            program: (!failed).then_some(self.program),
            diagnostics: self.diagnostics,
        }
    }
}

/// The stage that finds an error.
fn stage(code: Code) -> u8 {
    use syntax::Class::*;
    match code.class() {
        Parse => 0,
        Syntax => 1,
        IfBlock | FrameBlock => 2,
        Dependency => 3,
        Type => 4,
        Constant => 5,
        ArrayDependency => 6,
        Range => 7,
        Input => 8,
    }
}
