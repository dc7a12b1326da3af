//! Certificates of the front end: is the transition system that of the model?
//!
//! A second translation of the typed program is as simple as possible and shares no code with
//! `lower`: one definition for each stream of an instance, one memory for each `pre`, no
//! simplification of expressions. An observer runs both systems on the same inputs. The certificate
//! proves by induction over the steps of a run that all streams and memory that both systems have
//! are equal, and that then both allow the same steps and have the same properties.

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
