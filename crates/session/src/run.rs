//! A run of the tool: the analyses of a plan, one after the other, and the post-analyses of their
//! results.

use std::collections::HashMap;
use std::io;
use std::sync::Arc;
use std::time::{Duration, Instant};

use analysis::{
    Analysis, AnalysisEvent, AnalysisOptions, AnalysisPlan, Engine, InvariantTexts, Lemmas,
    NodeLemmas, Outcome, PropertyResult, Stage, analyse,
};
use lang::{NodeId, Program};
use results::{AnalysisReport, Answer, Block, Event, Level, PropertyReport};
use smt::clock::{self, Meter, Moment};

use crate::advice_file::AdviceFile;
use crate::analysed::Analysed;
use crate::control::Control;
use crate::cut_sets::{self, Costs};
use crate::describe::{self, callees};
use crate::distance;
use crate::listener::Listener;
use crate::model::Model;
use crate::narrate;
use crate::post::{PostAnalysis, PostContext, SwitchedOff, When};
use crate::request::Request;
use crate::tally::Tally;
use crate::unfinished::{OpenAnalysis, not_analysed};

/// Runs the analyses that a request asks for, and tells the listener their events; with one thread,
/// the same events in every run. An error is one that the listener has returned.
pub fn run(
    model: &Model,
    request: Request,
    control: &Control,
    listener: &mut dyn Listener,
) -> io::Result<Tally> {
    match request.settings.threads {
        1 => clock::by_work(&Meter::default(), || {
            run_all(model, &request, control, listener)
        }),
        _ => run_all(model, &request, control, listener),
    }
}

fn run_all(
    model: &Model,
    request: &Request,
    control: &Control,
    out: &mut dyn Listener,
) -> io::Result<Tally> {
    let mut post = request.post_analyses();
    for analysis in &mut post {
        for (level, source, message) in analysis.announce(request.cut_sets.is_some()) {
            out.log(level, source, message)?;
        }
        analysis.begin(model, control);
    }
    let costs = request.cut_sets.as_ref().and_then(|o| o.cost.as_deref());
    let costs = match costs.map(Costs::read) {
        Some(Err(message)) => {
            out.log(Level::Error, "mcs", message)?;
            return Ok(Tally {
                errors: 1,
                ..Tally::default()
            });
        }
        Some(Ok(costs)) => costs,
        None => Costs::default(),
    };
    let advice = AdviceFile::open(&request.post.learnt, out)?;
    let off = post.iter().map(|analysis| analysis.switches_off());
    let off = off.fold(SwitchedOff::default(), |all, own| SwitchedOff {
        compression: all.compression || own.compression,
        reachability: all.reachability || own.reachability,
    });
    let mut session = Session {
        model,
        request,
        control,
        out,
        off,
        costs,
        advice,
        tally: Tally::default(),
        lemmas: Lemmas::default(),
        deadline: None,
        node_lemmas: Arc::default(),
        texts: None,
        failed: None,
    };
    let mut plan = AnalysisPlan::new(&model.program, &request.tops, request.strategy);
    session.all(&mut plan, &mut post)?;
    match session.failed {
        Some(error) => Err(error),
        None => Ok(session.tally),
    }
}

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

struct Session<'s> {
    model: &'s Model,
    request: &'s Request,
    control: &'s Control,
    out: &'s mut dyn Listener,
    /// What the engines must not do, so that post-analyses can use their proofs.
    off: SwitchedOff,
    costs: Costs,
    advice: AdviceFile,
    tally: Tally,
    /// The lemmas of the last analysis.
    lemmas: Lemmas,
    /// When the analysis at hand has to end.
    deadline: Option<Instant>,
    /// The lemmas of nodes, for the analyses of their callers.
    node_lemmas: Arc<NodeLemmas>,
    /// The invariants of the proofs of the last analysis, as text.
    texts: Option<InvariantTexts>,
    /// The first error of the listener.
    failed: Option<io::Error>,
}

type PostAnalyses = [Box<dyn PostAnalysis>];

