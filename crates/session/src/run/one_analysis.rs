//! One analysis: what is told while it runs, and what it has come to.

use std::collections::HashMap;
use std::io;
use std::time::Instant;

use analysis::{
    Analysis, AnalysisEvent, AnalysisOptions, Engine, Lemmas, Outcome, Progress, PropertyResult,
    Stage, analyse,
};
use lang::Program;
use results::{AnalysisReport, Block, Event, Level, PropertyReport, PropertyVerdict};

use super::Session;
use crate::describe::{self, callees};
use crate::distance;
use crate::narrate;
use crate::unfinished::OpenAnalysis;

/// The state of an analysis that is running.
struct Running {
    start: Instant,
    /// The engine of each decided property.
    decided: Vec<Engine>,
    warnings: usize,
    /// By property: the k and the path of the last failed induction.
    failures: HashMap<String, (usize, Block)>,
    /// The head of the analysis, until it is told: it comes before all other events.
    head: Option<AnalysisReport>,
}

/// Is the event shown, so that the head of the analysis has to come before it?
fn begins(event: &AnalysisEvent) -> bool {
    !matches!(
        event,
        AnalysisEvent::Asked(_)
            | AnalysisEvent::Statistics(_)
            | AnalysisEvent::Lemmas(_)
            | AnalysisEvent::Invariants(_)
    )
}

