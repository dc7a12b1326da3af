//! Contract checks: can the contracts of nodes without a body be honoured?

mod options;
mod questions;
mod synthesis;

use std::io;
use std::time::{Duration, Instant};

use analysis::realizability::{
    self, Checked, Clause, Elimination, NoDeadlock, Obstacle, Realizable, Rules, SearchOptions,
    Unrealizable,
};
use analysis::{QeExtract, QeMethod};
use lang::{NodeId, Program};
use lower::Part;
use results::{
    AnalysisReport, ContractHead, DeadlockReport, ElementCategory, ElementReport, ElementSet,
    Event, Level, Realizability, RealizabilityReport, SatisfiabilityReport, SetClass,
};
use smt::{Clock, SolverContext};

use crate::control::Control;
use crate::describe::callees;
use crate::elements;
use crate::listener::Listener;
use crate::model::Model;
use crate::request::Request;
use crate::tally::Tally;
use crate::unfinished::OpenCheck;

use questions::{Check, Question, Subject, questions};

pub use options::{ContractCheckOptions, ShownConflicts};

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
    for analysis in request.post_analyses() {
        let message = "a contract check proves no property: there is nothing to analyse further";
        out.log(Level::Warn, analysis.source(), message.to_owned())?;
    }
    let environments = request.post.contract_checks.check_environment;
    let questions = questions(&model.program, &request.tops, environments);
    if questions.is_empty() {
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
    for (at, question) in questions.iter().enumerate() {
        let waiting = questions[at + 1..].iter();
        let waiting = waiting.map(|later| checks.subject(*later).inside);
        control.unfinished().waiting = waiting.collect();
        if control.interrupted() || control.time_is_up() {
            checks.left(*question)?;
            continue;
        }
        checks.one(*question)?;
    }
    let tally = checks.tally;
    if tally.unknown > 0 {
        let message = "Incomplete analysis result: Not all imported nodes could be proven \
                       realizable";
        out.log(Level::Note, SOURCE, message.to_owned())?;
    }
    Ok(tally)
}

struct Checks<'c> {
    model: &'c Model,
    request: &'c Request,
    control: &'c Control,
    out: &'c mut dyn Listener,
    tally: Tally,
}

