//! Mutants of a program: each with a small error somewhere in an equation.
//!
//! Mutators change bodies and the arguments of calls; an argument counts as an equation of its own.
//! Properties, contracts and assertions judge the mutants and are not changed, nor are equations
//! that only define a property. A mutant is a change of the source: it applies to all instances of
//! its node, and to all streams that the changed text defines.

mod apply;
mod mutator;
mod position;
mod prepare;

use std::collections::{BTreeMap, BTreeSet};

use lang::{CallId, Def, EquationId, Expr, ExprKind, Node, NodeId, Program, Type, VarClass, VarId};
use lower::Part;
use syntax::ast::NodeKind;
use syntax::{SourceMap, Span};

pub use apply::Mutated;
pub(crate) use mutator::written;
pub use mutator::{Group, Mutator};
pub use prepare::PreparedMutants;

/// A program with one change.
#[derive(Clone, Debug)]
pub struct Mutant {
    /// The node that is changed.
    pub node: NodeId,
    /// The operator, the constant, or the left-hand side.
    pub at: Span,
    pub mutator: Mutator,
    /// The name of the change in the paper.
    pub name: String,
    /// What the changed text defines: a stream, or an argument.
    pub target: Target,
    pub changes: Vec<Change>,
}

/// The equation or argument that a mutant changes.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Target {
    pub part: Part,
    /// The stream, or the input of the callee.
    pub name: String,
    /// The equation, or the argument.
    pub span: Span,
}

/// Another definition of what a part of the program defines.
#[derive(Clone, Debug)]
pub struct Change {
    pub part: Part,
    /// Anything that the type allows if `None`.
    pub expr: Option<Expr>,
}

/// All mutants of the nodes at and below `top`, in the order of the source.
pub fn mutants(
    program: &Program,
    sources: &SourceMap,
    top: NodeId,
    wanted: &BTreeSet<Mutator>,
) -> Vec<Mutant> {
    let mut found = Mutants {
        program,
        sources,
        wanted,
        all: BTreeMap::new(),
    };
    let mut nodes = crate::below(program, top, &BTreeSet::new());
    nodes.insert(top);
    for id in nodes.into_iter().filter(|id| program.node(*id).has_body) {
        found.node(id);
    }
    let mut all: Vec<Mutant> = found.all.into_values().collect();
    all.sort_by_key(|mutant| (mutant.at.file, mutant.at.start, mutant.mutator));
    all
}

struct Mutants<'m> {
    program: &'m Program,
    sources: &'m SourceMap,
    wanted: &'m BTreeSet<Mutator>,
    /// By node, place and name: the same text may define several streams.
    all: BTreeMap<(NodeId, Span, String), Mutant>,
}

