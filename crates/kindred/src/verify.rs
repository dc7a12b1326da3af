//! Proofs and counterexamples for the properties of the top nodes.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use analysis::{
    Event, Options, Outcome, Property, PropertyKind, PropertyResult, Settings, analyse,
    contract_view,
};
use lang::{NodeId, Program};
use lower::View;
use report::{AnalysisReport, Answer, Level, Log, PropertyReport};
use signal_hook::consts::{SIGINT, SIGTERM};

use crate::args::{Args, ExitCodeMode};
use crate::exit;
use crate::run::{Model, Out, single_top};

pub fn run(args: &Args, model: &Model, out: &mut Out) -> io::Result<u8> {
    let tops = match &args.main {
        Some(_) => match single_top(args, model, out)? {
            Ok(top) => vec![top],
            Err(code) => return Ok(code),
        },
        None => model.program.top_nodes(),
    };
    let interrupted = Arc::new(AtomicBool::new(false));
    for signal in [SIGINT, SIGTERM] {
        // Without a handler an interruption ends the process: no reason to stop.
        let _ = signal_hook::flag::register(signal, interrupted.clone());
    }
    let start = Instant::now();
    let deadline = (args.timeout > 0.0)
        .then(|| Duration::try_from_secs_f64(args.timeout).ok())
        .flatten()
        .map(|time| start + time);
    let mut verifier = Verifier {
        args,
        model,
        out,
        deadline,
        interrupted,
        tally: Tally::default(),
        failed: None,
    };
    for top in tops {
        verifier.node(top)?;
    }
    if verifier.interrupted.load(Ordering::Relaxed) {
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
        out.log(&Log::new(
            Level::Warn,
            "supervisor",
            "there is nothing to prove: no property, guarantee or mode was found",
        ))?;
    }
    Ok(tally.exit_code(args.exit_code_mode))
}

#[derive(Default)]
struct Tally {
    properties: usize,
    disproved: usize,
    unknown: usize,
    internal_errors: usize,
}

impl Tally {
    fn exit_code(&self, mode: ExitCodeMode) -> u8 {
        if self.internal_errors > 0 {
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

struct Verifier<'v, 'o> {
    args: &'v Args,
    model: &'v Model,
    out: &'v mut Out<'o>,
    deadline: Option<Instant>,
    interrupted: Arc<AtomicBool>,
    tally: Tally,
    /// The first failure to write.
    failed: Option<io::Error>,
}

impl Verifier<'_, '_> {
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

    fn analysis(&mut self, program: &Program, id: NodeId, view: View) -> io::Result<()> {
        let args = self.args;
        let options = Options {
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
                compress: args.ind_compress,
                ic3: args.ic3(),
                ic3ia_max: args.ic3ia_max,
                deadline: self.deadline,
                interrupted: self.interrupted.clone(),
            },
        };
        let (concrete, abstracted) = callees(program, id, view);
        self.out.analysis_start(&AnalysisReport {
            top: program.node(id).name.to_string(),
            concrete,
            abstracted,
            contract_only: view == View::Contract,
        })?;
        let sources = &self.model.sources;
        let mut open = 0;
        let results = analyse(program, sources, id, &options, &mut |event| match event {
            Event::Result(result) => self.show(program, id, result),
            Event::Note(message) => self.say(Level::Info, message),
            Event::Warning(message) => {
                open += 1;
                self.say(Level::Warn, message);
            }
            Event::InternalError(message) => {
                self.tally.internal_errors += 1;
                self.say(Level::Fatal, format!("internal error: {message}"));
            }
        });
        let mut reports = Vec::new();
        for result in &results {
            let report = self.report(program, id, result);
            match &report.answer {
                Answer::Valid { .. } | Answer::Reachable { .. } => {}
                Answer::Falsifiable { .. } | Answer::Unreachable { .. } => {
                    self.tally.disproved += 1
                }
                Answer::Unknown { .. } => {
                    self.tally.unknown += 1;
                    // Tools want an object for each property; people read the
                    // summary.
                    if self.args.format() != report::Format::Text {
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

    fn show(&mut self, program: &Program, id: NodeId, result: &PropertyResult) {
        let report = self.report(program, id, result);
        let hide = match &report.answer {
            Answer::Falsifiable { .. } => !self.args.print_cex,
            _ => !self.args.print_witness,
        };
        let written = self.out.property(program, &report, hide);
        self.keep(written);
    }

    fn keep(&mut self, written: io::Result<()>) {
        if let Err(error) = written {
            self.failed.get_or_insert(error);
        }
    }

    fn report(&self, program: &Program, id: NodeId, result: &PropertyResult) -> PropertyReport {
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
            scope: program.node(id).name.to_string(),
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
