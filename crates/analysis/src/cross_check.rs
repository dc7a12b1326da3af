//! The two semantics against each other: runs of the unrolled system give, in
//! the interpreter, the same value of every stream at every step.

use std::sync::Arc;

use engines::{Observation, Run};
use lang::{NodeId, Program, Value};
use lower::{Leaf, Lowered, Shape};
use num_bigint::BigInt;
use sim::Simulator;
use smt::{Answer, Limits, Solver, Z3};
use syntax::SourceMap;
use system::{Kind, Term};

use crate::replay::{self, Chosen, Values};

/// What was compared.
#[derive(Clone, Copy, Debug, Default)]
pub struct CrossCheck {
    pub runs: usize,
    pub values: usize,
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
    for _ in 0..runs {
        let Some(run) = unrolled.random_run(&mut random) else {
            continue;
        };
        done.values += compare(program, node, &lowered, &unrolled.observed, &run)?;
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
}

impl Unrolled {
    fn new(lowered: &Lowered, steps: usize) -> Unrolled {
        let system = Arc::new(lowered.system.clone());
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
        for constraint in &system.constraints {
            for step in 0..steps {
                solver.assert(&constraint.term, step);
            }
        }
        let mut observations = replay::observed(lowered);
        let free = observations.observed.len();
        for instance in &lowered.instances {
            observations.add(&Shape::Leaf(instance.tick.clone(), Leaf::Bool));
            for shape in &instance.values {
                observations.add(shape);
            }
        }
        Unrolled {
            solver,
            observed: observations.observed,
            free,
            steps,
        }
    }

    /// Fixes some inputs to random values, as far as the constraints allow,
    /// and lets the solver find the rest.
    fn random_run(&mut self, random: &mut Random) -> Option<Run> {
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
        let mut answer = self.solver.check(&literals);
        while answer == Answer::Unsat && !literals.is_empty() {
            let core = self.solver.core();
            if core.is_empty() {
                break;
            }
            literals.retain(|literal| !core.contains(literal));
            answer = self.solver.check(&literals);
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

fn compare(
    program: &Program,
    node: NodeId,
    lowered: &Lowered,
    observed: &[Observation],
    run: &Run,
) -> Result<usize, String> {
    let values = Values::new(program, observed, run);
    let mut consts = std::collections::HashMap::new();
    for (id, shape) in &lowered.consts {
        match values.value(shape, 0) {
            Some(value) => consts.insert(*id, value),
            None => return Ok(0),
        };
    }
    let mut simulator = Simulator::new(program, node, consts);
    let mut oracle = Chosen {
        values: &values,
        lowered,
    };
    let mut count = 0;
    for step in 0..run.steps.len() {
        let inputs: Option<Vec<Value>> = lowered
            .inputs
            .iter()
            .map(|shape| values.value(shape, step))
            .collect();
        let Some(inputs) = inputs else { return Ok(0) };
        simulator
            .step(&inputs, &mut oracle)
            .map_err(|error| format!("step {step}: {error}"))?;
        for instance in &lowered.instances {
            let tick = Shape::Leaf(instance.tick.clone(), Leaf::Bool);
            let ticks = values.value(&tick, step) == Some(Value::Bool(true))
                || instance.tick == system::boolean(true);
            let mut id = node;
            for part in &instance.path {
                id = program.node(id).call(part.call).node;
            }
            let declared = program.node(id);
            for (var, shape) in declared.var_ids().zip(&instance.values) {
                let own = simulator.value_at(&instance.path, var);
                let name = || format!("`{}` of `{}`", declared.var(var).name, declared.name);
                if own.is_some() != ticks {
                    return Err(format!("step {step}: {} runs in one only", name()));
                }
                let (Some(own), Some(other)) = (own, values.value(shape, step)) else {
                    continue;
                };
                if *own != other {
                    return Err(format!(
                        "step {step}: {} is {own} in the interpreter, {other} in the system",
                        name()
                    ));
                }
                count += 1;
            }
        }
    }
    Ok(count)
}
