//! Expressions as terms.

use lang::{BinOp, BoundId, BoundKind, Expr, ExprKind, Step, Type, UnOp, VarClass, VarId};
use num_bigint::BigInt;
use num_traits::ToPrimitive;
use syntax::ast::Machine;
use system::{BvCompare, BvOp, Kind, Term};

use crate::instance::{Env, InstanceId, Lowerer, range};
use crate::shape::{Leaf, Shape, size};
use crate::{Lower, Unsupported};

/// Quantifiers over so few values are unfolded.
const MAX_UNFOLDED: u64 = 256;

impl<'p> Lowerer<'p> {
    pub fn scalar(&mut self, id: InstanceId, expr: &'p Expr, env: &Env) -> Lower<Term> {
        let shape = self.expr(id, expr, env)?;
        shape.leaf().cloned()
    }

    pub fn expr(&mut self, id: InstanceId, expr: &'p Expr, env: &Env) -> Lower<Shape> {
        match &expr.kind {
            ExprKind::Value(value) => Ok(Shape::constant(value)),
            ExprKind::Var(var) => self.var(id, *var),
            ExprKind::Const(constant) => self.constant(*constant),
            ExprKind::Bound(bound) => {
                let found = env.iter().rev().find(|(id, _)| id == bound);
                let leaf = Leaf::of(&expr.ty).unwrap_or(Leaf::Int);
                match found {
                    Some((_, term)) => Ok(Shape::Leaf(term.clone(), leaf)),
                    None => unsupported("an index without a value"),
                }
            }
            ExprKind::Choice(choice) => self.choice(id, *choice, env),
            ExprKind::Unary(op, a) => {
                let a = self.expr(id, a, env)?;
                unary(*op, &a)
            }
            ExprKind::Binary(op, a, b) => {
                let (a, b) = (self.expr(id, a, env)?, self.expr(id, b, env)?);
                binary(*op, &a, &b)
            }
            ExprKind::If(c, a, b) => {
                let c = self.scalar(id, c, env)?;
                // A branch that is never taken may not even make sense.
                match c.kind() {
                    Kind::Bool(true) => return self.expr(id, a, env),
                    Kind::Bool(false) => return self.expr(id, b, env),
                    _ => {}
                }
                let (a, b) = (self.expr(id, a, env)?, self.expr(id, b, env)?);
                a.zip(&b, &mut |a, b| system::ite(&c, a, b))
            }
            ExprKind::Merge(clock, cases) => {
                let clock = self.scalar(id, clock, env)?;
                let mut cases = cases.iter().rev();
                let Some((_, last)) = cases.next() else {
                    return unsupported("a merge without branches");
                };
                let mut result = self.expr(id, last, env)?;
                for (value, branch) in cases {
                    let value = Shape::constant(value);
                    let chosen = system::eq(&clock, value.leaf()?);
                    let branch = self.expr(id, branch, env)?;
                    result = branch.zip(&result, &mut |a, b| system::ite(&chosen, a, b))?;
                }
                Ok(result)
            }
            ExprKind::Arrow(first, then) => {
                let (a, b) = (self.expr(id, first, env)?, self.expr(id, then, env)?);
                let first = self.context(id).first;
                a.zip(&b, &mut |a, b| system::ite(&first, a, b))
            }
            ExprKind::Pre(e, choice) => {
                let memory = self.memory(id, e, env)?;
                let Some(choice) = choice else {
                    return Ok(memory);
                };
                let open = self.choice(id, *choice, env)?;
                let first = self.context(id).first;
                open.zip(&memory, &mut |open, memory| {
                    system::ite(&first, open, memory)
                })
            }
            ExprKind::Convert(a) => {
                let a = self.expr(id, a, env)?;
                convert(&a, &expr.ty)
            }
            ExprKind::AtMostOne(all) => self.at_most_one(id, all, env),
            ExprKind::Fields(all) => {
                let all: Lower<Vec<Shape>> = all.iter().map(|e| self.expr(id, e, env)).collect();
                Ok(Shape::Fields(all?.into()))
            }
            ExprKind::Array(all) => {
                let all: Lower<Vec<Shape>> = all.iter().map(|e| self.expr(id, e, env)).collect();
                Ok(Shape::Array(all?.into()))
            }
            ExprKind::Fill(element) => {
                let Type::Array(array) = &expr.ty else {
                    return unsupported("an array of another type");
                };
                let element = self.expr(id, element, env)?;
                let size = self.size_in(id, &array.size)?;
                Ok(Shape::Array(vec![element; size].into()))
            }
            ExprKind::Field(base, at) => match self.expr(id, base, env)? {
                Shape::Fields(parts) => Ok(parts[*at].clone()),
                _ => unsupported("a field of something without fields"),
            },
            ExprKind::Index(..) => self.index(id, expr, env),
            ExprKind::Update(base, path, value) => {
                let base = self.expr(id, base, env)?;
                let value = self.expr(id, value, env)?;
                self.update(id, &base, path, &value, env)
            }
            ExprKind::Quantified(quantifier, vars, body) => {
                let universal = *quantifier == lang::Quantifier::Forall;
                let term = self.quantified(id, universal, vars, body, env)?;
                Ok(Shape::Leaf(term, Leaf::Bool))
            }
            ExprKind::Call(call, output) => self.call_output(id, *call, *output, env),
        }
    }

