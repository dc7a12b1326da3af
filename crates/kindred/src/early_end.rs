//! What is told if the process has to end before its work is done.
//!
//! The thread that analyses notes here what it has begun and not told yet, and holds the
//! lock while it tells something that is noted. A part of it that does not look at the
//! clock is not waited for: the watchdog takes the lock, tells of all that is noted as
//! undecided, and never gives the lock back. So a document has each result once, and no
//! property, search or mutant is missing.

use std::io;
use std::time::Instant;

use lang::Program;
use report::{Answer, Level, Log, NoElementSet, PropertyReport, Reporter};

use crate::mutation_record::MutationRecord;
use crate::tally::Tally;

#[derive(Default)]
pub struct EarlyEnd {
    /// Of what is told.
    pub tally: Tally,
    pub analysis: Option<OpenAnalysis>,
    /// What the results of an analysis are searched for.
    pub search: Option<OpenSearch>,
    /// The sets of elements that are looked for, and not found yet.
    pub sets: Vec<NoElementSet>,
    pub mutants: Option<MutationRecord>,
    /// The nodes whose analyses have not begun.
    pub waiting: Vec<String>,
}

/// An analysis that is running.
pub struct OpenAnalysis {
    program: Program,
    top: String,
    start: Instant,
    /// Its beginning is told.
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

    /// These are the properties, none of which is decided.
    pub fn ask(&mut self, properties: Vec<PropertyReport>) {
        self.properties = Some(properties);
    }

