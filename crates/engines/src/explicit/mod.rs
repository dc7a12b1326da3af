//! Bounded model checking state by state.
//!
//! Where little can happen at a step, a puzzle say, the shortest run to a violation
//! may be long and yet pass few states: they are counted in thousands, while a
//! solver is lost among the runs. Here the states are computed and kept, those of a
//! depth before any that are deeper, each with the step that led to it.
//!
//! Nothing is learnt here from there being no violation: where variables have no first
//! value only one is tried (`explore.rs` is for that). A run that is found is built again by a solver, with
//! its inputs given, as any other engine's is.

mod explore;
mod machine;

use std::collections::{BTreeMap, HashSet};
use std::sync::Arc;

use num_traits::ToPrimitive;
use proof::{Cone, Unrolling};
use smt::{Answer, Solver, SolverContext};
use system::{Kind, PropertyId, Role, Sort, System, Term, Var, eq, integer};

use crate::blackboard::{Engine, Run, Verdict};
use crate::bmc;
use crate::job_board::JobBoard;
use crate::task::{Prover, Task};
use machine::{Machine, Place};

pub use explore::{Exploration, explore, is_explorable};

const ME: Engine = Engine::Bmc;

/// More ways to go on from a state than this, and states are too many.
const MAX_CHOICES: usize = 16;

/// How often streams are computed again.
const MAX_PASSES: usize = 8;

/// How many numbers are kept for all states together.
const MAX_NUMBERS: usize = 8_000_000;

/// A system whose states can be computed.
pub(crate) struct Space {
    machine: Machine,
    /// The numbers of variables, to have room for all.
    vars: usize,
    /// The parts of a state: where each comes from at the step before.
    parts: Vec<Place>,
    /// State variables, with the parts that they show; many may show one.
    states: Vec<(Var, usize)>,
    /// Streams that are defined by each other, with the places of their definitions.
    streams: Vec<(Var, Place)>,
    constraints: Vec<Place>,
    /// What decides each property.
    goals: Vec<(PropertyId, Place)>,
    /// All values that inputs can have at a step.
    choices: Vec<Vec<(Var, i64)>>,
    start: Arc<[i64]>,
}

impl Space {
    /// `None` if states cannot be computed here, or inputs are not few.
    pub fn new(system: &System, properties: &[PropertyId]) -> Option<Space> {
        let roots = properties.iter().map(|id| bmc::decisive(system, *id));
        let cone = Cone::of(system, roots.collect::<Vec<Term>>());
        let defined = definitions(system, &cone);
        let choices = choices(system, &cone, &defined)?;
        let mut machine = Machine::default();
        let mut streams = Vec::new();
        for (var, definition) in defined {
            streams.push((var, machine.add(&definition)?));
        }
        let mut parts: Vec<(Place, i64)> = Vec::new();
        let mut states = Vec::new();
        for ((var, _, next), first) in cone.states.iter().zip(start(system, &cone)?) {
            let part = (machine.add(next)?, first);
            let known = parts.iter().position(|other| *other == part);
            if known.is_none() {
                parts.push(part);
            }
            states.push((*var, known.unwrap_or(parts.len() - 1)));
        }
        let constraints = cone.constraints.iter().map(|term| machine.add(term));
        let constraints = constraints.collect::<Option<Vec<Place>>>()?;
        let goals = properties.iter().zip(&cone.roots);
        let goals = goals.map(|(id, term)| Some((*id, machine.add(term)?)));
        let goals = goals.collect::<Option<Vec<(PropertyId, Place)>>>()?;
        Some(Space {
            start: parts.iter().map(|(_, first)| *first).collect(),
            parts: parts.iter().map(|(place, _)| *place).collect(),
            vars: system.vars.len(),
            machine,
            states,
            streams,
            constraints,
            goals,
            choices,
        })
    }
}