    fn at_most_one(&mut self, id: InstanceId, all: &'p [Expr], env: &Env) -> Lower<Shape> {
        let mut terms = Vec::new();
        for part in all {
            terms.push(self.scalar(id, part, env)?);
        }
        let mut clauses = Vec::new();
        for (at, a) in terms.iter().enumerate() {
            for b in &terms[at + 1..] {
                clauses.push(system::not(&system::and([a.clone(), b.clone()])));
            }
        }
        Ok(Shape::Leaf(system::and(clauses), Leaf::Bool))
    }

    /// The present value of a stream.
    pub fn var(&mut self, id: InstanceId, var: VarId) -> Lower<Shape> {
        if let Some(shape) = &self.instances[id.0].values[var.index()] {
            return Ok(shape.clone());
        }
        let node = self.node_of(id);
        let declared = node.var(var);
        let shape = match declared.class {
            VarClass::Input { .. } => self.argument(id, var)?,
            _ => {
                if let Some(choice) = declared.looped {
                    return self.looped(id, var, choice);
                }
                let Some(def) = &declared.def else {
                    return unsupported("a stream without a definition");
                };
                if def.indices.is_empty() {
                    self.expr(id, &def.expr, &[])?
                } else {
                    self.row(id, var, &mut Vec::new(), &declared.ty)?
                }
            }
        };
        self.instances[id.0].values[var.index()] = Some(shape.clone());
        Ok(shape)
    }

    fn argument(&mut self, id: InstanceId, var: VarId) -> Lower<Shape> {
        let Some((parent, step)) = self.instances[id.0].parent.clone() else {
            return unsupported("an input without a value");
        };
        let node = self.node_of(id);
        let call = self.node_of(parent).call(step.call);
        let Some(at) = node.inputs.iter().position(|input| *input == var) else {
            return unsupported("an input that is not in the interface");
        };
        let values = step.indices.iter().map(|index| system::integer(*index));
        let env: Vec<_> = call.indices.iter().copied().zip(values).collect();
        self.expr(parent, &call.args[at], &env)
    }

    /// A stream that is chosen by its own value: a choice that its definition
    /// constrains.
    fn looped(&mut self, id: InstanceId, var: VarId, choice: lang::ChoiceId) -> Lower<Shape> {
        let node = self.node_of(id);
        let value = self.choice(id, choice, &[])?;
        self.instances[id.0].values[var.index()] = Some(value.clone());
        let Some(def) = &node.var(var).def else {
            return unsupported("a stream without a definition");
        };
        let defined = self.expr(id, &def.expr, &[])?;
        let mut equal = Vec::new();
        value.zip(&defined, &mut |a, b| {
            equal.push(system::eq(a, b));
            a.clone()
        })?;
        let name = node.var(var).name.to_string();
        let span = node.var(var).span;
        let kind = system::ElementKind::Equation;
        self.constrain(id, system::and(equal), kind, &name, span);
        Ok(value)
    }

