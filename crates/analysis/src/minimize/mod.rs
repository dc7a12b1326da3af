//! The text of a program without the parts that a proof does not need.
//!
//! The syntax tree is changed and printed. Removed conditions are dropped; a removed expression
//! becomes `_`, which is short but not Lustre, or a call of an imported node that is declared for
//! it, whose outputs have any value of their types. Each expression gets a node of its own: equal
//! calls of one node would have equal outputs.
//!
//! Some removed parts stay in the text: those of a contract that another node imports too, an
//! equation of several streams some of which are needed, a call of a node with a condition that is
//! needed, and the conditions that activate a mode.

mod removed_source;

use std::collections::{HashMap, HashSet};
use std::fmt::Write;

use lang::{ExprKind as Typed, NodeId, Program, Type};
use lower::Part;
use syntax::ast::{
    self, Clause, ContractItem, Equation, Expr, ExprKind, Ident, Item, NodeDecl, NodeItem, NodeKind,
};
use syntax::{Span, Symbol};

use crate::abstraction::below;
use removed_source::{RemovedSource, is_of_body};

/// What a removed expression is replaced by.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Style {
    /// A call of an imported node: the program can be analysed again.
    ValidLustre,
    /// `_`
    Concise,
}

/// The program without some parts, in all instances of their nodes.
pub fn minimized(
    source: &ast::Program,
    program: &Program,
    removed: &[Part],
    style: Style,
) -> String {
    let mut minimizer = Minimizer {
        program,
        removed: RemovedSource::new(program, removed),
        style,
        function: false,
        shared: HashMap::new(),
        declared: String::new(),
        count: 0,
    };
    let mut source = source.clone();
    for item in &mut source.items {
        minimizer.item(item);
    }
    let text = syntax::print::program(&source);
    match minimizer.declared.is_empty() {
        true => text,
        false => format!("{text}\n{}", minimizer.declared),
    }
}

/// The definitions of a node and the nodes below it that are not part of its system, whose parts
/// are given: no property depends on them.
pub fn unreached(program: &Program, top: NodeId, parts: &[Part]) -> Vec<Part> {
    let reached: HashSet<Part> = parts.iter().copied().collect();
    let mut nodes = below(program, top, &Default::default());
    nodes.insert(top);
    let mut found = Vec::new();
    for id in nodes {
        let node = program.node(id);
        let defined = node.var_ids().filter(|var| {
            let var = node.var(*var);
            let computed = |def: &lang::Def| !matches!(def.expr.kind, Typed::Choice(_));
            node.has_body && is_of_body(var.class) && var.def.as_ref().is_some_and(computed)
        });
        let equations = defined.map(|var| Part::Equation(id, var));
        found.extend(equations.filter(|part| !reached.contains(part)));
    }
    found
}

struct Minimizer<'a> {
    program: &'a Program,
    removed: RemovedSource,
    style: Style,
    /// Only functions may be called here.
    function: bool,
    /// The replacements of calls and arguments that several places share.
    shared: HashMap<(Span, Option<usize>), Expr>,
    /// The declarations of the nodes that are called.
    declared: String,
    count: usize,
}

