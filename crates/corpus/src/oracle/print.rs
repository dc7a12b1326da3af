//! The text of a program, and where in it calls and claims stand.
//!
//! Every call and every claim begins a line of its own, so that a line says which one is
//! meant where the checker tells a place.

use std::collections::HashMap;
use std::fmt::Write;

use super::claim::Claim;
use super::model::*;

pub struct Printed {
    pub text: String,
    /// The line of each call of each node.
    pub calls: HashMap<(NodeId, CallId), usize>,
    pub claims: HashMap<(NodeId, Claim), usize>,
}

pub fn print(program: &Program) -> Printed {
    let mut printer = Printer {
        program,
        at: 0,
        printed: Printed {
            text: String::new(),
            calls: HashMap::new(),
            claims: HashMap::new(),
        },
    };
    printer.types();
    for at in 0..program.nodes.len() {
        printer.at = at;
        printer.node();
    }
    printer.printed
}

/// The name that a range is reported under.
pub fn range_name(var: &Var) -> String {
    let name = &var.name;
    match &var.ty {
        Type::Range(low, high) => format!("(({low} <= {name}) and ({name} <= {high}))"),
        _ => String::new(),
    }
}

struct Printer<'p> {
    program: &'p Program,
    at: NodeId,
    printed: Printed,
}

impl<'p> Printer<'p> {
    fn put(&mut self, text: &str) {
        self.printed.text.push_str(text);
    }

    fn line(&self) -> usize {
        1 + self.printed.text.matches('\n').count()
    }

    /// Begins a line with something that is claimed.
    fn claim(&mut self, claim: Claim, text: &str) {
        let line = self.line();
        self.printed.claims.insert((self.at, claim), line);
        self.put(text);
    }

