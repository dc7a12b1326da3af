//! Runs of the unrolled system, from a solver.
//!
//! A run gets wishes: random values for some of the inputs, constants and choices at each step, as
//! assumptions of a query. A wish that a constraint on its variable alone rules out is not made,
//! since each would cost a query. Where the wishes contradict the constraints, those in the unsat
//! core are dropped, and every few rounds half of the rest, so that a run takes few queries however
//! many wishes there are.
//!
//! Queries are about a window of a few steps, which starts in the state that the model of the query
//! before leads to. Most runs are found with a window of one step. Where a run gets stuck, its last
//! steps are looked for again in a window that has the next one too. Where steps share functions or
//! arrays, the window has all steps.

use std::collections::HashMap;
use std::fmt;
use std::ops::Range;
use std::sync::Arc;
use std::time::Duration;

use engines::{Observation, Run};
use lower::{InstanceStreams, Leaf, Lowered, Shape};
use num_bigint::BigInt;
use smt::{Answer, Limits, Literal, Scalar, Solver, SolverContext, Z3};
use system::{ElementKind, Kind, Random, Role, Sort, System, Term, Var, substitute, subterms};

use crate::run_values;

/// Systems with more variables are unrolled with a variable for each stream:
/// values of inlined terms take too long to read from a model.
const MANY_VARIABLES: usize = 2000;
/// The limit of a query.
const TIME: Duration = Duration::from_secs(60);
/// After this many rounds half of the wishes are dropped; in every round, where there are many.
const ROUNDS: usize = 8;
const MANY_WISHES: usize = 256;
/// How many random values are tried to find one that no constraint rules out.
const DRAWS: usize = 4;

pub(super) struct Unrolled {
    system: Arc<System>,
    solver: Z3,
    /// How many steps a query is about.
    window: usize,
    /// Inputs, constants and choices first, then assertions, ticks and streams.
    pub observed: Vec<Observation>,
    free: usize,
    steps: usize,
    pub assertions: Vec<Term>,
    /// In the form of the system that is unrolled.
    pub instances: Vec<InstanceStreams>,
    /// Constraints on single variables, and assertions on single variables.
    ranges: Ranges,
    asserted_ranges: Ranges,
}

type Values = Vec<Option<Scalar>>;

/// Why there is no run.
pub(super) enum NoRun {
    /// The constraints have no run, even without wishes.
    Contradiction,
    Unknown(String),
}

impl fmt::Display for NoRun {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            NoRun::Contradiction => f.write_str("there is no run of so many steps"),
            NoRun::Unknown(why) => write!(f, "the solver finds no run: {why}"),
        }
    }
}

impl Unrolled {
    pub fn new(lowered: &Lowered, steps: usize) -> Unrolled {
        let (system, instances) = match lowered.tagged.vars.len() > MANY_VARIABLES {
            true => (&lowered.tagged, lowered.instances.clone()),
            false => (&lowered.system, lowered.reduced_instances()),
        };
        let assertions = system.constraints.iter();
        let assertions = assertions.filter(|c| is_assertion(system, c));
        let assertions: Vec<Term> = assertions.map(|c| c.term.clone()).collect();
        let mut observations = run_values::observed(lowered);
        let free = observations.observed.len();
        for assertion in &assertions {
            observations.add(&Shape::Leaf(assertion.clone(), Leaf::Bool));
        }
        crate::path::observe(&instances, &mut observations);
        let constraints = lowered.system.constraints.iter();
        let (own, rest): (Vec<_>, Vec<_>) =
            constraints.partition(|c| is_assertion(&lowered.system, c));
        let system = Arc::new(system.clone());
        let mut solver = Z3::new(&SolverContext::default(), system.clone());
        solver.limit(Limits {
            time: Some(TIME),
            ..Limits::default()
        });
        Unrolled {
            window: if separable(&system) { 1 } else { steps },
            system,
            solver,
            observed: observations.observed,
            free,
            steps,
            assertions,
            instances,
            ranges: Ranges::of(rest.into_iter().map(|c| &c.term)),
            asserted_ranges: Ranges::of(own.into_iter().map(|c| &c.term)),
        }
    }

