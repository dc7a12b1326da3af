//! Mutation: which small errors in the model would the properties notice?

use std::collections::BTreeSet;
use std::io::{self, IsTerminal};
use std::sync::Arc;
use std::time::{Duration, Instant};

use analysis::{Candidates, Mutant, NoCounterexample, Outcome, Prepared};
use lower::Part;
use report::{
    Block, EquationReport, Format, Level, Log, MutantReport, MutantVerdict, MutationReport,
};
use sim::Trace;
use system::{Element, ElementKind, PropertyId};
use traceability::mutation::{self, Effect, Means, Mutation, Original, Settled, Verdict};
use traceability::{Granularity, ivc};

use crate::elements::{Elements, Question, call_time};
use crate::merit::Evidence;
use crate::mutation_args::MutationArgs;
use crate::run::Out;
use crate::tally::PostAnalysis;
use crate::watchdog::Watchdog;

/// What the search switches off, and says so.
pub fn announce(finds_cut_sets: bool, out: &mut Out) -> io::Result<()> {
    let (level, message) = match finds_cut_sets {
        true => (
            Level::Warn,
            "with --enable MCS nothing is proved, and no mutants are judged",
        ),
        false => (
            Level::Note,
            "mutants are judged by invariants: reachability is not checked",
        ),
    };
    out.log(&Log::new(level, "mutation", message))
}

/// Settles the mutants of a system whose analysis has ended with some results.
pub fn run(
    args: &MutationArgs,
    question: &Question,
    evidence: &Evidence,
    format: Format,
    (watchdog, out): (&Watchdog, &mut Out),
) -> io::Result<PostAnalysis> {
    let name = question.program.node(question.top).name;
    let (sources, top) = (question.sources, question.top);
    let lowering = &question.options.lower;
    let prepared = Prepared::new(question.program, sources, top, lowering, &args.mutators());
    let prepared = match prepared {
        Ok(prepared) => prepared,
        Err(unsupported) => {
            if let Some(record) = &mut watchdog.early_end().mutants {
                record.judge_none(name.as_str(), None);
            }
            let message = format!("no mutants of {name}: {}", unsupported.0);
            out.log(&Log::new(Level::Warn, "mutation", message))?;
            return Ok(PostAnalysis::default());
        }
    };
    let properties = proved(&prepared, evidence);
    let is_judged = !properties.is_empty();
    let has_properties = !evidence.results.is_empty();
    let mut search = Search {
        args,
        question,
        evidence,
        prepared: &prepared,
        properties,
        watchdog,
        out,
        outcome: PostAnalysis::default(),
    };
    if !is_judged {
        let all: Vec<usize> = (0..prepared.mutants.len()).collect();
        let report = search.unsettled(&all);
        if let Some(record) = &mut watchdog.early_end().mutants
            && has_properties
        {
            record.judge_none(name.as_str(), Some(report));
        }
        let message = format!("no mutants of {name}: none of its properties is proved");
        search.say(Level::Warn, message)?;
        return Ok(PostAnalysis::default());
    }
    if format == Format::Text {
        watchdog.post_analysis_start("mutation", "mutation", search.out)?;
    }
    search.run()?;
    let outcome = search.outcome;
    if format == Format::Text {
        watchdog.post_analysis_end(out)?;
    }
    Ok(outcome)
}

/// The properties of the system that were proved.
fn proved(prepared: &Prepared, evidence: &Evidence) -> Vec<PropertyId> {
    let is_proved = |id: &PropertyId| {
        let mut results = evidence.results.iter();
        results.any(|result| {
            result.origin == *prepared.origin(*id) && matches!(result.outcome, Outcome::Valid(_))
        })
    };
    prepared
        .properties()
        .into_iter()
        .filter(is_proved)
        .collect()
}

struct Search<'s> {
    args: &'s MutationArgs,
    question: &'s Question<'s>,
    evidence: &'s Evidence<'s>,
    prepared: &'s Prepared,
    properties: Vec<PropertyId>,
    watchdog: &'s Watchdog,
    out: &'s mut Out,
    outcome: PostAnalysis,
}

