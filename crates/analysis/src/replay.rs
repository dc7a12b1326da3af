//! Replays runs of the system as runs of the program, in the interpreter.

use std::collections::{BTreeMap, HashMap, HashSet};

use engines::{Observation, Run};
use lang::{ChoiceKind, ConstId, Expr, Node, NodeId, Program, PropertyKind, Type, Value, VarId};
use lower::{Check, ChoiceKey, Leaf, Lowered, Origin, Shape, Unknown, Unknowns};
use num_traits::ToPrimitive;
use sim::{ChoiceSite, Inductive, Oracle, PathStep, SimError, Simulator, Trace, Undefined};
use smt::Scalar;
use syntax::ast::NodeKind;
use system::Term;

use crate::into_range::into_range;
use crate::recorded_run::{RecordedRun, Recorder};

/// The terms whose values determine a run: inputs, constants, choices, and the values of operations
/// outside of their domain.
pub(crate) fn observed(lowered: &Lowered) -> Observations {
    let shapes = lowered.inputs.iter();
    let shapes = shapes.chain(lowered.consts.iter().map(|(_, shape)| shape));
    let mut all = Observations::default();
    for shape in shapes.chain(lowered.choices.values()) {
        all.add(shape);
    }
    all.add_unknowns(&lowered.unknowns);
    all
}

#[derive(Default)]
pub(crate) struct Observations {
    pub observed: Vec<Observation>,
    seen: HashSet<Observation>,
}

impl Observations {
    /// Operations outside of their domain, with their operands.
    pub fn add_unknowns(&mut self, unknowns: &Unknowns) {
        for unknown in &unknowns.all {
            self.add(&truth(&unknown.undefined));
            unknown.operands.iter().for_each(|shape| self.add(shape));
            self.add(&unknown.value);
        }
    }

    /// The leaves of a shape, and the sizes of its arrays.
    pub fn add(&mut self, shape: &Shape) {
        for (term, sizes) in shape.leaves() {
            let parts = sizes.iter().map(|size| (size.clone(), Vec::new()));
            let parts: Vec<(Term, Vec<Term>)> = parts.collect();
            for (term, sizes) in parts.into_iter().chain([(term, sizes)]) {
                let observation = Observation { term, sizes };
                if self.seen.insert(observation.clone()) {
                    self.observed.push(observation);
                }
            }
        }
    }
}

/// A condition as a value.
fn truth(term: &Term) -> Shape {
    Shape::Leaf(term.clone(), Leaf::Bool)
}

/// The values of a run, by term and step.
pub(crate) struct Values<'a> {
    program: &'a Program,
    positions: HashMap<u64, usize>,
    run: &'a Run,
}

impl<'a> Values<'a> {
    pub(crate) fn new(program: &'a Program, observed: &[Observation], run: &'a Run) -> Self {
        let positions = observed.iter().enumerate();
        Values {
            program,
            positions: positions.map(|(at, o)| (o.term.id(), at)).collect(),
            run,
        }
    }

    pub(crate) fn value(&self, shape: &Shape, step: usize) -> Option<Value> {
        shape.value(&mut Step { values: self, step })
    }

    fn leaf(&self, scalar: &Scalar, leaf: Leaf) -> Option<Value> {
        Some(match (leaf, scalar) {
            (Leaf::Bool, Scalar::Bool(value)) => Value::Bool(*value),
            (Leaf::Int, Scalar::Int(value)) => Value::Int(value.clone()),
            (Leaf::Abstract, Scalar::Int(value)) => Value::Abstract(value.clone()),
            (Leaf::Real, Scalar::Real(value)) => Value::Real(value.clone()),
            (Leaf::Machine(machine), Scalar::BitVec(value)) => {
                Value::Machine(machine, lang::ops::wrap(machine, value))
            }
            (Leaf::Enum(id), Scalar::Int(value)) => {
                let count = self.program.enumeration(id).values.len() as u32;
                Value::Enum(id, value.to_u32().filter(|at| *at < count)?)
            }
            _ => return None,
        })
    }
}

