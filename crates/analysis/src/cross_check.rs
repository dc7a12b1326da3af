//! The two semantics against each other: runs of the unrolled system give, in
//! the interpreter, the same value of every stream at every step.

use std::sync::Arc;

use engines::{Observation, Run};
use lang::{NodeId, Program, Value};
use lower::{InstanceStreams, Leaf, Lowered, Shape};
use num_bigint::BigInt;
use sim::{Oracle, Simulator};
use smt::{Answer, Limits, Literal, Solver, Z3};
use syntax::SourceMap;
use system::{ElementKind, Kind, Term, Var};

use crate::replay::{self, Chosen, Values};

/// What was compared.
#[derive(Clone, Copy, Debug, Default)]
pub struct CrossCheck {
    pub runs: usize,
    pub values: usize,
    /// Steps at which an assertion is broken, in both.
    pub broken: usize,
}

/// Compares `runs` random runs of `steps` steps; `Err` names the first
/// difference. Runs that the solver cannot find in time are left out.
pub fn cross_check(
    program: &Program,
    sources: &SourceMap,
    node: NodeId,
    runs: usize,
    steps: usize,
    seed: u64,
) -> Result<CrossCheck, String> {
    let options = lower::Options {
        all_streams: true,
        ..lower::Options::default()
    };
    let Ok(lowered) = lower::lower(program, sources, node, &options) else {
        return Ok(CrossCheck::default());
    };
    let mut unrolled = Unrolled::new(&lowered, steps);
    let mut random = Random(seed);
    let mut done = CrossCheck::default();
    for at in 0..runs {
        // Every other run may break assertions.
        let asserted = at % 2 == 0 || unrolled.assertions.is_empty();
        let Some(run) = unrolled.random_run(&mut random, asserted) else {
            continue;
        };
        let comparison = Comparison {
            program,
            node,
            lowered: &lowered,
            instances: &unrolled.instances,
            values: Values::new(program, &unrolled.observed, &run),
            assertions: &unrolled.assertions,
        };
        let (values, broken) = comparison.run(steps)?;
        done.values += values;
        done.broken += broken;
        done.runs += 1;
    }
    Ok(done)
}

/// A small generator of numbers that are random enough.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    fn below(&mut self, n: u64) -> u64 {
        self.next() % n
    }
}

struct Unrolled {
    solver: Z3,
    /// Inputs, constants and choices first, then ticks and streams.
    observed: Vec<Observation>,
    free: usize,
    steps: usize,
    /// The assertions hold.
    asserted: Literal,
    assertions: Vec<Term>,
    /// In the form of the system that is unrolled.
    instances: Vec<InstanceStreams>,
}

/// Systems with more variables are unrolled with a variable for each stream:
/// values of inlined terms take too long to read from a model.
const MANY_VARIABLES: usize = 2000;

impl Unrolled {
    fn new(lowered: &Lowered, steps: usize) -> Unrolled {
        let (system, instances) = match lowered.tagged.vars.len() > MANY_VARIABLES {
            true => (&lowered.tagged, lowered.instances.clone()),
            false => (&lowered.system, lowered.reduced_instances()),
        };
        let system = Arc::new(system.clone());
        let mut solver = Z3::new(system.clone());
        solver.limit(Limits {
            time: Some(std::time::Duration::from_secs(2)),
            resources: None,
        });
        for (var, declared) in system.state_vars() {
            let current = system::var(var, declared.sort.clone());
            if let Some(init) = &declared.init {
                solver.assert(&system::eq(&current, init), 0);
            }
            if let Some(next) = &declared.next {
                for step in 0..steps - 1 {
                    solver.assert_next(&current, next, step);
                }
            }
        }
        for (var, declared) in system.vars.iter().enumerate() {
            if let Some(definition) = &declared.def {
                let stream = system::var(Var(var as u32), declared.sort.clone());
                for step in 0..steps {
                    solver.assert(&system::eq(&stream, &definition.term), step);
                }
            }
        }
        let asserted = solver.literal();
        let mut assertions = Vec::new();
        for constraint in &system.constraints {
            let kind = constraint.element.map(|id| system.element(id).kind);
            let is_assertion = kind == Some(ElementKind::Assertion);
            for step in 0..steps {
                match is_assertion {
                    true => solver.assert_if(asserted, &constraint.term, step),
                    false => solver.assert(&constraint.term, step),
                }
            }
            if is_assertion {
                assertions.push(constraint.term.clone());
            }
        }
        let mut observations = replay::observed(lowered);
        let free = observations.observed.len();
        for assertion in &assertions {
            observations.add(&Shape::Leaf(assertion.clone(), Leaf::Bool));
        }
        crate::path::observe(&instances, &mut observations);
        Unrolled {
            solver,
            observed: observations.observed,
            free,
            steps,
            asserted,
            assertions,
            instances,
        }
    }