impl Space {
    /// The values of all terms at a step. Streams that are defined by each other are
    /// computed again until they stay the same, if they do so soon.
    fn settle(
        &self,
        context: &SolverContext,
        vars: &mut [i64],
        values: &mut Vec<i64>,
    ) -> Option<()> {
        for _ in 0..=MAX_PASSES {
            context.burn(self.machine.len() as u64);
            self.machine.pass(vars, values)?;
            let mut stable = true;
            for (var, place) in &self.streams {
                let value = &mut vars[var.0 as usize];
                stable &= *value == values[*place];
                *value = values[*place];
            }
            if stable {
                return Some(());
            }
        }
        None
    }

    /// Hands on the values of all terms at each step from a state, by what is chosen;
    /// `None` where they cannot be computed.
    fn steps(
        &self,
        context: &SolverContext,
        state: &[i64],
        mut each: impl FnMut(usize, Option<&[i64]>),
    ) {
        let mut values = Vec::with_capacity(self.machine.len());
        let mut vars = vec![0; self.vars];
        for (var, part) in &self.states {
            vars[var.0 as usize] = state[*part];
        }
        for (choice, inputs) in self.choices.iter().enumerate() {
            for (var, value) in inputs {
                vars[var.0 as usize] = *value;
            }
            match self.settle(context, &mut vars, &mut values) {
                Some(()) => each(choice, Some(&values)),
                None => each(choice, None),
            }
        }
    }

    fn is_allowed(&self, values: &[i64]) -> bool {
        self.constraints.iter().all(|place| values[*place] == 1)
    }

    /// The state after a step.
    fn after(&self, values: &[i64]) -> Arc<[i64]> {
        self.parts.iter().map(|place| values[*place]).collect()
    }
}

/// The first values of the state variables.
fn start(system: &System, cone: &Cone) -> Option<Vec<i64>> {
    let mut machine = Machine::default();
    let mut places = Vec::new();
    for (var, ..) in &cone.states {
        let init = system.var(*var).init.as_ref();
        places.push(match init {
            Some(init) if init.vars().is_empty() => Some(machine.add(init)?),
            Some(_) => return None,
            None => None,
        });
    }
    let mut values = Vec::new();
    machine.pass(&[], &mut values)?;
    Some(
        places
            .iter()
            .map(|at| at.map_or(0, |at| values[at]))
            .collect(),
    )
}

/// What constraints say that variables are equal to.
fn definitions(system: &System, cone: &Cone) -> BTreeMap<Var, Term> {
    let mut found = BTreeMap::new();
    for term in &cone.constraints {
        let Kind::Eq(a, b) = term.kind() else {
            continue;
        };
        for (own, other) in [(a, b), (b, a)] {
            if let Kind::Var(var) = own.kind()
                && matches!(system.var(*var).role, Role::Stream | Role::Input)
                && !found.contains_key(var)
            {
                found.insert(*var, other.clone());
                break;
            }
        }
    }
    found
}

/// All variables, in order.
fn vars(cone: &Cone) -> Vec<Var> {
    let terms = cone.states.iter().map(|(_, _, next)| next);
    let terms = terms.chain(&cone.constraints).chain(&cone.roots);
    let mut vars: Vec<Var> = terms.flat_map(|term| term.vars()).collect();
    vars.sort();
    vars.dedup();
    vars
}

/// All values of the inputs together, if they are few.
fn choices(
    system: &System,
    cone: &Cone,
    defined: &BTreeMap<Var, Term>,
) -> Option<Vec<Vec<(Var, i64)>>> {
    let mut choices = vec![Vec::new()];
    for var in vars(cone) {
        let declared = system.var(var);
        let range = match (declared.role, &declared.sort) {
            (Role::State, Sort::Bool | Sort::Int) => continue,
            (_, Sort::Bool | Sort::Int) if defined.contains_key(&var) => continue,
            (Role::Input, Sort::Bool) => 0..=1,
            (Role::Input, Sort::Int) => range(var, &cone.constraints)?,
            _ => return None,
        };
        let count = range.end().checked_sub(*range.start())?.checked_add(1)?;
        let count = usize::try_from(count).ok()?;
        if choices.len().checked_mul(count)? > MAX_CHOICES {
            return None;
        }
        let longer = choices.iter().flat_map(|choice| {
            range.clone().map(|value| {
                let own = [(var, value)];
                choice.iter().copied().chain(own).collect()
            })
        });
        choices = longer.collect();
    }
    Some(choices)
}

