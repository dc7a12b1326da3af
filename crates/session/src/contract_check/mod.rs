//! Contract checks: can the contracts of nodes without a body be honoured?

mod options;
mod synthesis;

use std::collections::BTreeSet;
use std::io;
use std::time::{Duration, Instant};

use analysis::below;
use analysis::realizability::{
    self, Checked, Clause, NoDeadlock, Obstacle, Realizable, Rules, Unrealizable,
};
use lang::{NodeId, Program};
use lower::Part;
use results::{
    AnalysisReport, ContractHead, DeadlockReport, ElementCategory, ElementReport, ElementSet,
    Event, Level, Realizability, RealizabilityReport, SatisfiabilityReport, SetClass,
};
use smt::{Meter, SolverContext};

use crate::control::Control;
use crate::describe::callees;
use crate::elements;
use crate::listener::Listener;
use crate::model::Model;
use crate::request::Request;
use crate::tally::Tally;
use crate::unfinished::OpenCheck;

pub use options::ContractCheckOptions;

/// The part of the tool that messages name.
const SOURCE: &str = "contractck";

/// Why a contract is not decided whose clauses call a node without a body.
const OPEN_CALL: &str = "Calls to imported nodes are not supported.";

/// Checks the contracts of all nodes without a body at and below the top nodes. An error is one
/// that the listener has returned.
pub fn check_contracts(
    model: &Model,
    request: Request,
    control: &Control,
    out: &mut dyn Listener,
) -> io::Result<Tally> {
    let mut request = request;
    request.settings.meter = (request.settings.threads == 1).then(Meter::default);
    for analysis in request.post_analyses() {
        let message = "a contract check proves no property: there is nothing to analyse further";
        out.log(Level::Warn, analysis.source(), message.to_owned())?;
    }
    let nodes = without_bodies(&model.program, &request.tops);
    if nodes.is_empty() {
        let message = "No imported nodes found, skipping contract checking.";
        out.log(Level::Note, SOURCE, message.to_owned())?;
        return Ok(Tally::default());
    }
    let mut checks = Checks {
        model,
        request: &request,
        control,
        out,
        tally: Tally::default(),
    };
    for (at, node) in nodes.iter().enumerate() {
        let waiting = nodes[at + 1..].iter();
        let waiting = waiting.map(|id| model.program.node(*id).name.to_string());
        control.unfinished().waiting = waiting.collect();
        if control.interrupted() || control.time_is_up() {
            checks.left(*node)?;
            continue;
        }
        checks.one(*node)?;
    }
    let tally = checks.tally;
    if tally.unknown > 0 {
        let message = "Incomplete analysis result: Not all imported nodes could be proven \
                       realizable";
        out.log(Level::Note, SOURCE, message.to_owned())?;
    }
    Ok(tally)
}

/// The nodes without a body, in the order of the source, but callers before those whom their
/// contracts call.
fn without_bodies(program: &Program, tops: &[NodeId]) -> Vec<NodeId> {
    let calls = |id: NodeId| below(program, id, &BTreeSet::new());
    let mut all: BTreeSet<NodeId> = tops.iter().copied().collect();
    all.extend(tops.iter().flat_map(|top| calls(*top)));
    let mut open: Vec<NodeId> = all.into_iter().collect();
    open.retain(|id| !program.node(*id).has_body);
    open.sort_by_key(|id| program.node(*id).span.start);
    let mut ordered = Vec::new();
    while !open.is_empty() {
        let is_called = |id: NodeId| open.iter().any(|other| calls(*other).contains(&id));
        // Calls have no cycles, so that there is always one that no other calls.
        let next = open.iter().position(|id| !is_called(*id)).unwrap_or(0);
        ordered.push(open.remove(next));
    }
    ordered
}

struct Checks<'c> {
    model: &'c Model,
    request: &'c Request,
    control: &'c Control,
    out: &'c mut dyn Listener,
    tally: Tally,
}

/// What is checked, in words.
#[derive(Clone)]
struct Subject {
    top: String,
    /// At the beginning of a sentence.
    first: String,
    inside: String,
}

