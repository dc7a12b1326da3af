//! The value of an expression of an instance at a tick.
//!
//! A [`Cursor`] says which instance, which tick and which values of indices are meant. At
//! the present tick streams and calls are computed on demand; at earlier ones they are
//! remembered.

use lang::{BinOp, BoundId, ConstId, Expr, ExprKind, Node, Partial, Type, Value, ops};
use num_traits::ToPrimitive;

use crate::effort::{limit_number, with_stack};
use crate::error::{SimError, internal};
use crate::instance::{Instance, InstanceId};
use crate::simulator::{Oracle, Simulator, TOP};
use crate::unknown::Undefined;

/// Values of index and quantified variables.
pub(crate) type Env = [(BoundId, Value)];

pub(crate) type Eval<T> = Result<T, SimError>;

/// The place in a run where something is computed.
pub(crate) struct Cursor<'c, 'p> {
    pub sim: &'c mut Simulator<'p>,
    pub oracle: &'c mut dyn Oracle,
    pub id: InstanceId,
    pub env: &'c Env,
    /// How many ticks of the instance ago: `pre e` is `e` one tick further back.
    pub back: usize,
}

impl<'p> Simulator<'p> {
    /// An instance at the present tick.
    pub(crate) fn cursor<'c>(
        &'c mut self,
        id: InstanceId,
        oracle: &'c mut dyn Oracle,
    ) -> Cursor<'c, 'p> {
        Cursor {
            sim: self,
            oracle,
            id,
            env: &[],
            back: 0,
        }
    }
}

impl<'p> Cursor<'_, 'p> {
    /// An instance at the present tick, with other values of indices.
    pub fn at<'d>(&'d mut self, id: InstanceId, env: &'d Env) -> Cursor<'d, 'p> {
        Cursor {
            sim: self.sim,
            oracle: self.oracle,
            id,
            env,
            back: 0,
        }
    }

    /// The same instance and tick, with other values of indices.
    pub fn within<'d>(&'d mut self, env: &'d Env) -> Cursor<'d, 'p> {
        let back = self.back;
        Cursor {
            back,
            ..self.at(self.id, env)
        }
    }

    pub fn node(&self) -> &'p Node {
        self.sim.node_of(self.id)
    }

    pub fn instance(&self) -> &Instance {
        &self.sim.instances[self.id.0]
    }

    pub fn instance_mut(&mut self) -> &mut Instance {
        &mut self.sim.instances[self.id.0]
    }

    pub fn eval(&mut self, expr: &Expr) -> Eval<Value> {
        self.sim.effort.enter()?;
        let value = with_stack(|| self.value(expr));
        self.sim.effort.leave();
        value
    }

    fn value(&mut self, expr: &Expr) -> Eval<Value> {
        match &expr.kind {
            ExprKind::Value(value) => Ok(value.clone()),
            ExprKind::Var(var) => self.stream(*var),
            ExprKind::Const(constant) => self.constant(*constant),
            ExprKind::Bound(bound) => lookup(self.env, *bound),
            ExprKind::Choice(choice) => self.choice(*choice),
            ExprKind::Unary(op, a) => {
                let a = self.eval(a)?;
                total(ops::unary(*op, &a))
            }
            ExprKind::Binary(op, a, b) => self.binary(*op, a, b, &expr.ty),
            ExprKind::If(c, a, b) => {
                let branch = if self.holds(c)? { a } else { b };
                self.eval(branch)
            }
            ExprKind::Merge(clock, cases) => {
                let clock = self.eval(clock)?;
                match cases.iter().find(|(value, _)| *value == clock) {
                    Some((_, branch)) => self.eval(branch),
                    None => internal("a merge without a branch for its clock"),
                }
            }
            ExprKind::Arrow(first, then) => {
                let branch = if self.is_first() { first } else { then };
                self.eval(branch)
            }
            ExprKind::Pre(e, choice) => {
                if !self.is_first() {
                    return self.before(e);
                }
                match choice {
                    Some(choice) => self.choice(*choice),
                    None => self.default(&expr.ty),
                }
            }
            ExprKind::Convert(a) => {
                let a = self.eval(a)?;
                total(ops::convert(&a, &expr.ty))
            }
            ExprKind::AtMostOne(all) => {
                let mut holding = 0;
                for part in all {
                    holding += usize::from(self.holds(part)?);
                }
                Ok(Value::Bool(holding <= 1))
            }
            ExprKind::Fields(all) => Ok(Value::Fields(self.all(all)?.into())),
            ExprKind::Array(all) => {
                self.array_size(&expr.ty)?;
                Ok(Value::Array(self.all(all)?.into()))
            }
            ExprKind::Fill(element) => {
                let size = self.array_size(&expr.ty)?;
                let element = self.eval(element)?;
                Ok(Value::Array(vec![element; size].into()))
            }
            ExprKind::Field(base, at) => match self.eval(base)? {
                Value::Fields(fields) => total(fields.get(*at).cloned()),
                _ => internal("a field of something without fields"),
            },
            ExprKind::Index(..) => self.index(expr),
            ExprKind::Update(base, path, value) => {
                let base = self.eval(base)?;
                let value = self.eval(value)?;
                self.update(base, path, value)
            }
            ExprKind::Quantified(quantifier, vars, body) => {
                self.quantified(*quantifier, vars, body)
            }
            ExprKind::Call(call, output) => self.output(*call, *output),
        }
    }

    pub fn holds(&mut self, expr: &Expr) -> Eval<bool> {
        let value = self.eval(expr)?;
        total(value.as_bool())
    }

    fn all(&mut self, all: &[Expr]) -> Eval<Vec<Value>> {
        all.iter().map(|part| self.eval(part)).collect()
    }

    fn binary(&mut self, op: BinOp, a: &Expr, b: &Expr, ty: &Type) -> Eval<Value> {
        let a = self.eval(a)?;
        if let Some(value) = decided(op, &a) {
            return Ok(Value::Bool(value));
        }
        let partial = Partial::of(op, &b.ty);
        let b = self.eval(b)?;
        if let Some(operation) = partial.filter(|_| !ops::is_defined(op, &b)) {
            let undefined = Undefined {
                operation,
                operands: vec![a, b],
                stream: None,
            };
            return self.unknown(undefined, ty);
        }
        self.sim.effort.operate(&a, &b)?;
        limit_number(total(ops::binary(op, &a, &b))?)
    }

    /// Is the tick the first since the start or the last restart?
    pub fn is_first(&self) -> bool {
        // After the step is over, the present is the latest of the past.
        self.instance().ticks_before() <= self.back
    }

    /// The value one tick earlier.
    fn before(&mut self, expr: &Expr) -> Eval<Value> {
        self.back += 1;
        let value = self.eval(expr);
        self.back -= 1;
        value
    }

    pub fn constant(&mut self, id: ConstId) -> Eval<Value> {
        if let Some(value) = &self.sim.consts[id.index()] {
            return Ok(value.clone());
        }
        let constant = self.sim.program.constant(id);
        let mut top = self.at(TOP, &[]);
        let value = match &constant.value {
            Some(value) => top.eval(value)?,
            None => {
                let name = constant.name;
                top.sim.note_default(format!("the free constant `{name}`"));
                top.default(&constant.ty)?
            }
        };
        self.sim.consts[id.index()] = Some(value.clone());
        Ok(value)
    }
}

