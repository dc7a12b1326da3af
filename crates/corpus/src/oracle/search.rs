//! Plain search of all states that a program can reach.
//!
//! From each state, all inputs and choices are tried; a step that an assertion or an
//! assumption forbids is none. A claim is decided by where it is violated, or reached:
//! at which exact numbers of steps.

use std::collections::HashMap;

use super::claim::{Claim, Role};
use super::evaluate::{Instance, State, Tape, World, step};
use super::model::{NodeId, Program};

/// States and steps beyond which a program is given up.
#[derive(Clone, Copy)]
pub struct Limits {
    pub states: usize,
    pub steps: usize,
}

/// All reachable states of a program, by number, and the steps between them.
pub struct Explored {
    pub top: Instance,
    /// From each state: the claims that happen in a step, and the state after it.
    steps: Vec<Vec<(Vec<usize>, usize)>>,
    /// For each number of steps, what can happen after exactly so many.
    layers: Vec<Vec<bool>>,
    /// The states that have exactly as many steps before them as there are layers.
    frontier: Vec<bool>,
    claims: usize,
    earliest: HashMap<usize, Vec<Option<usize>>>,
}

impl Explored {
    /// `None` if there are too many states.
    pub fn new(program: &Program, node: NodeId, role: Role, limits: Limits) -> Option<Explored> {
        let top = Instance::tree(program, node, role);
        let mut numbers: HashMap<State, usize> = HashMap::new();
        let mut states = vec![top.start()];
        numbers.insert(top.start(), 0);
        let mut steps = Vec::new();
        let mut world = World {
            program,
            tape: Tape::default(),
            blocked: false,
            events: Vec::new(),
        };
        let mut tried = 0;
        while steps.len() < states.len() {
            let mut here = Vec::new();
            loop {
                tried += 1;
                let mut state = states[steps.len()].clone();
                step(&mut world, &top, &mut state);
                if !world.blocked {
                    let next = *numbers.entry(state.clone()).or_insert(states.len());
                    if next == states.len() {
                        states.push(state);
                    }
                    here.push((world.events.clone(), next));
                }
                if !world.tape.advance() {
                    break;
                }
                if tried > limits.steps || states.len() > limits.states {
                    return None;
                }
            }
            here.sort();
            here.dedup();
            steps.push(here);
        }
        let claims = count(&top);
        let mut frontier = vec![false; states.len()];
        frontier[0] = true;
        Some(Explored {
            top,
            steps,
            layers: Vec::new(),
            frontier,
            claims,
            earliest: HashMap::new(),
        })
    }

    pub fn states(&self) -> usize {
        self.steps.len()
    }

    /// Is there a run at all?
    pub fn has_runs(&self) -> bool {
        !self.steps[0].is_empty()
    }

    /// Can the claim happen after exactly so many steps?
    pub fn happens_after(&mut self, claim: usize, count: usize) -> bool {
        while self.layers.len() <= count {
            self.layer();
        }
        self.layers[count][claim]
    }

    fn layer(&mut self) {
        let mut events = vec![false; self.claims];
        let mut next = vec![false; self.steps.len()];
        for (state, _) in self.frontier.iter().enumerate().filter(|(_, at)| **at) {
            for (happened, to) in &self.steps[state] {
                next[*to] = true;
                for event in happened {
                    events[*event] = true;
                }
            }
        }
        self.layers.push(events);
        self.frontier = next;
    }

    /// The least number of steps, within bounds, after which the claim happens.
    pub fn first(&mut self, claim: usize, from: usize, within: Option<usize>) -> Option<usize> {
        match within {
            Some(last) => (from..=last).find(|count| self.happens_after(claim, *count)),
            None => self.earliest(from)[claim],
        }
    }

    /// For each claim, the least number of steps, at least so many, after which it
    /// happens: breadth first from the states that have as many steps before them.
    fn earliest(&mut self, from: usize) -> &[Option<usize>] {
        if !self.earliest.contains_key(&from) {
            let mut found = vec![None; self.claims];
            let mut open = self.states_after(from);
            let mut seen = vec![false; self.steps.len()];
            let mut count = from;
            while !open.is_empty() {
                let mut next = Vec::new();
                for state in open {
                    if std::mem::replace(&mut seen[state], true) {
                        continue;
                    }
                    for (happened, to) in &self.steps[state] {
                        next.push(*to);
                        for event in happened {
                            found[*event].get_or_insert(count);
                        }
                    }
                }
                open = next;
                count += 1;
            }
            self.earliest.insert(from, found);
        }
        &self.earliest[&from]
    }