impl Session<'_> {
    /// Records that an analysis begins, so that the watchdog can tell of it if it does not end.
    pub(super) fn open_analysis(&self, program: &Program, analysis: &Analysis, is_told: bool) {
        let mut open = OpenAnalysis::new(program.clone(), self.name(analysis.top));
        if is_told {
            open.is_told = true;
            open.ask(Vec::new());
        }
        self.control.unfinished().analysis = Some(open);
    }

    /// The head of an analysis.
    pub(super) fn head(&self, analysis: &Analysis, program: &Program) -> AnalysisReport {
        let (concrete, abstracted) = callees(program, analysis.top);
        let proved = analysis.proved.iter();
        AnalysisReport {
            top: self.name(analysis.top),
            concrete,
            abstracted,
            proved: proved
                .map(|(id, all)| (self.name(*id), all.len()))
                .collect(),
            contract_only: analysis.stage == Stage::Contract,
            opened: analysis.opened.iter().map(|id| self.name(*id)).collect(),
            check: None,
        }
    }

    /// Runs an analysis. Where all nodes are analysed, one without properties is not told of.
    pub(super) fn analysis(
        &mut self,
        analysis: &Analysis,
        options: &AnalysisOptions,
    ) -> io::Result<Option<Vec<PropertyResult>>> {
        self.lemmas = Lemmas::default();
        let program = analysis.program(&self.model.program);
        let mut running = Running {
            start: Instant::now(),
            decided: Vec::new(),
            warnings: 0,
            failures: HashMap::new(),
            head: Some(self.head(analysis, &program)),
        };
        self.deadline = options.settings.deadline;
        self.open_analysis(&program, analysis, false);
        let sources = &self.model.sources;
        let results = analyse(&program, sources, analysis.top, options, &mut |event| {
            let told = self.on_event(&program, event, &mut running);
            self.keep(told);
        });
        if let Err(message) = self.advice.save() {
            self.tally.errors += 1;
            self.say(Level::Error, message)?;
        }
        let found = results.as_deref().unwrap_or_default();
        let control = self.control;
        let mut unfinished = control.unfinished();
        self.conclude(&program, found, &mut running)?;
        match running.head {
            Some(head) => {
                let message = format!("{} has no property to prove", head.top);
                self.say(Level::Note, message)?;
            }
            None => self.out.tell(&Event::AnalysisStop)?,
        }
        (unfinished.analysis, unfinished.tally) = (None, self.tally);
        drop(unfinished);
        Ok(results)
    }

    /// Tells that an analysis begins, once.
    fn begin(&mut self, running: &mut Running) -> io::Result<()> {
        match running.head.take() {
            Some(head) => self.out.tell(&Event::AnalysisStart(&head)),
            None => Ok(()),
        }
    }

    /// Turns an event of the analysis into events for the listener.
    fn on_event(
        &mut self,
        program: &Program,
        event: AnalysisEvent,
        running: &mut Running,
    ) -> io::Result<()> {
        let nothing = matches!(&event, AnalysisEvent::Size(size) if size.properties == 0);
        if nothing && self.request.strategy.modular {
            return Ok(());
        }
        let control = self.control;
        let mut unfinished = control.unfinished();
        if begins(&event) {
            self.begin(running)?;
            if let Some(open) = &mut unfinished.analysis {
                open.is_told = true;
            }
        }
        let open = unfinished.analysis.as_mut();
        match event {
            AnalysisEvent::Asked(results) => {
                let reports = results.iter().map(|result| self.describe(program, result));
                if let Some(open) = open {
                    open.ask(reports.collect());
                }
                Ok(())
            }
            AnalysisEvent::Result(result) => {
                running.decided.extend(result.engine);
                self.result(program, result, open)
            }
            AnalysisEvent::Attempt {
                properties,
                k,
                path,
            } => {
                let path = results::blocks(program, &path, &self.model.sources);
                let names: Vec<&str> = properties.iter().map(|p| p.name.as_str()).collect();
                self.attempt(program, &names, (k, path), running)
            }
            AnalysisEvent::Lemmas(lemmas) => {
                self.lemmas = lemmas;
                Ok(())
            }
            AnalysisEvent::Invariants(texts) => {
                self.texts = Some(texts);
                Ok(())
            }
            AnalysisEvent::Size(size) => self.out.tell(&Event::Statistics(&narrate::size(&size))),
            AnalysisEvent::Progress(progress) => self.progress(&progress, running),
            AnalysisEvent::Statistics(work) => {
                let decided = running.decided.iter();
                let count = decided.filter(|by| **by == work.engine).count();
                let statistics = narrate::work(&work, count);
                self.out.tell(&Event::Statistics(&statistics))
            }
            AnalysisEvent::Warning(message) => {
                running.warnings += 1;
                self.say(Level::Warn, message)
            }
            AnalysisEvent::DeadEnd(step) => {
                let message = describe::dead_end(step);
                self.out.log(Level::Warn, "parse", message)
            }
            AnalysisEvent::Note(message) => self.say(Level::Info, message),
            AnalysisEvent::SolverFailed(message) => self.say(Level::Warn, message),
            AnalysisEvent::SolverUnfit(message) => {
                self.tally.unfit = true;
                self.say(Level::Error, message)
            }
            AnalysisEvent::TooLarge(message) => self.error(Level::Error, message),
            AnalysisEvent::InternalError(message) => {
                self.error(Level::Fatal, format!("internal error: {message}"))
            }
        }
    }

    /// Records and tells the result of a property, and what its proof rests on.
    fn result(
        &mut self,
        program: &Program,
        result: &PropertyResult,
        open: Option<&mut OpenAnalysis>,
    ) -> io::Result<()> {
        let report = self.describe(program, result);
        if let Some(open) = open {
            open.decide(&report);
        }
        self.out.tell(&Event::Property {
            program,
            report: &report,
            hide_trace: false,
        })?;
        self.explain(result)
    }

    fn progress(&mut self, progress: &Progress, running: &Running) -> io::Result<()> {
        let sentence = narrate::progress(progress, running.start.elapsed());
        self.out.tell(&Event::Progress {
            source: progress.engine.short_name(),
            depth: progress.depth,
            sentence: &sentence,
        })
    }

    /// Counts and tells an error.
    fn error(&mut self, level: Level, message: String) -> io::Result<()> {
        self.tally.errors += 1;
        self.say(level, message)
    }

    /// Keeps a path on which induction fails for the properties that stay unknown, and tells
    /// of it, as the options have it.
    fn attempt(
        &mut self,
        program: &Program,
        properties: &[&str],
        (k, path): (usize, Block),
        running: &mut Running,
    ) -> io::Result<()> {
        let options = &self.request.settings.induction;
        if options.tell_last_failures {
            for name in properties {
                let failures = &mut running.failures;
                failures.insert((*name).to_owned(), (k, path.clone()));
            }
        }
        match options.tell_failures {
            true => self.induction_failure(program, properties, k, &path),
            false => Ok(()),
        }
    }

    fn induction_failure(
        &mut self,
        program: &Program,
        properties: &[&str],
        k: usize,
        path: &Block,
    ) -> io::Result<()> {
        self.out.tell(&Event::InductionFailure {
            program,
            properties,
            k,
            path,
        })
    }

    /// Adds the results of an analysis to the tally, and tells the summary.
    fn conclude(
        &mut self,
        program: &Program,
        results: &[PropertyResult],
        running: &mut Running,
    ) -> io::Result<()> {
        let mut reports = Vec::new();
        for result in results {
            let report = self.describe(program, result);
            match &report.verdict {
                PropertyVerdict::Valid { .. } | PropertyVerdict::Reachable { .. } => {}
                PropertyVerdict::Falsifiable { .. } | PropertyVerdict::Unreachable { .. } => {
                    self.tally.disproved += 1
                }
                PropertyVerdict::Unknown { .. } => {
                    self.tally.unknown += 1;
                    let report = &report;
                    self.out.tell(&Event::OpenProperty { program, report })?;
                    let name = result.property.name.as_str();
                    if let Some((k, mut path)) = running.failures.remove(name) {
                        distance::sort(program, result, &mut path);
                        self.induction_failure(program, &[name], k, &path)?;
                    }
                }
            }
            reports.push(report);
        }
        self.tally.properties += results.len();
        if results.is_empty() {
            self.tally.unknown += running.warnings;
            self.tally.properties += running.warnings;
            return match self.request.strategy.modular {
                true => Ok(()),
                false => self.begin(running),
            };
        }
        self.out.tell(&Event::Summary(&reports))
    }

    fn describe(&self, program: &Program, result: &PropertyResult) -> PropertyReport {
        let timed_out = self.deadline.is_some_and(|at| Instant::now() >= at);
        describe::property(program, &self.model.sources, result, timed_out)
    }

    pub(super) fn say(&mut self, level: Level, message: String) -> io::Result<()> {
        self.out.log(level, "supervisor", message)
    }

    /// Tells what the proof of a property rests on.
    fn explain(&mut self, result: &PropertyResult) -> io::Result<()> {
        match &result.outcome {
            Outcome::Valid(evidence) | Outcome::Unreachable(evidence) => {
                let message = narrate::evidence(&result.property.name, evidence.kind());
                self.say(Level::Debug, message)
            }
            Outcome::Falsified(_) | Outcome::Reachable(_) | Outcome::Unknown(_) => Ok(()),
        }
    }

    /// Keeps an error of the listener and interrupts the run: its events can no longer be
    /// delivered.
    fn keep(&mut self, told: io::Result<()>) {
        if let Err(error) = told {
            self.failed.get_or_insert(error);
            self.control.interrupt();
        }
    }
}
