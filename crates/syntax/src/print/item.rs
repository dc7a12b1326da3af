//! The items of a node: equations, properties, annotations and blocks.

use super::Printer;
use crate::ast::*;
use crate::operator::Level;

impl Printer {
    pub(super) fn node_items(&mut self, items: &[NodeItem]) {
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
            NodeItem::Realizable { names, .. } => {
                let names: Vec<&str> = names.iter().map(|name| name.name.as_str()).collect();
                self.put(&format!("--%REALIZABLE {};", names.join(", ")));
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
}
