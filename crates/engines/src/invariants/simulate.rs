//! Random runs of a system.
//!
//! They are the cheapest reachable states there are, and refute most wrong
//! candidates before a solver is asked. Inputs are drawn from the constants of
//! the system and their neighbours, where its conditions change, and are often
//! held for a while, so that timers get somewhere. Latches, Booleans that never
//! hold again once they do not, are kept up where that is possible: what comes
//! after they have fallen is of little interest.

use num_bigint::BigInt;
use num_integer::Integer;
use num_rational::BigRational;
use num_traits::One;
use proof::Cone;
use smt::Scalar;
use system::{Role, Sort, System, Term, Var, eq};

use super::eval::{Program, State, Values, is_true};
use super::mine::Constants;

/// How often inputs are drawn for a step before the run ends.
const TRIES: usize = 12;

/// A small generator of numbers that are random enough.
pub(crate) struct Random(pub u64);

impl Random {
    pub fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 33) as usize % bound.max(1)
    }
}

pub(crate) struct Simulation<'a> {
    system: &'a System,
    program: Program,
    /// State variables, with the positions of their next values.
    states: Vec<(Var, usize)>,
    constraints: Vec<usize>,
    /// What is free at each step.
    inputs: Vec<Var>,
    constants: &'a Constants,
    /// The next values of Booleans that are to hold.
    latches: Vec<usize>,
    random: Random,
}

impl<'a> Simulation<'a> {
    pub fn new(system: &'a System, cone: &Cone, constants: &'a Constants) -> Simulation<'a> {
        let mut program = Program::default();
        let states = cone.states.iter();
        let states = states.map(|(var, _, next)| (*var, program.add(next)));
        let states: Vec<(Var, usize)> = states.collect();
        let constraints = cone.constraints.iter().map(|term| program.add(term));
        let constraints: Vec<usize> = constraints.collect();
        let vars = (0..system.vars.len()).map(|at| Var(at as u32));
        let inputs = vars.filter(|var| system.var(*var).role == Role::Input);
        Simulation {
            system,
            inputs: inputs.collect(),
            program,
            states,
            constraints,
            constants,
            latches: Vec::new(),
            random: Random(0x9E37_79B9_7F4A_7C15),
        }
    }

    /// From here on the Booleans are kept up.
    pub fn keep_up(&mut self, latches: &[Var]) {
        let states = self.states.iter();
        let latches = states.filter(|(var, _)| latches.contains(var));
        self.latches = latches.map(|(_, at)| *at).collect();
    }

    /// How much a step costs.
    pub fn size(&self) -> usize {
        self.program.len() + self.inputs.len() + 1
    }

    /// The states of a run of at most so many steps.
    pub fn run(&mut self, steps: usize) -> Vec<State> {
        let mut run = Vec::new();
        let hold = self.random.below(4);
        // What happens when latches fall is to be seen, too, early or late.
        let falling = self.random.below(2 * steps);
        let mut state = self.start();
        for step in 0..steps {
            let Some(values) = self.choose(&mut state, hold, step < falling) else {
                break;
            };
            let mut next = state.clone();
            for (var, at) in &self.states {
                next.set(*var, values[*at].clone());
            }
            run.push(std::mem::replace(&mut state, next));
        }
        run
    }

    /// The state after this one, with inputs that the constraints allow.
    pub fn successor(&mut self, state: &State, same_inputs: bool) -> Option<State> {
        let mut state = state.clone();
        let values = match same_inputs {
            true => self.program.eval(&state),
            false => self.choose(&mut state, 0, false)?,
        };
        let mut next = state.clone();
        for (var, at) in &self.states {
            next.set(*var, values[*at].clone());
        }
        self.choose(&mut next, 0, false)?;
        Some(next)
    }

    /// Random values of some inputs, as conditions.
    pub fn wishes(&mut self, count: usize) -> Vec<Term> {
        let mut wishes = Vec::new();
        for _ in 0..count.min(4 * self.inputs.len()) {
            let var = self.inputs[self.random.below(self.inputs.len())];
            let sort = &self.system.var(var).sort;
            let value = self.draw(sort);
            if let Some(value) = value.and_then(|value| value.term(sort)) {
                let own = system::var(var, sort.clone());
                wishes.push(eq(&own, &value));
            }
        }
        wishes
    }

    fn start(&mut self) -> State {
        let mut state = State(vec![None; self.system.vars.len()]);
        for at in 0..self.system.vars.len() {
            let var = Var(at as u32);
            let sort = &self.system.var(var).sort;
            let value = self.draw(sort);
            state.set(var, value);
        }
        let mut program = Program::default();
        let states: Vec<Var> = self.states.iter().map(|(var, _)| *var).collect();
        let starts: Vec<(Var, usize)> = states
            .iter()
            .filter_map(|var| Some((*var, program.add(self.system.var(*var).init.as_ref()?))))
            .collect();
        let values = program.eval(&state);
        for (var, at) in starts {
            state.set(var, values[at].clone());
        }
        state
    }

    /// Draws inputs until the constraints and, if asked for and possible, the
    /// latches hold; gives back the values of the step.
    fn choose(&mut self, state: &mut State, hold: usize, keep_up: bool) -> Option<Values> {
        let mut allowed = None;
        for _ in 0..TRIES {
            let mut drawn = state.clone();
            self.draw_inputs(&mut drawn, hold);
            let values = self.program.eval(&drawn);
            if !self.constraints.iter().all(|at| is_true(&values[*at])) {
                continue;
            }
            let kept = !keep_up || self.latches.iter().all(|at| is_true(&values[*at]));
            allowed = Some((drawn, values));
            if kept {
                break;
            }
        }
        let (drawn, values) = allowed?;
        *state = drawn;
        Some(values)
    }

    fn draw_inputs(&mut self, state: &mut State, hold: usize) {
        // Few events at a time, or many.
        let sparse = 1 + self.random.below(8);
        let often = self.random.below(3) == 0;
        for at in 0..self.inputs.len() {
            let var = self.inputs[at];
            if state.get(var).is_some() && hold > 0 && self.random.below(hold + 1) > 0 {
                continue;
            }
            let value = match &self.system.var(var).sort {
                Sort::Bool => Some(Scalar::Bool((self.random.below(sparse + 1) == 0) ^ often)),
                sort => self.draw(sort),
            };
            state.set(var, value);
        }
    }

    fn draw(&mut self, sort: &Sort) -> Option<Scalar> {
        match sort {
            Sort::Bool => Some(Scalar::Bool(self.random.below(2) == 0)),
            Sort::Int => Some(Scalar::Int(self.integer(sort))),
            Sort::Real => {
                let whole = self.integer(sort);
                let part = 1 + self.random.below(2);
                Some(Scalar::Real(BigRational::new(whole, part.into())))
            }
            Sort::BitVec(width) => {
                let value = self.integer(sort);
                let value = value.mod_floor(&(BigInt::one() << width));
                Some(Scalar::BitVec(value))
            }
            Sort::Array(_) => None,
        }
    }

    fn integer(&mut self, sort: &Sort) -> BigInt {
        let pool = self.constants.of(sort);
        let base = match self.random.below(3) {
            0 => BigInt::from(0),
            _ if pool.is_empty() => BigInt::from(0),
            _ => pool[self.random.below(pool.len())].to_integer(),
        };
        base + BigInt::from(self.random.below(5) as i64 - 2)
    }
}