    /// What becomes of a property is told. Names need not be unique.
    pub fn decide(&mut self, decided: &PropertyReport) {
        let is_it = |property: &&mut PropertyReport| {
            let same = |f: fn(&PropertyReport) -> &String| f(property) == f(decided);
            let is_open = matches!(property.answer, Answer::Unknown { .. });
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

/// A search in the results of an analysis.
pub struct OpenSearch {
    /// The part of the tool that searches.
    pub source: &'static str,
    /// What for.
    pub name: String,
    /// Its beginning is told, and not its end.
    pub is_told: bool,
}

impl EarlyEnd {
    /// Tells of all that is noted, as undecided; the tally then has it too.
    pub fn tell<W: io::Write>(
        &mut self,
        timed_out: bool,
        why: (Level, &str),
        out: &mut Reporter<W>,
    ) -> io::Result<()> {
        self.tally.incomplete += 1;
        self.tell_mutants(out)?;
        for set in std::mem::take(&mut self.sets) {
            out.no_element_set(&set)?;
        }
        if let Some(search) = self.search.take() {
            let message = format!("{} was stopped: it is incomplete", search.name);
            out.log(&Log::new(Level::Warn, search.source, message))?;
            if search.is_told {
                out.post_analysis_end()?;
            }
        }
        if let Some(analysis) = self.analysis.take() {
            self.tell_analysis(analysis, timed_out, out)?;
        }
        for node in std::mem::take(&mut self.waiting) {
            self.tally.unknown += 1;
            out.log(&Log::new(Level::Warn, "supervisor", not_analysed(&node)))?;
        }
        out.log(&Log::new(why.0, "supervisor", why.1))
    }

    fn tell_mutants<W: io::Write>(&mut self, out: &mut Reporter<W>) -> io::Result<()> {
        let Some(mutants) = &mut self.mutants else {
            return Ok(());
        };
        let report = mutants.close();
        for node in &self.waiting {
            mutants.judge_none(node, None);
        }
        if let Some((program, report)) = report {
            out.mutation(&program, &report)?;
            if let Some(message) = report.unsettled() {
                out.log(&Log::new(Level::Warn, "mutation", message))?;
            }
        }
        for message in mutants.write() {
            self.tally.errors += 1;
            out.log(&Log::new(Level::Error, "mutation", message))?;
        }
        if let Some(message) = mutants.unmet() {
            self.tally.weak += 1;
            out.log(&Log::new(Level::Warn, "mutation", message))?;
        }
        Ok(())
    }

    fn tell_analysis<W: io::Write>(
        &mut self,
        analysis: OpenAnalysis,
        timed_out: bool,
        out: &mut Reporter<W>,
    ) -> io::Result<()> {
        let Some(mut properties) = analysis.properties else {
            self.tally.unknown += 1;
            let message = format!(
                "none of the properties of `{}` is decided: it was still being translated",
                analysis.top
            );
            return out.log(&Log::new(Level::Warn, "supervisor", message));
        };
        let seconds = analysis.start.elapsed().as_secs_f64();
        for property in &mut properties {
            match &property.answer {
                Answer::Unknown { .. } => {
                    self.tally.unknown += 1;
                    (property.timed_out, property.seconds) = (timed_out, seconds);
                    out.open_property(&analysis.program, property)?;
                }
                answer => self.tally.disproved += usize::from(!answer.is_good()),
            }
        }
        if !properties.is_empty() {
            out.summary(&properties)?;
        }
        match analysis.is_told {
            true => out.analysis_stop(),
            false => Ok(()),
        }
    }
}

/// What is said of a node that there was no time for.
pub fn not_analysed(node: &str) -> String {
    format!("`{node}` was not analysed: there was no time left")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::args::ExitCodeMode;
    use crate::exit;
    use report::{Format, SetClass, Style};

    fn property(name: &str, answer: Answer) -> PropertyReport {
        PropertyReport {
            name: name.to_owned(),
            scope: "top".to_owned(),
            file: "model.lus".to_owned(),
            position: syntax::Position { line: 1, column: 1 },
            source: "PropAnnot",
            answer,
            engine: None,
            seconds: 0.0,
            timed_out: false,
            bounds: String::new(),
            vacuous_from: None,
        }
    }

    fn open(name: &str) -> PropertyReport {
        let (clear, reach) = (0, false);
        property(name, Answer::Unknown { clear, reach })
    }

    /// In the middle of an analysis, with another one to come.
    fn analysing() -> EarlyEnd {
        let mut analysis = OpenAnalysis::new(Program::default(), "top".to_owned());
        analysis.is_told = true;
        analysis.ask(vec![open("p"), open("q"), open("r")]);
        analysis.decide(&property("q", Answer::Valid { k: Some(1) }));
        EarlyEnd {
            analysis: Some(analysis),
            waiting: vec!["other".to_owned()],
            ..EarlyEnd::default()
        }
    }

    fn told(mut early_end: EarlyEnd, format: Format) -> (String, u8) {
        let mut text = Vec::new();
        let mut out = Reporter::resume(&mut text, format, Style::default(), Some(Level::Note));
        let why = (Level::Warn, "stopped");
        early_end.tell(true, why, &mut out).expect("memory");
        out.finish().expect("memory");
        let code = early_end.tally.exit_code(ExitCodeMode::Results);
        (String::from_utf8(text).expect("text"), code)
    }

    #[test]
    fn every_undecided_property_is_listed() {
        for format in [Format::Text, Format::Json, Format::Xml] {
            let (text, code) = told(analysing(), format);
            assert_eq!(code, exit::UNKNOWN);
            assert!(text.contains("`other` was not analysed"), "{text}");
            match format {
                Format::Text => {
                    for line in ["p: unknown", "q: valid", "r: unknown"] {
                        assert!(text.contains(line), "{text}");
                    }
                }
                Format::Json => {
                    // The head was written by another.
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
        let mut early_end = analysing();
        if let Some(analysis) = &mut early_end.analysis {
            analysis.decide(&property("p", Answer::Unreachable { k: None }));
        }
        assert_eq!(told(early_end, Format::Json).1, exit::DISPROVED);
    }

    #[test]
    fn searches_are_incomplete() {
        let early_end = EarlyEnd {
            search: Some(OpenSearch {
                source: "ivc",
                name: "the search for cores of top".to_owned(),
                is_told: true,
            }),
            sets: vec![NoElementSet {
                class: SetClass::Ivc,
                property: Some("p".to_owned()),
                unknown: true,
                seconds: 0.0,
            }],
            ..EarlyEnd::default()
        };
        let (text, code) = told(early_end, Format::Json);
        assert_eq!(code, exit::UNKNOWN);
        for part in ["noModelElementSet", "incomplete", "postAnalysisEnd"] {
            assert!(text.contains(part), "{text}");
        }
    }

    #[test]
    fn a_model_that_is_still_translated_is_named() {
        let early_end = EarlyEnd {
            analysis: Some(OpenAnalysis::new(Program::default(), "top".to_owned())),
            ..EarlyEnd::default()
        };
        let (text, code) = told(early_end, Format::Text);
        assert_eq!(code, exit::UNKNOWN);
        assert!(
            text.contains("none of the properties of `top` is decided"),
            "{text}"
        );
    }
}
