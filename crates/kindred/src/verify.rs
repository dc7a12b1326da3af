//! Proofs and counterexamples for the properties of the top nodes.

use std::io;
use std::time::{Duration, Instant};

use analysis::{
    Event, Options, Outcome, Property, PropertyKind, PropertyResult, Settings, analyse,
    contract_view,
};
use lang::{NodeId, Program};
use lower::View;
use report::{AnalysisReport, Answer, Block, Format, Level, Log, PropertyReport};

use crate::args::{Args, ExitCodeMode};
use crate::dump::{Dumped, OutputFolder};
use crate::exit;
use crate::narrate::{self, Pace};
use crate::run::{Model, Out, single_top};
use crate::watchdog::Watchdog;

pub fn run(args: &Args, model: &Model, watchdog: &Watchdog, out: &mut Out) -> io::Result<u8> {
    let tops = match &args.main {
        Some(_) => match single_top(args, model, out)? {
            Ok(top) => vec![top],
            Err(code) => return Ok(code),
        },
        None => model.program.top_nodes(),
    };
    if args.format() != Format::Text && (args.dump_cex || args.dump_witness) {
        let message = "runs are written to files with text output only; here they are part of \
                       the results";
        out.log(&Log::new(Level::Note, "supervisor", message))?;
    }
    let mut verifier = Verifier {
        args,
        model,
        out,
        watchdog,
        folder: OutputFolder::new(args),
        tally: Tally::default(),
        failed: None,
    };
    for top in tops {
        verifier.node(top)?;
    }
    if watchdog.interrupted() {
        verifier.say(
            Level::Warn,
            "interrupted: what is known is above".to_owned(),
        );
    }
    let (tally, failed) = (verifier.tally, verifier.failed);
    if let Some(error) = failed {
        return Err(error);
    }
    if tally.properties == 0 {
        let message = match model.program.nodes.is_empty() {
            true => "there is nothing to prove: the model has no node",
            false => "there is nothing to prove: no property, guarantee or mode was found",
        };
        out.log(&Log::new(Level::Warn, "supervisor", message))?;
    }
    Ok(tally.exit_code(args.exit_code_mode))
}

#[derive(Default)]
struct Tally {
    properties: usize,
    disproved: usize,
    unknown: usize,
    /// Internal errors, and files that cannot be written.
    errors: usize,
}

impl Tally {
    fn exit_code(&self, mode: ExitCodeMode) -> u8 {
        if self.errors > 0 {
            return exit::ERROR;
        }
        match (mode, self.disproved, self.unknown) {
            (ExitCodeMode::OnlyErrors, _, _) => exit::SUCCESS,
            (_, 1.., _) => exit::DISPROVED,
            (_, _, 1..) => exit::UNKNOWN,
            _ => exit::SUCCESS,
        }
    }
}

struct Verifier<'v> {
    args: &'v Args,
    model: &'v Model,
    out: &'v mut Out,
    watchdog: &'v Watchdog,
    folder: OutputFolder,
    tally: Tally,
    /// The first failure to write.
    failed: Option<io::Error>,
}

