//! Inductive validity cores: which elements of the model the proofs need.

mod matrix;
mod minimized;
mod options;

use std::io;

use analysis::{Outcome, PropertyResult};
use results::{ElementSet, Event, Level, NoElementSet, PostAnalysisName, SetClass};
use system::PropertyId;
use traceability::Verifier;
use traceability::ivc::{self, Class, Found};

use super::{PostAnalysis, PostContext, SwitchedOff};
use crate::analysed::Analysed;
use crate::elements::{Elements, Selection, call_time, sentence, work};
use crate::request::Request;
use crate::tally::PostOutcome;
use matrix::Column;
use minimized::Programs;

pub use options::{CoreOptions, Minimize};

const NAME: PostAnalysisName = PostAnalysisName {
    name: "ivc",
    title: "inductive validity core",
    in_schema: true,
};

/// Looks for cores.
pub struct Cores {
    options: CoreOptions,
    programs: Programs,
}

impl Cores {
    /// `None` unless options ask for cores.
    pub fn of(options: &CoreOptions, request: &Request) -> Option<Cores> {
        options.is_wanted().then(|| Cores {
            options: options.clone(),
            programs: Programs::new(options.minimize, request.minimized.clone()),
        })
    }
}

impl PostAnalysis for Cores {
    fn source(&self) -> &'static str {
        "ivc"
    }

    fn switches_off(&self) -> SwitchedOff {
        SwitchedOff {
            compression: true,
            reachability: true,
        }
    }

    fn announce(&self, finds_cut_sets: bool) -> Vec<(Level, &'static str, String)> {
        let none = "with --enable MCS nothing is proved, and no core is looked for";
        let none = finds_cut_sets.then(|| (Level::Warn, "ivc", none.to_owned()));
        let off = ["ind_compress", "reachability checks"].map(|what| {
            let message = format!("IVC post-analysis enabled: disabling {what}");
            (Level::Warn, "parse", message)
        });
        none.into_iter().chain(off).collect()
    }

    fn title(&self) -> Option<&'static str> {
        Some("the search for cores")
    }

    fn obstacle(&self, analysed: &Analysed) -> Option<String> {
        let is_valid = |result: &PropertyResult| matches!(result.outcome, Outcome::Valid(_));
        let results = analysed.results;
        let is_proved = !results.is_empty() && results.iter().all(is_valid);
        let name = analysed.name();
        (!is_proved).then(|| format!("no core of {name}: not all of its properties are proved"))
    }

    fn run(&mut self, analysed: &Analysed, context: &mut PostContext) -> io::Result<PostOutcome> {
        let (options, main) = (&self.options, analysed.name());
        let selection = Selection::new(analysed, options.flat, |element| {
            options.wants(element, main)
        });
        context.control.post_analysis_start(NAME, context.out)?;
        let mut outcome = PostOutcome {
            errors: 0,
            incomplete: 1,
        };
        if let Some(elements) = Elements::of(analysed, &selection, context.out)? {
            if elements.model.parts.is_empty() {
                let message = format!(
                    "no element of {main} is in the categories looked at; choose others with \
                     --ivc_category"
                );
                context.out.log(Level::Warn, "ivc", message)?;
            }
            let mut search = CoreSearch {
                options,
                analysed,
                selection: &selection,
                elements: &elements,
                columns: Vec::new(),
                programs: &mut self.programs,
                context,
                outcome: PostOutcome::default(),
            };
            search.run()?;
            outcome = search.outcome;
            if options.traces() {
                let matrix = matrix::matrix(analysed, &selection, &elements, &search.columns);
                context.out.tell(&Event::Matrix {
                    matrix: &matrix,
                    sources: analysed.sources(),
                })?;
            }
        }
        context.control.post_analysis_end(NAME, context.out)?;
        Ok(outcome)
    }
}

struct CoreSearch<'s, 'p> {
    options: &'s CoreOptions,
    analysed: &'s Analysed<'s>,
    selection: &'s Selection<'s>,
    elements: &'s Elements,
    columns: Vec<Column>,
    programs: &'s mut Programs,
    context: &'s mut PostContext<'p>,
    outcome: PostOutcome,
}

impl CoreSearch<'_, '_> {
    fn run(&mut self) -> io::Result<()> {
        let all = self.elements.properties.clone();
        if !self.options.per_property() {
            self.context.control.unfinished().sets = vec![none_found(None, 0.0)];
            return self.cores_of(&all, None);
        }
        let names: Vec<String> = all.iter().map(|id| self.elements.name(*id)).collect();
        let open = names.iter().map(|name| none_found(Some(name.clone()), 0.0));
        self.context.control.unfinished().sets = open.collect();
        for (property, name) in all.into_iter().zip(names) {
            match self.elements.is_over() {
                true => {
                    self.none(Some(&name), 0.0)?;
                    let count = self.elements.model.parts.len();
                    self.columns.push(Column::new(name, count, None));
                }
                false => self.cores_of(&[property], Some(name))?,
            }
        }
        Ok(())
    }