    /// The states with exactly so many steps before them.
    fn states_after(&self, count: usize) -> Vec<usize> {
        let mut states = vec![0];
        for _ in 0..count {
            let steps = states.iter().flat_map(|state| &self.steps[*state]);
            states = steps.map(|(_, to)| *to).collect();
            states.sort_unstable();
            states.dedup();
        }
        states
    }

    /// All claims with their numbers, each with the calls that lead to its instance.
    pub fn claims(&self) -> Vec<(Vec<usize>, NodeId, Claim, usize)> {
        let mut all = Vec::new();
        collect(&self.top, &mut Vec::new(), &mut all);
        all
    }
}

fn count(instance: &Instance) -> usize {
    instance.claims.len() + instance.calls.iter().map(count).sum::<usize>()
}

fn collect(
    instance: &Instance,
    path: &mut Vec<usize>,
    all: &mut Vec<(Vec<usize>, NodeId, Claim, usize)>,
) {
    for (at, claim) in instance.claims.iter().enumerate() {
        all.push((path.clone(), instance.node, *claim, instance.first + at));
    }
    for (call, below) in instance.calls.iter().enumerate() {
        path.push(call);
        collect(below, path, all);
        path.pop();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::oracle::model::*;

    const LIMITS: Limits = Limits {
        states: 100,
        steps: 1000,
    };

    fn number(value: i64) -> Box<Expr> {
        Box::new(Expr::Literal(Type::Int, Value::Scalar(value)))
    }

    /// `node counter (x: bool) returns (n: int); n = (0 -> pre n + 1) mod 3`, and
    /// `n <> 2` is claimed; it is called by a node that restarts it whenever `x` holds.
    fn program(assertions: Vec<Expr>) -> Program {
        let var = |name: &str, ty, class| Var {
            name: name.to_owned(),
            ty,
            class,
        };
        let next = Expr::Arithmetic(
            Number::Int,
            Operator::Add,
            Box::new(Expr::Pre(0)),
            number(1),
        );
        let next = Expr::Arrow(number(0), Box::new(next));
        let counter = Node {
            name: "counter".to_owned(),
            kind: Kind::Node,
            vars: vec![
                var("x", Type::Bool, Class::Input),
                var("n", Type::Int, Class::Output),
            ],
            definitions: vec![
                Definition::Input,
                Definition::Is(Expr::Arithmetic(
                    Number::Int,
                    Operator::Mod,
                    Box::new(next),
                    number(3),
                )),
            ],
            memories: vec![Memory {
                operand: Expr::Var(1),
                ty: Type::Int,
                in_contract: false,
            }],
            calls: Vec::new(),
            assertions: Vec::new(),
            properties: vec![Property {
                expr: Expr::Compare(Comparison::NotEqual, Box::new(Expr::Var(1)), number(2)),
                kind: PropertyKind::Invariant,
            }],
            contract: None,
        };
        let mut top = counter.clone();
        top.name = "top".to_owned();
        top.memories.clear();
        top.definitions[1] = Definition::Is(Expr::Call(0));
        top.calls.push(Call {
            node: 0,
            args: vec![Expr::Var(0)],
            clock: None,
            restart: Some(Expr::Var(0)),
        });
        top.assertions = assertions;
        Program {
            enums: Vec::new(),
            records: Vec::new(),
            nodes: vec![counter, top],
        }
    }

    #[test]
    fn a_counter_counts() {
        let mut explored = Explored::new(&program(vec![]), 0, Role::Top, LIMITS).expect("few");
        assert_eq!(explored.first(0, 0, None), Some(2));
        assert_eq!(explored.first(0, 3, None), Some(5));
        assert_eq!(explored.first(0, 3, Some(4)), None);
        assert!(explored.happens_after(0, 8) && !explored.happens_after(0, 9));
    }

    #[test]
    fn a_call_is_restarted() {
        let mut explored = Explored::new(&program(vec![]), 1, Role::Top, LIMITS).expect("few");
        assert_eq!(explored.claims().len(), 2);
        for claim in 0..2 {
            assert_eq!(explored.first(claim, 0, None), Some(2));
            assert_eq!(explored.first(claim, 3, None), Some(3));
        }
    }

    #[test]
    fn an_assertion_forbids_steps() {
        let restarted = program(vec![Expr::Var(0)]);
        let mut explored = Explored::new(&restarted, 1, Role::Top, LIMITS).expect("few");
        assert_eq!(explored.first(0, 0, None), None);
        assert_eq!(explored.states(), 2);
        let never = Expr::Literal(Type::Bool, Value::Scalar(0));
        let explored = Explored::new(&program(vec![never]), 1, Role::Top, LIMITS).expect("few");
        assert!(!explored.has_runs());
    }
}