impl Verifier<'_> {
    fn node(&mut self, id: NodeId) -> io::Result<()> {
        let node = self.model.program.node(id);
        let has_modes = node.contract.as_ref().is_some_and(|c| !c.modes.is_empty());
        if has_modes && self.args.check_modes {
            let program = contract_view(&self.model.program, id);
            self.analysis(&program, id, View::Contract)?;
        }
        if node.has_body && self.args.check_implem {
            self.analysis(&self.model.program, id, View::Body)?;
        }
        Ok(())
    }

    fn options(&self, view: View) -> Options {
        let args = self.args;
        let own = (args.timeout_analysis > 0.0)
            .then(|| Duration::try_from_secs_f64(args.timeout_analysis).ok())
            .flatten()
            .and_then(|time| Instant::now().checked_add(time));
        Options {
            lower: lower::Options {
                view,
                subproperties: args.check_subproperties,
                reach: args.check_reach,
                nonvacuity: args.check_nonvacuity,
                congruence: args.congruence,
                all_streams: false,
            },
            settings: Settings {
                engines: args.engines(),
                max_depth: args.bmc_max,
                induction: args.induction(),
                check_unrolling: args.bmc_check_unroll,
                deadline: own.into_iter().chain(self.watchdog.deadline()).min(),
                interrupted: self.watchdog.flag(),
            },
        }
    }

    fn analysis(&mut self, program: &Program, id: NodeId, view: View) -> io::Result<()> {
        let options = self.options(view);
        let (concrete, abstracted) = callees(program, id, view);
        self.out.analysis_start(&AnalysisReport {
            top: program.node(id).name.to_string(),
            concrete,
            abstracted,
            contract_only: view == View::Contract,
        })?;
        let sources = &self.model.sources;
        let mut open = 0;
        let mut pace = Pace::new(self.args.verbosity());
        let mut decided: Vec<analysis::Engine> = Vec::new();
        let results = analyse(program, sources, id, &options, &mut |event| match event {
            Event::Result(result) => {
                decided.extend(result.engine);
                self.show(program, result);
            }
            Event::Warning(message) => {
                open += 1;
                self.say(Level::Warn, message);
            }
            Event::InternalError(message) => {
                self.tally.errors += 1;
                self.say(Level::Fatal, format!("internal error: {message}"));
            }
            Event::Size(size) => {
                let written = self.out.statistics(&narrate::size(&size));
                self.keep(written);
            }
            Event::Progress(progress) => {
                if let Some(sentence) = pace.sentence(&progress) {
                    let source = progress.engine.short_name();
                    let written = self.out.progress(source, progress.depth, &sentence);
                    self.keep(written);
                }
            }
            Event::Statistics(work) => {
                let count = decided.iter().filter(|by| **by == work.engine).count();
                let written = self.out.statistics(&narrate::work(&work, count));
                self.keep(written);
            }
        });
        let mut reports = Vec::new();
        for result in &results {
            let report = self.report(program, result);
            match &report.answer {
                Answer::Valid { .. } | Answer::Reachable { .. } => {}
                Answer::Falsifiable { .. } | Answer::Unreachable { .. } => {
                    self.tally.disproved += 1
                }
                Answer::Unknown { .. } => {
                    self.tally.unknown += 1;
                    // Tools want an object for each property; people read the
                    // summary.
                    if self.args.format() != Format::Text {
                        self.out.property(program, &report, true)?;
                    }
                }
            }
            reports.push(report);
        }
        self.tally.properties += results.len();
        if results.is_empty() {
            self.tally.unknown += open;
            self.tally.properties += open;
        } else {
            self.out.summary(&reports)?;
        }
        self.out.analysis_stop()
    }

    fn say(&mut self, level: Level, message: String) {
        let written = self.out.log(&Log::new(level, "supervisor", message));
        self.keep(written);
    }

    fn show(&mut self, program: &Program, result: &PropertyResult) {
        let report = self.report(program, result);
        if !report.answer.is_good() {
            self.watchdog.disproved();
        }
        let args = self.args;
        let (what, trace, print, dump) = match &report.answer {
            Answer::Falsifiable { trace, .. } => {
                (Dumped::Counterexample, trace, args.print_cex, args.dump_cex)
            }
            Answer::Reachable { trace, .. } => (
                Dumped::Witness,
                trace,
                args.print_witness,
                args.dump_witness,
            ),
            _ => {
                let written = self.out.property(program, &report, true);
                self.keep(written);
                return self.explain(result);
            }
        };
        let dump = dump && args.format() == Format::Text;
        let dumped = dump.then(|| self.dump(program, what, trace, &report.name));
        // A run that cannot be written to a file is not lost.
        let shown = match &dumped {
            Some(dumped) => dumped.is_err(),
            None => print,
        };
        let written = self.out.property(program, &report, !shown);
        self.keep(written);
        match dumped {
            Some(Ok(message)) => self.say(Level::Note, message),
            Some(Err(error)) => {
                self.tally.errors += 1;
                self.say(Level::Error, error.to_string());
            }
            None => {}
        }
    }

    /// Writes a run to a file; says where.
    fn dump(
        &mut self,
        program: &Program,
        what: Dumped,
        trace: &Block,
        name: &str,
    ) -> io::Result<String> {
        let title = match what {
            Dumped::Counterexample => "Counterexample to",
            Dumped::Witness => "Witness of",
        };
        let table = report::trace_text(program, trace, self.args.plain_style());
        let path = self
            .folder
            .dump(what, &format!("{title} {name}:\n\n{table}"))?;
        Ok(format!("{title} {name} written to {}", path.display()))
    }

    /// What a proof rests on.
    fn explain(&mut self, result: &PropertyResult) {
        if let Outcome::Valid(evidence) | Outcome::Unreachable(evidence) = &result.outcome {
            let message = narrate::evidence(&result.property.name, evidence);
            self.say(Level::Debug, message);
        }
    }

    fn keep(&mut self, written: io::Result<()>) {
        if let Err(error) = written {
            self.failed.get_or_insert(error);
        }
    }

    fn report(&self, program: &Program, result: &PropertyResult) -> PropertyReport {
        let sources = &self.model.sources;
        let property = &result.property;
        let trace = |trace: &sim::Trace| report::blocks(program, trace, sources);
        let reach = matches!(property.kind, PropertyKind::Reachable { .. });
        let answer = match &result.outcome {
            Outcome::Valid(evidence) => Answer::Valid {
                k: Some(evidence.k()),
            },
            Outcome::Unreachable(evidence) => Answer::Unreachable {
                k: Some(evidence.k()),
            },
            Outcome::Falsified(run) => Answer::Falsifiable {
                step: run.steps.saturating_sub(1),
                trace: trace(run),
            },
            Outcome::Reachable(run) => Answer::Reachable {
                step: run.steps.saturating_sub(1),
                trace: trace(run),
            },
            Outcome::Unknown(clear) => Answer::Unknown {
                clear: *clear,
                reach,
            },
        };
        PropertyReport {
            name: property.name.clone(),
            scope: program.node(result.owner).name.to_string(),
            file: sources.file(property.span.file).name.clone(),
            position: sources.position(property.span),
            source: property.source.name(),
            answer,
            engine: result
                .engine
                .map(|engine| (engine.short_name(), engine.name())),
            seconds: result.elapsed.as_secs_f64(),
            bounds: bounds(property),
        }
    }
}

