//! Random programs with few states.
//!
//! A program is finite by construction: every stream of numbers is defined through `mod`
//! or between two bounds, and a `pre` that shows at the first step is of a finite type.
//! Streams refer to streams before them, and under `pre` to all. Of many candidates for
//! properties of the top node those are kept that the search finds interesting: what
//! holds, and what is violated or reached late.

use system::Random;

use super::claim::{Claim, Role};
use super::model::*;
use super::search::{Explored, Limits};

/// A program is given up beyond this.
pub const LIMITS: Limits = Limits {
    states: 3000,
    steps: 60_000,
};

const CANDIDATES: usize = 24;

/// The program of an index of a seed; `None` if it has too many states.
pub fn program(seed: u64, index: u64) -> Option<Program> {
    let mut generator = Generator {
        random: Random::new(seed, index),
        program: Program {
            enums: Vec::new(),
            records: Vec::new(),
            nodes: Vec::new(),
        },
        node: empty("", Kind::Node),
    };
    generator.types();
    let callees = generator.random.below(4);
    for at in 0..callees {
        generator.callee(at);
    }
    generator.top();
    let mut program = generator.program;
    select(&mut program, &mut generator.random)?;
    for node in &mut program.nodes {
        node.forget_unused_memories();
    }
    Some(program)
}

/// Keeps interesting ones of the candidates.
fn select(program: &mut Program, random: &mut Random) -> Option<()> {
    let top = program.top();
    let mut explored = Explored::new(program, top, Role::Top, LIMITS)?;
    let mut rated: Vec<(bool, Option<usize>, usize)> = Vec::new();
    for (path, node, claim, number) in explored.claims() {
        let Claim::Property(at) = claim else { continue };
        if !path.is_empty() || node != top {
            continue;
        }
        let (reach, from, within) = match program.nodes[top].properties[at].kind {
            PropertyKind::Reachable { from, within } => (true, from, within),
            _ => (false, None, None),
        };
        let first = explored.first(number, from.unwrap_or(0), within);
        // That something cannot be reached from some step on takes engines long to tell.
        let slow = first.is_none() && from.is_some() && within.is_none();
        if !slow || random.once_in(10) {
            rated.push((reach, first, at));
        }
    }
    random.shuffle(&mut rated);
    rated.sort_by_key(|(_, first, _)| std::cmp::Reverse(*first));
    let mut kept = Vec::new();
    for (reach, happens, count) in [
        (false, false, 4),
        (false, true, 3),
        (true, true, 2),
        (true, false, 2),
    ] {
        let fitting = rated
            .iter()
            .filter(|(r, first, _)| *r == reach && first.is_some() == happens);
        kept.extend(fitting.take(count).map(|(_, _, at)| *at));
    }
    kept.sort_unstable();
    let properties = &mut program.nodes[top].properties;
    *properties = kept.iter().map(|at| properties[*at].clone()).collect();
    Some(())
}

fn empty(name: &str, kind: Kind) -> Node {
    Node {
        name: name.to_owned(),
        kind,
        vars: Vec::new(),
        definitions: Vec::new(),
        memories: Vec::new(),
        calls: Vec::new(),
        assertions: Vec::new(),
        properties: Vec::new(),
        contract: None,
    }
}

/// What an expression may speak of.
#[derive(Clone)]
struct Scope {
    /// At the present step.
    now: Vec<VarId>,
    /// Under `pre`; none where there is no memory.
    before: Vec<VarId>,
    /// Not seen at the first step: a `pre` of numbers is finite here.
    guarded: bool,
    calls: bool,
    contract: bool,
    quantifiers: bool,
}

impl Scope {
    /// That of the arguments of a call.
    fn of_arguments(&self) -> Scope {
        Scope {
            guarded: false,
            calls: false,
            ..self.clone()
        }
    }
}

struct Generator {
    random: Random,
    program: Program,
    node: Node,
}

fn boxed(expr: Expr) -> Box<Expr> {
    Box::new(expr)
}

fn number(value: i64) -> Expr {
    Expr::Literal(Type::Int, Value::Scalar(value))
}

impl Generator {
    fn once_in(&mut self, times: usize) -> bool {
        self.random.once_in(times)
    }

    fn between(&mut self, low: i64, high: i64) -> i64 {
        low + self.random.below((high - low + 1) as usize) as i64
    }

    fn one_of<T: Clone>(&mut self, all: &[T]) -> T {
        all[self.random.below(all.len())].clone()
    }

    fn types(&mut self) {
        for at in 0..self.random.below(3) {
            let count = 2 + self.random.below(3);
            let values = (0..count).map(|value| format!("E{at}V{value}"));
            self.program.enums.push(Enumeration {
                name: format!("e{at}"),
                values: values.collect(),
            });
        }
        if self.once_in(3) {
            let count = 2 + self.random.below(2);
            let fields = (0..count).map(|at| (format!("f{at}"), self.small_scalar()));
            let fields = fields.collect();
            self.program.records.push(Record {
                name: "r0".to_owned(),
                fields,
            });
        }
    }

