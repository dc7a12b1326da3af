//! Rational numbers as people want to read them.

use num_bigint::{BigInt, Sign};
use num_rational::BigRational;
use num_traits::{One, Signed, Zero};

/// How real numbers are written in text.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum RealPrecision {
    /// Exactly: `1/3`.
    #[default]
    Rational,
    /// As a decimal with six digits: `0.333333+f20`. Behind one that is not
    /// exact stands the sign of what is missing, and an `n` such that this is
    /// less than 2^-n of the number.
    Float,
}

/// So many digits a decimal has at most.
const DIGITS: u32 = 6;

pub fn real(value: &BigRational, precision: RealPrecision) -> String {
    if value.denom().is_one() {
        return format!("{}.0", value.numer());
    }
    match precision {
        RealPrecision::Rational => value.to_string(),
        RealPrecision::Float => decimal(value),
    }
}

fn decimal(value: &BigRational) -> String {
    let (digits, exponent) = round(&value.abs());
    let shown = ten(exponent) * BigRational::from_integer(digits.clone());
    let missing = value.abs() - &shown;
    let sign = if value.is_negative() { "-" } else { "" };
    let text = format!("{sign}{}", positional(&digits, exponent));
    if missing.is_zero() {
        return text;
    }
    let up = missing.is_positive() != value.is_negative();
    let error = if up { '+' } else { '-' };
    format!("{text}{error}f{}", bits(&(missing.abs() / shown)))
}

fn ten(exponent: i64) -> BigRational {
    let power = BigInt::from(10).pow(exponent.unsigned_abs() as u32);
    match exponent >= 0 {
        true => BigRational::from_integer(power),
        false => BigRational::new(BigInt::one(), power),
    }
}

/// A positive number as digits times a power of ten, rounded to nearest.
fn round(value: &BigRational) -> (BigInt, i64) {
    let length = |n: &BigInt| n.to_string().len() as i64;
    let mut exponent = length(value.numer()) - length(value.denom()) - i64::from(DIGITS);
    let bound = BigInt::from(10).pow(DIGITS);
    loop {
        let digits = (value / ten(exponent)).round().to_integer();
        if digits < bound {
            return (digits, exponent);
        }
        exponent += 1;
    }
}

/// Digits times a power of ten, without an exponent unless the number is far
/// from one.
fn positional(digits: &BigInt, mut exponent: i64) -> String {
    let mut digits = digits.to_string();
    while digits.len() > 1 && digits.ends_with('0') {
        digits.pop();
        exponent += 1;
    }
    let point = digits.len() as i64 + exponent;
    if !(-3..=15).contains(&point) {
        let rest = &digits[1..];
        let fraction = if rest.is_empty() { "0" } else { rest };
        return format!("{}.{fraction}e{:+}", &digits[..1], point - 1);
    }
    if point <= 0 {
        return format!("0.{}{digits}", "0".repeat(point.unsigned_abs() as usize));
    }
    let point = point as usize;
    if digits.len() <= point {
        return format!("{digits}{}.0", "0".repeat(point - digits.len()));
    }
    format!("{}.{}", &digits[..point], &digits[point..])
}

/// The largest n such that the positive number is less than 2^-n, or 0.
fn bits(value: &BigRational) -> u64 {
    debug_assert!(value.numer().sign() == Sign::Plus);
    let guess = value.denom().bits() as i64 - value.numer().bits() as i64;
    let less = |n: i64| (value.numer() << n.max(0) as u64) < *value.denom();
    let mut n = guess.max(0) + 1;
    while n > 0 && !less(n) {
        n -= 1;
    }
    n as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    fn assert_decimal(numer: i64, denom: i64, expected: &str) {
        let value = BigRational::new(numer.into(), denom.into());
        assert_eq!(real(&value, RealPrecision::Float), expected);
    }

    #[test]
    fn short_decimals_are_exact() {
        assert_decimal(3, 2, "1.5");
        assert_decimal(-1, 8, "-0.125");
        assert_decimal(7, 1, "7.0");
        assert_decimal(123456, 100, "1234.56");
        assert_decimal(1, 1000, "0.001");
    }

    #[test]
    fn others_tell_how_much_is_missing() {
        // 1/3 - 0.333333 is about 10^-6 of it, between 2^-20 and 2^-19.
        assert_decimal(1, 3, "0.333333+f19");
        assert_decimal(-1, 3, "-0.333333-f19");
        assert_decimal(2, 3, "0.666667-f20");
        assert_decimal(9_999_999, 10, "1000000.0-f23");
    }

    #[test]
    fn numbers_far_from_one_have_an_exponent() {
        assert_decimal(1, 200_000, "5.0e-6");
        assert_decimal(1, 3_000_000, "3.33333e-7+f19");
        let large = BigRational::new(BigInt::from(10).pow(40) + 1, 3.into());
        assert_eq!(real(&large, RealPrecision::Float), "3.33333e+39+f19");
    }

    #[test]
    fn rationals_are_exact() {
        let third = BigRational::new((-1).into(), 3.into());
        assert_eq!(real(&third, RealPrecision::Rational), "-1/3");
    }
}
