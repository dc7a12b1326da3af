//! One document of results, written as they come.

use std::io::{self, Write};

use lang::{Program, Type, Value};
use num_bigint::BigInt;
use serde_json::{Map, Value as Json, json};
use syntax::ast::NodeKind;
use syntax::{Diagnostic, Position, Severity, SourceMap};

use crate::trace::{Block, Stream};
use crate::verdict::{AnalysisReport, Answer, PropertyReport};
use crate::{diagnostic, text, xml};

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
}

/// Writes a document: call [`Reporter::finish`] at the end; a reporter that is
/// dropped without it closes the document all the same.
pub struct Reporter<W: Write> {
    out: W,
    format: Format,
    color: bool,
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
        color: bool,
        verbosity: Verbosity,
        banner: &str,
        options: &RunOptions,
    ) -> io::Result<Reporter<W>> {
        let mut reporter = Reporter {
            out,
            format,
            color,
            verbosity,
            objects: 0,
            open: true,
        };
        reporter.head(banner, options)?;
        Ok(reporter)
    }

    fn head(&mut self, banner: &str, options: &RunOptions) -> io::Result<()> {
        if self.verbosity.is_none() {
            return Ok(());
        }
        match self.format {
            Format::Text => {
                if self.speaks(Level::Note) {
                    writeln!(self.out, " {banner}\n")?;
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
                self.object(json!({
                    "objectType": "kind2Options",
                    "enabled": options.enabled,
                    "timeout": options.timeout,
                    "bmcMax": options.bmc_max,
                    "compositional": options.compositional,
                    "modular": options.modular,
                }))?;
            }
            Format::Xml => {
                writeln!(self.out, "<?xml version=\"1.0\"?>")?;
                writeln!(
                    self.out,
                    "<Results xmlns:xsi=\"http://www.w3.org/2001/XMLSchema-instance\" \
                     enabled=\"{}\" timeout=\"{:.6}\" bmc_max=\"{}\" compositional=\"{}\" \
                     modular=\"{}\">\n",
                    options.enabled.join(","),
                    options.timeout,
                    options.bmc_max,
                    options.compositional,
                    options.modular
                )?;
                let banner = Log::new(Level::Info, SOURCE, banner);
                write!(self.out, "{}", xml::log(&banner))?;
            }
        }
        Ok(())
    }

    fn speaks(&self, level: Level) -> bool {
        self.verbosity.is_some_and(|least| level <= least)
    }

    fn object(&mut self, object: Json) -> io::Result<()> {
        if self.objects > 0 {
            writeln!(self.out, ",")?;
        }
        self.objects += 1;
        let text = serde_json::to_string_pretty(&object).map_err(io::Error::other)?;
        writeln!(self.out, "{text}")?;
        self.out.flush()
    }

    pub fn log(&mut self, log: &Log) -> io::Result<()> {
        if !self.speaks(log.level) {
            return Ok(());
        }
        match self.format {
            Format::Text => {
                let (word, style) = match log.level {
                    Level::Fatal | Level::Error => ("Error", "31"),
                    Level::Warn => ("Warning", "33"),
                    Level::Note => ("Note", "36"),
                    Level::Info => ("Info", "34"),
                    Level::Debug => ("Debug", "35"),
                    Level::Trace => ("Trace", "35"),
                };
                let word = match self.color {
                    true => format!("\u{1b}[1;{style}m<{word}>\u{1b}[0m"),
                    false => format!("<{word}>"),
                };
                let place = match &log.place {
                    Some((file, at)) => format!("{file}:{}:{}: ", at.line, at.column),
                    None => String::new(),
                };
                writeln!(self.out, "{word} {place}{}\n", log.value)
            }
            Format::Json => {
                let mut object = Map::new();
                object.insert("objectType".into(), "log".into());
                object.insert("level".into(), log.level.name().into());
                object.insert("source".into(), log.source.into());
                if let Some((file, at)) = &log.place {
                    object.insert("file".into(), file.as_str().into());
                    object.insert("line".into(), at.line.into());
                    object.insert("column".into(), at.column.into());
                }
                object.insert("value".into(), log.value.as_str().into());
                self.object(object.into())
            }
            Format::Xml => write!(self.out, "{}", xml::log(log)),
        }
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
            let shown = diagnostic::render(diagnostic, sources, self.color);
            return writeln!(self.out, "{shown}\n");
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
                writeln!(self.out, "Execution:\n{}", text::trace(program, top))
            }
            Format::Json => self.object(json!({
                "objectType": "execution",
                "trace": [block_json(program, top)],
            })),
            Format::Xml => write!(self.out, "{}", xml::execution(program, top)),
        }
    }

    pub fn analysis_start(&mut self, analysis: &AnalysisReport) -> io::Result<()> {
        if self.verbosity.is_none() {
            return Ok(());
        }
        match self.format {
            Format::Text if self.speaks(Level::Note) => {
                let bar = "=".repeat(80);
                let what = match analysis.contract_only {
                    true => "the contract of ",
                    false => "",
                };
                writeln!(self.out, "\n{bar}\nAnalyzing {what}{}", analysis.top)?;
                for (kind, names) in [
                    ("concrete", &analysis.concrete),
                    ("abstract", &analysis.abstracted),
                ] {
                    if !names.is_empty() {
                        writeln!(self.out, "  {kind}: {}", names.join(", "))?;
                    }
                }
                writeln!(self.out)
            }
            Format::Text => Ok(()),
            Format::Json => self.object(json!({
                "objectType": "analysisStart",
                "top": analysis.top,
                "concrete": analysis.concrete,
                "abstract": analysis.abstracted,
                "assumptions": [],
            })),
            Format::Xml => {
                let head = xml::analysis_start(analysis);
                write!(self.out, "{head}")
            }
        }
    }

    pub fn analysis_stop(&mut self) -> io::Result<()> {
        if self.verbosity.is_none() {
            return Ok(());
        }
        match self.format {
            Format::Text => self.out.flush(),
            Format::Json => self.object(json!({ "objectType": "analysisStop" })),
            Format::Xml => writeln!(self.out, "<AnalysisStop/>\n"),
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
                self.property_text(program, property, hide_trace)
            }
            Format::Text => Ok(()),
            Format::Json => self.object(property_json(program, property)),
            Format::Xml => {
                let text = xml::property(program, property);
                write!(self.out, "{text}")?;
                self.out.flush()
            }
        }
    }

    fn property_text(
        &mut self,
        program: &Program,
        property: &PropertyReport,
        hide_trace: bool,
    ) -> io::Result<()> {
        let (tag, style) = match property.answer.is_good() {
            true => ("<Success>", "32"),
            false => ("<Failure>", "31"),
        };
        let tag = match self.color {
            true => format!("\u{1b}[1;{style}m{tag}\u{1b}[0m"),
            false => tag.to_owned(),
        };
        let by = match property.engine {
            Some((_, name)) => format!(" by {name}"),
            None => String::new(),
        };
        let answer = match &property.answer {
            Answer::Falsifiable { step, .. } => format!("invalid{by} for k={step}"),
            Answer::Reachable { step, .. } => format!("reachable{by} for k={step}"),
            Answer::Unreachable { .. } => format!("unreachable{}{by}", property.bounds),
            other => format!("{}{by}", other.word()),
        };
        let (name, seconds) = (&property.name, property.seconds);
        writeln!(
            self.out,
            "{tag} Property {name} is {answer} after {seconds:.3}s.\n"
        )?;
        let shown = match &property.answer {
            Answer::Falsifiable { trace, .. } => Some(("Counterexample", trace)),
            Answer::Reachable { trace, .. } => Some(("Witness", trace)),
            _ => None,
        };
        if let Some((title, trace)) = shown.filter(|_| !hide_trace) {
            writeln!(self.out, "{title}:")?;
            for line in text::trace(program, trace).lines() {
                writeln!(self.out, "  {line}")?;
            }
            writeln!(self.out)?;
        }
        self.out.flush()
    }

    /// All results of an analysis at a glance, for people.
    pub fn summary(&mut self, properties: &[PropertyReport]) -> io::Result<()> {
        if self.format != Format::Text || !self.speaks(Level::Note) {
            return Ok(());
        }
        let bar = "-".repeat(80);
        writeln!(self.out, "{bar}\nSummary of properties:\n{bar}")?;
        for property in properties {
            let answer = match &property.answer {
                Answer::Valid { k: Some(k) } => format!("valid (k={k})"),
                Answer::Valid { k: None } => "valid".to_owned(),
                Answer::Falsifiable { step, .. } => format!("invalid after {step} steps"),
                Answer::Reachable { step, .. } => format!("reachable after {step} steps"),
                Answer::Unreachable { .. } => format!("unreachable{}", property.bounds),
                Answer::Unknown { clear: 0, .. } => "unknown".to_owned(),
                Answer::Unknown { clear, reach: true } => {
                    format!("unknown, unreachable for {clear} steps")
                }
                Answer::Unknown { clear, .. } => format!("unknown, true for {clear} steps"),
            };
            let answer = match (self.color, property.answer.is_good()) {
                (false, _) => answer,
                (true, true) => format!("\u{1b}[32m{answer}\u{1b}[0m"),
                (true, false) => format!("\u{1b}[31m{answer}\u{1b}[0m"),
            };
            writeln!(self.out, "{}: {answer}", property.name)?;
        }
        writeln!(self.out, "{}\n", "=".repeat(80))
    }

    /// A line for people; tools do not get it.
    pub fn plain(&mut self, line: &str) -> io::Result<()> {
        if self.format == Format::Text && self.speaks(Level::Note) {
            writeln!(self.out, "{line}")?;
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
        match self.format {
            Format::Text => {}
            Format::Json => writeln!(self.out, "]")?,
            Format::Xml => writeln!(self.out, "\n</Results>")?,
        }
        self.out.flush()
    }
}

