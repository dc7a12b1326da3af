//! One step of a program: the direct semantics.
//!
//! An instance of a node remembers, for each `pre`, the operand at its last tick; for
//! each call the instance below and the outputs of its last tick; whether it has ticked;
//! and whether its assumptions have held so far. Within a tick, streams are evaluated
//! when they are asked for. What the program leaves open, its inputs included, is read
//! off a tape of choices, so that the search can enumerate all tapes.

use super::claim::{Claim, Role, claims};
use super::model::*;

/// What an instance remembers.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct State {
    ticked: bool,
    kept_assumptions: bool,
    /// The operand of each `pre` at the last tick.
    memories: Vec<Value>,
    calls: Vec<CallState>,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct CallState {
    /// The outputs of the last tick.
    held: Vec<Value>,
    below: State,
}

/// An instance in the tree of all instances.
pub struct Instance {
    pub node: NodeId,
    pub role: Role,
    pub claims: Vec<Claim>,
    /// The number of the first of them among all claims.
    pub first: usize,
    pub calls: Vec<Instance>,
}

impl Instance {
    pub fn tree(program: &Program, node: NodeId, role: Role) -> Instance {
        Instance::numbered(program, node, role, &mut 0)
    }

    fn numbered(program: &Program, id: NodeId, role: Role, next: &mut usize) -> Instance {
        let node = &program.nodes[id];
        let claims = claims(node, role);
        let first = *next;
        *next += claims.len();
        let calls = match role {
            Role::ContractAlone => &[][..],
            _ => &node.calls,
        };
        let calls = calls
            .iter()
            .map(|call| Instance::numbered(program, call.node, Role::Callee, next));
        Instance {
            node: id,
            role,
            first,
            calls: calls.collect(),
            claims,
        }
    }

    /// The state before the first step, and after a restart.
    pub fn start(&self) -> State {
        let calls = self.calls.iter().map(|below| CallState {
            held: Vec::new(),
            below: below.start(),
        });
        State {
            ticked: false,
            kept_assumptions: true,
            memories: Vec::new(),
            calls: calls.collect(),
        }
    }
}

/// The choices of a step: what was chosen, among how many.
#[derive(Default)]
pub struct Tape {
    choices: Vec<(usize, usize)>,
    at: usize,
}

impl Tape {
    fn choose(&mut self, count: usize) -> usize {
        if self.at == self.choices.len() {
            self.choices.push((0, count));
        }
        self.at += 1;
        self.choices[self.at - 1].0
    }

    /// Goes on to the next sequence of choices; `false` if that was the last.
    pub fn advance(&mut self) -> bool {
        self.choices.truncate(self.at);
        self.at = 0;
        while let Some((choice, count)) = self.choices.last_mut() {
            *choice += 1;
            if choice < count {
                return true;
            }
            self.choices.pop();
        }
        false
    }
}

/// What happens in a step.
pub struct World<'p> {
    pub program: &'p Program,
    pub tape: Tape,
    /// An assertion or an assumption does not hold: there is no such step.
    pub blocked: bool,
    /// The claims that are violated, or reached, by number.
    pub events: Vec<usize>,
}

impl World<'_> {
    fn choose(&mut self, ty: &Type) -> Value {
        let size = self.program.size(ty).expect("only finite types are open");
        let number = match size {
            1 => 0,
            _ => self.tape.choose(size),
        };
        self.program.value(ty, number)
    }
}

/// A step of the top node, whose inputs are choices.
pub fn step(world: &mut World, top: &Instance, state: &mut State) {
    world.blocked = false;
    world.events.clear();
    let node = &world.program.nodes[top.node];
    let types = node.of_class(Class::Input).map(|id| &node.vars[id].ty);
    let inputs = types.map(|ty| world.choose(ty)).collect();
    tick(world, top, state, inputs);
}

/// The outputs of an instance that ticks.
fn tick(
    world: &mut World,
    instance: &Instance,
    state: &mut State,
    inputs: Vec<Value>,
) -> Vec<Value> {
    let node = &world.program.nodes[instance.node];
    let mut tick = Tick {
        vars: vec![None; node.vars.len()],
        fresh: vec![None; node.memories.len()],
        called: vec![None; node.calls.len()],
        node,
        instance,
        state,
        world,
    };
    for (id, value) in node.of_class(Class::Input).zip(inputs) {
        tick.vars[id] = Some(value);
    }
    tick.all();
    let outputs = node.of_class(Class::Output);
    outputs.map(|id| tick.var(id)).collect()
}

