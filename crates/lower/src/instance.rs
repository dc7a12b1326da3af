//! Instances of nodes, their contexts and their memory.

use std::collections::{BTreeMap, HashMap, HashSet};

use lang::{
    BoundId, CallId, ConstId, Expr, Node, NodeId, Program, SizeAtom, Type, VarClass, VarId,
};
use num_bigint::BigInt;
use sim::PathStep;
use syntax::SourceMap;
use system::{
    Constraint, ElementId, Inliner, Role, Sort, StateVar, System, Term, Var, and, boolean, ite, or,
};

use crate::partial::Unknowns;
use crate::room::Room;
use crate::shape::{Leaf, Shape};
use crate::slots::Slot;
use crate::variant::Varied;
use crate::{
    ChoiceKey, InstanceStreams, LoopedStream, Lower, Lowered, Options, Origin, Part, Places,
    Unsupported,
};

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
    /// `first` without the restarts of this step: the instance has not run since
    /// it was started.
    pub fresh: Term,
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
    /// Outputs of calls, as their caller sees them.
    pub outputs: HashMap<(CallId, Vec<usize>, usize), Shape>,
    /// Memory behind `pre x` of a stream, and of other expressions.
    pub stream_memory: HashMap<VarId, Shape>,
    pub memory: HashMap<Occurrence, Shape>,
    /// All memory, by its place in the node.
    pub slots: Vec<(Slot, Shape)>,
    /// Its assumptions hold and have held so far.
    pub owed: Option<Term>,
}

/// What is still to be found.
pub(crate) enum Task<'p> {
    /// The next value of a memory.
    Memory {
        id: InstanceId,
        memory: Shape,
        expr: &'p Expr,
        env: Vec<(BoundId, Term)>,
    },
    /// The definition of a stream of some type: the value of an expression in
    /// an instance, its own or, for an input, its caller.
    Stream {
        stream: Shape,
        ty: &'p Type,
        id: InstanceId,
        expr: &'p Expr,
        env: Vec<(BoundId, Term)>,
        element: ElementId,
    },
    /// The definition of an array of the solver.
    Array {
        id: InstanceId,
        var: VarId,
        stream: Shape,
    },
}