impl<W: Write> Drop for Reporter<W> {
    fn drop(&mut self) {
        // Nobody is left to hear of an error here.
        let _ = self.close();
    }
}

fn property_json(program: &Program, property: &PropertyReport) -> Json {
    let mut object = Map::new();
    object.insert("objectType".into(), "property".into());
    object.insert("name".into(), property.name.as_str().into());
    object.insert("scope".into(), property.scope.as_str().into());
    object.insert("file".into(), property.file.as_str().into());
    object.insert("line".into(), property.position.line.into());
    object.insert("column".into(), property.position.column.into());
    object.insert("source".into(), property.source.into());
    object.insert(
        "runtime".into(),
        json!({ "unit": "sec", "timeout": false, "value": round(property.seconds) }),
    );
    let mut answer = Map::new();
    if let Some((engine, _)) = property.engine {
        answer.insert("source".into(), engine.into());
    }
    answer.insert("value".into(), property.answer.word().into());
    let trace = |trace: &Block| json!([block_json(program, trace)]);
    match &property.answer {
        Answer::Valid { k } | Answer::Unreachable { k } => {
            if let Some(k) = k {
                object.insert("k".into(), (*k).into());
            }
            object.insert("answer".into(), answer.into());
        }
        Answer::Falsifiable { step, trace: run } => {
            object.insert("falseAt".into(), (*step).into());
            object.insert("answer".into(), answer.into());
            object.insert("counterExample".into(), trace(run));
        }
        Answer::Reachable { step, trace: run } => {
            object.insert("reachableAt".into(), (*step).into());
            object.insert("answer".into(), answer.into());
            object.insert("witness".into(), trace(run));
        }
        Answer::Unknown { clear, reach } => {
            let key = match reach {
                true => "unreachableFor",
                false => "trueFor",
            };
            object.insert(key.into(), (*clear).into());
            object.insert("answer".into(), answer.into());
        }
    }
    object.into()
}