    /// An array, or a row of one, whose elements are defined one by one.
    fn row(
        &mut self,
        id: InstanceId,
        var: VarId,
        at: &mut Vec<usize>,
        ty: &'p Type,
    ) -> Lower<Shape> {
        let node = self.node_of(id);
        let depth = node
            .var(var)
            .def
            .as_ref()
            .map_or(0, |def| def.indices.len());
        if at.len() == depth {
            return self.element(id, var, at);
        }
        let Type::Array(array) = ty else {
            return unsupported("an array of another type");
        };
        let mut elements = Vec::new();
        for index in 0..self.size_in(id, &array.size)? {
            at.push(index);
            elements.push(self.row(id, var, at, &array.element)?);
            at.pop();
        }
        Ok(Shape::Array(elements.into()))
    }

    fn element(&mut self, id: InstanceId, var: VarId, at: &[usize]) -> Lower<Shape> {
        let key = (var, at.to_vec());
        if let Some(shape) = self.instances[id.0].elements.get(&key) {
            return Ok(shape.clone());
        }
        let node = self.node_of(id);
        let Some(def) = &node.var(var).def else {
            return unsupported("an array without a definition");
        };
        let values = at.iter().map(|index| system::integer(*index));
        let env: Vec<_> = def.indices.iter().copied().zip(values).collect();
        let shape = self.expr(id, &def.expr, &env)?;
        self.instances[id.0].elements.insert(key, shape.clone());
        Ok(shape)
    }

    /// `A[i][j]`, element by element where the indices are known.
    fn index(&mut self, id: InstanceId, expr: &'p Expr, env: &Env) -> Lower<Shape> {
        let mut path = Vec::new();
        let mut base = expr;
        while let ExprKind::Index(inner, index) = &base.kind {
            path.push(&**index);
            base = inner;
        }
        path.reverse();
        let mut indices = Vec::new();
        for index in path {
            indices.push(self.scalar(id, index, env)?);
        }
        if let ExprKind::Var(var) = &base.kind {
            let declared = self.node_of(id).var(*var);
            let depth = declared.def.as_ref().map_or(0, |def| def.indices.len());
            let known = self.instances[id.0].values[var.index()].is_some();
            let ready = indices.len() >= depth && !known && declared.looped.is_none();
            if depth > 0 && ready {
                return self.lazy_index(id, *var, &indices, depth, &expr.ty);
            }
        }
        let base = self.expr(id, base, env)?;
        self.select(id, &base, &indices, &expr.ty)
    }

    fn lazy_index(
        &mut self,
        id: InstanceId,
        var: VarId,
        indices: &[Term],
        depth: usize,
        result: &Type,
    ) -> Lower<Shape> {
        let mut ty = &self.node_of(id).var(var).ty;
        let mut at = Vec::new();
        for index in &indices[..depth] {
            let Type::Array(array) = ty else {
                return unsupported("an array of another type");
            };
            let count = self.size_in(id, &array.size)?;
            match index.kind() {
                Kind::Int(value) => match value.to_usize().filter(|index| *index < count) {
                    Some(index) => at.push(index),
                    None => return self.default(id, result),
                },
                _ => {
                    let whole = self.var(id, var)?;
                    return self.select(id, &whole, indices, result);
                }
            }
            ty = &array.element;
        }
        let element = self.element(id, var, &at)?;
        self.select(id, &element, &indices[depth..], result)
    }

    /// One element; outside of the bounds it is the default of its type.
    fn select(
        &mut self,
        id: InstanceId,
        base: &Shape,
        indices: &[Term],
        result: &Type,
    ) -> Lower<Shape> {
        let Some((index, rest)) = indices.split_first() else {
            return Ok(base.clone());
        };
        let Shape::Array(elements) = base else {
            return unsupported("an element of something that is not an array");
        };
        if let Kind::Int(value) = index.kind() {
            return match value.to_usize().and_then(|at| elements.get(at)) {
                Some(element) => self.select(id, element, rest, result),
                None => self.default(id, result),
            };
        }
        let mut chosen = self.default(id, result)?;
        for (at, element) in elements.iter().enumerate().rev() {
            let here = system::eq(index, &system::integer(at));
            let element = self.select(id, element, rest, result)?;
            chosen = element.zip(&chosen, &mut |a, b| system::ite(&here, a, b))?;
        }
        Ok(chosen)
    }

