//! One document of results, written as they come.

use std::io::{self, Write};

use lang::Program;
use serde_json::{Value as Json, json};
use syntax::{Diagnostic, Position, Severity, SourceMap, printable, printable_name};

use crate::elements::{ElementSet, NoElementSet};
use crate::matrix::Matrix;
use crate::mutation::MutationReport;
use crate::statistics::Statistics;
use crate::text::Style;
use crate::trace::Block;
use crate::verdict::{AnalysisReport, NodeReport, PropertyReport};
use crate::{diagnostic, escape, json, text, xml};

#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Format {
    #[default]
    Text,
    Json,
    Xml,
}

/// How important a message is.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Level {
    Fatal,
    Error,
    Warn,
    Note,
    Info,
    Debug,
    Trace,
}

impl Level {
    pub fn name(self) -> &'static str {
        match self {
            Level::Fatal => "fatal",
            Level::Error => "error",
            Level::Warn => "warn",
            Level::Note => "note",
            Level::Info => "info",
            Level::Debug => "debug",
            Level::Trace => "trace",
        }
    }
}

/// The least important messages that are still written; `None` for silence.
pub type Verbosity = Option<Level>;

#[derive(Clone, Debug)]
pub struct Log {
    pub level: Level,
    /// The part of the tool that speaks.
    pub source: &'static str,
    pub place: Option<(String, Position)>,
    pub value: String,
}

impl Log {
    pub fn new(level: Level, source: &'static str, value: impl Into<String>) -> Log {
        Log {
            level,
            source,
            place: None,
            value: value.into(),
        }
    }
}

/// What the head of a structured document says of the run.
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

/// What the head says of the search for cores.
#[derive(Clone, Debug, Default)]
pub struct IvcOptions {
    pub category: Vec<&'static str>,
    pub all: bool,
    pub approximate: bool,
    pub smallest_first: bool,
    pub only_main_node: bool,
    pub must_set: bool,
}

/// What the head says of the search for cut sets.
#[derive(Clone, Debug, Default)]
pub struct McsOptions {
    pub category: Vec<&'static str>,
    pub all: bool,
    pub only_main_node: bool,
}

/// Writes a document: call [`Reporter::finish`] at the end; a reporter that is
/// dropped without it closes the document all the same.
pub struct Reporter<W: Write> {
    out: W,
    format: Format,
    style: Style,
    verbosity: Verbosity,
    /// How many objects were written.
    objects: usize,
    open: bool,
}

const SOURCE: &str = "parse";

impl<W: Write> Reporter<W> {
    /// Starts a document with the name of the tool and the options in force.
    pub fn start(
        out: W,
        format: Format,
        style: Style,
        verbosity: Verbosity,
        banner: &str,
        options: &RunOptions,
    ) -> io::Result<Reporter<W>> {
        let mut reporter = Reporter {
            out,
            format,
            style,
            verbosity,
            objects: 0,
            open: true,
        };
        reporter.head(banner, options)?;
        Ok(reporter)
    }

    /// Goes on with a document that another reporter has begun and cannot end: behind
    /// any object that it has written.
    pub fn resume(out: W, format: Format, style: Style, verbosity: Verbosity) -> Reporter<W> {
        Reporter {
            out,
            format,
            style,
            verbosity,
            // The head is there.
            objects: 1,
            open: true,
        }
    }

    fn head(&mut self, banner: &str, options: &RunOptions) -> io::Result<()> {
        if self.verbosity.is_none() {
            return Ok(());
        }
        match self.format {
            Format::Text => {
                if self.speaks(Level::Note) {
                    self.piece(&format!(" {banner}\n\n"))?;
                }
            }
            Format::Json => {
                writeln!(self.out, "[")?;
                self.object(json!({
                    "objectType": "log",
                    "level": "info",
                    "source": SOURCE,
                    "value": banner,
                }))?;
                self.object(json::options(options))?;
            }
            Format::Xml => {
                writeln!(self.out, "<?xml version=\"1.0\"?>")?;
                writeln!(
                    self.out,
                    "<Results xmlns:xsi=\"http://www.w3.org/2001/XMLSchema-instance\" \
                     enabled=\"{}\" timeout=\"{:.6}\" bmc_max=\"{}\" compositional=\"{}\" \
                     modular=\"{}\"{}>\n",
                    options.enabled.join(","),
                    options.timeout,
                    options.bmc_max,
                    options.compositional,
                    options.modular,
                    xml::searches(options)
                )?;
                let banner = Log::new(Level::Info, SOURCE, banner);
                self.piece(&xml::log(&banner))?;
            }
        }
        Ok(())
    }