/// The values at one step.
struct Step<'v> {
    values: &'v Values<'v>,
    step: usize,
}

impl Step<'_> {
    fn scalar(&self, term: &Term) -> Option<&Scalar> {
        let at = *self.values.positions.get(&term.id())?;
        self.values.run.steps.get(self.step)?.get(at)?.as_ref()
    }
}

impl lower::Model for Step<'_> {
    fn leaf(&mut self, term: &Term, kind: Leaf, at: &[usize]) -> Option<Value> {
        let mut scalar = self.scalar(term)?;
        for index in at {
            let Scalar::Array(elements) = scalar else {
                return None;
            };
            scalar = elements.get(*index)?.as_ref()?;
        }
        self.values.leaf(scalar, kind)
    }

    fn size(&mut self, size: &Term) -> Option<usize> {
        match (size.kind(), self.scalar(size)) {
            (system::Kind::Int(count), _) | (_, Some(Scalar::Int(count))) => {
                count.max(&0.into()).to_usize()
            }
            _ => None,
        }
    }
}

/// The terms from whose values a run of the program is read.
#[derive(Clone, Copy)]
pub(crate) struct RunTerms<'a> {
    pub inputs: &'a [Shape],
    pub consts: &'a [(ConstId, Shape)],
    pub choices: &'a BTreeMap<ChoiceKey, Shape>,
    pub unknowns: &'a Unknowns,
}

impl<'a> From<&'a Lowered> for RunTerms<'a> {
    fn from(lowered: &'a Lowered) -> RunTerms<'a> {
        RunTerms {
            inputs: &lowered.inputs,
            consts: &lowered.consts,
            choices: &lowered.choices,
            unknowns: &lowered.unknowns,
        }
    }
}

/// The oracle that gives the interpreter the choices of a run.
pub(crate) struct RunOracle<'a> {
    pub values: &'a Values<'a>,
    pub choices: &'a BTreeMap<ChoiceKey, Shape>,
    /// The values of operations outside of their domain; `None` where the run has two values for
    /// equal operands.
    table: HashMap<Undefined, Option<Value>>,
    /// The table lacks some of these values.
    incomplete: bool,
    /// Outputs of imported nodes that are outside of their ranges are replaced.
    pub in_range: bool,
}

impl<'a> RunOracle<'a> {
    pub fn new(
        values: &'a Values<'a>,
        choices: &'a BTreeMap<ChoiceKey, Shape>,
        unknowns: &Unknowns,
    ) -> RunOracle<'a> {
        let mut chosen = RunOracle {
            values,
            choices,
            table: HashMap::new(),
            incomplete: unknowns.hidden,
            in_range: false,
        };
        for step in 0..values.run.steps.len() {
            for unknown in &unknowns.all {
                chosen.note(unknown, step);
            }
        }
        chosen
    }

    /// Adds the value of an operation to the table, if it was outside of its domain at the step.
    fn note(&mut self, unknown: &Unknown, step: usize) {
        let value = |shape: &Shape| self.values.value(shape, step);
        if value(&truth(&unknown.undefined)) != Some(Value::Bool(true)) {
            return;
        }
        let operands: Option<Vec<Value>> = unknown.operands.iter().map(value).collect();
        let (Some(operands), Some(value)) = (operands, value(&unknown.value)) else {
            self.incomplete = true;
            return;
        };
        let stream = unknown.stream.as_ref();
        let undefined = Undefined {
            operation: unknown.operation,
            operands,
            stream: stream.map(|(path, var)| Inductive {
                path: path.clone(),
                var: *var,
                step,
            }),
        };
        let known = self.table.entry(undefined).or_insert(Some(value.clone()));
        if *known != Some(value) {
            *known = None;
        }
    }
}

