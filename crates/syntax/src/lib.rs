//! Lustre text to a syntax tree and back.
//!
//! This crate knows tokens, grammar, source positions and the shape of a
//! diagnostic; it knows nothing of types, names or solvers. Parsing never
//! fails: it returns what it understood together with the errors it met, and
//! picks up again at the next statement or declaration.

pub mod ast;
pub mod diag;
mod load;
mod number;
pub mod operator;
mod parser;
pub mod print;
mod printable;
pub mod source;
mod symbol;
mod token;
mod walk;

pub use diag::{Class, Code, Diagnostic, Severity};
pub use load::{Loaded, load};
pub use number::decimal_string;
pub use parser::{MAX_DEPTH, Parsed, parse, parse_without_positions};
pub use printable::{is_control, printable, printable_name};
pub use source::{FileId, Position, SourceFile, SourceMap, Span};
pub use symbol::Symbol;

/// Stack that is ample for every recursive walk over a tree of [`MAX_DEPTH`]
/// levels. Entry points run on a thread or a grown stack of this size.
pub const STACK_SIZE: usize = 512 << 20;