impl Mutants<'_> {
    fn node(&mut self, id: NodeId) {
        let node = self.program.node(id);
        let mut removed: BTreeSet<EquationId> = BTreeSet::new();
        for var in node.var_ids() {
            let Some((def, equation)) = model_equation(node, var) else {
                continue;
            };
            if only_a_property(self.program, id, var) {
                continue;
            }
            let (declared, span) = (node.var(var), node.equation(equation).span);
            let left = position::left_hand_side(self.sources, span, declared.name.as_str());
            let alone = node.equation(equation).vars.len() == 1;
            let target = Target {
                part: Part::Equation(id, var),
                name: declared.name.to_string(),
                span,
            };
            let start = Span {
                end: span.start + 1,
                ..span
            };
            let left = if alone {
                Span {
                    end: left.end,
                    ..start
                }
            } else {
                left
            };
            if removed.insert(equation) {
                let vars = node.equation(equation).vars.iter();
                let vars = vars.filter(|var| model_equation(node, **var).is_some());
                let parts: Vec<Part> = vars.map(|var| Part::Equation(id, *var)).collect();
                self.remove(&target, if alone { left } else { start }, parts);
            }
            let ty = match def.indices.is_empty() {
                true => &declared.ty,
                false => &def.expr.ty,
            };
            self.constants(&target, left, &def.expr, ty);
            self.inside(&target, &def.expr);
        }
        for call in node
            .live_calls()
            .filter(|call| !node.call(*call).in_contract)
        {
            self.arguments(id, call);
        }
    }

    fn arguments(&mut self, id: NodeId, call: CallId) {
        let declared = self.program.node(id).call(call);
        let callee = self.program.node(declared.node);
        for (at, argument) in declared.args.iter().enumerate() {
            let input = callee.var(callee.inputs[at]);
            if input.class == (VarClass::Input { is_const: true }) {
                continue;
            }
            let target = Target {
                part: Part::Binding(id, call, at),
                name: format!("{}.{}", callee.name, input.name),
                span: argument.span,
            };
            let place = position::position(self.sources, argument);
            self.remove(&target, place, vec![target.part]);
            self.constants(&target, place, argument, &input.ty);
            self.inside(&target, argument);
        }
    }

    fn add(&mut self, target: &Target, at: Span, mutator: Mutator, name: String, change: Change) {
        if !self.wanted.contains(&mutator) {
            return;
        }
        let node = target.part.node();
        let key = (node, at, name.clone());
        let mutant = self.all.entry(key).or_insert_with(|| Mutant {
            node,
            at,
            mutator,
            name,
            target: target.clone(),
            changes: Vec::new(),
        });
        if mutant.changes.iter().all(|known| known.part != change.part) {
            mutant.changes.push(change);
        }
    }

    fn remove(&mut self, target: &Target, at: Span, parts: Vec<Part>) {
        for part in parts {
            let change = Change { part, expr: None };
            let name = "equation_remove".to_owned();
            self.add(target, at, Mutator::Remove, name, change);
        }
    }

    /// The stream is a constant, always or at the first step.
    fn constants(&mut self, target: &Target, at: Span, expr: &Expr, ty: &Type) {
        let Some((always, first)) = mutator::constants(self.program, ty) else {
            return;
        };
        let part = target.part;
        let constant = |value| Expr {
            kind: ExprKind::Value(value),
            ..expr.clone()
        };
        for value in always {
            let name = format!("equal_{}", mutator::written(self.program, &value));
            let expr = Some(constant(value));
            self.add(target, at, Mutator::Equal, name, Change { part, expr });
        }
        if self.program.node(part.node()).kind == NodeKind::Function {
            return;
        }
        for value in first {
            let name = format!("init_{}", mutator::written(self.program, &value));
            let expr = Some(Expr {
                kind: ExprKind::Arrow(constant(value).into(), expr.clone().into()),
                ..expr.clone()
            });
            self.add(target, at, Mutator::Init, name, Change { part, expr });
        }
    }

    /// Changes within an expression.
    fn inside(&mut self, target: &Target, expr: &Expr) {
        let part = target.part;
        let mut found = Vec::new();
        self.changes(expr, &mut found);
        for local in found {
            let expr = Some(local.expr);
            self.add(
                target,
                local.at,
                local.mutator,
                local.name,
                Change { part, expr },
            );
        }
    }

    fn changes(&self, expr: &Expr, found: &mut Vec<LocalChange>) {
        self.own_changes(expr, found);
        let mut parts = Vec::new();
        expr.for_each_part(|part| parts.push(part));
        // Indices are not changed: definitions could become circular.
        let open = match &expr.kind {
            ExprKind::Index(..) => vec![0],
            ExprKind::Update(..) => vec![0, parts.len() - 1],
            _ => (0..parts.len()).collect(),
        };
        for at in open {
            let mut inner = Vec::new();
            self.changes(parts[at], &mut inner);
            found.extend(inner.into_iter().map(|local| LocalChange {
                expr: with_part(expr, at, local.expr),
                ..local
            }));
        }
    }

    fn own_changes(&self, expr: &Expr, found: &mut Vec<LocalChange>) {
        if let ExprKind::Value(value) = &expr.kind {
            return self.constant(expr, value, found);
        }
        let Some(at) = position::operator(self.sources, expr) else {
            return;
        };
        let changed = match &expr.kind {
            ExprKind::Binary(op, left, right) => mutator::binary(*op, left, right),
            ExprKind::Unary(op, operand) => mutator::unary(*op, operand).into_iter().collect(),
            ExprKind::If(condition, yes, no) => mutator::branching(condition, yes, no),
            _ => Vec::new(),
        };
        found.extend(changed.into_iter().map(|(mutator, kind)| LocalChange {
            at,
            mutator,
            name: mutator.name().to_owned(),
            expr: Expr {
                kind,
                ..expr.clone()
            },
        }));
    }

    /// A constant that is written as one. A sign in front of it is an operator.
    fn constant(&self, expr: &Expr, value: &lang::Value, found: &mut Vec<LocalChange>) {
        let with = |value| Expr {
            kind: ExprKind::Value(value),
            ..expr.clone()
        };
        let mut add = |at, mutator, name, value| {
            let expr = with(value);
            found.push(LocalChange {
                at,
                mutator,
                name,
                expr,
            });
        };
        let negated = |value: &lang::Value| lang::ops::unary(lang::UnOp::Neg, value);
        let sign = position::prefix(self.sources, expr.span, lang::UnOp::Neg);
        let sign = sign.and_then(|sign| Some((sign, negated(value)?)));
        let (at, written, back): (_, _, &dyn Fn(_) -> _) = match &sign {
            Some((sign, operand)) => {
                let name = Mutator::RemoveMinus.name().to_owned();
                add(*sign, Mutator::RemoveMinus, name, operand.clone());
                let text = self.sources.text(expr.span);
                let skipped = text.len() - text[1..].trim_start().len();
                let start = expr.span.start + skipped as u32;
                let at = Span { start, ..expr.span };
                (at, operand.clone(), &|value| negated(&value))
            }
            None => (expr.span, value.clone(), &Some),
        };
        if let Some(other) = mutator::constant(self.program, &written) {
            let show = |value| mutator::written(self.program, value);
            let (from, to) = (show(&written), show(&other));
            let name = format!(
                "(const {} {from} -> {to})",
                mutator::kind(self.program, &written)
            );
            if let Some(value) = back(other) {
                add(at, Mutator::Constant, name, value);
            }
        }
    }
}

