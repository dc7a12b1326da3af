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

use syntax::{SourceMap, Span};

pub use observer::{FrontEnd, front_end};

/// Why there is no second translation: a construct, and where it stands.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NotCovered {
    what: String,
    span: Option<Span>,
}

impl NotCovered {
    /// The place, unless a closer one is known.
    fn at(mut self, span: Span) -> NotCovered {
        self.span.get_or_insert(span);
        self
    }

    /// The construct with its place.
    pub fn text(&self, sources: &SourceMap) -> String {
        let Some(span) = self.span else {
            return self.what.clone();
        };
        let (file, place) = (&sources.file(span.file).name, sources.position(span));
        let (line, column) = (place.line, place.column);
        format!("{} ({file}:{line}:{column})", self.what)
    }
}

type Simple<T> = Result<T, NotCovered>;

fn not_covered<T>(what: impl Into<String>) -> Simple<T> {
    Err(NotCovered {
        what: what.into(),
        span: None,
    })
}
