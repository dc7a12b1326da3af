//! The streams of a node, by the terms of their values.

use std::collections::HashMap;

use lang::{Program, Type, VarClass};
use lower::{Leaf, Lowered, Shape};
use num_bigint::BigInt;
use sim::PathStep;
use syntax::ast::{Expr, ExprKind};
use syntax::{SourceMap, Symbol};
use system::{Kind, Term, Var};

use super::build;

/// A stream, or a part of one of a simple type.
#[derive(Clone)]
pub(crate) struct Stream {
    pub name: Expr,
    pub term: Term,
    pub leaf: Leaf,
}

/// Which streams are named.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Seen {
    /// Those of bodies, in called nodes too.
    Bodies,
    /// The inputs and outputs of the top node.
    Interface,
    /// Those of the contract of the top node.
    Contract,
}

/// Names for the terms of streams.
pub(crate) fn streams(
    program: &Program,
    sources: &SourceMap,
    lowered: &Lowered,
    which: Seen,
) -> HashMap<u64, Stream> {
    let mut all = HashMap::new();
    for (id, shape) in &lowered.consts {
        let constant = &program.consts[id.index()];
        name_parts(
            program,
            &constant.ty,
            shape,
            build::name(constant.name),
            &mut all,
        );
    }
    let Some(top) = lowered.slots.first() else {
        return all;
    };
    // The top node first: its names are the shortest.
    let mut instances = lowered.reduced_instances();
    instances.sort_by_key(|instance| instance.path.len());
    for instance in instances {
        if which != Seen::Bodies && !instance.path.is_empty() {
            continue;
        }
        let nodes = instance.path.iter();
        let id = nodes.fold(top.node, |id, step| program.node(id).call(step.call).node);
        let node = program.node(id);
        // A clocked call does not compute its streams at every step.
        if instance.tick != system::boolean(true) {
            continue;
        }
        let prefix = prefix(program, sources, top.node, &instance.path);
        for (var, shape) in node.vars.iter().zip(&instance.values) {
            let seen = match var.class {
                VarClass::Input { .. } | VarClass::Output => true,
                VarClass::Local | VarClass::Const => which == Seen::Bodies,
                VarClass::Ghost => which == Seen::Contract,
                VarClass::ContractInput | VarClass::Mode => false,
            };
            if seen {
                let name = Symbol::new(&format!("{prefix}{}", var.name));
                name_parts(program, &var.ty, shape, build::name(name), &mut all);
            }
        }
    }
    all
}

/// A called node, as runs name it.
fn prefix(program: &Program, sources: &SourceMap, top: lang::NodeId, path: &[PathStep]) -> String {
    let mut prefix = String::new();
    let mut node = program.node(top);
    for step in path {
        let call = node.call(step.call);
        let at = sources.position(call.span);
        node = program.node(call.node);
        prefix += &format!("{}[l{}c{}]", node.name, at.line, at.column);
        prefix.extend(step.indices.iter().map(|at| format!("[{at}]")));
        prefix.push('.');
    }
    prefix
}

fn name_parts(
    program: &Program,
    ty: &Type,
    shape: &Shape,
    name: Expr,
    all: &mut HashMap<u64, Stream>,
) {
    match (ty, shape) {
        (_, Shape::Leaf(term, leaf)) if !is_literal(term) => {
            let (term, leaf) = (term.clone(), *leaf);
            let stream = || Stream {
                name,
                term: term.clone(),
                leaf,
            };
            all.entry(term.id()).or_insert_with(stream);
        }
        (Type::Tuple(types), Shape::Fields(parts)) => {
            for (at, (ty, part)) in (0u32..).zip(types.iter().zip(parts.iter())) {
                let field = build::expr(ExprKind::Project(name.clone().into(), at));
                name_parts(program, ty, part, field, all);
            }
        }
        (Type::Record(id), Shape::Fields(parts)) => {
            let fields = &program.record(*id).fields;
            for ((field, ty), part) in fields.iter().zip(parts.iter()) {
                let field = ExprKind::Field(name.clone().into(), build::ident(*field));
                name_parts(program, ty, part, build::expr(field), all);
            }
        }
        (Type::Array(array), Shape::Array(parts)) => {
            for (at, part) in parts.iter().enumerate() {
                let index = build::integer(&BigInt::from(at));
                let element = ExprKind::Index(name.clone().into(), index.into());
                name_parts(program, &array.element, part, build::expr(element), all);
            }
        }
        _ => {}
    }
}

fn is_literal(term: &Term) -> bool {
    matches!(
        term.kind(),
        Kind::Bool(_) | Kind::Int(_) | Kind::Real(_) | Kind::BitVec(..)
    )
}

/// The kind of leaf of each variable of the system.
pub(crate) fn leaves(lowered: &Lowered) -> HashMap<Var, Leaf> {
    let mut all = HashMap::new();
    let slots = lowered.slots.iter().flat_map(|part| part.slots.values());
    let shapes = slots.chain(&lowered.inputs);
    let shapes = shapes.chain(lowered.consts.iter().map(|(_, shape)| shape));
    for shape in shapes.chain(lowered.choices.values()) {
        shape.for_each_leaf(&mut |term, leaf| {
            if let Kind::Var(var) = term.kind() {
                all.insert(*var, leaf);
            }
        });
    }
    all
}
