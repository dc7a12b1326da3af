//! Terms of a game as equations of a node.
//!
//! A subterm that is used more than once, or a large one, becomes a local stream, so that the text
//! is as long as the terms are as graphs. A state variable becomes a local stream with the value
//! that it has before the step: `m = init -> pre next`.

use std::collections::{HashMap, HashSet};

use game::Memory;
use lang::{Program, Type};
use lower::{Leaf, Lowered, Shape};
use num_bigint::BigInt;
use num_rational::BigRational;
use syntax::ast::{
    BinaryOp, Equation, Expr, ExprKind, Left, Local, NodeItem, Param, Property, PropertyKind, Text,
    TypeExpr, TypeKind, UnaryOp,
};
use syntax::{SourceMap, Span, Symbol};
use system::{Kind, Sort, Term, Var, substitute};

use super::Unwritable;
use crate::invariant_text::streams::{self, Seen, Stream};
use crate::invariant_text::writer::LustreWriter;
use crate::invariant_text::{build, word};

/// A larger expression is taken apart.
const LARGE: usize = 24;

pub(super) struct Body<'a> {
    program: &'a Program,
    lowered: &'a Lowered,
    writer: LustreWriter<'a>,
    taken: HashSet<Symbol>,
    memory: Vec<(Memory, Symbol, Leaf)>,
    locals: Vec<Local>,
    pub items: Vec<NodeItem>,
    count: usize,
}

