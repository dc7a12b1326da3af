//! Mutation: which small errors in the model would the properties notice?

mod options;
mod progress;
mod record;

use std::collections::BTreeSet;
use std::io;
use std::sync::Arc;
use std::time::{Duration, Instant};

use analysis::{Candidates, Mutant, NoCounterexample, Outcome, PreparedMutants};
use lower::Part;
use results::{
    Block, EquationReport, Event, Level, MutantReport, MutantVerdict, MutationReport,
    PostAnalysisName,
};
use sim::Trace;
use system::{Element, ElementKind, PropertyId};
use traceability::mutation::{self, Effect, Means, Mutation, Original, Settled, Verdict};
use traceability::{Granularity, ivc};

use super::{PostAnalysis, PostContext, SwitchedOff};
use crate::analysed::Analysed;
use crate::control::Control;
use crate::elements::{Elements, Selection};
use crate::model::Model;
use crate::tally::{PostOutcome, Tally};
use progress::Progress;

pub use options::MutationOptions;
pub use record::MutationRecord;

const NAME: PostAnalysisName = PostAnalysisName {
    name: "mutation",
    title: "mutation",
    in_schema: false,
};

/// Judges mutants by the properties that are proved.
pub struct Mutants {
    options: MutationOptions,
}

impl Mutants {
    /// `None` unless options ask for mutants.
    pub fn of(options: &MutationOptions) -> Option<Mutants> {
        options.is_wanted().then(|| Mutants {
            options: options.clone(),
        })
    }

    /// Records that the mutants of a node cannot be judged.
    fn judge_none(
        &self,
        analysed: &Analysed,
        report: Option<MutationReport>,
        context: &mut PostContext,
    ) {
        if let Some(record) = &mut context.control.unfinished().mutants {
            record.judge_none(analysed.name(), report);
        }
    }
}

impl PostAnalysis for Mutants {
    fn source(&self) -> &'static str {
        "mutation"
    }

    fn switches_off(&self) -> SwitchedOff {
        SwitchedOff {
            compression: false,
            reachability: true,
        }
    }

    fn announce(&self, finds_cut_sets: bool) -> Vec<(Level, &'static str, String)> {
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
        vec![(level, "mutation", message.to_owned())]
    }

    fn begin(&mut self, model: &Model, control: &Control) {
        let record = MutationRecord::new(&self.options, &model.sources);
        control.unfinished().mutants = Some(record);
    }

    fn title(&self) -> Option<&'static str> {
        Some("the search for mutants")
    }

    fn run(&mut self, analysed: &Analysed, context: &mut PostContext) -> io::Result<PostOutcome> {
        let (program, top) = (analysed.program, analysed.top);
        let (sources, mutators) = (analysed.sources(), self.options.mutators());
        let options = analysed.options;
        let prepared = match PreparedMutants::new(program, sources, top, options, &mutators) {
            Ok(prepared) => prepared,
            Err(unsupported) => {
                self.judge_none(analysed, None, context);
                let message = format!("no mutants of {}: {}", analysed.name(), unsupported.0);
                context.out.log(Level::Warn, "mutation", message)?;
                return Ok(PostOutcome::default());
            }
        };
        let properties = proved(&prepared, analysed);
        let is_judged = !properties.is_empty();
        let mut search = MutantSearch {
            options: &self.options,
            analysed,
            prepared: &prepared,
            properties,
            context,
            outcome: PostOutcome::default(),
        };
        if is_judged {
            search
                .context
                .control
                .post_analysis_start(NAME, search.context.out)?;
            search.run()?;
            search
                .context
                .control
                .post_analysis_end(NAME, search.context.out)?;
            return Ok(search.outcome);
        }
        let all: Vec<usize> = (0..prepared.mutants.len()).collect();
        let report = search.unsettled(&all);
        if !analysed.results.is_empty() {
            self.judge_none(analysed, Some(report), context);
        }
        let name = analysed.name();
        let message = format!("no mutants of {name}: none of its properties is proved");
        context.out.log(Level::Warn, "mutation", message)?;
        Ok(PostOutcome::default())
    }

    /// Tells all mutants, for files, and checks the threshold.
    fn end(&mut self, context: &mut PostContext, tally: &mut Tally) -> io::Result<()> {
        let mut unfinished = context.control.unfinished();
        let Some(mutants) = unfinished.mutants.take() else {
            return Ok(());
        };
        mutants.tell_end(tally, context.out)?;
        unfinished.tally = *tally;
        Ok(())
    }
}