impl Minimizer<'_> {
    fn item(&mut self, item: &mut Item) {
        match item {
            Item::Node(decl) => self.node(decl),
            Item::Contract(decl) => {
                self.function = true;
                self.contract(&mut decl.contract);
            }
            Item::Include(_) | Item::Type(_) | Item::Const(_) => {}
        }
    }

    fn node(&mut self, decl: &mut NodeDecl) {
        self.function = true;
        if let Some(contract) = &mut decl.contract {
            self.contract(contract);
        }
        decl.contract.take_if(|contract| contract.items.is_empty());
        self.function = decl.kind == NodeKind::Function;
        if let Some(items) = &mut decl.body {
            self.items(decl.name.name, items);
        }
    }

    fn contract(&mut self, contract: &mut ast::Contract) {
        contract.items.retain_mut(|item| match item {
            ContractItem::Const(_) => true,
            ContractItem::Vars { vars, value, .. } => {
                let types = vars
                    .iter()
                    .map(|var| self.removed.ghosts.get(&var.name.span));
                let types = types.map(|ty| ty.cloned()).collect();
                self.definition(types, value);
                true
            }
            ContractItem::Assume(clause) | ContractItem::Guarantee(clause) => self.keeps(clause),
            ContractItem::Mode {
                requires, ensures, ..
            } => {
                requires.iter_mut().for_each(|c| self.expr(&mut c.expr));
                ensures.retain_mut(|clause| self.keeps(clause));
                true
            }
            ContractItem::Import { args, .. } => {
                args.iter_mut().for_each(|arg| self.expr(arg));
                true
            }
        });
    }

    /// Does the clause stay?
    fn keeps(&mut self, clause: &mut Clause) -> bool {
        let kept = !self.removed.conditions.contains(&clause.span) || !self.is_free(&clause.expr);
        if kept {
            self.expr(&mut clause.expr);
        }
        kept
    }

    fn items(&mut self, node: Symbol, items: &mut Vec<NodeItem>) {
        items.retain_mut(|item| {
            match item {
                NodeItem::Equation(equation) => self.equation(node, equation),
                NodeItem::Assert { expr, span } => {
                    if self.removed.conditions.contains(span) && self.is_free(expr) {
                        return false;
                    }
                    self.expr(expr);
                }
                NodeItem::Property(property) => {
                    self.expr(&mut property.expr);
                    if let ast::PropertyKind::Provided(guard) = &mut property.kind {
                        self.expr(guard);
                    }
                }
                // The stream may be used anywhere, and its definition reads the flag of the fault.
                NodeItem::Fault(fault) => {
                    if let Some(value) = &mut fault.value {
                        self.expr(value);
                    }
                }
                NodeItem::Main { .. } | NodeItem::Ivc { .. } | NodeItem::Realizable { .. } => {}
                NodeItem::If(block) => {
                    for (condition, items) in &mut block.branches {
                        self.expr(condition);
                        self.items(node, items);
                    }
                    self.items(node, &mut block.otherwise);
                }
                NodeItem::Frame(block) => {
                    for equation in &mut block.inits {
                        self.equation(node, equation);
                    }
                    self.items(node, &mut block.body);
                }
            }
            true
        });
    }

    fn equation(&mut self, node: Symbol, equation: &mut Equation) {
        let lefts = equation.left.iter();
        let types = lefts.map(|left| self.removed.streams.get(&(node, left.name.name)).cloned());
        if self.definition(types.collect(), &mut equation.right) {
            equation
                .left
                .iter_mut()
                .for_each(|left| left.indices.clear());
        }
    }

    /// Replaces the definition of some streams if all are removed: then each has its type here.
    /// Returns whether it did.
    fn definition(&mut self, types: Option<Vec<Type>>, value: &mut Expr) -> bool {
        let types = types.filter(|_| self.is_free(value));
        match types.and_then(|types| self.anything(&types, value.span)) {
            Some(anything) => {
                *value = anything;
                true
            }
            None => {
                self.expr(value);
                false
            }
        }
    }

    /// Removes calls and arguments inside of an expression.
    fn expr(&mut self, expr: &mut Expr) {
        let span = expr.span;
        let is_call = matches!(expr.kind, ExprKind::Call(_));
        let outputs = self.removed.calls.get(&span).filter(|_| is_call).cloned();
        if let Some((first, types)) = outputs
            && self.is_free(expr)
            && let Some(anything) = self.shared((first, None), &types, span)
        {
            *expr = anything;
            return;
        }
        expr.for_each_part_mut(&mut |part| self.expr(part));
        if let ExprKind::Call(call) = &mut expr.kind {
            self.arguments(call, span);
        }
    }

    fn arguments(&mut self, call: &mut ast::Call, span: Span) {
        let callee = self.program.node_named(call.node.name);
        let inputs = callee.map(|id| self.program.node(id).inputs.len());
        // A list is several arguments.
        if inputs != Some(call.args.len()) {
            return;
        }
        for (at, argument) in call.args.iter_mut().enumerate() {
            let removed = self.removed.arguments.get(&(span, at)).cloned();
            if let Some((first, ty)) = removed
                && self.is_free(argument)
                && let Some(anything) = self.shared((first, Some(at)), &[ty], argument.span)
            {
                *argument = anything;
            }
        }
    }

    /// May the expression be removed with all the calls in it?
    fn is_free(&self, expr: &Expr) -> bool {
        if let ExprKind::Call(call) = &expr.kind
            && self.removed.binding.contains(&call.node.name)
        {
            return false;
        }
        let mut free = true;
        expr.for_each_part(&mut |part| free &= self.is_free(part));
        free
    }

    /// The replacement of a shared call or argument: the same wherever it occurs.
    fn shared(&mut self, key: (Span, Option<usize>), types: &[Type], span: Span) -> Option<Expr> {
        if let Some(known) = self.shared.get(&key) {
            return Some(known.clone());
        }
        let anything = self.anything(types, span)?;
        self.shared.insert(key, anything.clone());
        Some(anything)
    }

    /// An expression that has any value of the types; `None` if a type can be written in its node
    /// only.
    fn anything(&mut self, types: &[Type], span: Span) -> Option<Expr> {
        if self.style == Style::Concise {
            let kind = ExprKind::Name(Symbol::new("_"));
            return Some(Expr { kind, span });
        }
        if !types.iter().all(is_closed) {
            return None;
        }
        let name = self.fresh_name();
        let kind = if self.function { "function" } else { "node" };
        let outputs = types.iter().enumerate();
        let outputs = outputs.map(|(at, ty)| format!("y{at}: {}", self.program.type_name(ty)));
        let outputs: Vec<String> = outputs.collect();
        // Writing to a string cannot fail.
        let _ = writeln!(
            self.declared,
            "{kind} imported {name} () returns ({});",
            outputs.join("; ")
        );
        let call = ast::Call {
            node: Ident { name, span },
            args: Vec::new(),
            every: None,
            defaults: None,
            restart: None,
        };
        let kind = ExprKind::Call(call);
        Some(Expr { kind, span })
    }

    fn fresh_name(&mut self) -> Symbol {
        loop {
            self.count += 1;
            let name = Symbol::new(&format!("any_{}", self.count));
            if self.program.node_named(name).is_none() {
                return name;
            }
        }
    }
}

/// Can the type be written outside of its node?
fn is_closed(ty: &Type) -> bool {
    match ty {
        Type::Array(array) => array.size.value().is_some() && is_closed(&array.element),
        Type::Tuple(parts) => parts.iter().all(is_closed),
        Type::Unknown => false,
        _ => true,
    }
}
