//! Small constructors that templates share.

use num_rational::BigRational;
use system::{BvCompare, Sort, Term, bitvec, bv_compare, integer, le, real};

/// How the values of a term are compared.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Order {
    /// Integers and reals.
    Arithmetic,
    /// Bits as natural numbers.
    Unsigned,
    /// Bits as two's complement.
    Signed,
}

pub(crate) fn at_most(order: Order, a: &Term, b: &Term) -> Term {
    match order {
        Order::Arithmetic => le(a, b),
        Order::Unsigned => bv_compare(BvCompare::Ule, a, b),
        Order::Signed => bv_compare(BvCompare::Sle, a, b),
    }
}

/// A literal of the sort; for integers and bits, of a whole number.
pub(crate) fn numeral(value: &BigRational, sort: &Sort) -> Term {
    match sort {
        Sort::Real => real(value.clone()),
        Sort::BitVec(width) => bitvec(*width, &value.to_integer()),
        _ => integer(value.to_integer()),
    }
}
