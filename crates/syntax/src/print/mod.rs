//! A syntax tree as Lustre text that parses to the same tree.
//!
//! Parentheses stand where the grammar needs them and nowhere else; the levels
//! are those of [`crate::operator`].

mod decl;
mod expr;
mod item;

use std::fmt::Write;

use crate::ast::*;
use crate::operator::Level;

/// Characters of a text that a message quotes.
const MAX_QUOTED: usize = 60;

/// Prints a whole program.
pub fn program(program: &Program) -> String {
    let mut printer = Printer::default();
    for (at, item) in program.items.iter().enumerate() {
        let blank = matches!(item, Item::Node(_) | Item::Contract(_));
        if at > 0 && blank {
            printer.out.push('\n');
        }
        printer.item(item);
    }
    printer.out
}

/// Prints one expression.
pub fn expr(expr: &Expr) -> String {
    let mut printer = Printer::default();
    printer.expr(expr, Level::OPEN);
    printer.out
}

/// Prints one expression for a message: the beginning of a long one.
pub fn short_expr(expr: &Expr) -> String {
    let mut printer = Printer {
        max_bytes: 4 * MAX_QUOTED,
        ..Printer::default()
    };
    printer.expr(expr, Level::OPEN);
    excerpt(&printer.out)
}

/// The beginning of a text that is quoted in a message.
pub(crate) fn excerpt(text: &str) -> String {
    match text.char_indices().nth(MAX_QUOTED) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

/// Prints one type.
pub fn type_expr(ty: &TypeExpr) -> String {
    let mut printer = Printer::default();
    printer.type_expr(ty);
    printer.out
}

struct Printer {
    out: String,
    indent: usize,
    /// The printer may stop after that many bytes.
    max_bytes: usize,
}

impl Default for Printer {
    fn default() -> Printer {
        Printer {
            out: String::new(),
            indent: 0,
            max_bytes: usize::MAX,
        }
    }
}

impl Printer {
    fn put(&mut self, text: &str) {
        self.out.push_str(text);
    }

    fn show(&mut self, value: impl std::fmt::Display) {
        // Writing to a string cannot fail.
        let _ = write!(self.out, "{value}");
    }

    /// Starts a line at the current indentation.
    fn line(&mut self) {
        for _ in 0..self.indent {
            self.out.push_str("  ");
        }
    }

    fn separated<T>(&mut self, all: &[T], separator: &str, mut each: impl FnMut(&mut Self, &T)) {
        for (at, one) in all.iter().enumerate() {
            if at > 0 {
                self.put(separator);
            }
            each(self, one);
        }
    }
}
