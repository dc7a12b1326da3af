//! The memory of instances, and the choices that the program leaves open.

use lang::{BoundId, BoundKind, ChoiceId, Expr, ExprKind, Node, Program, Type, VarClass, VarId};
use syntax::Symbol;
use system::{Constraint, Kind, Role, Sort, Term, and, ite, or};

use crate::expr::unsupported;
use crate::instance::{Env, InstanceId, constant_indices, value_of};
use crate::lowerer::{Lowerer, Task};
use crate::partial::Indexed;
use crate::shape::{Leaf, Shape};
use crate::slots::Slot;
use crate::{ChoiceKey, Lower};

impl<'p> Lowerer<'p> {
    /// Free variables of a type, within its ranges.
    pub fn free(&mut self, id: InstanceId, ty: &Type, name: &str, role: Role) -> Lower<Shape> {
        let shape = self.new_vars(id, ty, name, role, 0)?;
        let ranges = self.ranges(ty, &shape, true);
        self.restrict(ranges);
        self.declare(ty, &shape);
        Ok(shape)
    }

    /// Takes note of the subranges of variables, which hold at every step.
    fn declare(&mut self, ty: &Type, shape: &Shape) {
        match (ty, shape) {
            (Type::Range(range), Shape::Leaf(term, _)) => {
                let bounds = (range.low.clone(), range.high.clone());
                self.declared.insert(term.clone(), bounds);
            }
            (Type::Array(array), Shape::Array(parts)) => {
                let parts = parts.iter();
                parts.for_each(|part| self.declare(&array.element, part));
            }
            (Type::Record(id), Shape::Fields(parts)) => {
                let fields = &self.program.record(*id).fields;
                let parts = fields.iter().zip(parts.iter());
                parts.for_each(|((_, ty), part)| self.declare(ty, part));
            }
            _ => {}
        }
    }

    /// Variables for the leaves of a type, each an array of so many dimensions.
    pub fn new_vars(
        &mut self,
        id: InstanceId,
        ty: &Type,
        name: &str,
        role: Role,
        depth: usize,
    ) -> Lower<Shape> {
        let layout = self.layout(id, ty)?;
        let program = self.program;
        self.room.for_value(layout.leaves(program, ty)?)?;
        Shape::build(program, ty, name, &layout, depth, &mut |name, _, sort| {
            self.new_var(name, sort, role, None)
        })
    }

    /// Adds constraints that follow from declared types, without a model element.
    pub fn restrict(&mut self, ranges: Vec<Term>) {
        let constraints = ranges.into_iter().map(|term| Constraint {
            term,
            element: None,
            range: None,
        });
        self.system.constraints.extend(constraints);
    }

    /// The ranges of the parts of a value, of subranges too if wanted.
    pub fn ranges(&mut self, ty: &Type, shape: &Shape, subranges: bool) -> Vec<Term> {
        let wanted = self.ranges_of(ty, shape).into_iter();
        wanted
            .filter(|range| subranges || range.is_enum())
            .map(|range| range.term)
            .filter(|term| *term != system::boolean(true))
            .collect()
    }

    /// The ranges within a value, in the order of its type.
    pub fn ranges_of(&mut self, ty: &Type, shape: &Shape) -> Vec<Range> {
        let mut found = Vec::new();
        self.ranges_at("", ty, shape, &mut found);
        found
    }

    fn ranges_at(&mut self, place: &str, ty: &Type, shape: &Shape, found: &mut Vec<Range>) {
        match (ty, shape) {
            (_, Shape::Leaf(term, _)) => {
                found.extend(range(self.program, ty, term).map(|term| Range {
                    place: Symbol::new(place),
                    ty: ty.clone(),
                    term,
                }));
            }
            (Type::Tuple(types), Shape::Fields(parts)) => {
                for (at, (ty, part)) in types.iter().zip(parts.iter()).enumerate() {
                    self.ranges_at(&format!("{place}.%{at}"), ty, part, found);
                }
            }
            (Type::Record(id), Shape::Fields(parts)) => {
                let fields = &self.program.record(*id).fields;
                for ((field, ty), part) in fields.iter().zip(parts.iter()) {
                    self.ranges_at(&format!("{place}.{field}"), ty, part, found);
                }
            }
            (Type::Array(array), Shape::Array(parts)) => {
                for (at, part) in parts.iter().enumerate() {
                    self.ranges_at(&format!("{place}[{at}]"), &array.element, part, found);
                }
            }
            (Type::Array(array), Shape::Many(size, element)) => {
                let (number, index) = self.new_bound();
                let mut inner = Vec::new();
                let place = format!("{place}{EACH}");
                self.ranges_at(&place, &array.element, &element.at(&index), &mut inner);
                found.extend(inner.into_iter().map(|range| Range {
                    term: for_all(number, &index, size, &range.term),
                    ..range
                }));
            }
            _ => {}
        }
    }