    /// Without a range: whether those of parts are checked is a matter of its own.
    fn small_scalar(&mut self) -> Type {
        match self.program.enums.len() {
            0 => Type::Bool,
            count if self.once_in(3) => Type::Enum(self.random.below(count)),
            _ => Type::Bool,
        }
    }

    fn range(&mut self) -> Type {
        let low = self.between(-1, 1);
        Type::Range(low, low + self.between(1, 3))
    }

    /// A type with few values.
    fn finite(&mut self) -> Type {
        match self.random.below(10) {
            0..5 => self.small_scalar(),
            5..8 => self.range(),
            8 => Type::Array(boxed_type(self.small_scalar()), 2),
            _ if !self.program.records.is_empty() => Type::Record(0),
            _ => Type::Bool,
        }
    }

    fn any_type(&mut self) -> Type {
        match self.random.below(12) {
            0..3 => Type::Int,
            3 => Type::Array(boxed_type(Type::Int), 2),
            4 => Type::Array(boxed_type(Type::Bool), 3),
            _ => self.finite(),
        }
    }

    fn add_var(&mut self, name: String, ty: Type, class: Class) -> VarId {
        let definition = match class {
            Class::Input => Definition::Input,
            _ => Definition::Open,
        };
        self.node.vars.push(Var { name, ty, class });
        self.node.definitions.push(definition);
        self.node.vars.len() - 1
    }

    fn add_inputs(&mut self, most: usize, product: usize) {
        let count = 1 + self.random.below(most);
        let mut values = 1;
        for at in 0..count {
            let ty = self.finite();
            let size = self.program.size(&ty).unwrap_or(1);
            if values * size <= product {
                values *= size;
                self.add_var(format!("x{at}"), ty, Class::Input);
            }
        }
        if self.node.vars.is_empty() {
            self.add_var("x0".to_owned(), Type::Bool, Class::Input);
        }
    }

    fn callee(&mut self, at: usize) {
        let kind = match self.random.below(6) {
            0 => Kind::Function,
            1 => Kind::Imported,
            _ => Kind::Node,
        };
        self.node = empty(&format!("n{at}"), kind);
        self.add_inputs(2, 8);
        let outputs = 1 + usize::from(self.once_in(3));
        for at in 0..outputs {
            let ty = match kind {
                Kind::Imported => match self.once_in(3) {
                    true => self.range(),
                    false => self.small_scalar(),
                },
                _ if self.once_in(4) => Type::Int,
                _ => self.finite(),
            };
            self.add_var(format!("y{at}"), ty, Class::Output);
        }
        match kind {
            Kind::Imported => {}
            _ => {
                let locals = self.random.below(2);
                self.body(locals, 1);
            }
        }
        if self.once_in(2) || kind == Kind::Imported && self.once_in(2) {
            self.contract();
        }
        if kind != Kind::Imported {
            for _ in 0..self.random.below(3) {
                let property = self.property();
                self.node.properties.push(property);
            }
        }
        let done = std::mem::replace(&mut self.node, empty("", Kind::Node));
        self.program.nodes.push(done);
    }

    fn top(&mut self) {
        self.node = empty("top", Kind::Node);
        self.add_inputs(3, 12);
        for at in 0..1 + self.random.below(2) {
            let ty = match self.once_in(4) {
                true => Type::Int,
                false => self.finite(),
            };
            self.add_var(format!("y{at}"), ty, Class::Output);
        }
        let locals = 1 + self.random.below(4);
        self.body(locals, 3);
        if self.once_in(2) {
            self.contract();
        }
        for _ in 0..CANDIDATES {
            let property = self.property();
            self.node.properties.push(property);
        }
        let done = std::mem::replace(&mut self.node, empty("", Kind::Node));
        self.program.nodes.push(done);
    }

