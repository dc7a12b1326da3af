//! Inductive validity cores: which elements of the model the proofs need.

use std::io;
use std::time::Duration;

use analysis::{EvidenceOf, Lemmas, Outcome, PropertyResult};
use report::{ElementSet, Level, Log, NoElementSet, SetClass};
use smt::clock::Moment;
use system::PropertyId;
use traceability::ivc::{self, Class, Found};
use traceability::{Call, Event, Means, Statistics, Verifier};

use crate::dump::OutputFolder;
use crate::element_args::IvcArgs;
use crate::elements::{Elements, Question, call_time};
use crate::matrix::{self, Column};
use crate::run::Out;
use crate::smaller::Programs;
use crate::tally::PostAnalysis;
use crate::watchdog::Watchdog;

/// What the search switches off, and says so.
pub fn announce(out: &mut Out) -> io::Result<()> {
    for what in ["ind_compress", "reachability checks"] {
        let message = format!("IVC post-analysis enabled: disabling {what}");
        out.log(&Log::new(Level::Warn, "parse", message))?;
    }
    Ok(())
}

/// What an analysis has come to.
pub struct Evidence<'e> {
    pub results: &'e [PropertyResult],
    /// Invariants that were proved on the way.
    pub lemmas: &'e Lemmas,
    pub elapsed: Duration,
}

impl Evidence<'_> {
    /// The proofs behind the results, which may be of several systems.
    pub fn proofs(&self) -> Vec<&EvidenceOf> {
        let outcomes = self.results.iter().map(|result| &result.outcome);
        let proofs = outcomes.filter_map(|outcome| match outcome {
            Outcome::Valid(evidence) => Some(evidence),
            _ => None,
        });
        proofs.collect()
    }
}

/// Looks for cores of a system whose analysis has ended with these results.
pub fn run(
    args: &IvcArgs,
    question: &Question,
    evidence: &Evidence,
    (folder, programs): (&OutputFolder, &mut Programs),
    watchdog: &Watchdog,
    out: &mut Out,
) -> io::Result<PostAnalysis> {
    let results = evidence.results;
    let is_valid = |result: &PropertyResult| matches!(result.outcome, Outcome::Valid(_));
    if results.is_empty() || !results.iter().all(is_valid) {
        let name = question.program.node(question.top).name;
        let message = format!("no core of {name}: not all of its properties are proved");
        out.log(&Log::new(Level::Warn, "ivc", message))?;
        return Ok(PostAnalysis::default());
    }
    watchdog.post_analysis_start("ivc", "inductive validity core", out)?;
    let mut outcome = PostAnalysis {
        errors: 0,
        incomplete: 1,
    };
    if let Some(elements) = Elements::of(question, out)? {
        if elements.model.parts.is_empty() {
            let name = question.program.node(question.top).name;
            let message = format!(
                "no element of {name} is in the categories looked at; choose others with \
                 --ivc_category"
            );
            out.log(&Log::new(Level::Warn, "ivc", message))?;
        }
        let mut search = Search {
            args,
            question,
            elements: &elements,
            evidence,
            out,
            columns: Vec::new(),
            programs,
            watchdog,
            outcome: PostAnalysis::default(),
        };
        search.run()?;
        outcome = search.outcome;
        if args.traces() {
            let columns = search.columns;
            outcome.errors += matrix::run(args, question, &elements, &columns, folder, out)?;
        }
    }
    watchdog.post_analysis_end(out)?;
    Ok(outcome)
}

struct Search<'s> {
    args: &'s IvcArgs,
    question: &'s Question<'s>,
    elements: &'s Elements,
    evidence: &'s Evidence<'s>,
    out: &'s mut Out,
    columns: Vec<Column>,
    programs: &'s mut Programs,
    watchdog: &'s Watchdog,
    outcome: PostAnalysis,
}