    /// The value of a choice at the present step.
    pub fn choice(&mut self, id: InstanceId, choice: ChoiceId, env: &Env) -> Lower<Shape> {
        let node = self.node_of(id);
        let declared = node.choice(choice);
        let known = constant_indices(&declared.indices, env);
        let key = ChoiceKey {
            path: self.path(id),
            choice,
            indices: known.clone().unwrap_or_default(),
        };
        let shape = match self.choices.get(&key) {
            Some(shape) => shape.clone(),
            None => {
                let shape = match known {
                    Ok(_) => self.new_choice(id, choice)?,
                    Err(_) => self.choice_array(id, choice)?,
                };
                self.choices.insert(key, shape.clone());
                shape
            }
        };
        match known {
            Ok(_) => Ok(shape),
            Err(_) => self.chosen_at(shape, &declared.indices, env),
        }
    }

    fn new_choice(&mut self, id: InstanceId, choice: ChoiceId) -> Lower<Shape> {
        let node = self.node_of(id);
        let declared = node.choice(choice);
        match declared.kind {
            lang::ChoiceKind::Imported(var) if self.is_congruent(node) => {
                self.application(id, var, &declared.ty)
            }
            // The body keeps the ranges only while its assumptions hold: they are
            // part of what the contract guarantees.
            lang::ChoiceKind::Imported(_) if node.abstracted => self.wide_choice(id, choice),
            // The definition may give a value out of range: that is a property.
            lang::ChoiceKind::Loop(_) => self.wide_choice(id, choice),
            lang::ChoiceKind::Imported(_)
            | lang::ChoiceKind::Pre
            | lang::ChoiceKind::Undefined(_)
            | lang::ChoiceKind::Hole(_)
            | lang::ChoiceKind::Inactive(..)
            | lang::ChoiceKind::Fault(_)
            | lang::ChoiceKind::Cut(_) => {
                let name = format!("{}choice{}", self.prefix(id), choice.0);
                self.free(id, &declared.ty, &name, Role::Input)
            }
        }
    }

    /// A choice that may lie outside of its subranges, but is a value of its enumerations.
    fn wide_choice(&mut self, id: InstanceId, choice: ChoiceId) -> Lower<Shape> {
        let declared = self.node_of(id).choice(choice);
        let name = format!("{}choice{}", self.prefix(id), choice.0);
        let shape = self.new_vars(id, &declared.ty, &name, Role::Input, 0)?;
        let ranges = self.ranges(&declared.ty, &shape, false);
        self.restrict(ranges);
        Ok(shape)
    }

    /// A choice for every index, where the indices are not known.
    fn choice_array(&mut self, id: InstanceId, choice: ChoiceId) -> Lower<Shape> {
        let node = self.node_of(id);
        let declared = node.choice(choice);
        let depth = declared.indices.len();
        let name = format!("{}choice{}", self.prefix(id), choice.0);
        let mut shape = self.new_vars(id, &declared.ty, &name, Role::Input, depth)?;
        let mut ty = declared.ty.clone();
        for bound in declared.indices.iter().rev() {
            let BoundKind::Index(size) = &node.bound(*bound).kind else {
                return unsupported("a choice that depends on a quantified variable");
            };
            shape = Shape::Many(self.size_term(id, size)?, shape.into());
            ty = Type::array(ty, size.clone());
        }
        let ranges = self.ranges(&ty, &shape, true);
        self.restrict(ranges);
        Ok(shape)
    }

    pub fn chosen_at(&self, shape: Shape, indices: &[BoundId], env: &Env) -> Lower<Shape> {
        let mut shape = shape;
        for bound in indices {
            let (Shape::Many(_, element), Some(index)) = (&shape, value_of(*bound, env)) else {
                return unsupported("an index without a value");
            };
            shape = element.at(index);
        }
        Ok(shape)
    }