    /// Locals, equations, calls, assertions.
    fn body(&mut self, locals: usize, calls: usize) {
        let stateless = self.node.kind == Kind::Function;
        for at in 0..locals {
            let ty = self.any_type();
            self.add_var(format!("v{at}"), ty, Class::Local);
        }
        // Calls with several outputs define streams of their own.
        let mut multiple = Vec::new();
        let callees: Vec<NodeId> = (0..self.program.nodes.len())
            .filter(|id| self.may_call(*id))
            .collect();
        if !callees.is_empty() {
            for at in 0..self.random.below(calls + 1) {
                let callee = self.one_of(&callees);
                let node = &self.program.nodes[callee];
                let types: Vec<Type> = node
                    .of_class(Class::Output)
                    .map(|id| node.vars[id].ty.clone())
                    .collect();
                let vars: Vec<VarId> = types
                    .into_iter()
                    .enumerate()
                    .map(|(output, ty)| {
                        let ty = match ty {
                            Type::Range(..) if self.once_in(2) => Type::Int,
                            ty => ty,
                        };
                        self.add_var(format!("c{at}_{output}"), ty, Class::Local)
                    })
                    .collect();
                multiple.push((callee, vars));
            }
        }
        // What is defined when: singles and groups in any order.
        let grouped: Vec<VarId> = multiple.iter().flat_map(|(_, vars)| vars.clone()).collect();
        let mut plan: Vec<(Option<NodeId>, Vec<VarId>)> = multiple
            .into_iter()
            .map(|(callee, vars)| (Some(callee), vars))
            .collect();
        for id in 0..self.node.vars.len() {
            let class = self.node.vars[id].class;
            if class != Class::Input && !grouped.contains(&id) {
                plan.push((None, vec![id]));
            }
        }
        self.random.shuffle(&mut plan);
        let all: Vec<VarId> = (0..self.node.vars.len()).collect();
        let mut now: Vec<VarId> = self.node.of_class(Class::Input).collect();
        for (callee, vars) in plan {
            let scope = Scope {
                now: now.clone(),
                before: if stateless { Vec::new() } else { all.clone() },
                guarded: false,
                calls: true,
                contract: false,
                quantifiers: false,
            };
            match callee {
                Some(callee) => {
                    if let Some(call) = self.call(callee, &scope) {
                        for (at, var) in vars.iter().enumerate() {
                            self.node.definitions[*var] = Definition::OutputOf(call, at);
                        }
                    } else {
                        for var in &vars {
                            self.define(*var, &scope);
                        }
                    }
                }
                None => {
                    let var = &self.node.vars[vars[0]];
                    let small = self.program.size(&var.ty).is_some_and(|size| size <= 4);
                    let open = var.class == Class::Output && small && !stateless;
                    if !(open && self.once_in(8)) {
                        self.define(vars[0], &scope);
                    }
                }
            }
            now.extend(vars);
        }
        if self.once_in(7) {
            let scope = self.property_scope();
            let assertion = self.expr(&Type::Bool, 2, &scope);
            self.node.assertions.push(assertion);
        }
    }

    fn define(&mut self, var: VarId, scope: &Scope) {
        let ty = self.node.vars[var].ty.clone();
        let expr = self.definition(&ty, scope);
        self.node.definitions[var] = Definition::Is(expr);
    }

    /// An expression for a stream: numbers within bounds.
    fn definition(&mut self, ty: &Type, scope: &Scope) -> Expr {
        match ty {
            Type::Int => {
                let (low, high) = (self.between(-2, 0), self.between(1, 3));
                self.bounded(low, high, scope)
            }
            Type::Range(low, high) => {
                let wider = i64::from(self.once_in(3));
                let low = low - i64::from(self.once_in(6));
                self.bounded(low, high + wider, scope)
            }
            Type::Array(element, count) => {
                if **element != Type::Int && self.once_in(3) {
                    return self.expr(ty, 2, scope);
                }
                let parts = (0..*count).map(|_| self.definition(element, scope));
                Expr::Array(parts.collect())
            }
            _ => {
                let depth = 2 + self.random.below(2);
                self.expr(ty, depth, scope)
            }
        }
    }

    fn bounded(&mut self, low: i64, high: i64, scope: &Scope) -> Expr {
        let depth = 2 + self.random.below(2);
        let expr = self.expr(&Type::Int, depth, scope);
        let modulo = |expr, count| {
            let rest = Expr::Arithmetic(
                Number::Int,
                Operator::Mod,
                boxed(expr),
                boxed(number(count)),
            );
            match low {
                0 => rest,
                _ => Expr::Arithmetic(Number::Int, Operator::Add, boxed(rest), boxed(number(low))),
            }
        };
        let compared = |comparison, bound| {
            Expr::Compare(comparison, boxed(expr.clone()), boxed(number(bound)))
        };
        // A second copy of a call would be another call; of a `pre`, another choice.
        if scope.before.is_empty() && !scope.calls && self.once_in(2) {
            let above = Expr::If(
                boxed(compared(Comparison::Greater, high)),
                boxed(number(high)),
                boxed(expr.clone()),
            );
            return Expr::If(
                boxed(compared(Comparison::Less, low)),
                boxed(number(low)),
                boxed(above),
            );
        }
        modulo(expr, high - low + 1)
    }

    /// A function calls functions only.
    fn may_call(&self, id: NodeId) -> bool {
        let callee = &self.program.nodes[id];
        self.node.kind != Kind::Function || callee.kind == Kind::Function
    }

