//! Linear equalities between many numbers: the affine hull of the states.
//!
//! Counters that share a total, as those of protocols do, satisfy equalities
//! that no template of two variables has (Karr, 1976). The hull is kept as a
//! point and a basis of directions in reduced echelon form; a state outside of
//! it adds a direction and costs an equality.

use num_integer::Integer;
use num_rational::BigRational;
use num_traits::{One, Signed, Zero};
use system::{Sort, Term, add, eq, mul};

use super::domain::Domain;
use super::eval::{Values, number};
use super::terms::numeral;

/// Larger coefficients are accidents of the states.
const MAX_COEFFICIENT: u32 = 64;

type Vector = Vec<BigRational>;

#[derive(Clone)]
pub(crate) struct Affine {
    /// Terms of one sort.
    columns: Vec<(Term, usize)>,
    point: Option<Vector>,
    /// Each with the column of its leading one, which is zero in the others.
    directions: Vec<(usize, Vector)>,
}

impl Affine {
    pub fn new(columns: Vec<(Term, usize)>) -> Affine {
        Affine {
            columns,
            point: None,
            directions: Vec::new(),
        }
    }

    fn add(&mut self, state: Vector) {
        let Some(point) = &self.point else {
            self.point = Some(state);
            return;
        };
        let mut new: Vector = state.iter().zip(point).map(|(a, b)| a - b).collect();
        for (pivot, row) in &self.directions {
            subtract(&mut new, row, *pivot);
        }
        let Some(pivot) = new.iter().position(|value| !value.is_zero()) else {
            return;
        };
        let lead = new[pivot].clone();
        new.iter_mut().for_each(|value| *value /= &lead);
        for (_, row) in &mut self.directions {
            subtract(row, &new, pivot);
        }
        self.directions.push((pivot, new));
    }

    /// The equality that a column without leading one satisfies.
    fn equality(&self, column: usize, point: &Vector) -> Option<Term> {
        let mut coefficients = vec![BigRational::zero(); self.columns.len()];
        coefficients[column] = BigRational::one();
        for (pivot, row) in &self.directions {
            coefficients[*pivot] = -row[column].clone();
        }
        let denominators = coefficients.iter().map(|c| c.denom().clone());
        let scale = BigRational::from_integer(denominators.fold(One::one(), |a, b| a.lcm(&b)));
        coefficients.iter_mut().for_each(|c| *c *= &scale);
        let large = BigRational::from_integer(MAX_COEFFICIENT.into());
        let count = coefficients.iter().filter(|c| !c.is_zero()).count();
        if count < 2 || coefficients.iter().any(|c| c.abs() > large) {
            return None;
        }
        let sort: &Sort = self.columns[column].0.sort();
        let value = coefficients.iter().zip(point).map(|(c, x)| c * x).sum();
        let (mut left, mut right) = (Vec::new(), vec![numeral(&value, sort)]);
        for ((term, _), c) in self.columns.iter().zip(&coefficients) {
            let scaled = mul(&numeral(&c.abs(), sort), term);
            match c.is_negative() {
                _ if c.is_zero() => {}
                true => right.push(scaled),
                false => left.push(scaled),
            }
        }
        Some(eq(&add(left), &add(right)))
    }
}

/// Makes the pivot of `row` zero in `from`.
fn subtract(from: &mut Vector, row: &Vector, pivot: usize) {
    let factor = from[pivot].clone();
    if !factor.is_zero() {
        for (value, other) in from.iter_mut().zip(row) {
            *value -= &factor * other;
        }
    }
}

impl Domain for Affine {
    fn observe(&mut self, values: &Values) {
        if self.directions.len() == self.columns.len() {
            return;
        }
        let value = |(_, at): &(Term, usize)| values[*at].as_ref().and_then(number);
        if let Some(state) = self.columns.iter().map(value).collect::<Option<Vector>>() {
            self.add(state);
        }
    }

    fn candidates(&self) -> Vec<Term> {
        let Some(point) = &self.point else {
            return Vec::new();
        };
        (0..self.columns.len())
            .filter(|column| self.directions.iter().all(|(pivot, _)| pivot != column))
            .filter_map(|column| self.equality(column, point))
            .collect()
    }

    fn boxed(&self) -> Box<dyn Domain> {
        Box::new(self.clone())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use smt::Scalar;
    use system::{Var, integer, var};

    #[test]
    fn a_shared_total_is_found() {
        let terms: Vec<Term> = (0..3).map(|at| var(Var(at), Sort::Int)).collect();
        let columns = terms.iter().cloned().zip(0..).collect();
        let mut hull = Affine::new(columns);
        for state in [[0i64, 2, 3], [1, 1, 3], [0, 1, 4]] {
            hull.observe(&state.map(|v| Some(Scalar::Int(v.into()))).to_vec());
        }
        assert_eq!(hull.candidates(), [eq(&add(terms), &integer(5))]);
        let outside = [7i64, 7, 7].map(|v| Some(Scalar::Int(v.into())));
        hull.observe(&outside.to_vec());
        assert_eq!(hull.candidates(), []);
    }
}