    /// The memory behind `pre expr`; at the first tick its value is arbitrary.
    pub fn memory(&mut self, id: InstanceId, expr: &'p Expr, env: &Env) -> Lower<Shape> {
        let key = (expr as *const Expr, env.to_vec());
        let known = match expr.kind {
            ExprKind::Var(var) => self.instances[id.0].stream_memory.get(&var),
            _ => self.instances[id.0].memory.get(&key),
        };
        if let Some(memory) = known {
            return Ok(memory.clone());
        }
        let name = match expr.kind {
            ExprKind::Var(var) => {
                format!("{}pre {}", self.prefix(id), self.node_of(id).var(var).name)
            }
            _ => {
                let indices = index_values(env);
                let indices: String = indices.iter().map(|at| format!("[{at}]")).collect();
                format!("{}pre{}{indices}", self.prefix(id), self.place(expr.span))
            }
        };
        let memory = self.new_memory(id, &expr.ty, &name)?;
        let slot = match expr.kind {
            ExprKind::Var(var) => Slot::Stream(var),
            _ => Slot::Expression(expr.span, index_values(env)),
        };
        self.keep(id, slot, &memory);
        let instance = &mut self.instances[id.0];
        match expr.kind {
            ExprKind::Var(var) => instance.stream_memory.insert(var, memory.clone()),
            _ => instance.memory.insert(key, memory.clone()),
        };
        self.tasks.push(Task::Memory {
            id,
            memory: memory.clone(),
            expr,
            env: env.to_vec(),
        });
        Ok(memory)
    }

    /// The expression one tick ago. Indices do not change over time: where
    /// they are not known, `pre` moves past them onto the streams.
    pub fn before(&mut self, id: InstanceId, expr: &'p Expr, env: &Env) -> Lower<Shape> {
        if !depends(self.node_of(id), expr, env) {
            return match &expr.kind {
                ExprKind::Value(_) | ExprKind::Const(_) => self.expr(id, expr, env),
                ExprKind::Var(var) if is_constant(self.node_of(id), *var) => self.var(id, *var),
                _ => self.memory(id, expr, &known_part(env)),
            };
        }
        match &expr.kind {
            ExprKind::Bound(_) => self.expr(id, expr, env),
            ExprKind::Unary(op, a) => {
                let a = self.before(id, a, env)?;
                crate::expr::unary(*op, &a)
            }
            ExprKind::Binary(op, a, b) => {
                let (a, b) = (self.before(id, a, env)?, self.before(id, b, env)?);
                self.binary(*op, &a, &b)
            }
            ExprKind::Convert(a) => {
                let a = self.before(id, a, env)?;
                crate::expr::convert(&a, &expr.ty)
            }
            ExprKind::If(c, a, b) => {
                let c = self.before(id, c, env)?.leaf()?.clone();
                let (a, b) = (self.before(id, a, env)?, self.before(id, b, env)?);
                a.zip(&b, &mut |a, b| ite(&c, a, b))
            }
            ExprKind::Fields(all) => {
                let all: Lower<Vec<Shape>> = all.iter().map(|e| self.before(id, e, env)).collect();
                Ok(Shape::Fields(all?.into()))
            }
            ExprKind::Field(base, at) => match self.before(id, base, env)? {
                Shape::Fields(parts) => Ok(parts[*at].clone()),
                _ => unsupported("a field of something without fields"),
            },
            ExprKind::Index(base, index) => {
                let indexed = Indexed {
                    ty: &base.ty,
                    inductive: None,
                    indices: &[self.before(id, index, env)?.leaf()?.clone()],
                    done: 0,
                };
                let base = self.before(id, base, env)?;
                self.select(id, &base, indexed)
            }
            _ => unsupported(
                "`pre` of this expression with an index of an array of unknown size (put `pre` \
                 on the streams inside it)",
            ),
        }
    }

    /// State variables of a type. Enumerations stay within their values, also
    /// before the first tick.
    pub fn new_memory(&mut self, id: InstanceId, ty: &Type, name: &str) -> Lower<Shape> {
        let shape = self.new_vars(id, ty, name, Role::State, 0)?;
        let ranges = self.ranges(ty, &shape, false);
        self.restrict(ranges);
        Ok(shape)
    }

    /// The memory takes a value when the instance ticks, and keeps it else.
    pub fn remember(&mut self, id: InstanceId, memory: &Shape, value: &Shape) -> Lower<()> {
        let tick = self.context(id).tick;
        let mut pairs = Vec::new();
        memory.zip(value, &mut |memory, value| {
            pairs.push((memory.clone(), ite(&tick, value, memory)));
            memory.clone()
        })?;
        for (memory, next) in pairs {
            self.set_next(&memory, next);
        }
        Ok(())
    }