/// "in 5 steps or less", for properties to be reached.
fn bounds(property: &Property) -> String {
    let PropertyKind::Reachable { from, within } = property.kind else {
        return String::new();
    };
    match (from, within) {
        (Some(m), Some(n)) if m == n => format!(" at step {m}"),
        (Some(m), Some(n)) => format!(" between steps {m} and {n}"),
        (Some(m), None) => format!(" in {m} steps or more"),
        (None, Some(n)) => format!(" in {n} steps or less"),
        (None, None) => String::new(),
    }
}

/// The nodes below, with and without a body.
fn callees(program: &Program, top: NodeId, view: View) -> (Vec<String>, Vec<String>) {
    let (mut concrete, mut abstracted) = (Vec::new(), Vec::new());
    let mut seen = vec![top];
    let mut open = match view {
        View::Body => vec![top],
        View::Contract => Vec::new(),
    };
    while let Some(id) = open.pop() {
        for call in &program.node(id).calls {
            if seen.contains(&call.node) {
                continue;
            }
            seen.push(call.node);
            open.push(call.node);
            let callee = program.node(call.node);
            let list = if callee.has_body {
                &mut concrete
            } else {
                &mut abstracted
            };
            list.push(callee.name.to_string());
        }
    }
    concrete.sort();
    abstracted.sort();
    (concrete, abstracted)
}