pub(crate) struct Lowerer<'p> {
    pub program: &'p Program,
    pub sources: &'p SourceMap,
    pub options: &'p Options,
    pub system: System,
    pub instances: Vec<Instance>,
    consts: HashMap<ConstId, Shape>,
    free_consts: Vec<(ConstId, Shape)>,
    pub choices: BTreeMap<ChoiceKey, Shape>,
    /// The arguments of functions without a body.
    pub arguments: HashMap<InstanceId, Vec<Term>>,
    /// Arrays of the solver that are arguments of functions without a body, by function
    /// and position.
    pub passed_arrays: HashMap<(NodeId, usize), Vec<Term>>,
    elements: HashMap<Part, ElementId>,
    pub parts: Vec<Part>,
    pub places: Places,
    pub tasks: Vec<Task<'p>>,
    pub next_bound: u32,
    /// The free constants, and sizes that are not known.
    constants: Vec<(Term, SizeAtom)>,
    pub open_sizes: HashSet<Term>,
    pub origins: Vec<Origin>,
    pub varied: Varied<'p>,
    pub room: Room,
    pub loops: Vec<LoopedStream>,
    pub unknowns: Unknowns,
    /// What tells apart those that were noted.
    pub noted: HashSet<Vec<u64>>,
    /// For arrays that are defined by induction: numbers that are free at each step.
    pub tokens: HashMap<(InstanceId, VarId), Term>,
    /// The same for arrays of the solver.
    pub array_tokens: HashMap<Vec<Term>, Term>,
    /// What is known where the present expression stands.
    pub facts: Vec<Term>,
    /// Between which numbers variables lie at every step.
    pub declared: HashMap<Term, (Option<BigInt>, Option<BigInt>)>,
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
            choices: BTreeMap::new(),
            arguments: HashMap::new(),
            passed_arrays: HashMap::new(),
            elements: HashMap::new(),
            parts: Vec::new(),
            places: Places::default(),
            tasks: Vec::new(),
            next_bound: 0,
            constants: Vec::new(),
            open_sizes: HashSet::new(),
            origins: Vec::new(),
            varied: Varied::default(),
            room: Room::default(),
            loops: Vec::new(),
            unknowns: Unknowns::default(),
            noted: HashSet::new(),
            tokens: HashMap::new(),
            array_tokens: HashMap::new(),
            facts: Vec::new(),
            declared: HashMap::new(),
        }
    }

    pub fn run(mut self, top: NodeId) -> Lower<Lowered> {
        let (inputs, instances) = self.translate(top)?;
        Ok(self.both_forms(inputs, instances))
    }

    /// Fills the system; gives back the inputs and, if wanted, all streams.
    pub fn translate(&mut self, top: NodeId) -> Lower<(Vec<Shape>, Vec<InstanceStreams>)> {
        let init = self.state("init", Sort::Bool, Some(boolean(true)));
        self.set_next(&init, boolean(false));
        let context = Context {
            tick: boolean(true),
            first: init.clone(),
            fresh: init,
        };
        self.add_instance(top, context, None)?;
        let inputs = self.top_inputs(top)?;
        self.top_properties()?;
        self.system.whole = !self.options.slice;
        let instances = match self.options.all_streams || !self.options.slice {
            true => self.all_streams()?,
            false => Vec::new(),
        };
        self.finish()?;
        if self.options.congruence {
            self.refuse_cycles()?;
        }
        Ok((inputs, instances))
    }

    /// A function whose contract stands for its body may read all its inputs: streams
    /// could depend on themselves through one that the body does not read.
    fn refuse_cycles(&self) -> Lower<()> {
        #[derive(Clone, Copy, PartialEq)]
        enum Mark {
            New,
            Open,
            Done,
        }
        let mut marks = vec![Mark::New; self.system.vars.len()];
        let mut open: Vec<(usize, bool)> = (0..marks.len()).map(|var| (var, false)).collect();
        while let Some((var, left)) = open.pop() {
            if left {
                marks[var] = Mark::Done;
                continue;
            }
            match marks[var] {
                Mark::New => marks[var] = Mark::Open,
                Mark::Done => continue,
                Mark::Open => {
                    let name = &self.system.vars[var].name;
                    let why = format!("`{name}` depends on itself through an abstract function");
                    return Err(Unsupported(why));
                }
            }
            open.push((var, true));
            let definition = self.system.vars[var].def.iter();
            for next in definition.flat_map(|def| def.term.vars()) {
                open.push((next.0 as usize, false));
            }
        }
        Ok(())
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

    /// Finds all definitions and next values; more may turn up on the way.
    pub fn finish(&mut self) -> Lower<()> {
        while let Some(task) = self.tasks.pop() {
            match task {
                Task::Memory {
                    id,
                    memory,
                    expr,
                    env,
                } => {
                    let value = self.expr(id, expr, &env)?;
                    self.remember(id, &memory, &value)?;
                }
                Task::Stream {
                    stream,
                    ty,
                    id,
                    expr,
                    env,
                    element,
                } => {
                    let value = self.expr(id, expr, &env)?;
                    self.define(id, &stream, &value, element, ty)?;
                    self.vary(id, &stream, &env, element)?;
                }
                Task::Array { id, var, stream } => self.define_array(id, var, &stream)?,
            }
        }
        Ok(())
    }

    /// The system with all its streams, and the one without.
    pub fn both_forms(self, inputs: Vec<Shape>, instances: Vec<InstanceStreams>) -> Lowered {
        let open: HashSet<Var> = self.open_sizes.iter().flat_map(Term::vars).collect();
        let is_open = |term: &Term| term.vars().iter().any(|var| open.contains(var));
        let parameters = self.constants.iter().filter(|(term, _)| is_open(term));
        let parameters = parameters.map(|(_, atom)| *atom).collect();
        let ids = (0..self.instances.len()).map(InstanceId);
        let place = |id: InstanceId| self.path(id).iter().map(|step| step.call).collect();
        let instances_at = ids.map(place).collect();
        let tokens = self.tokens.iter();
        let tokens = tokens.map(|((id, var), term)| ((self.path(*id), *var), term.clone()));
        let tokens = tokens.collect();
        let slots = self.slots();
        let tagged = self.system;
        let mut inliner = Inliner::new(&tagged);
        let mut inline = |shape: &Shape| shape.map(&mut |term| inliner.term(term));
        let consts = self.free_consts.iter();
        let consts = consts.map(|(id, shape)| (*id, inline(shape))).collect();
        let choices = self.choices.into_iter();
        let choices = choices.map(|(key, shape)| (key, inline(&shape))).collect();
        let inputs = inputs.iter().map(&mut inline).collect();
        let loops = self.loops.iter().map(|looped| LoopedStream {
            choice: inline(&looped.choice),
            defined: inline(&looped.defined),
            tick: looped.tick.clone(),
        });
        let mut loops: Vec<LoopedStream> = loops.collect();
        for looped in &mut loops {
            looped.tick = inliner.term(&looped.tick);
        }
        let unknowns = self.unknowns.all.iter();
        let unknowns = unknowns.map(|unknown| unknown.map(&mut |term| inliner.term(term)));
        let unknowns = Unknowns {
            all: unknowns.collect(),
            hidden: self.unknowns.hidden,
        };
        Lowered {
            instances,
            slots,
            system: tagged.reduced(),
            origins: self.origins,
            inputs,
            consts,
            choices,
            unknowns,
            tokens,
            tagged,
            parts: self.parts,
            places: Places {
                instances: instances_at,
                ..self.places
            },
            parameters,
            loops,
        }
    }

    fn add_instance(
        &mut self,
        node: NodeId,
        context: Context,
        parent: Option<(InstanceId, PathStep)>,
    ) -> Lower<InstanceId> {
        let count = self.instances.len();
        let growth = match count < self.instances.capacity() {
            true => 0,
            false => 2 * count * size_of::<Instance>(),
        };
        self.room.for_instance(count, growth as u64)?;
        let id = InstanceId(count);
        self.instances.push(Instance {
            node,
            context,
            parent,
            values: vec![None; self.program.node(node).vars.len()],
            elements: HashMap::new(),
            children: HashMap::new(),
            outputs: HashMap::new(),
            stream_memory: HashMap::new(),
            memory: HashMap::new(),
            slots: Vec::new(),
            owed: None,
        });
        Ok(id)
    }

    /// Takes note of memory that an instance has.
    pub fn keep(&mut self, id: InstanceId, slot: Slot, memory: &Shape) {
        let slots = &mut self.instances[id.0].slots;
        slots.push((slot, memory.clone()));
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

    pub fn new_var(&mut self, name: &str, sort: Sort, role: Role, init: Option<Term>) -> Term {
        let var = Var(self.system.vars.len() as u32);
        self.system.vars.push(StateVar {
            init,
            ..StateVar::new(name, sort.clone(), role)
        });
        system::var(var, sort)
    }

    pub fn state(&mut self, name: &str, sort: Sort, init: Option<Term>) -> Term {
        self.new_var(name, sort, Role::State, init)
    }

    pub fn set_next(&mut self, state: &Term, next: Term) {
        if let system::Kind::Var(var) = state.kind() {
            self.system.vars[var.0 as usize].next = Some(next);
        }
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
            let atom = SizeAtom::Var(*id);
            let shape = self.parameter(atom, &var.ty, var.name.as_str(), role)?;
            self.instances[TOP.0].values[id.index()] = Some(shape.clone());
            inputs.push(shape);
        }
        Ok(inputs)
    }

    /// An input or a constant that no one defines; it may have a fixed value.
    fn parameter(&mut self, atom: SizeAtom, ty: &Type, name: &str, role: Role) -> Lower<Shape> {
        if let Some(value) = self.options.fixed.get(&atom) {
            let term = system::integer(value.clone());
            let range = crate::memory::range(self.program, ty, &term);
            self.restrict(range.into_iter().collect());
            return Ok(Shape::Leaf(term, Leaf::Int));
        }
        let shape = self.free(TOP, ty, name, role)?;
        if let (Role::Constant, Shape::Leaf(term, Leaf::Int)) = (role, &shape) {
            self.constants.push((term.clone(), atom));
        }
        Ok(shape)
    }

    pub fn constant(&mut self, id: ConstId) -> Lower<Shape> {
        if let Some(shape) = self.consts.get(&id) {
            return Ok(shape.clone());
        }
        self.aside(|this| this.new_constant(id))
    }

    fn new_constant(&mut self, id: ConstId) -> Lower<Shape> {
        let constant = self.program.constant(id);
        let shape = match &constant.value {
            Some(value) => self.expr(TOP, value, &[])?,
            None => {
                let name = constant.name.as_str();
                let atom = SizeAtom::Const(id);
                let shape = self.parameter(atom, &constant.ty, name, Role::Constant)?;
                self.free_consts.push((id, shape.clone()));
                shape
            }
        };
        self.consts.insert(id, shape.clone());
        Ok(shape)
    }

    pub fn element(&mut self, part: Part) -> Lower<ElementId> {
        if let Some(known) = self.elements.get(&part) {
            return Ok(*known);
        }
        let Some(element) = part.describe(self.program, self.sources) else {
            return Err(Unsupported("a part that is not there".into()));
        };
        let id = ElementId(self.system.elements.len() as u32);
        self.system.elements.push(element);
        self.parts.push(part);
        self.elements.insert(part, id);
        Ok(id)
    }

    /// A constraint of an instance: it holds when the instance ticks.
    pub fn constrain(&mut self, id: InstanceId, term: Term, part: Part) -> Lower<()> {
        let term = system::implies(&self.context(id).tick, &term);
        let element = self.element(part)?;
        self.constrain_always(id, term, element, None);
        Ok(())
    }

    /// A constraint of an instance, with what is left without it.
    pub fn constrain_always(
        &mut self,
        id: InstanceId,
        term: Term,
        element: ElementId,
        range: Option<Term>,
    ) {
        let at = self.system.constraints.len();
        self.places.constraints.insert(at, id.0);
        self.system.constraints.push(Constraint {
            term,
            element: Some(element),
            range,
        });
    }

    /// The instance that a call runs.
    pub fn child(&mut self, id: InstanceId, call: CallId, env: &Env) -> Lower<InstanceId> {
        self.aside(|this| this.child_of(id, call, env))
    }

    fn child_of(&mut self, id: InstanceId, call: CallId, env: &Env) -> Lower<InstanceId> {
        let node = self.node_of(id);
        let declared = node.call(call);
        let indices = constant_indices(&declared.indices, env)?;
        let key = (call, indices.clone());
        if let Some(child) = self.instances[id.0].children.get(&key) {
            return Ok(*child);
        }
        let context = self.child_context(id, call, env)?;
        let step = PathStep { call, indices };
        let child = self.add_instance(declared.node, context, Some((id, step)))?;
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
                fresh: own.fresh,
                tick: own.tick,
            });
        };
        let clock = self.scalar(id, clock, env)?;
        let tick = and([own.tick.clone(), clock]);
        let name = format!("{}idle{}", self.prefix(id), call.0);
        let idle = self.state(&name, Sort::Bool, Some(boolean(true)));
        let indices = constant_indices(&declared.indices, env)?;
        let memory = Shape::Leaf(idle.clone(), Leaf::Bool);
        self.keep(id, Slot::Idle(call, indices), &memory);
        // A restart of the caller is one of the callee, whether it ticks or not.
        let reset = or([own.first.clone(), idle.clone()]);
        let fresh = or([own.fresh.clone(), idle.clone()]);
        let next = ite(&own.tick, &ite(&tick, &boolean(false), &reset), &idle);
        self.set_next(&idle, next);
        Ok(Context {
            tick,
            first: or([reset, restart]),
            fresh,
        })
    }

    /// An output of a call, a stream of the caller.
    pub fn call_output(
        &mut self,
        id: InstanceId,
        call: CallId,
        output: usize,
        env: &Env,
    ) -> Lower<Shape> {
        self.aside(|this| this.output(id, call, output, env))
    }

    fn output(&mut self, id: InstanceId, call: CallId, output: usize, env: &Env) -> Lower<Shape> {
        if self.is_for_each(id, call, env) {
            return self.each_output(id, call, output, env);
        }
        let node = self.node_of(id);
        let declared = node.call(call);
        let indices = constant_indices(&declared.indices, env)?;
        let key = (call, indices, output);
        if let Some(shape) = self.instances[id.0].outputs.get(&key) {
            return Ok(shape.clone());
        }
        let child = self.child(id, call, env)?;
        let callee = self.node_of(child);
        let var = callee.outputs[output];
        let name = format!("{}{}", self.prefix(child), callee.var(var).name);
        let ty = &declared.output_types[output];
        let stream = self.new_vars(id, ty, &name, Role::Stream, 0)?;
        self.instances[id.0].outputs.insert(key, stream.clone());
        let value = match &declared.clock {
            Some(_) => self.held(id, call, output, child, env)?,
            None => self.var(child, var)?,
        };
        let element = self.element(Part::Call(self.instances[id.0].node, call))?;
        self.define(id, &stream, &value, element, ty)?;
        Ok(stream)
    }

    /// An output of a clocked call, held while it does not tick.
    fn held(
        &mut self,
        id: InstanceId,
        call: CallId,
        output: usize,
        child: InstanceId,
        env: &Env,
    ) -> Lower<Shape> {
        let declared = self.node_of(id).call(call);
        let before = match &declared.defaults {
            Some(defaults) => self.expr(id, &defaults[output], env)?,
            None => self.choice(id, declared.inactive[output], env)?,
        };
        let var = self.node_of(child).outputs[output];
        let value = self.var(child, var)?;
        let name = format!("{}held{}.{output}", self.prefix(id), call.0);
        let held = self.new_memory(id, &declared.output_types[output], &name)?;
        let indices = constant_indices(&declared.indices, env)?;
        self.keep(id, Slot::Held(call, indices, output), &held);
        let own = self.context(id);
        let tick = self.context(child).tick;
        let idle = before.zip(&held, &mut |before, held| ite(&own.first, before, held))?;
        let shape = value.zip(&idle, &mut |value, idle| ite(&tick, value, idle))?;
        self.remember(id, &held, &shape)?;
        Ok(shape)
    }

    /// Every instance below one, with all combinations of array indices. Calls for
    /// each element of an array of open size have none.
    pub fn all_children(&mut self, id: InstanceId) -> Lower<Vec<InstanceId>> {
        let node = self.node_of(id);
        let mut children = Vec::new();
        for call in node.live_calls() {
            if self.has_open_index(id, call)? {
                self.can_be_for_each(id, call)?;
                continue;
            }
            let mut envs: Vec<Vec<(BoundId, Term)>> = vec![Vec::new()];
            for bound in &node.call(call).indices {
                let lang::BoundKind::Index(size) = &node.bound(*bound).kind else {
                    return Err(Unsupported(
                        "a call that depends on a quantified variable".into(),
                    ));
                };
                let size = self.size_in(id, size)?;
                self.room.for_instances(envs.len().saturating_mul(size))?;
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
    let index = |bound: &BoundId| match value_of(*bound, env)?.kind() {
        system::Kind::Int(value) => value.to_usize(),
        _ => None,
    };
    let all: Option<Vec<usize>> = bounds.iter().map(index).collect();
    all.ok_or_else(|| Unsupported("a call for each element of an array of unknown size".into()))
}

/// The value of an index or quantified variable.
pub(crate) fn value_of(bound: BoundId, env: &Env) -> Option<&Term> {
    let found = env.iter().rev().find(|(id, _)| *id == bound);
    found.map(|(_, term)| term)
}
