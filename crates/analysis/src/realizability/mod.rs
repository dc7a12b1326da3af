//! Contract checks: can a component honour the contract of a node without a body?
//!
//! The contract becomes a game (`rules.rs`), which `game` solves and proves. A lost game is
//! played once more, and the interpreter replays the play (`deadlock.rs`).

mod check;
mod deadlock;
mod rules;
mod warn;

pub use check::{Checked, Conflicts, Realizable, Unrealizable, check, conflicts, is_satisfiable};
pub use deadlock::{Deadlock, NoDeadlock, deadlock};
pub use game::{Elimination, SearchOptions, UNCONFIRMED};
pub use rules::{Clause, Obstacle, Rules, of_annotation, of_contract, without_body};
pub use warn::{excludes_all_inputs, unused_modes};
