//! Mutants for people and for files.

mod json;
mod page;
mod table;
mod text;

pub use json::document;
pub use page::page;
pub use table::csv;
pub(crate) use text::text;