impl Search<'_> {
    fn run(&mut self) -> io::Result<()> {
        let all = self.elements.properties.clone();
        if !self.args.per_property() {
            self.watchdog.early_end().sets = vec![none_found(None, 0.0)];
            return self.cores_of(&all, None);
        }
        let names: Vec<String> = all.iter().map(|id| self.elements.name(*id)).collect();
        let open = names.iter().map(|name| none_found(Some(name.clone()), 0.0));
        self.watchdog.early_end().sets = open.collect();
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
        let mut early_end = self.watchdog.early_end();
        early_end.sets.retain(|set| set.property != none.property);
        self.out.no_element_set(&none)
    }

    fn cores_of(&mut self, properties: &[PropertyId], name: Option<String>) -> io::Result<()> {
        let start = Moment::now();
        let elements = self.elements;
        let budget = elements.budget(
            call_time(self.args.verify_timeout, self.evidence.elapsed),
            self.args.core_time(),
        );
        let mut verifier = elements.verifier(properties, budget);
        elements.teach(&mut verifier, self.evidence);
        verifier.budget.call = call_time(
            self.args.verify_timeout,
            self.evidence.elapsed + start.elapsed(),
        );
        let (mut written, mut exact) = (Ok(()), true);
        let options = self.args.search();
        let cores = ivc::cores(&mut verifier, &options, &mut |event| {
            let shown = match event {
                Event::Found(found) if !found.confirmed => self.refuse(&found),
                Event::Found(found) => {
                    exact &= !found.approximate;
                    self.show(&found, name.clone())
                }
                Event::Verified(call) => self.say(Level::Debug, sentence(&call)),
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
        if self.args.finds_all() {
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
        if !exact && !options.needs_one_proof() {
            let message =
                format!("not all of what was asked for is known{of}: sets are approximate");
            self.say(Level::Warn, message)?;
        }
        if cores.incomplete || !(exact || options.needs_one_proof()) {
            self.outcome.incomplete += 1;
        }
        self.tell_work(&verifier)
    }

    /// Does not show what does not stand up to a second look.
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
            elements: self.elements.report(self.question.sources, &found.set),
            property: property.clone(),
            approximate: found.approximate,
            seconds: found.elapsed.as_secs_f64(),
            counterexample: None,
        };
        let shown = (self.args.print, self.args.print_complement);
        let mut early_end = self.watchdog.early_end();
        if found.class == Class::Ivc {
            early_end.sets.retain(|set| set.property != property);
        }
        self.elements
            .show(self.question, self.out, set, &found.set, shown, false)?;
        drop(early_end);
        match found.class {
            Class::Ivc if self.programs.are_wanted() => self.write(found),
            _ => Ok(()),
        }
    }

    /// Writes the program with a core.
    fn write(&mut self, found: &Found) -> io::Result<()> {
        let (question, elements) = (self.question, self.elements);
        match self.programs.write(question, elements, &found.set) {
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
        self.out.log(&Log::new(level, "ivc", message))
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

/// What became of one set of elements.
pub fn sentence(call: &Call) -> String {
    let answer = match (call.is_safe, call.means) {
        (_, Means::None) => "undecided",
        (true, _) => "enough",
        (false, _) => "not enough",
    };
    let (present, seconds) = (call.present, call.elapsed.as_secs_f64());
    let means = means(call.means);
    format!("{present} elements are {answer}, {means}, after {seconds:.3}s")
}

fn means(means: Means) -> &'static str {
    match means {
        Means::KnownProof => "by a known proof",
        Means::KnownRun => "by a known run",
        Means::ShortRun => "by a short run",
        Means::Lemmas => "by known lemmas",
        Means::Engines => "by engines",
        Means::None => "not at all",
    }
}

/// How the answers were found, in a sentence.
pub fn work(statistics: &Statistics, elements: usize) -> String {
    let all = [
        Means::KnownProof,
        Means::KnownRun,
        Means::ShortRun,
        Means::Lemmas,
        Means::Engines,
        Means::None,
    ];
    let counts = all.into_iter().filter_map(|by| {
        let (count, time) = statistics.by(by);
        let (means, seconds) = (means(by), time.as_secs_f64());
        (count > 0).then(|| format!("{count} {means} ({seconds:.3}s)"))
    });
    let counts: Vec<String> = counts.collect();
    let calls = statistics.calls.len();
    format!(
        "{elements} elements, {calls} sets verified: {}",
        counts.join(", ")
    )
}
