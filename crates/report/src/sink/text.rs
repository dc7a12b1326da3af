//! Text, for people.

use results::{Event, Level, Log};
use syntax::{printable, printable_name};

use super::Sink;
use crate::reporter::RunOptions;
use crate::text::{self, Style};
use crate::{contract_check, diagnostic, elements, escape, matrix, mutation};

pub(super) struct Text {
    pub style: Style,
}

impl Sink for Text {
    fn head(&mut self, banner: &str, _: &RunOptions) -> String {
        format!(" {banner}\n\n")
    }

    fn event(&mut self, event: &Event) -> Option<String> {
        let text = self.shown(event)?;
        let text = match self.style.color {
            true => escape::coloured(&text),
            false => printable(&text),
        };
        Some(text.into_owned())
    }

    fn end(&self) -> &'static str {
        ""
    }

    fn is_for_tools(&self) -> bool {
        false
    }
}

impl Text {
    fn shown(&self, event: &Event) -> Option<String> {
        let style = self.style;
        Some(match event {
            Event::Log(log) => self.log(log),
            Event::Diagnostic {
                diagnostic,
                sources,
            } => {
                let shown = diagnostic::render(diagnostic, sources, style.color);
                format!("{shown}\n\n")
            }
            Event::Line(line) => format!("{line}\n"),
            Event::Execution { program, top } => {
                format!("Execution:\n{}\n", text::trace(program, top, style))
            }
            Event::AnalysisStart(analysis) => text::analysis_start(analysis),
            Event::PostAnalysisStart(which) => {
                format!("{}\nPost-analysis: {}\n\n", "-".repeat(80), which.title)
            }
            Event::PostAnalysisEnd(_) => format!("{}\n\n", "-".repeat(80)),
            Event::Property {
                program,
                report,
                hide_trace,
            } => text::property(program, report, style, *hide_trace),
            Event::Summary(properties) => text::summary(properties, style),
            Event::Nodes(nodes) => text::nodes(nodes, style),
            Event::ElementSet { program, set } => elements::text(set, program, style),
            Event::NoElementSet(none) => elements::none_text(none, style),
            Event::Mutation { program, report } => mutation::text(report, program, style),
            Event::Matrix { matrix: shown, .. } => matrix::text(shown, style),
            Event::Invariants { title, lines } => {
                let mut text = format!("{title}{}\n", if lines.is_empty() { "." } else { ":" });
                for line in *lines {
                    text.push_str(&format!("  {line}\n"));
                }
                format!("{text}\n")
            }
            Event::Progress { sentence, .. } => {
                format!("{} {sentence}\n\n", style.paint("1;34", "<Info>"))
            }
            Event::InductionFailure {
                program,
                properties,
                k,
                path,
            } => {
                let value = text::induction_failure(program, properties, *k, path, style);
                self.message(Level::Note, &value)
            }
            Event::Realizability {
                program,
                report,
                hide_trace,
            } => contract_check::text(program, report, style, *hide_trace),
            Event::Satisfiability(report) => contract_check::satisfiability_text(report, style),
            Event::Statistics(statistics) => format!("{}\n", text::statistics(statistics)),
            Event::AnalysisStop
            | Event::OpenProperty { .. }
            | Event::AllMutants { .. }
            | Event::Transient(_) => return None,
        })
    }

    fn log(&self, log: &Log) -> String {
        let place = match &log.place {
            Some((file, at)) => format!("{}:{}:{}: ", printable_name(file), at.line, at.column),
            None => String::new(),
        };
        self.message(log.level, &format!("{place}{}", printable(&log.value)))
    }

    fn message(&self, level: Level, text: &str) -> String {
        let (word, code) = match level {
            Level::Fatal | Level::Error => ("<Error>", "1;31"),
            Level::Warn => ("<Warning>", "1;33"),
            Level::Note => ("<Note>", "1;36"),
            Level::Info => ("<Info>", "1;34"),
            Level::Debug => ("<Debug>", "1;35"),
            Level::Trace => ("<Trace>", "1;35"),
        };
        format!("{} {text}\n\n", self.style.paint(code, word))
    }
}