/// To milliseconds.
fn round(seconds: f64) -> f64 {
    (seconds * 1000.0).round() / 1000.0
}

fn block_json(program: &Program, block: &Block) -> Json {
    let mut object = Map::new();
    let kind = match block.kind {
        NodeKind::Node => "node",
        NodeKind::Function => "function",
    };
    object.insert("blockType".into(), kind.into());
    object.insert("name".into(), block.name.as_str().into());
    if let Some((file, at)) = &block.site {
        object.insert("file".into(), file.as_str().into());
        object.insert("line".into(), at.line.into());
        object.insert("column".into(), at.column.into());
    }
    let streams = block
        .streams
        .iter()
        .map(|stream| stream_json(program, stream));
    object.insert("streams".into(), streams.collect());
    if !block.children.is_empty() {
        let children = block
            .children
            .iter()
            .map(|child| block_json(program, child));
        object.insert("subnodes".into(), children.collect());
    }
    object.into()
}

fn stream_json(program: &Program, stream: &Stream) -> Json {
    let mut object = Map::new();
    object.insert("name".into(), stream.name.as_str().into());
    let (name, info) = type_json(program, &stream.ty);
    object.insert("type".into(), name.into());
    if let Some(info) = info {
        object.insert("typeInfo".into(), info);
    }
    object.insert("class".into(), stream.class.schema_name().into());
    let values = stream.values.iter().enumerate();
    let values = values.filter_map(|(step, value)| {
        let value = value.as_ref()?;
        Some(json!([step, value_json(program, value)]))
    });
    object.insert("instantValues".into(), values.collect());
    object.into()
}

