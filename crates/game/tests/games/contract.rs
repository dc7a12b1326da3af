//! Random contracts with finitely many states, and who wins their games, by plain search.

use std::collections::BTreeSet;
use std::sync::Arc;

use game::{Arena, Memory, Start};
use system::{Random, Role, Sort, StateVar, System, Term, Var};

use crate::expr::{Expr, Scope};

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Owner {
    Memory,
    Constant,
    Input,
    Output,
}

/// A variable: a proposition, or a number from 0 to `most`.
#[derive(Clone, Debug)]
pub struct Variable {
    pub owner: Owner,
    pub most: Option<i64>,
}

#[derive(Clone, Debug)]
pub struct Contract {
    pub vars: Vec<Variable>,
    /// For each memory, its variable, its first value if it has one, and its next value.
    pub memory: Vec<(usize, Option<Expr>, Expr)>,
    pub assumptions: Vec<Expr>,
    /// Those of the outputs' ranges come first.
    pub guarantees: Vec<Expr>,
    pub ranges: usize,
}

impl Contract {
    pub fn random(random: &mut Random) -> Contract {
        let mut vars = Vec::new();
        let counts = [
            (Owner::Memory, random.below(5)),
            (Owner::Constant, usize::from(random.once_in(4))),
            (Owner::Input, random.below(3)),
            (Owner::Output, 1 + random.below(2)),
        ];
        for (owner, count) in counts {
            for _ in 0..count {
                let most = random.once_in(2).then(|| 1 + random.below(3) as i64);
                vars.push(Variable { owner, most });
            }
        }
        let mut contract = Contract {
            vars,
            memory: Vec::new(),
            assumptions: Vec::new(),
            guarantees: Vec::new(),
            ranges: 0,
        };
        let all = contract.scope(|_| true);
        let given = contract.scope(|owner| owner != Owner::Output);
        let constants = contract.scope(|owner| owner == Owner::Constant);
        for at in 0..contract.vars.len() {
            let Variable { owner, most } = contract.vars[at];
            let range = most.map(|most| Expr::Var(at).between(0, most));
            match owner {
                Owner::Memory => {
                    let counts = random.once_in(2);
                    let mut picked = |scope: &Scope, depth| match most {
                        Some(most) => scope.number(random, depth).clamped(most),
                        None => scope.boolean(random, depth),
                    };
                    let init = picked(&constants, 0);
                    let next = match most.filter(|_| counts) {
                        // What a number counts may take some steps.
                        Some(most) => {
                            let more = Box::new(all.number(random, 1));
                            Expr::Plus(Box::new(Expr::Var(at)), more).clamped(most)
                        }
                        None => picked(&all, 2),
                    };
                    let init = (!random.once_in(5)).then_some(init);
                    if init.is_none() {
                        contract.assumptions.extend(range);
                    }
                    contract.memory.push((at, init, next));
                }
                Owner::Output => contract.guarantees.extend(range),
                Owner::Constant | Owner::Input => contract.assumptions.extend(range),
            }
        }
        contract.ranges = contract.guarantees.len();
        if random.once_in(3) {
            let assumption = given.boolean(random, 2);
            contract.assumptions.push(assumption);
        }
        let memory = contract.scope(|owner| owner == Owner::Memory);
        let begins = contract.first_values();
        let later = random.once_in(2);
        for _ in 0..1 + random.below(4) {
            let mut guarantee = all.boolean(random, 2);
            if let Some(values) = begins.as_ref().filter(|_| later) {
                // It is trivial at the first step, so that the game is not lost at once.
                let condition = memory.boolean(random, 1);
                let condition = match condition.holds(values) {
                    true => condition,
                    false => Expr::Not(Box::new(condition)),
                };
                guarantee = Expr::Or(vec![condition, guarantee]);
            }
            contract.guarantees.push(guarantee);
        }
        contract
    }

    /// The values at the first step, if all memory has some that no constant decides; 0 for all
    /// other variables.
    fn first_values(&self) -> Option<Vec<i64>> {
        let mut values = vec![0; self.vars.len()];
        for (at, init, _) in &self.memory {
            values[*at] = init.as_ref()?.value(&values);
        }
        let is_open = self.vars.iter().any(|var| var.owner == Owner::Constant);
        (!is_open && !self.memory.is_empty()).then_some(values)
    }

    pub fn scope(&self, wanted: impl Fn(Owner) -> bool) -> Scope {
        let of = |is_number: bool| {
            let vars = self.vars.iter().enumerate();
            let vars = vars.filter(|(_, var)| wanted(var.owner));
            let vars = vars.filter(|(_, var)| var.most.is_some() == is_number);
            vars.map(|(at, _)| at).collect()
        };
        Scope {
            booleans: of(false),
            numbers: of(true),
        }
    }

    pub fn sorts(&self) -> Vec<Sort> {
        let sort = |var: &Variable| match var.most {
            Some(_) => Sort::Int,
            None => Sort::Bool,
        };
        self.vars.iter().map(sort).collect()
    }

    fn owned(&self, owner: Owner) -> Vec<usize> {
        let vars = self.vars.iter().enumerate();
        let vars = vars.filter(|(_, var)| var.owner == owner);
        vars.map(|(at, _)| at).collect()
    }

