//! Instances of nodes, their contexts and their memory.

use std::collections::HashMap;

use lang::{
    BoundId, CallId, ChoiceId, ConstId, Expr, ExprKind, Node, NodeId, Program, Size, SizeAtom,
    Type, VarClass, VarId,
};
use sim::PathStep;
use syntax::{SourceMap, Span};
use system::{
    Constraint, Element, ElementKind, Function, Role, Sort, StateVar, System, Term, Var, and,
    boolean, ite, or,
};

use crate::shape::{Leaf, Shape};
use crate::{ChoiceKey, InstanceStreams, Lower, Lowered, Options, Origin, Unsupported};

/// Which of the lowerer's instances.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub(crate) struct InstanceId(pub usize);

pub(crate) const TOP: InstanceId = InstanceId(0);

/// Values of index and quantified variables.
pub(crate) type Env = [(BoundId, Term)];

/// When an instance runs.
#[derive(Clone, Debug)]
pub(crate) struct Context {
    pub tick: Term,
    pub first: Term,
}

/// An expression of the program, where it stands, with the values of indices.
type Occurrence = (*const Expr, Vec<(BoundId, Term)>);

pub(crate) struct Instance {
    pub node: NodeId,
    pub context: Context,
    pub parent: Option<(InstanceId, PathStep)>,
    pub values: Vec<Option<Shape>>,
    pub elements: HashMap<(VarId, Vec<usize>), Shape>,
    pub children: HashMap<(CallId, Vec<usize>), InstanceId>,
    /// Outputs of clocked calls, held while they do not tick.
    held: HashMap<(CallId, Vec<usize>, usize), Shape>,
    /// Memory behind `pre x` of a stream, and of other expressions.
    stream_memory: HashMap<VarId, Shape>,
    memory: HashMap<Occurrence, Shape>,
}

/// A memory whose next value is still to be found.
struct Pending<'p> {
    id: InstanceId,
    memory: Shape,
    expr: &'p Expr,
    env: Vec<(BoundId, Term)>,
}

pub(crate) struct Lowerer<'p> {
    pub program: &'p Program,
    pub sources: &'p SourceMap,
    pub options: &'p Options,
    pub system: System,
    pub instances: Vec<Instance>,
    consts: HashMap<ConstId, Shape>,
    free_consts: Vec<(ConstId, Shape)>,
    choices: HashMap<ChoiceKey, Shape>,
    pending: Vec<Pending<'p>>,
    pub next_bound: u32,
    pub origins: Vec<Origin>,
}

impl<'p> Lowerer<'p> {
    pub fn new(program: &'p Program, sources: &'p SourceMap, options: &'p Options) -> Self {
        Lowerer {
            program,
            sources,
            options,
            system: System::default(),
            instances: Vec::new(),
            consts: HashMap::new(),
            free_consts: Vec::new(),
            choices: HashMap::new(),
            pending: Vec::new(),
            next_bound: 0,
            origins: Vec::new(),
        }
    }

    pub fn run(mut self, top: NodeId) -> Lower<Lowered> {
        let init = self.state("init", Sort::Bool, Some(boolean(true)));
        self.set_next(&init, boolean(false));
        let context = Context {
            tick: boolean(true),
            first: init,
        };
        self.add_instance(top, context, None);
        let inputs = self.top_inputs(top)?;
        self.top_properties()?;
        let instances = match self.options.all_streams {
            true => self.all_streams()?,
            false => Vec::new(),
        };
        self.finish_memory()?;
        Ok(Lowered {
            system: self.system,
            origins: self.origins,
            inputs,
            consts: self.free_consts,
            choices: self.choices,
            instances,
        })
    }

    fn all_streams(&mut self) -> Lower<Vec<InstanceStreams>> {
        let mut all = Vec::new();
        let mut open = vec![TOP];
        while let Some(id) = open.pop() {
            let vars = self.node_of(id).var_ids();
            let values: Lower<Vec<Shape>> = vars.map(|var| self.var(id, var)).collect();
            all.push(InstanceStreams {
                path: self.path(id),
                tick: self.context(id).tick,
                values: values?,
            });
            open.extend(self.all_children(id)?);
        }
        Ok(all)
    }

