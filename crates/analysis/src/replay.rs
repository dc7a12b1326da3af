//! Replays runs of the system as runs of the program, in the interpreter.

use std::collections::HashMap;

use engines::{Observation, Run};
use lang::{ConstId, Expr, Node, NodeId, Program, PropertyKind, Type, Value, VarId};
use lower::{Check, Origin};
use sim::{Oracle, PathStep, SimError, Simulator, Trace};
use syntax::ast::NodeKind;

use crate::into_range::into_range;
use crate::recorded_run::{RecordedRun, Recorder};
use crate::run_values::{RunOracle, RunTerms, Values};

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

/// What a run is to show.
#[derive(Clone, Copy)]
pub(crate) enum Claim<'a> {
    /// The last step decides a property.
    Decides(&'a Origin),
    /// All steps but the last keep the contract of the top node. The last breaks one of its
    /// clauses, if there are any, and keeps the assumptions if these are not meant.
    Breaks {
        kept: &'a [Origin],
        broken: &'a [Origin],
        assumes: bool,
    },
}

/// Runs the program on the inputs and choices of a run, and checks that every
/// constraint holds on the way and the end is what the run claims.
pub(crate) fn replay(
    program: &Program,
    top: NodeId,
    terms: RunTerms,
    observed: &[Observation],
    run: &Run,
    claim: Claim,
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
        let played = play(program, top, &consts, &inputs, &mut recorder, claim)?;
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

/// Runs a node, and checks that every constraint holds on the way and the end is what is
/// claimed.
pub(crate) fn play(
    program: &Program,
    top: NodeId,
    consts: &HashMap<ConstId, Value>,
    inputs: &[Vec<Value>],
    oracle: &mut dyn Oracle,
    claim: Claim,
) -> Result<Played, Mismatch> {
    let mut simulator = Simulator::new(program, top, consts.clone());
    let mut replay = Replay {
        program,
        top,
        so_far: HashMap::new(),
        given: HashMap::new(),
        gaps: Vec::new(),
        owes: true,
        assumes: true,
    };
    for (step, values) in inputs.iter().enumerate() {
        let is_last = step + 1 == inputs.len();
        if let Claim::Breaks { assumes, .. } = claim {
            // Only the clauses that the claim is about are kept.
            (replay.owes, replay.assumes) = (assumes && !is_last, assumes || !is_last);
        }
        simulator.step(values, oracle)?;
        replay.constraints(&mut simulator, oracle, step)?;
        if let (Claim::Breaks { kept, .. }, false) = (claim, is_last) {
            for origin in kept {
                let broken = replay.decided(&mut simulator, oracle, origin);
                if replay.tolerated(broken)?.unwrap_or(false) {
                    let message = format!("a clause does not hold at step {step}");
                    return Err(Mismatch::Disagrees(message));
                }
            }
        }
    }
    let origins = match &claim {
        Claim::Decides(origin) => std::slice::from_ref(*origin),
        Claim::Breaks { broken, .. } => broken,
    };
    let mut is_shown = origins.is_empty();
    for origin in origins {
        let decided = replay.decided(&mut simulator, oracle, origin);
        is_shown |= replay.tolerated(decided)?.unwrap_or(true);
    }
    if is_shown {
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
    /// Does a top node without a body keep its guarantees at this step?
    owes: bool,
    /// Do the assumptions and assertions of the top node hold at this step?
    assumes: bool,
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
            let is_top = path.is_empty() && id == self.top;
            for assertion in &node.asserts {
                // The component may break its own assertions at the end.
                let bound = !is_top || self.owes;
                if bound && !self.holds(simulator, oracle, &path, &assertion.expr)? {
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
            let mut assumed = true;
            for clause in &contract.assumptions {
                assumed &= self.holds(simulator, oracle, &path, &clause.expr)?;
            }
            if is_top && self.assumes && !assumed {
                return broken("an assumption");
            }
            assumed &= self.in_range(simulator, &path, node, &node.inputs);
            let owes = self.owes || !is_top;
            if node.has_body || !self.assumed_so_far(simulator, &path, node, assumed) || !owes {
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