    /// Random values of inputs, constants and choices, as far as the constraints
    /// allow, and what follows from them.
    pub fn random_run(&mut self, random: &mut Random, asserted: bool) -> Result<Run, NoRun> {
        let mut steps = Vec::new();
        // The values of the state at each step, as far as they are fixed.
        let mut known = vec![self.initial()];
        while steps.len() < self.steps {
            let start: usize = steps.len();
            let end = self.steps.min(start + self.window);
            self.solver.push();
            self.unroll(&known[start], start..end, asserted);
            let wishes = self.wishes(random, asserted, start..end);
            let found = self.satisfy(wishes);
            if found.is_ok() {
                // Later steps of the window are searched again with the next window.
                let last = if end == self.steps { end } else { start + 1 };
                steps.extend((start..last).map(|step| self.values(step)));
                known.push(self.successor(start));
            }
            self.solver.pop();
            match found {
                Ok(()) => {}
                // The state that the steps before lead to has no next step: they are searched
                // again, together with this one.
                Err(NoRun::Contradiction) if start > 0 => {
                    let back = start - self.window.min(start);
                    self.window = end - back;
                    steps.truncate(back);
                    known.truncate(back + 1);
                }
                Err(why) => return Err(why),
            }
        }
        Ok(Run { steps, case: None })
    }

    /// Asserts some steps, the first of which is in a state that satisfies `known`.
    fn unroll(&mut self, known: &[Term], steps: Range<usize>, asserted: bool) {
        for fact in known {
            self.solver.assert(fact, steps.start);
        }
        for step in steps.clone() {
            self.constrain(step, asserted);
            if step + 1 < steps.end {
                for (current, next) in self.transition() {
                    self.solver.assert_next(&current, &next, step);
                }
            }
        }
    }

    fn initial(&self) -> Vec<Term> {
        let states = self.system.state_vars().filter_map(|(var, declared)| {
            let current = system::var(var, declared.sort.clone());
            Some(system::eq(&current, declared.init.as_ref()?))
        });
        states.collect()
    }

    /// State variables with their next values.
    fn transition(&self) -> Vec<(Term, Term)> {
        let states = self.system.state_vars().filter_map(|(var, declared)| {
            let current = system::var(var, declared.sort.clone());
            Some((current, declared.next.clone()?))
        });
        states.collect()
    }

    /// The values of states and constants at the next step, in the model.
    fn successor(&mut self, step: usize) -> Vec<Term> {
        let free = self.observed[..self.free].iter().map(|o| &o.term);
        let constants = free.filter(|term| self.is_constant(term));
        let constants = constants.map(|term| (term.clone(), term.clone()));
        let mut all = self.transition();
        all.extend(constants);
        let mut facts = Vec::new();
        for (current, next) in all {
            let value = self.solver.value(&next, step);
            let value = value.and_then(|value| value.term(current.sort()));
            facts.extend(value.map(|value| system::eq(&current, &value)));
        }
        facts
    }

    fn is_constant(&self, term: &Term) -> bool {
        matches!(term.kind(), Kind::Var(var) if self.system.var(*var).role == Role::Constant)
    }

    /// Asserts the definitions and constraints at a step.
    fn constrain(&mut self, step: usize, asserted: bool) {
        for (var, declared) in self.system.vars.iter().enumerate() {
            if let Some(definition) = &declared.def {
                let stream = system::var(Var(var as u32), declared.sort.clone());
                let equation = system::eq(&stream, &definition.term);
                self.solver.assert(&equation, step);
            }
        }
        for constraint in &self.system.constraints {
            if asserted || !is_assertion(&self.system, constraint) {
                self.solver.assert(&constraint.term, step);
            }
        }
    }

    fn wishes(&mut self, random: &mut Random, asserted: bool, steps: Range<usize>) -> Vec<Literal> {
        let mut literals = Vec::new();
        for at in 0..self.free {
            let term = self.observed[at].term.clone();
            for step in steps.clone() {
                if random.below(2) == 0 {
                    continue;
                }
                let allows = |value: &Term| {
                    self.ranges.allow(&term, value)
                        && (!asserted || self.asserted_ranges.allow(&term, value))
                };
                let mut drawn = (0..DRAWS).filter_map(|_| draw(&term, random));
                if let Some(value) = drawn.find(allows) {
                    let literal = self.solver.literal();
                    let wish = system::eq(&term, &value);
                    self.solver.assert_if(literal, &wish, step);
                    literals.push(literal);
                }
            }
        }
        // Which wishes are dropped does not depend on the order of variables.
        random.shuffle(&mut literals);
        literals
    }