    /// Do people read results, without the details of how they are found?
    pub fn is_terse(&self) -> bool {
        self.format == Format::Text && self.speaks(Level::Note) && !self.speaks(Level::Info)
    }

    fn speaks(&self, level: Level) -> bool {
        self.verbosity.is_some_and(|least| level <= least)
    }

    /// Writes something whole: the document could end behind it.
    fn piece(&mut self, text: &str) -> io::Result<()> {
        let text = match self.format {
            Format::Text if self.style.color => escape::coloured(text),
            Format::Text => printable(text),
            Format::Json | Format::Xml => text.into(),
        };
        self.out.write_all(text.as_bytes())?;
        self.out.flush()
    }

    fn object(&mut self, object: Json) -> io::Result<()> {
        if self.objects > 0 {
            writeln!(self.out, ",")?;
        }
        self.objects += 1;
        let text = serde_json::to_string_pretty(&object).map_err(io::Error::other)?;
        writeln!(self.out, "{}", escape::json(&text))?;
        self.out.flush()
    }

    pub fn log(&mut self, log: &Log) -> io::Result<()> {
        if !self.speaks(log.level) {
            return Ok(());
        }
        match self.format {
            Format::Text => {
                let place = match &log.place {
                    Some((file, at)) => {
                        format!("{}:{}:{}: ", printable_name(file), at.line, at.column)
                    }
                    None => String::new(),
                };
                self.message(log.level, &format!("{place}{}", printable(&log.value)))
            }
            Format::Json => self.object(json::log(log)),
            Format::Xml => self.piece(&xml::log(log)),
        }
    }

    /// A message for people, which may be coloured.
    fn message(&mut self, level: Level, text: &str) -> io::Result<()> {
        let (word, code) = match level {
            Level::Fatal | Level::Error => ("<Error>", "1;31"),
            Level::Warn => ("<Warning>", "1;33"),
            Level::Note => ("<Note>", "1;36"),
            Level::Info => ("<Info>", "1;34"),
            Level::Debug => ("<Debug>", "1;35"),
            Level::Trace => ("<Trace>", "1;35"),
        };
        let word = self.style.paint(code, word);
        self.piece(&format!("{word} {text}\n\n"))
    }

    /// A message about the source: with its lines for people, as a log entry
    /// for tools.
    pub fn diagnostic(&mut self, diagnostic: &Diagnostic, sources: &SourceMap) -> io::Result<()> {
        let level = match diagnostic.severity {
            Severity::Error => Level::Error,
            Severity::Warning => Level::Warn,
        };
        if !self.speaks(level) {
            return Ok(());
        }
        if self.format == Format::Text {
            let shown = diagnostic::render(diagnostic, sources, self.style.color);
            return self.piece(&format!("{shown}\n\n"));
        }
        let mut value = format!("{}: {}", diagnostic.code.as_str(), diagnostic.message);
        if let Some(help) = &diagnostic.help {
            value.push_str(&format!(" ({help})"));
        }
        let place = diagnostic.span.map(|span| {
            let file = sources.file(span.file).name.clone();
            (file, sources.position(span))
        });
        self.log(&Log {
            level,
            source: SOURCE,
            place,
            value,
        })
    }

    /// The values that the interpreter has computed.
    pub fn execution(&mut self, program: &Program, top: &Block) -> io::Result<()> {
        if self.verbosity.is_none() {
            return Ok(());
        }
        match self.format {
            Format::Text => {
                let trace = text::trace(program, top, self.style);
                self.piece(&format!("Execution:\n{trace}\n"))
            }
            Format::Json => self.object(json!({
                "objectType": "execution",
                "trace": [json::block(program, top)],
            })),
            Format::Xml => self.piece(&xml::execution(program, top)),
        }
    }