impl<'a> Body<'a> {
    /// A body that sees the inputs and outputs of the contract's node and free constants. New
    /// names differ from those that are taken.
    pub fn new(
        program: &'a Program,
        sources: &SourceMap,
        lowered: &'a Lowered,
        taken: HashSet<Symbol>,
    ) -> Body<'a> {
        let mut writer = LustreWriter::new(program, &lowered.system);
        writer.streams = streams::streams(program, sources, lowered, Seen::Interface);
        writer
            .streams
            .retain(|_, stream| matches!(stream.term.kind(), Kind::Var(_)));
        writer.leaves = streams::leaves(lowered);
        writer.numbers_enums = true;
        writer.max_size = usize::MAX;
        Body {
            program,
            lowered,
            writer,
            taken,
            memory: Vec::new(),
            locals: Vec::new(),
            items: Vec::new(),
            count: 0,
        }
    }

    /// A name that is not taken yet.
    pub fn fresh(&mut self, wanted: &str) -> Symbol {
        let numbered = (2..).map(|n| Symbol::new(&format!("{wanted}_{n}")));
        let mut names = [Symbol::new(wanted)].into_iter().chain(numbered);
        // There is no end of numbers.
        let found = names.find(|name| self.taken.insert(*name));
        found.unwrap_or_else(|| Symbol::new(wanted))
    }

    /// Defines a stream.
    pub fn equation(&mut self, name: Symbol, right: Expr) {
        let left = Left {
            name: build::ident(name),
            indices: Vec::new(),
        };
        self.items.push(NodeItem::Equation(Equation {
            left: vec![left],
            right,
            span: Span::default(),
        }));
    }

    /// A property that holds at every step.
    pub fn property(&mut self, name: &str, expr: Expr) {
        let span = Span::default();
        self.items.push(NodeItem::Property(Property {
            name: Some(Text {
                text: name.to_owned(),
                span,
            }),
            kind: PropertyKind::Invariant,
            expr,
            span,
        }));
    }

    /// A new local stream; its equation is up to the caller.
    pub fn local(&mut self, wanted: &str, leaf: Leaf) -> Result<Symbol, Unwritable> {
        let ty = leaf_type(self.program, leaf)?;
        let name = self.fresh(wanted);
        self.locals.push(Local::Var(param(name, ty)));
        Ok(name)
    }

    /// The leaf of a variable of the system.
    pub fn leaf_of(&self, var: Var) -> Result<Leaf, Unwritable> {
        if let Some(leaf) = self.writer.leaves.get(&var) {
            return Ok(*leaf);
        }
        match self.lowered.system.var(var).sort {
            Sort::Bool => Ok(Leaf::Bool),
            Sort::Int => Ok(Leaf::Int),
            Sort::Real => Ok(Leaf::Real),
            Sort::BitVec(_) | Sort::Array(_) => Err(Unwritable(
                "its memory has a value of a type that is not known".into(),
            )),
        }
    }

    /// Gives the memory that some terms depend on names of its own.
    pub fn declare_memory(&mut self, memory: &[Memory], roots: &[Term]) -> Result<(), Unwritable> {
        for memory in needed_memory(memory, roots) {
            let Kind::Var(var) = memory.var.kind() else {
                continue;
            };
            let leaf = self.leaf_of(*var)?;
            let wanted = word(&self.lowered.system.var(*var).name);
            let wanted = match wanted.chars().next() {
                Some(_) if wanted == "init" => "first_step".into(),
                Some(c) if c.is_ascii_alphabetic() => wanted,
                _ => format!("memory_{wanted}"),
            };
            let name = self.local(&wanted, leaf)?;
            let stream = Stream {
                name: build::name(name),
                term: memory.var.clone(),
                leaf,
            };
            self.writer.streams.insert(memory.var.id(), stream);
            self.memory.push((memory, name, leaf));
        }
        Ok(())
    }

    /// Is there memory that has been declared?
    pub fn remembers(&self) -> bool {
        !self.memory.is_empty()
    }

    /// Defines the declared memory; `given` are terms for variables that are no streams, and
    /// values of memory that has no initial value.
    pub fn define_memory(&mut self, given: &HashMap<Term, Term>) -> Result<(), Unwritable> {
        for (memory, name, leaf) in std::mem::take(&mut self.memory) {
            let init = match (&memory.init, given.get(&memory.var)) {
                (Some(init), _) => substitute(init, given),
                (None, Some(value)) => value.clone(),
                (None, None) => default(leaf)?,
            };
            let own: HashMap<Term, Term> = given
                .iter()
                .filter(|(var, _)| !is_memory(&self.writer, var))
                .map(|(var, term)| (var.clone(), term.clone()))
                .collect();
            let next = substitute(&memory.next, &own);
            let written = self.write(&[(init, leaf), (next.clone(), leaf)])?;
            let [init, later]: [Expr; 2] = written
                .try_into()
                .map_err(|_| Unwritable("a value without an expression".into()))?;
            let later = match is_constant(&next) {
                true => later,
                false => build::unary(UnaryOp::Pre, later),
            };
            let value = build::binary(BinaryOp::Arrow, init, later);
            self.equation(name, value);
        }
        Ok(())
    }

    /// Expressions for terms. The parts that they share become local streams.
    pub fn write(&mut self, roots: &[(Term, Leaf)]) -> Result<Vec<Expr>, Unwritable> {
        let (order, uses) = self.parts(roots);
        let mut sizes: HashMap<(u64, Leaf), usize> = HashMap::new();
        for (term, leaf) in order {
            let key = (term.id(), leaf);
            let operands = match self.is_atom(&term) {
                true => Vec::new(),
                false => self.writer.operands(&term, leaf),
            };
            let sizes_below = operands.iter().map(|(part, leaf)| {
                let key = (part.id(), *leaf);
                sizes.get(&key).copied().unwrap_or(1)
            });
            let size = 1 + sizes_below.sum::<usize>() + self.extra(&term, leaf);
            let is_shared = uses[&key] > 1 && size > 2 || size > LARGE;
            if is_shared && !self.writer.shared.contains_key(&key) {
                let expr = self.plain(&term, leaf)?;
                self.count += 1;
                let name = self.local(&format!("part_{}", self.count), leaf)?;
                self.equation(name, expr);
                self.writer.shared.insert(key, name);
            }
            let is_named = self.writer.shared.contains_key(&key);
            sizes.insert(key, if is_named { 1 } else { size });
        }
        let roots = roots.iter();
        roots.map(|(term, leaf)| self.plain(term, *leaf)).collect()
    }

    fn plain(&mut self, term: &Term, leaf: Leaf) -> Result<Expr, Unwritable> {
        let written = self.writer.plain(term, leaf);
        written.ok_or_else(|| {
            let reason = match term.subterms().any(|t| matches!(t.kind(), Kind::Apply(..))) {
                true => "it depends on the value of an operation outside of its domain",
                false => "it has a value that cannot be written as a Lustre expression",
            };
            Unwritable(reason.into())
        })
    }

    /// The local streams and the equations, without those that nothing reads.
    pub fn finish(mut self) -> (Vec<Local>, Vec<NodeItem>) {
        loop {
            let mut read: HashSet<Symbol> = HashSet::new();
            for item in &self.items {
                match item {
                    NodeItem::Equation(equation) => names(&equation.right, &mut read),
                    NodeItem::Property(property) => names(&property.expr, &mut read),
                    _ => {}
                }
            }
            let is_unread = |local: &Local| match local {
                Local::Var(param) => !read.contains(&param.name.name),
                Local::Const(_) => false,
            };
            let unread = self.locals.iter().filter(|local| is_unread(local));
            let unread: HashSet<Symbol> = unread
                .filter_map(|local| match local {
                    Local::Var(param) => Some(param.name.name),
                    Local::Const(_) => None,
                })
                .collect();
            if unread.is_empty() {
                return (self.locals, self.items);
            }
            self.locals.retain(|local| !is_unread(local));
            self.items.retain(|item| match item {
                NodeItem::Equation(equation) => {
                    let mut defined = equation.left.iter().map(|left| left.name.name);
                    !defined.all(|name| unread.contains(&name))
                }
                _ => true,
            });
        }
    }

    /// Has the term a name, or no parts?
    fn is_atom(&self, term: &Term) -> bool {
        let is_literal = matches!(
            term.kind(),
            Kind::Bool(_) | Kind::Int(_) | Kind::Real(_) | Kind::BitVec(..) | Kind::Var(_)
        );
        is_literal || self.writer.streams.contains_key(&term.id())
    }

    /// What the number of a value of an enumeration adds to an expression.
    fn extra(&self, term: &Term, leaf: Leaf) -> usize {
        match self.writer.streams.get(&term.id()) {
            Some(stream) if leaf == Leaf::Int => match stream.leaf {
                Leaf::Enum(id) => 3 * self.program.enumeration(id).values.len(),
                _ => 0,
            },
            _ => 0,
        }
    }

    /// All parts of terms with their types, parts before wholes, and how often each is used.
    #[allow(clippy::type_complexity)]
    fn parts(&self, roots: &[(Term, Leaf)]) -> (Vec<(Term, Leaf)>, HashMap<(u64, Leaf), usize>) {
        let mut uses: HashMap<(u64, Leaf), usize> = HashMap::new();
        let mut order = Vec::new();
        let roots = roots.iter().rev();
        let mut open: Vec<(Term, Leaf, bool)> = roots
            .map(|(term, leaf)| (term.clone(), *leaf, false))
            .collect();
        while let Some((term, leaf, ready)) = open.pop() {
            if ready {
                order.push((term, leaf));
                continue;
            }
            let known = uses.entry((term.id(), leaf)).or_insert(0);
            *known += 1;
            if *known > 1 || self.writer.shared.contains_key(&(term.id(), leaf)) {
                continue;
            }
            open.push((term.clone(), leaf, true));
            if !self.is_atom(&term) {
                let parts = self.writer.operands(&term, leaf).into_iter().rev();
                open.extend(parts.map(|(part, leaf)| (part, leaf, false)));
            }
        }
        (order, uses)
    }
}

