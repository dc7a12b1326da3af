//! Writes one document of results, event by event.

use std::io::{self, Write};

use results::{Event, Importance, Level, Log};

use crate::sink::{Format, Sink, sink};
use crate::text::Style;

/// The least important messages that are still written; `None` for silence.
pub type Verbosity = Option<Level>;

/// The options in the head of a structured document.
#[derive(Clone, Debug, Default)]
pub struct RunOptions {
    pub enabled: Vec<String>,
    pub timeout: f64,
    pub bmc_max: u64,
    pub compositional: bool,
    pub modular: bool,
    pub ivc: Option<IvcOptions>,
    pub mcs: Option<McsOptions>,
}

/// The options of the search for cores in the head.
#[derive(Clone, Debug, Default)]
pub struct IvcOptions {
    pub category: Vec<&'static str>,
    pub all: bool,
    pub approximate: bool,
    pub smallest_first: bool,
    pub only_main_node: bool,
    pub must_set: bool,
}

/// The options of the search for cut sets in the head.
#[derive(Clone, Debug, Default)]
pub struct McsOptions {
    pub category: Vec<&'static str>,
    pub all: bool,
    pub only_main_node: bool,
}

/// Format, style and verbosity of a document.
#[derive(Clone, Copy, Debug, Default)]
pub struct OutputOptions {
    pub format: Format,
    pub style: Style,
    pub verbosity: Verbosity,
}

/// Writes a document: call [`Reporter::finish`] at the end; a reporter that is
/// dropped without it closes the document all the same.
pub struct Reporter<W: Write> {
    out: W,
    sink: Box<dyn Sink + Send>,
    verbosity: Verbosity,
    open: bool,
}

impl<W: Write> Reporter<W> {
    /// Starts a document with the name of the tool and the options in force.
    pub fn start(
        out: W,
        output: OutputOptions,
        banner: &str,
        options: &RunOptions,
    ) -> io::Result<Reporter<W>> {
        let mut reporter = Reporter::new(out, output, false);
        let head = reporter.sink.head(banner, options);
        if reporter.wants(Importance::Result) {
            reporter.piece(&head)?;
        }
        Ok(reporter)
    }

    /// Continues a document that another reporter has begun and cannot end, after any complete
    /// object.
    pub fn resume(out: W, output: OutputOptions) -> Reporter<W> {
        Reporter::new(out, output, true)
    }

    fn new(out: W, output: OutputOptions, resumed: bool) -> Reporter<W> {
        Reporter {
            out,
            sink: sink(output.format, output.style, resumed),
            verbosity: output.verbosity,
            open: true,
        }
    }

    fn wants(&self, importance: Importance) -> bool {
        let Some(least) = self.verbosity else {
            return false;
        };
        match importance {
            Importance::Always => true,
            Importance::Result => self.sink.is_for_tools() || Level::Note <= least,
            Importance::Message(level) => level <= least,
        }
    }

    /// Writes and flushes a complete object: the document can be closed after it.
    fn piece(&mut self, text: &str) -> io::Result<()> {
        self.out.write_all(text.as_bytes())?;
        self.out.flush()
    }

    /// Writes an event, if it is wanted and the format has a place for it.
    pub fn tell(&mut self, event: &Event) -> io::Result<()> {
        if !self.wants(event.importance()) {
            return Ok(());
        }
        match self.sink.event(event) {
            Some(text) => self.piece(&text),
            None => Ok(()),
        }
    }

    pub fn log(&mut self, log: &Log) -> io::Result<()> {
        self.tell(&Event::Log(log))
    }

    /// Ends the document.
    pub fn finish(mut self) -> io::Result<()> {
        self.close()
    }

    fn close(&mut self) -> io::Result<()> {
        if !std::mem::replace(&mut self.open, false) || self.verbosity.is_none() {
            return Ok(());
        }
        self.piece(self.sink.end())
    }
}

impl<W: Write> Drop for Reporter<W> {
    fn drop(&mut self) {
        // An error cannot be reported while dropping.
        let _ = self.close();
    }
}