    fn contract(&mut self) {
        let stateless = self.node.kind == Kind::Function;
        let inputs: Vec<VarId> = self.node.of_class(Class::Input).collect();
        let outputs: Vec<VarId> = self.node.of_class(Class::Output).collect();
        let before = match stateless {
            true => Vec::new(),
            false => [inputs.clone(), outputs.clone()].concat(),
        };
        let mut early = Scope {
            now: inputs,
            before,
            guarded: false,
            calls: false,
            contract: true,
            quantifiers: false,
        };
        let finite = outputs.iter().all(|id| {
            let size = self.program.size(&self.node.vars[*id].ty);
            size.is_some_and(|size| size <= 16)
        });
        if !stateless && self.once_in(3) {
            let ty = match self.once_in(3) {
                true => Type::Int,
                false => self.small_scalar(),
            };
            let ghost = self.add_var("g0".to_owned(), ty.clone(), Class::Ghost);
            let expr = self.definition(&ty, &early);
            self.node.definitions[ghost] = Definition::Is(expr);
            early.now.push(ghost);
            early.before.push(ghost);
        }
        let mut late = early.clone();
        late.now.extend(outputs);
        let mut contract = Contract::default();
        for _ in 0..self.random.below(2) {
            contract.assumptions.push(self.weak(&early));
        }
        for _ in 0..self.random.below(3) {
            contract.guarantees.push(self.weak(&late));
        }
        if finite && self.once_in(2) {
            let condition = self.expr(&Type::Bool, 1, &early);
            let second = match self.once_in(4) {
                true => self.expr(&Type::Bool, 1, &early),
                false => Expr::Not(boxed(self.copied(&condition))),
            };
            for (at, required) in [condition, second].into_iter().enumerate() {
                let ensured = self.weak(&late);
                contract.modes.push(Mode {
                    name: format!("m{at}"),
                    requires: vec![required],
                    ensures: vec![ensured],
                });
            }
            if self.once_in(3) {
                let mode = Expr::InMode(self.random.below(2));
                let then = self.weak(&late);
                let implied = Expr::Logic(Logic::Implies, boxed(mode), boxed(then));
                contract.guarantees.push(implied);
            }
        }
        let clauses = contract.assumptions.len() + contract.guarantees.len();
        if clauses + contract.modes.len() > 0 {
            self.node.contract = Some(contract);
        } else {
            // A contract must say something; ghosts of none are none.
            let ghosts: Vec<VarId> = self.node.of_class(Class::Ghost).collect();
            for ghost in ghosts {
                self.node.vars.truncate(ghost);
                self.node.definitions.truncate(ghost);
            }
        }
    }

    /// A copy of an expression has memories of its own.
    fn copied(&mut self, expr: &Expr) -> Expr {
        let mut copy = expr.clone();
        self.renew(&mut copy);
        copy
    }

    fn renew(&mut self, expr: &mut Expr) {
        if let Expr::Pre(id) | Expr::Fby(_, id) = expr {
            let mut memory = self.node.memories[*id].clone();
            self.renew(&mut memory.operand);
            self.node.memories.push(memory);
            *id = self.node.memories.len() - 1;
        }
        for part in expr.parts() {
            self.renew(part);
        }
    }

    /// A condition that often holds.
    fn weak(&mut self, scope: &Scope) -> Expr {
        let a = self.expr(&Type::Bool, 1, scope);
        let b = self.expr(&Type::Bool, 2, scope);
        Expr::Logic(Logic::Or, boxed(a), boxed(b))
    }

    fn property_scope(&self) -> Scope {
        let all: Vec<VarId> = (0..self.node.vars.len())
            .filter(|id| self.node.vars[*id].class != Class::Ghost)
            .collect();
        let before = match self.node.kind {
            Kind::Function => Vec::new(),
            _ => all.clone(),
        };
        Scope {
            now: all,
            before,
            guarded: false,
            calls: false,
            contract: false,
            quantifiers: true,
        }
    }

    fn property(&mut self) -> Property {
        let scope = self.property_scope();
        let depth = 1 + self.random.below(3);
        let expr = self.expr(&Type::Bool, depth, &scope);
        let kind = match self.random.below(7) {
            0 => PropertyKind::Provided(self.expr(&Type::Bool, 1, &scope)),
            1 | 2 => {
                let from = self.once_in(3).then(|| self.random.below(6));
                let within = self.once_in(3).then(|| self.random.below(5));
                let within = within.map(|within| within + from.unwrap_or(0));
                PropertyKind::Reachable { from, within }
            }
            _ => PropertyKind::Invariant,
        };
        Property { expr, kind }
    }

    /// A call, unless there is the same one already.
    fn call(&mut self, callee: NodeId, scope: &Scope) -> Option<CallId> {
        let below = scope.of_arguments();
        let clockable = self.node.kind == Kind::Node;
        let args = self.arguments(callee, Class::Input, &below);
        let mut call = Call {
            node: callee,
            args,
            clock: None,
            restart: None,
        };
        if clockable && self.once_in(3) {
            let clock = self.expr(&Type::Bool, 1, &below);
            let defaults = self.arguments(callee, Class::Output, &below);
            let style = match self.once_in(2) {
                true => Style::Condact,
                false => Style::Activate,
            };
            call.clock = Some(Clock::Held(style, clock, defaults));
        }
        if clockable && self.program.nodes[callee].kind == Kind::Node && self.once_in(4) {
            call.restart = Some(self.expr(&Type::Bool, 1, &below));
        }
        self.add_call(call)
    }

