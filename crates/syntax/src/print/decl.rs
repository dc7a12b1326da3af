//! Declarations: types, constants, nodes and contracts.

use super::Printer;
use crate::ast::*;
use crate::operator::Level;

impl Printer {
    pub(super) fn item(&mut self, item: &Item) {
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

    pub(super) fn type_expr(&mut self, ty: &TypeExpr) {
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

    pub(super) fn params(&mut self, params: &[Param]) {
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

    pub(super) fn name(&mut self, name: &Option<Text>) {
        if let Some(name) = name {
            self.put(" \"");
            self.put(&name.text);
            self.put("\"");
        }
    }
}
