//! Quantifier elimination, guided by a model.
//!
//! Of all the ways a formula can hold, only the one that a model shows is of
//! interest: [`implicant`] finds a conjunction of literals for it, and
//! [`project`] eliminates variables from that. The result implies the
//! quantified formula and holds in the model; it need not be all of it.
//!
//! Variables of linear arithmetic are eliminated as Cooper, and Loos and
//! Weispfenning do, choosing the case that the model is in. Others take the
//! value that they have in the model.

mod implicant;
mod linear;
mod normal;
mod project;
mod witness;

use smt::{AnySolver, Scalar, Solver};
use system::{Term, Var};

pub use implicant::{implicant, implicant_avoiding};
pub use normal::normal;
pub use project::project;
pub use witness::{Eliminated, definitions, eliminate_all, witnesses};

/// The values of terms in a solver's model, at one step.
pub struct Values<'a> {
    pub solver: &'a mut AnySolver,
    pub step: usize,
}

impl Values<'_> {
    pub fn scalar(&mut self, term: &Term) -> Option<Scalar> {
        self.solver.value(term, self.step)
    }

    pub fn is_true(&mut self, term: &Term) -> bool {
        self.scalar(term) == Some(Scalar::Bool(true))
    }

    /// The value as a term.
    pub fn literal(&mut self, term: &Term) -> Option<Term> {
        self.scalar(term)?.term(term.sort())
    }
}

pub fn mentions(term: &Term, vars: &[Var]) -> bool {
    term.vars().iter().any(|var| vars.contains(var))
}

#[cfg(test)]
mod tests {
    use super::*;
    use smt::{Answer, SolverContext};
    use std::sync::Arc;
    use system::{Kind, Sort, System, add, and, eq, int_div, int_mod, integer, le, lt, mul, not};

    pub fn system(sorts: &[Sort]) -> Arc<System> {
        Arc::new(System::of_inputs(sorts.iter().cloned()))
    }

    pub fn ints(count: usize) -> Arc<System> {
        system(&vec![Sort::Int; count])
    }

    pub fn int(id: u32) -> Term {
        system::var(Var(id), Sort::Int)
    }

    /// A solver whose model has these values.
    pub fn holding(system: &Arc<System>, point: &[(&Term, i64)]) -> AnySolver {
        let mut solver = AnySolver::new(&SolverContext::default(), system.clone());
        for (var, value) in point {
            let value = match var.sort() {
                Sort::Real => system::to_real(&integer(*value)),
                _ => integer(*value),
            };
            solver.assert(&eq(var, &value), 0);
        }
        assert_eq!(solver.check(&[]), Answer::Sat);
        solver
    }

    /// The projection holds in the model, does not mention the variables, and
    /// implies that there are values for them.
    fn check(system: &Arc<System>, literals: &[Term], point: &[(&Term, i64)], gone: &[u32]) {
        let gone: Vec<Var> = gone.iter().map(|id| Var(*id)).collect();
        let mut solver = holding(system, point);
        let mut values = Values {
            solver: &mut solver,
            step: 0,
        };
        let formula = and(literals.to_vec());
        let literals = implicant(&formula, &mut values).expect("the point satisfies it");
        let found = project(&literals, &gone, &mut values).expect("a projection");
        for literal in &found {
            assert!(!mentions(literal, &gone), "{found:?}");
            assert!(values.is_true(literal), "{literal:?} of {found:?}");
        }
        let kept: Vec<&Term> = point
            .iter()
            .map(|(var, _)| *var)
            .filter(|var| !mentions(var, &gone))
            .collect();
        implies_somewhere(system, &and(found), &formula, &kept);
    }

    /// Wherever the projection holds, near the origin, the formula has a
    /// solution.
    fn implies_somewhere(system: &Arc<System>, found: &Term, formula: &Term, kept: &[&Term]) {
        let range: Vec<i64> = (-9..=9).collect();
        let points = range.len().pow(kept.len() as u32);
        let mut hits = 0;
        for at in 0..points {
            let place = |index: usize| range[at / range.len().pow(index as u32) % range.len()];
            let point: Vec<(&Term, i64)> = kept
                .iter()
                .enumerate()
                .map(|(index, var)| (*var, place(index)))
                .collect();
            let mut solver = holding(system, &point);
            let literal = solver.literal();
            solver.assert_if(literal, found, 0);
            if solver.check(&[literal]) == Answer::Sat {
                hits += 1;
                let literal = solver.literal();
                solver.assert_if(literal, formula, 0);
                assert_eq!(solver.check(&[literal]), Answer::Sat, "{point:?} {found:?}");
            }
        }
        assert!(hits > 0, "{found:?}");
    }