    /// An argument for each stream of the class that the callee has.
    fn arguments(&mut self, callee: NodeId, class: Class, scope: &Scope) -> Vec<Expr> {
        let node = &self.program.nodes[callee];
        let types = node.of_class(class).map(|id| node.vars[id].ty.clone());
        let types: Vec<Type> = types.collect();
        types.iter().map(|ty| self.argument(ty, scope)).collect()
    }

    fn add_call(&mut self, call: Call) -> Option<CallId> {
        let same = |other: &Call| {
            other.node == call.node && self.canonical(&other.args) == self.canonical(&call.args)
        };
        if self.node.calls.iter().any(same) {
            return None;
        }
        self.node.calls.push(call);
        Some(self.node.calls.len() - 1)
    }

    /// Expressions in which equal memories have equal numbers, to be compared.
    fn canonical(&self, exprs: &[Expr]) -> Vec<Expr> {
        let mut operands: Vec<Expr> = Vec::new();
        let mut numbers: Vec<MemoryId> = Vec::new();
        for memory in &self.node.memories {
            let mut operand = memory.operand.clone();
            operand.renumber(&numbers);
            let same = operands.iter().position(|other| *other == operand);
            numbers.push(same.unwrap_or(operands.len()));
            operands.push(operand);
        }
        let mut exprs = exprs.to_vec();
        exprs.iter_mut().for_each(|expr| expr.renumber(&numbers));
        exprs
    }

    /// A value for an input: of a range, it may lie outside, but not often.
    fn argument(&mut self, ty: &Type, scope: &Scope) -> Expr {
        match ty {
            Type::Range(low, high) if !self.once_in(4) => {
                let fits =
                    |var: &Var| matches!(var.ty, Type::Range(l, h) if l >= *low && h <= *high);
                let fitting = scope.now.iter().filter(|id| fits(&self.node.vars[**id]));
                let fitting: Vec<VarId> = fitting.copied().collect();
                match fitting.is_empty() {
                    false => Expr::Var(self.one_of(&fitting)),
                    true => self.bounded(*low, *high, scope),
                }
            }
            Type::Array(element, count) => {
                let parts = (0..*count).map(|_| self.argument(element, scope));
                Expr::Array(parts.collect())
            }
            _ => self.expr(ty, 1, scope),
        }
    }

    fn fitting(&self, ty: &Type, vars: &[VarId]) -> Vec<VarId> {
        let is_number = |ty: &Type| matches!(ty, Type::Int | Type::Range(..));
        let fits = |var: &Type| var == ty || is_number(var) && is_number(ty);
        let fitting = vars.iter().filter(|id| fits(&self.node.vars[**id].ty));
        fitting.copied().collect()
    }

    fn leaf(&mut self, ty: &Type, scope: &Scope) -> Expr {
        let vars = self.fitting(ty, &scope.now);
        if !vars.is_empty() && !self.once_in(8) {
            return Expr::Var(self.one_of(&vars));
        }
        match ty {
            Type::Bool if !self.once_in(6) => {
                let numbers = self.fitting(&Type::Int, &scope.now);
                if !numbers.is_empty() && self.once_in(2) {
                    let bound = self.between(-2, 3);
                    let var = self.one_of(&numbers);
                    return self.comparison(Expr::Var(var), number(bound));
                }
                let enums: Vec<VarId> = scope
                    .now
                    .iter()
                    .copied()
                    .filter(|id| matches!(self.node.vars[*id].ty, Type::Enum(_)))
                    .collect();
                if !enums.is_empty() {
                    let var = self.one_of(&enums);
                    let literal = self.literal(&self.node.vars[var].ty.clone());
                    return Expr::Compare(Comparison::Equal, boxed(Expr::Var(var)), boxed(literal));
                }
                match vars.is_empty() {
                    false => Expr::Var(self.one_of(&vars)),
                    true => self.literal(ty),
                }
            }
            _ => self.literal(ty),
        }
    }

    fn literal(&mut self, ty: &Type) -> Expr {
        let value = match ty {
            Type::Int => Value::Scalar(self.between(-2, 4)),
            Type::Array(element, count) if **element == Type::Int => {
                let parts = (0..*count).map(|_| Value::Scalar(self.between(-2, 4)));
                Value::Parts(parts.collect())
            }
            ty => {
                let size = self.program.size(ty).unwrap_or(1);
                self.program.value(ty, self.random.below(size))
            }
        };
        Expr::Literal(ty.clone(), value)
    }

    fn comparison(&mut self, a: Expr, b: Expr) -> Expr {
        use Comparison::*;
        let comparison = self.one_of(&[Equal, NotEqual, Less, AtMost, Greater, AtLeast]);
        Expr::Compare(comparison, boxed(a), boxed(b))
    }