    fn default(&mut self, id: InstanceId, ty: &Type) -> Lower<Shape> {
        let ty = &self.resolved(id, ty)?;
        let failed = std::cell::Cell::new(None);
        let value = self.program.default_value(ty, &|own| {
            size(own).unwrap_or_else(|error| {
                failed.set(Some(error));
                0
            })
        });
        match failed.take() {
            Some(error) => Err(error),
            None => Ok(Shape::constant(&value)),
        }
    }

    fn update(
        &mut self,
        id: InstanceId,
        base: &Shape,
        path: &'p [Step],
        value: &Shape,
        env: &Env,
    ) -> Lower<Shape> {
        let Some((step, rest)) = path.split_first() else {
            return Ok(value.clone());
        };
        match (base, step) {
            (Shape::Fields(parts), Step::Field(at)) => {
                let mut parts = parts.to_vec();
                parts[*at] = self.update(id, &parts[*at].clone(), rest, value, env)?;
                Ok(Shape::Fields(parts.into()))
            }
            (Shape::Array(elements), Step::Index(index)) => {
                let index = self.scalar(id, index, env)?;
                let mut updated = Vec::new();
                for (at, element) in elements.iter().enumerate() {
                    let here = system::eq(&index, &system::integer(at));
                    let new = self.update(id, element, rest, value, env)?;
                    updated.push(new.zip(element, &mut |a, b| system::ite(&here, a, b))?);
                }
                Ok(Shape::Array(updated.into()))
            }
            _ => unsupported("an update of something without parts"),
        }
    }

    fn quantified(
        &mut self,
        id: InstanceId,
        universal: bool,
        vars: &[lang::BoundId],
        body: &'p Expr,
        env: &Env,
    ) -> Lower<Term> {
        let Some((var, rest)) = vars.split_first() else {
            return self.scalar(id, body, env);
        };
        let BoundKind::Quantified(ty) = &self.node_of(id).bound(*var).kind else {
            return unsupported("a quantified index");
        };
        let mut env = env.to_vec();
        let bounded = match self.few_values(ty) {
            None if ty.is_int() => self.bounded_values(id, universal, *var, body, &env)?,
            values => values,
        };
        if let Some(values) = bounded {
            let mut terms = Vec::new();
            for value in values {
                env.push((*var, value));
                terms.push(self.quantified(id, universal, rest, body, &env)?);
                env.pop();
            }
            return Ok(match universal {
                true => system::and(terms),
                false => system::or(terms),
            });
        }
        let Some(leaf) = Leaf::of(ty) else {
            return unsupported("a quantifier over a structured type");
        };
        let number = self.next_bound;
        self.next_bound += 1;
        let bound = system::bound(number, leaf.sort());
        env.push((*var, bound.clone()));
        let inner = self.quantified(id, universal, rest, body, &env)?;
        let guard = range(self.program, ty, &bound).unwrap_or(system::boolean(true));
        let (quantifier, body) = match universal {
            true => (system::Quantifier::Forall, system::implies(&guard, &inner)),
            false => (system::Quantifier::Exists, system::and([guard, inner])),
        };
        Ok(system::quantified(
            quantifier,
            vec![(number, leaf.sort())],
            &body,
        ))
    }

    /// The few values outside of which the body does not matter.
    fn bounded_values(
        &mut self,
        id: InstanceId,
        universal: bool,
        var: BoundId,
        body: &'p Expr,
        env: &Env,
    ) -> Lower<Option<Vec<Term>>> {
        let mut atoms = Vec::new();
        relevant(universal, body, &mut atoms);
        let (low, high) = self.bounds(id, var, &atoms, env, &mut Vec::new())?;
        let (Some(low), Some(high)) = (low, high) else {
            return Ok(None);
        };
        let count = (&high - &low + 1u32).to_i64().unwrap_or(i64::MAX);
        if count > MAX_UNFOLDED as i64 {
            return Ok(None);
        }
        let values = (0..count.max(0)).map(|at| system::integer(&low + at));
        Ok(Some(values.collect()))
    }

