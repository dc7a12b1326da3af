//! Expressions as terms.

use lang::{BinOp, ChoiceId, Expr, ExprKind, Type, UnOp, Value};
use syntax::ast::Machine;
use system::{BvCompare, BvOp, Kind, Term};

use crate::instance::{Env, InstanceId, value_of};
use crate::lowerer::Lowerer;
use crate::memory::depends;
use crate::partial::Division;
use crate::shape::{Leaf, Shape};
use crate::{Lower, Unsupported};

impl<'p> Lowerer<'p> {
    pub fn scalar(&mut self, id: InstanceId, expr: &'p Expr, env: &Env) -> Lower<Term> {
        let shape = self.expr(id, expr, env)?;
        shape.leaf().cloned()
    }

    pub fn expr(&mut self, id: InstanceId, expr: &'p Expr, env: &Env) -> Lower<Shape> {
        match &expr.kind {
            ExprKind::Value(value) => self.literal(id, &expr.ty, value),
            ExprKind::Var(var) => self.var(id, *var),
            ExprKind::Const(constant) => self.constant(*constant),
            ExprKind::Bound(bound) => match value_of(*bound, env) {
                Some(term) => {
                    let leaf = Leaf::of(&expr.ty).unwrap_or(Leaf::Int);
                    Ok(Shape::Leaf(term.clone(), leaf))
                }
                None => unsupported("an index without a value"),
            },
            ExprKind::Choice(choice) => self.choice(id, *choice, env),
            ExprKind::Unary(op, a) => {
                let a = self.expr(id, a, env)?;
                unary(*op, &a)
            }
            ExprKind::Binary(op, a, b) => {
                let a = self.expr(id, a, env)?;
                let b = match needed_where(*op, &a) {
                    Some(fact) => self.under(&fact, |this| this.expr(id, b, env))?,
                    None => self.expr(id, b, env)?,
                };
                self.binary(*op, &a, &b)
            }
            ExprKind::If(c, a, b) => self.conditional(id, [c, a, b], env),
            ExprKind::Merge(clock, cases) => self.merge(id, clock, cases, env),
            ExprKind::Arrow(first, then) => {
                let (a, b) = (self.expr(id, first, env)?, self.expr(id, then, env)?);
                let first = self.context(id).first;
                a.zip(&b, &mut |a, b| system::ite(&first, a, b))
            }
            ExprKind::Pre(e, choice) => self.pre(id, e, *choice, env),
            ExprKind::Convert(a) => {
                let a = self.expr(id, a, env)?;
                convert(&a, &expr.ty)
            }
            ExprKind::AtMostOne(all) => self.at_most_one(id, all, env),
            ExprKind::Fields(all) => Ok(Shape::Fields(self.exprs(id, all, env)?.into())),
            ExprKind::Array(all) => {
                let all = self.exprs(id, all, env)?;
                self.packed(id, &expr.ty, all)
            }
            ExprKind::Fill(element) => {
                let element = self.expr(id, element, env)?;
                self.fill(id, &expr.ty, element)
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

    fn exprs(&mut self, id: InstanceId, all: &'p [Expr], env: &Env) -> Lower<Vec<Shape>> {
        all.iter().map(|expr| self.expr(id, expr, env)).collect()
    }

    fn conditional(&mut self, id: InstanceId, [c, a, b]: [&'p Expr; 3], env: &Env) -> Lower<Shape> {
        let c = self.scalar(id, c, env)?;
        // A branch that is never taken is not translated: its indices may be out of bounds.
        match c.kind() {
            Kind::Bool(true) => return self.expr(id, a, env),
            Kind::Bool(false) => return self.expr(id, b, env),
            _ => {}
        }
        let a = self.under(&c, |this| this.expr(id, a, env))?;
        let b = self.under(&system::not(&c), |this| this.expr(id, b, env))?;
        a.zip(&b, &mut |a, b| system::ite(&c, a, b))
    }

    fn merge(
        &mut self,
        id: InstanceId,
        clock: &'p Expr,
        cases: &'p [(Value, Expr)],
        env: &Env,
    ) -> Lower<Shape> {
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

    /// `pre e`: a choice at the first tick, where someone can see it, and memory later.
    fn pre(
        &mut self,
        id: InstanceId,
        e: &'p Expr,
        choice: Option<ChoiceId>,
        env: &Env,
    ) -> Lower<Shape> {
        let memory = match depends(self.node_of(id), e, env) {
            true => self.aside(|this| this.before(id, e, env))?,
            false => self.memory(id, e, env)?,
        };
        let Some(choice) = choice else {
            return Ok(memory);
        };
        let open = self.choice(id, choice, env)?;
        let first = self.context(id).first;
        open.zip(&memory, &mut |open, memory| {
            system::ite(&first, open, memory)
        })
    }

    pub fn binary(&mut self, op: BinOp, a: &Shape, b: &Shape) -> Lower<Shape> {
        let term = match op {
            BinOp::Eq => self.equal(a, b)?,
            BinOp::Neq => system::not(&self.equal(a, b)?),
            _ => return self.scalar_op(op, a, b),
        };
        Ok(Shape::Leaf(term, Leaf::Bool))
    }

    fn scalar_op(&mut self, op: BinOp, a: &Shape, b: &Shape) -> Lower<Shape> {
        let (Shape::Leaf(x, leaf), Shape::Leaf(y, _)) = (a, b) else {
            return unsupported("an operator on structured values");
        };
        if let Leaf::Machine(machine) = leaf {
            return machine_op(op, *machine, x, y);
        }
        let own = |term: Term| Ok(Shape::Leaf(term, *leaf));
        let compared = |term: Term| Ok(Shape::Leaf(term, Leaf::Bool));
        match op {
            BinOp::And => own(system::and([x.clone(), y.clone()])),
            BinOp::Or => own(system::or([x.clone(), y.clone()])),
            BinOp::Xor => own(system::not(&system::eq(x, y))),
            BinOp::Implies => own(system::implies(x, y)),
            BinOp::Lt => compared(system::lt(x, y)),
            BinOp::Le => compared(system::le(x, y)),
            BinOp::Gt => compared(system::lt(y, x)),
            BinOp::Ge => compared(system::le(y, x)),
            BinOp::Add => own(system::add([x.clone(), y.clone()])),
            BinOp::Sub => own(system::sub(x, y)),
            BinOp::Mul => own(system::mul(x, y)),
            BinOp::Div => own(self.divided(Division::Quotient, *leaf, x, y)),
            BinOp::Mod => own(self.divided(Division::Remainder, *leaf, x, y)),
            BinOp::Eq | BinOp::Neq => unsupported("an equality of scalars only"),
            BinOp::BitAnd | BinOp::BitOr | BinOp::Lsh | BinOp::Rsh => {
                unsupported("an operator on numbers of another type")
            }
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
}

pub(crate) fn unsupported<T>(what: &str) -> Lower<T> {
    Err(Unsupported(what.to_owned()))
}

pub(crate) fn unary(op: UnOp, a: &Shape) -> Lower<Shape> {
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

/// The fact about the left operand outside of which the value of the right one does not
/// matter, if the operator has one.
fn needed_where(op: BinOp, left: &Shape) -> Option<Term> {
    let left = left.leaf().ok()?;
    match op {
        BinOp::And | BinOp::Implies => Some(left.clone()),
        BinOp::Or => Some(system::not(left)),
        BinOp::Xor | BinOp::Eq | BinOp::Neq => None,
        BinOp::Lt | BinOp::Le | BinOp::Gt | BinOp::Ge => None,
        BinOp::Add | BinOp::Sub | BinOp::Mul | BinOp::Div | BinOp::Mod => None,
        BinOp::BitAnd | BinOp::BitOr | BinOp::Lsh | BinOp::Rsh => None,
    }
}

fn machine_op(op: BinOp, machine: Machine, x: &Term, y: &Term) -> Lower<Shape> {
    let signed = machine.signed;
    let pick = |a: BvOp, b: BvOp| if signed { a } else { b };
    let (lt, le) = match signed {
        true => (BvCompare::Slt, BvCompare::Sle),
        false => (BvCompare::Ult, BvCompare::Ule),
    };
    let compared = |op, a, b| Ok(Shape::Leaf(system::bv_compare(op, a, b), Leaf::Bool));
    let op = match op {
        BinOp::Lt => return compared(lt, x, y),
        BinOp::Le => return compared(le, x, y),
        BinOp::Gt => return compared(lt, y, x),
        BinOp::Ge => return compared(le, y, x),
        BinOp::Add => BvOp::Add,
        BinOp::Sub => BvOp::Sub,
        BinOp::Mul => BvOp::Mul,
        BinOp::Div => pick(BvOp::Sdiv, BvOp::Udiv),
        BinOp::Mod => pick(BvOp::Srem, BvOp::Urem),
        BinOp::BitAnd => BvOp::And,
        BinOp::BitOr => BvOp::Or,
        BinOp::Lsh => BvOp::Shl,
        BinOp::Rsh => pick(BvOp::Ashr, BvOp::Lshr),
        BinOp::And | BinOp::Or | BinOp::Xor | BinOp::Implies => {
            return unsupported("a Boolean operator on machine integers");
        }
        BinOp::Eq | BinOp::Neq => return unsupported("an equality of scalars only"),
    };
    Ok(Shape::Leaf(system::bv(op, x, y), Leaf::Machine(machine)))
}

pub(crate) fn convert(a: &Shape, to: &Type) -> Lower<Shape> {
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
        (Leaf::Int, Leaf::Int) | (Leaf::Real, Leaf::Real) => term.clone(),
        (Leaf::Bool | Leaf::Enum(_) | Leaf::Abstract, _)
        | (_, Leaf::Bool | Leaf::Enum(_) | Leaf::Abstract)
        | (Leaf::Real, Leaf::Machine(_))
        | (Leaf::Machine(_), Leaf::Real) => {
            return unsupported("a conversion between types that are not numbers");
        }
    };
    Ok(Shape::Leaf(term, leaf))
}
