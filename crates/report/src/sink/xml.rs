//! One `Results` element, after the schema of Kind 2.

use results::{Event, Level, Log};

use super::{SOURCE, Sink, log_of, log_of_invariants};
use crate::reporter::RunOptions;
use crate::text::{self, Style};
use crate::{contract_check, elements, xml};

pub(super) struct Document {
    /// The style of tables in messages.
    pub style: Style,
}

impl Sink for Document {
    fn head(&mut self, banner: &str, options: &RunOptions) -> String {
        let banner = Log::new(Level::Info, SOURCE, banner);
        format!(
            "<?xml version=\"1.0\"?>\n{}{}",
            xml::results(options),
            xml::log(&banner)
        )
    }

    fn event(&mut self, event: &Event) -> Option<String> {
        Some(match event {
            Event::Log(log) => xml::log(log),
            Event::Diagnostic {
                diagnostic,
                sources,
            } => xml::log(&log_of(diagnostic, sources)),
            Event::Execution { program, top } => xml::execution(program, top),
            Event::AnalysisStart(analysis) => xml::analysis_start(analysis),
            Event::AnalysisStop => "<AnalysisStop/>\n\n".to_owned(),
            Event::PostAnalysisStart(which) if which.in_schema => {
                format!("<PostAnalysisStart name=\"{}\"/>\n\n", which.name)
            }
            Event::PostAnalysisEnd(which) if which.in_schema => "<PostAnalysisEnd/>\n\n".to_owned(),
            Event::Property {
                program, report, ..
            }
            | Event::OpenProperty { program, report } => xml::property(program, report),
            Event::ElementSet { program, set } => elements::xml(set, program),
            Event::NoElementSet(none) => elements::none_xml(none),
            Event::Invariants { title, lines } => xml::log(&log_of_invariants(title, lines)),
            Event::Progress { source, depth, .. } => xml::progress(source, *depth),
            Event::InductionFailure {
                program,
                properties,
                k,
                path,
            } => {
                let value = text::induction_failure(program, properties, *k, path, self.style);
                xml::log(&Log::new(Level::Note, "ind", value))
            }
            Event::Statistics(statistics) => xml::statistics(statistics),
            Event::Realizability {
                program, report, ..
            } => contract_check::xml(program, report),
            Event::Satisfiability(report) => contract_check::satisfiability_xml(report),
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

    fn end(&self) -> &'static str {
        "\n</Results>\n"
    }

    fn is_for_tools(&self) -> bool {
        true
    }
}