    /// The numbers between which the conditions keep a variable.
    fn bounds(
        &mut self,
        id: InstanceId,
        var: BoundId,
        atoms: &[&'p Expr],
        env: &Env,
        asked: &mut Vec<BoundId>,
    ) -> Lower<(Option<BigInt>, Option<BigInt>)> {
        asked.push(var);
        let (mut low, mut high) = (None::<BigInt>, None::<BigInt>);
        for atom in atoms {
            let ExprKind::Binary(op, a, b) = &atom.kind else {
                continue;
            };
            let is_var = |e: &Expr| matches!(e.kind, ExprKind::Bound(id) if id == var);
            let (op, other) = match (is_var(a), is_var(b)) {
                (true, false) => (*op, b),
                (false, true) => (flipped(*op), a),
                _ => continue,
            };
            let (from, to) = match &other.kind {
                ExprKind::Bound(next) if !env.iter().any(|(id, _)| id == next) => {
                    match asked.contains(next) {
                        true => continue,
                        false => self.bounds(id, *next, atoms, env, asked)?,
                    }
                }
                _ if mentions_unbound(other, env) => continue,
                _ => match self.scalar(id, other, env)?.kind() {
                    Kind::Int(value) => (Some(value.clone()), Some(value.clone())),
                    _ => continue,
                },
            };
            let (least, most) = match op {
                BinOp::Lt => (None, to.map(|to| to - 1)),
                BinOp::Le => (None, to),
                BinOp::Gt => (from.map(|from| from + 1), None),
                BinOp::Ge => (from, None),
                BinOp::Eq => (from, to),
                _ => (None, None),
            };
            low = low.into_iter().chain(least).max();
            high = high.into_iter().chain(most).min();
        }
        asked.pop();
        Ok((low, high))
    }

    /// All values of a small finite type.
    fn few_values(&self, ty: &Type) -> Option<Vec<Term>> {
        match ty {
            Type::Bool => Some(vec![system::boolean(false), system::boolean(true)]),
            Type::Enum(id) => {
                let count = self.program.enumeration(*id).values.len();
                Some((0..count).map(system::integer).collect())
            }
            Type::Range(range) => {
                let (low, high) = (range.low.as_ref()?, range.high.as_ref()?);
                let count = (high - low + 1u32)
                    .to_u64()
                    .filter(|n| *n <= MAX_UNFOLDED)?;
                Some((0..count).map(|at| system::integer(low + at)).collect())
            }
            _ => None,
        }
    }
}

/// The conditions under which the body of a quantifier matters at all.
fn relevant<'e>(universal: bool, body: &'e Expr, atoms: &mut Vec<&'e Expr>) {
    match &body.kind {
        ExprKind::Binary(BinOp::Implies, guard, rest) if universal => {
            relevant(false, guard, atoms);
            relevant(true, rest, atoms);
        }
        ExprKind::Binary(BinOp::And, a, b) if !universal => {
            relevant(false, a, atoms);
            relevant(false, b, atoms);
        }
        _ if !universal => atoms.push(body),
        _ => {}
    }
}

fn flipped(op: BinOp) -> BinOp {
    match op {
        BinOp::Lt => BinOp::Gt,
        BinOp::Le => BinOp::Ge,
        BinOp::Gt => BinOp::Lt,
        BinOp::Ge => BinOp::Le,
        other => other,
    }
}

fn mentions_unbound(expr: &Expr, env: &Env) -> bool {
    if let ExprKind::Bound(id) = &expr.kind {
        return !env.iter().any(|(bound, _)| bound == id);
    }
    let mut found = false;
    expr.for_each_part(|part| found |= mentions_unbound(part, env));
    found
}

fn unsupported<T>(what: &str) -> Lower<T> {
    Err(Unsupported(what.to_owned()))
}

fn unary(op: UnOp, a: &Shape) -> Lower<Shape> {
    let Shape::Leaf(term, leaf) = a else {
        return unsupported("an operator on a structured value");
    };
    let term = match (op, leaf) {
        (UnOp::Not, _) => system::not(term),
        (UnOp::Neg, Leaf::Machine(_)) => system::bv_neg(term),
        (UnOp::Neg, _) => system::neg(term),
        (UnOp::BitNot, _) => system::bv_not(term),
    };
    Ok(Shape::Leaf(term, *leaf))
}

