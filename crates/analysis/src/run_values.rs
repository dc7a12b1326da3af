//! The values of a run that a solver has found, as the interpreter takes them: inputs, free
//! constants, choices, and what operations are outside of their domain.

use std::collections::{BTreeMap, HashMap, HashSet};

use engines::{Observation, Run};
use lang::{ChoiceKind, ConstId, Program, Type, Value};
use lower::{ChoiceKey, Leaf, Lowered, Shape, Unknown, Unknowns};
use num_traits::ToPrimitive;
use sim::{ChoiceSite, Inductive, Oracle, SimError, Undefined};
use smt::Scalar;
use system::Term;

use crate::into_range::into_range;

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