    fn expr(&mut self, ty: &Type, depth: usize, scope: &Scope) -> Expr {
        if depth == 0 || self.once_in(5) {
            return self.leaf(ty, scope);
        }
        if self.once_in(3)
            && let Some(expr) = self.temporal(ty, depth - 1, scope)
        {
            return expr;
        }
        if self.once_in(4)
            && let Some(expr) = self.structural(ty, depth - 1, scope)
        {
            return expr;
        }
        match ty {
            Type::Bool => self.boolean(depth - 1, scope),
            Type::Int | Type::Range(..) => self.integer(depth - 1, scope),
            Type::Machine(sign) => self.machine(*sign, depth - 1, scope),
            Type::Enum(_) => self.conditional(ty, depth - 1, scope),
            Type::Array(element, count) => self.array(element, *count, depth - 1, scope),
            Type::Record(id) => self.record(*id, depth - 1, scope),
        }
    }

    fn conditional(&mut self, ty: &Type, depth: usize, scope: &Scope) -> Expr {
        let condition = self.expr(&Type::Bool, depth, scope);
        let then = self.expr(ty, depth, scope);
        let or = self.expr(ty, depth, scope);
        Expr::If(boxed(condition), boxed(then), boxed(or))
    }

    fn remember(&mut self, ty: &Type, depth: usize, scope: &Scope) -> MemoryId {
        let mut below = scope.clone();
        below.now = scope.before.clone();
        below.guarded = false;
        below.calls = false;
        below.quantifiers = false;
        let operand = self.expr(ty, depth, &below);
        self.node.memories.push(Memory {
            operand,
            ty: ty.clone(),
            in_contract: scope.contract,
        });
        self.node.memories.len() - 1
    }

    /// `->`, `pre`, `fby`.
    fn temporal(&mut self, ty: &Type, depth: usize, scope: &Scope) -> Option<Expr> {
        if scope.before.is_empty() {
            return None;
        }
        let finite = self.program.size(ty).is_some_and(|size| size <= 4);
        let finite = finite && !matches!(ty, Type::Range(..));
        let ty = match ty {
            Type::Range(..) => &Type::Int,
            ty => ty,
        };
        Some(match self.random.below(5) {
            0 if scope.guarded => Expr::Pre(self.remember(ty, depth, scope)),
            0 if finite && self.once_in(4) => Expr::Pre(self.remember(ty, depth, scope)),
            1 => {
                let first = self.expr(ty, depth, scope);
                Expr::Fby(boxed(first), self.remember(ty, depth, scope))
            }
            2 => {
                let first = self.expr(ty, depth, scope);
                let memory = self.remember(ty, depth, scope);
                Expr::Arrow(boxed(first), boxed(Expr::Pre(memory)))
            }
            _ => {
                let first = self.expr(ty, depth, scope);
                let mut later = scope.clone();
                later.guarded = true;
                Expr::Arrow(boxed(first), boxed(self.expr(ty, depth + 1, &later)))
            }
        })
    }

    /// Conditionals, calls, `merge`, parts of arrays and records.
    fn structural(&mut self, ty: &Type, depth: usize, scope: &Scope) -> Option<Expr> {
        match self.random.below(5) {
            0 => Some(self.conditional(ty, depth, scope)),
            1 => self.call_of(ty, scope).map(Expr::Call),
            2 => self.merge(ty, depth, scope),
            3 => self.element(ty, depth, scope),
            _ => self.field(ty, scope),
        }
    }

    /// A call with this type as its only output.
    fn call_of(&mut self, ty: &Type, scope: &Scope) -> Option<CallId> {
        let callee = self.callee_of(ty, scope)?;
        self.call(callee, scope)
    }

    fn callee_of(&mut self, ty: &Type, scope: &Scope) -> Option<NodeId> {
        if !scope.calls || self.node.calls.len() > 3 {
            return None;
        }
        let is_number = |ty: &Type| matches!(ty, Type::Int | Type::Range(..));
        let fits = |id: &NodeId| {
            let node = &self.program.nodes[*id];
            let outputs: Vec<VarId> = node.of_class(Class::Output).collect();
            let output = &node.vars[outputs[0]].ty;
            let same = output == ty || is_number(output) && is_number(ty);
            outputs.len() == 1 && same && self.may_call(*id)
        };
        let fitting: Vec<NodeId> = (0..self.program.nodes.len()).filter(fits).collect();
        match fitting.is_empty() {
            true => None,
            false => Some(self.one_of(&fitting)),
        }
    }

