//! Minimal cut sets: which failures violate a property.

mod costs;
mod counterexample;
mod options;

use std::io;
use std::time::{Duration, Instant};

use analysis::{Counterexample, NoCounterexample};
use results::{ElementSet, Event, Level, NoElementSet, SetClass};
use system::PropertyId;
use traceability::Budget;
use traceability::mcs::{self, Completeness, CutSet};

use crate::analysed::Analysed;
use crate::describe;
use crate::elements::{Elements, Selection, call_time, seconds, sentence, work};
use crate::post::{CoreOptions, PostContext};
use crate::tally::PostOutcome;

pub use costs::Costs;
pub use options::CutSetOptions;

/// The options of a search.
pub struct Question<'q> {
    pub options: &'q CutSetOptions,
    /// The options with the timeout of each query.
    pub cores: &'q CoreOptions,
    pub costs: &'q Costs,
}

/// Searches for cut sets of the properties of a system; `None` if the system cannot be analysed.
pub(crate) fn run(
    question: &Question,
    analysed: &Analysed,
    context: &mut PostContext,
) -> io::Result<Option<PostOutcome>> {
    let options = question.options;
    let selection = Selection::new(analysed, options.flat, |element| {
        options.wants(element, analysed.name())
    });
    let Some(mut elements) = Elements::of(analysed, &selection, context.out)? else {
        return Ok(None);
    };
    for unknown in question.costs.apply(&mut elements.model.parts) {
        context.out.log(Level::Warn, "mcs", unknown)?;
    }
    if let Some(step) = analysis::first_unreached(&elements.lowered, &elements.options.settings) {
        context
            .out
            .log(Level::Warn, "parse", describe::dead_end(step))?;
    }
    if elements.model.parts.is_empty() {
        let message = format!(
            "nothing can fail: no element is in the categories looked at ({}); choose others with \
             --mcs_category",
            options.category_names().join(", ")
        );
        context.out.log(Level::Warn, "mcs", message)?;
    }
    let mut search = CutSetSearch {
        question,
        analysed,
        selection: &selection,
        elements: &elements,
        context,
        outcome: PostOutcome::default(),
    };
    search.run()?;
    Ok(Some(search.outcome))
}

fn none_found(property: Option<String>, outcome: Completeness, seconds: f64) -> NoElementSet {
    NoElementSet {
        class: SetClass::Mcs,
        property,
        unknown: outcome == Completeness::Incomplete,
        seconds,
    }
}

struct CutSetSearch<'s, 'p> {
    question: &'s Question<'s>,
    analysed: &'s Analysed<'s>,
    selection: &'s Selection<'s>,
    elements: &'s Elements,
    context: &'s mut PostContext<'p>,
    outcome: PostOutcome,
}

impl CutSetSearch<'_, '_> {
    fn run(&mut self) -> io::Result<()> {
        let elements = self.elements;
        let all = elements.properties.clone();
        if !self.question.options.per_property {
            let open = none_found(None, Completeness::Incomplete, 0.0);
            self.context.control.unfinished().sets = vec![open];
            return self.cut_sets_of(&all, None);
        }
        let names = all.iter().map(|id| Some(elements.name(*id)));
        let open = names.map(|name| none_found(name, Completeness::Incomplete, 0.0));
        self.context.control.unfinished().sets = open.collect();
        for property in all {
            let name = Some(elements.name(property));
            match elements.is_over() {
                true => self.none(none_found(name, Completeness::Incomplete, 0.0))?,
                false => self.cut_sets_of(&[property], name)?,
            }
        }
        Ok(())
    }

    /// The timeout of each query.
    fn call_time(&self) -> Duration {
        call_time(self.question.cores.verify_timeout, Duration::ZERO)
    }

    fn budget(&self) -> Budget {
        let cores = self.question.cores;
        let (given, core) = (cores.verify_timeout, cores.core_time());
        self.elements.budget(given, Duration::ZERO, core)
    }