impl Search<'_> {
    fn run(&mut self) -> io::Result<()> {
        let start = Instant::now();
        let chosen = self.chosen()?;
        let mutations: Vec<Mutation> = chosen
            .iter()
            .map(|at| Mutation {
                definitions: self.prepared.definitions[*at].clone(),
            })
            .collect();
        let report = self.unsettled(&chosen);
        if let Some(record) = &mut self.watchdog.early_end().mutants {
            record.open(self.question.program, report);
        }
        let original = self.original();
        let options = mutation::Options {
            k_kill: self.args.k_kill,
            budget: self.args.budget(),
            settings: self.question.options.settings.clone(),
        };
        let mut progress = Progress::new(mutations.len(), self.out.is_terse());
        let mut written = Ok(());
        mutation::settle(&original, &mutations, &options, &mut |settled| {
            let told = self.learn(chosen[settled.mutation], &settled, &mut progress, start);
            written = std::mem::replace(&mut written, Ok(())).and(told);
        });
        progress.end();
        written?;
        self.conclude(start)
    }

    /// Takes note of what is known of a mutant, and tells how far the search is.
    fn learn(
        &mut self,
        at: usize,
        settled: &Settled,
        progress: &mut Progress,
        start: Instant,
    ) -> io::Result<()> {
        let mut report = self.describe(at, settled);
        let run = self.replay(at, settled)?;
        report.counterexample = run.filter(|_| self.args.print_cex);
        let verdict = report.verdict.name();
        let (line, name, is_settled) = (report.position.line, &report.name, report.is_settled);
        let message = format!("line {line}: {name} is {verdict}");
        let mut sentence = None;
        if let Some(record) = &mut self.watchdog.early_end().mutants
            && let Some(current) = record.current()
        {
            current.mutants[settled.mutation] = report;
            current.seconds = start.elapsed().as_secs_f64();
            sentence = progress.sentence(current);
        }
        if is_settled {
            self.say(Level::Debug, message)?;
        }
        sentence.map_or(Ok(()), |sentence| self.say(Level::Info, sentence))
    }

    /// Shows what has become of the mutants.
    fn conclude(&mut self, start: Instant) -> io::Result<()> {
        let watchdog = self.watchdog;
        let mut early_end = watchdog.early_end();
        let Some(record) = &mut early_end.mutants else {
            return Ok(());
        };
        if let Some(current) = record.current() {
            current.seconds = start.elapsed().as_secs_f64();
        }
        let Some((program, report)) = record.close() else {
            return Ok(());
        };
        let is_over = report.mutants.iter().all(|mutant| mutant.is_settled);
        self.outcome.incomplete += usize::from(!is_over && self.args.threshold.is_none());
        self.out.mutation(&program, &report)?;
        warn(self.prepared, &report, self.out)
    }

    /// The report before any mutant is settled.
    fn unsettled(&self, chosen: &[usize]) -> MutationReport {
        let program = self.question.program;
        let nobody = |at: &usize| {
            let settled = Settled {
                mutation: *at,
                is_equivalent: false,
                is_final: false,
                effects: vec![Effect::Unknown; self.properties.len()],
                means: Means::None,
                elapsed: Duration::ZERO,
            };
            MutantReport {
                verdict: MutantVerdict::Unknown,
                ..self.describe(*at, &settled)
            }
        };
        MutationReport {
            top: program.node(self.question.top).name.to_string(),
            properties: self.properties.iter().map(|id| self.name(*id)).collect(),
            mutants: chosen.iter().map(nobody).collect(),
            left: chosen.len(),
            independent: self.independent(),
            seconds: 0.0,
        }
    }

    /// The mutants in question: all, or those within a core.
    fn chosen(&mut self) -> io::Result<Vec<usize>> {
        let all = 0..self.prepared.mutants.len();
        if !self.args.within_core {
            return Ok(all.collect());
        }
        let Some(core) = self.core()? else {
            self.say(
                Level::Warn,
                "no core was found: all of the model is mutated".to_owned(),
            )?;
            return Ok(all.collect());
        };
        let inside = |mutant: &Mutant| mutant.changes.iter().any(|c| core.contains(&c.part));
        Ok(all
            .filter(|at| inside(&self.prepared.mutants[*at]))
            .collect())
    }

    /// The equations and arguments of a core.
    fn core(&mut self) -> io::Result<Option<BTreeSet<Part>>> {
        let wanted = |element: &Element| {
            matches!(element.kind, ElementKind::Equation | ElementKind::Binding)
        };
        let question = Question {
            options: self.question.options.clone(),
            granularity: Granularity::Flat,
            wanted: &wanted,
            ..*self.question
        };
        let Some(elements) = Elements::of(&question, self.out)? else {
            return Ok(None);
        };
        let budget = elements.budget(call_time(None, self.evidence.elapsed), None);
        let mut verifier = elements.verifier(&self.properties, budget);
        elements.teach(&mut verifier, self.evidence);
        let cores = ivc::cores(&mut verifier, &ivc::Options::default(), &mut |_| {});
        let core = cores.and_then(|cores| cores.ivcs.into_iter().next());
        let part = |at: usize| {
            let id = elements.model.parts[at].id;
            elements.lowered.parts[id.0 as usize]
        };
        Ok(core.map(|core| core.into_iter().map(part).collect()))
    }

    fn original(&self) -> Original {
        let tagged = self.prepared.tagged();
        let mut candidates = Candidates::about(&self.evidence.proofs(), tagged);
        let k = candidates.k;
        let lemmas = self.evidence.lemmas.about(tagged).into_iter();
        let lemmas = lemmas.filter(|lemma| lemma.k <= k).take(MAX_LEMMAS);
        candidates.add(k, lemmas.map(|lemma| lemma.term));
        Original {
            tagged: Arc::new(tagged.clone()),
            properties: self.properties.clone(),
            k,
            invariants: candidates.terms,
            observed: self.prepared.observed().to_vec(),
        }
    }

    /// Every run that kills a mutant is one of the mutant's program. Gives back the
    /// shortest, with the property that it violates.
    fn replay(&mut self, at: usize, settled: &Settled) -> io::Result<Option<(String, Block)>> {
        let mut shortest: Option<(usize, String, Trace)> = None;
        for (id, effect) in self.properties.clone().into_iter().zip(&settled.effects) {
            let Effect::Broken(run) = effect else {
                continue;
            };
            match self.prepared.replay(self.question.program, at, run, id) {
                Err(NoCounterexample::InternalError(why)) => {
                    self.outcome.errors += 1;
                    self.say(Level::Fatal, format!("internal error: {why}"))?;
                }
                Err(NoCounterexample::Unable(why)) => {
                    let message = format!("a run that kills a mutant cannot be shown: {why}");
                    self.say(Level::Info, message)?;
                }
                Err(NoCounterexample::None) => {}
                Ok(trace) => {
                    let steps = run.steps.len();
                    if shortest.as_ref().is_none_or(|(known, ..)| steps < *known) {
                        shortest = Some((steps, self.name(id), trace));
                    }
                }
            }
        }
        let (program, sources) = (self.question.program, self.question.sources);
        Ok(shortest.map(|(_, name, trace)| (name, report::blocks(program, &trace, sources))))
    }

    fn describe(&self, at: usize, settled: &Settled) -> MutantReport {
        let mutant = &self.prepared.mutants[at];
        let sources = self.question.sources;
        let named = |wanted: fn(&Effect) -> bool| {
            let all = self.properties.iter().zip(&settled.effects);
            let all = all.filter(|(_, effect)| wanted(effect));
            all.map(|(id, _)| self.name(*id)).collect::<Vec<String>>()
        };
        let runs = settled.effects.iter().filter_map(|effect| match effect {
            Effect::Broken(run) => Some(run.steps.len()),
            _ => None,
        });
        let place = sources.position(mutant.target.span);
        MutantReport {
            file: sources.file(mutant.at.file).name.clone(),
            node: self.question.program.node(mutant.node).name.to_string(),
            position: sources.position(mutant.at),
            span: mutant.at,
            mutator: mutant.mutator.name(),
            name: mutant.name.clone(),
            equation: EquationReport {
                name: mutant.target.name.clone(),
                span: mutant.target.span,
                line: place.line,
                column: place.column,
            },
            verdict: match settled.verdict() {
                Verdict::Killed => MutantVerdict::Killed,
                Verdict::Survived if settled.is_equivalent => MutantVerdict::Equivalent,
                Verdict::Survived => MutantVerdict::Survived,
                Verdict::Unknown => MutantVerdict::Unknown,
            },
            is_settled: settled.is_final,
            killed_by: named(|effect| matches!(effect, Effect::Broken(_))),
            undecided: named(|effect| matches!(effect, Effect::Unknown)),
            steps: runs.min(),
            counterexample: None,
            seconds: settled.elapsed.as_secs_f64(),
        }
    }

    fn independent(&self) -> Vec<String> {
        let all = self.prepared.independent.iter();
        let named = all.map(|target| {
            let node = self.question.program.node(target.part.node()).name;
            format!("{node}.{}", target.name)
        });
        named.collect()
    }

    fn name(&self, id: PropertyId) -> String {
        self.prepared.name(self.question.program, id)
    }

    fn say(&mut self, level: Level, message: String) -> io::Result<()> {
        self.out.log(&Log::new(level, "mutation", message))
    }
}