impl Checks<'_> {
    fn program(&self) -> &Program {
        &self.model.program
    }

    fn subject(&self, question: Question) -> Subject {
        Subject::of(self.program(), question)
    }

    /// A node for which there is no time.
    fn left(&mut self, question: Question) -> io::Result<()> {
        self.tally.unknown += 1;
        let message = crate::unfinished::not_analysed(&self.subject(question).inside);
        self.out.log(Level::Warn, SOURCE, message)
    }

    fn one(&mut self, question: Question) -> io::Result<()> {
        let start = Instant::now();
        let subject = self.subject(question);
        let id = question.node;
        let (concrete, abstracted) = callees(self.program(), id);
        let context = match question.check {
            Check::Environment => "environment",
            _ => "contract",
        };
        let told = self.request.post.contract_checks.check_environment;
        let head = AnalysisReport {
            top: subject.top.clone(),
            concrete,
            abstracted,
            proved: Vec::new(),
            contract_only: true,
            opened: Vec::new(),
            check: Some(ContractHead {
                what: subject.head.clone(),
                context: told.then_some(context),
            }),
        };
        self.out.tell(&Event::AnalysisStart(&head))?;
        self.control.unfinished().check = Some(OpenCheck {
            report: self.realizability(&subject, start, Realizability::Unknown),
            start,
        });
        let (sources, lower) = (&self.model.sources, &self.request.lower);
        let whole = &self.model.program;
        let open: Program;
        let program = match whole.node(id).has_body && question.check != Check::Annotated {
            true => {
                open = realizability::without_body(whole, id);
                &open
            }
            false => whole,
        };
        let rules = match question.check {
            Check::Annotated => realizability::of_annotation(program, sources, id, lower),
            Check::Imported | Check::Defined => {
                realizability::of_contract(program, sources, id, lower)
            }
            Check::Environment => {
                let rules = realizability::of_contract(program, sources, id, lower);
                rules.map(Rules::of_environment)
            }
        };
        match rules {
            Ok(rules) => self.rules((program, id), &subject, &rules, start)?,
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

    fn search_options(&self) -> SearchOptions {
        let ic3 = &self.request.settings.ic3;
        SearchOptions {
            elimination: match ic3.qe_method {
                QeMethod::Precise => Elimination::Precise,
                QeMethod::Impl => Elimination::Implicant,
                QeMethod::Cooper => Elimination::Projection,
            },
            few_outputs: ic3.qe_extract == QeExtract::Vars,
            use_assumptions: self.request.post.contract_checks.use_assumptions,
        }
    }

    fn context(&self) -> SolverContext {
        // Without a time limit there is no budget, so that a run is the same every time.
        let solver = self.request.settings.solver.clone();
        let context = SolverContext::new(solver, Clock::Real);
        let own = self.request.analysis_time;
        let left = self.control.deadline().map(|at| at - Instant::now());
        let time: Option<Duration> = own.into_iter().chain(left).min();
        context.refuel(None, time);
        context
    }

    /// Checks the game of a contract.
    fn rules(
        &mut self,
        (program, id): (&Program, NodeId),
        subject: &Subject,
        rules: &Rules,
        start: Instant,
    ) -> io::Result<()> {
        let context = self.context();
        let control = self.control;
        let stop = || control.interrupted() || context.is_spent();
        if realizability::excludes_all_inputs(&context, rules) && !rules.is_swapped {
            let message = format!(
                "the assumptions of {} exclude all inputs at the first step: nothing is owed",
                subject.top
            );
            self.out.log(Level::Warn, SOURCE, message)?;
        }
        // Only nodes without a body have something to be written.
        let writes = !rules.is_swapped && !self.program().node(id).has_body;
        let checked = realizability::check(&context, rules, self.search_options(), &stop);
        match checked {
            Checked::Realizable(won) => {
                self.realizable(program, subject, rules, &won, start)?;
                if !rules.is_swapped {
                    self.unused_modes((program, id), rules, &won, &context)?;
                }
                if writes {
                    self.write_component(id, subject, (rules, &won), &context)?;
                }
            }
            Checked::Unrealizable(_) if rules.generous => {
                self.out.log(Level::Warn, SOURCE, OPEN_CALL.to_owned())?;
                self.unknown(subject, start)?;
            }
            Checked::Unrealizable(lost) => {
                self.unrealizable((program, id), subject, rules, &lost, (&context, start))?;
                if self.request.post.contract_checks.conflicts == ShownConflicts::All {
                    self.all_conflicts(id, subject, rules, (&context, &stop))?;
                }
                if writes {
                    self.write_environment(id, subject, (rules, &lost), &context)?;
                }
                if self.request.post.contract_checks.check_satisfiable {
                    self.satisfiability(subject, rules, (&context, &stop))?;
                }
            }
            Checked::Unknown(why) if why == realizability::UNCONFIRMED => {
                self.tally.errors += 1;
                let message = format!("internal error: {}: {why}", subject.inside);
                self.out.log(Level::Error, SOURCE, message)?;
                self.unknown(subject, start)?;
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
        program: &Program,
        subject: &Subject,
        rules: &Rules,
        won: &Realizable,
        start: Instant,
    ) -> io::Result<()> {
        let wanted = self.request.post.contract_checks.print_viable_states;
        let sources = &self.model.sources;
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
        (program, id): (&Program, NodeId),
        subject: &Subject,
        rules: &Rules,
        lost: &Unrealizable,
        (context, start): (&SolverContext, Instant),
    ) -> io::Result<()> {
        let seconds = start.elapsed();
        let mut messages = Vec::new();
        let options = &self.request.post.contract_checks;
        let deadlock = (options.print_deadlock || options.dump_deadlock)
            .then(|| realizability::deadlock(context, program, id, rules, lost));
        let deadlock = match deadlock {
            None => None,
            Some(Ok(found)) => {
                let gaps = found.gaps.iter();
                messages.extend(gaps.map(|gap| {
                    let message = format!("the trace is not replayed exactly: {gap}");
                    (Level::Warn, message)
                }));
                let sources = &self.model.sources;
                Some(Box::new(DeadlockReport {
                    trace: results::blocks(program, &found.trace, sources),
                    conflict: ElementSet {
                        class: SetClass::Conflict,
                        elements: self.conflict(id, subject, &found.conflict),
                        property: None,
                        approximate: false,
                        seconds: (start.elapsed() - seconds).as_secs_f64(),
                        counterexample: None,
                    },
                    sentence: sentence(rules, found.at_most),
                }))
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
    fn conflict(&self, id: NodeId, subject: &Subject, clauses: &[Clause]) -> Vec<ElementReport> {
        let (program, sources) = (&self.model.program, &self.model.sources);
        let node = program.node(id);
        let described = |part: Part| {
            let element = part.describe(program, sources)?;
            let report = elements::describe(sources, &element);
            let node = subject.owner.clone();
            Some(ElementReport { node, ..report })
        };
        let mut found: Vec<ElementReport> = Vec::new();
        for clause in clauses {
            match clause {
                Clause::Assumption(at) => found.extend(described(Part::Assumption(id, *at))),
                Clause::Guarantee(at) => found.extend(described(Part::Guarantee(id, *at))),
                Clause::Assertion(at) => found.extend(described(Part::Assertion(id, *at))),
                Clause::Property(at) => {
                    let property = &node.properties[*at];
                    let position = sources.position(property.span);
                    let place = format!("[l{}c{}]", position.line, position.column);
                    found.push(ElementReport {
                        category: ElementCategory::Guarantee,
                        name: property.name.clone().unwrap_or(format!("property{place}")),
                        node: subject.owner.clone(),
                        file: sources.file(property.span.file).name.clone(),
                        position,
                    });
                }
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

    /// Tells all minimal conflicts, and the maximal sets of clauses that can be kept.
    fn all_conflicts(
        &mut self,
        id: NodeId,
        subject: &Subject,
        rules: &Rules,
        (context, stop): (&SolverContext, &dyn Fn() -> bool),
    ) -> io::Result<()> {
        let start = Instant::now();
        let found = realizability::conflicts(context, rules, self.search_options(), stop);
        for clauses in &found.minimal {
            let set = ElementSet {
                class: SetClass::Conflict,
                elements: self.conflict(id, subject, clauses),
                property: None,
                approximate: false,
                seconds: start.elapsed().as_secs_f64(),
                counterexample: None,
            };
            self.out.tell(&Event::ElementSet {
                program: &self.model.program,
                set: &set,
            })?;
        }
        for clauses in &found.maximal {
            let left = rules.clauses.iter();
            let left = left.filter(|one| **one != Clause::Range && !clauses.contains(one));
            let left: Vec<Clause> = left.copied().collect();
            let elements = self.conflict(id, subject, &left);
            let names: Vec<&str> = elements.iter().map(|one| one.name.as_str()).collect();
            let message = format!(
                "{} can be honoured without: {}",
                subject.inside,
                names.join(", ")
            );
            self.out.log(Level::Note, SOURCE, message)?;
        }
        if !found.complete {
            self.tally.incomplete += 1;
            let message = "there may be more conflicts: not all sets were decided".to_owned();
            self.out.log(Level::Warn, SOURCE, message)?;
        }
        Ok(())
    }

    /// Warns of modes that are never entered.
    fn unused_modes(
        &mut self,
        (program, id): (&Program, NodeId),
        rules: &Rules,
        won: &Realizable,
        context: &SolverContext,
    ) -> io::Result<()> {
        for at in realizability::unused_modes(context, program, id, rules, won) {
            let node = program.node(id);
            let mode = node
                .contract
                .as_ref()
                .map(|contract| &contract.modes[at].name);
            let message = format!(
                "no component that honours the contract of {} ever enters the mode {}",
                node.name,
                mode.map_or("", |name| name.as_str())
            );
            self.out.log(Level::Warn, SOURCE, message)?;
        }
        Ok(())
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
        let satisfiable =
            realizability::is_satisfiable(context, rules, self.search_options(), stop);
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

/// How long the component can hold out, in a sentence.
fn sentence(rules: &Rules, steps: usize) -> String {
    match (rules.is_swapped, steps) {
        (false, 1) => "No outputs keep the contract for these inputs.".to_owned(),
        (false, _) => format!(
            "Whatever the outputs are, inputs of {steps} steps at most leave none that keep the \
             contract."
        ),
        (true, 1) => "No inputs keep the assumptions.".to_owned(),
        (true, _) => format!(
            "Whatever the inputs are, outputs of {} steps at most leave none that keep the \
             assumptions.",
            steps - 1
        ),
    }
}
