//! The second translation: from the typed program straight to SMT-LIB.
//!
//! Each stream of each instance is a variable with its expression as definition.
//! An instance has a `tick`, whether it runs at this step, and a `first`, whether
//! this is its first tick since it was started or restarted:
//!
//! - `a -> b` is `a` at the first tick, and `b` later;
//! - `pre e` is a memory that takes the value of `e` at each tick, and at the first
//!   tick a choice, where someone can see it;
//! - a call runs when its caller does, and on its clock if it has one. The outputs of
//!   a call with a clock are those of its last tick, and before the first one the
//!   defaults, or choices.
//!
//! An array is all its elements, each a variable; their number has to be known. What no
//! property and no assumption needs is left out. Quantifiers and nodes that are known by
//! their contracts only are not covered.

use std::collections::{BTreeMap, HashMap};

use lang::{
    BinOp, BoundId, CallId, ChoiceId, ConstId, Expr, ExprKind, Node, NodeId, Program, PropertyKind,
    Step, Type, VarClass, VarId,
};
use syntax::Span;

use super::value::{
    Val, binary, conjunction, convert, in_type, literal, named, parts, size, sort, unary,
};
use super::{Simple, not_covered};

/// The calls on the way to an instance.
pub type Path = Vec<CallId>;

/// Which element of an array definition something belongs to.
pub type Indices = Vec<usize>;

/// Something that the two translations have in common.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Key {
    /// Given from outside, and the same for both.
    Input(VarId),
    Constant(ConstId),
    Choice(Path, ChoiceId, Indices),
    Stream(Path, VarId),
    Output(Path, CallId, usize),
    /// Memory.
    Started,
    Idle(Path, CallId),
    Held(Path, CallId, usize),
    PreStream(Path, VarId),
    Pre(Path, Span, Indices),
}

impl Key {
    /// Is it free at each step?
    pub fn is_given(&self) -> bool {
        matches!(self, Key::Input(_) | Key::Constant(_) | Key::Choice(..))
    }
}

/// What has to hold, or may be taken for granted, in an instance.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Check {
    Property(usize),
    Guarantee(usize),
    Assumption(usize),
    Ensure(usize, usize),
    /// With the position among the ranges in the type.
    Range(VarId, usize),
}

/// A variable: what it is, and the names and sorts of its scalars.
#[derive(Clone, Debug)]
pub struct Variable {
    pub val: Val,
    pub scalars: Vec<(String, String)>,
    types: Vec<Type>,
    /// At the first step.
    pub init: Option<Val>,
    /// At the next step.
    pub next: Option<Val>,
    /// At this step.
    pub definition: Option<Val>,
}

/// The model as its second translation has it.
#[derive(Clone, Debug, Default)]
pub struct SimpleSystem {
    pub variables: BTreeMap<Key, Variable>,
    /// What holds at each step.
    pub constraints: Vec<String>,
    /// What is to be shown.
    pub properties: BTreeMap<(Path, Check), String>,
}

/// The context of an instance.
#[derive(Clone, Debug)]
struct Instance {
    node: NodeId,
    tick: String,
    first: String,
}

/// A definition that is still to be written.
enum Open<'p> {
    Definition(Key, Path, &'p Expr),
    /// Of an array, element by element.
    Elements(Key, Path, VarId),
    Memory(Key, Path, &'p Expr, Bounds),
}

/// The values of the indices of an array definition.
type Bounds = Vec<(BoundId, usize)>;

pub struct Translator<'p> {
    program: &'p Program,
    system: SimpleSystem,
    instances: HashMap<Path, Instance>,
    open: Vec<Open<'p>>,
    /// Those of the definition that is being written.
    bounds: Bounds,
    subproperties: bool,
}

/// Translates the analysis of a node; the properties of what it calls are its own, or
/// not.
pub fn translate(program: &Program, top: NodeId, subproperties: bool) -> Simple<SimpleSystem> {
    let mut translator = Translator {
        program,
        system: SimpleSystem::default(),
        instances: HashMap::new(),
        open: Vec::new(),
        bounds: Bounds::new(),
        subproperties,
    };
    let started = translator.variable(Key::Started, &Type::Bool, "simple:!first")?;
    translator.set_memory(&Key::Started, Some("true"), Val::Scalar("false".into()));
    let instance = Instance {
        node: top,
        tick: "true".into(),
        first: started.scalar()?.to_owned(),
    };
    translator.instances.insert(Path::new(), instance);
    for input in &program.node(top).inputs {
        translator.stream(&Path::new(), *input)?;
    }
    translator.instance(&Path::new())?;
    translator.definitions()?;
    Ok(translator.system)
}