struct Tick<'t, 'w> {
    node: &'w Node,
    instance: &'t Instance,
    state: &'t mut State,
    world: &'t mut World<'w>,
    vars: Vec<Option<Value>>,
    /// Values of `pre` where there is no step before.
    fresh: Vec<Option<Value>>,
    called: Vec<Option<Vec<Value>>>,
}

impl<'w> Tick<'_, 'w> {
    fn all(&mut self) {
        let node = self.node;
        let open = !self.has_body();
        if !open {
            for id in 0..node.vars.len() {
                self.var(id);
            }
            for id in 0..node.calls.len() {
                self.call(id);
            }
            for assertion in &node.assertions {
                self.require(assertion, true);
            }
        }
        self.contract();
        for at in 0..self.instance.claims.len() {
            if self.happens(self.instance.claims[at]) {
                self.world.events.push(self.instance.first + at);
            }
        }
        let memories = node.memories.iter();
        let memories: Vec<Value> = memories
            .map(|memory| match open && !memory.in_contract {
                true => Value::Scalar(0),
                false => self.eval(&memory.operand),
            })
            .collect();
        self.state.memories = memories;
        self.state.ticked = true;
    }

    fn has_body(&self) -> bool {
        self.node.has_body() && self.instance.role != Role::ContractAlone
    }

    /// What the environment, or a node without a body, must respect.
    fn contract(&mut self) {
        let Some(contract) = &self.node.contract else {
            return;
        };
        if self.instance.role != Role::Callee {
            for assumption in &contract.assumptions {
                self.require(assumption, true);
            }
        }
        if self.has_body() {
            return;
        }
        if self.instance.role == Role::Callee {
            let mut kept = true;
            for assumption in &contract.assumptions {
                kept &= self.holds(assumption);
            }
            for id in self.node.of_class(Class::Input) {
                kept &= self.in_range(id);
            }
            self.state.kept_assumptions &= kept;
        }
        let owed = self.state.kept_assumptions;
        for guarantee in &contract.guarantees {
            self.require(guarantee, owed);
        }
        for (number, mode) in contract.modes.iter().enumerate() {
            let active = self.is_active(number);
            for ensured in &mode.ensures {
                self.require(ensured, owed && active);
            }
        }
    }

    fn require(&mut self, condition: &'w Expr, owed: bool) {
        if owed && !self.holds(condition) {
            self.world.blocked = true;
        }
    }

    fn is_active(&mut self, mode: usize) -> bool {
        let contract = self
            .node
            .contract
            .as_ref()
            .expect("a mode is of a contract");
        let requires = contract.modes[mode].requires.iter();
        let mut active = true;
        for required in requires {
            active &= self.holds(required);
        }
        active
    }

    fn in_range(&mut self, id: VarId) -> bool {
        match self.node.vars[id].ty {
            Type::Range(low, high) => (low..=high).contains(&self.var(id).scalar()),
            _ => true,
        }
    }

    /// Is the claim violated, or reached, at this tick?
    fn happens(&mut self, claim: Claim) -> bool {
        let node = self.node;
        let contract = || node.contract.as_ref().expect("a claim of a contract");
        match claim {
            Claim::Property(at) => {
                let property = &node.properties[at];
                match &property.kind {
                    PropertyKind::Invariant => !self.holds(&property.expr),
                    PropertyKind::Provided(guard) => {
                        self.holds(guard) && !self.holds(&property.expr)
                    }
                    PropertyKind::Reachable { .. } => self.holds(&property.expr),
                }
            }
            Claim::Guard(at) => match &node.properties[at].kind {
                PropertyKind::Provided(guard) => self.holds(guard),
                _ => unreachable!("only `provided` has a guard"),
            },
            Claim::Range(id) | Claim::ArgumentRange(id) => !self.in_range(id),
            Claim::Guarantee(at) => !self.holds(&contract().guarantees[at]),
            Claim::Ensure(mode, at) => {
                self.is_active(mode) && !self.holds(&contract().modes[mode].ensures[at])
            }
            Claim::ModeReachable(mode) => self.is_active(mode),
            Claim::OneModeActive => {
                let modes = 0..contract().modes.len();
                let active: Vec<bool> = modes.map(|mode| self.is_active(mode)).collect();
                !active.contains(&true)
            }
            Claim::Assumption(at) => !self.holds(&contract().assumptions[at]),
        }
    }

    fn holds(&mut self, expr: &'w Expr) -> bool {
        self.eval(expr).is_true()
    }

    fn var(&mut self, id: VarId) -> Value {
        if let Some(value) = &self.vars[id] {
            return value.clone();
        }
        let var = &self.node.vars[id];
        let open = var.class == Class::Output && !self.has_body();
        let value = match &self.node.definitions[id] {
            _ if open => self.world.choose(&var.ty),
            Definition::Open => self.world.choose(&var.ty),
            Definition::Is(expr) => self.eval(expr),
            Definition::OutputOf(call, at) => self.call(*call)[*at].clone(),
            Definition::Input => unreachable!("inputs are given"),
        };
        self.vars[id] = Some(value.clone());
        value
    }

    /// The value of a `pre`; at the first tick it is any, but one for this tick.
    fn memory(&mut self, id: MemoryId) -> Value {
        if self.state.ticked {
            return self.state.memories[id].clone();
        }
        if let Some(value) = &self.fresh[id] {
            return value.clone();
        }
        let value = self.world.choose(&self.node.memories[id].ty);
        self.fresh[id] = Some(value.clone());
        value
    }

    /// The outputs of a call at this tick. The callee ticks once, if its clock holds.
    fn call(&mut self, id: CallId) -> Vec<Value> {
        if let Some(outputs) = &self.called[id] {
            return outputs.clone();
        }
        let call = &self.node.calls[id];
        let runs = match &call.clock {
            None => true,
            Some(Clock::Held(_, clock, _)) => self.holds(clock),
            Some(Clock::Branch(clock, _, value, _)) => self.var(*clock).scalar() == *value as i64,
        };
        let outputs = match runs {
            true => self.run(id),
            false => self.held(id),
        };
        self.called[id] = Some(outputs.clone());
        outputs
    }

    fn run(&mut self, id: CallId) -> Vec<Value> {
        let call = &self.node.calls[id];
        let args: Vec<Value> = call.args.iter().map(|arg| self.eval(arg)).collect();
        let below = &self.instance.calls[id];
        if let Some(restart) = &call.restart
            && self.holds(restart)
        {
            self.state.calls[id].below = below.start();
        }
        let outputs = tick(self.world, below, &mut self.state.calls[id].below, args);
        // Only those of a call with default values are ever looked at again.
        if matches!(call.clock, Some(Clock::Held(..))) {
            self.state.calls[id].held = outputs.clone();
        }
        outputs
    }

    /// Until the first tick of a call its outputs have the default values of the caller's
    /// first tick, and those of the last tick later. Without default values, nobody looks
    /// at them.
    fn held(&mut self, id: CallId) -> Vec<Value> {
        if let Some(Clock::Held(_, _, defaults)) = &self.node.calls[id].clock
            && self.state.calls[id].held.is_empty()
        {
            self.state.calls[id].held = self.evals(defaults);
        }
        self.state.calls[id].held.clone()
    }

    fn evals(&mut self, exprs: &'w [Expr]) -> Vec<Value> {
        exprs.iter().map(|expr| self.eval(expr)).collect()
    }

    fn eval(&mut self, expr: &'w Expr) -> Value {
        match expr {
            Expr::Literal(_, value) => value.clone(),
            Expr::Var(id) => self.var(*id),
            Expr::Not(a) => (!self.holds(a)).into(),
            Expr::Negative(number, a) => wrap(*number, -self.eval(a).scalar()),
            Expr::Logic(logic, a, b) => {
                let (a, b) = (self.holds(a), self.holds(b));
                let truth = match logic {
                    Logic::And => a && b,
                    Logic::Or => a || b,
                    Logic::Xor => a != b,
                    Logic::Implies => !a || b,
                };
                truth.into()
            }
            Expr::Compare(comparison, a, b) => {
                let (a, b) = (self.eval(a), self.eval(b));
                compare(*comparison, &a, &b).into()
            }
            Expr::Arithmetic(number, operator, a, b) => {
                let (a, b) = (self.eval(a).scalar(), self.eval(b).scalar());
                wrap(*number, arithmetic(*number, *operator, a, b))
            }
            Expr::Convert(number, a) => wrap(*number, self.eval(a).scalar()),
            Expr::AtMostOne(list) => {
                let held = self.evals(list).iter().filter(|v| v.is_true()).count();
                (held <= 1).into()
            }
            Expr::Nor(list) => (!self.evals(list).iter().any(Value::is_true)).into(),
            Expr::If(c, a, b) => match self.holds(c) {
                true => self.eval(a),
                false => self.eval(b),
            },
            Expr::Arrow(a, b) => match self.state.ticked {
                false => self.eval(a),
                true => self.eval(b),
            },
            Expr::Pre(id) => self.memory(*id),
            Expr::Fby(a, id) => match self.state.ticked {
                false => self.eval(a),
                true => self.memory(*id),
            },
            Expr::Array(list) | Expr::Record(_, list) => Value::Parts(self.evals(list)),
            Expr::Fill(a, count) => Value::Parts(vec![self.eval(a); *count]),
            Expr::Index(a, i) => {
                let at = self.eval(i).scalar();
                self.eval(a).parts()[at as usize].clone()
            }
            Expr::Field(_, a, at) => self.eval(a).parts()[*at].clone(),
            Expr::UpdateIndex(a, i, e) => {
                let at = self.eval(i).scalar() as usize;
                self.updated(a, at, e)
            }
            Expr::UpdateField(_, a, at, e) => self.updated(a, *at, e),
            Expr::All(a, _) => self.eval(a).parts().iter().all(Value::is_true).into(),
            Expr::Any(a, _) => self.eval(a).parts().iter().any(Value::is_true).into(),
            Expr::Call(id) => self.call(*id)[0].clone(),
            Expr::Merge(clock, _, branches) => {
                let at = self.var(*clock).scalar() as usize;
                match &branches[at] {
                    Branch::Plain(e) | Branch::When(e) => self.eval(e),
                    Branch::Active(id) => self.call(*id)[0].clone(),
                }
            }
            Expr::InMode(mode) => self.is_active(*mode).into(),
        }
    }

    fn updated(&mut self, whole: &'w Expr, at: usize, part: &'w Expr) -> Value {
        let mut parts = self.eval(whole).parts().to_vec();
        parts[at] = self.eval(part);
        Value::Parts(parts)
    }
}