    /// The terms of all variables.
    pub fn terms(&self) -> Vec<Term> {
        let sorts = self.sorts().into_iter().enumerate();
        sorts
            .map(|(at, sort)| system::var(Var(at as u32), sort))
            .collect()
    }

    /// The game of the contract.
    pub fn arena(&self) -> Arena {
        let sorts = self.sorts();
        let term = |expr: &Expr| expr.term(&sorts);
        let vars = self.terms();
        let mut declared: Vec<StateVar> = Vec::new();
        for (at, var) in self.vars.iter().enumerate() {
            let role = match var.owner {
                Owner::Memory => Role::State,
                Owner::Constant => Role::Constant,
                Owner::Input | Owner::Output => Role::Input,
            };
            declared.push(StateVar::new(&format!("v{at}"), sorts[at].clone(), role));
        }
        let memory = self.memory.iter().map(|(at, init, next)| {
            declared[*at].init = init.as_ref().map(term);
            declared[*at].next = Some(term(next));
            Memory {
                var: vars[*at].clone(),
                init: init.as_ref().map(term),
                next: term(next),
            }
        });
        let memory = memory.collect();
        let owned = |owner| {
            let owned = self.owned(owner).into_iter();
            owned.map(|at| vars[at].clone()).collect()
        };
        Arena {
            system: Arc::new(System {
                vars: declared,
                ..System::default()
            }),
            memory,
            inputs: owned(Owner::Input),
            outputs: owned(Owner::Output),
            assumptions: self.assumptions.iter().map(term).collect(),
            guarantees: self.guarantees.iter().map(term).collect(),
        }
    }

    /// Is there a choice of values for these variables that the test accepts?
    fn some(
        &self,
        vars: &[usize],
        values: &mut Vec<i64>,
        test: &mut dyn FnMut(&mut Vec<i64>) -> bool,
    ) -> bool {
        let Some((first, others)) = vars.split_first() else {
            return test(values);
        };
        (0..=self.vars[*first].most.unwrap_or(1)).any(|value| {
            values[*first] = value;
            self.some(others, values, test)
        })
    }

    pub fn is_allowed(&self, values: &[i64]) -> bool {
        self.assumptions.iter().all(|one| one.holds(values))
    }

    pub fn is_kept(&self, values: &[i64]) -> bool {
        self.guarantees.iter().all(|one| one.holds(values))
    }

    /// Can outputs within their ranges keep some guarantees, given the rest of the values?
    pub fn can_keep(&self, values: &[i64], guarantees: &[usize]) -> bool {
        let mut values = values.to_vec();
        let outputs = self.owned(Owner::Output);
        let all = guarantees.iter().copied().chain(0..self.ranges);
        let all: Vec<usize> = all.collect();
        self.some(&outputs, &mut values, &mut |values| {
            all.iter().all(|at| self.guarantees[*at].holds(values))
        })
    }

    /// The memory of the next step and the constants.
    pub fn next(&self, values: &[i64]) -> Vec<i64> {
        let memory = self.memory.iter().map(|(_, _, next)| next.value(values));
        let constants = self.owned(Owner::Constant).into_iter();
        memory.chain(constants.map(|at| values[at])).collect()
    }

    /// The memory and the constants.
    pub fn state(&self, values: &[i64]) -> Vec<i64> {
        let state = self.state_vars().into_iter();
        state.map(|at| values[at]).collect()
    }

    fn state_vars(&self) -> Vec<usize> {
        let memory = self.memory.iter().map(|(at, _, _)| *at);
        memory.chain(self.owned(Owner::Constant)).collect()
    }

    pub fn is_initial(&self, values: &[i64]) -> bool {
        let known = self.memory.iter();
        let mut known = known.filter_map(|(at, init, _)| Some((*at, init.as_ref()?)));
        known.all(|(at, init)| values[at] == init.value(values))
    }

    /// Does the component win? With [`Start::Component`], it picks the inputs too, and the
    /// first state.
    pub fn is_won(&self, start: Start) -> bool {
        let state = self.state_vars();
        let (inputs, outputs) = (self.owned(Owner::Input), self.owned(Owner::Output));
        let mut viable: BTreeSet<Vec<i64>> = BTreeSet::new();
        let mut values = vec![0; self.vars.len()];
        self.some(&state, &mut values, &mut |values| {
            viable.insert(self.state(values));
            false
        });
        loop {
            let mut lost = Vec::new();
            self.some(&state, &mut values, &mut |values| {
                let own = self.state(values);
                if !viable.contains(&own) {
                    return false;
                }
                let good = |values: &mut Vec<i64>| {
                    self.some(&outputs, values, &mut |values| {
                        self.is_kept(values) && viable.contains(&self.next(values))
                    })
                };
                let stays = match start {
                    Start::Environment => !self.some(&inputs, values, &mut |values| {
                        self.is_allowed(values) && !good(values)
                    }),
                    Start::Component => self.some(&inputs, values, &mut |values| {
                        self.is_allowed(values) && good(values)
                    }),
                };
                if !stays {
                    lost.push(own);
                }
                false
            });
            if lost.is_empty() {
                break;
            }
            lost.iter().for_each(|state| {
                viable.remove(state);
            });
        }
        let mut is = |wanted: bool| {
            self.some(&state, &mut values, &mut |values| {
                self.is_initial(values) && viable.contains(&self.state(values)) == wanted
            })
        };
        match start {
            Start::Environment => !is(false),
            Start::Component => is(true),
        }
    }
}
