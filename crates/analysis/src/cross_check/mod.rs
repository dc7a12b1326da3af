//! Compares the two semantics: the interpreter computes, on the inputs and choices of runs of the
//! unrolled system, the same value of every stream at every step.

mod sample;

use lang::{NodeId, Program, Value};
use lower::{InstanceStreams, Leaf, Lowered, Shape};
use sim::{Oracle, SimError, Simulator};
use syntax::SourceMap;
use system::{Random, Term};

use crate::run_values::{RunOracle, Values};
use sample::{NoRun, Unrolled};

/// The numbers of a comparison.
#[derive(Clone, Debug, Default)]
pub struct CrossCheck {
    pub runs: usize,
    pub values: usize,
    /// Steps at which an assertion is broken, in both.
    pub broken: usize,
    /// Why there are fewer runs, or shorter ones, than were asked for.
    pub gap: Option<String>,
}

/// Compares `runs` random runs of `steps` steps; `Err` names the first
/// difference.
pub fn cross_check(
    program: &Program,
    sources: &SourceMap,
    node: NodeId,
    runs: usize,
    steps: usize,
    seed: u64,
) -> Result<CrossCheck, String> {
    let mut done = CrossCheck::default();
    let options = lower::LowerOptions {
        all_streams: true,
        ..lower::LowerOptions::default()
    };
    let lowered = match lower::lower(program, sources, node, &options) {
        Ok(lowered) => lowered,
        Err(unsupported) => {
            done.gap = Some(unsupported.0);
            return Ok(done);
        }
    };
    let mut unrolled = Unrolled::new(&lowered, steps);
    let mut random = Random(seed);
    for at in 0..runs {
        // Every other run may break assertions.
        let asserted = at % 2 == 0 || unrolled.assertions.is_empty();
        let mut found = unrolled.random_run(&mut random, asserted);
        if asserted && let Err(NoRun::Contradiction) = found {
            found = unrolled.random_run(&mut random, false);
        }
        let run = match found {
            Ok(run) => run,
            Err(why) => {
                done.gap = Some(why.to_string());
                continue;
            }
        };
        let comparison = Comparison {
            program,
            node,
            lowered: &lowered,
            instances: &unrolled.instances,
            values: Values::new(program, &unrolled.observed, &run),
            assertions: &unrolled.assertions,
        };
        comparison.run(steps, &mut done)?;
    }
    Ok(done)
}

/// One run in both semantics.
struct Comparison<'c> {
    program: &'c Program,
    node: NodeId,
    lowered: &'c Lowered,
    instances: &'c [InstanceStreams],
    values: Values<'c>,
    assertions: &'c [Term],
}

impl Comparison<'_> {
    fn run(&self, steps: usize, done: &mut CrossCheck) -> Result<(), String> {
        let gap = || Some("a value of the run is not rational".to_owned());
        let mut consts = std::collections::HashMap::new();
        for (id, shape) in &self.lowered.consts {
            let Some(value) = self.values.value(shape, 0) else {
                done.gap = gap();
                return Ok(());
            };
            consts.insert(*id, value);
        }
        let mut simulator = Simulator::new(self.program, self.node, consts);
        let (choices, unknowns) = (&self.lowered.choices, &self.lowered.unknowns);
        let mut oracle = RunOracle::new(&self.values, choices, unknowns);
        for step in 0..steps {
            let inputs = self.lowered.inputs.iter();
            let inputs: Option<Vec<Value>> =
                inputs.map(|shape| self.values.value(shape, step)).collect();
            let Some(inputs) = inputs else {
                done.gap = gap();
                return Ok(());
            };
            match simulator.step(&inputs, &mut oracle) {
                Ok(()) => {}
                Err(error @ SimError::UnknownOperation { .. }) => {
                    done.gap = Some(error.to_string());
                    return Ok(());
                }
                Err(error) => return Err(format!("step {step}: {error}")),
            }
            done.values += self.streams(&simulator, step)?;
            done.broken += usize::from(self.breaks(&mut simulator, &mut oracle, step)?);
        }
        done.runs += 1;
        Ok(())
    }

    /// Compares all streams of all instances at a step.
    fn streams(&self, simulator: &Simulator, step: usize) -> Result<usize, String> {
        let mut equal = 0;
        for instance in self.instances {
            let ticks = self.holds(&instance.tick, step) == Some(true);
            let mut id = self.node;
            for part in &instance.path {
                id = self.program.node(id).call(part.call).node;
            }
            let declared = self.program.node(id);
            for (var, shape) in declared.var_ids().zip(&instance.values) {
                let own = simulator.value_at(&instance.path, var);
                let name = || format!("`{}` of `{}`", declared.var(var).name, declared.name);
                if own.is_some() != ticks {
                    return Err(format!("step {step}: {} runs in one only", name()));
                }
                let (Some(own), Some(other)) = (own, self.values.value(shape, step)) else {
                    continue;
                };
                if *own != other {
                    return Err(format!(
                        "step {step}: {} is {own} in the interpreter, {other} in the system",
                        name()
                    ));
                }
                equal += 1;
            }
        }
        Ok(equal)
    }

    /// Is an assertion broken? Both must agree.
    fn breaks(
        &self,
        simulator: &mut Simulator,
        oracle: &mut dyn Oracle,
        step: usize,
    ) -> Result<bool, String> {
        let mut own = false;
        for (path, id) in simulator.active() {
            for assertion in &self.program.node(id).asserts {
                match simulator.eval_at(&path, &assertion.expr, oracle) {
                    Ok(value) => own |= value == Some(Value::Bool(false)),
                    // A quantifier that only a solver can evaluate.
                    Err(_) => return Ok(false),
                }
            }
        }
        let mut other = false;
        for assertion in self.assertions {
            match self.holds(assertion, step) {
                Some(holds) => other |= !holds,
                None => return Ok(false),
            }
        }
        match own == other {
            true => Ok(own),
            false => Err(format!(
                "step {step}: an assertion is broken in the {} only",
                if own { "interpreter" } else { "system" }
            )),
        }
    }

    fn holds(&self, term: &Term, step: usize) -> Option<bool> {
        let shape = Shape::Leaf(term.clone(), Leaf::Bool);
        self.values.value(&shape, step)?.as_bool()
    }
}
