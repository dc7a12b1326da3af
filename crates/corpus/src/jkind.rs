//! Cores as JKind reports them.
//!
//! JKind inlines all calls. Three traits of this show in its figures:
//!
//! - An instance is called after its node and a number, `node~2.`, and the numbers
//!   are left out of what is reported. So an element of a reported core stands for
//!   all instances on the same way of nodes, and a core that then includes another
//!   one is not reported at all.
//! - Where `->` or `pre` stand below a `pre`, what is below the outer one gets a
//!   stream and an equation, `%flatten2`. This number stays.
//! - Assertions of called nodes are ignored.
//!
//! In what else is an element, both agree: an argument of a call is the equation of an
//! input of the instance, and equal calls in a node are one.
//! `docs/traceability.md` has more, which makes no difference to the published figures.

use std::collections::{BTreeSet, HashMap};
use std::path::Path;

use lang::Type;
use syntax::ast::{
    BinaryOp, Equation, Expr, ExprKind, Ident, Item, Left, Local, NodeDecl, NodeItem, Param,
    TypeExpr, TypeKind, UnaryOp,
};
use syntax::{Span, Symbol};

use crate::cores::Core;
use crate::files;

/// How the streams are called that stand below a `pre`.
const FLATTENED: &str = "flattened_";

/// The cores that are left once instances have no numbers, without those that
/// include another one.
pub(crate) fn reported(cores: &BTreeSet<Core>) -> BTreeSet<Core> {
    let all: BTreeSet<Core> = cores.iter().map(without_instances).collect();
    let is_minimal = |core: &&Core| {
        !all.iter()
            .any(|other| other != *core && other.is_subset(core))
    };
    all.iter().filter(is_minimal).cloned().collect()
}

pub(crate) fn without_instances(core: &Core) -> Core {
    core.iter().map(|name| without_places(name)).collect()
}

/// The name of an element without the places of the calls on the way to it. A stream
/// below a `pre` keeps them.
fn without_places(name: &str) -> String {
    let own = name.rsplit('.').next().unwrap_or(name);
    if own.starts_with(FLATTENED) {
        return name.to_owned();
    }
    let mut parts = name.split('[');
    let mut kept = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        match part.split_once(']') {
            Some((place, rest)) if is_place(place) => kept.push_str(rest),
            _ => kept.extend(["[", part]),
        }
    }
    kept
}

/// `l12c5`
fn is_place(text: &str) -> bool {
    let numbers = text.strip_prefix('l').and_then(|rest| rest.split_once('c'));
    numbers
        .is_some_and(|(line, column)| line.parse::<u32>().is_ok() && column.parse::<u32>().is_ok())
}

/// A model with the text that JKind makes of it.
pub(crate) struct Reading {
    pub text: String,
    /// Streams for what stands below a `pre`.
    pub flattened: usize,
    /// Assertions of called nodes.
    pub ignored: usize,
}

/// How JKind reads a model; `None` if it has something below a `pre` that is of no
/// basic type.
pub(crate) fn reading(path: &Path) -> Option<Reading> {
    let loaded = syntax::load(&files::name(path), path, files::read(path), &[]);
    let checked = lang::check(&loaded.program, &lang::CheckOptions::default());
    let program = checked.program?;
    let top = program.node(*program.top_nodes().first()?).name;
    let mut flattening = Flattening {
        types: operand_types(&program),
        added: Vec::new(),
        count: 0,
        failed: false,
    };
    let mut tree = loaded.program;
    let mut ignored = 0;
    for item in &mut tree.items {
        if let Item::Node(node) = item {
            if node.name.name != top {
                ignored += ignore_assertions(node);
            }
            flattening.node(node);
        }
    }
    (!flattening.failed).then(|| Reading {
        text: syntax::print::program(&tree),
        flattened: flattening.count,
        ignored,
    })
}

fn ignore_assertions(node: &mut NodeDecl) -> usize {
    let Some(body) = &mut node.body else { return 0 };
    let before = body.len();
    body.retain(|item| !matches!(item, NodeItem::Assert { .. }));
    before - body.len()
}