/// More are not worth the time that it takes to try them on each mutant.
const MAX_LEMMAS: usize = 100;

/// What the scores do not say.
fn warn(prepared: &Prepared, report: &MutationReport, out: &mut Out) -> io::Result<()> {
    if let Some(message) = report.unsettled() {
        out.log(&Log::new(Level::Warn, "mutation", message))?;
    }
    for (name, kills) in report.kills() {
        let is_open = |mutant: &MutantReport| mutant.undecided.iter().any(|open| open == name);
        if kills == 0 && !report.mutants.is_empty() && !report.mutants.iter().any(is_open) {
            let message = format!("{name} kills no mutant: it says little about the model");
            out.log(&Log::new(Level::Warn, "mutation", message))?;
        }
    }
    let left_out = prepared.left_out.len();
    if left_out > 0 {
        let message = format!(
            "{left_out} mutants of arrays of open size, or of loops within a step, are left out"
        );
        out.log(&Log::new(Level::Warn, "mutation", message))?;
    }
    Ok(())
}

/// How far the search is: in the log of those who want to know, or else, for people, in a
/// line on the terminal that is gone afterwards.
struct Progress {
    all: usize,
    start: Instant,
    told: Instant,
    on_terminal: bool,
}

/// The least time between two sentences.
const QUIET: Duration = Duration::from_secs(1);

/// Goes to the beginning of the line on a terminal, and clears it.
const CLEAR: &str = "\r\x1b[K";

impl Progress {
    fn new(all: usize, is_terse: bool) -> Progress {
        let on_terminal = is_terse && io::stdout().is_terminal() && io::stderr().is_terminal();
        Progress {
            all,
            start: Instant::now(),
            told: Instant::now(),
            on_terminal,
        }
    }

    /// What to say of what is known, if it is time.
    fn sentence(&mut self, report: &MutationReport) -> Option<String> {
        if self.told.elapsed() < QUIET {
            return None;
        }
        self.told = Instant::now();
        let settled = report.mutants.iter().filter(|m| m.is_settled).count();
        let (all, score) = (self.all, report.score());
        let (killed, survived) = (score.killed, score.survived + score.equivalent);
        let seconds = self.start.elapsed().as_secs_f64();
        let sentence = format!(
            "{settled} of {all} mutants settled after {seconds:.0}s: {killed} killed, {survived} \
             survived so far"
        );
        if self.on_terminal {
            eprint!("{CLEAR}{sentence}");
        }
        Some(sentence)
    }

    fn end(&self) {
        if self.on_terminal {
            eprint!("{CLEAR}");
        }
    }
}