impl<'p> Translator<'p> {
    fn at(&self, path: &Path) -> Simple<Instance> {
        let instance = self.instances.get(path).cloned();
        instance.map_or_else(|| not_covered("an instance that is not there"), Ok)
    }

    fn node(&self, path: &Path) -> Simple<&'p Node> {
        Ok(self.program.node(self.at(path)?.node))
    }

    /// A name that tells where a variable stands.
    fn name(&self, path: &Path, name: &str) -> String {
        let mut text = String::from("simple:");
        for call in path {
            text += &format!("call{}/", call.0);
        }
        text + name
    }

    fn variable(&mut self, key: Key, ty: &Type, name: &str) -> Simple<Val> {
        let mut scalars = Vec::new();
        let val = named(self.program, ty, name, &mut |name, ty| {
            scalars.push((name.to_owned(), ty.clone()));
        })?;
        let is_memory = !key.is_given() && !matches!(key, Key::Stream(..) | Key::Output(..));
        for (name, ty) in &scalars {
            // What is given is of its type; memory holds a value of an enumeration.
            let typed = key.is_given() || is_memory && matches!(ty, Type::Enum(_));
            if let Some(constraint) = in_type(self.program, ty, name).filter(|_| typed) {
                self.system.constraints.push(constraint);
            }
        }
        let sorted: Simple<Vec<(String, String)>> = scalars
            .iter()
            .map(|(name, ty)| Ok((name.clone(), sort(ty)?)))
            .collect();
        let variable = Variable {
            val: val.clone(),
            scalars: sorted?,
            types: scalars.into_iter().map(|(_, ty)| ty).collect(),
            init: None,
            next: None,
            definition: None,
        };
        self.system.variables.insert(key, variable);
        Ok(val)
    }

    fn known(&self, key: &Key) -> Option<Val> {
        self.system.variables.get(key).map(|v| v.val.clone())
    }

    fn set_memory(&mut self, key: &Key, init: Option<&str>, next: Val) {
        if let Some(variable) = self.system.variables.get_mut(key) {
            variable.init = init.map(|text| Val::Scalar(text.to_owned()));
            variable.next = Some(next);
        }
    }

    /// What an instance has to show and may assume, and what is below it.
    fn instance(&mut self, path: &Path) -> Simple<()> {
        let node = self.node(path)?;
        if !node.has_body {
            let contract = node.contract.as_ref();
            if path.is_empty() || contract.is_some() {
                return not_covered(format!("`{}`, which has no body", node.name));
            }
            return Ok(());
        }
        let own = path.is_empty() || self.subproperties;
        for assertion in &node.asserts {
            let constraint = self.when_it_runs(path, &assertion.expr, None)?;
            self.system.constraints.push(constraint);
        }
        if own {
            self.own_properties(path, node)?;
        }
        for input in node.inputs.iter().filter(|_| !own) {
            if self.has_range(&node.var(*input).ty)? {
                return not_covered("ranges of the inputs of nodes that are analysed on their own");
            }
        }
        self.contract(path, node, own)?;
        for call in node.live_calls() {
            let below = self.call(path, call)?;
            self.instance(&below)?;
        }
        Ok(())
    }

    fn own_properties(&mut self, path: &Path, node: &'p Node) -> Simple<()> {
        for (at, property) in node.properties.iter().enumerate() {
            let guard = match &property.kind {
                PropertyKind::Invariant => None,
                PropertyKind::Provided(guard) => Some(guard),
                PropertyKind::Reachable { .. } => continue,
            };
            let text = self.when_it_runs(path, &property.expr, guard)?;
            self.owe(path, Check::Property(at), text);
        }
        for id in node.var_ids() {
            let var = node.var(id);
            let computed = |def: &lang::Def| !matches!(def.expr.kind, ExprKind::Choice(_));
            let shown = matches!(
                var.class,
                VarClass::Output | VarClass::Local | VarClass::Ghost
            );
            if !shown || !var.def.as_ref().is_some_and(computed) || !self.has_range(&var.ty)? {
                continue;
            }
            self.stream(path, id)?;
            let tick = self.at(path)?.tick;
            let key = Key::Stream(path.clone(), id);
            let Some(Variable { scalars, types, .. }) = self.system.variables.get(&key).cloned()
            else {
                continue;
            };
            let names = scalars.iter().map(|(name, _)| name).zip(&types);
            let ranges = names.filter(|(_, ty)| matches!(ty, Type::Range(_)));
            for (at, (name, ty)) in ranges.enumerate() {
                let range = in_type(self.program, ty, name).unwrap_or_default();
                self.owe(path, Check::Range(id, at), format!("(=> {tick} {range})"));
            }
        }
        Ok(())
    }

    fn has_range(&self, ty: &Type) -> Simple<bool> {
        Ok(match parts(self.program, ty)? {
            Some(parts) => {
                let mut found = false;
                for (_, ty) in &parts {
                    found |= self.has_range(ty)?;
                }
                found
            }
            None => matches!(ty, Type::Range(_)),
        })
    }

    fn owe(&mut self, path: &Path, check: Check, text: String) {
        let key = (path.clone(), check);
        self.system.properties.insert(key, text);
    }

    /// The assumptions of the top node hold, those of others are owed; what a contract
    /// promises is to be shown.
    fn contract(&mut self, path: &Path, node: &'p Node, own: bool) -> Simple<()> {
        let Some(contract) = &node.contract else {
            return Ok(());
        };
        for (at, clause) in contract.assumptions.iter().enumerate() {
            let text = self.when_it_runs(path, &clause.expr, None)?;
            match path.is_empty() {
                true => self.system.constraints.push(text),
                false => self.owe(path, Check::Assumption(at), text),
            }
        }
        if !own {
            return Ok(());
        }
        for (at, clause) in contract.guarantees.iter().enumerate() {
            let text = self.when_it_runs(path, &clause.expr, None)?;
            self.owe(path, Check::Guarantee(at), text);
        }
        for (number, mode) in contract.modes.iter().enumerate() {
            for (at, clause) in mode.ensures.iter().enumerate() {
                let active = self.stream(path, mode.active)?;
                let ensured = self.expr(path, &clause.expr)?;
                let tick = self.at(path)?.tick;
                let text = format!(
                    "(=> {tick} (=> {} {}))",
                    active.scalar()?,
                    ensured.scalar()?
                );
                self.owe(path, Check::Ensure(number, at), text);
            }
        }
        Ok(())
    }

    /// Whenever an instance runs, and a guard holds, so does an expression.
    fn when_it_runs(
        &mut self,
        path: &Path,
        expr: &'p Expr,
        guard: Option<&'p Expr>,
    ) -> Simple<String> {
        let mut text = self.expr(path, expr)?.scalar()?.to_owned();
        if let Some(guard) = guard {
            text = format!("(=> {} {text})", self.expr(path, guard)?.scalar()?);
        }
        Ok(format!("(=> {} {text})", self.at(path)?.tick))
    }

    /// Writes definitions until there are no more.
    fn definitions(&mut self) -> Simple<()> {
        while let Some(open) = self.open.pop() {
            match open {
                Open::Definition(key, path, expr) => {
                    let value = self.expr(&path, expr)?;
                    self.define(&key, value);
                }
                Open::Elements(key, path, id) => {
                    let var = self.node(&path)?.var(id);
                    let def = var.def.as_ref();
                    let def = def.map_or_else(|| not_covered("no definition"), Ok)?;
                    let value = self.elements(&path, &var.ty, &def.indices, &def.expr)?;
                    self.define(&key, value);
                }
                Open::Memory(key, path, expr, bounds) => {
                    self.bounds = bounds;
                    let value = self.expr(&path, expr)?;
                    self.bounds.clear();
                    let tick = self.at(&path)?.tick;
                    let kept = self.known(&key).unwrap_or_else(|| value.clone());
                    let next = value.or_else(&tick, &kept)?;
                    self.set_memory(&key, None, next);
                }
            }
        }
        Ok(())
    }

    /// `A[i][j] = expr`, for all values of the indices.
    fn elements(
        &mut self,
        path: &Path,
        ty: &Type,
        indices: &[BoundId],
        expr: &'p Expr,
    ) -> Simple<Val> {
        let Some((index, rest)) = indices.split_first() else {
            return self.expr(path, expr);
        };
        let Type::Array(array) = ty else {
            return not_covered("an array of another type");
        };
        let mut all = Vec::new();
        for at in 0..size(ty)? {
            self.bounds.push((*index, at));
            all.push(self.elements(path, &array.element, rest, expr)?);
            self.bounds.pop();
        }
        Ok(Val::Fields(all))
    }

    fn bound(&self, id: BoundId) -> Simple<usize> {
        let found = self.bounds.iter().find(|(bound, _)| *bound == id);
        found.map_or_else(|| not_covered("quantifiers"), |(_, at)| Ok(*at))
    }

    fn define(&mut self, key: &Key, value: Val) {
        if let Some(variable) = self.system.variables.get_mut(key) {
            variable.definition = Some(value);
        }
    }

    fn stream(&mut self, path: &Path, id: VarId) -> Simple<Val> {
        let node = self.node(path)?;
        let var = node.var(id);
        let is_input = matches!(var.class, VarClass::Input { .. });
        if is_input && path.is_empty() {
            return match self.known(&Key::Input(id)) {
                Some(val) => Ok(val),
                None => {
                    let name = self.name(path, var.name.as_str());
                    self.variable(Key::Input(id), &var.ty, &name)
                }
            };
        }
        let key = Key::Stream(path.clone(), id);
        if let Some(val) = self.known(&key) {
            return Ok(val);
        }
        let name = self.name(path, var.name.as_str());
        let val = self.variable(key.clone(), &var.ty, &name)?;
        if is_input {
            let (call, caller) = path.split_last().map_or_else(
                || not_covered("an input without a caller"),
                |(call, caller)| Ok((*call, caller.to_vec())),
            )?;
            let at = node.inputs.iter().position(|input| *input == id);
            let arguments = &self.node(&caller)?.call(call).args;
            let argument = at.and_then(|at| arguments.get(at));
            let argument = argument.map_or_else(|| not_covered("a missing argument"), Ok)?;
            self.open.push(Open::Definition(key, caller, argument));
            return Ok(val);
        }
        match &var.def {
            _ if var.looped.is_some() => not_covered("streams that are chosen by their own values"),
            Some(def) if def.indices.is_empty() => {
                self.open
                    .push(Open::Definition(key, path.clone(), &def.expr));
                Ok(val)
            }
            Some(_) => {
                self.open.push(Open::Elements(key, path.clone(), id));
                Ok(val)
            }
            None => not_covered("a stream without a definition"),
        }
    }

    /// The instance of a call, with its context.
    fn call(&mut self, path: &Path, id: CallId) -> Simple<Path> {
        let mut below = path.clone();
        below.push(id);
        if self.instances.contains_key(&below) {
            return Ok(below);
        }
        let call = self.node(path)?.call(id);
        if !call.indices.is_empty() {
            return not_covered("a call for each element of an array");
        }
        let caller = self.at(path)?;
        let mut first = vec![caller.first.clone()];
        if let Some(restart) = &call.restart {
            first.push(self.expr(path, restart)?.scalar()?.to_owned());
        }
        let mut tick = caller.tick.clone();
        if let Some(clock) = &call.clock {
            let clock = self.expr(path, clock)?;
            tick = conjunction(&[tick.as_str(), clock.scalar()?]);
            let key = Key::Idle(path.clone(), id);
            let name = self.name(path, &format!("call{}!idle", id.0));
            let idle = self.variable(key.clone(), &Type::Bool, &name)?;
            let idle = idle.scalar()?;
            first.push(idle.to_owned());
            // It starts anew with its caller, whether it runs or not.
            let next = format!(
                "(ite {} (and (not {tick}) (or {idle} {})) {idle})",
                caller.tick, caller.first
            );
            self.set_memory(&key, Some("true"), Val::Scalar(next));
        }
        let first = match first.as_slice() {
            [one] => one.clone(),
            all => format!("(or {})", all.join(" ")),
        };
        let instance = Instance {
            node: call.node,
            tick,
            first,
        };
        self.instances.insert(below.clone(), instance);
        Ok(below)
    }

    /// An output of a call as the caller sees it.
    fn output(&mut self, path: &Path, id: CallId, at: usize) -> Simple<Val> {
        let key = Key::Output(path.clone(), id, at);
        if let Some(val) = self.known(&key) {
            return Ok(val);
        }
        let below = self.call(path, id)?;
        let call = self.node(path)?.call(id);
        let ty = &call.output_types[at];
        let name = self.name(path, &format!("call{}!output{at}", id.0));
        let val = self.variable(key.clone(), ty, &name)?;
        let output = self.node(&below)?.outputs[at];
        let mut value = self.stream(&below, output)?;
        if call.clock.is_some() {
            let before = match &call.defaults {
                Some(defaults) => self.expr(path, &defaults[at])?,
                None => self.choice(path, call.inactive[at])?,
            };
            let held = Key::Held(path.clone(), id, at);
            let name = self.name(path, &format!("call{}!held{at}", id.0));
            let memory = self.variable(held.clone(), ty, &name)?;
            let (caller, tick) = (self.at(path)?, self.at(&below)?.tick);
            let idle = before.or_else(&caller.first, &memory)?;
            value = value.or_else(&tick, &idle)?;
            let next = val.or_else(&caller.tick, &memory)?;
            self.set_memory(&held, None, next);
        }
        self.define(&key, value);
        Ok(val)
    }

    fn choice(&mut self, path: &Path, id: ChoiceId) -> Simple<Val> {
        let choice = self.node(path)?.choice(id);
        let indices = choice.indices.iter().map(|bound| self.bound(*bound));
        let indices = indices.collect::<Simple<Indices>>()?;
        let name = self.name(path, &format!("choice!{}{indices:?}", id.0));
        let key = Key::Choice(path.clone(), id, indices);
        if let Some(val) = self.known(&key) {
            return Ok(val);
        }
        self.variable(key, &choice.ty, &name)
    }

    fn constant(&mut self, id: ConstId) -> Simple<Val> {
        let constant = self.program.constant(id);
        if let Some(value) = &constant.value {
            return self.expr(&Path::new(), value);
        }
        match self.known(&Key::Constant(id)) {
            Some(val) => Ok(val),
            None => {
                let name = format!("simple:{}", constant.name);
                self.variable(Key::Constant(id), &constant.ty, &name)
            }
        }
    }

    /// `pre e`.
    fn previous(&mut self, path: &Path, e: &'p Expr) -> Simple<Val> {
        let (key, name) = match e.kind {
            ExprKind::Var(id) => {
                let name = self.node(path)?.var(id).name;
                (Key::PreStream(path.clone(), id), format!("pre!{name}"))
            }
            _ => {
                let indices: Indices = self.bounds.iter().map(|(_, at)| *at).collect();
                let name = format!("pre!{}.{}{indices:?}", e.span.file.0, e.span.start);
                (Key::Pre(path.clone(), e.span, indices), name)
            }
        };
        if let Some(val) = self.known(&key) {
            return Ok(val);
        }
        let name = self.name(path, &name);
        let val = self.variable(key.clone(), &e.ty, &name)?;
        let bounds = self.bounds.clone();
        self.open.push(Open::Memory(key, path.clone(), e, bounds));
        Ok(val)
    }

    fn expr(&mut self, path: &Path, expr: &'p Expr) -> Simple<Val> {
        match &expr.kind {
            ExprKind::Value(value) => literal(value),
            ExprKind::Var(id) => self.stream(path, *id),
            ExprKind::Const(id) => self.constant(*id),
            ExprKind::Choice(id) => self.choice(path, *id),
            ExprKind::Call(call, at) => self.output(path, *call, *at),
            ExprKind::Unary(op, a) => {
                let text = self.expr(path, a)?;
                Ok(Val::Scalar(unary(*op, &a.ty, text.scalar()?)))
            }
            ExprKind::Binary(op, a, b) => {
                let (left, right) = (self.expr(path, a)?, self.expr(path, b)?);
                Ok(Val::Scalar(match op {
                    BinOp::Eq => left.equals(&right)?,
                    BinOp::Neq => format!("(not {})", left.equals(&right)?),
                    _ => binary(*op, &a.ty, left.scalar()?, right.scalar()?)?,
                }))
            }
            ExprKind::If(c, a, b) => {
                let condition = self.expr(path, c)?;
                let (a, b) = (self.expr(path, a)?, self.expr(path, b)?);
                a.or_else(condition.scalar()?, &b)
            }
            ExprKind::Merge(clock, cases) => self.merge(path, clock, cases),
            ExprKind::Arrow(a, b) => {
                let (a, b) = (self.expr(path, a)?, self.expr(path, b)?);
                a.or_else(&self.at(path)?.first, &b)
            }
            ExprKind::Pre(e, choice) => {
                let memory = self.previous(path, e)?;
                match choice {
                    Some(choice) => {
                        let open = self.choice(path, *choice)?;
                        open.or_else(&self.at(path)?.first, &memory)
                    }
                    None => Ok(memory),
                }
            }
            ExprKind::Convert(a) => {
                let text = self.expr(path, a)?;
                convert(&a.ty, &expr.ty, text.scalar()?).map(Val::Scalar)
            }
            ExprKind::AtMostOne(all) => self.at_most_one(path, all),
            ExprKind::Fields(all) | ExprKind::Array(all) => {
                let all: Simple<Vec<Val>> = all.iter().map(|e| self.expr(path, e)).collect();
                all.map(Val::Fields)
            }
            ExprKind::Field(base, at) => match self.expr(path, base)? {
                Val::Fields(fields) => Ok(fields[*at].clone()),
                Val::Scalar(_) => not_covered("a field of a scalar"),
            },
            ExprKind::Update(base, steps, value) => {
                let base = self.expr(path, base)?;
                let value = self.expr(path, value)?;
                self.updated(path, base, steps, value)
            }
            ExprKind::Bound(id) => Ok(Val::Scalar(self.bound(*id)?.to_string())),
            ExprKind::Fill(element) => {
                let element = self.expr(path, element)?;
                Ok(Val::Fields(vec![element; size(&expr.ty)?]))
            }
            ExprKind::Index(base, index) => {
                let base = self.expr(path, base)?;
                let index = self.expr(path, index)?;
                self.element(base, index.scalar()?, &expr.ty)
            }
            ExprKind::Quantified(..) => not_covered("quantifiers"),
        }
    }

    fn merge(
        &mut self,
        path: &Path,
        clock: &'p Expr,
        cases: &'p [(lang::Value, Expr)],
    ) -> Simple<Val> {
        let clock = self.expr(path, clock)?;
        let Some(((_, last), others)) = cases.split_last() else {
            return not_covered("a merge without branches");
        };
        let mut result = self.expr(path, last)?;
        for (value, branch) in others {
            let chosen = clock.equals(&literal(value)?)?;
            result = self.expr(path, branch)?.or_else(&chosen, &result)?;
        }
        Ok(result)
    }

    fn at_most_one(&mut self, path: &Path, all: &'p [Expr]) -> Simple<Val> {
        let mut texts = Vec::new();
        for part in all {
            texts.push(self.expr(path, part)?.scalar()?.to_owned());
        }
        let mut pairs = Vec::new();
        for (at, a) in texts.iter().enumerate() {
            for b in &texts[at + 1..] {
                pairs.push(format!("(not (and {a} {b}))"));
            }
        }
        Ok(Val::Scalar(conjunction(&pairs)))
    }

    /// An element of an array; the default of its type outside of the bounds.
    fn element(&self, array: Val, index: &str, ty: &Type) -> Simple<Val> {
        let Val::Fields(elements) = array else {
            return not_covered("an element of a scalar");
        };
        if let Some(known) = index.parse::<usize>().ok().and_then(|at| elements.get(at)) {
            return Ok(known.clone());
        }
        let size = |size: &lang::Size| size.known().unwrap_or_default() as usize;
        let mut chosen = literal(&self.program.default_value(ty, &size))?;
        for (at, element) in elements.iter().enumerate() {
            chosen = element.or_else(&format!("(= {index} {at})"), &chosen)?;
        }
        Ok(chosen)
    }

    /// A record or an array with one of its parts replaced; nothing is, outside of the
    /// bounds.
    fn updated(&mut self, path: &Path, base: Val, steps: &'p [Step], value: Val) -> Simple<Val> {
        let (step, rest) = match steps.split_first() {
            None => return Ok(value),
            Some(split) => split,
        };
        let Val::Fields(mut parts) = base else {
            return not_covered("a part of a scalar");
        };
        match step {
            Step::Field(at) => {
                parts[*at] = self.updated(path, parts[*at].clone(), rest, value)?;
            }
            Step::Index(index) => {
                let index = self.expr(path, index)?;
                for (at, part) in parts.iter_mut().enumerate() {
                    let inner = self.updated(path, part.clone(), rest, value.clone())?;
                    let here = format!("(= {} {at})", index.scalar()?);
                    *part = inner.or_else(&here, part)?;
                }
            }
        }
        Ok(Val::Fields(parts))
    }
}
