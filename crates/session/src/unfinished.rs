//! What is reported if a run has to end before its work is done.
//!
//! The analysing thread records here what it has begun and not told yet, and holds the lock while
//! it tells a recorded result. If it does not end in time, the watchdog takes the lock, tells of
//! all recorded entries as undecided, and never releases the lock. So a document has each result
//! once, and no property, search or mutant is missing.

use std::io;
use std::time::Instant;

use lang::Program;
use results::{
    Event, Level, NoElementSet, PostAnalysisName, PropertyReport, PropertyVerdict,
    RealizabilityReport,
};

use crate::listener::Listener;
use crate::post::MutationRecord;
use crate::tally::Tally;

/// The work that was begun and not reported yet.
#[derive(Default)]
pub struct Unfinished {
    /// The counts of what was told.
    pub tally: Tally,
    pub(crate) analysis: Option<OpenAnalysis>,
    /// The post-analysis that is running.
    pub(crate) search: Option<OpenSearch>,
    /// The cores and cut sets that are searched for and not found yet.
    pub(crate) sets: Vec<NoElementSet>,
    pub(crate) mutants: Option<MutationRecord>,
    /// The contract check that is running.
    pub(crate) check: Option<OpenCheck>,
    /// The nodes whose analyses have not begun.
    pub(crate) waiting: Vec<String>,
}

/// An analysis that is running.
pub(crate) struct OpenAnalysis {
    program: Program,
    top: String,
    start: Instant,
    /// The head of the analysis was told.
    pub is_told: bool,
    /// All its properties as far as they are decided, in their order, once they are known.
    properties: Option<Vec<PropertyReport>>,
}

impl OpenAnalysis {
    pub fn new(program: Program, top: String) -> OpenAnalysis {
        OpenAnalysis {
            program,
            top,
            start: Instant::now(),
            is_told: false,
            properties: None,
        }
    }

    /// Records the properties, all undecided.
    pub fn ask(&mut self, properties: Vec<PropertyReport>) {
        self.properties = Some(properties);
    }

    /// Records that the verdict of a property was told. Names need not be unique.
    pub fn decide(&mut self, decided: &PropertyReport) {
        let is_it = |property: &&mut PropertyReport| {
            let same = |f: fn(&PropertyReport) -> &String| f(property) == f(decided);
            let is_open = matches!(property.verdict, PropertyVerdict::Unknown { .. });
            is_open
                && same(|property| &property.name)
                && same(|property| &property.scope)
                && property.position == decided.position
        };
        let mut known = self.properties.iter_mut().flatten();
        if let Some(property) = known.find(is_it) {
            *property = decided.clone();
        }
    }
}

/// A contract check that is running, as it is told if it does not end.
pub(crate) struct OpenCheck {
    pub report: RealizabilityReport,
    pub start: Instant,
}

/// A post-analysis that is running.
pub(crate) struct OpenSearch {
    /// The part of the tool that searches.
    pub source: &'static str,
    /// What is searched for, as messages name it.
    pub name: String,
    /// The name under which its beginning is told.
    pub told: Option<PostAnalysisName>,
}

impl Unfinished {
    /// Tells of all recorded entries as undecided, and adds them to the tally.
    pub fn tell(
        &mut self,
        timed_out: bool,
        why: (Level, &str),
        out: &mut dyn Listener,
    ) -> io::Result<()> {
        self.tally.incomplete += 1;
        self.tell_mutants(out)?;
        for set in std::mem::take(&mut self.sets) {
            out.tell(&Event::NoElementSet(&set))?;
        }
        if let Some(search) = self.search.take() {
            let message = format!("{} was stopped: it is incomplete", search.name);
            out.log(Level::Warn, search.source, message)?;
            if let Some(name) = search.told {
                out.tell(&Event::PostAnalysisEnd(name))?;
            }
        }
        if let Some(analysis) = self.analysis.take() {
            self.tell_analysis(analysis, timed_out, out)?;
        }
        if let Some(mut check) = self.check.take() {
            self.tally.unknown += 1;
            check.report.timed_out = timed_out;
            check.report.seconds = check.start.elapsed().as_secs_f64();
            out.tell(&Event::Realizability {
                program: &Program::default(),
                report: &check.report,
                hide_trace: true,
            })?;
            out.tell(&Event::AnalysisStop)?;
        }
        for node in std::mem::take(&mut self.waiting) {
            self.tally.unknown += 1;
            out.log(Level::Warn, "supervisor", not_analysed(&node))?;
        }
        out.log(why.0, "supervisor", why.1.to_owned())
    }

    fn tell_mutants(&mut self, out: &mut dyn Listener) -> io::Result<()> {
        let Some(mutants) = &mut self.mutants else {
            return Ok(());
        };
        let report = mutants.close();
        for node in &self.waiting {
            mutants.judge_none(node, None);
        }
        if let Some((program, report)) = report {
            out.tell(&Event::Mutation {
                program: &program,
                report: &report,
            })?;
            if let Some(message) = report.unsettled() {
                out.log(Level::Warn, "mutation", message)?;
            }
        }
        mutants.tell_end(&mut self.tally, out)
    }