    pub fn analysis_start(&mut self, analysis: &AnalysisReport) -> io::Result<()> {
        if self.verbosity.is_none() {
            return Ok(());
        }
        match self.format {
            Format::Text if self.speaks(Level::Note) => self.piece(&text::analysis_start(analysis)),
            Format::Text => Ok(()),
            Format::Json => self.object(json!({
                "objectType": "analysisStart",
                "top": analysis.top,
                "concrete": analysis.concrete,
                "abstract": analysis.abstracted,
                "assumptions": analysis.proved,
            })),
            Format::Xml => self.piece(&xml::analysis_start(analysis)),
        }
    }

    pub fn analysis_stop(&mut self) -> io::Result<()> {
        if self.verbosity.is_none() {
            return Ok(());
        }
        match self.format {
            Format::Text => self.out.flush(),
            Format::Json => self.object(json!({ "objectType": "analysisStop" })),
            Format::Xml => self.piece("<AnalysisStop/>\n\n"),
        }
    }

    /// What a proof needs: a title and a line for each invariant; one log entry for tools.
    pub fn invariants(&mut self, title: &str, lines: &[String]) -> io::Result<()> {
        if self.format != Format::Text {
            let colon = if lines.is_empty() { "" } else { ": " };
            let value = format!("{title}{colon}{}", lines.join("; "));
            return self.log(&Log::new(Level::Note, "invariants", value));
        }
        if !self.speaks(Level::Note) {
            return Ok(());
        }
        let mut text = format!("{title}{}\n", if lines.is_empty() { "." } else { ":" });
        for line in lines {
            text.push_str(&format!("  {line}\n"));
        }
        self.piece(&format!("{text}\n"))
    }

    /// What is done with the results of an analysis begins.
    pub fn post_analysis_start(&mut self, name: &str, title: &str) -> io::Result<()> {
        if self.verbosity.is_none() {
            return Ok(());
        }
        match self.format {
            Format::Text if self.speaks(Level::Note) => {
                self.piece(&format!("{}\nPost-analysis: {title}\n\n", "-".repeat(80)))
            }
            Format::Text => Ok(()),
            Format::Json => self.object(json!({
                "objectType": "postAnalysisStart",
                "name": name,
            })),
            Format::Xml => self.piece(&format!("<PostAnalysisStart name=\"{name}\"/>\n\n")),
        }
    }

    pub fn post_analysis_end(&mut self) -> io::Result<()> {
        if self.verbosity.is_none() {
            return Ok(());
        }
        match self.format {
            Format::Text if self.speaks(Level::Note) => {
                self.piece(&format!("{}\n\n", "-".repeat(80)))
            }
            Format::Text => Ok(()),
            Format::Json => self.object(json!({ "objectType": "postAnalysisEnd" })),
            Format::Xml => self.piece("<PostAnalysisEnd/>\n\n"),
        }
    }

    /// A set of elements; `legacy`: on one line of text.
    pub fn element_set(
        &mut self,
        program: &Program,
        set: &ElementSet,
        legacy: bool,
    ) -> io::Result<()> {
        if self.verbosity.is_none() {
            return Ok(());
        }
        match self.format {
            Format::Text if self.speaks(Level::Note) => {
                self.piece(&set.text(program, self.style, legacy))
            }
            Format::Text => Ok(()),
            Format::Json => self.object(set.json(program)),
            Format::Xml => self.piece(&set.xml(program)),
        }
    }

    /// Mutants and their verdicts. The structured formats have no place for them:
    /// they go to files of their own.
    pub fn mutation(&mut self, program: &Program, report: &MutationReport) -> io::Result<()> {
        match self.format {
            Format::Text if self.speaks(Level::Note) => {
                let style = self.style;
                self.piece(&report.text(program, style))
            }
            _ => Ok(()),
        }
    }

    /// A table for people; the schemas have none.
    pub fn matrix(&mut self, matrix: &Matrix) -> io::Result<()> {
        match self.format == Format::Text && self.speaks(Level::Note) {
            true => self.piece(&matrix.text(self.style)),
            false => Ok(()),
        }
    }

    /// There is no such set, or none was found.
    pub fn no_element_set(&mut self, none: &NoElementSet) -> io::Result<()> {
        if self.verbosity.is_none() {
            return Ok(());
        }
        match self.format {
            Format::Text if self.speaks(Level::Note) => self.piece(&none.text(self.style)),
            Format::Text => Ok(()),
            Format::Json => self.object(none.json()),
            Format::Xml => self.piece(&none.xml()),
        }
    }