/// The properties of the system that were proved.
fn proved(prepared: &PreparedMutants, analysed: &Analysed) -> Vec<PropertyId> {
    let is_proved = |id: &PropertyId| {
        let mut results = analysed.results.iter();
        results.any(|result| {
            let is_valid = matches!(result.outcome, Outcome::Valid(_));
            result.origin == *prepared.origin(*id) && is_valid
        })
    };
    prepared
        .properties()
        .into_iter()
        .filter(is_proved)
        .collect()
}

struct MutantSearch<'s, 'p> {
    options: &'s MutationOptions,
    analysed: &'s Analysed<'s>,
    prepared: &'s PreparedMutants,
    properties: Vec<PropertyId>,
    context: &'s mut PostContext<'p>,
    outcome: PostOutcome,
}

impl MutantSearch<'_, '_> {
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
        if let Some(record) = &mut self.context.control.unfinished().mutants {
            record.open(self.analysed.program, report);
        }
        let original = self.original();
        let options = mutation::SettleOptions {
            k_kill: self.options.k_kill,
            budget: self.options.budget(),
            settings: self.analysed.options.settings.clone(),
        };
        let mut progress = Progress::new(mutations.len());
        let mut written = Ok(());
        mutation::settle(&original, &mutations, &options, &mut |settled| {
            let told = self.learn(chosen[settled.mutation], &settled, &mut progress, start);
            written = std::mem::replace(&mut written, Ok(())).and(told);
        });
        self.context.out.tell(&Event::Transient(None))?;
        written?;
        self.conclude(start)
    }

    /// Records the result of a mutant, and tells the progress.
    fn learn(
        &mut self,
        at: usize,
        settled: &Settled,
        progress: &mut Progress,
        start: Instant,
    ) -> io::Result<()> {
        let mut report = self.describe(at, settled);
        let run = self.replay(at, settled)?;
        report.counterexample = run.filter(|_| self.options.print_cex);
        let verdict = report.verdict.name();
        let (line, name, is_settled) = (report.position.line, &report.name, report.is_settled);
        let message = format!("line {line}: {name} is {verdict}");
        let mut sentence = None;
        if let Some(record) = &mut self.context.control.unfinished().mutants
            && let Some(current) = record.current()
        {
            current.mutants[settled.mutation] = report;
            current.seconds = start.elapsed().as_secs_f64();
            sentence = progress.sentence(current);
        }
        if is_settled {
            self.say(Level::Debug, message)?;
        }
        let Some(sentence) = sentence else {
            return Ok(());
        };
        self.context.out.tell(&Event::Transient(Some(&sentence)))?;
        self.say(Level::Info, sentence)
    }

    /// Tells the results of the mutants.
    fn conclude(&mut self, start: Instant) -> io::Result<()> {
        let mut unfinished = self.context.control.unfinished();
        let Some(record) = &mut unfinished.mutants else {
            return Ok(());
        };
        if let Some(current) = record.current() {
            current.seconds = start.elapsed().as_secs_f64();
        }
        let Some((program, report)) = record.close() else {
            return Ok(());
        };
        let is_over = report.mutants.iter().all(|mutant| mutant.is_settled);
        self.outcome.incomplete += usize::from(!is_over && self.options.threshold.is_none());
        self.context.out.tell(&Event::Mutation {
            program: &program,
            report: &report,
        })?;
        for message in warnings(self.prepared, &report) {
            self.context.out.log(Level::Warn, "mutation", message)?;
        }
        Ok(())
    }

    /// The report before any mutant is judged.
    fn unsettled(&self, chosen: &[usize]) -> MutationReport {
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
            top: self.analysed.name().to_owned(),
            properties: self.properties.iter().map(|id| self.name(*id)).collect(),
            mutants: chosen.iter().map(nobody).collect(),
            left: chosen.len(),
            independent: self.independent(),
            seconds: 0.0,
        }
    }

    /// The mutants to judge: all, or those within a core.
    fn chosen(&mut self) -> io::Result<Vec<usize>> {
        let all = 0..self.prepared.mutants.len();
        if !self.options.within_core {
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
        let selection = Selection {
            granularity: Granularity::Flat,
            wanted: Box::new(|element: &Element| {
                matches!(element.kind, ElementKind::Equation | ElementKind::Binding)
            }),
        };
        let Some(elements) = Elements::of(self.analysed, &selection, self.context.out)? else {
            return Ok(None);
        };
        let budget = elements.budget(None, self.analysed.elapsed, None);
        let mut verifier = elements.verifier(&self.properties, budget);
        elements.teach(&mut verifier, self.analysed);
        let cores = ivc::cores(
            &mut verifier,
            &ivc::IvcSearchOptions::default(),
            &mut |_| {},
        );
        let core = cores.and_then(|cores| cores.ivcs.into_iter().next());
        let part = |at: usize| {
            let id = elements.model.parts[at].id;
            elements.lowered.parts[id.0 as usize]
        };
        Ok(core.map(|core| core.into_iter().map(part).collect()))
    }

    fn original(&self) -> Original {
        let tagged = self.prepared.tagged();
        let mut candidates = Candidates::about(&self.analysed.proofs(), tagged);
        let k = candidates.k;
        let lemmas = self.analysed.lemmas.about(tagged).into_iter();
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

    /// Replays every run that kills a mutant on the mutant's program. Returns the shortest one,
    /// with the property that it violates.
    fn replay(&mut self, at: usize, settled: &Settled) -> io::Result<Option<(String, Block)>> {
        let mut shortest: Option<(usize, String, Trace)> = None;
        for (id, effect) in self.properties.clone().into_iter().zip(&settled.effects) {
            let Effect::Broken(run) = effect else {
                continue;
            };
            match self.prepared.replay(self.analysed.program, at, run, id) {
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
        let (program, sources) = (self.analysed.program, self.analysed.sources());
        Ok(shortest.map(|(_, name, trace)| (name, results::blocks(program, &trace, sources))))
    }

    fn describe(&self, at: usize, settled: &Settled) -> MutantReport {
        let mutant = &self.prepared.mutants[at];
        let sources = self.analysed.sources();
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
            node: self.analysed.program.node(mutant.node).name.to_string(),
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
            let node = self.analysed.program.node(target.part.node()).name;
            format!("{node}.{}", target.name)
        });
        named.collect()
    }

    fn name(&self, id: PropertyId) -> String {
        self.prepared.name(self.analysed.program, id)
    }

    fn say(&mut self, level: Level, message: String) -> io::Result<()> {
        self.context.out.log(level, "mutation", message)
    }
}

/// The largest number of lemmas to try on each mutant: more cost more time than they save.
const MAX_LEMMAS: usize = 100;

/// Warnings about properties that kill no mutant, and about mutants that are undecided or left out.
fn warnings(prepared: &PreparedMutants, report: &MutationReport) -> Vec<String> {
    let mut warnings: Vec<String> = report.unsettled().into_iter().collect();
    for (name, kills) in report.kills() {
        let is_open = |mutant: &MutantReport| mutant.undecided.iter().any(|open| open == name);
        if kills == 0 && !report.mutants.is_empty() && !report.mutants.iter().any(is_open) {
            warnings.push(format!(
                "{name} kills no mutant: it says little about the model"
            ));
        }
    }
    let left_out = prepared.left_out.len();
    if left_out > 0 {
        warnings.push(format!(
            "{left_out} mutants of arrays of open size, or of loops within a step, are left out"
        ));
    }
    warnings
}