/// The types of what stands below a `pre`.
fn operand_types(program: &lang::Program) -> HashMap<Span, Type> {
    fn visit(expr: &lang::Expr, types: &mut HashMap<Span, Type>) {
        if let lang::ExprKind::Pre(operand, _) = &expr.kind {
            types.insert(operand.span, operand.ty.clone());
        }
        expr.for_each_part(|part| visit(part, types));
    }
    let mut types = HashMap::new();
    for node in &program.nodes {
        let mut node = lang::Node::clone(node);
        node.for_each_expr_mut(|expr| visit(expr, &mut types));
    }
    types
}

struct Flattening {
    types: HashMap<Span, Type>,
    /// The streams of the node at hand.
    added: Vec<(Ident, TypeKind, Expr)>,
    count: usize,
    failed: bool,
}

impl Flattening {
    fn node(&mut self, node: &mut NodeDecl) {
        let Some(body) = &mut node.body else { return };
        for item in body.iter_mut() {
            match item {
                NodeItem::Equation(equation) => self.expr(&mut equation.right),
                NodeItem::Assert { expr, .. } => self.expr(expr),
                NodeItem::Property(property) => self.expr(&mut property.expr),
                // JKind has no other items with expressions.
                _ => {}
            }
        }
        for (name, kind, right) in self.added.drain(..) {
            let span = right.span;
            node.locals.push(Local::Var(Param {
                name,
                ty: TypeExpr { kind, span },
                is_const: false,
                clock: None,
            }));
            let indices = Vec::new();
            body.push(NodeItem::Equation(Equation {
                left: vec![Left { name, indices }],
                right,
                span,
            }));
        }
    }

    fn expr(&mut self, expr: &mut Expr) {
        expr.for_each_part_mut(&mut |part| self.expr(part));
        let ExprKind::Unary(UnaryOp::Pre, operand) = &mut expr.kind else {
            return;
        };
        if !is_temporal(operand) {
            return;
        }
        let kind = match self.types.get(&operand.span) {
            Some(Type::Bool) => TypeKind::Bool,
            Some(Type::Int) => TypeKind::Int,
            Some(Type::Real) => TypeKind::Real,
            _ => {
                self.failed = true;
                return;
            }
        };
        self.count += 1;
        let span = operand.span;
        let name = Symbol::new(&format!("{FLATTENED}{}", self.count));
        let stream = Expr {
            kind: ExprKind::Name(name),
            span,
        };
        let value = std::mem::replace(&mut **operand, stream);
        self.added.push((Ident { name, span }, kind, value));
    }
}

/// Does the value depend on earlier steps, other than by a call? Calls are inlined
/// before.
fn is_temporal(expr: &Expr) -> bool {
    match &expr.kind {
        ExprKind::Call(_) => return false,
        ExprKind::Unary(UnaryOp::Pre, _)
        | ExprKind::Binary(BinaryOp::Arrow | BinaryOp::Fby, ..)
        | ExprKind::Delay(..) => return true,
        _ => {}
    }
    let mut found = false;
    expr.for_each_part(&mut |part| found |= is_temporal(part));
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn core(names: &[&str]) -> Core {
        names.iter().map(|name| (*name).to_owned()).collect()
    }

    #[test]
    fn names_lose_places_and_keep_indices() {
        assert_eq!(without_places("f[l1c20].g[l3c4].x[2]"), "f.g.x[2]");
        assert_eq!(
            without_places("f[l1c20].flattened_1"),
            "f[l1c20].flattened_1"
        );
    }

    #[test]
    fn cores_that_include_another_are_not_reported() {
        let cores = [
            core(&["ok", "f[l1c1].x"]),
            core(&["ok", "f[l2c1].x"]),
            core(&["ok", "f[l1c1].y", "f[l2c1].x"]),
        ];
        let reported = reported(&cores.into());
        assert_eq!(reported, [core(&["ok", "f.x"])].into());
    }

    #[test]
    fn what_is_temporal_below_a_pre_is_a_stream() {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/nested_pre.lus");
        let reading = reading(&path).expect("the model is right");
        assert_eq!((reading.flattened, reading.ignored), (2, 1));
        let text = reading.text;
        let parsed = syntax::load("nested_pre.lus", &path, text.clone(), &[]);
        assert!(parsed.errors.is_empty(), "{text}");
        let squeezed: String = text.split_whitespace().collect();
        for part in [
            "flattened_1=prex;",
            "flattened_2=false->preflattened_1;",
            "y=true->preflattened_2;",
            "assertx;",
        ] {
            assert!(squeezed.contains(part), "{part} in {text}");
        }
        assert!(!squeezed.contains("assertnot"), "{text}");
    }
}
