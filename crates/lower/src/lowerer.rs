//! The translation as a whole: what it keeps, and the order in which it goes.
//!
//! Streams and memory are made when they are first needed. Their definitions and next values
//! are [`Task`]s for later, so that streams may depend on each other in any order.

use std::collections::{BTreeMap, HashMap, HashSet};

use lang::{BoundId, ConstId, Expr, NodeId, Program, SizeAtom, Type, VarClass, VarId};
use num_bigint::BigInt;
use syntax::SourceMap;
use system::{Constraint, ElementId, Inliner, Role, Sort, StateVar, System, Term, Var, boolean};

use crate::instance::{Context, Instance, InstanceId, TOP};
use crate::partial::Unknowns;
use crate::room::Room;
use crate::shape::{Leaf, Shape};
use crate::variant::Varied;
use crate::{
    ChoiceKey, InstanceStreams, LoopedStream, Lower, LowerOptions, Lowered, Origin, Part, Places,
    Unsupported,
};

/// A definition or a next value that is still to be translated.
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
    pub options: &'p LowerOptions,
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
    /// Keys of the entries of `unknowns`, so that each is entered once.
    pub noted: HashSet<Vec<u64>>,
    /// For arrays that are defined by induction: numbers that are free at each step.
    pub tokens: HashMap<(InstanceId, VarId), Term>,
    /// The same for arrays of the solver.
    pub array_tokens: HashMap<Vec<Term>, Term>,
    /// The conditions under which the present expression is evaluated (`facts.rs`).
    pub facts: Vec<Term>,
    /// The declared bounds of variables, which hold at every step.
    pub declared: HashMap<Term, (Option<BigInt>, Option<BigInt>)>,
}

impl<'p> Lowerer<'p> {
    pub fn new(program: &'p Program, sources: &'p SourceMap, options: &'p LowerOptions) -> Self {
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

    /// A constraint of an instance; `range` is what remains of it if its element is removed.
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
}
