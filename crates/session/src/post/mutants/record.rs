//! The mutants of all analyses so far, and the threshold for their score.
//!
//! Scripts depend on the threshold, so it is met only by mutants that were judged: a mutant that is
//! undecided, or was not reached in time, counts as not killed, and a run that judged no mutant
//! does not meet the threshold.

use std::io;

use lang::Program;
use results::{Event, Level, MutantReport, MutantVerdict, MutationReport};
use syntax::SourceMap;

use super::options::MutationOptions;
use crate::listener::Listener;
use crate::tally::Tally;

pub struct MutationRecord {
    threshold: Option<f64>,
    sources: SourceMap,
    /// The reports of the analyses that are done.
    reports: Vec<MutationReport>,
    /// The analysis whose mutants are being judged, with the results so far.
    open: Option<(Program, MutationReport)>,
    /// Nodes whose mutants could not be judged.
    unjudged: Vec<String>,
    /// The node that is analysed, until its mutants are judged.
    pending: Option<String>,
}

impl MutationRecord {
    pub fn new(options: &MutationOptions, sources: &SourceMap) -> MutationRecord {
        MutationRecord {
            threshold: options.threshold,
            sources: sources.clone(),
            reports: Vec::new(),
            open: None,
            unjudged: Vec::new(),
            pending: None,
        }
    }

    /// Records that the mutants of a node will be judged.
    pub fn expect(&mut self, node: String) {
        self.pending = Some(node);
    }

    /// Records that the mutants of the node are judged, or that it has none.
    pub fn is_judged(&mut self) {
        self.pending = None;
    }

    /// Begins to judge the mutants of an analysis; in the report, all are undecided.
    pub fn open(&mut self, program: &Program, report: MutationReport) {
        self.open = Some((program.clone(), report));
    }

    /// The report of the analysis at hand.
    pub fn current(&mut self) -> Option<&mut MutationReport> {
        self.open.as_mut().map(|(_, report)| report)
    }

    /// Ends the current analysis: it is done, or the run ends early.
    pub fn close(&mut self) -> Option<(Program, MutationReport)> {
        let pending = self.pending.take();
        let Some((program, mut report)) = self.open.take() else {
            self.unjudged.extend(pending);
            return None;
        };
        let left =
            |mutant: &&MutantReport| !mutant.is_settled && mutant.verdict == MutantVerdict::Unknown;
        report.left = report.mutants.iter().filter(left).count();
        self.reports.push(report.clone());
        Some((program, report))
    }

    /// Records that the mutants of a node cannot be judged.
    pub fn judge_none(&mut self, node: &str, report: Option<MutationReport>) {
        self.pending = None;
        self.unjudged.push(node.to_owned());
        self.reports.extend(report);
    }

    /// Tells all mutants, for files, and whether the threshold is met.
    pub fn tell_end(&self, tally: &mut Tally, out: &mut dyn Listener) -> io::Result<()> {
        out.tell(&Event::AllMutants {
            reports: &self.reports,
            sources: &self.sources,
        })?;
        if let Some(message) = self.unmet() {
            tally.weak += 1;
            out.log(Level::Warn, "mutation", message)?;
        }
        Ok(())
    }

    /// Why the threshold is not met, if it is not.
    fn unmet(&self) -> Option<String> {
        let threshold = self.threshold?;
        let unmet = |why: String| {
            Some(format!(
                "--mutation_threshold {threshold} is not met: {why}"
            ))
        };
        if !self.unjudged.is_empty() {
            let names = self.unjudged.join(", ");
            return unmet(format!("the mutants of {names} could not be judged"));
        }
        let scores = self.reports.iter().map(|report| (report, report.score()));
        let judged = scores.filter_map(|(report, score)| Some((report, score.percent()?)));
        let judged: Vec<(&MutationReport, f64)> = judged.collect();
        if judged.is_empty() {
            return unmet("there was no mutant to judge".to_owned());
        }
        let weakest = judged.iter().min_by(|(_, a), (_, b)| a.total_cmp(b))?;
        let (report, percent) = weakest;
        if *percent >= threshold {
            return None;
        }
        let top = &report.top;
        unmet(format!("{percent:.1} % of the mutants of {top} are killed"))
    }
}