fn binary(op: BinOp, a: &Shape, b: &Shape) -> Lower<Shape> {
    if matches!(op, BinOp::Eq | BinOp::Neq) {
        let mut equal = Vec::new();
        a.zip(b, &mut |a, b| {
            equal.push(system::eq(a, b));
            a.clone()
        })?;
        let all = system::and(equal);
        let term = if op == BinOp::Eq {
            all
        } else {
            system::not(&all)
        };
        return Ok(Shape::Leaf(term, Leaf::Bool));
    }
    let (Shape::Leaf(x, leaf), Shape::Leaf(y, _)) = (a, b) else {
        return unsupported("an operator on structured values");
    };
    if let Leaf::Machine(machine) = leaf {
        return Ok(machine_op(op, *machine, x, y));
    }
    let term = match op {
        BinOp::And => system::and([x.clone(), y.clone()]),
        BinOp::Or => system::or([x.clone(), y.clone()]),
        BinOp::Xor => system::not(&system::eq(x, y)),
        BinOp::Implies => system::implies(x, y),
        BinOp::Lt => system::lt(x, y),
        BinOp::Le => system::le(x, y),
        BinOp::Gt => system::lt(y, x),
        BinOp::Ge => system::le(y, x),
        BinOp::Add => system::add([x.clone(), y.clone()]),
        BinOp::Sub => system::sub(x, y),
        BinOp::Mul => system::mul(x, y),
        BinOp::Div if *leaf == Leaf::Real => system::real_div(x, y),
        BinOp::Div => system::int_div(x, y),
        BinOp::Mod => system::int_mod(x, y),
        _ => return unsupported("a bitwise operator on numbers"),
    };
    let comparison = matches!(op, BinOp::Lt | BinOp::Le | BinOp::Gt | BinOp::Ge);
    let leaf = if comparison { Leaf::Bool } else { *leaf };
    Ok(Shape::Leaf(term, leaf))
}

fn machine_op(op: BinOp, machine: Machine, x: &Term, y: &Term) -> Shape {
    let signed = machine.signed;
    let pick = |a: BvOp, b: BvOp| if signed { a } else { b };
    let (lt, le) = match signed {
        true => (BvCompare::Slt, BvCompare::Sle),
        false => (BvCompare::Ult, BvCompare::Ule),
    };
    let compared = match op {
        BinOp::Lt => Some(system::bv_compare(lt, x, y)),
        BinOp::Le => Some(system::bv_compare(le, x, y)),
        BinOp::Gt => Some(system::bv_compare(lt, y, x)),
        BinOp::Ge => Some(system::bv_compare(le, y, x)),
        _ => None,
    };
    if let Some(term) = compared {
        return Shape::Leaf(term, Leaf::Bool);
    }
    let op = match op {
        BinOp::Add => BvOp::Add,
        BinOp::Sub => BvOp::Sub,
        BinOp::Mul => BvOp::Mul,
        BinOp::Div => pick(BvOp::Sdiv, BvOp::Udiv),
        BinOp::Mod => pick(BvOp::Srem, BvOp::Urem),
        BinOp::BitAnd => BvOp::And,
        BinOp::BitOr => BvOp::Or,
        BinOp::Lsh => BvOp::Shl,
        _ => pick(BvOp::Ashr, BvOp::Lshr),
    };
    Shape::Leaf(system::bv(op, x, y), Leaf::Machine(machine))
}

fn convert(a: &Shape, to: &Type) -> Lower<Shape> {
    let Shape::Leaf(term, from) = a else {
        return unsupported("a conversion of a structured value");
    };
    let Some(leaf) = Leaf::of(to) else {
        return unsupported("a conversion to a structured type");
    };
    let term = match (from, leaf) {
        (Leaf::Int, Leaf::Real) => system::to_real(term),
        (Leaf::Real, Leaf::Int) => system::to_int(term),
        (Leaf::Machine(from), Leaf::Int) => system::bv_to_int(from.signed, term),
        (Leaf::Int, Leaf::Machine(to)) => system::int_to_bv(to.width.into(), term),
        (Leaf::Machine(from), Leaf::Machine(to)) => {
            system::bv_resize(from.signed, to.width.into(), term)
        }
        _ => term.clone(),
    };
    Ok(Shape::Leaf(term, leaf))
}
