//! Minimal cut sets: which failures violate a property.

use std::io;
use std::time::{Duration, Instant};

use analysis::{Counterexample, NoCounterexample};
use report::{ElementSet, Level, Log, NoElementSet, SetClass};
use system::PropertyId;
use traceability::Event;
use traceability::mcs::{self, CutSet, Outcome};

use crate::args::Args;
use crate::costs::Costs;
use crate::describe;
use crate::elements::{Elements, Question, call_time, seconds};
use crate::failure;
use crate::merit::{sentence, work};
use crate::run::Out;
use crate::tally::PostAnalysis;
use crate::watchdog::Watchdog;

/// Looks for cut sets of the properties of a system; nothing comes of it if that cannot
/// be analysed.
pub fn run(
    args: &Args,
    question: &Question,
    costs: &Costs,
    (watchdog, out): (&Watchdog, &mut Out),
) -> io::Result<Option<PostAnalysis>> {
    let Some(mut elements) = Elements::of(question, out)? else {
        return Ok(None);
    };
    for unknown in costs.apply(&mut elements.model.parts) {
        out.log(&Log::new(Level::Warn, "mcs", unknown))?;
    }
    if let Some(step) = analysis::first_unreached(&elements.lowered, &elements.options.settings) {
        out.log(&Log::new(Level::Warn, "parse", describe::dead_end(step)))?;
    }
    if elements.model.parts.is_empty() {
        let message = format!(
            "nothing can fail: no element is in the categories looked at ({}); choose others with \
             --mcs_category",
            args.mcs.category_names().join(", ")
        );
        out.log(&Log::new(Level::Warn, "mcs", message))?;
    }
    let mut search = Search {
        args,
        question,
        elements: &elements,
        watchdog,
        out,
        outcome: PostAnalysis::default(),
    };
    let all = elements.properties.clone();
    match args.mcs.per_property {
        true => {
            let names = all.iter().map(|id| Some(elements.name(*id)));
            let open = names.map(|name| none_found(name, Outcome::Incomplete, 0.0));
            watchdog.early_end().sets = open.collect();
            for property in all {
                let name = Some(elements.name(property));
                match elements.is_over() {
                    true => search.none(none_found(name, Outcome::Incomplete, 0.0))?,
                    false => search.cut_sets_of(&[property], name)?,
                }
            }
        }
        false => {
            let open = none_found(None, Outcome::Incomplete, 0.0);
            watchdog.early_end().sets = vec![open];
            search.cut_sets_of(&all, None)?;
        }
    }
    Ok(Some(search.outcome))
}

fn none_found(property: Option<String>, outcome: Outcome, seconds: f64) -> NoElementSet {
    NoElementSet {
        class: SetClass::Mcs,
        property,
        unknown: outcome == Outcome::Incomplete,
        seconds,
    }
}

struct Search<'s> {
    args: &'s Args,
    question: &'s Question<'s>,
    elements: &'s Elements,
    watchdog: &'s Watchdog,
    out: &'s mut Out,
    outcome: PostAnalysis,
}

impl Search<'_> {
    fn cut_sets_of(&mut self, properties: &[PropertyId], name: Option<String>) -> io::Result<()> {
        let start = Instant::now();
        let elements = self.elements;
        let call = call_time(self.args.ivc.verify_timeout, Duration::ZERO);
        let budget = elements.budget(call, self.args.ivc.core_time());
        let mut verifier = elements.verifier(properties, budget);
        let options = &self.args.mcs;
        let (mut written, mut count) = (Ok(()), 0);
        let mut tell = |event: Event<CutSet>| {
            let shown = match event {
                Event::Found(found) => {
                    count += 1;
                    self.found(&found, properties, name.clone())
                }
                Event::Verified(call) => self.say(Level::Debug, sentence(&call)),
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
        if outcome == Outcome::Incomplete && count > 0 {
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

    /// There is no cut set, or none was found.
    fn none(&mut self, none: NoElementSet) -> io::Result<()> {
        self.outcome.incomplete += usize::from(none.unknown);
        let mut early_end = self.watchdog.early_end();
        early_end.sets.retain(|set| set.property != none.property);
        self.out.no_element_set(&none)
    }

    /// Shows a cut set, once a run has shown what it does.
    fn found(
        &mut self,
        found: &CutSet,
        properties: &[PropertyId],
        property: Option<String>,
    ) -> io::Result<()> {
        let (elements, question) = (self.elements, self.question);
        let time = call_time(self.args.ivc.verify_timeout, Duration::ZERO);
        let steps = found.depth + 1;
        let start = Instant::now();
        let run = failure::show(elements, question, &found.set, properties, steps, time);
        match run {
            Ok(run) => {
                let (steps, seconds) = (run.trace.steps, seconds(start));
                let message = format!("a run of {steps} steps was replayed after {seconds:.3}s");
                self.say(Level::Info, message)?;
                self.show(found, property, Some(run))
            }
            Err(NoCounterexample::Unable(why)) => {
                let message = format!("the run of a cut set is not replayed: {why}");
                let level = match self.args.mcs.counterexamples() {
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

    /// The two semantics disagree.
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
        let options = &self.args.mcs;
        let sources = self.question.sources;
        let run = run.filter(|_| options.counterexamples());
        let counterexample =
            run.map(|run| report::blocks(&run.weakened.program, &run.trace, sources));
        let set = ElementSet {
            class: SetClass::Mcs,
            elements: self.elements.report(sources, &found.set),
            property: property.clone(),
            approximate: found.approximate,
            seconds: found.elapsed.as_secs_f64(),
            counterexample,
        };
        let shown = (options.print, options.print_complement);
        let legacy = options.legacy;
        let mut early_end = self.watchdog.early_end();
        early_end.sets.retain(|set| set.property != property);
        self.elements
            .show(self.question, self.out, set, &found.set, shown, legacy)?;
        drop(early_end);
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
        self.out.log(&Log::new(level, "mcs", message))
    }
}