impl Oracle for RunOracle<'_> {
    fn choose(&mut self, site: &ChoiceSite) -> Option<Value> {
        let value = self.chosen(site)?;
        let choice = self.values.program.node(site.node).choice(site.choice);
        match choice.kind {
            ChoiceKind::Imported(_) if self.in_range => {
                Some(into_range(self.values.program, value, &choice.ty))
            }
            _ => Some(value),
        }
    }

    fn unknown(
        &mut self,
        undefined: &Undefined,
        name: &str,
        _: &Type,
    ) -> Result<Option<Value>, SimError> {
        match self.table.get(undefined) {
            Some(Some(value)) => Ok(Some(value.clone())),
            None if !self.incomplete => Ok(None),
            _ => Err(sim::unknown_operation(name)),
        }
    }
}

impl RunOracle<'_> {
    /// The value of a choice in the run.
    fn chosen(&self, site: &ChoiceSite) -> Option<Value> {
        let key = ChoiceKey {
            path: site.path.clone(),
            choice: site.choice,
            indices: site.indices.clone(),
        };
        if let Some(shape) = self.choices.get(&key) {
            return self.values.value(shape, site.step);
        }
        // One choice for all indices, where the size of the array is open: those of
        // the choice itself, or those of a call.
        let mut at = site.indices.clone();
        let mut whole = ChoiceKey {
            indices: Vec::new(),
            ..key
        };
        let shape = self.choices.get(&whole).or_else(|| {
            let call = whole.path.last_mut()?;
            at.splice(0..0, std::mem::take(&mut call.indices));
            self.choices.get(&whole)
        })?;
        let mut value = self.values.value(shape, site.step)?;
        for index in at {
            let Value::Array(elements) = value else {
                return None;
            };
            value = elements.get(index)?.clone();
        }
        Some(value)
    }
}

/// Why the interpreter did not confirm a run.
#[derive(Debug)]
pub(crate) enum Mismatch {
    /// The run has values that cannot be represented, or the interpreter cannot evaluate something.
    Unable(String),
    /// The interpreter disagrees: one of the two semantics is wrong.
    Disagrees(String),
}

impl From<SimError> for Mismatch {
    fn from(error: SimError) -> Mismatch {
        match error {
            SimError::Internal(_) | SimError::Inconsistent { .. } => {
                Mismatch::Disagrees(error.to_string())
            }
            _ => Mismatch::Unable(error.to_string()),
        }
    }
}

/// Runs the program on the inputs and choices of a run, and checks that every
/// constraint holds on the way and the property is decided at the end.
pub(crate) fn replay(
    program: &Program,
    top: NodeId,
    terms: RunTerms,
    observed: &[Observation],
    run: &Run,
    origin: &Origin,
) -> Result<Replayed, Mismatch> {
    let values = Values::new(program, observed, run);
    let unable = || Mismatch::Unable("a value of the run is not rational".to_owned());
    let mut consts = HashMap::new();
    for (id, shape) in terms.consts {
        let value = values.value(shape, 0).ok_or_else(unable)?;
        let ty = &program.constant(*id).ty;
        consts.insert(*id, into_range(program, value, ty));
    }
    let node = program.node(top);
    let inputs_at = |step| {
        let inputs = terms.inputs.iter().zip(&node.inputs);
        let values = inputs.map(|(shape, id)| {
            let value = values.value(shape, step)?;
            Some(into_range(program, value, &node.var(*id).ty))
        });
        values.collect::<Option<Vec<Value>>>().ok_or_else(unable)
    };
    let inputs: Vec<Vec<Value>> = (0..run.steps.len())
        .map(inputs_at)
        .collect::<Result<_, _>>()?;
    let played = |in_range: bool| {
        let mut chosen = RunOracle::new(&values, terms.choices, terms.unknowns);
        chosen.in_range = in_range;
        let mut recorder = Recorder::new(&mut chosen);
        let played = play(program, top, &consts, &inputs, &mut recorder, origin)?;
        Ok(Replayed {
            trace: played.trace,
            gaps: played.gaps,
            recorded: recorder.recorded(consts.clone(), inputs.clone()),
        })
    };
    // The outputs of an imported node whose assumptions are violated need not be in range. So the
    // run is first tried as it is.
    match played(false) {
        Err(Mismatch::Disagrees(why)) => played(true).map_err(|_| Mismatch::Disagrees(why)),
        replayed => replayed,
    }
}