    fn node_here(&self) -> &'p Node {
        &self.program.nodes[self.at]
    }

    fn types(&mut self) {
        for ty in &self.program.enums {
            let line = format!("type {} = enum {{ {} }};\n", ty.name, ty.values.join(", "));
            self.put(&line);
        }
        for record in &self.program.records {
            let fields = record.fields.iter();
            let fields = fields.map(|(name, ty)| format!("{name}: {}", self.ty(ty)));
            let fields: Vec<String> = fields.collect();
            let line = format!("type {} = {{ {} }};\n", record.name, fields.join("; "));
            self.put(&line);
        }
    }

    fn ty(&self, ty: &Type) -> String {
        match ty {
            Type::Bool => "bool".to_owned(),
            Type::Enum(id) => self.program.enums[*id].name.clone(),
            Type::Int => "int".to_owned(),
            Type::Range(low, high) => format!("subrange [{low}, {high}] of int"),
            Type::Machine(Sign::Signed) => "int8".to_owned(),
            Type::Machine(Sign::Unsigned) => "uint8".to_owned(),
            Type::Array(element, count) => format!("{}^{count}", self.ty(element)),
            Type::Record(id) => self.program.records[*id].name.clone(),
        }
    }

    fn declarations(&mut self, class: Class) {
        let node = self.node_here();
        for (at, id) in node.of_class(class).enumerate() {
            if at > 0 {
                self.put("; ");
            }
            let var = &node.vars[id];
            let text = format!("{}: {}", var.name, self.ty(&var.ty));
            self.put(&text);
        }
    }

    fn node(&mut self) {
        let node = self.node_here();
        let kind = match node.kind {
            Kind::Node => "node",
            Kind::Function => "function",
            Kind::Imported => "node imported",
        };
        self.put(&format!("\n{kind} {} (", node.name));
        self.declarations(Class::Input);
        self.put(") returns (");
        self.declarations(Class::Output);
        self.put(");\n");
        self.contract();
        if !node.has_body() {
            return;
        }
        if node.of_class(Class::Local).next().is_some() {
            self.put("var ");
            self.declarations(Class::Local);
            self.put(";\n");
        }
        self.put("let\n");
        self.equations();
        for assertion in &node.assertions {
            self.put("  assert ");
            self.expr(assertion);
            self.put(";\n");
        }
        for (at, property) in node.properties.iter().enumerate() {
            self.property(at, property);
        }
        self.put("tel\n");
    }

    fn contract(&mut self) {
        let node = self.node_here();
        let Some(contract) = &node.contract else {
            return;
        };
        self.put("(*@contract\n");
        for id in node.of_class(Class::Ghost) {
            let var = &node.vars[id];
            let text = format!("  var {}: {} = ", var.name, self.ty(&var.ty));
            self.put(&text);
            if let Definition::Is(expr) = &node.definitions[id] {
                self.expr(expr);
            }
            self.put(";\n");
        }
        for (at, expr) in contract.assumptions.iter().enumerate() {
            self.clause(Claim::Assumption(at), "  assume ", expr);
        }
        for (at, expr) in contract.guarantees.iter().enumerate() {
            self.clause(Claim::Guarantee(at), "  guarantee ", expr);
        }
        for (number, mode) in contract.modes.iter().enumerate() {
            self.claim(
                Claim::ModeReachable(number),
                &format!("  mode {} (\n", mode.name),
            );
            for expr in &mode.requires {
                self.put("    require ");
                self.expr(expr);
                self.put(";\n");
            }
            for (at, expr) in mode.ensures.iter().enumerate() {
                self.clause(Claim::Ensure(number, at), "    ensure ", expr);
            }
            self.put("  );\n");
        }
        self.put("*)\n");
    }

    fn clause(&mut self, claim: Claim, word: &str, expr: &Expr) {
        self.claim(claim, word);
        self.expr(expr);
        self.put(";\n");
    }

    /// The last ones first: their order means nothing.
    fn equations(&mut self) {
        let node = self.node_here();
        for id in (0..node.vars.len()).rev() {
            let var = &node.vars[id];
            match &node.definitions[id] {
                Definition::Is(expr) if var.class != Class::Ghost => {
                    self.put(&format!("  {} = ", var.name));
                    self.expr(expr);
                    self.put(";\n");
                }
                Definition::OutputOf(call, 0) => {
                    let same = |other: &&VarId| matches!(&node.definitions[**other], Definition::OutputOf(c, _) if c == call);
                    let all: Vec<VarId> = (0..node.vars.len()).collect();
                    let names = all.iter().filter(same);
                    let names: Vec<&str> = names.map(|id| node.vars[*id].name.as_str()).collect();
                    self.put(&format!("  ({}) = ", names.join(", ")));
                    self.call(*call);
                    self.put(";\n");
                }
                _ => {}
            }
        }
    }

    fn property(&mut self, at: usize, property: &Property) {
        match &property.kind {
            PropertyKind::Invariant => {
                self.clause(Claim::Property(at), "  check ", &property.expr);
            }
            PropertyKind::Provided(guard) => {
                self.claim(Claim::Property(at), "  check ");
                self.expr(&property.expr);
                self.put(" provided\n");
                self.clause(Claim::Guard(at), "    ", guard);
            }
            PropertyKind::Reachable { from, within } => {
                self.claim(Claim::Property(at), "  check reachable ");
                self.expr(&property.expr);
                match (from, within) {
                    (Some(from), Some(within)) if from == within => {
                        self.put(&format!(" at {from}"));
                    }
                    _ => {
                        let from = from.map(|from| format!(" from {from}"));
                        let within = within.map(|within| format!(" within {within}"));
                        self.put(&(from.unwrap_or_default() + &within.unwrap_or_default()));
                    }
                }
                self.put(";\n");
            }
        }
    }

    /// A call begins a line.
    fn call(&mut self, id: CallId) {
        self.put("\n    ");
        let line = self.line();
        self.printed.calls.insert((self.at, id), line);
        let node = self.node_here();
        let call = &node.calls[id];
        let callee = &self.program.nodes[call.node].name;
        let mut callee = callee.clone();
        let mut prefix = String::new();
        if let Some(restart) = &call.restart {
            let restart = self.text(restart);
            callee = format!("restart {callee} every {restart}");
            prefix = format!("({callee})");
        }
        match &call.clock {
            Some(Clock::Held(Style::Condact, clock, defaults)) if call.restart.is_none() => {
                self.put("condact(");
                self.expr(clock);
                self.put(&format!(", {callee}"));
                self.arguments(&call.args);
                for default in defaults {
                    self.put(", ");
                    self.expr(default);
                }
                self.put(")");
                return;
            }
            Some(Clock::Held(_, clock, defaults)) => {
                let clock = self.text(clock);
                let defaults: Vec<String> = defaults.iter().map(|d| self.text(d)).collect();
                let callee = if prefix.is_empty() { callee } else { prefix };
                self.put(&format!(
                    "(activate {callee} every {clock} initial default {})",
                    defaults.join(", ")
                ));
            }
            Some(Clock::Branch(clock, ty, value, true)) => {
                let clock = self.clock(*clock, ty, *value);
                let callee = if prefix.is_empty() { callee } else { prefix };
                self.put(&format!("(activate {callee} every {clock})"));
            }
            _ if !prefix.is_empty() => self.put(&prefix),
            _ => self.put(&callee),
        }
        self.arguments(&call.args);
    }

    fn arguments(&mut self, args: &[Expr]) {
        self.put("(");
        self.list(args);
        self.put(")");
    }

    fn list(&mut self, exprs: &[Expr]) {
        for (at, expr) in exprs.iter().enumerate() {
            if at > 0 {
                self.put(", ");
            }
            self.expr(expr);
        }
    }

    /// That a clock has a value.
    fn clock(&self, id: VarId, ty: &Type, value: usize) -> String {
        let name = &self.node_here().vars[id].name;
        match ty {
            Type::Enum(enumeration) => {
                let value = &self.program.enums[*enumeration].values[value];
                format!("{value}({name})")
            }
            _ if value == 1 => name.clone(),
            _ => format!("not {name}"),
        }
    }

    /// The text of an expression without calls.
    fn text(&mut self, expr: &Expr) -> String {
        let from = self.printed.text.len();
        self.expr(expr);
        self.printed.text.split_off(from)
    }

    fn literal(&self, ty: &Type, value: &Value) -> String {
        let number = |value: i64| match value {
            0.. => value.to_string(),
            _ => format!("(-{})", -value),
        };
        match ty {
            Type::Bool => value.is_true().to_string(),
            Type::Enum(id) => self.program.enums[*id].values[value.scalar() as usize].clone(),
            Type::Int | Type::Range(..) => number(value.scalar()),
            Type::Machine(_) => format!("({} {})", self.ty(ty), number(value.scalar())),
            Type::Array(element, _) => {
                let parts = value.parts().iter();
                let parts: Vec<String> = parts.map(|part| self.literal(element, part)).collect();
                format!("[{}]", parts.join(", "))
            }
            Type::Record(id) => {
                let record = &self.program.records[*id];
                let fields = record.fields.iter().zip(value.parts());
                let fields =
                    fields.map(|((name, ty), part)| format!("{name} = {}", self.literal(ty, part)));
                let fields: Vec<String> = fields.collect();
                format!("{} {{ {} }}", record.name, fields.join("; "))
            }
        }
    }

    fn expr(&mut self, expr: &Expr) {
        match expr {
            Expr::Literal(ty, value) => {
                let text = self.literal(ty, value);
                self.put(&text);
            }
            Expr::Var(id) => self.put(&self.node_here().vars[*id].name),
            Expr::Not(a) => self.prefix("not ", a),
            Expr::Negative(_, a) => self.prefix("-", a),
            Expr::Logic(logic, a, b) => {
                let word = match logic {
                    Logic::And => "and",
                    Logic::Or => "or",
                    Logic::Xor => "xor",
                    Logic::Implies => "=>",
                };
                self.infix(a, word, b);
            }
            Expr::Compare(comparison, a, b) => {
                let word = match comparison {
                    Comparison::Equal => "=",
                    Comparison::NotEqual => "<>",
                    Comparison::Less => "<",
                    Comparison::AtMost => "<=",
                    Comparison::Greater => ">",
                    Comparison::AtLeast => ">=",
                };
                self.infix(a, word, b);
            }
            Expr::Arithmetic(_, operator, a, b) => {
                let word = match operator {
                    Operator::Add => "+",
                    Operator::Sub => "-",
                    Operator::Mul => "*",
                    Operator::Div => "div",
                    Operator::Mod => "mod",
                };
                self.infix(a, word, b);
            }
            Expr::Convert(Number::Int, a) => self.prefix("int ", a),
            Expr::Convert(Number::Machine(Sign::Signed), a) => self.prefix("int8 ", a),
            Expr::Convert(Number::Machine(Sign::Unsigned), a) => self.prefix("uint8 ", a),
            Expr::AtMostOne(list) => self.applied("(#", list),
            Expr::Nor(list) => self.applied("(nor", list),
            Expr::If(c, a, b) => {
                self.put("(if ");
                self.expr(c);
                self.put(" then ");
                self.expr(a);
                self.put(" else ");
                self.expr(b);
                self.put(")");
            }
            Expr::Arrow(a, b) => self.infix(a, "->", b),
            Expr::Pre(id) => self.prefix("pre ", &self.node_here().memories[*id].operand),
            Expr::Fby(a, id) => self.infix(a, "fby", &self.node_here().memories[*id].operand),
            Expr::Array(list) => {
                self.put("[");
                self.list(list);
                self.put("]");
            }
            Expr::Fill(a, count) => {
                self.put("(");
                self.expr(a);
                self.put(&format!(" ^ {count})"));
            }
            Expr::Record(id, list) => {
                let record = &self.program.records[*id];
                self.put(&format!("{} {{ ", record.name));
                for (at, ((name, _), part)) in record.fields.iter().zip(list).enumerate() {
                    self.put(if at > 0 { "; " } else { "" });
                    self.put(&format!("{name} = "));
                    self.expr(part);
                }
                self.put(" }");
            }
            Expr::Index(a, i) => {
                self.prefix("", a);
                self.put("[");
                self.expr(i);
                self.put("]");
            }
            Expr::Field(record, a, at) => {
                self.prefix("", a);
                let name = &self.program.records[*record].fields[*at].0;
                self.put(&format!(".{name}"));
            }
            Expr::UpdateIndex(a, i, e) => {
                self.put("(");
                self.expr(a);
                self.put(" with [");
                self.expr(i);
                self.put("] = ");
                self.expr(e);
                self.put(")");
            }
            Expr::UpdateField(record, a, at, e) => {
                let name = &self.program.records[*record].fields[*at].0;
                self.put("(");
                self.expr(a);
                self.put(&format!(" with .{name} = "));
                self.expr(e);
                self.put(")");
            }
            Expr::All(a, count) => {
                self.put(&format!("(forall (i: int) 0 <= i and i < {count} => "));
                self.expr(a);
                self.put("[i])");
            }
            Expr::Any(a, count) => {
                self.put(&format!("(exists (i: int) 0 <= i and i < {count} and "));
                self.expr(a);
                self.put("[i])");
            }
            Expr::Call(id) => self.call(*id),
            Expr::Merge(clock, ty, branches) => self.merge(*clock, ty, branches),
            Expr::InMode(mode) => {
                let contract = self.node_here().contract.as_ref();
                let name = contract.map_or("", |contract| &contract.modes[*mode].name);
                self.put(&format!("::{name}"));
            }
        }
    }

    fn merge(&mut self, id: VarId, ty: &Type, branches: &[Branch]) {
        let name = self.node_here().vars[id].name.clone();
        let enumeration = match ty {
            Type::Enum(enumeration) => Some(&self.program.enums[*enumeration].values),
            _ => None,
        };
        match enumeration {
            None => {
                self.put(&format!("merge({name}; "));
                self.branch(id, ty, 1, &branches[1]);
                self.put("; ");
                self.branch(id, ty, 0, &branches[0]);
                self.put(")");
            }
            Some(values) => {
                self.put(&format!("(merge {name}"));
                for (at, branch) in branches.iter().enumerate() {
                    self.put(&format!(" ({} -> ", values[at]));
                    self.branch(id, ty, at, branch);
                    self.put(")");
                }
                self.put(")");
            }
        }
    }

    fn branch(&mut self, id: VarId, ty: &Type, value: usize, branch: &Branch) {
        match branch {
            Branch::Plain(e) => self.expr(e),
            Branch::When(e) => {
                self.expr(e);
                let clock = self.clock(id, ty, value);
                // Writing to a text does not fail.
                let _ = write!(self.printed.text, " when {clock}");
            }
            Branch::Active(call) => self.call(*call),
        }
    }

    fn applied(&mut self, word: &str, list: &[Expr]) {
        self.put(word);
        self.arguments(list);
        self.put(")");
    }

    fn prefix(&mut self, word: &str, a: &Expr) {
        self.put(&format!("({word}("));
        self.expr(a);
        self.put("))");
    }

    fn infix(&mut self, a: &Expr, word: &str, b: &Expr) {
        self.put("(");
        self.expr(a);
        self.put(&format!(" {word} "));
        self.expr(b);
        self.put(")");
    }
}
