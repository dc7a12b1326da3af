//! The sets of parts that are not explored yet, as a formula.

use std::sync::Arc;

use smt::{Answer, Literal, Solver, SolverContext, Z3};
use system::{Sort, System, Term, Var, not, or};

use crate::model::Set;

/// The `map` of the papers: a clause for each set that was explored.
pub(crate) struct Map {
    solver: Z3,
    /// By part: it is in the set.
    members: Vec<Term>,
    absent: Vec<Literal>,
    /// Sets of which a part must be absent.
    excluded: Vec<Set>,
}

impl Map {
    pub fn new(context: &SolverContext, parts: usize) -> Map {
        let system = System::of_inputs(vec![Sort::Bool; parts]);
        let mut solver = Z3::new(context, Arc::new(system));
        let members = (0..parts).map(|at| system::var(Var(at as u32), Sort::Bool));
        let members: Vec<Term> = members.collect();
        let absent = members.iter().map(|member| {
            let literal = solver.literal();
            solver.assert_if(literal, &not(member), 0);
            literal
        });
        Map {
            absent: absent.collect(),
            solver,
            members,
            excluded: Vec::new(),
        }
    }

    /// At least one of these is in the set.
    pub fn require_one_of(&mut self, parts: &Set) {
        let clause = or(parts.iter().map(|at| self.members[*at].clone()));
        self.solver.assert(&clause, 0);
    }

    /// At least one of these is not in the set.
    pub fn exclude_all_of(&mut self, parts: &Set) {
        let clause = or(parts.iter().map(|at| not(&self.members[*at])));
        self.solver.assert(&clause, 0);
        self.excluded.push(parts.clone());
    }

    /// An unexplored set to which no part can be added: more parts break none of the
    /// other clauses.
    pub fn maximal(&mut self) -> Option<Set> {
        if self.solver.check(&[]) != Answer::Sat {
            return None;
        }
        let mut set = self.found();
        for at in 0..self.members.len() {
            let completes = |excluded: &Set| {
                let mut others = excluded.iter().filter(|part| **part != at);
                excluded.contains(&at) && others.all(|part| set.contains(part))
            };
            if !self.excluded.iter().any(completes) {
                set.insert(at);
            }
        }
        Some(set)
    }

    /// An unexplored set of the least cost.
    pub fn cheapest(&mut self, costs: &[u32]) -> Option<Set> {
        let soft = self.absent.iter().copied().zip(costs.iter().copied());
        let soft: Vec<(Literal, u32)> = soft.collect();
        (self.solver.check_soft(&[], &soft) == Answer::Sat).then(|| self.found())
    }

    /// The set of the last answer.
    fn found(&mut self) -> Set {
        let mut set = Set::new();
        for (at, member) in self.members.iter().enumerate() {
            if self.solver.holds(member, 0) == Some(true) {
                set.insert(at);
            }
        }
        set
    }
}