/// Runs a node, and checks that every constraint holds on the way and the
/// property is decided at the end.
pub(crate) fn play(
    program: &Program,
    top: NodeId,
    consts: &HashMap<ConstId, Value>,
    inputs: &[Vec<Value>],
    oracle: &mut dyn Oracle,
    origin: &Origin,
) -> Result<Played, Mismatch> {
    let mut simulator = Simulator::new(program, top, consts.clone());
    let mut replay = Replay {
        program,
        top,
        so_far: HashMap::new(),
        given: HashMap::new(),
        gaps: Vec::new(),
    };
    for (step, inputs) in inputs.iter().enumerate() {
        simulator.step(inputs, oracle)?;
        replay.constraints(&mut simulator, oracle, step)?;
    }
    let decided = replay.decided(&mut simulator, oracle, origin);
    if replay.tolerated(decided)?.unwrap_or(true) {
        return Ok(Played {
            trace: simulator.trace(),
            gaps: replay.gaps,
        });
    }
    Err(Mismatch::Disagrees(
        "the interpreter does not reach what the run claims".to_owned(),
    ))
}

/// A run as the interpreter sees it.
pub(crate) struct Played {
    pub trace: Trace,
    /// The constraints that the interpreter could not check.
    pub gaps: Vec<String>,
}

/// A run of the system, as one of the program.
pub(crate) struct Replayed {
    pub trace: Trace,
    pub gaps: Vec<String>,
    /// The same run, recorded.
    pub recorded: RecordedRun,
}

struct Replay<'a> {
    program: &'a Program,
    top: NodeId,
    /// Whether the assumptions of an abstract instance have held so far.
    so_far: HashMap<Vec<PathStep>, bool>,
    /// The outputs of functions without a body so far, by their inputs.
    given: HashMap<(NodeId, Vec<Value>), Vec<Value>>,
    gaps: Vec<String>,
}