    fn tell_analysis(
        &mut self,
        analysis: OpenAnalysis,
        timed_out: bool,
        out: &mut dyn Listener,
    ) -> io::Result<()> {
        let Some(mut properties) = analysis.properties else {
            self.tally.unknown += 1;
            let message = format!(
                "none of the properties of `{}` is decided: it was still being translated",
                analysis.top
            );
            return out.log(Level::Warn, "supervisor", message);
        };
        let seconds = analysis.start.elapsed().as_secs_f64();
        for property in &mut properties {
            match &property.verdict {
                PropertyVerdict::Unknown { .. } => {
                    self.tally.unknown += 1;
                    (property.timed_out, property.seconds) = (timed_out, seconds);
                    out.tell(&Event::OpenProperty {
                        program: &analysis.program,
                        report: property,
                    })?;
                }
                verdict => self.tally.disproved += usize::from(!verdict.is_good()),
            }
        }
        if !properties.is_empty() {
            out.tell(&Event::Summary(&properties))?;
        }
        match analysis.is_told {
            true => out.tell(&Event::AnalysisStop),
            false => Ok(()),
        }
    }
}

/// The message for a node that was not analysed in time.
pub(crate) fn not_analysed(node: &str) -> String {
    format!("`{node}` was not analysed: there was no time left")
}

#[cfg(test)]
mod tests {
    use super::*;
    use report::{Format, OutputOptions, Reporter};
    use results::SetClass;

    /// A listener that writes a document.
    struct Document<'d>(Reporter<&'d mut Vec<u8>>);

    impl Listener for Document<'_> {
        fn tell(&mut self, event: &Event) -> io::Result<()> {
            self.0.tell(event)
        }
    }

    fn property(name: &str, verdict: PropertyVerdict) -> PropertyReport {
        PropertyReport {
            name: name.to_owned(),
            scope: "top".to_owned(),
            file: "model.lus".to_owned(),
            position: syntax::Position { line: 1, column: 1 },
            source: "PropAnnot",
            verdict,
            engine: None,
            seconds: 0.0,
            timed_out: false,
            bounds: String::new(),
            vacuous_from: None,
        }
    }

    fn open(name: &str) -> PropertyReport {
        let (clear, reach) = (0, false);
        property(name, PropertyVerdict::Unknown { clear, reach })
    }

    /// The state in the middle of an analysis, with another one to come.
    fn analysing() -> Unfinished {
        let mut analysis = OpenAnalysis::new(Program::default(), "top".to_owned());
        analysis.is_told = true;
        analysis.ask(vec![open("p"), open("q"), open("r")]);
        analysis.decide(&property("q", PropertyVerdict::Valid { k: Some(1) }));
        Unfinished {
            analysis: Some(analysis),
            waiting: vec!["other".to_owned()],
            ..Unfinished::default()
        }
    }

    fn told(mut unfinished: Unfinished, format: Format) -> (String, Tally) {
        let mut text = Vec::new();
        let shown = OutputOptions {
            format,
            verbosity: Some(Level::Note),
            ..OutputOptions::default()
        };
        let why = (Level::Warn, "stopped");
        {
            let mut out = Document(Reporter::resume(&mut text, shown));
            unfinished.tell(true, why, &mut out).expect("memory");
        }
        (String::from_utf8(text).expect("text"), unfinished.tally)
    }

    #[test]
    fn every_undecided_property_is_listed() {
        for format in [Format::Text, Format::Json, Format::Xml] {
            let (text, tally) = told(analysing(), format);
            assert_eq!((tally.unknown, tally.disproved), (3, 0));
            assert!(text.contains("`other` was not analysed"), "{text}");
            match format {
                Format::Text => {
                    for line in ["p: unknown", "q: valid", "r: unknown"] {
                        assert!(text.contains(line), "{text}");
                    }
                }
                Format::Json => {
                    // The head was written by the first reporter.
                    let document = format!("[{{}}{text}");
                    let objects: Vec<serde_json::Value> =
                        serde_json::from_str(&document).expect("a whole document");
                    let names = objects.iter().filter_map(|object| object["name"].as_str());
                    assert_eq!(names.collect::<Vec<_>>(), ["p", "r"]);
                    let stop = |object: &serde_json::Value| object["objectType"] == "analysisStop";
                    assert!(objects.iter().any(stop), "{text}");
                }
                Format::Xml => {
                    assert_eq!(text.matches("<Property ").count(), 2, "{text}");
                    assert!(text.contains("<AnalysisStop/>"), "{text}");
                    assert!(text.ends_with("</Results>\n"), "{text}");
                }
            }
        }
    }

    #[test]
    fn what_is_disproved_still_counts() {
        let mut unfinished = analysing();
        if let Some(analysis) = &mut unfinished.analysis {
            analysis.decide(&property("p", PropertyVerdict::Unreachable { k: None }));
        }
        assert_eq!(told(unfinished, Format::Json).1.disproved, 1);
    }

    #[test]
    fn searches_are_incomplete() {
        let unfinished = Unfinished {
            search: Some(OpenSearch {
                source: "ivc",
                name: "the search for cores of top".to_owned(),
                told: Some(PostAnalysisName {
                    name: "ivc",
                    title: "inductive validity core",
                    in_schema: true,
                }),
            }),
            sets: vec![NoElementSet {
                class: SetClass::Ivc,
                property: Some("p".to_owned()),
                unknown: true,
                seconds: 0.0,
            }],
            ..Unfinished::default()
        };
        let (text, tally) = told(unfinished, Format::Json);
        assert_eq!(tally.incomplete, 1);
        for part in ["noModelElementSet", "incomplete", "postAnalysisEnd"] {
            assert!(text.contains(part), "{text}");
        }
    }

    #[test]
    fn a_model_that_is_still_translated_is_named() {
        let unfinished = Unfinished {
            analysis: Some(OpenAnalysis::new(Program::default(), "top".to_owned())),
            ..Unfinished::default()
        };
        let (text, tally) = told(unfinished, Format::Text);
        assert_eq!(tally.unknown, 1);
        assert!(
            text.contains("none of the properties of `top` is decided"),
            "{text}"
        );
    }
}
