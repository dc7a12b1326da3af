//! Solvers: everything that talks to Z3 or to an external solver.
//!
//! Z3 runs inside this process, through the `z3` crate. No other crate of the workspace names that
//! crate: the others use the [`Solver`] trait over terms at steps. This crate knows terms and
//! systems, and no engine.
//!
//! The library may be any Z3 from 4.13.3 on (`docs/building.md`), while the
//! bindings are written for one version. Two things follow for code here:
//!
//! - Calls that the `z3` crate has only for newer versions must not be used.
//!   Whether they exist depends on what the machine that builds has installed.
//! - `FuncDecl::kind` must not be used: Z3 has renumbered those kinds several
//!   times, most recently in 5.3.0, and a number the bindings do not know is
//!   undefined behaviour. `clippy.toml` refuses it. To read a model, ask for
//!   values of terms; to take a formula apart, go by names (`read.rs`).

mod any;
mod clock;
mod context;
mod eliminate;
mod embedded;
mod fuel;
mod horn;
mod interrupt;
mod process;
mod read;
mod script;
pub mod sexpr;
pub mod smtlib;
mod solver;
mod text;
mod trace;
mod translate;

pub use any::AnySolver;
pub use clock::{Clock, GUARD, Meter, Moment};
pub use context::SolverContext;
use eliminate::eliminate;
pub use embedded::Z3;
pub use horn::{Fixpoint, Lemmas, Safety, interpolants, spacer};
pub use interrupt::{Interrupter, warm_up};
pub use process::{
    Choice, Eliminator, External, Interpolator, Logic, SharedSolverState, SolverProgram, Unusable,
};
pub use script::check_script;
pub use solver::{Answer, Limits, Literal, Scalar, Solver};
pub use text::text;

/// The full version of the Z3 library that was loaded, such as `5.3.2.0`.
pub fn version() -> String {
    z3::full_version().to_owned()
}