/// The value of an operation that its left operand alone decides.
fn decided(op: BinOp, left: &Value) -> Option<bool> {
    match op {
        BinOp::And => (*left == Value::Bool(false)).then_some(false),
        BinOp::Or => (*left == Value::Bool(true)).then_some(true),
        BinOp::Implies => (*left == Value::Bool(false)).then_some(true),
        BinOp::Xor | BinOp::Eq | BinOp::Neq => None,
        BinOp::Lt | BinOp::Le | BinOp::Gt | BinOp::Ge => None,
        BinOp::Add | BinOp::Sub | BinOp::Mul | BinOp::Div | BinOp::Mod => None,
        BinOp::BitAnd | BinOp::BitOr | BinOp::Lsh | BinOp::Rsh => None,
    }
}

/// The value, which is there if the program is well typed.
pub(crate) fn total<T>(value: Option<T>) -> Eval<T> {
    match value {
        Some(value) => Ok(value),
        None => internal("a value of another type"),
    }
}

fn lookup(env: &Env, bound: BoundId) -> Eval<Value> {
    match env.iter().rev().find(|(id, _)| *id == bound) {
        Some((_, value)) => Ok(value.clone()),
        None => internal("an index without a value"),
    }
}

/// The values of indices.
pub(crate) fn index_values(env: &Env, bounds: &[BoundId]) -> Eval<Vec<usize>> {
    let index = |bound: &BoundId| {
        let value = lookup(env, *bound)?;
        total(value.as_int().and_then(|value| value.to_usize()))
    };
    bounds.iter().map(index).collect()
}

pub(crate) fn bind(bounds: &[BoundId], indices: &[usize]) -> Vec<(BoundId, Value)> {
    let values = indices.iter().map(|index| Value::int(*index));
    bounds.iter().copied().zip(values).collect()
}