    fn merge(&mut self, ty: &Type, depth: usize, scope: &Scope) -> Option<Expr> {
        if self.node.kind == Kind::Function || !scope.calls {
            return None;
        }
        let clocks = scope.now.iter().copied();
        let clocks: Vec<VarId> = clocks
            .filter(|id| matches!(self.node.vars[*id].ty, Type::Bool | Type::Enum(_)))
            .collect();
        if clocks.is_empty() {
            return None;
        }
        let clock = self.one_of(&clocks);
        let clock_type = self.node.vars[clock].ty.clone();
        let count = self.program.size(&clock_type).unwrap_or(2);
        let branches = (0..count)
            .map(|value| self.branch(ty, depth, scope, (clock, &clock_type, value)))
            .collect();
        Some(Expr::Merge(clock, clock_type, branches))
    }

    fn branch(
        &mut self,
        ty: &Type,
        depth: usize,
        scope: &Scope,
        clock: (VarId, &Type, usize),
    ) -> Branch {
        if self.once_in(2)
            && let Some(callee) = self.callee_of(ty, scope)
        {
            let below = scope.of_arguments();
            let args = self.arguments(callee, Class::Input, &below);
            let activate = self.once_in(2);
            let restart =
                activate && self.once_in(3) && self.program.nodes[callee].kind == Kind::Node;
            let restart = restart.then(|| self.expr(&Type::Bool, 1, &below));
            let call = Call {
                node: callee,
                args,
                clock: Some(Clock::Branch(clock.0, clock.1.clone(), clock.2, activate)),
                restart,
            };
            if let Some(call) = self.add_call(call) {
                return Branch::Active(call);
            }
        }
        let mut below = scope.clone();
        below.calls = false;
        let expr = self.expr(ty, depth, &below);
        match self.once_in(2) {
            true => Branch::When(expr),
            false => Branch::Plain(expr),
        }
    }

    fn element(&mut self, ty: &Type, depth: usize, scope: &Scope) -> Option<Expr> {
        let is_number = |ty: &Type| matches!(ty, Type::Int | Type::Range(..));
        let arrays = scope
            .now
            .iter()
            .copied()
            .filter(|id| match &self.node.vars[*id].ty {
                Type::Array(element, _) => {
                    **element == *ty || **element == Type::Int && is_number(ty)
                }
                _ => false,
            });
        let arrays: Vec<VarId> = arrays.collect();
        if arrays.is_empty() {
            return None;
        }
        let array = self.one_of(&arrays);
        let Type::Array(_, count) = self.node.vars[array].ty else {
            return None;
        };
        let index = self.index(count, depth, scope);
        Some(Expr::Index(boxed(Expr::Var(array)), boxed(index)))
    }

    /// A number that is within the bounds of an array.
    fn index(&mut self, count: usize, depth: usize, scope: &Scope) -> Expr {
        if self.once_in(2) {
            return number(self.random.below(count) as i64);
        }
        let expr = self.expr(&Type::Int, depth, scope);
        let count = boxed(number(count as i64));
        Expr::Arithmetic(Number::Int, Operator::Mod, boxed(expr), count)
    }

    fn field(&mut self, ty: &Type, scope: &Scope) -> Option<Expr> {
        let records = scope.now.iter().copied();
        let records: Vec<VarId> = records
            .filter(|id| matches!(self.node.vars[*id].ty, Type::Record(_)))
            .collect();
        if records.is_empty() {
            return None;
        }
        let var = self.one_of(&records);
        let fields = self.program.records[0].fields.iter().enumerate();
        let fields: Vec<usize> = fields
            .filter(|(_, (_, t))| t == ty)
            .map(|(at, _)| at)
            .collect();
        match fields.is_empty() {
            true => None,
            false => Some(Expr::Field(0, boxed(Expr::Var(var)), self.one_of(&fields))),
        }
    }

    fn boolean(&mut self, depth: usize, scope: &Scope) -> Expr {
        match self.random.below(12) {
            0 => Expr::Not(boxed(self.expr(&Type::Bool, depth, scope))),
            1..6 => {
                use Logic::*;
                let logic = self.one_of(&[And, And, Or, Or, Xor, Implies, Implies]);
                let a = self.expr(&Type::Bool, depth, scope);
                let b = self.expr(&Type::Bool, depth, scope);
                Expr::Logic(logic, boxed(a), boxed(b))
            }
            6 | 7 => {
                let a = self.expr(&Type::Int, depth, scope);
                let b = self.expr(&Type::Int, depth, scope);
                self.comparison(a, b)
            }
            8 => {
                let sign = self.one_of(&[Sign::Signed, Sign::Unsigned]);
                let a = self.expr(&Type::Machine(sign), depth, scope);
                let b = self.expr(&Type::Machine(sign), depth, scope);
                self.comparison(a, b)
            }
            9 => {
                let mut types = vec![Type::Bool];
                types.extend((0..self.program.enums.len()).map(Type::Enum));
                types.extend((0..self.program.records.len()).map(Type::Record));
                let ty = self.one_of(&types);
                let a = self.expr(&ty, depth, scope);
                let b = self.expr(&ty, depth, scope);
                let comparison = self.one_of(&[Comparison::Equal, Comparison::NotEqual]);
                Expr::Compare(comparison, boxed(a), boxed(b))
            }
            10 => {
                let list = (0..2 + self.random.below(2))
                    .map(|_| self.expr(&Type::Bool, depth, scope))
                    .collect();
                match self.once_in(2) {
                    true => Expr::AtMostOne(list),
                    false => Expr::Nor(list),
                }
            }
            _ => self
                .quantified(scope)
                .unwrap_or_else(|| self.leaf(&Type::Bool, scope)),
        }
    }