    fn cut_sets_of(&mut self, properties: &[PropertyId], name: Option<String>) -> io::Result<()> {
        let start = Instant::now();
        let elements = self.elements;
        let mut verifier = elements.verifier(properties, self.budget());
        let options = self.question.options;
        let (mut written, mut count) = (Ok(()), 0);
        let mut tell = |event: traceability::Event<CutSet>| {
            let shown = match event {
                traceability::Event::Found(found) => {
                    count += 1;
                    self.found(&found, properties, name.clone())
                }
                traceability::Event::Verified(call) => self.say(Level::Debug, sentence(&call)),
            };
            written = std::mem::replace(&mut written, Ok(())).and(shown);
        };
        let outcome = match (options.all, options.approximate) {
            (true, _) => mcs::all(&mut verifier, options.largest(), &mut tell),
            (false, false) => mcs::global(&mut verifier, options.largest(), &mut tell),
            (false, true) => mcs::local(&mut verifier, options.largest(), &mut tell),
        };
        written?;
        if count == 0 {
            self.none(none_found(name.clone(), outcome, seconds(start)))?;
        }
        let of = name.map_or(String::new(), |name| format!(" for property {name}"));
        if options.all && count > 0 {
            self.say(Level::Note, format!("Number of MCS found{of}: {count}"))?;
        }
        if outcome == Completeness::Incomplete && count > 0 {
            let why = match elements.is_over() {
                true => "time was up",
                false => "some questions were not decided in time",
            };
            let message = format!("there may be other cut sets{of}: {why}");
            self.say(Level::Warn, message)?;
            self.outcome.incomplete += 1;
        }
        let message = work(&verifier.statistics, elements.model.parts.len());
        self.say(Level::Info, message)
    }

    /// Tells that there is no cut set, or that none was found.
    fn none(&mut self, none: NoElementSet) -> io::Result<()> {
        self.outcome.incomplete += usize::from(none.unknown);
        let mut unfinished = self.context.control.unfinished();
        unfinished.sets.retain(|set| set.property != none.property);
        self.context.out.tell(&Event::NoElementSet(&none))
    }

    /// Tells a cut set, after a counterexample has confirmed it.
    fn found(
        &mut self,
        found: &CutSet,
        properties: &[PropertyId],
        property: Option<String>,
    ) -> io::Result<()> {
        let start = Instant::now();
        let wanted = counterexample::CounterexampleSearch {
            set: &found.set,
            properties,
            steps: found.depth + 1,
            time: self.call_time(),
        };
        let granularity = self.selection.granularity;
        let run = counterexample::find(self.elements, self.analysed, granularity, &wanted);
        match run {
            Ok(run) => {
                let (steps, seconds) = (run.trace.steps, seconds(start));
                let message = format!("a run of {steps} steps was replayed after {seconds:.3}s");
                self.say(Level::Info, message)?;
                self.show(found, property, Some(run))
            }
            Err(NoCounterexample::Unable(why)) => {
                let message = format!("the run of a cut set is not replayed: {why}");
                let level = match self.question.options.counterexamples() {
                    true => Level::Warn,
                    false => Level::Info,
                };
                self.say(level, message)?;
                self.show(found, property, None)
            }
            Err(NoCounterexample::None) => {
                self.wrong("a cut set does not lead to a violation".to_owned())
            }
            Err(NoCounterexample::InternalError(message)) => self.wrong(message),
        }
    }

    /// Reports that the two semantics disagree, an internal error.
    fn wrong(&mut self, message: String) -> io::Result<()> {
        self.outcome.errors += 1;
        self.say(Level::Fatal, format!("internal error: {message}"))
    }

    fn show(
        &mut self,
        found: &CutSet,
        property: Option<String>,
        run: Option<Counterexample>,
    ) -> io::Result<()> {
        let options = self.question.options;
        let sources = self.analysed.sources();
        let run = run.filter(|_| options.counterexamples());
        let counterexample =
            run.map(|run| results::blocks(&run.weakened.program, &run.trace, sources));
        let set = ElementSet {
            class: SetClass::Mcs,
            elements: self.elements.report(sources, &found.set),
            property: property.clone(),
            approximate: found.approximate,
            seconds: found.elapsed.as_secs_f64(),
            counterexample,
        };
        let shown = (options.print, options.print_complement);
        let mut unfinished = self.context.control.unfinished();
        unfinished.sets.retain(|set| set.property != property);
        let out = &mut *self.context.out;
        self.elements
            .show(self.analysed, out, set, &found.set, shown)?;
        drop(unfinished);
        if found.set.is_empty() {
            let message = "the property does not hold even if nothing fails".to_owned();
            return self.say(Level::Warn, message);
        }
        let parts = &self.elements.model.parts;
        if options.print && parts.iter().any(|part| part.cost != 1) {
            let costs = found.set.iter().map(|at| u64::from(parts[*at].cost));
            let cost: u64 = costs.sum();
            self.say(Level::Note, format!("the cost of this cut set is {cost}"))?;
        }
        Ok(())
    }

    fn say(&mut self, level: Level, message: String) -> io::Result<()> {
        self.context.out.log(level, "mcs", message)
    }
}
