//! Runs of the system as runs of the program.

use std::collections::HashMap;

use engines::Run;
use lang::{Expr, NodeId, Program, PropertyKind, Type, Value};
use lower::{Check, ChoiceKey, Leaf, Lowered, Origin, Shape};
use num_traits::ToPrimitive;
use sim::{ChoiceSite, Oracle, PathStep, SimError, Simulator, Trace};
use smt::Scalar;
use system::Term;

/// The terms whose values make up a run: inputs, constants and choices.
pub(crate) fn observed(lowered: &Lowered) -> Vec<Term> {
    let shapes = lowered.inputs.iter();
    let shapes = shapes.chain(lowered.consts.iter().map(|(_, shape)| shape));
    let mut terms = Vec::new();
    let mut seen = std::collections::HashSet::new();
    for shape in shapes.chain(lowered.choices.values()) {
        shape.for_each_leaf(&mut |term, _| {
            if seen.insert(term.id()) {
                terms.push(term.clone());
            }
        });
    }
    terms
}

/// The values of a run, by term and step.
pub(crate) struct Values<'a> {
    program: &'a Program,
    positions: HashMap<u64, usize>,
    run: &'a Run,
}

impl<'a> Values<'a> {
    pub(crate) fn new(program: &'a Program, observed: &[Term], run: &'a Run) -> Values<'a> {
        let positions = observed.iter().enumerate();
        Values {
            program,
            positions: positions.map(|(at, term)| (term.id(), at)).collect(),
            run,
        }
    }

    pub(crate) fn value(&self, shape: &Shape, step: usize) -> Option<Value> {
        shape.value(&mut |term, leaf| {
            let at = *self.positions.get(&term.id())?;
            let scalar = self.run.steps.get(step)?.get(at)?.as_ref()?;
            self.leaf(scalar, leaf)
        })
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

/// Makes the choices of a run.
pub(crate) struct Chosen<'a> {
    pub values: &'a Values<'a>,
    pub lowered: &'a Lowered,
}

impl Oracle for Chosen<'_> {
    fn choose(&mut self, site: &ChoiceSite) -> Option<Value> {
        let key = ChoiceKey {
            path: site.path.clone(),
            choice: site.choice,
            indices: site.indices.clone(),
        };
        self.values
            .value(self.lowered.choices.get(&key)?, site.step)
    }
}

/// Why a run is no evidence.
#[derive(Debug)]
pub(crate) enum Mismatch {
    /// The run has values that cannot be represented, or the interpreter cannot
    /// go on: nothing is known.
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
    lowered: &Lowered,
    observed: &[Term],
    run: &Run,
    origin: &Origin,
    view: lower::View,
) -> Result<Trace, Mismatch> {
    let positions = observed
        .iter()
        .enumerate()
        .map(|(at, term)| (term.id(), at));
    let values = Values {
        program,
        positions: positions.collect(),
        run,
    };
    let unable = || Mismatch::Unable("a value of the run is not rational".to_owned());
    let mut consts = HashMap::new();
    for (id, shape) in &lowered.consts {
        consts.insert(*id, values.value(shape, 0).ok_or_else(unable)?);
    }
    let mut simulator = Simulator::new(program, top, consts);
    let mut oracle = Chosen {
        values: &values,
        lowered,
    };
    let mut replay = Replay {
        program,
        top,
        so_far: HashMap::new(),
        view,
    };
    for step in 0..run.steps.len() {
        let inputs: Option<Vec<Value>> = lowered
            .inputs
            .iter()
            .map(|shape| values.value(shape, step))
            .collect();
        simulator.step(&inputs.ok_or_else(unable)?, &mut oracle)?;
        replay.constraints(&mut simulator, &mut oracle, step)?;
    }
    if replay.decided(&mut simulator, &mut oracle, origin)? {
        return Ok(simulator.trace());
    }
    Err(Mismatch::Disagrees(
        "the interpreter does not reach what the run claims".to_owned(),
    ))
}

struct Replay<'a> {
    program: &'a Program,
    top: NodeId,
    /// Whether the assumptions of an abstract instance have held so far.
    so_far: HashMap<Vec<PathStep>, bool>,
    view: lower::View,
}

impl Replay<'_> {
    /// Assertions, assumptions of the top node, promises of abstract nodes.
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
                if !holds(simulator, oracle, &path, &assertion.expr)? {
                    return broken("an assertion");
                }
            }
            let Some(contract) = &node.contract else {
                continue;
            };
            let is_top = path.is_empty() && id == self.top;
            let mut assumed = true;
            for clause in &contract.assumptions {
                assumed &= holds(simulator, oracle, &path, &clause.expr)?;
            }
            if is_top && !assumed {
                return broken("an assumption");
            }
            let is_abstract = match is_top {
                true => self.view == lower::View::Contract,
                false => !node.has_body,
            };
            if !is_abstract {
                continue;
            }
            let so_far = self.so_far.entry(path.clone()).or_insert(true);
            *so_far &= assumed;
            if *so_far {
                for clause in &contract.guarantees {
                    if !holds(simulator, oracle, &path, &clause.expr)? {
                        return broken("a guarantee");
                    }
                }
                for mode in &contract.modes {
                    let active = simulator.value_at(&path, mode.active) == Some(&Value::Bool(true));
                    for clause in &mode.ensures {
                        if active && !holds(simulator, oracle, &path, &clause.expr)? {
                            return broken("a mode");
                        }
                    }
                }
            }
        }
        Ok(())
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
                    PropertyKind::Reachable { .. } => reached(value(&property.expr)?),
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
            Check::Range(var) => {
                let ty: &Type = &node.var(var).ty;
                let value = simulator.value_at(path, var);
                value.is_some_and(|value| !value.fits(ty, self.program))
            }
        })
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
