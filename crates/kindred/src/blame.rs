//! Minimal cut sets: which failures violate a property.

use std::io;
use std::time::{Duration, Instant};

use report::{ElementSet, Level, Log, NoElementSet, SetClass};
use system::PropertyId;
use traceability::Event;
use traceability::mcs::{self, CutSet, Outcome};

use crate::args::Args;
use crate::elements::{Elements, Question, call_time, seconds};
use crate::merit::{sentence, work};
use crate::run::Out;

/// Looks for cut sets of the properties of a system.
pub fn run(args: &Args, question: &Question, out: &mut Out) -> io::Result<()> {
    let Some(elements) = Elements::of(question, out)? else {
        return Ok(());
    };
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
        out,
    };
    let all = elements.properties.clone();
    if !args.mcs.per_property {
        return search.cut_sets_of(&all, None);
    }
    for property in all {
        search.cut_sets_of(&[property], Some(elements.name(property)))?;
    }
    Ok(())
}

struct Search<'s> {
    args: &'s Args,
    question: &'s Question<'s>,
    elements: &'s Elements,
    out: &'s mut Out,
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
                    self.show(&found, name.clone())
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
            self.out.no_element_set(&NoElementSet {
                class: SetClass::Mcs,
                property: name.clone(),
                unknown: outcome == Outcome::Incomplete,
                seconds: seconds(start),
            })?;
        }
        let of = name.map_or(String::new(), |name| format!(" for property {name}"));
        if options.all && count > 0 {
            self.say(Level::Note, format!("Number of MCS found{of}: {count}"))?;
        }
        if outcome == Outcome::Incomplete && count > 0 {
            let message = format!("there may be other cut sets{of}: time was up");
            self.say(Level::Warn, message)?;
        }
        let message = work(&verifier.statistics, elements.model.parts.len());
        self.say(Level::Info, message)
    }

    fn show(&mut self, found: &CutSet, property: Option<String>) -> io::Result<()> {
        let set = ElementSet {
            class: SetClass::Mcs,
            elements: self.elements.report(self.question.sources, &found.set),
            property,
            approximate: found.approximate,
            seconds: found.elapsed.as_secs_f64(),
            counterexample: None,
        };
        let options = &self.args.mcs;
        let shown = (options.print, options.print_complement);
        let legacy = options.legacy;
        self.elements
            .show(self.question, self.out, set, &found.set, shown, legacy)
    }

    fn say(&mut self, level: Level, message: String) -> io::Result<()> {
        self.out.log(&Log::new(level, "mcs", message))
    }
}