    /// No core was found in time.
    fn none(&mut self, property: Option<&String>, seconds: f64) -> io::Result<()> {
        self.outcome.incomplete += 1;
        let none = none_found(property.cloned(), seconds);
        let mut unfinished = self.context.control.unfinished();
        unfinished.sets.retain(|set| set.property != none.property);
        self.context.out.tell(&Event::NoElementSet(&none))
    }

    fn cores_of(&mut self, properties: &[PropertyId], name: Option<String>) -> io::Result<()> {
        let elements = self.elements;
        let start = elements.options.settings.context().now();
        let budget = elements.budget(
            self.options.verify_timeout,
            self.analysed.elapsed,
            self.options.core_time(),
        );
        let mut verifier = elements.verifier(properties, budget);
        elements.teach(&mut verifier, self.analysed);
        verifier.budget.call = call_time(
            self.options.verify_timeout,
            self.analysed.elapsed + start.elapsed(),
        );
        let (mut written, mut exact) = (Ok(()), true);
        let search = self.options.search();
        let cores = ivc::cores(&mut verifier, &search, &mut |event| {
            let shown = match event {
                traceability::Event::Found(found) if !found.confirmed => self.refuse(&found),
                traceability::Event::Found(found) => {
                    exact &= !found.approximate;
                    self.show(&found, name.clone())
                }
                traceability::Event::Verified(call) => self.say(Level::Debug, sentence(&call)),
            };
            written = std::mem::replace(&mut written, Ok(())).and(shown);
        });
        written?;
        if let Some(name) = &name {
            let count = elements.model.parts.len();
            let cores = cores.as_ref().map(|cores| (cores, exact));
            self.columns.push(Column::new(name.clone(), count, cores));
        }
        let Some(cores) = cores.filter(|cores| !cores.ivcs.is_empty()) else {
            return self.none(name.as_ref(), start.elapsed().as_secs_f64());
        };
        let of = name.map_or(String::new(), |name| format!(" of {name}"));
        if self.options.finds_all() {
            let count = cores.ivcs.len();
            self.say(
                Level::Note,
                format!("Number of minimal IVCs found{of}: {count}"),
            )?;
        }
        if cores.incomplete {
            let why = match self.elements.is_over() {
                true => "time was up",
                false => "some questions were not decided in time",
            };
            let message = format!("there may be other cores{of}: {why}");
            self.say(Level::Warn, message)?;
        }
        if !exact && !search.needs_one_proof() {
            let message =
                format!("not all of what was asked for is known{of}: sets are approximate");
            self.say(Level::Warn, message)?;
        }
        if cores.incomplete || !(exact || search.needs_one_proof()) {
            self.outcome.incomplete += 1;
        }
        self.tell_work(&verifier)
    }

    /// Reports a core whose proof was not confirmed as an internal error, and does not show it.
    fn refuse(&mut self, found: &Found) -> io::Result<()> {
        self.outcome.errors += 1;
        let count = found.set.len();
        let message = format!("internal error: the proof with {count} elements is none");
        self.say(Level::Fatal, message)
    }

    fn show(&mut self, found: &Found, property: Option<String>) -> io::Result<()> {
        let set = ElementSet {
            class: match found.class {
                Class::Must => SetClass::Must,
                Class::Ivc => SetClass::Ivc,
            },
            elements: self.elements.report(self.analysed.sources(), &found.set),
            property: property.clone(),
            approximate: found.approximate,
            seconds: found.elapsed.as_secs_f64(),
            counterexample: None,
        };
        let shown = (self.options.print, self.options.print_complement);
        let mut unfinished = self.context.control.unfinished();
        if found.class == Class::Ivc {
            unfinished.sets.retain(|set| set.property != property);
        }
        let out = &mut *self.context.out;
        self.elements
            .show(self.analysed, out, set, &found.set, shown)?;
        drop(unfinished);
        match found.class {
            Class::Ivc if self.programs.are_wanted() => self.write(found),
            _ => Ok(()),
        }
    }

    /// Writes the program with a core.
    fn write(&mut self, found: &Found) -> io::Result<()> {
        let (analysed, elements) = (self.analysed, self.elements);
        let written = self
            .programs
            .write(analysed, self.selection, elements, &found.set);
        match written {
            Ok(Some(path)) => {
                let message = format!("the program with this core is in {}", path.display());
                self.say(Level::Note, message)
            }
            Ok(None) => Ok(()),
            Err(error) => {
                self.outcome.errors += 1;
                self.say(Level::Error, error.to_string())
            }
        }
    }

    fn say(&mut self, level: Level, message: String) -> io::Result<()> {
        self.context.out.log(level, "ivc", message)
    }

    fn tell_work(&mut self, verifier: &Verifier) -> io::Result<()> {
        let message = work(&verifier.statistics, verifier.model.parts.len());
        self.say(Level::Info, message)
    }
}

fn none_found(property: Option<String>, seconds: f64) -> NoElementSet {
    NoElementSet {
        class: SetClass::Ivc,
        property,
        unknown: true,
        seconds,
    }
}
