//! One list of JSON objects, after the schema of Kind 2.

use results::{Event, Level, Log};
use serde_json::{Value as Json, json};

use super::{SOURCE, Sink, log_of, log_of_invariants};
use crate::reporter::RunOptions;
use crate::text::{self, Style};
use crate::{contract_check, elements, escape, json};

pub(super) struct Document {
    /// An object was written, so that the next one needs a comma.
    pub is_begun: bool,
    /// The style of tables in messages.
    pub style: Style,
}

impl Sink for Document {
    fn head(&mut self, banner: &str, options: &RunOptions) -> String {
        let banner = self.object(json!({
            "objectType": "log",
            "level": "info",
            "source": SOURCE,
            "value": banner,
        }));
        format!("[\n{banner}{}", self.object(json::options(options)))
    }

    fn event(&mut self, event: &Event) -> Option<String> {
        let object = self.object_of(event)?;
        Some(self.object(object))
    }

    fn end(&self) -> &'static str {
        "]\n"
    }

    fn is_for_tools(&self) -> bool {
        true
    }
}

impl Document {
    fn object(&mut self, object: Json) -> String {
        let comma = match std::mem::replace(&mut self.is_begun, true) {
            true => ",\n",
            false => "",
        };
        let text = format!("{object:#}");
        format!("{comma}{}\n", escape::json(&text))
    }

    fn object_of(&self, event: &Event) -> Option<Json> {
        Some(match event {
            Event::Log(log) => json::log(log),
            Event::Diagnostic {
                diagnostic,
                sources,
            } => json::log(&log_of(diagnostic, sources)),
            Event::Execution { program, top } => json!({
                "objectType": "execution",
                "trace": [json::block(program, top)],
            }),
            Event::AnalysisStart(analysis) => json::analysis_start(analysis),
            Event::AnalysisStop => json!({ "objectType": "analysisStop" }),
            Event::PostAnalysisStart(which) if which.in_schema => json!({
                "objectType": "postAnalysisStart",
                "name": which.name,
            }),
            Event::PostAnalysisEnd(which) if which.in_schema => {
                json!({ "objectType": "postAnalysisEnd" })
            }
            Event::Property {
                program, report, ..
            }
            | Event::OpenProperty { program, report } => json::property(program, report),
            Event::ElementSet { program, set } => elements::json(set, program),
            Event::NoElementSet(none) => elements::none_json(none),
            Event::Invariants { title, lines } => json::log(&log_of_invariants(title, lines)),
            Event::Progress { source, depth, .. } => json!({
                "objectType": "progress",
                "source": source,
                "k": depth,
            }),
            Event::InductionFailure {
                program,
                properties,
                k,
                path,
            } => {
                let value = text::induction_failure(program, properties, *k, path, self.style);
                json::log(&Log::new(Level::Note, "ind", value))
            }
            Event::Statistics(statistics) => json::statistics(statistics),
            Event::Realizability {
                program, report, ..
            } => contract_check::json(program, report),
            Event::Satisfiability(report) => contract_check::satisfiability_json(report),
            Event::PostAnalysisStart(_)
            | Event::PostAnalysisEnd(_)
            | Event::Line(_)
            | Event::Summary(_)
            | Event::Nodes(_)
            | Event::Mutation { .. }
            | Event::AllMutants { .. }
            | Event::Transient(_)
            | Event::Matrix { .. } => return None,
        })
    }
}
