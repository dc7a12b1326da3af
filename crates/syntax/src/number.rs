//! Literals of numbers, read and written exactly.

use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::{One, Signed, Zero, pow};

/// Numbers with more decimal digits than this are refused: computing with them
/// would take for ever.
pub const MAX_DIGITS: usize = 20_000;

/// An integer literal, decimal or hexadecimal.
pub fn parse_integer(text: &str) -> Option<BigInt> {
    let (digits, notation) = notation(text);
    if notation.decimal_digits(digits, "", 0) > MAX_DIGITS as i64 {
        return None;
    }
    BigInt::parse_bytes(digits.as_bytes(), notation.radix)
}

/// A literal with a fraction or an exponent, decimal or hexadecimal; the
/// exponent of a hexadecimal one is a power of two.
pub fn parse_real(text: &str) -> Option<BigRational> {
    let (digits, notation) = notation(text);
    let (mantissa, exponent) = match digits.split_once(notation.marks) {
        Some((mantissa, exponent)) => (mantissa, exponent.parse::<i32>().ok()?),
        None => (digits, 0),
    };
    let exponent = i64::from(exponent);
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    if notation.decimal_digits(whole, fraction, exponent) > MAX_DIGITS as i64 {
        return None;
    }
    let numerator = format!("0{whole}{fraction}");
    let numerator = BigInt::parse_bytes(numerator.as_bytes(), notation.radix)?;
    let exponent = exponent - notation.places(fraction);
    let power = pow(
        BigInt::from(notation.base),
        exponent.unsigned_abs() as usize,
    );
    Some(if exponent < 0 {
        BigRational::new(numerator, power)
    } else {
        BigRational::from_integer(numerator * power)
    })
}

/// How the digits of a literal are to be read.
struct Notation {
    radix: u32,
    /// What exponents are powers of, and what stands before them.
    base: u32,
    marks: [char; 2],
    /// Powers of the base that a digit counts for.
    digit: i64,
}

impl Notation {
    fn places(&self, fraction: &str) -> i64 {
        self.digit * fraction.len() as i64
    }

    /// At least as many digits as the number has when it is printed.
    fn decimal_digits(&self, whole: &str, fraction: &str, exponent: i64) -> i64 {
        let whole = self.places(whole.trim_start_matches('0')) + exponent;
        let places = self.places(fraction.trim_end_matches('0')) - exponent;
        // A power of two has as many decimal places as binary ones, but needs
        // less than a third of the digits.
        let whole = if self.base == 2 { whole / 3 + 1 } else { whole };
        whole.max(0) + places.max(0)
    }
}

fn notation(text: &str) -> (&str, Notation) {
    match hexadecimal(text) {
        Some(digits) => (
            digits,
            Notation {
                radix: 16,
                base: 2,
                marks: ['p', 'P'],
                digit: 4,
            },
        ),
        None => (
            text,
            Notation {
                radix: 10,
                base: 10,
                marks: ['e', 'E'],
                digit: 1,
            },
        ),
    }
}

fn hexadecimal(text: &str) -> Option<&str> {
    text.strip_prefix("0x").or_else(|| text.strip_prefix("0X"))
}

/// The value as a decimal with a point, when it has a finite one.
pub fn decimal_string(value: &BigRational) -> Option<String> {
    let twos = value.denom().trailing_zeros().unwrap_or(0);
    let (fives, rest) = without_fives(value.denom() >> twos);
    if !rest.is_one() {
        return None;
    }
    let digits = fives.max(twos as usize);
    let scaled = value.numer().abs() * pow(BigInt::from(10), digits) / value.denom();
    let text = scaled.to_string();
    let zeros = "0".repeat((digits + 1).saturating_sub(text.len()));
    let text = zeros + &text;
    let (whole, fraction) = text.split_at(text.len() - digits);
    let sign = if value.is_negative() { "-" } else { "" };
    let fraction = if fraction.is_empty() { "0" } else { fraction };
    Some(format!("{sign}{whole}.{fraction}"))
}

/// How often 5 divides the number, and what is left then.
fn without_fives(mut number: BigInt) -> (usize, BigInt) {
    let mut times = 0;
    for power in [27, 1] {
        let divisor = 5u64.pow(power);
        while (&number % divisor).is_zero() {
            number /= divisor;
            times += power as usize;
        }
    }
    (times, number)
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
        assert_eq!(parse_integer(&format!("0x{longest}")), None);
        assert_eq!(parse_real(&format!("1.{longest}")), None);
        assert_eq!(parse_real("1e99999999999999999999"), None);
        assert_eq!(parse_real("0x.1p-20000"), None);
    }

    #[test]
    fn long_literals_are_read_again_as_they_are_printed() {
        for text in ["1e19999", "0x1p-20000", "0xffp+9999", "1.5e-9999", "000.5"] {
            let value = parse_real(text).unwrap();
            let printed = decimal_string(&value).unwrap();
            assert_eq!(parse_real(&printed), Some(value), "{text}");
        }
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