    /// Looks for a model with as many wishes as the constraints allow.
    fn satisfy(&mut self, mut wishes: Vec<Literal>) -> Result<(), NoRun> {
        let mut round = 0;
        loop {
            round += 1;
            match self.solver.check(&wishes) {
                Answer::Sat => return Ok(()),
                Answer::Unsat if wishes.is_empty() => return Err(NoRun::Contradiction),
                Answer::Unknown(why) if wishes.is_empty() => return Err(NoRun::Unknown(why)),
                Answer::Unsat => {
                    let core = self.solver.core();
                    wishes.retain(|literal| !core.contains(literal));
                    if round % ROUNDS == 0 || wishes.len() > MANY_WISHES {
                        wishes.truncate(wishes.len() / 2);
                    }
                }
                Answer::Unknown(_) => wishes.truncate(wishes.len() / 2),
            }
        }
    }

    /// The values of all that is observed at a step, in the model.
    fn values(&mut self, step: usize) -> Values {
        let observed = self.observed.iter();
        observed.map(|o| o.value(&mut self.solver, step)).collect()
    }
}

/// Do steps share no more than values of scalars? Functions are the same at all
/// steps, and an array has no value that is a term.
fn separable(system: &System) -> bool {
    let vars = system.vars.iter();
    let definitions = vars.clone().flat_map(|var| &var.def).map(|def| &def.term);
    let states = vars.flat_map(|var| var.init.iter().chain(&var.next));
    let constraints = system.constraints.iter().map(|c| &c.term);
    let all = definitions.chain(states).chain(constraints);
    subterms(all.cloned()).all(|term| {
        !matches!(term.kind(), Kind::Apply(..)) && !matches!(term.sort(), Sort::Array(_))
    })
}

fn is_assertion(system: &System, constraint: &system::Constraint) -> bool {
    let kind = constraint.element.map(|id| system.element(id).kind);
    kind == Some(ElementKind::Assertion)
}

/// The constraints on single variables.
struct Ranges(HashMap<Var, Vec<Term>>);

impl Ranges {
    fn of<'t>(constraints: impl Iterator<Item = &'t Term>) -> Ranges {
        let mut ranges: HashMap<Var, Vec<Term>> = HashMap::new();
        let mut open: Vec<Term> = constraints.cloned().collect();
        while let Some(term) = open.pop() {
            match (term.kind(), term.vars().as_slice()) {
                (Kind::And(all), _) => open.extend(all.iter().cloned()),
                (_, [var]) => ranges.entry(*var).or_default().push(term),
                _ => {}
            }
        }
        Ranges(ranges)
    }

    /// Do the constraints on the variable alone allow the value?
    fn allow(&self, term: &Term, value: &Term) -> bool {
        let Kind::Var(var) = term.kind() else {
            return true;
        };
        let map = HashMap::from([(term.clone(), value.clone())]);
        let known = self.0.get(var).into_iter().flatten();
        let mut demands = known.map(|demand| substitute(demand, &map));
        demands.all(|demand| *demand.kind() != Kind::Bool(false))
    }
}

/// A random value for a free variable.
fn draw(term: &Term, random: &mut Random) -> Option<Term> {
    if !matches!(term.kind(), Kind::Var(_)) {
        return None;
    }
    let small = BigInt::from(random.below(21)) - 10;
    Some(match term.sort() {
        Sort::Bool => system::boolean(random.below(2) == 0),
        Sort::Int => system::integer(small),
        Sort::Real => {
            let denominator = BigInt::from(random.below(4) + 1);
            system::real(num_rational::BigRational::new(small, denominator))
        }
        Sort::BitVec(width) => system::bitvec(*width, &BigInt::from(random.number())),
        Sort::Array(_) => return None,
    })
}