/// The range that constraints give a variable.
fn range(var: Var, constraints: &[Term]) -> Option<std::ops::RangeInclusive<i64>> {
    let is_var = |term: &Term| *term.kind() == Kind::Var(var);
    let literal = |term: &Term| match term.kind() {
        Kind::Int(value) => value.to_i64(),
        _ => None,
    };
    let (mut low, mut high) = (None, None);
    let mut open: Vec<&Term> = constraints.iter().collect();
    while let Some(term) = open.pop() {
        match term.kind() {
            Kind::And(all) => open.extend(all.iter()),
            Kind::Le(a, b) if is_var(a) => high = high.into_iter().chain(literal(b)).min(),
            Kind::Le(a, b) if is_var(b) => low = low.into_iter().chain(literal(a)).max(),
            _ => {}
        }
    }
    Some(low?..=high?)
}

/// How a state was reached.
struct Visit {
    state: Arc<[i64]>,
    /// The visit before, and what was chosen there.
    from: Option<(usize, usize)>,
    depth: usize,
}

/// The states that are reached, each once, in the order of their depth.
struct Visits {
    seen: HashSet<Arc<[i64]>>,
    all: Vec<Visit>,
}

impl Visits {
    fn from(start: &Arc<[i64]>) -> Visits {
        Visits {
            seen: HashSet::from([start.clone()]),
            all: vec![Visit {
                state: start.clone(),
                from: None,
                depth: 0,
            }],
        }
    }

    /// Takes note of a state that a choice leads to, unless it is known.
    fn add(&mut self, at: usize, choice: usize, state: Arc<[i64]>) {
        if self.seen.insert(state.clone()) {
            self.all.push(Visit {
                state,
                from: Some((at, choice)),
                depth: self.all[at].depth + 1,
            });
        }
    }

    /// What is chosen on the way to a state, and there.
    fn chosen(&self, at: usize, choice: usize) -> Vec<usize> {
        let mut chosen = vec![choice];
        let mut visit = &self.all[at];
        while let Some((before, choice)) = visit.from {
            chosen.push(choice);
            visit = &self.all[before];
        }
        chosen.reverse();
        chosen
    }
}

/// Bounded model checking state by state.
pub(crate) struct StateByState(pub Space);

impl Prover for StateByState {
    fn run(&self, task: &Task, board: &JobBoard) {
        run(task, board, &self.0);
    }
}

/// Looks at all states in the order of their depth, as far as there is room.
fn run(task: &Task, board: &JobBoard, space: &Space) {
    let search = StateSearch { task, board, space };
    let max = task.settings.unrolling.max_depth;
    let mut visits = Visits::from(&space.start);
    let room = MAX_NUMBERS / (space.parts.len() + 1);
    for at in 0.. {
        let done = at == visits.all.len() || at > room;
        if done || board.stopped() || (max > 0 && visits.all[at].depth > max) {
            return;
        }
        let goals = &space.goals;
        if !goals.iter().any(|(id, _)| board.is_open(*id)) {
            return;
        }
        search.expand(&mut visits, at);
    }
}

struct StateSearch<'a> {
    task: &'a Task,
    board: &'a JobBoard,
    space: &'a Space,
}

