//! Literals of numbers, read and written exactly.

use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::{One, Signed, Zero, pow};

/// More digits than this, or a larger exponent, are refused: computing with
/// such a number would take for ever.
pub const MAX_DIGITS: usize = 10_000;

/// An integer literal, decimal or hexadecimal.
pub fn parse_integer(text: &str) -> Option<BigInt> {
    if text.len() > MAX_DIGITS {
        return None;
    }
    match hexadecimal(text) {
        Some(digits) => BigInt::parse_bytes(digits.as_bytes(), 16),
        None => BigInt::parse_bytes(text.as_bytes(), 10),
    }
}

/// A literal with a fraction or an exponent, decimal or hexadecimal; the
/// exponent of a hexadecimal one is a power of two.
pub fn parse_real(text: &str) -> Option<BigRational> {
    let (digits, radix, marks, base, places) = match hexadecimal(text) {
        Some(digits) => (digits, 16, ['p', 'P'], 2, 4),
        None => (text, 10, ['e', 'E'], 10, 1),
    };
    let (mantissa, exponent) = match digits.split_once(marks) {
        Some((mantissa, exponent)) => (mantissa, exponent.parse::<i64>().ok()?),
        None => (digits, 0),
    };
    if digits.len() > MAX_DIGITS || exponent.unsigned_abs() > MAX_DIGITS as u64 {
        return None;
    }
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let numerator = BigInt::parse_bytes(format!("0{whole}{fraction}").as_bytes(), radix)?;
    let exponent = exponent - places * fraction.len() as i64;
    let power = pow(BigInt::from(base), exponent.unsigned_abs() as usize);
    Some(if exponent < 0 {
        BigRational::new(numerator, power)
    } else {
        BigRational::from_integer(numerator * power)
    })
}

fn hexadecimal(text: &str) -> Option<&str> {
    text.strip_prefix("0x").or_else(|| text.strip_prefix("0X"))
}

/// The value as a decimal with a point, when it has a finite one.
pub fn decimal_string(value: &BigRational) -> Option<String> {
    let mut denominator = value.denom().clone();
    let mut digits = 0;
    for prime in [2u32, 5] {
        let mut times = 0;
        while BigInt::is_zero(&(&denominator % prime)) {
            denominator /= prime;
            times += 1;
        }
        digits = digits.max(times);
    }
    if !denominator.is_one() {
        return None;
    }
    let scaled = value.numer().abs() * pow(BigInt::from(10), digits) / value.denom();
    let text = scaled.to_string();
    let zeros = "0".repeat((digits + 1).saturating_sub(text.len()));
    let text = zeros + &text;
    let (whole, fraction) = text.split_at(text.len() - digits);
    let sign = if value.is_negative() { "-" } else { "" };
    let fraction = if fraction.is_empty() { "0" } else { fraction };
    Some(format!("{sign}{whole}.{fraction}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ratio(n: i64, d: i64) -> BigRational {
        BigRational::new(n.into(), d.into())
    }

    #[test]
    fn hexadecimal_reals_scale_by_powers_of_two() {
        assert_eq!(parse_real("0x12.34p-3"), Some(ratio(1165, 512)));
        assert_eq!(parse_real("0x.1"), Some(ratio(1, 16)));
        assert_eq!(parse_real("0x1234."), Some(ratio(4660, 1)));
        assert_eq!(parse_real("0x1p+3"), Some(ratio(8, 1)));
    }

    #[test]
    fn decimals_are_exact() {
        assert_eq!(parse_real(".45e-2"), Some(ratio(45, 10_000)));
        assert_eq!(parse_real("0.2E+3"), Some(ratio(200, 1)));
        assert_eq!(parse_real("1e99999"), None);
        assert_eq!(parse_real("1e-99999"), None);
        assert_eq!(parse_integer("0xA0f"), Some(BigInt::from(0xa0f)));
    }

    #[test]
    fn literals_have_an_end() {
        let longest = "9".repeat(MAX_DIGITS);
        assert!(parse_integer(&longest).is_some());
        assert_eq!(parse_integer(&format!("{longest}9")), None);
        assert_eq!(parse_real(&format!("0.{longest}")), None);
        assert_eq!(parse_real(&format!("0x.{longest}p-1")), None);
    }

    #[test]
    fn decimals_print_as_they_are_read() {
        for text in ["0.5", "12.25", "0.001", "3.0", "0.0"] {
            let value = parse_real(text).unwrap();
            assert_eq!(decimal_string(&value).as_deref(), Some(text));
        }
        assert_eq!(decimal_string(&ratio(1, 3)), None);
        let tiny = pow(ratio(1, 2), 70_000);
        assert_eq!(decimal_string(&tiny).map(|text| text.len()), Some(70_002));
        assert_eq!(decimal_string(&ratio(-1, 4)).as_deref(), Some("-0.25"));
    }
}
