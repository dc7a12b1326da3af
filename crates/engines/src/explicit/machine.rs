//! Steps of a system of truth values and small integers, computed.
//!
//! All terms are put in order once, each after its parts; a step is one pass over
//! machine numbers, truth values among them. A number that does not fit, or a
//! divisor that is zero, ends the step: nothing is claimed of it.

use std::collections::HashMap;

use num_traits::ToPrimitive;
use system::{Kind, Term, Var};

/// The place of a value in a pass.
pub(super) type Place = usize;

enum Node {
    Var(usize),
    Literal(i64),
    Not(Place),
    And(Vec<Place>),
    Or(Vec<Place>),
    Eq(Place, Place),
    Ite(Place, Place, Place),
    Add(Vec<Place>),
    Neg(Place),
    Mul(Place, Place),
    Div(Place, Place),
    Mod(Place, Place),
    Lt(Place, Place),
    Le(Place, Place),
}

#[derive(Default)]
pub(super) struct Machine {
    nodes: Vec<Node>,
    places: HashMap<u64, Place>,
}

impl Machine {
    /// Where the value of the term will be; `None` if it can have none here.
    pub fn add(&mut self, term: &Term) -> Option<Place> {
        let mut open = vec![(term.clone(), false)];
        while let Some((term, ready)) = open.pop() {
            if self.places.contains_key(&term.id()) {
                continue;
            }
            if !ready {
                open.push((term.clone(), true));
                term.for_each_part(|part| open.push((part.clone(), false)));
                continue;
            }
            let node = self.node(&term)?;
            self.places.insert(term.id(), self.nodes.len());
            self.nodes.push(node);
        }
        self.places.get(&term.id()).copied()
    }

    fn node(&self, term: &Term) -> Option<Node> {
        let place = |part: &Term| self.places[&part.id()];
        let places = |parts: &[Term]| parts.iter().map(place).collect();
        Some(match term.kind() {
            Kind::Bool(value) => Node::Literal((*value).into()),
            Kind::Int(value) => Node::Literal(value.to_i64()?),
            Kind::Var(Var(at)) => Node::Var(*at as usize),
            Kind::Not(a) => Node::Not(place(a)),
            Kind::And(all) => Node::And(places(all)),
            Kind::Or(all) => Node::Or(places(all)),
            Kind::Eq(a, b) => Node::Eq(place(a), place(b)),
            Kind::Ite(c, a, b) => Node::Ite(place(c), place(a), place(b)),
            Kind::Add(all) => Node::Add(places(all)),
            Kind::Neg(a) => Node::Neg(place(a)),
            Kind::Mul(a, b) => Node::Mul(place(a), place(b)),
            Kind::IntDiv(a, b) => Node::Div(place(a), place(b)),
            Kind::IntMod(a, b) => Node::Mod(place(a), place(b)),
            Kind::Lt(a, b) => Node::Lt(place(a), place(b)),
            Kind::Le(a, b) => Node::Le(place(a), place(b)),
            _ => return None,
        })
    }

    /// How much a pass costs.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// The values of all terms where the variables have these values; `None` if a
    /// number does not fit.
    pub fn pass(&self, vars: &[i64], values: &mut Vec<i64>) -> Option<()> {
        values.clear();
        for node in &self.nodes {
            let value = eval(node, vars, values)?;
            values.push(value);
        }
        Some(())
    }
}

fn eval(node: &Node, vars: &[i64], v: &[i64]) -> Option<i64> {
    Some(match node {
        Node::Var(at) => vars[*at],
        Node::Literal(value) => *value,
        Node::Not(a) => 1 - v[*a],
        Node::And(all) => all.iter().all(|at| v[*at] == 1).into(),
        Node::Or(all) => all.iter().any(|at| v[*at] == 1).into(),
        Node::Eq(a, b) => (v[*a] == v[*b]).into(),
        Node::Ite(c, a, b) => v[if v[*c] == 1 { *a } else { *b }],
        Node::Add(all) => all
            .iter()
            .try_fold(0i64, |sum, at| sum.checked_add(v[*at]))?,
        Node::Neg(a) => v[*a].checked_neg()?,
        Node::Mul(a, b) => v[*a].checked_mul(v[*b])?,
        Node::Div(a, b) => v[*a].checked_div_euclid(v[*b])?,
        Node::Mod(a, b) => v[*a].checked_rem_euclid(v[*b])?,
        Node::Lt(a, b) => (v[*a] < v[*b]).into(),
        Node::Le(a, b) => (v[*a] <= v[*b]).into(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use smt::{Answer, AnySolver, Solver, SolverContext};
    use system::{Sort, System, add, and, eq, int_div, int_mod, integer, ite, le, lt, mul, not};

    /// The solver and the machine agree on all operators.
    #[test]
    fn values_are_the_solvers() {
        let system = std::sync::Arc::new(System::of_inputs([Sort::Int, Sort::Int]));
        let (x, y) = (
            system::var(Var(0), Sort::Int),
            system::var(Var(1), Sort::Int),
        );
        let terms = [
            add([int_div(&x, &integer(3)), mul(&x, &y)]),
            int_mod(&y, &integer(-4)),
            int_div(&y, &integer(-4)),
            ite(&and([lt(&x, &y), not(&le(&y, &integer(2)))]), &x, &y),
            ite(&eq(&x, &y), &integer(7), &system::neg(&x)),
        ];
        let mut machine = Machine::default();
        let places: Vec<Place> = terms.iter().filter_map(|t| machine.add(t)).collect();
        for vars in [[-7, 5], [4, 4], [5, -9], [0, 3], [-3, -2]] {
            let mut values = Vec::new();
            machine.pass(&vars, &mut values).expect("small numbers");
            let mut solver = AnySolver::new(&SolverContext::default(), system.clone());
            solver.assert(&eq(&x, &integer(vars[0])), 0);
            solver.assert(&eq(&y, &integer(vars[1])), 0);
            for (term, place) in terms.iter().zip(&places) {
                solver.assert(&eq(term, &integer(values[*place])), 0);
            }
            assert_eq!(solver.check(&[]), Answer::Sat, "{vars:?}");
        }
    }

    #[test]
    fn what_does_not_fit_has_no_value() {
        let x = system::var(Var(0), Sort::Int);
        let mut machine = Machine::default();
        machine.add(&mul(&x, &x)).expect("a product");
        let mut values = Vec::new();
        assert_eq!(machine.pass(&[1 << 40], &mut values), None);
        assert_eq!(machine.pass(&[1 << 20], &mut values), Some(()));
        let real = system::var(Var(1), Sort::Real);
        assert_eq!(machine.add(&system::to_int(&real)), None);
    }
}