impl Replay<'_> {
    /// Records a formula that only a solver can evaluate as a gap.
    fn tolerated(&mut self, value: Result<bool, Mismatch>) -> Result<Option<bool>, Mismatch> {
        match value {
            Err(Mismatch::Unable(why)) => {
                if !self.gaps.contains(&why) {
                    self.gaps.push(why);
                }
                Ok(None)
            }
            value => value.map(Some),
        }
    }

    /// Does the formula hold, as far as the interpreter can say?
    fn holds(
        &mut self,
        simulator: &mut Simulator,
        oracle: &mut dyn Oracle,
        path: &[PathStep],
        expr: &Expr,
    ) -> Result<bool, Mismatch> {
        let value = holds(simulator, oracle, path, expr);
        Ok(self.tolerated(value)?.unwrap_or(true))
    }

    /// Checks assertions, assumptions of the top node, and guarantees of abstract nodes.
    fn constraints(
        &mut self,
        simulator: &mut Simulator,
        oracle: &mut dyn Oracle,
        step: usize,
    ) -> Result<(), Mismatch> {
        for (path, id) in simulator.active() {
            let node = self.program.node(id);
            let broken = |what: &str| {
                let message = format!("{what} of `{}` does not hold at step {step}", node.name);
                Err(Mismatch::Disagrees(message))
            };
            for assertion in &node.asserts {
                if !self.holds(simulator, oracle, &path, &assertion.expr)? {
                    return broken("an assertion");
                }
            }
            if !self.is_function(simulator, &path, id) {
                // Where the property does not depend on the outputs, the solver may choose any.
                let gap = format!("`{}` gives different outputs for equal inputs", node.name);
                self.tolerated(Err(Mismatch::Unable(gap)))?;
            }
            let Some(contract) = &node.contract else {
                continue;
            };
            let is_top = path.is_empty() && id == self.top;
            let mut assumed = true;
            for clause in &contract.assumptions {
                assumed &= self.holds(simulator, oracle, &path, &clause.expr)?;
            }
            if is_top && !assumed {
                return broken("an assumption");
            }
            assumed &= self.in_range(simulator, &path, node, &node.inputs);
            if node.has_body || !self.assumed_so_far(simulator, &path, node, assumed) {
                continue;
            }
            for clause in &contract.guarantees {
                if !self.holds(simulator, oracle, &path, &clause.expr)? {
                    return broken("a guarantee");
                }
            }
            for mode in &contract.modes {
                let active = simulator.value_at(&path, mode.active) == Some(&Value::Bool(true));
                for clause in &mode.ensures {
                    if active && !self.holds(simulator, oracle, &path, &clause.expr)? {
                        return broken("a mode");
                    }
                }
            }
            if !self.in_range(simulator, &path, node, &node.outputs) {
                return broken("the range of an output");
            }
        }
        Ok(())
    }

    /// Does a function without a body, in JKind's style, have the same outputs as before for these
    /// inputs?
    fn is_function(&mut self, simulator: &Simulator, path: &[PathStep], id: NodeId) -> bool {
        let node = self.program.node(id);
        let open = node.imported || node.abstracted || node.has_body;
        if open || node.kind != NodeKind::Function {
            return true;
        }
        let values = |streams: &[VarId]| -> Option<Vec<Value>> {
            let values = streams.iter().map(|id| simulator.value_at(path, *id));
            values.map(|value| value.cloned()).collect()
        };
        let (Some(inputs), Some(outputs)) = (values(&node.inputs), values(&node.outputs)) else {
            return true;
        };
        let before = self.given.entry((id, inputs));
        *before.or_insert_with(|| outputs.clone()) == outputs
    }

    /// Do the values of streams lie in their declared ranges?
    fn in_range(
        &self,
        simulator: &Simulator,
        path: &[PathStep],
        node: &Node,
        streams: &[VarId],
    ) -> bool {
        streams.iter().all(|id| {
            let value = simulator.value_at(path, *id);
            let ty = &node.var(*id).ty;
            value.is_none_or(|value| value.fits(ty, self.program))
        })
    }

    /// Have the assumptions of an abstract instance held since it started? A
    /// function starts at every tick.
    fn assumed_so_far(
        &mut self,
        simulator: &Simulator,
        path: &[PathStep],
        node: &Node,
        now: bool,
    ) -> bool {
        let starts = node.kind == NodeKind::Function || simulator.has_just_started(path);
        let so_far = self.so_far.entry(path.to_vec()).or_insert(true);
        *so_far = now && (starts || *so_far);
        *so_far
    }

    /// Does the last step violate the invariant, or reach the property?
    fn decided(
        &self,
        simulator: &mut Simulator,
        oracle: &mut dyn Oracle,
        origin: &Origin,
    ) -> Result<bool, Mismatch> {
        let path = &origin.path;
        let mut node = self.program.node(self.top);
        for step in path {
            node = self.program.node(node.call(step.call).node);
        }
        let contract = node.contract.as_ref();
        let last = simulator.steps().saturating_sub(1) as u64;
        let mut value = |expr: &Expr| -> Result<Option<bool>, Mismatch> {
            let value = simulator.eval_at(path, expr, oracle)?;
            Ok(value.and_then(|value| value.as_bool()))
        };
        let violated = |value: Option<bool>| value == Some(false);
        let reached = |value: Option<bool>| value == Some(true);
        Ok(match origin.check {
            Check::Property(at) => {
                let property = &node.properties[at];
                match &property.kind {
                    PropertyKind::Invariant => violated(value(&property.expr)?),
                    PropertyKind::Provided(guard) => {
                        reached(value(guard)?) && violated(value(&property.expr)?)
                    }
                    PropertyKind::Reachable { from, within } => {
                        let in_time = from.is_none_or(|from| last >= from)
                            && within.is_none_or(|within| last <= within);
                        in_time && reached(value(&property.expr)?)
                    }
                }
            }
            Check::Guard(at) => match &node.properties[at].kind {
                PropertyKind::Provided(guard) => reached(value(guard)?),
                _ => false,
            },
            Check::Assumption(at) => match contract {
                Some(contract) => violated(value(&contract.assumptions[at].expr)?),
                None => false,
            },
            Check::Guarantee(at) => match contract {
                Some(contract) => violated(value(&contract.guarantees[at].expr)?),
                None => false,
            },
            Check::Ensure(mode, at) => match contract {
                Some(contract) => {
                    let mode = &contract.modes[mode];
                    let violated = violated(value(&mode.ensures[at].expr)?);
                    let active = simulator.value_at(path, mode.active);
                    violated && active == Some(&Value::Bool(true))
                }
                None => false,
            },
            Check::ModeActive(mode) => contract.is_some_and(|contract| {
                let active = contract.modes[mode].active;
                simulator.value_at(path, active) == Some(&Value::Bool(true))
            }),
            Check::OneModeActive => contract.is_some_and(|contract| {
                let mut modes = contract.modes.iter();
                modes.all(|m| simulator.value_at(path, m.active) == Some(&Value::Bool(false)))
            }),
            Check::Hidden => true,
            Check::Range(var, place) => {
                let ty: &Type = &node.var(var).ty;
                let value = simulator.value_at(path, var);
                value.is_some_and(|value| is_out_of_range(self.program, value, ty, place.as_str()))
            }
        })
    }
}

