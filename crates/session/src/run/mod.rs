//! A run of the tool: the analyses of a plan, one after the other, and the post-analyses of their
//! results.

mod one_analysis;

use std::io;
use std::sync::Arc;
use std::time::{Duration, Instant};

use analysis::{
    Analysis, AnalysisOptions, AnalysisPlan, InvariantTexts, Lemmas, NodeLemmas, Stage,
};
use lang::NodeId;
use results::{Event, Level};
use smt::Meter;

use crate::advice_file::AdviceFile;
use crate::analysed::Analysed;
use crate::control::Control;
use crate::cut_sets::{self, Costs};
use crate::describe;
use crate::listener::Listener;
use crate::model::Model;
use crate::post::{PostAnalysis, PostContext, SwitchedOff, When};
use crate::request::Request;
use crate::tally::Tally;
use crate::unfinished::not_analysed;

/// Runs the analyses that a request asks for, and tells the listener their events; with one thread,
/// the same events in every run. An error is one that the listener has returned.
pub fn run(
    model: &Model,
    request: Request,
    control: &Control,
    listener: &mut dyn Listener,
) -> io::Result<Tally> {
    let mut request = request;
    request.settings.meter = (request.settings.threads == 1).then(Meter::default);
    run_all(model, &request, control, listener)
}

fn run_all(
    model: &Model,
    request: &Request,
    control: &Control,
    out: &mut dyn Listener,
) -> io::Result<Tally> {
    let mut post = request.post_analyses();
    for analysis in &mut post {
        for (level, source, message) in analysis.announce(request.finds_cut_sets) {
            out.log(level, source, message)?;
        }
        analysis.begin(model, control);
    }
    let costs = request.post.cut_sets.cost.as_deref();
    let costs = costs.filter(|_| request.finds_cut_sets);
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
            match self.request.finds_cut_sets {
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
        if self.request.finds_cut_sets || !(strategy.modular || strategy.compositional) {
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
        let (start, work) = (Instant::now(), self.request.settings.context().now());
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
            settings.induction.compress = false;
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
            questions_follow: request.post.cores.is_wanted() || request.finds_cut_sets,
        }
    }

    /// Searches for cut sets; `false` if the node cannot be analysed.
    fn cut_sets(&mut self, analysis: &Analysis) -> io::Result<bool> {
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
            options: &self.request.post.cut_sets,
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