/// The names in an expression.
fn names(expr: &Expr, found: &mut HashSet<Symbol>) {
    if let ExprKind::Name(name) = &expr.kind {
        found.insert(*name);
    }
    expr.for_each_part(&mut |part| names(part, found));
}

fn is_memory(writer: &LustreWriter, var: &Term) -> bool {
    let Kind::Var(var) = var.kind() else {
        return false;
    };
    writer.system.var(*var).role == system::Role::State
}

fn is_constant(term: &Term) -> bool {
    matches!(
        term.kind(),
        Kind::Bool(_) | Kind::Int(_) | Kind::Real(_) | Kind::BitVec(..)
    )
}

/// The memory that terms depend on, at this step or earlier ones.
pub(super) fn needed_memory(memory: &[Memory], roots: &[Term]) -> Vec<Memory> {
    let by_var: HashMap<Var, usize> = memory
        .iter()
        .enumerate()
        .flat_map(|(at, memory)| memory.var.vars().into_iter().map(move |var| (var, at)))
        .collect();
    let mut needed = vec![false; memory.len()];
    let mut open: Vec<Var> = roots.iter().flat_map(Term::vars).collect();
    while let Some(var) = open.pop() {
        if let Some(at) = by_var.get(&var)
            && !std::mem::replace(&mut needed[*at], true)
        {
            open.extend(memory[*at].next.vars());
        }
    }
    let needed = memory.iter().zip(needed).filter(|(_, needed)| *needed);
    needed.map(|(memory, _)| memory.clone()).collect()
}

