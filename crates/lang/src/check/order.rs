//! The order in which nodes and contracts depend on each other.

use std::collections::HashMap;

use syntax::ast::{self, ContractItem, Expr, ExprKind, NodeItem, PropertyKind};
use syntax::{Code, Diagnostic, Span, Symbol};

use super::Checker;

#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Unit {
    Node(Symbol),
    Contract(Symbol),
}

impl Unit {
    fn describe(self) -> String {
        match self {
            Unit::Node(name) => format!("node `{name}`"),
            Unit::Contract(name) => format!("contract `{name}`"),
        }
    }
}

enum Mark {
    Open,
    Closed,
}

impl<'a> Checker<'a> {
    /// The names of all nodes, callees first; `None` if calls or imports form
    /// a cycle.
    pub(super) fn sort_nodes(&mut self) -> Option<Vec<Symbol>> {
        let mut sorter = Sorter {
            checker: self,
            marks: HashMap::new(),
            order: Vec::new(),
            cyclic: Vec::new(),
        };
        let items = &sorter.checker.ast.items;
        for item in items {
            match item {
                ast::Item::Node(decl) => sorter.visit(Unit::Node(decl.name.name), decl.name.span),
                ast::Item::Contract(decl) => {
                    sorter.visit(Unit::Contract(decl.name.name), decl.name.span)
                }
                _ => {}
            }
        }
        let (order, cyclic) = (sorter.order, sorter.cyclic);
        for (span, unit) in &cyclic {
            let what = unit.describe();
            self.report(
                Diagnostic::error(Code::Cycle, *span, format!("the {what} depends on itself"))
                    .help("break the cycle: nodes and contracts cannot be recursive"),
            );
        }
        cyclic.is_empty().then_some(order)
    }
}

struct Sorter<'c, 'a> {
    checker: &'c Checker<'a>,
    marks: HashMap<Unit, Mark>,
    order: Vec<Symbol>,
    cyclic: Vec<(Span, Unit)>,
}

impl<'a> Sorter<'_, 'a> {
    fn visit(&mut self, unit: Unit, span: Span) {
        match self.marks.get(&unit) {
            Some(Mark::Closed) => return,
            Some(Mark::Open) => {
                self.cyclic.push((span, unit));
                return;
            }
            None => {}
        }
        self.marks.insert(unit, Mark::Open);
        for (used, span) in self.uses(unit) {
            self.visit(used, span);
        }
        self.marks.insert(unit, Mark::Closed);
        if let Unit::Node(name) = unit {
            self.order.push(name);
        }
    }

    /// The declared units that a unit calls or imports.
    fn uses(&self, unit: Unit) -> Vec<(Unit, Span)> {
        let mut uses = Vec::new();
        match unit {
            Unit::Node(name) => {
                let decl = self.checker.node_decls[&name];
                if let Some(contract) = &decl.contract {
                    contract_uses(contract, &mut uses);
                }
                for local in &decl.locals {
                    if let ast::Local::Const(decl) = local {
                        decl.value.iter().for_each(|e| expr_uses(e, &mut uses));
                    }
                }
                items_uses(decl.body.as_deref().unwrap_or_default(), &mut uses);
            }
            Unit::Contract(name) => {
                contract_uses(&self.checker.contract_decls[&name].contract, &mut uses);
            }
        }
        uses.retain(|(unit, _)| match unit {
            Unit::Node(name) => self.checker.node_decls.contains_key(name),
            Unit::Contract(name) => self.checker.contract_decls.contains_key(name),
        });
        uses
    }
}

fn contract_uses(contract: &ast::Contract, uses: &mut Vec<(Unit, Span)>) {
    for item in &contract.items {
        match item {
            ContractItem::Const(decl) => decl.value.iter().for_each(|e| expr_uses(e, uses)),
            ContractItem::Vars { value, .. } => expr_uses(value, uses),
            ContractItem::Assume(clause) | ContractItem::Guarantee(clause) => {
                expr_uses(&clause.expr, uses)
            }
            ContractItem::Mode {
                requires, ensures, ..
            } => {
                for clause in requires.iter().chain(ensures) {
                    expr_uses(&clause.expr, uses);
                }
            }
            ContractItem::Import { contract, args, .. } => {
                uses.push((Unit::Contract(contract.name), contract.span));
                args.iter().for_each(|e| expr_uses(e, uses));
            }
        }
    }
}

fn items_uses(items: &[NodeItem], uses: &mut Vec<(Unit, Span)>) {
    for item in items {
        match item {
            NodeItem::Equation(equation) => expr_uses(&equation.right, uses),
            NodeItem::Assert { expr, .. } => expr_uses(expr, uses),
            NodeItem::Property(property) => {
                expr_uses(&property.expr, uses);
                if let PropertyKind::Provided(guard) = &property.kind {
                    expr_uses(guard, uses);
                }
            }
            NodeItem::Fault(fault) => {
                fault.value.iter().for_each(|e| expr_uses(e, uses));
            }
            NodeItem::Main { .. } | NodeItem::Ivc { .. } | NodeItem::Realizable { .. } => {}
            NodeItem::If(block) => {
                for (condition, items) in &block.branches {
                    expr_uses(condition, uses);
                    items_uses(items, uses);
                }
                items_uses(&block.otherwise, uses);
            }
            NodeItem::Frame(block) => {
                for init in &block.inits {
                    expr_uses(&init.right, uses);
                }
                items_uses(&block.body, uses);
            }
        }
    }
}

fn expr_uses(expr: &Expr, uses: &mut Vec<(Unit, Span)>) {
    if let ExprKind::Call(call) = &expr.kind {
        uses.push((Unit::Node(call.node.name), call.node.span));
    }
    expr.for_each_part(&mut |part| expr_uses(part, uses));
}