    /// Finds the next values of all memory; more may turn up on the way.
    fn finish_memory(&mut self) -> Lower<()> {
        while let Some(pending) = self.pending.pop() {
            let value = self.expr(pending.id, pending.expr, &pending.env)?;
            self.remember(pending.id, &pending.memory, &value)?;
        }
        Ok(())
    }

    fn add_instance(
        &mut self,
        node: NodeId,
        context: Context,
        parent: Option<(InstanceId, PathStep)>,
    ) -> InstanceId {
        let id = InstanceId(self.instances.len());
        self.instances.push(Instance {
            node,
            context,
            parent,
            values: vec![None; self.program.node(node).vars.len()],
            elements: HashMap::new(),
            children: HashMap::new(),
            held: HashMap::new(),
            stream_memory: HashMap::new(),
            memory: HashMap::new(),
        });
        id
    }

    pub fn node_of(&self, id: InstanceId) -> &'p Node {
        self.program.node(self.instances[id.0].node)
    }

    pub fn context(&self, id: InstanceId) -> Context {
        self.instances[id.0].context.clone()
    }

    /// The names on the way to an instance, as reports show them.
    pub fn prefix(&self, id: InstanceId) -> String {
        let mut parts = Vec::new();
        let mut at = id;
        while let Some((parent, step)) = &self.instances[at.0].parent {
            let call = self.node_of(*parent).call(step.call);
            let position = self.sources.position(call.span);
            let indices: String = step.indices.iter().map(|i| format!("[{i}]")).collect();
            parts.push(format!(
                "{}[l{}c{}]{indices}.",
                self.node_of(at).name,
                position.line,
                position.column
            ));
            at = *parent;
        }
        parts.reverse();
        parts.concat()
    }

    pub fn path(&self, id: InstanceId) -> Vec<PathStep> {
        let mut path = Vec::new();
        let mut at = id;
        while let Some((parent, step)) = &self.instances[at.0].parent {
            path.push(step.clone());
            at = *parent;
        }
        path.reverse();
        path
    }

    fn new_var(&mut self, name: &str, sort: Sort, role: Role, init: Option<Term>) -> Term {
        let var = Var(self.system.vars.len() as u32);
        self.system.vars.push(StateVar {
            name: name.to_owned(),
            sort: sort.clone(),
            role,
            init,
            next: None,
        });
        system::var(var, sort)
    }

    fn state(&mut self, name: &str, sort: Sort, init: Option<Term>) -> Term {
        self.new_var(name, sort, Role::State, init)
    }

    fn set_next(&mut self, state: &Term, next: Term) {
        if let system::Kind::Var(var) = state.kind() {
            self.system.vars[var.0 as usize].next = Some(next);
        }
    }

    /// Free variables of a type, within its ranges.
    pub fn free(
        &mut self,
        id: InstanceId,
        ty: &Type,
        name: &str,
        role: Role,
        span: Span,
    ) -> Lower<Shape> {
        let program = self.program;
        let ty = &self.resolved(id, ty)?;
        let mut ranges = Vec::new();
        let shape = Shape::build(program, ty, name, &mut |name, ty, leaf| {
            let term = self.new_var(name, leaf.sort(), role, None);
            ranges.extend(range(program, ty, &term));
            term
        })?;
        self.restrict(ranges, name, span);
        Ok(shape)
    }

    /// What the declared types of variables say of their values.
    fn restrict(&mut self, ranges: Vec<Term>, name: &str, span: Span) {
        let element = Element {
            kind: ElementKind::Type,
            name: name.to_owned(),
            node: String::new(),
            span,
        };
        let constraints = ranges.into_iter().map(|term| Constraint {
            term,
            element: element.clone(),
        });
        self.system.constraints.extend(constraints);
    }

    fn top_inputs(&mut self, top: NodeId) -> Lower<Vec<Shape>> {
        let node = self.program.node(top);
        let mut inputs = Vec::new();
        for id in &node.inputs {
            let var = node.var(*id);
            let role = match var.class {
                VarClass::Input { is_const: true } => Role::Constant,
                _ => Role::Input,
            };
            let shape = self.free(TOP, &var.ty, var.name.as_str(), role, var.span)?;
            self.instances[TOP.0].values[id.index()] = Some(shape.clone());
            inputs.push(shape);
        }
        Ok(inputs)
    }

    pub fn constant(&mut self, id: ConstId) -> Lower<Shape> {
        if let Some(shape) = self.consts.get(&id) {
            return Ok(shape.clone());
        }
        let constant = self.program.constant(id);
        let shape = match &constant.value {
            Some(value) => self.expr(TOP, value, &[])?,
            None => {
                let name = constant.name.as_str();
                let shape = self.free(TOP, &constant.ty, name, Role::Constant, constant.span)?;
                self.free_consts.push((id, shape.clone()));
                shape
            }
        };
        self.consts.insert(id, shape.clone());
        Ok(shape)
    }

    /// The value of a choice at the present step.
    pub fn choice(&mut self, id: InstanceId, choice: ChoiceId, env: &Env) -> Lower<Shape> {
        let node = self.node_of(id);
        let declared = node.choice(choice);
        let indices = constant_indices(&declared.indices, env)?;
        let key = ChoiceKey {
            path: self.path(id),
            choice,
            indices,
        };
        if let Some(shape) = self.choices.get(&key) {
            return Ok(shape.clone());
        }
        let name = format!("{}choice{}", self.prefix(id), choice.0);
        let shape = match declared.kind {
            lang::ChoiceKind::Imported(var) if self.is_congruent(node) => {
                self.application(id, var, &declared.ty)?
            }
            _ => self.free(id, &declared.ty, &name, Role::Input, declared.span)?,
        };
        self.choices.insert(key, shape.clone());
        Ok(shape)
    }

    /// Is a function without a body the same at every call? In JKind's style,
    /// without the keyword `imported`, it always is.
    fn is_congruent(&self, node: &Node) -> bool {
        let function = node.kind == syntax::ast::NodeKind::Function;
        function && !node.has_body && (self.options.congruence || !node.imported)
    }

    /// The output of a function as an uninterpreted function of its inputs.
    fn application(&mut self, id: InstanceId, output: VarId, ty: &Type) -> Lower<Shape> {
        let node = self.node_of(id);
        let mut args = Vec::new();
        for input in &node.inputs {
            let shape = self.var(id, *input)?;
            shape.for_each_leaf(&mut |term, _| args.push(term.clone()));
        }
        let name = format!("{}.{}", node.name, node.var(output).name);
        let sorts: Vec<Sort> = args.iter().map(|arg| arg.sort().clone()).collect();
        let program = self.program;
        let ty = &self.resolved(id, ty)?;
        let mut ranges = Vec::new();
        let shape = Shape::build(program, ty, &name, &mut |name, ty, leaf| {
            let function = Function {
                name: name.into(),
                args: sorts.clone().into(),
                result: leaf.sort(),
            };
            let term = system::apply(function, args.clone());
            ranges.extend(range(program, ty, &term));
            term
        })?;
        for term in ranges {
            self.constrain(id, term, ElementKind::Type, &name, node.span);
        }
        Ok(shape)
    }

    /// A constraint of an instance: it holds when the instance ticks.
    pub fn constrain(
        &mut self,
        id: InstanceId,
        term: Term,
        kind: ElementKind,
        name: &str,
        span: Span,
    ) {
        let term = system::implies(&self.context(id).tick, &term);
        let node = self.node_of(id).name.to_string();
        self.system.constraints.push(Constraint {
            term,
            element: Element {
                kind,
                name: name.to_owned(),
                node,
                span,
            },
        });
    }

    /// `pre expr` as it was remembered; nothing that makes sense at the first
    /// tick.
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
            _ => format!("{}pre{}", self.prefix(id), self.system.vars.len()),
        };
        let memory = self.new_memory(id, &expr.ty, &name)?;
        let instance = &mut self.instances[id.0];
        match expr.kind {
            ExprKind::Var(var) => instance.stream_memory.insert(var, memory.clone()),
            _ => instance.memory.insert(key, memory.clone()),
        };
        self.pending.push(Pending {
            id,
            memory: memory.clone(),
            expr,
            env: env.to_vec(),
        });
        Ok(memory)
    }

    /// How many elements an array of the size has in the instance.
    pub fn size_in(&mut self, id: InstanceId, own: &Size) -> Lower<usize> {
        let ty = self.resolved(id, &Type::array(Type::Bool, own.clone()))?;
        match &ty {
            Type::Array(array) => crate::shape::size(&array.size),
            _ => Err(Unsupported("a size that is not known".into())),
        }
    }

    /// The type with the sizes that are known in the instance, where constant
    /// inputs may have values.
    pub fn resolved(&mut self, id: InstanceId, ty: &Type) -> Lower<Type> {
        if !matches!(ty, Type::Array(_) | Type::Tuple(_)) {
            return Ok(ty.clone());
        }
        let node = self.node_of(id);
        let mut known = HashMap::new();
        for input in &node.inputs {
            let var = node.var(*input);
            if var.class == (VarClass::Input { is_const: true }) && var.ty.is_int() {
                let shape = self.var(id, *input)?;
                if let system::Kind::Int(value) = shape.leaf()?.kind() {
                    known.insert(*input, Size::constant(value.clone()));
                }
            }
        }
        Ok(ty.substitute(&|atom| match atom {
            SizeAtom::Var(var) => {
                let known = known.get(&var).cloned();
                Some(known.unwrap_or_else(|| Size::atom(atom)))
            }
            SizeAtom::Const(_) => Some(Size::atom(atom)),
        }))
    }

    /// State variables of a type. Enumerations stay within their values, also
    /// while no one looks.
    fn new_memory(&mut self, id: InstanceId, ty: &Type, name: &str) -> Lower<Shape> {
        let program = self.program;
        let ty = &self.resolved(id, ty)?;
        let mut ranges = Vec::new();
        let shape = Shape::build(program, ty, name, &mut |name, ty, leaf| {
            let term = self.new_var(name, leaf.sort(), Role::State, None);
            if matches!(leaf, Leaf::Enum(_)) {
                ranges.extend(range(program, ty, &term));
            }
            term
        })?;
        self.restrict(ranges, name, Span::default());
        Ok(shape)
    }

    /// The memory takes a value when the instance ticks, and keeps it else.
    fn remember(&mut self, id: InstanceId, memory: &Shape, value: &Shape) -> Lower<()> {
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

    /// The term holds at this and all earlier ticks; and that it has until now.
    pub fn so_far(&mut self, id: InstanceId, term: &Term, name: &str) -> (Term, Term) {
        let context = self.context(id);
        let before = self.state(&format!("{}{name}", self.prefix(id)), Sort::Bool, None);
        let kept = or([context.first, before.clone()]);
        let now = and([term.clone(), kept.clone()]);
        self.set_next(&before, ite(&context.tick, &now, &before));
        (now, kept)
    }

    /// The instance that a call runs.
    pub fn child(&mut self, id: InstanceId, call: CallId, env: &Env) -> Lower<InstanceId> {
        let node = self.node_of(id);
        let declared = node.call(call);
        let indices = constant_indices(&declared.indices, env)?;
        let key = (call, indices.clone());
        if let Some(child) = self.instances[id.0].children.get(&key) {
            return Ok(*child);
        }
        let context = self.child_context(id, call, env)?;
        let step = PathStep { call, indices };
        let child = self.add_instance(declared.node, context, Some((id, step)));
        self.instances[id.0].children.insert(key, child);
        Ok(child)
    }

    fn child_context(&mut self, id: InstanceId, call: CallId, env: &Env) -> Lower<Context> {
        let declared = self.node_of(id).call(call);
        let own = self.context(id);
        let restart = match &declared.restart {
            Some(restart) => self.scalar(id, restart, env)?,
            None => boolean(false),
        };
        let Some(clock) = &declared.clock else {
            return Ok(Context {
                first: or([own.first, restart]),
                tick: own.tick,
            });
        };
        let clock = self.scalar(id, clock, env)?;
        let tick = and([own.tick.clone(), clock]);
        let name = format!("{}idle{}", self.prefix(id), call.0);
        let idle = self.state(&name, Sort::Bool, Some(boolean(true)));
        // A restart of the caller is one of the callee, whether it ticks or not.
        let reset = or([own.first.clone(), idle.clone()]);
        let next = ite(&own.tick, &ite(&tick, &boolean(false), &reset), &idle);
        self.set_next(&idle, next);
        Ok(Context {
            tick,
            first: or([reset, restart]),
        })
    }

    /// An output of a call; a clocked one is held while it does not tick.
    pub fn call_output(
        &mut self,
        id: InstanceId,
        call: CallId,
        output: usize,
        env: &Env,
    ) -> Lower<Shape> {
        let child = self.child(id, call, env)?;
        let var = self.node_of(child).outputs[output];
        let declared = self.node_of(id).call(call);
        if declared.clock.is_none() {
            return self.var(child, var);
        }
        let indices = constant_indices(&declared.indices, env)?;
        let key = (call, indices, output);
        if let Some(shape) = self.instances[id.0].held.get(&key) {
            return Ok(shape.clone());
        }
        let before = match &declared.defaults {
            Some(defaults) => self.expr(id, &defaults[output], env)?,
            None => self.choice(id, declared.inactive[output], env)?,
        };
        let value = self.var(child, var)?;
        let name = format!("{}held{}.{output}", self.prefix(id), call.0);
        let held = self.new_memory(id, &declared.output_types[output], &name)?;
        let own = self.context(id);
        let tick = self.context(child).tick;
        let idle = before.zip(&held, &mut |before, held| ite(&own.first, before, held))?;
        let shape = value.zip(&idle, &mut |value, idle| ite(&tick, value, idle))?;
        self.remember(id, &held, &shape)?;
        self.instances[id.0].held.insert(key, shape.clone());
        Ok(shape)
    }

    /// Every instance below one, with all combinations of array indices.
    pub fn all_children(&mut self, id: InstanceId) -> Lower<Vec<InstanceId>> {
        let node = self.node_of(id);
        let mut children = Vec::new();
        for call in node.call_ids() {
            let mut envs: Vec<Vec<(BoundId, Term)>> = vec![Vec::new()];
            for bound in &node.call(call).indices {
                let lang::BoundKind::Index(size) = &node.bound(*bound).kind else {
                    return Err(Unsupported(
                        "a call that depends on a quantified variable".into(),
                    ));
                };
                let size = self.size_in(id, size)?;
                envs = envs
                    .into_iter()
                    .flat_map(|env| {
                        (0..size).map(move |at| {
                            let mut longer = env.clone();
                            longer.push((*bound, system::integer(at)));
                            longer
                        })
                    })
                    .collect();
            }
            for env in envs {
                children.push(self.child(id, call, &env)?);
            }
        }
        Ok(children)
    }
}

/// The values of indices, which are known once arrays are inlined.
pub(crate) fn constant_indices(bounds: &[BoundId], env: &Env) -> Lower<Vec<usize>> {
    use num_traits::ToPrimitive;
    let index = |bound: &BoundId| {
        let (_, term) = env.iter().rev().find(|(id, _)| id == bound)?;
        match term.kind() {
            system::Kind::Int(value) => value.to_usize(),
            _ => None,
        }
    };
    let all: Option<Vec<usize>> = bounds.iter().map(index).collect();
    all.ok_or_else(|| Unsupported("an index that is not known".into()))
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
