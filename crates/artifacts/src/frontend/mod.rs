//! Certificates of the front end: is the transition system that of the model?
//!
//! The typed program is translated a second time, by a translation that is as
//! simple as it can be and shares no code with `lower`: one definition a stream of
//! an instance, one memory a `pre`, expressions as they stand. An observer sets the
//! two systems side by side. By induction over the steps of a run, all streams and
//! all memory that both have are equal; and where they are, both allow the same
//! steps and have the same properties.

mod observer;
mod simple;
mod value;

pub use observer::front_end;

/// Why there is no second translation.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NotCovered(pub String);

type Simple<T> = Result<T, NotCovered>;

fn not_covered<T>(what: impl Into<String>) -> Simple<T> {
    Err(NotCovered(what.into()))
}