impl Checks<'_> {
    fn program(&self) -> &Program {
        &self.model.program
    }

    fn subject(&self, id: NodeId) -> Subject {
        let top = self.program().node(id).name.to_string();
        Subject {
            first: format!("Contract of node {top}"),
            inside: format!("the contract of {top}"),
            top,
        }
    }

    /// A node for which there is no time.
    fn left(&mut self, id: NodeId) -> io::Result<()> {
        self.tally.unknown += 1;
        let message = crate::unfinished::not_analysed(&self.subject(id).top);
        self.out.log(Level::Warn, SOURCE, message)
    }

    fn one(&mut self, id: NodeId) -> io::Result<()> {
        let start = Instant::now();
        let subject = self.subject(id);
        let (concrete, abstracted) = callees(self.program(), id);
        let head = AnalysisReport {
            top: subject.top.clone(),
            concrete,
            abstracted,
            proved: Vec::new(),
            contract_only: true,
            opened: Vec::new(),
            check: Some(ContractHead {
                what: format!("contract of imported node {}", subject.top),
                context: None,
            }),
        };
        self.out.tell(&Event::AnalysisStart(&head))?;
        self.control.unfinished().check = Some(OpenCheck {
            report: self.realizability(&subject, start, Realizability::Unknown),
            start,
        });
        let model = self.model;
        let rules =
            realizability::of_imported(&model.program, &model.sources, id, &self.request.lower);
        match rules {
            Ok(rules) => self.rules(id, &subject, &rules, start)?,
            Err(obstacle) => {
                let message = match obstacle {
                    Obstacle::OpenCall(_) => OPEN_CALL.to_owned(),
                    Obstacle::Unsupported(why) => {
                        format!("{} cannot be checked: {why}", subject.first)
                    }
                };
                self.out.log(Level::Warn, SOURCE, message)?;
                self.unknown(&subject, start)?;
            }
        }
        self.out.tell(&Event::AnalysisStop)
    }

    fn context(&self) -> SolverContext {
        let settings = &self.request.settings;
        let context = match &settings.meter {
            Some(meter) => SolverContext::by_work(settings.solver.clone(), meter),
            None => SolverContext::new(settings.solver.clone()),
        };
        let own = self.request.analysis_time;
        let left = self.control.deadline().map(|at| at - Instant::now());
        let time: Option<Duration> = own.into_iter().chain(left).min();
        context.refuel(None, time);
        context
    }

    /// Checks the game of a contract.
    fn rules(
        &mut self,
        id: NodeId,
        subject: &Subject,
        rules: &Rules,
        start: Instant,
    ) -> io::Result<()> {
        let context = self.context();
        let control = self.control;
        let stop = || control.interrupted() || context.is_spent();
        let checked = realizability::check(&context, rules, &stop);
        match checked {
            Checked::Realizable(won) => {
                self.realizable(subject, rules, &won, start)?;
                self.write_component(id, subject, (rules, &won), &context)?;
            }
            Checked::Unrealizable(_) if rules.generous => {
                self.out.log(Level::Warn, SOURCE, OPEN_CALL.to_owned())?;
                self.unknown(subject, start)?;
            }
            Checked::Unrealizable(lost) => {
                self.unrealizable(id, subject, rules, &lost, (&context, start))?;
                self.write_environment(id, subject, (rules, &lost), &context)?;
                if self.request.post.contract_checks.check_satisfiable {
                    self.satisfiability(subject, rules, (&context, &stop))?;
                }
            }
            Checked::Unknown(why) => {
                let message = format!("{} is not decided: {why}", subject.first);
                self.out.log(Level::Info, SOURCE, message)?;
                self.unknown(subject, start)?;
            }
        }
        for note in context
            .take_notes()
            .into_iter()
            .chain(context.take_failure())
        {
            self.out.log(Level::Warn, SOURCE, note)?;
        }
        Ok(())
    }

    fn realizability(
        &self,
        subject: &Subject,
        start: Instant,
        answer: Realizability,
    ) -> RealizabilityReport {
        RealizabilityReport {
            subject: subject.first.clone(),
            subject_inside: subject.inside.clone(),
            timed_out: matches!(answer, Realizability::Unknown) && self.control.time_is_up(),
            answer,
            seconds: start.elapsed().as_secs_f64(),
        }
    }

    /// Tells an answer, unless the watchdog has told that there is none.
    fn tell(&mut self, report: &RealizabilityReport) -> io::Result<()> {
        let control = self.control;
        let mut unfinished = control.unfinished();
        unfinished.check = None;
        self.tally.properties += 1;
        match report.answer {
            Realizability::Realizable { .. } => {}
            Realizability::Unrealizable(_) => self.tally.disproved += 1,
            Realizability::Unknown => self.tally.unknown += 1,
        }
        unfinished.tally = self.tally;
        self.out.tell(&Event::Realizability {
            program: &self.model.program,
            report,
            hide_trace: false,
        })
    }

    fn unknown(&mut self, subject: &Subject, start: Instant) -> io::Result<()> {
        let report = self.realizability(subject, start, Realizability::Unknown);
        self.tell(&report)
    }

    fn realizable(
        &mut self,
        subject: &Subject,
        rules: &Rules,
        won: &Realizable,
        start: Instant,
    ) -> io::Result<()> {
        let wanted = self.request.post.contract_checks.print_viable_states;
        let (program, sources) = (&self.model.program, &self.model.sources);
        let viable = wanted.then(|| won.viable_text(program, sources, rules));
        let is_hidden = viable == Some(None);
        let viable = viable.flatten();
        let answer = Realizability::Realizable { viable };
        let report = self.realizability(subject, start, answer);
        self.tell(&report)?;
        if is_hidden {
            let message = "the viable states cannot be written in terms of streams".to_owned();
            self.out.log(Level::Warn, SOURCE, message)?;
        }
        Ok(())
    }

    fn unrealizable(
        &mut self,
        id: NodeId,
        subject: &Subject,
        rules: &Rules,
        lost: &Unrealizable,
        (context, start): (&SolverContext, Instant),
    ) -> io::Result<()> {
        let seconds = start.elapsed();
        let mut messages = Vec::new();
        let options = &self.request.post.contract_checks;
        let deadlock = (options.print_deadlock || options.dump_deadlock)
            .then(|| realizability::deadlock(context, &self.model.program, id, rules, lost));
        let deadlock = match deadlock {
            None => None,
            Some(Ok(found)) => {
                let gaps = found.gaps.iter();
                messages.extend(gaps.map(|gap| {
                    let message = format!("the trace is not replayed exactly: {gap}");
                    (Level::Warn, message)
                }));
                let sources = &self.model.sources;
                Some(DeadlockReport {
                    trace: results::blocks(&self.model.program, &found.trace, sources),
                    conflict: ElementSet {
                        class: SetClass::Conflict,
                        elements: self.conflict(id, &found.conflict),
                        property: None,
                        approximate: false,
                        seconds: (start.elapsed() - seconds).as_secs_f64(),
                        counterexample: None,
                    },
                    at_most: found.at_most,
                })
            }
            Some(Err(NoDeadlock::Unable(why))) => {
                messages.push((Level::Warn, format!("there is no deadlocking trace: {why}")));
                None
            }
            Some(Err(NoDeadlock::InternalError(why))) => {
                self.tally.errors += 1;
                let message = format!("internal error: {why}");
                self.out.log(Level::Error, SOURCE, message)?;
                return self.unknown(subject, start);
            }
        };
        let mut report = self.realizability(subject, start, Realizability::Unrealizable(deadlock));
        report.seconds = seconds.as_secs_f64();
        self.tell(&report)?;
        for (level, message) in messages {
            self.out.log(level, SOURCE, message)?;
        }
        Ok(())
    }

    /// The clauses of a conflict; with those that a mode ensures come what it requires.
    fn conflict(&self, id: NodeId, clauses: &[Clause]) -> Vec<ElementReport> {
        let (program, sources) = (&self.model.program, &self.model.sources);
        let node = program.node(id);
        let described = |part: Part| {
            let element = part.describe(program, sources)?;
            Some(elements::describe(sources, &element))
        };
        let mut found: Vec<ElementReport> = Vec::new();
        for clause in clauses {
            match clause {
                Clause::Guarantee(at) => found.extend(described(Part::Guarantee(id, *at))),
                Clause::Ensure(mode, at) => {
                    let contract = node.contract.iter();
                    let requires = contract.flat_map(|all| &all.modes[*mode].requires);
                    for clause in requires {
                        let require = ElementReport {
                            category: ElementCategory::Require,
                            name: lower::clause_name(clause, "require", sources),
                            node: node.name.to_string(),
                            file: sources.file(clause.span.file).name.clone(),
                            position: sources.position(clause.span),
                        };
                        if !found.contains(&require) {
                            found.push(require);
                        }
                    }
                    found.extend(described(Part::Ensure(id, *mode, *at)));
                }
                Clause::Range => {}
            }
        }
        found
    }

    fn satisfiability(
        &mut self,
        subject: &Subject,
        rules: &Rules,
        (context, stop): (&SolverContext, &dyn Fn() -> bool),
    ) -> io::Result<()> {
        let message = "Checking satisfiability of contract...".to_owned();
        self.out.log(Level::Note, SOURCE, message)?;
        let start = Instant::now();
        let satisfiable = realizability::is_satisfiable(context, rules, stop);
        let report = SatisfiabilityReport {
            subject: subject.first.clone(),
            subject_inside: subject.inside.clone(),
            satisfiable,
            seconds: start.elapsed().as_secs_f64(),
            timed_out: satisfiable.is_none() && self.control.time_is_up(),
        };
        self.out.tell(&Event::Satisfiability(&report))
    }
}