/// A change somewhere in an expression, and what becomes of the whole.
struct LocalChange {
    at: Span,
    mutator: Mutator,
    name: String,
    expr: Expr,
}

fn with_part(expr: &Expr, at: usize, part: Expr) -> Expr {
    let mut whole = expr.clone();
    let mut part = Some(part);
    let mut position = 0..;
    whole.for_each_part_mut(|own| {
        if position.next() == Some(at)
            && let Some(part) = part.take()
        {
            *own = part;
        }
    });
    whole
}

/// The definition of a stream by an equation of the body.
fn model_equation(node: &Node, var: VarId) -> Option<(&Def, EquationId)> {
    let declared = node.var(var);
    let of_body = matches!(declared.class, VarClass::Output | VarClass::Local);
    let def = declared.def.as_ref().filter(|_| of_body)?;
    let equation = def.equation?;
    let is_open = matches!(def.expr.kind, ExprKind::Choice(_));
    (!is_open && !node.equation(equation).in_contract).then_some((def, equation))
}

/// Is the stream a property, and nothing else reads it?
fn only_a_property(program: &Program, id: NodeId, var: VarId) -> bool {
    let node = program.node(id);
    let is_it = |expr: &Expr| expr.kind == ExprKind::Var(var);
    if !node.properties.iter().any(|property| is_it(&property.expr)) {
        return false;
    }
    let output = node.outputs.iter().position(|output| *output == var);
    let outside = output.is_some_and(|output| {
        let mut nodes = program.nodes.iter();
        nodes.any(|node| {
            reads(node, &|expr| match expr.kind {
                ExprKind::Call(call, at) => at == output && node.call(call).node == id,
                _ => false,
            })
        })
    });
    !outside && !reads(node, &is_it)
}

/// Do the equations, calls and assertions of a node mention something?
fn reads(node: &Node, what: &dyn Fn(&Expr) -> bool) -> bool {
    let definitions = node.vars.iter().filter_map(|var| var.def.as_ref());
    let asserted = node.asserts.iter().map(|assertion| &assertion.expr);
    let passed = node.calls.iter().flat_map(|call| {
        let parts = call.args.iter().chain(&call.clock).chain(&call.restart);
        parts.chain(call.defaults.iter().flatten())
    });
    let mut all = definitions
        .map(|def| &def.expr)
        .chain(asserted)
        .chain(passed);
    all.any(|expr| mentions(expr, what))
}

fn mentions(expr: &Expr, what: &dyn Fn(&Expr) -> bool) -> bool {
    let mut found = what(expr);
    expr.for_each_part(|part| found = found || mentions(part, what));
    found
}
