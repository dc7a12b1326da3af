//! Reads the values that a solver prints, exactly.

use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::Zero;
use system::Sort;

use crate::sexpr::Sexpr;
use crate::solver::Scalar;

/// The value of a sort; `None` for what is not known exactly, such as an
/// irrational root, and for arrays, whose elements are asked for one by one.
pub fn value(answer: &Sexpr, sort: &Sort) -> Option<Scalar> {
    match sort {
        Sort::Bool => match answer.atom()? {
            "true" => Some(Scalar::Bool(true)),
            "false" => Some(Scalar::Bool(false)),
            _ => None,
        },
        Sort::Int => {
            let number = number(answer)?;
            number
                .is_integer()
                .then(|| Scalar::Int(number.to_integer()))
        }
        Sort::Real => number(answer).map(Scalar::Real),
        Sort::BitVec(width) => {
            let bits = bits(answer, *width)?;
            let fits = bits.bits() <= u64::from(*width);
            fits.then_some(Scalar::BitVec(bits))
        }
        Sort::Array(_) => None,
    }
}

/// `5`, `-5`, `2.50`, `1/3`, `(- 5)`, `(/ 1 3)`, `(to_real 5)`, and such in such.
fn number(answer: &Sexpr) -> Option<BigRational> {
    if let Some(word) = answer.atom() {
        return plain(word);
    }
    match answer.list()? {
        [Sexpr::Atom(minus), a] if minus == "-" => Some(-number(a)?),
        [Sexpr::Atom(cast), a] if cast == "to_real" => number(a),
        [Sexpr::Atom(slash), a, b] if slash == "/" => {
            let (a, b) = (number(a)?, number(b)?);
            (!b.is_zero()).then(|| a / b)
        }
        _ => None,
    }
}

fn plain(word: &str) -> Option<BigRational> {
    if let Some((a, b)) = word.split_once('/') {
        let (a, b): (BigInt, BigInt) = (a.parse().ok()?, b.parse().ok()?);
        return (!b.is_zero()).then(|| BigRational::new(a, b));
    }
    let (whole, fraction) = word.split_once('.').unwrap_or((word, ""));
    if !fraction.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let digits: BigInt = format!("{whole}{fraction}").parse().ok()?;
    let scale = BigInt::from(10).pow(u32::try_from(fraction.len()).ok()?);
    Some(BigRational::new(digits, scale))
}

/// `#b0101`, `#x0f`, `(_ bv5 8)`.
fn bits(answer: &Sexpr, width: u32) -> Option<BigInt> {
    if let Some(word) = answer.atom() {
        let (digits, radix) = match word.strip_prefix("#x") {
            Some(digits) => (digits, 16),
            None => (word.strip_prefix("#b")?, 2),
        };
        return BigInt::parse_bytes(digits.as_bytes(), radix);
    }
    match answer.list()? {
        [Sexpr::Atom(mark), Sexpr::Atom(value), Sexpr::Atom(own)] if mark == "_" => {
            let fits = *own == width.to_string();
            fits.then(|| value.strip_prefix("bv")?.parse().ok())
                .flatten()
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sexpr::parse_one;

    fn read(text: &str, sort: &Sort) -> Option<Scalar> {
        value(&parse_one(text)?, sort)
    }

    #[test]
    fn numbers() {
        let int = |text: &str| read(text, &Sort::Int);
        assert_eq!(int("(- 5)"), Some(Scalar::Int((-5).into())));
        assert_eq!(int("-5"), Some(Scalar::Int((-5).into())));
        assert_eq!(int("2.5"), None);
        assert_eq!(int("x"), None);
        let real = |text: &str| read(text, &Sort::Real);
        let third = |sign: i64| Some(Scalar::Real(BigRational::new(sign.into(), 3.into())));
        assert_eq!(real("(/ 1 3)"), third(1));
        assert_eq!(real("(- (/ 1.0 3.0))"), third(-1));
        assert_eq!(real("(/ (- 1) 3)"), third(-1));
        assert_eq!(real("1/3"), third(1));
        let half = Some(Scalar::Real(BigRational::new(5.into(), 2.into())));
        assert_eq!(real("2.50"), half);
        assert_eq!(real("(/ 1 0)"), None);
        assert_eq!(real("(root-obj (+ (^ x 2) (- 2)) 1)"), None);
        assert_eq!(real("2.5?"), None);
    }

    #[test]
    fn bits_and_truth() {
        let bits = |text: &str| read(text, &Sort::BitVec(8));
        let five = Some(Scalar::BitVec(5.into()));
        assert_eq!(bits("#b00000101"), five);
        assert_eq!(bits("#x05"), five);
        assert_eq!(bits("(_ bv5 8)"), five);
        assert_eq!(bits("(_ bv5 4)"), None);
        assert_eq!(bits("#x1ff"), None);
        assert_eq!(read("true", &Sort::Bool), Some(Scalar::Bool(true)));
        assert_eq!(read("maybe", &Sort::Bool), None);
    }
}