/// The name of the type in the schema, and what more there is to say.
fn type_json(program: &Program, ty: &Type) -> (String, Option<Json>) {
    match ty {
        Type::Range(range) => {
            let mut info = Map::new();
            if let Some(low) = &range.low {
                info.insert("min".into(), integer(low));
            }
            if let Some(high) = &range.high {
                info.insert("max".into(), integer(high));
            }
            ("subrange".into(), Some(info.into()))
        }
        Type::Enum(id) => {
            let decl = program.enumeration(*id);
            let values: Vec<&str> = decl.values.iter().map(|value| value.as_str()).collect();
            let info = json!({ "name": decl.name.as_str(), "values": values });
            ("enum".into(), Some(info))
        }
        Type::Abstract(_) => {
            let info = json!({ "name": program.type_name(ty) });
            ("abstr".into(), Some(info))
        }
        Type::Array(_) => {
            let mut sizes = Vec::new();
            let mut element = ty;
            while let Type::Array(array) = element {
                sizes.push(array.size.known().map_or(Json::Null, Json::from));
                element = &array.element;
            }
            let (base, base_info) = type_json(program, element);
            let mut info = Map::new();
            info.insert("baseType".into(), base.into());
            if let Some(base_info) = base_info {
                info.insert("baseTypeInfo".into(), base_info);
            }
            info.insert("sizes".into(), sizes.into());
            ("array".into(), Some(info.into()))
        }
        other => (program.type_name(other), None),
    }
}

fn value_json(program: &Program, value: &Value) -> Json {
    match value {
        Value::Bool(value) => (*value).into(),
        Value::Int(value) | Value::Abstract(value) => integer(value),
        Value::Machine(_, value) => integer(&BigInt::from(*value)),
        Value::Real(value) => json!({
            "num": integer(value.numer()),
            "den": integer(value.denom()),
        }),
        Value::Enum(id, at) => program.enumeration(*id).values[*at as usize]
            .as_str()
            .into(),
        Value::Array(values) | Value::Fields(values) => values
            .iter()
            .map(|value| value_json(program, value))
            .collect(),
    }
}

/// An integer of any size as a JSON number.
fn integer(value: &BigInt) -> Json {
    match value.to_string().parse::<serde_json::Number>() {
        Ok(number) => Json::Number(number),
        Err(_) => Json::Null,
    }
}