    /// Two terms: that the term holds at this and all earlier ticks, and that it held at
    /// all earlier ticks.
    pub fn so_far(&mut self, id: InstanceId, term: &Term, name: &str) -> (Term, Term) {
        let context = self.context(id);
        let before = self.state(&format!("{}{name}", self.prefix(id)), Sort::Bool, None);
        let kept = or([context.first, before.clone()]);
        let now = and([term.clone(), kept.clone()]);
        self.set_next(&before, ite(&context.tick, &now, &before));
        let memory = Shape::Leaf(before, Leaf::Bool);
        self.keep(id, Slot::Assumptions, &memory);
        (now, kept)
    }
}

/// The range that a type gives for a part of a value.
pub(crate) struct Range {
    /// Which part: `.field`, `.%0` of a tuple, `[0]` of an array.
    pub place: Symbol,
    ty: Type,
    pub term: Term,
}

/// The place of all elements of an array of open size.
const EACH: &str = "[_]";

impl Range {
    pub fn is_enum(&self) -> bool {
        matches!(self.ty, Type::Enum(_))
    }

    /// The name that Kind 2 gives it, as a range of this variable.
    pub fn name(&self, var: Symbol) -> String {
        let Type::Range(own) = &self.ty else {
            return String::new();
        };
        let name = format!("{var}{}", self.place.as_str().replace(EACH, ""));
        match (&own.low, &own.high) {
            (Some(low), Some(high)) => format!("(({low} <= {name}) and ({name} <= {high}))"),
            (Some(low), None) => format!("({low} <= {name})"),
            (None, Some(high)) => format!("({name} <= {high})"),
            (None, None) => String::new(),
        }
    }

    /// Is it one of those that were proved at a place? What holds of each element of an
    /// array of open size holds of those of an array of known size.
    pub fn is_at(&self, proved: Symbol) -> bool {
        let (mut own, mut proved) = (self.place.as_str(), proved.as_str());
        while let Some((before, after)) = proved.split_once(EACH) {
            let Some(index) = own.strip_prefix(before).filter(|own| own.starts_with('[')) else {
                return false;
            };
            let Some((_, rest)) = index.split_once(']') else {
                return false;
            };
            (own, proved) = (rest, after);
        }
        own == proved
    }
}

/// For all indices of an array of the size.
pub(crate) fn for_all(bound: u32, index: &Term, size: &Term, body: &Term) -> Term {
    let within = within(index, size);
    let body = system::implies(&within, body);
    system::quantified(system::Quantifier::Forall, vec![(bound, Sort::Int)], &body)
}

pub(crate) fn within(index: &Term, size: &Term) -> Term {
    and([
        system::le(&system::integer(0), index),
        system::lt(index, size),
    ])
}

/// Does the expression depend on an index whose value is not known?
pub(crate) fn depends(node: &Node, expr: &Expr, env: &Env) -> bool {
    let open = |bound: &BoundId| {
        value_of(*bound, env).is_some_and(|term| !matches!(term.kind(), Kind::Int(_)))
    };
    match &expr.kind {
        ExprKind::Bound(bound) => open(bound),
        ExprKind::Call(call, _) => node.call(*call).indices.iter().any(open),
        ExprKind::Choice(choice) => node.choice(*choice).indices.iter().any(open),
        _ => {
            let mut found = false;
            expr.for_each_part(|part| found |= depends(node, part, env));
            found
        }
    }
}

fn known_part(env: &Env) -> Vec<(BoundId, Term)> {
    let known = |entry: &&(BoundId, Term)| matches!(entry.1.kind(), Kind::Int(_));
    env.iter().filter(known).cloned().collect()
}

/// The values of those indices that are known.
fn index_values(env: &Env) -> Vec<usize> {
    use num_traits::ToPrimitive;
    let values = env.iter().filter_map(|(_, term)| match term.kind() {
        Kind::Int(value) => value.to_usize(),
        _ => None,
    });
    values.collect()
}

fn is_constant(node: &Node, var: VarId) -> bool {
    let class = node.var(var).class;
    matches!(class, VarClass::Const | VarClass::Input { is_const: true })
}

/// The values that a scalar type allows.
pub(crate) fn range(program: &Program, ty: &Type, term: &Term) -> Option<Term> {
    match ty {
        Type::Range(range) => {
            let low = range
                .low
                .iter()
                .map(|low| system::le(&system::integer(low.clone()), term));
            let high = range
                .high
                .iter()
                .map(|high| system::le(term, &system::integer(high.clone())));
            Some(and(low.chain(high)))
        }
        Type::Enum(id) => {
            let last = program.enumeration(*id).values.len() as i64 - 1;
            Some(and([
                system::le(&system::integer(0), term),
                system::le(term, &system::integer(last)),
            ]))
        }
        _ => None,
    }
}