/// Is the part of a value at a place, one of its elements if the place names none of
/// them, outside of its range?
fn is_out_of_range(program: &Program, value: &Value, ty: &Type, place: &str) -> bool {
    let of_field = |name: &str| match ty {
        Type::Record(id) => {
            let mut fields = program.record(*id).fields.iter().enumerate();
            fields.find_map(|(at, (field, ty))| (field.as_str() == name).then_some((at, ty)))
        }
        Type::Tuple(types) => {
            let at: usize = name.strip_prefix('%')?.parse().ok()?;
            types.get(at).map(|ty| (at, ty))
        }
        _ => None,
    };
    match (value, ty) {
        _ if place.is_empty() => !value.fits(ty, program),
        (Value::Array(elements), Type::Array(array)) => {
            let (index, rest) = place[1..].split_once(']').unwrap_or((&place[1..], ""));
            let index: Option<usize> = index.parse().ok();
            let mut elements = elements.iter().enumerate();
            elements.any(|(at, element)| {
                index.is_none_or(|index| index == at)
                    && is_out_of_range(program, element, &array.element, rest)
            })
        }
        (Value::Fields(values), _) => {
            let own = &place[1..];
            let end = own.find(['.', '[']).unwrap_or(own.len());
            let field = of_field(&own[..end]);
            field.is_some_and(|(at, ty)| {
                let value = values.get(at);
                value.is_some_and(|value| is_out_of_range(program, value, ty, &own[end..]))
            })
        }
        _ => false,
    }
}

fn holds(
    simulator: &mut Simulator,
    oracle: &mut dyn Oracle,
    path: &[PathStep],
    expr: &Expr,
) -> Result<bool, Mismatch> {
    let value = simulator.eval_at(path, expr, oracle)?;
    Ok(value != Some(Value::Bool(false)))
}