impl StateSearch<'_> {
    /// Decides what steps from a state can decide, and adds the states after it.
    fn expand(&self, visits: &mut Visits, at: usize) {
        let space = self.space;
        let Visit { state, depth, .. } = &visits.all[at];
        let (state, depth) = (state.clone(), *depth);
        space.steps(&self.board.context, &state, |choice, values| {
            let Some(values) = values.filter(|values| space.is_allowed(values)) else {
                return;
            };
            for (id, goal) in &space.goals {
                let decides = values[*goal] == 1 && bmc::concerns(&self.task.system, *id, depth);
                if decides && self.board.is_open(*id) {
                    self.decide(*id, &visits.chosen(at, choice));
                }
            }
            visits.add(at, choice, space.after(values));
        });
    }

    /// Has a solver build the run with these choices.
    fn decide(&self, id: PropertyId, chosen: &[usize]) {
        let goal = bmc::decisive(&self.task.system, id);
        let cone = Cone::of(&self.task.system, [goal.clone()]);
        let mut unrolling = Unrolling::new(&self.board.context, &self.task.system, cone, true);
        for (step, choice) in chosen.iter().enumerate() {
            if step > 0 {
                unrolling.extend();
            }
            for (var, value) in &self.space.choices[*choice] {
                let given = given(&self.task.system, *var, *value);
                unrolling.solver.assert(&given, step);
            }
        }
        let last = unrolling.last();
        unrolling.solver.assert(&goal, last);
        let answer = self.board.ledger.ask(ME, &mut unrolling.solver, &[]);
        if answer == Answer::Sat {
            let run = Run::observed(&mut unrolling.solver, &self.task.observed, last);
            self.board.decide(id, ME, Verdict::Witness(run));
        }
    }
}

/// The variable has the value.
fn given(system: &System, var: Var, value: i64) -> Term {
    let sort = system.var(var).sort.clone();
    let own = system::var(var, sort.clone());
    match (sort, value) {
        (Sort::Bool, 0) => system::not(&own),
        (Sort::Bool, _) => own,
        _ => eq(&own, &integer(value)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::blackboard::Message;
    use system::{Property, StateVar, add, int_mod, ite, le, mul, not};

    /// `x = 1 -> if up then 3 * pre x mod 1009 else pre x + 7 mod 1009`; x is never
    /// the target.
    fn system(up: Sort, target: i64) -> System {
        let (x, input) = (
            system::var(Var(0), Sort::Int),
            system::var(Var(1), up.clone()),
        );
        let goes_up = match up {
            Sort::Bool => input.clone(),
            _ => eq(&input, &integer(1)),
        };
        let wrap = |term: Term| int_mod(&term, &integer(1009));
        let next = ite(
            &goes_up,
            &wrap(mul(&integer(3), &x)),
            &wrap(add([x.clone(), integer(7)])),
        );
        System {
            vars: vec![
                StateVar {
                    init: Some(integer(1)),
                    next: Some(next),
                    ..StateVar::new("x", Sort::Int, Role::State)
                },
                StateVar::new("up", up, Role::Input),
            ],
            properties: vec![property(not(&eq(&x, &integer(target))))],
            ..System::default()
        }
    }

    fn property(term: Term) -> Property {
        Property::invariant("never", term)
    }

    #[test]
    fn the_shortest_run_is_found() {
        // 1, 3, 9, 27, 34, 41, 123
        let system = Arc::new(system(Sort::Bool, 123));
        let space = Space::new(&system, &[PropertyId(0)]).expect("a space");
        let (board, findings) = JobBoard::of(1);
        let task = Task::of(&system, &[]);
        run(&task, &board, &space);
        let message = findings.try_recv().expect("a finding");
        let Message::Finding(finding) = message else {
            panic!("something else is asked for");
        };
        let Verdict::Witness(run) = finding.verdict else {
            panic!("{:?}", finding.verdict);
        };
        assert_eq!(run.steps.len(), 7);
    }

    #[test]
    fn integers_without_a_range_are_too_many() {
        let mut system = system(Sort::Int, 123);
        assert!(Space::new(&system, &[PropertyId(0)]).is_none());
        let input = system::var(Var(1), Sort::Int);
        for bound in [le(&integer(0), &input), le(&input, &integer(1))] {
            let element = None;
            let term = bound;
            system.constraints.push(system::Constraint {
                term,
                element,
                range: None,
            });
        }
        let space = Space::new(&system, &[PropertyId(0)]).expect("a space");
        assert_eq!(space.choices.len(), 2);
    }
}
