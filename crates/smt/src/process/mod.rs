//! Solvers in processes of their own, which speak SMT-LIB 2 over pipes.
//!
//! Each file is about one thing: who the solvers are (`solvers`), which one is
//! chosen and whether it is there (`choice`), the process and its pipes
//! (`child`), what it is told (`script`) and what it answers (`sexpr`,
//! `value`), and the [`Solver`](crate::Solver) that is made of these
//! (`session`). Some are asked for formulas, which have a shorter conversation of
//! their own (`dialogue`, `formula`): interpolants (`interpolate`), and formulas
//! without quantifiers (`eliminate`).

mod child;
mod choice;
mod dialogue;
mod eliminate;
mod formula;
mod interpolate;
mod script;
mod session;
mod soft;
mod solvers;
mod splitter;
mod value;

pub use choice::{Choice, External, Logic, SharedSolverState, Unusable};
pub use eliminate::Eliminator;
pub use interpolate::Interpolator;
pub use session::Process;
pub use solvers::SolverProgram;

pub(crate) use script::Script;
