//! All states of a system, if they are few.
//!
//! Where all reachable states have been seen, an invariant that none of them violates
//! holds: there is nothing left to prove. That needs more than a search for violations
//! does: every state variable has a first value, every value at every step fits, and
//! nothing is defined by itself. Small errors in a model with counters and pointers that
//! wrap around are decided so in milliseconds, where induction needs invariants that
//! nobody has written down, and a solver is lost in the arithmetic of `mod`.

use smt::SolverContext;
use system::{PropertyId, PropertyKind, System, Term};

use super::{Space, Visits, given};

/// What the states of a system say about its invariants.
#[derive(Clone, Debug, Default)]
pub struct Exploration {
    /// By property that is violated: the inputs of a shortest run, step by step.
    pub violations: Vec<(PropertyId, Vec<Term>)>,
    /// All reachable states were seen: the other invariants hold.
    pub complete: bool,
}

/// Looks at the states of a system in the order of their depth, with so much work at most,
/// and while it is wanted; `None` if they cannot be computed, or inputs are not few.
pub fn explore(
    context: &SolverContext,
    system: &System,
    work: u64,
    wanted: &dyn Fn() -> bool,
) -> Option<Exploration> {
    let is_invariant = |id: &PropertyId| system.property(*id).kind == PropertyKind::Invariant;
    let properties = (0..system.properties.len()).map(PropertyId);
    let properties: Vec<PropertyId> = properties.filter(is_invariant).collect();
    let space = Space::new(system, &properties)?;
    let starts = |(var, _): &(system::Var, usize)| system.var(*var).init.is_some();
    let mut exploring = Exploring {
        context,
        system,
        visits: Visits::from(&space.start),
        found: Exploration {
            violations: Vec::new(),
            complete: space.streams.is_empty() && space.states.iter().all(starts),
        },
        space,
    };
    exploring.run(work, wanted);
    Some(exploring.found)
}

/// Can the states of a system be computed, with few choices at each step?
pub fn is_explorable(system: &System) -> bool {
    let all: Vec<PropertyId> = (0..system.properties.len()).map(PropertyId).collect();
    Space::new(system, &all).is_some()
}

/// What it costs to keep a state, in operations of the machine.
const STORAGE: u64 = 100;

/// How many states are looked at between two looks at the clock.
const PAUSE: usize = 256;

struct Exploring<'a> {
    context: &'a SolverContext,
    system: &'a System,
    space: Space,
    visits: Visits,
    found: Exploration,
}

impl Exploring<'_> {
    fn run(&mut self, work: u64, wanted: &dyn Fn() -> bool) {
        let step = self.space.machine.len() * self.space.choices.len();
        let most = work / (step as u64 + STORAGE);
        let mut at = 0;
        while at < self.visits.all.len() {
            let is_over = at as u64 >= most || (at % PAUSE == 0 && !wanted());
            if is_over {
                self.found.complete = false;
                return;
            }
            self.expand(at);
            at += 1;
            if self.found.violations.len() == self.space.goals.len() {
                return;
            }
        }
    }

    fn expand(&mut self, at: usize) {
        let (space, visits, found) = (&self.space, &mut self.visits, &mut self.found);
        let inputs = |chosen: Vec<usize>| {
            let step = |choice: usize| {
                let inputs = space.choices[choice].iter();
                system::and(inputs.map(|(var, value)| given(self.system, *var, *value)))
            };
            chosen.into_iter().map(step).collect()
        };
        let state = visits.all[at].state.clone();
        space.steps(self.context, &state, |choice, values| {
            let Some(values) = values else {
                found.complete = false;
                return;
            };
            if !space.is_allowed(values) {
                return;
            }
            for (id, goal) in &space.goals {
                let known = found.violations.iter().any(|(known, _)| known == id);
                if values[*goal] == 1 && !known {
                    let run = inputs(visits.chosen(at, choice));
                    found.violations.push((*id, run));
                }
            }
            visits.add(at, choice, space.after(values));
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use system::{
        Property, Role, Sort, StateVar, Var, add, and, eq, int_mod, integer, ite, le, not,
    };

    /// `x = 0 -> if up then (pre x + 1) mod 8 else pre x`, with the invariants given.
    fn counter(init: Option<Term>, invariants: &[Term]) -> System {
        let (x, up) = (x(), system::var(Var(1), Sort::Bool));
        let next = int_mod(&add([x.clone(), integer(1)]), &integer(8));
        let property = |term: &Term| Property::invariant("p", term.clone());
        System {
            vars: vec![
                StateVar {
                    init,
                    next: Some(ite(&up, &next, &x)),
                    ..StateVar::new("x", Sort::Int, Role::State)
                },
                StateVar::new("up", Sort::Bool, Role::Input),
            ],
            properties: invariants.iter().map(property).collect(),
            ..System::default()
        }
    }

    fn x() -> Term {
        system::var(Var(0), Sort::Int)
    }

    fn invariants() -> [Term; 2] {
        let small = and([le(&integer(0), &x()), le(&x(), &integer(7))]);
        [small, not(&eq(&x(), &integer(3)))]
    }

    #[test]
    fn all_states_decide_all_invariants() {
        let system = counter(Some(integer(0)), &invariants());
        let found =
            explore(&SolverContext::default(), &system, 1 << 20, &|| true).expect("few choices");
        assert!(found.complete);
        let [(id, inputs)] = found.violations.as_slice() else {
            panic!("{:?}", found.violations);
        };
        let up = system::var(Var(1), Sort::Bool);
        assert_eq!(*id, PropertyId(1));
        assert_eq!(inputs[..3], [up.clone(), up.clone(), up.clone()]);
        assert_eq!(inputs.len(), 4);
    }

    #[test]
    fn what_is_not_seen_is_not_claimed() {
        let first = [invariants()[0].clone()];
        let from_any = explore(
            &SolverContext::default(),
            &counter(None, &first),
            1 << 20,
            &|| true,
        );
        assert!(!from_any.expect("few choices").complete);
        let system = counter(Some(integer(0)), &first);
        assert!(
            !explore(&SolverContext::default(), &system, 300, &|| true)
                .expect("few choices")
                .complete
        );
        assert!(
            !explore(&SolverContext::default(), &system, 1 << 20, &|| false)
                .expect("few choices")
                .complete
        );
        assert!(
            explore(&SolverContext::default(), &system, 1 << 20, &|| true)
                .expect("few choices")
                .complete
        );
    }
}