    fn quantified(&mut self, scope: &Scope) -> Option<Expr> {
        let of_booleans = |id: &VarId| match &self.node.vars[*id].ty {
            Type::Array(element, count) if **element == Type::Bool => Some((*id, *count)),
            _ => None,
        };
        let arrays: Vec<(VarId, usize)> = scope.now.iter().filter_map(of_booleans).collect();
        if !scope.quantifiers || arrays.is_empty() {
            return None;
        }
        let (array, count) = self.one_of(&arrays);
        Some(match self.once_in(2) {
            true => Expr::All(boxed(Expr::Var(array)), count),
            false => Expr::Any(boxed(Expr::Var(array)), count),
        })
    }

    fn integer(&mut self, depth: usize, scope: &Scope) -> Expr {
        match self.random.below(10) {
            0 => Expr::Negative(Number::Int, boxed(self.expr(&Type::Int, depth, scope))),
            1..6 => {
                use Operator::*;
                let operator = self.one_of(&[Add, Add, Add, Sub, Sub, Mul]);
                let a = self.expr(&Type::Int, depth, scope);
                let b = self.expr(&Type::Int, depth, scope);
                Expr::Arithmetic(Number::Int, operator, boxed(a), boxed(b))
            }
            6 => {
                let operator = self.one_of(&[Operator::Div, Operator::Mod]);
                let divisor = self.one_of(&[2, 3, 4, -2, -3]);
                let a = self.expr(&Type::Int, depth, scope);
                Expr::Arithmetic(Number::Int, operator, boxed(a), boxed(number(divisor)))
            }
            7 => {
                let sign = self.one_of(&[Sign::Signed, Sign::Unsigned]);
                let a = self.expr(&Type::Machine(sign), depth, scope);
                Expr::Convert(Number::Int, boxed(a))
            }
            _ => self.conditional(&Type::Int, depth, scope),
        }
    }

    fn machine(&mut self, sign: Sign, depth: usize, scope: &Scope) -> Expr {
        let kind = Number::Machine(sign);
        match self.random.below(5) {
            0 | 1 => Expr::Convert(kind, boxed(self.expr(&Type::Int, depth, scope))),
            2 => {
                let operator = self.one_of(&[Operator::Div, Operator::Mod]);
                let divisor = self.one_of(&[2, 3, 5]);
                let divisor = Expr::Literal(Type::Machine(sign), Value::Scalar(divisor));
                let a = self.expr(&Type::Machine(sign), depth, scope);
                Expr::Arithmetic(kind, operator, boxed(a), boxed(divisor))
            }
            _ => {
                let operator = self.one_of(&[Operator::Add, Operator::Sub, Operator::Mul]);
                let a = self.expr(&Type::Machine(sign), depth, scope);
                let b = self.expr(&Type::Machine(sign), depth, scope);
                Expr::Arithmetic(kind, operator, boxed(a), boxed(b))
            }
        }
    }

    fn array(&mut self, element: &Type, count: usize, depth: usize, scope: &Scope) -> Expr {
        let ty = Type::Array(boxed_type(element.clone()), count);
        match self.random.below(4) {
            0 => Expr::Fill(boxed(self.expr(element, depth, scope)), count),
            1 => {
                let whole = self.expr(&ty, depth, scope);
                let index = self.index(count, depth, scope);
                let part = self.expr(element, depth, scope);
                Expr::UpdateIndex(boxed(whole), boxed(index), boxed(part))
            }
            _ => Expr::Array(
                (0..count)
                    .map(|_| self.expr(element, depth, scope))
                    .collect(),
            ),
        }
    }

    fn record(&mut self, id: usize, depth: usize, scope: &Scope) -> Expr {
        let types: Vec<Type> = self.program.records[id]
            .fields
            .iter()
            .map(|(_, ty)| ty.clone())
            .collect();
        match self.once_in(2) {
            true => {
                let whole = self.expr(&Type::Record(id), depth, scope);
                let at = self.random.below(types.len());
                let part = self.expr(&types[at], depth, scope);
                Expr::UpdateField(id, boxed(whole), at, boxed(part))
            }
            false => {
                let parts = types.iter().map(|ty| self.expr(ty, depth, scope));
                Expr::Record(id, parts.collect())
            }
        }
    }
}

fn boxed_type(ty: Type) -> Box<Type> {
    Box::new(ty)
}
