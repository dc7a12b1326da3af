//! The trait of output formats.

mod json;
mod text;
mod xml;

use results::{Event, Log};
use syntax::{Diagnostic, SourceMap};

use crate::reporter::RunOptions;
use crate::text::Style;

/// The source of messages about the model's text.
const SOURCE: &str = "parse";

/// The formats of documents.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Format {
    #[default]
    Text,
    Json,
    Xml,
}

/// An output format. Every returned text is a complete object: the document can be closed after it.
pub(crate) trait Sink {
    /// The name of the tool and the options in force.
    fn head(&mut self, banner: &str, options: &RunOptions) -> String;

    /// The text of an event; `None` if the format does not show it.
    fn event(&mut self, event: &Event) -> Option<String>;

    /// The text that ends the document.
    fn end(&self) -> &'static str;

    /// Is it for tools? These get all results, whatever the verbosity.
    fn is_for_tools(&self) -> bool;
}

/// The sink of a format; `resumed`, behind the head that another one has written.
pub(crate) fn sink(format: Format, style: Style, resumed: bool) -> Box<dyn Sink + Send> {
    match format {
        Format::Text => Box::new(text::Text { style }),
        Format::Json => Box::new(json::Document {
            is_begun: resumed,
            style,
        }),
        Format::Xml => Box::new(xml::Document { style }),
    }
}

/// A message about the source as tools get it.
fn log_of(diagnostic: &Diagnostic, sources: &SourceMap) -> Log {
    let level = match diagnostic.is_error() {
        true => results::Level::Error,
        false => results::Level::Warn,
    };
    let mut value = format!("{}: {}", diagnostic.code.as_str(), diagnostic.message);
    if let Some(help) = &diagnostic.help {
        value.push_str(&format!(" ({help})"));
    }
    let place = diagnostic.span.map(|span| {
        let file = sources.file(span.file).name.clone();
        (file, sources.position(span))
    });
    Log {
        level,
        source: SOURCE,
        place,
        value,
    }
}

/// A log entry with the invariants of a proof: the schemas have no object for them.
fn log_of_invariants(title: &str, lines: &[String]) -> Log {
    let colon = if lines.is_empty() { "" } else { ": " };
    let value = format!("{title}{colon}{}", lines.join("; "));
    Log::new(results::Level::Note, "invariants", value)
}
