//! Terms as SMT-LIB 2, the language that all solvers read.
//!
//! The text means exactly the same as the terms that Z3 in this process gets (`translate.rs`); a
//! test has Z3 read it back. The caller chooses the names of variables and functions. Names that
//! start with `$` and with `b!` are taken: parts that occur more than once have the former, bound
//! by `let`, so that the text is no longer than the term is large, and quantified variables the
//! latter.

mod logic;
mod node;
mod read;
mod share;

use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::{One, Signed};
use system::{Function, Sort, Term, Var};

use crate::sexpr::is_plain;

pub use logic::Theories;
pub use read::{Reader, Symbols, Unreadable, read_sort};
pub(crate) use share::term_with;
pub use share::{functions, term};

/// The names of variables and functions. A name is written as it is: one that is not a plain word
/// goes through [`symbol`].
#[derive(Clone, Copy)]
pub struct Names<'n> {
    pub var: &'n dyn Fn(Var) -> String,
    pub function: &'n dyn Fn(&Function) -> String,
}

pub fn sort(of: &Sort) -> String {
    match of {
        Sort::Bool => "Bool".into(),
        Sort::Int => "Int".into(),
        Sort::Real => "Real".into(),
        Sort::BitVec(width) => format!("(_ BitVec {width})"),
        Sort::Array(element) => format!("(Array Int {})", sort(element)),
    }
}

/// A name as SMT-LIB reads it: between bars where it is not a plain word. The
/// two characters that cannot be there, `|` and `\`, are written as `!`.
pub fn symbol(name: &str) -> String {
    let starts = |c: char| !c.is_ascii_digit() && c != '.' && c != '@';
    let is_word = name.starts_with(starts) && name.chars().all(is_plain);
    if is_word && !RESERVED.contains(&name) {
        return name.to_owned();
    }
    let quoted = |c: char| match c {
        '|' | '\\' => '!',
        other => other,
    };
    format!("|{}|", name.chars().map(quoted).collect::<String>())
}

/// Words of the language that are no names without bars.
const RESERVED: [&str; 14] = [
    "!",
    "_",
    "as",
    "let",
    "exists",
    "forall",
    "match",
    "par",
    "lambda",
    "BINARY",
    "DECIMAL",
    "HEXADECIMAL",
    "NUMERAL",
    "STRING",
];

/// `(declare-fun f (Int) Bool)`, where `name` is written as it is.
pub fn declaration(name: &str, args: &[Sort], result: &Sort) -> String {
    let args: Vec<String> = args.iter().map(sort).collect();
    format!("(declare-fun {name} ({}) {})", args.join(" "), sort(result))
}

fn integer(value: &BigInt) -> String {
    match value.is_negative() {
        true => format!("(- {})", value.abs()),
        false => value.to_string(),
    }
}

fn real(value: &BigRational) -> String {
    let size = value.abs();
    let text = match size.denom().is_one() {
        true => format!("{}.0", size.numer()),
        false => format!("(/ {}.0 {}.0)", size.numer(), size.denom()),
    };
    match value.is_negative() {
        true => format!("(- {text})"),
        false => text,
    }
}

fn bit_vector(width: u32, value: &BigInt) -> String {
    let width = width as usize;
    match width % 4 {
        0 => format!("#x{value:0>digits$x}", digits = width / 4),
        _ => format!("#b{value:0>width$b}"),
    }
}

/// Is it written as one word, or nearly so?
fn is_leaf(term: &Term) -> bool {
    let mut parts = false;
    term.for_each_part(|_| parts = true);
    !parts
}

#[cfg(test)]
mod tests;
