//! Strategies of contract games as Lustre programs.
//!
//! A realizable contract gives a node whose body honours it (`component.rs`), an unrealizable one
//! an environment that beats every component (`environment.rs`). Both are bodies of nodes that
//! compute the memory of the contract again (`body.rs`). What they need of the model is copied
//! from its syntax tree (`needed.rs`).

mod body;
mod component;
mod environment;
mod independence;
mod needed;
mod open_values;

pub use component::component;
pub use environment::{Environment, environment};

use lang::{NodeId, Program};
use syntax::{SourceMap, ast};

use crate::realizability::Rules;

/// A contract with its game.
#[derive(Clone, Copy)]
pub struct Subject<'a> {
    pub tree: &'a ast::Program,
    pub program: &'a Program,
    pub sources: &'a SourceMap,
    pub top: NodeId,
    pub rules: &'a Rules,
}

/// Why a strategy has no Lustre program.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Unwritable(pub String);
