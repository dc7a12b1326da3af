//! Proofs and counterexamples for the properties of the top nodes.

use std::collections::HashMap;
use std::io;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use analysis::{
    Analysis, ClauseLog, Course, Engine, Event, InvariantOptions, Lemmas, NodeLemmas, Options,
    Outcome, PropertyResult, Said, Settings, Stage, analyse,
};
use lang::{NodeId, Program};
use report::{AnalysisReport, Answer, Block, Format, Level, Log, PropertyReport};
use smt::clock::{self, Meter, Moment};
use traceability::Granularity;

use crate::advice_file::AdviceFile;
use crate::args::Args;
use crate::blame;
use crate::certificate_files;
use crate::certify;
use crate::cores;
use crate::costs::Costs;
use crate::describe::{self, callees};
use crate::dump::{Dumped, OutputFolder};
use crate::early_end::{OpenAnalysis, not_analysed};
use crate::elements::{Named, Question};
use crate::exit;
use crate::learnt;
use crate::merit;
use crate::mutation;
use crate::mutation_record::MutationRecord;
use crate::narrate::{self, Pace};
use crate::nearness;
use crate::run::{Model, Out, single_top};
use crate::smaller::Programs;
use crate::tally::Tally;
use crate::watchdog::Watchdog;

/// Verifies a model; with one thread in the same way every time.
pub fn run(args: &Args, model: &Model, watchdog: &Watchdog, out: &mut Out) -> io::Result<u8> {
    match args.threads() {
        1 => clock::by_work(&Meter::default(), || run_all(args, model, watchdog, out)),
        _ => run_all(args, model, watchdog, out),
    }
}

fn run_all(args: &Args, model: &Model, watchdog: &Watchdog, out: &mut Out) -> io::Result<u8> {
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
    if args.ivc.is_wanted() {
        if args.finds_cut_sets() {
            let message = "with --enable MCS nothing is proved, and no core is looked for";
            out.log(&Log::new(Level::Warn, "ivc", message))?;
        }
        merit::announce(out)?;
    }
    if args.mutation.is_wanted() {
        mutation::announce(args.finds_cut_sets(), out)?;
        watchdog.early_end().mutants = Some(MutationRecord::new(&args.mutation, &model.sources));
    }
    if args.certif.wanted {
        certify::announce(args.finds_cut_sets(), out)?;
    }
    let costs = match args.mcs.cost.as_deref().map(Costs::read) {
        Some(Err(message)) => {
            out.log(&Log::new(Level::Error, "mcs", message))?;
            return Ok(exit::ERROR);
        }
        Some(Ok(costs)) => costs,
        None => Costs::default(),
    };
    if let Some(wanted) = args.threads
        && let Err(error) = cores::confine(wanted.into())
    {
        let message = format!("all cores are used: {error}");
        out.log(&Log::new(Level::Warn, "supervisor", message))?;
    }
    let folder = OutputFolder::new(args);
    let shared = smt::Shared::default();
    let _guarded = watchdog.guard(&shared);
    let traces = folder.path().join("smt_trace");
    let solver = match args.solver.choice(traces, shared) {
        Ok((solver, versions)) => {
            for version in versions {
                out.log(&Log::new(Level::Info, "supervisor", version))?;
            }
            solver
        }
        Err(missing) => {
            out.log(&Log::new(Level::Error, "supervisor", missing.message))?;
            return Ok(missing.code);
        }
    };
    let clauses = args.ic3qe_print_to_file.as_deref();
    let clauses = match clauses.map(|path| folder.create(path)) {
        Some(Err(error)) => {
            out.log(&Log::new(Level::Error, "ic3qe", error.to_string()))?;
            return Ok(exit::ERROR);
        }
        Some(Ok(file)) => Some(ClauseLog::new(file)),
        None => None,
    };
    let advice = AdviceFile::open(&args.learnt, out)?;
    let mut verifier = Verifier {
        args,
        model,
        out,
        watchdog,
        folder,
        clauses: clauses.clone(),
        programs: Programs::new(args),
        solver,
        costs,
        tops: tops.len(),
        tally: Tally::default(),
        lemmas: Lemmas::default(),
        deadline: None,
        node_lemmas: Arc::default(),
        advice,
        said: None,
        failed: None,
    };
    let mut course = Course::new(&model.program, &tops, args.strategy());
    verifier.all(&mut course)?;
    let (mut tally, failed) = (verifier.tally, verifier.failed);
    if let Some(error) = failed {
        return Err(error);
    }
    if let Some(error) = clauses.and_then(|log| log.failure()) {
        let message = format!("not all clauses were written: {error}");
        out.log(&Log::new(Level::Error, "ic3qe", message))?;
        tally.errors += 1;
    }
    let is_open = tally.unknown + tally.incomplete > 0;
    let early = match (watchdog.interrupted(), watchdog.time_is_up()) {
        (true, _) => Some("interrupted: what is known is above"),
        (_, true) if is_open => Some("time is up: what is known is above"),
        _ => None,
    };
    if let Some(early) = early {
        out.log(&Log::new(Level::Warn, "supervisor", early))?;
    }
    if tally.properties == 0 && tally.errors == 0 && !args.finds_cut_sets() {
        let message = match model.program.nodes.is_empty() {
            true => "there is nothing to prove: the model has no node",
            false => "there is nothing to prove: no property, guarantee or mode was found",
        };
        out.log(&Log::new(Level::Warn, "supervisor", message))?;
    }
    Ok(tally.exit_code(args.exit_code_mode))
}