pub(super) fn param(name: Symbol, ty: TypeExpr) -> Param {
    Param {
        name: build::ident(name),
        ty,
        is_const: false,
        clock: None,
    }
}

pub(super) fn leaf_type(program: &Program, leaf: Leaf) -> Result<TypeExpr, Unwritable> {
    let kind = match leaf {
        Leaf::Bool => TypeKind::Bool,
        Leaf::Int => TypeKind::Int,
        Leaf::Real => TypeKind::Real,
        Leaf::Machine(machine) => TypeKind::Machine(machine),
        Leaf::Enum(id) => TypeKind::Named(program.enumeration(id).name),
        Leaf::Abstract => {
            return Err(Unwritable("it has a value of an abstract type".into()));
        }
    };
    let span = Span::default();
    Ok(TypeExpr { kind, span })
}

/// A value of a simple type.
pub(super) fn default(leaf: Leaf) -> Result<Term, Unwritable> {
    Ok(match leaf {
        Leaf::Bool => system::boolean(false),
        Leaf::Int | Leaf::Enum(_) => system::integer(0),
        Leaf::Real => system::real(BigRational::from_integer(BigInt::from(0))),
        Leaf::Machine(machine) => system::bitvec(machine.width.into(), &BigInt::from(0)),
        Leaf::Abstract => {
            return Err(Unwritable("it needs a value of an abstract type".into()));
        }
    })
}

/// The leaves of a value with their types.
pub(super) fn typed_leaves(
    program: &Program,
    ty: &Type,
    shape: &Shape,
    found: &mut Vec<(Type, Term, Leaf)>,
) -> Result<(), Unwritable> {
    match (ty, shape) {
        (_, Shape::Leaf(term, leaf)) => found.push((ty.clone(), term.clone(), *leaf)),
        (Type::Tuple(types), Shape::Fields(parts)) => {
            for (ty, part) in types.iter().zip(parts.iter()) {
                typed_leaves(program, ty, part, found)?;
            }
        }
        (Type::Record(id), Shape::Fields(parts)) => {
            let fields = &program.record(*id).fields;
            for ((_, ty), part) in fields.iter().zip(parts.iter()) {
                typed_leaves(program, ty, part, found)?;
            }
        }
        (Type::Array(array), Shape::Array(parts)) => {
            for part in parts.iter() {
                typed_leaves(program, &array.element, part, found)?;
            }
        }
        _ => {
            let message = "it has an array of a size that is not known";
            return Err(Unwritable(message.into()));
        }
    }
    Ok(())
}

/// A value of a type, made of expressions for its leaves.
pub(super) fn assembled(
    program: &Program,
    ty: &Type,
    shape: &Shape,
    leaves: &mut dyn Iterator<Item = Expr>,
) -> Option<Expr> {
    match (ty, shape) {
        (_, Shape::Leaf(..)) => leaves.next(),
        (Type::Tuple(types), Shape::Fields(parts)) => {
            let parts = types.iter().zip(parts.iter());
            let parts = parts.map(|(ty, part)| assembled(program, ty, part, leaves));
            Some(build::expr(ExprKind::Tuple(parts.collect::<Option<_>>()?)))
        }
        (Type::Record(id), Shape::Fields(parts)) => {
            let record = program.record(*id);
            let mut fields = Vec::new();
            for ((field, ty), part) in record.fields.iter().zip(parts.iter()) {
                let value = assembled(program, ty, part, leaves)?;
                fields.push((build::ident(*field), value));
            }
            let name = build::ident(record.name);
            Some(build::expr(ExprKind::Record(name, fields)))
        }
        (Type::Array(array), Shape::Array(parts)) => {
            let parts = parts.iter();
            let parts = parts.map(|part| assembled(program, &array.element, part, leaves));
            Some(build::expr(ExprKind::Array(parts.collect::<Option<_>>()?)))
        }
        _ => None,
    }
}

/// A value of a simple type within its range.
pub(super) fn default_of(ty: &Type, leaf: Leaf) -> Result<Term, Unwritable> {
    match ty {
        Type::Range(range) => Ok(system::integer(range.nearest_to_zero())),
        _ => default(leaf),
    }
}