fn compare(comparison: Comparison, a: &Value, b: &Value) -> bool {
    match comparison {
        Comparison::Equal => a == b,
        Comparison::NotEqual => a != b,
        Comparison::Less => a.scalar() < b.scalar(),
        Comparison::AtMost => a.scalar() <= b.scalar(),
        Comparison::Greater => a.scalar() > b.scalar(),
        Comparison::AtLeast => a.scalar() >= b.scalar(),
    }
}

/// On `int` division is Euclidean, on machine integers it truncates.
fn arithmetic(number: Number, operator: Operator, a: i64, b: i64) -> i64 {
    match (operator, number) {
        (Operator::Add, _) => a + b,
        (Operator::Sub, _) => a - b,
        (Operator::Mul, _) => a * b,
        (Operator::Mod, Number::Int) => {
            let rest = a % b;
            if rest < 0 { rest + b.abs() } else { rest }
        }
        (Operator::Div, Number::Int) => {
            let rest = arithmetic(number, Operator::Mod, a, b);
            (a - rest) / b
        }
        (Operator::Div, Number::Machine(_)) => a / b,
        (Operator::Mod, Number::Machine(_)) => a % b,
    }
}

fn wrap(number: Number, value: i64) -> Value {
    let byte = value.rem_euclid(256);
    Value::Scalar(match number {
        Number::Int => value,
        Number::Machine(Sign::Unsigned) => byte,
        Number::Machine(Sign::Signed) if byte >= 128 => byte - 256,
        Number::Machine(Sign::Signed) => byte,
    })
}