impl Session<'_> {
    /// Runs one analysis after the other, and tells the results of all nodes at the end.
    fn all(&mut self, plan: &mut AnalysisPlan, post: &mut PostAnalyses) -> io::Result<()> {
        while let Some(analysis) = plan.next_analysis() {
            let waiting = plan.waiting().into_iter();
            self.control.unfinished().waiting = waiting.map(|id| self.name(id)).collect();
            match self.request.cut_sets.is_some() {
                true => {
                    if !self.cut_sets(&analysis)? {
                        plan.refuse(&analysis);
                    }
                }
                false => self.analysis_and_post_analyses(plan, &analysis, post)?,
            }
            self.control.unfinished().tally = self.tally;
            if self.control.interrupted() || self.control.time_is_up() {
                break;
            }
        }
        self.tell_left(plan)?;
        for analysis in post {
            let mut context = PostContext {
                control: self.control,
                folder: &self.request.folder,
                out: self.out,
            };
            analysis.end(&mut context, &mut self.tally)?;
        }
        let strategy = self.request.strategy;
        if self.request.cut_sets.is_some() || !(strategy.modular || strategy.compositional) {
            return Ok(());
        }
        let (program, sources) = (&self.model.program, &self.model.sources);
        let nodes = describe::nodes(program, sources, plan);
        self.out.tell(&Event::Nodes(&nodes))
    }

    /// Runs an analysis, and the post-analyses of its results.
    fn analysis_and_post_analyses(
        &mut self,
        plan: &mut AnalysisPlan,
        analysis: &Analysis,
        post: &mut PostAnalyses,
    ) -> io::Result<()> {
        let (start, work) = (Instant::now(), Moment::now());
        if let Some(mutants) = &mut self.control.unfinished().mutants {
            mutants.expect(self.name(analysis.top));
        }
        let options = self.options(analysis);
        match self.analysis(analysis, &options)? {
            Some(results) => plan.learn(analysis, results, start.elapsed()),
            None => plan.refuse(analysis),
        }
        let texts = self.texts.take();
        let is_last = plan.is_last(analysis);
        for following in post {
            if is_last || following.when() == When::EveryAnalysis {
                let options = self.options(analysis);
                let analysed = Analysed {
                    model: self.model,
                    program: &analysis.program(&self.model.program),
                    top: analysis.top,
                    options: &options,
                    results: plan.results(analysis.top),
                    lemmas: &self.lemmas,
                    invariants: texts.as_ref(),
                    elapsed: work.elapsed(),
                    one_of_many: self.request.has_many(),
                };
                let mut context = PostContext {
                    control: self.control,
                    folder: &self.request.folder,
                    out: self.out,
                };
                let outcome = post_analysis(following.as_mut(), &analysed, &mut context)?;
                self.tally.add(outcome);
            }
        }
        if is_last {
            self.control.search_is_over();
            if let Some(mutants) = &mut self.control.unfinished().mutants {
                mutants.is_judged();
            }
        }
        Ok(())
    }

    /// Tells of the nodes that were not analysed, for lack of time or because they cannot be, as
    /// unproved.
    fn tell_left(&mut self, plan: &AnalysisPlan) -> io::Result<()> {
        self.control.unfinished().waiting.clear();
        for id in plan.waiting() {
            if let Some(mutants) = &mut self.control.unfinished().mutants {
                mutants.judge_none(&self.name(id), None);
            }
            self.say(Level::Warn, not_analysed(&self.name(id)))?;
        }
        if let Some((top, opened)) = plan.refinement() {
            let opened: Vec<String> = opened.iter().map(|id| self.name(*id)).collect();
            let message = format!(
                "`{}` was not analysed again with the bodies of {}: there was no time left",
                self.name(top),
                opened.join(", ")
            );
            self.say(Level::Warn, message)?;
            self.tally.unknown += 1;
        }
        self.tally.unknown += plan.left().len();
        self.control.unfinished().tally = self.tally;
        Ok(())
    }

    fn name(&self, id: NodeId) -> String {
        self.model.program.node(id).name.to_string()
    }

    /// The options of an analysis; its timeout starts now.
    fn options(&self, analysis: &Analysis) -> AnalysisOptions {
        let request = self.request;
        let mut settings = request.settings.clone();
        let own = request.analysis_time;
        let own = own.and_then(|time| Instant::now().checked_add(time));
        settings.deadline = own.into_iter().chain(self.control.deadline()).min();
        settings.interrupted = self.control.flag();
        if self.off.compression {
            settings.induction.compression = analysis::Compression::NONE;
        }
        let mut lowering = request.lower.clone();
        lowering.reach &= !self.off.reachability;
        lowering.nonvacuity &= !self.off.reachability;
        let learnt = &request.post.learnt;
        AnalysisOptions {
            lower: analysis.options(lowering),
            settings,
            lemmas: self.node_lemmas.clone(),
            advice: self.advice.book.clone(),
            invariants: learnt.invariants(),
            smooth: learnt.smooth,
            questions_follow: request.post.cores.is_wanted() || request.cut_sets.is_some(),
        }
    }

    /// Searches for cut sets; `false` if the node cannot be analysed.
    fn cut_sets(&mut self, analysis: &Analysis) -> io::Result<bool> {
        let Some(options) = &self.request.cut_sets else {
            return Ok(true);
        };
        if analysis.stage == Stage::Contract {
            return Ok(true);
        }
        let program = analysis.program(&self.model.program);
        let analysed = Analysed {
            model: self.model,
            program: &program,
            top: analysis.top,
            options: &self.options(analysis),
            results: &[],
            lemmas: &self.lemmas,
            invariants: None,
            elapsed: Duration::ZERO,
            one_of_many: self.request.has_many(),
        };
        self.open_analysis(&program, analysis, true);
        let head = self.head(analysis, &program);
        self.out.tell(&Event::AnalysisStart(&head))?;
        let name = format!("the search for cut sets of {}", head.top);
        self.control.search("mcs", name);
        let question = cut_sets::Question {
            options,
            cores: &self.request.post.cores,
            costs: &self.costs,
        };
        let mut context = PostContext {
            control: self.control,
            folder: &self.request.folder,
            out: self.out,
        };
        let outcome = cut_sets::run(&question, &analysed, &mut context)?;
        let mut unfinished = self.control.unfinished();
        (unfinished.search, unfinished.analysis) = (None, None);
        unfinished.sets.clear();
        self.out.tell(&Event::AnalysisStop)?;
        self.tally.add(outcome.unwrap_or_default());
        Ok(outcome.is_some())
    }

    /// Records that an analysis begins, so that the watchdog can tell of it if it does not end.
    fn open_analysis(&self, program: &Program, analysis: &Analysis, is_told: bool) {
        let mut open = OpenAnalysis::new(program.clone(), self.name(analysis.top));
        if is_told {
            open.is_told = true;
            open.ask(Vec::new());
        }
        self.control.unfinished().analysis = Some(open);
    }

    /// The head of an analysis.
    fn head(&self, analysis: &Analysis, program: &Program) -> AnalysisReport {
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
        }
    }

    /// Runs an analysis. Where all nodes are analysed, one without properties is not told of.
    fn analysis(
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
        if !matches!(
            event,
            AnalysisEvent::Asked(_)
                | AnalysisEvent::Statistics(_)
                | AnalysisEvent::Lemmas(_)
                | AnalysisEvent::Invariants(_)
        ) {
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
            AnalysisEvent::Note(message) => self.say(Level::Info, message),
            AnalysisEvent::Warning(message) => {
                running.warnings += 1;
                self.say(Level::Warn, message)
            }
            AnalysisEvent::DeadEnd(step) => {
                let message = describe::dead_end(step);
                self.out.log(Level::Warn, "parse", message)
            }
            AnalysisEvent::SolverFailed(message) => self.say(Level::Warn, message),
            AnalysisEvent::SolverUnfit(message) => {
                self.tally.unfit = true;
                self.say(Level::Error, message)
            }
            AnalysisEvent::TooLarge(message) => {
                self.tally.errors += 1;
                self.say(Level::Error, message)
            }
            AnalysisEvent::InternalError(message) => {
                self.tally.errors += 1;
                self.say(Level::Fatal, format!("internal error: {message}"))
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
            AnalysisEvent::Progress(progress) => {
                let sentence = narrate::progress(&progress, running.start.elapsed());
                self.out.tell(&Event::Progress {
                    source: progress.engine.short_name(),
                    depth: progress.depth,
                    sentence: &sentence,
                })
            }
            AnalysisEvent::Attempt {
                properties,
                k,
                path,
            } => {
                let path = results::blocks(program, &path, &self.model.sources);
                let names: Vec<&str> = properties.iter().map(|p| p.name.as_str()).collect();
                if self.request.last_induction_failures {
                    for name in &names {
                        let failures = &mut running.failures;
                        failures.insert((*name).to_owned(), (k, path.clone()));
                    }
                }
                match self.request.all_induction_failures {
                    true => self.induction_failure(program, &names, k, &path),
                    false => Ok(()),
                }
            }
            AnalysisEvent::Statistics(work) => {
                let decided = running.decided.iter();
                let count = decided.filter(|by| **by == work.engine).count();
                let statistics = narrate::work(&work, count);
                self.out.tell(&Event::Statistics(&statistics))
            }
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
            match &report.answer {
                Answer::Valid { .. } | Answer::Reachable { .. } => {}
                Answer::Falsifiable { .. } | Answer::Unreachable { .. } => {
                    self.tally.disproved += 1
                }
                Answer::Unknown { .. } => {
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

    fn say(&mut self, level: Level, message: String) -> io::Result<()> {
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

/// Runs a post-analysis, unless it has an obstacle, which is told instead.
fn post_analysis(
    following: &mut dyn PostAnalysis,
    analysed: &Analysed,
    context: &mut PostContext,
) -> io::Result<crate::tally::PostOutcome> {
    if let Some(title) = following.title() {
        let name = format!("{title} of {}", analysed.name());
        context.control.search(following.source(), name);
    }
    if let Some(obstacle) = following.obstacle(analysed) {
        context.out.log(Level::Warn, following.source(), obstacle)?;
        return Ok(Default::default());
    }
    following.run(analysed, context)
}
