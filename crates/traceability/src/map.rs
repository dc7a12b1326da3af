//! The sets of parts that are not explored yet, as a formula.

use std::sync::Arc;

use smt::{Answer, Literal, Scalar, Solver, Z3};
use system::{Sort, System, Term, Var, not, or};

use crate::model::Set;

/// The `map` of the papers: a clause for each set that was explored.
pub(crate) struct Map {
    solver: Z3,
    /// By part: it is in the set.
    members: Vec<Term>,
    present: Vec<Literal>,
    absent: Vec<Literal>,
}

impl Map {
    pub fn new(parts: usize) -> Map {
        let system = System::of_inputs(vec![Sort::Bool; parts]);
        let mut solver = Z3::new(Arc::new(system));
        let members = (0..parts).map(|at| system::var(Var(at as u32), Sort::Bool));
        let members: Vec<Term> = members.collect();
        let mut literals = |term: &dyn Fn(&Term) -> Term| -> Vec<Literal> {
            let literals = members.iter().map(|member| {
                let literal = solver.literal();
                solver.assert_if(literal, &term(member), 0);
                literal
            });
            literals.collect()
        };
        let present = literals(&Term::clone);
        let absent = literals(&|member| not(member));
        Map {
            solver,
            members,
            present,
            absent,
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
    }

    /// An unexplored set with as many parts as there can be.
    pub fn largest(&mut self) -> Option<Set> {
        let soft: Vec<(Literal, u32)> = self.present.iter().map(|literal| (*literal, 1)).collect();
        self.best(&soft)
    }

    /// An unexplored set of the least cost.
    pub fn cheapest(&mut self, costs: &[u32]) -> Option<Set> {
        let soft = self.absent.iter().copied().zip(costs.iter().copied());
        let soft: Vec<(Literal, u32)> = soft.collect();
        self.best(&soft)
    }

    fn best(&mut self, soft: &[(Literal, u32)]) -> Option<Set> {
        if self.solver.check_soft(&[], soft) != Answer::Sat {
            return None;
        }
        let mut set = Set::new();
        for (at, member) in self.members.iter().enumerate() {
            if self.solver.value(member, 0) == Some(Scalar::Bool(true)) {
                set.insert(at);
            }
        }
        Some(set)
    }
}