    #[test]
    fn bounds_with_factors() {
        let (x, y, v) = (int(0), int(1), int(2));
        let twice = mul(&integer(2), &v);
        let thrice = mul(&integer(3), &v);
        let literals = [le(&x, &twice), le(&thrice, &y), lt(&integer(0), &v)];
        check(&ints(3), &literals, &[(&x, 3), (&y, 10), (&v, 3)], &[2]);
        check(&ints(3), &literals, &[(&x, -7), (&y, 3), (&v, 1)], &[2]);
    }

    #[test]
    fn equations_with_factors_leave_divisibility() {
        let (x, v) = (int(0), int(1));
        let literals = [
            eq(&mul(&integer(3), &v), &add([x.clone(), integer(1)])),
            lt(&v, &integer(5)),
        ];
        check(&ints(2), &literals, &[(&x, 8), (&v, 3)], &[1]);
    }

    #[test]
    fn quotients_and_remainders() {
        let (x, v) = (int(0), int(1));
        let literals = [
            eq(&int_mod(&v, &integer(4)), &integer(3)),
            le(&int_div(&v, &integer(-2)), &x),
            le(&x, &v),
        ];
        check(&ints(2), &literals, &[(&x, 2), (&v, 7)], &[1]);
        check(&ints(2), &literals, &[(&x, 11), (&v, 11)], &[1]);
    }

    #[test]
    fn several_variables_and_disequalities() {
        let (x, u, v) = (int(0), int(1), int(2));
        let literals = [
            eq(&add([u.clone(), v.clone()]), &x),
            not(&eq(&u, &v)),
            le(&integer(0), &u),
            le(&integer(0), &v),
        ];
        check(&ints(3), &literals, &[(&x, 5), (&u, 1), (&v, 4)], &[1, 2]);
    }

    #[test]
    fn products_take_values() {
        let (x, u, v) = (int(0), int(1), int(2));
        let literals = [le(&mul(&u, &v), &x), le(&u, &x), lt(&integer(1), &v)];
        check(&ints(3), &literals, &[(&x, 6), (&u, 2), (&v, 3)], &[1, 2]);
    }

    #[test]
    fn reals_between_strict_bounds() {
        let real = |id: u32| system::var(Var(id), Sort::Real);
        let (x, y, v) = (real(0), real(1), real(2));
        let system = system(&[Sort::Real, Sort::Real, Sort::Real]);
        let strict = [lt(&x, &v), le(&y, &v), le(&v, &add([x.clone(), y.clone()]))];
        check(&system, &strict, &[(&x, 2), (&y, 2), (&v, 3)], &[2]);
        let loose = [le(&x, &v), lt(&v, &y)];
        check(&system, &loose, &[(&x, 2), (&y, 4), (&v, 2)], &[2]);
        let exact = [eq(&add([v.clone(), v.clone()]), &x), lt(&v, &y)];
        check(&system, &exact, &[(&x, 2), (&y, 4), (&v, 1)], &[2]);
    }

    #[test]
    fn propositions_disappear() {
        let system = system(&[Sort::Bool, Sort::Int]);
        let (b, x) = (system::var(Var(0), Sort::Bool), int(1));
        let formula = system::ite(&b, &lt(&x, &integer(3)), &lt(&integer(9), &x));
        let mut solver = AnySolver::new(&SolverContext::default(), system.clone());
        solver.assert(&b, 0);
        solver.assert(&eq(&x, &integer(1)), 0);
        assert_eq!(solver.check(&[]), Answer::Sat);
        let mut values = Values {
            solver: &mut solver,
            step: 0,
        };
        let literals = implicant(&formula, &mut values).expect("an implicant");
        let found = project(&literals, &[Var(0)], &mut values).expect("a projection");
        assert!(matches!(found.as_slice(), [one] if matches!(one.kind(), Kind::Lt(..))));
    }
}