/// How models are translated.
pub fn lower_options(args: &Args) -> lower::Options {
    lower::Options {
        subproperties: args.check_subproperties && !args.modular,
        reach: args.checks_reach(),
        nonvacuity: args.check_nonvacuity && !args.is_about_invariants(),
        congruence: args.congruence,
        all_streams: args.tells_attempts(),
        slice: args.slice_nodes,
        inline_arrays: args.inline_arrays,
        smt_arrays: args.smt_arrays,
        ..lower::Options::default()
    }
}

fn granularity(flat: bool) -> Granularity {
    match flat {
        true => Granularity::Flat,
        false => Granularity::Stateful,
    }
}

/// What is known of an analysis that is running.
struct Hearing {
    pace: Pace,
    /// The engines that have decided something, once for each property.
    decided: Vec<Engine>,
    warnings: usize,
    /// By property: where induction failed last.
    attempts: HashMap<String, (usize, Block)>,
    /// What is said before anything else, until it is said.
    head: Option<AnalysisReport>,
}

struct Verifier<'v> {
    args: &'v Args,
    model: &'v Model,
    out: &'v mut Out,
    watchdog: &'v Watchdog,
    folder: OutputFolder,
    /// Where IC3QE writes.
    clauses: Option<ClauseLog>,
    programs: Programs,
    solver: smt::Choice,
    costs: Costs,
    /// How many nodes are analysed for their own sake.
    tops: usize,
    tally: Tally,
    /// What the last analysis has proved on the way.
    lemmas: Lemmas,
    /// When the analysis at hand has to end.
    deadline: Option<Instant>,
    /// What was proved of nodes, for their callers.
    node_lemmas: Arc<NodeLemmas>,
    advice: AdviceFile,
    /// The invariants of the last analysis.
    said: Option<Said>,
    /// The first failure to write.
    failed: Option<io::Error>,
}

