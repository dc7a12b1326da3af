//! A syntax tree as Lustre text that parses to the same tree.
//!
//! Parentheses stand where the grammar needs them and nowhere else; the levels
//! are those of [`crate::operator`].

use std::fmt::Write;

use crate::ast::*;
use crate::number::decimal_string;
use crate::operator::Level;

/// Characters of a text that a message quotes.
const MAX_QUOTED: usize = 60;

/// Prints a whole program.
pub fn program(program: &Program) -> String {
    let mut printer = Printer::default();
    for (at, item) in program.items.iter().enumerate() {
        let blank = matches!(item, Item::Node(_) | Item::Contract(_));
        if at > 0 && blank {
            printer.out.push('\n');
        }
        printer.item(item);
    }
    printer.out
}

/// Prints one expression.
pub fn expr(expr: &Expr) -> String {
    let mut printer = Printer::default();
    printer.expr(expr, Level::OPEN);
    printer.out
}

/// Prints one expression for a message: the beginning of a long one.
pub fn short_expr(expr: &Expr) -> String {
    let mut printer = Printer {
        max_bytes: 4 * MAX_QUOTED,
        ..Printer::default()
    };
    printer.expr(expr, Level::OPEN);
    excerpt(&printer.out)
}

/// The beginning of a text that is quoted in a message.
pub(crate) fn excerpt(text: &str) -> String {
    match text.char_indices().nth(MAX_QUOTED) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

/// Prints one type.
pub fn type_expr(ty: &TypeExpr) -> String {
    let mut printer = Printer::default();
    printer.type_expr(ty);
    printer.out
}

struct Printer {
    out: String,
    indent: usize,
    /// What lies behind that many bytes is of no interest.
    max_bytes: usize,
}

impl Default for Printer {
    fn default() -> Printer {
        Printer {
            out: String::new(),
            indent: 0,
            max_bytes: usize::MAX,
        }
    }
}

impl Printer {
    fn put(&mut self, text: &str) {
        self.out.push_str(text);
    }

    fn show(&mut self, value: impl std::fmt::Display) {
        // Writing to a string cannot fail.
        let _ = write!(self.out, "{value}");
    }

    /// Starts a line at the current indentation.
    fn line(&mut self) {
        for _ in 0..self.indent {
            self.out.push_str("  ");
        }
    }

    fn separated<T>(&mut self, all: &[T], separator: &str, mut each: impl FnMut(&mut Self, &T)) {
        for (at, one) in all.iter().enumerate() {
            if at > 0 {
                self.put(separator);
            }
            each(self, one);
        }
    }

    fn item(&mut self, item: &Item) {
        match item {
            Item::Include(path) => {
                self.put("include \"");
                self.put(&path.text);
                self.put("\"\n");
            }
            Item::Type(decl) => self.type_decl(decl),
            Item::Const(decl) => {
                self.put("const ");
                self.const_decl(decl);
                self.put("\n");
            }
            Item::Node(node) => self.node(node),
            Item::Contract(contract) => self.contract_decl(contract),
        }
    }

    fn type_decl(&mut self, decl: &TypeDecl) {
        self.put("type ");
        self.show(decl.name.name);
        match &decl.def {
            TypeDef::Abstract => {}
            TypeDef::Alias(ty) => {
                self.put(" = ");
                self.type_expr(ty);
            }
            TypeDef::Enum(values) => {
                self.put(" = enum { ");
                self.separated(values, ", ", |p, value| p.show(value.name));
                self.put(" }");
            }
            TypeDef::Record(fields) => {
                self.put(" = struct { ");
                self.separated(fields, "; ", |p, (field, ty)| {
                    p.show(field.name);
                    p.put(": ");
                    p.type_expr(ty);
                });
                self.put(" }");
            }
        }
        self.put(";\n");
    }

    fn const_decl(&mut self, decl: &ConstDecl) {
        self.show(decl.name.name);
        if let Some(ty) = &decl.ty {
            self.put(": ");
            self.type_expr(ty);
        }
        if let Some(value) = &decl.value {
            self.put(" = ");
            self.expr(value, Level::OPEN);
        }
        self.put(";");
    }

    fn type_expr(&mut self, ty: &TypeExpr) {
        match &ty.kind {
            TypeKind::Bool => self.put("bool"),
            TypeKind::Int => self.put("int"),
            TypeKind::Real => self.put("real"),
            TypeKind::Machine(machine) => self.show(machine),
            TypeKind::Range(low, high) => {
                self.put("subrange [");
                self.bound(low);
                self.put(", ");
                self.bound(high);
                self.put("] of int");
            }
            TypeKind::Named(name) => self.show(name),
            TypeKind::Tuple(parts) => {
                self.put("[");
                self.separated(parts, ", ", Self::type_expr);
                self.put("]");
            }
            TypeKind::Array {
                element,
                size,
                bracketed,
            } => {
                self.type_expr(element);
                if *bracketed {
                    self.put("[");
                    self.expr(size, Level::OPEN);
                    self.put("]");
                } else {
                    self.put("^");
                    self.expr(size, Level::POSTFIX);
                }
            }
        }
    }

    fn bound(&mut self, bound: &Option<Box<Expr>>) {
        match bound {
            Some(bound) => self.expr(bound, Level::OPEN),
            None => self.put("*"),
        }
    }

    fn params(&mut self, params: &[Param]) {
        self.put("(");
        self.separated(params, "; ", Self::param);
        self.put(")");
    }

    fn param(&mut self, param: &Param) {
        if param.is_const {
            self.put("const ");
        }
        self.show(param.name.name);
        self.put(": ");
        self.type_expr(&param.ty);
        if let Some(clock) = &param.clock {
            self.put(" when ");
            self.clock(clock);
        }
    }

    fn node(&mut self, node: &NodeDecl) {
        self.put(match node.kind {
            NodeKind::Node => "node ",
            NodeKind::Function => "function ",
        });
        if node.imported {
            self.put("imported ");
        }
        self.show(node.name.name);
        self.put(" ");
        self.params(&node.inputs);
        self.put(" returns ");
        self.params(&node.outputs);
        self.put(";\n");
        if let Some(contract) = &node.contract {
            self.put("(*@contract\n");
            self.contract_items(&contract.items);
            self.put("*)\n");
        }
        let Some(body) = &node.body else { return };
        for local in &node.locals {
            match local {
                Local::Var(var) => {
                    self.put("var ");
                    self.param(var);
                    self.put(";\n");
                }
                Local::Const(decl) => {
                    self.put("const ");
                    self.const_decl(decl);
                    self.put("\n");
                }
            }
        }
        self.put("let\n");
        self.node_items(body);
        self.put("tel\n");
    }

    fn contract_decl(&mut self, decl: &ContractDecl) {
        self.put("contract ");
        self.show(decl.name.name);
        self.put(" ");
        self.params(&decl.inputs);
        self.put(" returns ");
        self.params(&decl.outputs);
        self.put(";\nlet\n");
        self.contract_items(&decl.contract.items);
        self.put("tel\n");
    }

    fn contract_items(&mut self, items: &[ContractItem]) {
        self.indent += 1;
        for item in items {
            self.line();
            self.contract_item(item);
            self.put("\n");
        }
        self.indent -= 1;
    }

    fn contract_item(&mut self, item: &ContractItem) {
        match item {
            ContractItem::Const(decl) => {
                self.put("const ");
                self.const_decl(decl);
            }
            ContractItem::Vars { vars, value, .. } => {
                self.put("var ");
                self.separated(vars, ", ", Self::param);
                self.put(" = ");
                self.expr(value, Level::OPEN);
                self.put(";");
            }
            ContractItem::Assume(clause) => self.clause("assume", clause),
            ContractItem::Guarantee(clause) => self.clause("guarantee", clause),
            ContractItem::Mode {
                name,
                requires,
                ensures,
                ..
            } => {
                self.put("mode ");
                self.show(name.name);
                self.put(" (\n");
                self.indent += 1;
                let keyed = requires.iter().map(|clause| ("require", clause));
                for (keyword, clause) in keyed.chain(ensures.iter().map(|c| ("ensure", c))) {
                    self.line();
                    self.clause(keyword, clause);
                    self.put("\n");
                }
                self.indent -= 1;
                self.line();
                self.put(");");
            }
            ContractItem::Import {
                contract,
                args,
                outputs,
                ..
            } => {
                self.put("import ");
                self.show(contract.name);
                self.put("(");
                self.exprs(args);
                self.put(") returns (");
                self.separated(outputs, ", ", |p, output| p.show(output.name));
                self.put(");");
            }
        }
    }

    fn clause(&mut self, keyword: &str, clause: &Clause) {
        if clause.weak {
            self.put("weakly ");
        }
        self.put(keyword);
        self.name(&clause.name);
        self.put(" ");
        self.expr(&clause.expr, Level::OPEN);
        self.put(";");
    }

    fn name(&mut self, name: &Option<Text>) {
        if let Some(name) = name {
            self.put(" \"");
            self.put(&name.text);
            self.put("\"");
        }
    }

    fn node_items(&mut self, items: &[NodeItem]) {
        self.indent += 1;
        for item in items {
            self.line();
            self.node_item(item);
            self.put("\n");
        }
        self.indent -= 1;
    }

    fn node_item(&mut self, item: &NodeItem) {
        match item {
            NodeItem::Equation(equation) => self.equation(equation),
            NodeItem::Assert { expr, .. } => {
                self.put("assert ");
                self.expr(expr, Level::OPEN);
                self.put(";");
            }
            NodeItem::Property(property) => self.property(property),
            NodeItem::Main { value: true, .. } => self.put("--%MAIN;"),
            NodeItem::Main { value: false, .. } => self.put("--!MAIN : false;"),
            NodeItem::Ivc { names, .. } => {
                let names: Vec<&str> = names.iter().map(|name| name.name.as_str()).collect();
                self.put(&format!("--%IVC {};", names.join(", ")));
            }
            NodeItem::Fault(fault) => self.fault(fault),
            NodeItem::If(block) => self.if_block(block),
            NodeItem::Frame(block) => self.frame_block(block),
        }
    }

    fn fault(&mut self, fault: &Fault) {
        self.put(&format!("--%FAULT {}", fault.name.name));
        if let Some(cost) = fault.cost {
            self.put(&format!(" cost {cost}"));
        }
        self.put(&format!(" : {}", fault.stream.name));
        if let Some(value) = &fault.value {
            self.put(" = ");
            self.expr(value, Level::OPEN);
        }
        self.put(";");
    }

    fn equation(&mut self, equation: &Equation) {
        // Words that begin or end other statements when they stand alone.
        let first = equation
            .left
            .first()
            .map_or("", |left| left.name.name.as_str());
        let first = first.split('.').next().unwrap_or("");
        let grouped = equation.left.is_empty() || matches!(first, "check" | "fi" | "elsif");
        if grouped {
            self.put("(");
        }
        self.separated(&equation.left, ", ", |p, left| {
            p.show(left.name.name);
            for index in &left.indices {
                p.put("[");
                p.show(index.name);
                p.put("]");
            }
        });
        if grouped {
            self.put(")");
        }
        self.put(" = ");
        self.expr(&equation.right, Level::OPEN);
        self.put(";");
    }

    fn property(&mut self, property: &Property) {
        self.put("check ");
        if matches!(property.kind, PropertyKind::Reachable { .. }) {
            self.put("reachable");
        }
        if property.name.is_some() {
            self.name(&property.name);
        }
        // In parentheses, no name in the expression is taken for a keyword.
        self.put(" (");
        self.expr(&property.expr, Level::OPEN);
        self.put(")");
        match &property.kind {
            PropertyKind::Invariant => {}
            PropertyKind::Provided(guard) => {
                self.put(" provided ");
                self.expr(guard, Level::OPEN);
            }
            PropertyKind::Reachable { from, within } => {
                if let Some(from) = from {
                    self.put(" from ");
                    self.show(from);
                }
                if let Some(within) = within {
                    self.put(" within ");
                    self.show(within);
                }
            }
        }
        self.put(";");
    }

    fn if_block(&mut self, block: &IfBlock) {
        for (at, (condition, items)) in block.branches.iter().enumerate() {
            if at > 0 {
                self.line();
            }
            self.put(if at > 0 { "elsif " } else { "if " });
            let start = self.out.len();
            self.expr(condition, Level::OPEN);
            // `elsif [i] = …` would be an equation.
            if self.out[start..].starts_with('[') {
                self.out.insert(start, '(');
                self.put(")");
            }
            self.put(" then\n");
            self.node_items(items);
        }
        if !block.otherwise.is_empty() {
            self.line();
            self.put("else\n");
            self.node_items(&block.otherwise);
        }
        self.line();
        self.put("fi");
    }

    fn frame_block(&mut self, block: &FrameBlock) {
        self.put("frame (");
        self.separated(&block.vars, ", ", |p, var| p.show(var.name));
        self.put(")\n");
        for init in &block.inits {
            self.line();
            self.equation(init);
            self.put("\n");
        }
        self.line();
        self.put("let\n");
        self.node_items(&block.body);
        self.line();
        self.put("tel");
    }

    fn exprs(&mut self, exprs: &[Expr]) {
        self.separated(exprs, ", ", |p, expr| p.expr(expr, Level::OPEN));
    }

    /// Prints an expression that must be of level `least` or tighter.
    fn expr(&mut self, expr: &Expr, least: Level) {
        if self.out.len() > self.max_bytes {
            return;
        }
        let own = expr_level(&expr.kind);
        if own < least {
            self.put("(");
            self.bare(expr);
            self.put(")");
        } else {
            self.bare(expr);
        }
    }

    fn bare(&mut self, expr: &Expr) {
        match &expr.kind {
            ExprKind::Bool(value) => self.show(value),
            ExprKind::Int(value) => self.show(value),
            // Every literal has a finite decimal expansion.
            ExprKind::Real(value) => self.put(&decimal_string(value).unwrap_or_default()),
            ExprKind::Name(name) => self.show(name),
            ExprKind::ModeRef(path) => {
                for part in path {
                    self.put("::");
                    self.show(part.name);
                }
            }
            ExprKind::Unary(op, operand) => self.unary(*op, operand),
            ExprKind::Binary(op, left, right) => {
                let row = op.row();
                self.expr(left, row.left());
                self.put(" ");
                self.put(row.text);
                self.put(" ");
                self.expr(right, row.right());
            }
            ExprKind::If(condition, yes, no) => self.conditional("if", condition, yes, no),
            ExprKind::With(condition, yes, no) => self.conditional("with", condition, yes, no),
            ExprKind::AtMostOne(all) => self.listed("#(", all, ")"),
            ExprKind::Nor(all) => self.listed("nor(", all, ")"),
            ExprKind::Quantified(quantifier, vars, body) => {
                self.put(match quantifier {
                    Quantifier::Forall => "forall ",
                    Quantifier::Exists => "exists ",
                });
                self.params(vars);
                self.put(" ");
                self.expr(body, Level::QUANTIFIER.tighter());
            }
            ExprKind::When(base, clock) => {
                self.expr(base, Level::WHEN);
                self.put(" when ");
                self.clock(clock);
            }
            ExprKind::Current(base) => {
                self.put("current ");
                self.expr(base, Level::WHEN.tighter());
            }
            ExprKind::Merge(clock, cases) => self.merge(clock, cases),
            ExprKind::Call(call) => self.call(call),
            ExprKind::Delay(delayed, steps, initial) => {
                self.put("fby(");
                self.expr(delayed, Level::OPEN);
                self.put(", ");
                self.show(steps);
                self.put(", ");
                self.expr(initial, Level::OPEN);
                self.put(")");
            }
            ExprKind::List(all) => self.listed("(", all, ")"),
            ExprKind::Tuple(all) => self.listed("{", all, "}"),
            ExprKind::Array(all) => self.listed("[", all, "]"),
            ExprKind::Fill(element, size) => {
                self.expr(element, Level::CARET);
                self.put("^");
                self.expr(size, Level::POSTFIX);
            }
            ExprKind::Record(name, fields) => {
                self.show(name.name);
                self.put(" { ");
                self.separated(fields, "; ", |p, (field, value)| {
                    p.show(field.name);
                    p.put(" = ");
                    p.expr(value, Level::OPEN);
                });
                self.put(" }");
            }
            ExprKind::Field(base, field) => {
                self.expr(base, Level::POSTFIX);
                self.put(".");
                self.show(field.name);
            }
            ExprKind::Project(base, position) => {
                self.expr(base, Level::POSTFIX);
                self.put(".%");
                self.show(position);
            }
            ExprKind::Index(base, index) => {
                self.expr(base, Level::POSTFIX);
                self.put("[");
                self.expr(index, Level::OPEN);
                self.put("]");
            }
            ExprKind::Slice(base, first, last, step) => {
                self.expr(base, Level::POSTFIX);
                self.put("[");
                self.expr(first, Level::OPEN);
                self.put("..");
                self.expr(last, Level::OPEN);
                if let Some(step) = step {
                    self.put(" step ");
                    self.expr(step, Level::OPEN);
                }
                self.put("]");
            }
            ExprKind::Update(base, path, value) => self.update(base, path, value),
        }
    }

    fn listed(&mut self, opening: &str, all: &[Expr], closing: &str) {
        self.put(opening);
        self.exprs(all);
        self.put(closing);
    }

    fn unary(&mut self, op: UnaryOp, operand: &Expr) {
        let start = self.out.len();
        self.show(op);
        if self.out[start..].ends_with(char::is_alphanumeric) {
            self.put(" ");
        }
        // What is converted stands in parentheses, though the parser would take it all.
        let least = match op.row().operand {
            Level::OPEN => Level::PREFIX,
            operand => operand,
        };
        self.expr(operand, least);
    }

    fn conditional(&mut self, keyword: &str, condition: &Expr, yes: &Expr, no: &Expr) {
        self.put(keyword);
        self.put(" ");
        self.expr(condition, Level::OPEN);
        self.put(" then ");
        self.expr(yes, Level::OPEN);
        self.put(" else ");
        self.expr(no, Level::ELSE);
    }

    fn clock(&mut self, clock: &ClockExpr) {
        match clock {
            ClockExpr::On(clock) => self.show(clock.name),
            ClockExpr::OnNot(clock) => {
                self.put("not ");
                self.show(clock.name);
            }
            ClockExpr::OnValue(value, clock) => {
                self.show(value.name);
                self.put("(");
                self.show(clock.name);
                self.put(")");
            }
            ClockExpr::True => self.put("true"),
        }
    }

    fn merge(&mut self, clock: &Ident, cases: &[(MergeCase, Expr)]) {
        self.put("merge ");
        self.show(clock.name);
        for (case, value) in cases {
            self.put(" (");
            match case {
                MergeCase::True(_) => self.put("true"),
                MergeCase::False(_) => self.put("false"),
                MergeCase::Value(value) => self.show(value.name),
            }
            self.put(" -> ");
            self.expr(value, Level::OPEN);
            self.put(")");
        }
    }

    fn call(&mut self, call: &Call) {
        match (&call.every, &call.defaults) {
            (Some(every), Some(defaults)) => {
                self.put("condact(");
                self.expr(every, Level::OPEN);
                self.put(", ");
                self.restarted(call);
                for default in defaults {
                    self.put(", ");
                    self.expr(default, Level::OPEN);
                }
                self.put(")");
            }
            (Some(every), None) => {
                self.put("(activate ");
                self.show(call.node.name);
                self.put(" every ");
                self.expr(every, Level::OPEN);
                if let Some(restart) = &call.restart {
                    self.put(" restart every ");
                    self.expr(restart, Level::OPEN);
                }
                self.listed(")(", &call.args, ")");
            }
            (None, _) => self.restarted(call),
        }
    }

    fn restarted(&mut self, call: &Call) {
        match &call.restart {
            Some(restart) => {
                self.put("(restart ");
                self.show(call.node.name);
                self.put(" every ");
                self.expr(restart, Level::OPEN);
                self.listed(")(", &call.args, ")");
            }
            None => {
                self.show(call.node.name);
                self.listed("(", &call.args, ")");
            }
        }
    }

    fn update(&mut self, base: &Expr, path: &[Access], value: &Expr) {
        self.put("(");
        self.expr(base, Level::OPEN);
        self.put(" with ");
        for access in path {
            match access {
                Access::Field(field) => {
                    self.put(".");
                    self.show(field.name);
                }
                Access::Project(position, _) => {
                    self.put(".%");
                    self.show(position);
                }
                Access::Index(index) => {
                    self.put("[");
                    self.expr(index, Level::OPEN);
                    self.put("]");
                }
            }
        }
        self.put(" = ");
        self.expr(value, Level::OPEN);
        self.put(")");
    }
}

fn expr_level(kind: &ExprKind) -> Level {
    match kind {
        ExprKind::Unary(op, _) => op.row().level,
        ExprKind::Binary(op, ..) => op.row().level,
        ExprKind::If(..) | ExprKind::With(..) => Level::ELSE,
        ExprKind::Quantified(..) => Level::QUANTIFIER,
        ExprKind::When(..) | ExprKind::Current(_) => Level::WHEN,
        ExprKind::Fill(..) => Level::CARET,
        ExprKind::Bool(_)
        | ExprKind::Int(_)
        | ExprKind::Real(_)
        | ExprKind::Name(_)
        | ExprKind::ModeRef(_)
        | ExprKind::AtMostOne(_)
        | ExprKind::Nor(_)
        | ExprKind::Merge(..)
        | ExprKind::Call(_)
        | ExprKind::Delay(..)
        | ExprKind::List(_)
        | ExprKind::Tuple(_)
        | ExprKind::Array(_)
        | ExprKind::Record(..)
        | ExprKind::Field(..)
        | ExprKind::Project(..)
        | ExprKind::Index(..)
        | ExprKind::Slice(..)
        | ExprKind::Update(..) => Level::POSTFIX,
    }
}