    /// Fixes some inputs to random values, as far as the constraints allow,
    /// and lets the solver find the rest.
    fn random_run(&mut self, random: &mut Random, asserted: bool) -> Option<Run> {
        self.solver.push();
        let mut literals = Vec::new();
        for at in 0..self.free {
            let term = self.observed[at].term.clone();
            for step in 0..self.steps {
                if random.below(2) == 0
                    && let Some(wish) = wish(&term, random)
                {
                    let literal = self.solver.literal();
                    self.solver.assert_if(literal, &wish, step);
                    literals.push(literal);
                }
            }
        }
        let fixed: Vec<Literal> = asserted.then_some(self.asserted).into_iter().collect();
        let mut answer = self.solver.check(&[&fixed[..], &literals].concat());
        while answer == Answer::Unsat && !literals.is_empty() {
            let core = self.solver.core();
            if core.is_empty() {
                break;
            }
            literals.retain(|literal| !core.contains(literal));
            answer = self.solver.check(&[&fixed[..], &literals].concat());
        }
        let run = (answer == Answer::Sat).then(|| {
            let steps = (0..self.steps).map(|step| {
                let values = self.observed.iter();
                values.map(|o| o.value(&mut self.solver, step)).collect()
            });
            Run {
                steps: steps.collect(),
                case: None,
            }
        });
        self.solver.pop();
        run
    }
}

/// A random value for a free variable.
fn wish(term: &Term, random: &mut Random) -> Option<Term> {
    if !matches!(term.kind(), Kind::Var(_)) {
        return None;
    }
    let small = BigInt::from(random.below(21)) - 10;
    let value = match term.sort() {
        system::Sort::Bool => system::boolean(random.below(2) == 0),
        system::Sort::Int => system::integer(small),
        system::Sort::Real => {
            let denominator = BigInt::from(random.below(4) + 1);
            system::real(num_rational::BigRational::new(small, denominator))
        }
        system::Sort::BitVec(width) => system::bitvec(*width, &BigInt::from(random.next())),
        system::Sort::Array(_) => return None,
    };
    Some(system::eq(term, &value))
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
    /// How many values are equal, and at how many steps assertions are broken.
    fn run(&self, steps: usize) -> Result<(usize, usize), String> {
        let mut consts = std::collections::HashMap::new();
        for (id, shape) in &self.lowered.consts {
            match self.values.value(shape, 0) {
                Some(value) => consts.insert(*id, value),
                None => return Ok((0, 0)),
            };
        }
        let mut simulator = Simulator::new(self.program, self.node, consts);
        let mut oracle = Chosen {
            values: &self.values,
            choices: &self.lowered.choices,
        };
        let (mut equal, mut broken) = (0, 0);
        for step in 0..steps {
            let inputs = self.lowered.inputs.iter();
            let inputs: Option<Vec<Value>> =
                inputs.map(|shape| self.values.value(shape, step)).collect();
            let Some(inputs) = inputs else {
                return Ok((equal, broken));
            };
            simulator
                .step(&inputs, &mut oracle)
                .map_err(|error| format!("step {step}: {error}"))?;
            equal += self.streams(&simulator, step)?;
            broken += usize::from(self.breaks(&mut simulator, &mut oracle, step)?);
        }
        Ok((equal, broken))
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
