//! Inductive validity cores: which elements of the model the proofs need.

use std::io;
use std::time::{Duration, Instant};

use analysis::{Outcome, PropertyResult};
use report::{ElementSet, Level, Log, SetClass};
use system::PropertyId;
use traceability::ivc::{self, Class, Found};
use traceability::{Statistics, Verifier};

use crate::element_args::IvcArgs;
use crate::elements::{Elements, Question, call_time};
use crate::run::Out;

/// What the search switches off, and says so.
pub fn announce(out: &mut Out) -> io::Result<()> {
    for what in ["ind_compress", "reachability checks"] {
        let message = format!("IVC post-analysis enabled: disabling {what}");
        out.log(&Log::new(Level::Warn, "parse", message))?;
    }
    Ok(())
}

/// Looks for cores of a system whose analysis has ended with these results.
pub fn run(
    args: &IvcArgs,
    question: &Question,
    results: &[PropertyResult],
    proof: Duration,
    out: &mut Out,
) -> io::Result<()> {
    let is_valid = |result: &PropertyResult| matches!(result.outcome, Outcome::Valid(_));
    if results.is_empty() || !results.iter().all(is_valid) {
        let name = question.program.node(question.top).name;
        let message = format!("no core of {name}: not all of its properties are proved");
        return out.log(&Log::new(Level::Warn, "ivc", message));
    }
    out.post_analysis_start("ivc", "inductive validity core")?;
    if let Some(elements) = Elements::of(question, out)? {
        let mut search = Search {
            args,
            question,
            elements: &elements,
            results,
            proof,
            out,
        };
        search.run()?;
    }
    out.post_analysis_end()
}

struct Search<'s> {
    args: &'s IvcArgs,
    question: &'s Question<'s>,
    elements: &'s Elements,
    results: &'s [PropertyResult],
    /// How long the proofs took.
    proof: Duration,
    out: &'s mut Out,
}

impl Search<'_> {
    fn run(&mut self) -> io::Result<()> {
        let all = self.elements.properties.clone();
        if !self.args.per_property {
            return self.cores_of(&all, None);
        }
        for property in all {
            let name = self.elements.name(property);
            self.cores_of(&[property], Some(name))?;
        }
        Ok(())
    }

    fn cores_of(&mut self, properties: &[PropertyId], name: Option<String>) -> io::Result<()> {
        let start = Instant::now();
        let elements = self.elements;
        let budget = elements.budget(
            call_time(self.args.verify_timeout, self.proof),
            self.args.core_time(),
        );
        let mut verifier = elements.verifier(properties, budget);
        elements.teach(&mut verifier, self.results);
        verifier.budget.call = call_time(self.args.verify_timeout, self.proof + start.elapsed());
        let mut written = Ok(());
        let mut approximate = false;
        let options = self.args.search();
        let cores = ivc::cores(&mut verifier, &options, &mut |found| {
            approximate |= found.approximate;
            let shown = self.show(found, name.clone());
            written = std::mem::replace(&mut written, Ok(())).and(shown);
        });
        written?;
        let of = name.map_or(String::new(), |name| format!(" of {name}"));
        let Some(cores) = cores else {
            let message = format!("the proof{of} was not found again in time: no core");
            return self.say(Level::Warn, message);
        };
        if self.args.finds_all() {
            let count = cores.ivcs.len();
            self.say(
                Level::Note,
                format!("Number of minimal IVCs found{of}: {count}"),
            )?;
        }
        if cores.incomplete {
            let message = format!("time was up before all cores{of} were found");
            self.say(Level::Warn, message)?;
        }
        self.tell_work(&verifier)
    }

    fn show(&mut self, found: &Found, property: Option<String>) -> io::Result<()> {
        let set = ElementSet {
            class: match found.class {
                Class::Must => SetClass::Must,
                Class::Ivc => SetClass::Ivc,
            },
            elements: self.elements.report(self.question.sources, &found.set),
            property,
            approximate: found.approximate,
            seconds: found.elapsed.as_secs_f64(),
            counterexample: None,
        };
        let shown = (self.args.print, self.args.print_complement);
        self.elements
            .show(self.question, self.out, set, &found.set, shown, false)
    }

    fn say(&mut self, level: Level, message: String) -> io::Result<()> {
        self.out.log(&Log::new(level, "ivc", message))
    }

    fn tell_work(&mut self, verifier: &Verifier) -> io::Result<()> {
        let message = work(&verifier.statistics, verifier.model.parts.len());
        self.say(Level::Info, message)
    }
}

/// How the answers were found, in a sentence.
pub fn work(statistics: &Statistics, elements: usize) -> String {
    let Statistics {
        calls,
        known_proofs,
        known_runs,
        bounded_runs,
        lemmas,
        engines,
        unknown,
    } = statistics;
    format!(
        "{elements} elements, {calls} sets verified: {known_proofs} by known proofs, {known_runs} \
         by known runs, {bounded_runs} by short runs, {lemmas} by known lemmas, {engines} by \
         engines, {unknown} not at all"
    )
}