    /// The result of a property. A trace is shown unless `hide_trace`.
    pub fn property(
        &mut self,
        program: &Program,
        property: &PropertyReport,
        hide_trace: bool,
    ) -> io::Result<()> {
        if self.verbosity.is_none() {
            return Ok(());
        }
        match self.format {
            Format::Text if self.speaks(Level::Note) => {
                self.piece(&text::property(program, property, self.style, hide_trace))
            }
            Format::Text => Ok(()),
            Format::Json => self.object(json::property(program, property)),
            Format::Xml => self.piece(&xml::property(program, property)),
        }
    }

    /// A property that is not decided when the analysis ends. Tools want an object for
    /// each property; people read the summary.
    pub fn open_property(
        &mut self,
        program: &Program,
        property: &PropertyReport,
    ) -> io::Result<()> {
        match self.format {
            Format::Text => Ok(()),
            _ => self.property(program, property, true),
        }
    }

    /// All results of an analysis at a glance, for people.
    pub fn summary(&mut self, properties: &[PropertyReport]) -> io::Result<()> {
        if self.format == Format::Text && self.speaks(Level::Note) {
            self.piece(&text::summary(properties, self.style))?;
        }
        Ok(())
    }

    /// What became of each node, for people.
    pub fn nodes(&mut self, nodes: &[NodeReport]) -> io::Result<()> {
        if self.format == Format::Text && self.speaks(Level::Note) {
            self.piece(&text::nodes(nodes, self.style))?;
        }
        Ok(())
    }

    /// How far a part of the tool has come: a number for tools, a sentence for
    /// people. Only in verbose mode.
    pub fn progress(&mut self, source: &str, depth: usize, sentence: &str) -> io::Result<()> {
        if !self.speaks(Level::Info) {
            return Ok(());
        }
        match self.format {
            Format::Text => {
                let tag = self.style.paint("1;34", "<Info>");
                self.piece(&format!("{tag} {sentence}\n\n"))
            }
            Format::Json => self.object(json!({
                "objectType": "progress",
                "source": source,
                "k": depth,
            })),
            Format::Xml => self.piece(&xml::progress(source, depth)),
        }
    }

    /// A path on which induction fails. Tools get it as text in a log: the schemas
    /// know no such thing.
    pub fn attempt(
        &mut self,
        program: &Program,
        properties: &[&str],
        k: usize,
        path: &Block,
    ) -> io::Result<()> {
        let names = properties.join(", ");
        let title =
            format!("Counterexample to induction of {names} for k={k}: it need not be reachable");
        let table = text::trace(program, path, self.style);
        let value = format!("{title}\n{}", text::indented(&table).trim_end());
        match self.format == Format::Text && self.speaks(Level::Note) {
            true => self.message(Level::Note, &value),
            false => self.log(&Log::new(Level::Note, "ind", value)),
        }
    }

    /// What a part of the tool has done. Only in verbose mode.
    pub fn statistics(&mut self, statistics: &Statistics) -> io::Result<()> {
        if !self.speaks(Level::Info) {
            return Ok(());
        }
        match self.format {
            Format::Text => self.piece(&format!("{}\n", text::statistics(statistics))),
            Format::Json => self.object(json::statistics(statistics)),
            Format::Xml => self.piece(&xml::statistics(statistics)),
        }
    }

    /// A line for people; tools do not get it.
    pub fn plain(&mut self, line: &str) -> io::Result<()> {
        if self.format == Format::Text && self.speaks(Level::Note) {
            self.piece(&format!("{line}\n"))?;
        }
        Ok(())
    }

    /// Ends the document.
    pub fn finish(mut self) -> io::Result<()> {
        self.close()
    }

    fn close(&mut self) -> io::Result<()> {
        if !std::mem::replace(&mut self.open, false) || self.verbosity.is_none() {
            return Ok(());
        }
        self.piece(closing(self.format))
    }
}

/// What ends a document.
fn closing(format: Format) -> &'static str {
    match format {
        Format::Text => "",
        Format::Json => "]\n",
        Format::Xml => "\n</Results>\n",
    }
}

impl<W: Write> Drop for Reporter<W> {
    fn drop(&mut self) {
        // Nobody is left to hear of an error here.
        let _ = self.close();
    }
}