impl Verifier<'_> {
    /// One analysis after the other, and what they have come to.
    fn all(&mut self, course: &mut Course) -> io::Result<()> {
        while let Some(analysis) = course.next_analysis() {
            let waiting = course.waiting().into_iter();
            self.watchdog.early_end().waiting = waiting.map(|id| self.name(id)).collect();
            match self.args.finds_cut_sets() {
                true => {
                    if !self.cut_sets(&analysis)? {
                        course.refuse(&analysis);
                    }
                }
                false => self.analysis_and_searches(course, &analysis)?,
            }
            self.watchdog.early_end().tally = self.tally;
            if self.watchdog.interrupted() || self.watchdog.time_is_up() {
                break;
            }
        }
        self.tell_left(course)?;
        self.end_mutants()?;
        if self.args.finds_cut_sets() || !(self.args.modular || self.args.compositional) {
            return Ok(());
        }
        let (program, sources) = (&self.model.program, &self.model.sources);
        self.out.nodes(&describe::nodes(program, sources, course))
    }

    /// An analysis, and what is made of its results.
    fn analysis_and_searches(
        &mut self,
        course: &mut Course,
        analysis: &Analysis,
    ) -> io::Result<()> {
        let (start, work) = (Instant::now(), Moment::now());
        if let Some(mutants) = &mut self.watchdog.early_end().mutants {
            mutants.expect(self.name(analysis.top));
        }
        match self.analysis(analysis)? {
            Some(results) => course.learn(analysis, results, start.elapsed()),
            None => course.refuse(analysis),
        }
        self.invariants(course, analysis)?;
        if !course.is_last(analysis) {
            return Ok(());
        }
        if self.args.ivc.is_wanted() {
            self.cores(course, analysis, work.elapsed())?;
        }
        if self.args.mutation.is_wanted() {
            self.mutants(course, analysis, work.elapsed())?;
        }
        if self.args.certif.wanted {
            self.certificate(course, analysis, work.elapsed())?;
        }
        self.watchdog.search_is_over();
        if let Some(mutants) = &mut self.watchdog.early_end().mutants {
            mutants.is_judged();
        }
        Ok(())
    }

    /// The nodes that there was no time for, or that cannot be analysed, are not proved.
    fn tell_left(&mut self, course: &Course) -> io::Result<()> {
        self.watchdog.early_end().waiting.clear();
        for id in course.waiting() {
            if let Some(mutants) = &mut self.watchdog.early_end().mutants {
                mutants.judge_none(&self.name(id), None);
            }
            self.say(Level::Warn, not_analysed(&self.name(id)))?;
        }
        if let Some((top, opened)) = course.refinement() {
            let opened: Vec<String> = opened.iter().map(|id| self.name(*id)).collect();
            let message = format!(
                "`{}` was not analysed again with the bodies of {}: there was no time left",
                self.name(top),
                opened.join(", ")
            );
            self.say(Level::Warn, message)?;
            self.tally.unknown += 1;
        }
        self.tally.unknown += course.left().len();
        self.watchdog.early_end().tally = self.tally;
        Ok(())
    }

    fn name(&self, id: NodeId) -> String {
        self.model.program.node(id).name.to_string()
    }

    fn options(&self, analysis: &Analysis) -> Options {
        let args = self.args;
        let own = (args.timeout_analysis > 0.0)
            .then(|| Duration::try_from_secs_f64(args.timeout_analysis).ok())
            .flatten()
            .and_then(|time| Instant::now().checked_add(time));
        Options {
            lower: analysis.options(lower_options(args)),
            settings: Settings {
                engines: args.engines(),
                max_depth: args.bmc_max,
                induction: args.induction(),
                check_unrolling: args.bmc_check_unroll,
                deadline: own.into_iter().chain(self.watchdog.deadline()).min(),
                interrupted: self.watchdog.flag(),
                invariants: InvariantOptions {
                    max_depth: args.invgen_max_depth,
                    prune_trivial: args.invgen_prune_trivial,
                    all_out: args.invgen_all_out,
                    mine_transition: args.invgen_mine_trans,
                    boolean_equalities_only: args.invgen_bool_eq_only,
                    arithmetic_equalities_only: args.invgen_arith_eq_only,
                    top_only: args.invgen_top_only,
                    max_successive: args.invgen_max_succ,
                    lift_candidates: args.invgen_lift_candidates,
                    renice: args.invgen_renice,
                },
                ic3: args.ic3(),
                ic3qe_log: self.clauses.clone(),
                ic3ia_max: args.ic3ia_max,
                threads: args.threads(),
                repeatable: args.threads() == 1,
                solver: self.solver.clone(),
                ..Settings::default()
            },
            lemmas: self.node_lemmas.clone(),
            advice: self.advice.book.clone(),
            invariants: args.learnt.invariants(),
            smooth: args.learnt.smooth,
            questions_follow: args.ivc.is_wanted() || args.finds_cut_sets(),
        }
    }

    /// Which invariants the proofs need.
    fn invariants(&mut self, course: &Course, analysis: &Analysis) -> io::Result<()> {
        let Some(said) = self.said.take() else {
            return Ok(());
        };
        let node = self.model.program.node(analysis.top).name;
        let args = &self.args.learnt;
        if said.proofs.is_empty() && !course.results(analysis.top).is_empty() {
            let message = format!("no invariants of {node}: none of its properties is proved");
            return self.say(Level::Warn, message);
        }
        self.tally.errors += learnt::tell(args, node.as_str(), &said, &self.folder, self.out)?;
        Ok(())
    }

    /// What the proofs need of the model.
    fn cores(&mut self, course: &Course, analysis: &Analysis, proof: Duration) -> io::Result<()> {
        let program = analysis.program(&self.model.program);
        let main = program.node(analysis.top).name;
        let args = &self.args.ivc;
        let named = Named::of(&program, analysis.top);
        let options = self.options(analysis);
        let question = Question {
            granularity: granularity(args.flat),
            wanted: &|element| {
                args.wants(element, main.as_str()) && (!args.flat || named.have(element))
            },
            ..Question::of(self.model, &program, analysis.top, options)
        };
        let evidence = merit::Evidence {
            results: course.results(analysis.top),
            lemmas: &self.lemmas,
            elapsed: proof,
        };
        let files = (&self.folder, &mut self.programs);
        let name = format!("the search for cores of {main}");
        self.watchdog.search("ivc", name);
        let outcome = merit::run(args, &question, &evidence, files, self.watchdog, self.out)?;
        self.tally.add(outcome);
        Ok(())
    }

    /// Why the properties hold, for others to check. Where several nodes are analysed,
    /// each has a folder of its own.
    fn certificate(
        &mut self,
        course: &Course,
        analysis: &Analysis,
        proof: Duration,
    ) -> io::Result<()> {
        let program = analysis.program(&self.model.program);
        let options = self.options(analysis);
        let question = Question::of(self.model, &program, analysis.top, options);
        let evidence = merit::Evidence {
            results: course.results(analysis.top),
            lemmas: &self.lemmas,
            elapsed: proof,
        };
        let mut place = PathBuf::from(certificate_files::FOLDER);
        if self.args.modular || self.tops > 1 {
            place.push(program.node(analysis.top).name.as_str());
        }
        let (args, files) = (&self.args.certif, (&self.folder, place.as_path()));
        let name = format!("the certification of {}", self.name(analysis.top));
        self.watchdog.search("certif", name);
        let outcome = certify::run(args, &question, &evidence, files, self.watchdog, self.out)?;
        self.tally.add(outcome);
        Ok(())
    }

    /// Which errors in the model the properties notice.
    fn mutants(&mut self, course: &Course, analysis: &Analysis, proof: Duration) -> io::Result<()> {
        let program = analysis.program(&self.model.program);
        let options = self.options(analysis);
        let question = Question::of(self.model, &program, analysis.top, options);
        let evidence = merit::Evidence {
            results: course.results(analysis.top),
            lemmas: &self.lemmas,
            elapsed: proof,
        };
        let name = format!("the search for mutants of {}", self.name(analysis.top));
        self.watchdog.search("mutation", name);
        let (args, format) = (&self.args.mutation, self.args.format());
        let place = (self.watchdog, &mut *self.out);
        let outcome = mutation::run(args, &question, &evidence, format, place)?;
        self.tally.add(outcome);
        Ok(())
    }

    /// Writes the files about mutants, and sees whether enough are killed.
    fn end_mutants(&mut self) -> io::Result<()> {
        let watchdog = self.watchdog;
        let mut early_end = watchdog.early_end();
        let Some(mutants) = early_end.mutants.take() else {
            return Ok(());
        };
        for message in mutants.write() {
            self.tally.errors += 1;
            self.out.log(&Log::new(Level::Error, "mutation", message))?;
        }
        if let Some(message) = mutants.unmet() {
            self.tally.weak += 1;
            self.out.log(&Log::new(Level::Warn, "mutation", message))?;
        }
        early_end.tally = self.tally;
        Ok(())
    }

    /// Which failures violate the properties; `false` if the node cannot be analysed.
    fn cut_sets(&mut self, analysis: &Analysis) -> io::Result<bool> {
        if analysis.stage == Stage::Contract {
            return Ok(true);
        }
        let program = analysis.program(&self.model.program);
        let main = program.node(analysis.top).name;
        let args = &self.args.mcs;
        let named = Named::of(&program, analysis.top);
        let options = self.options(analysis);
        let question = Question {
            granularity: granularity(args.flat),
            wanted: &|element| {
                args.wants(element, main.as_str()) && (!args.flat || named.have(element))
            },
            ..Question::of(self.model, &program, analysis.top, options)
        };
        self.open_analysis(&program, analysis, true);
        self.out.analysis_start(&self.head(analysis, &program))?;
        self.watchdog
            .search("mcs", format!("the search for cut sets of {main}"));
        let place = (self.watchdog, &mut *self.out);
        let outcome = blame::run(self.args, &question, &self.costs, place)?;
        let mut early_end = self.watchdog.early_end();
        (early_end.search, early_end.analysis) = (None, None);
        early_end.sets.clear();
        self.out.analysis_stop()?;
        self.tally.add(outcome.unwrap_or_default());
        Ok(outcome.is_some())
    }

    /// Notes that an analysis begins, in case that it does not end.
    fn open_analysis(&self, program: &Program, analysis: &Analysis, is_told: bool) {
        let mut open = OpenAnalysis::new(program.clone(), self.name(analysis.top));
        if is_told {
            open.is_told = true;
            open.ask(Vec::new());
        }
        self.watchdog.early_end().analysis = Some(open);
    }

    /// What is said when an analysis begins.
    fn head(&self, analysis: &Analysis, program: &Program) -> AnalysisReport {
        let (concrete, abstracted) = callees(program, analysis.top);
        let name = |id| self.model.program.node(id).name.to_string();
        let proved = analysis.proved.iter();
        AnalysisReport {
            top: name(analysis.top),
            concrete,
            abstracted,
            proved: proved.map(|(id, all)| (name(*id), all.len())).collect(),
            contract_only: analysis.stage == Stage::Contract,
            opened: analysis.opened.iter().map(|id| name(*id)).collect(),
        }
    }

    /// Runs an analysis. One without a property is not worth a word where all
    /// nodes are analysed.
    fn analysis(&mut self, analysis: &Analysis) -> io::Result<Option<Vec<PropertyResult>>> {
        self.lemmas = Lemmas::default();
        let options = self.options(analysis);
        let program = analysis.program(&self.model.program);
        let head = self.head(analysis, &program);
        let mut hearing = Hearing {
            pace: Pace::new(self.args.verbosity()),
            decided: Vec::new(),
            warnings: 0,
            attempts: HashMap::new(),
            head: Some(head),
        };
        self.deadline = options.settings.deadline;
        self.open_analysis(&program, analysis, false);
        let sources = &self.model.sources;
        let results = analyse(&program, sources, analysis.top, &options, &mut |event| {
            let written = self.hear(&program, event, &mut hearing);
            self.keep(written);
        });
        if let Err(message) = self.advice.save() {
            self.tally.errors += 1;
            self.say(Level::Error, message)?;
        }
        let found = results.as_deref().unwrap_or_default();
        let watchdog = self.watchdog;
        let mut early_end = watchdog.early_end();
        self.conclude(&program, found, &mut hearing)?;
        match hearing.head {
            Some(head) => {
                let message = format!("{} has no property to prove", head.top);
                self.say(Level::Note, message)?;
            }
            None => self.out.analysis_stop()?,
        }
        (early_end.analysis, early_end.tally) = (None, self.tally);
        drop(early_end);
        Ok(results)
    }

    /// Tells that an analysis begins, once.
    fn begin(&mut self, hearing: &mut Hearing) -> io::Result<()> {
        match hearing.head.take() {
            Some(head) => self.out.analysis_start(&head),
            None => Ok(()),
        }
    }

    /// Tells of what happens during an analysis.
    fn hear(&mut self, program: &Program, event: Event, hearing: &mut Hearing) -> io::Result<()> {
        let nothing = matches!(&event, Event::Size(size) if size.properties == 0);
        if nothing && self.args.modular {
            return Ok(());
        }
        let watchdog = self.watchdog;
        let mut early_end = watchdog.early_end();
        let open = early_end.analysis.as_mut();
        if !matches!(
            event,
            Event::Asked(_) | Event::Statistics(_) | Event::Lemmas(_) | Event::Invariants(_)
        ) {
            self.begin(hearing)?;
            if let Some(open) = open {
                open.is_told = true;
            }
        }
        let open = early_end.analysis.as_mut();
        match event {
            Event::Asked(results) => {
                let reports = results.iter().map(|result| self.describe(program, result));
                if let Some(open) = open {
                    open.ask(reports.collect());
                }
                Ok(())
            }
            Event::Result(result) => {
                hearing.decided.extend(result.engine);
                if let Some(open) = open {
                    open.decide(&self.describe(program, result));
                }
                self.show(program, result)
            }
            Event::Note(message) => self.say(Level::Info, message),
            Event::Warning(message) => {
                hearing.warnings += 1;
                self.say(Level::Warn, message)
            }
            Event::DeadEnd(step) => {
                let message = describe::dead_end(step);
                self.out.log(&Log::new(Level::Warn, "parse", message))
            }
            Event::SolverFailed(message) => self.say(Level::Warn, message),
            Event::SolverUnfit(message) => {
                self.tally.unfit = true;
                self.say(Level::Error, message)
            }
            Event::TooLarge(message) => {
                self.tally.errors += 1;
                self.say(Level::Error, message)
            }
            Event::InternalError(message) => {
                self.tally.errors += 1;
                self.say(Level::Fatal, format!("internal error: {message}"))
            }
            Event::Lemmas(lemmas) => {
                self.lemmas = lemmas;
                Ok(())
            }
            Event::Invariants(said) => {
                self.said = Some(said);
                Ok(())
            }
            Event::Size(size) => self.out.statistics(&narrate::size(&size)),
            Event::Progress(progress) => match hearing.pace.sentence(&progress) {
                Some(sentence) => {
                    let source = progress.engine.short_name();
                    self.out.progress(source, progress.depth, &sentence)
                }
                None => Ok(()),
            },
            Event::Attempt {
                properties,
                k,
                path,
            } => {
                let path = report::blocks(program, &path, &self.model.sources);
                let names: Vec<&str> = properties.iter().map(|p| p.name.as_str()).collect();
                for name in names.iter().filter(|_| self.args.print_cti) {
                    let attempts = &mut hearing.attempts;
                    attempts.insert((*name).to_owned(), (k, path.clone()));
                }
                match self.args.ind_print_cex {
                    true => self.out.attempt(program, &names, k, &path),
                    false => Ok(()),
                }
            }
            Event::Statistics(work) => {
                let decided = hearing.decided.iter();
                let count = decided.filter(|by| **by == work.engine).count();
                self.out.statistics(&narrate::work(&work, count))
            }
        }
    }

    /// Counts the results of an analysis, and sums them up.
    fn conclude(
        &mut self,
        program: &Program,
        results: &[PropertyResult],
        hearing: &mut Hearing,
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
                    self.out.open_property(program, &report)?;
                    let name = &result.property.name;
                    if let Some((k, mut path)) = hearing.attempts.remove(name) {
                        nearness::sort(program, result, &mut path);
                        self.out.attempt(program, &[name], k, &path)?;
                    }
                }
            }
            reports.push(report);
        }
        self.tally.properties += results.len();
        if results.is_empty() {
            self.tally.unknown += hearing.warnings;
            self.tally.properties += hearing.warnings;
            return match self.args.modular {
                true => Ok(()),
                false => self.begin(hearing),
            };
        }
        self.out.summary(&reports)
    }

    fn describe(&self, program: &Program, result: &PropertyResult) -> PropertyReport {
        let timed_out = self.deadline.is_some_and(|at| Instant::now() >= at);
        describe::property(program, &self.model.sources, result, timed_out)
    }

    fn say(&mut self, level: Level, message: String) -> io::Result<()> {
        self.out.log(&Log::new(level, "supervisor", message))
    }

    fn show(&mut self, program: &Program, result: &PropertyResult) -> io::Result<()> {
        let report = self.describe(program, result);
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
                self.out.property(program, &report, true)?;
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
        self.out.property(program, &report, !shown)?;
        match dumped {
            Some(Ok(message)) => self.say(Level::Note, message),
            Some(Err(error)) => {
                self.tally.errors += 1;
                self.say(Level::Error, error.to_string())
            }
            None => Ok(()),
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
    fn explain(&mut self, result: &PropertyResult) -> io::Result<()> {
        match &result.outcome {
            Outcome::Valid(evidence) | Outcome::Unreachable(evidence) => {
                let message = narrate::evidence(&result.property.name, evidence.kind());
                self.say(Level::Debug, message)
            }
            _ => Ok(()),
        }
    }

    /// Keeps a failure to write. Nobody listens any more: there is no reason to
    /// go on.
    fn keep(&mut self, written: io::Result<()>) {
        if let Err(error) = written {
            self.failed.get_or_insert(error);
            self.watchdog.interrupt();
        }
    }
}
