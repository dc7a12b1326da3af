//! The elements of an analysed system, and searches among them.

use std::collections::{BTreeSet, HashSet};
use std::io;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use analysis::{AnalysisOptions, Candidates};
use clap::ValueEnum;
use lang::{NodeId, Program};
use lower::Lowered;
use results::{ElementCategory, ElementReport, ElementSet, Event, Level, SetClass};
use syntax::SourceMap;
use system::{Element, ElementKind, PropertyId, PropertyKind};
use traceability::{Budget, Call, Granularity, Means, Model, Set, Statistics, Verifier};

use crate::analysed::{Analysed, canonical};
use crate::listener::Listener;

/// Which elements are candidates, and their granularity.
pub struct Selection<'s> {
    pub granularity: Granularity,
    pub wanted: Box<dyn Fn(&Element) -> bool + 's>,
}

impl<'s> Selection<'s> {
    /// The elements that options want; in a flat search only those of the streams that `--%IVC`
    /// names, if it names any.
    pub fn new(
        analysed: &Analysed,
        flat: bool,
        wanted: impl Fn(&Element) -> bool + 's,
    ) -> Selection<'s> {
        let named = IvcStreams::of(analysed.program, analysed.top);
        Selection {
            granularity: Granularity::of(flat),
            wanted: Box::new(move |element| wanted(element) && (!flat || named.have(element))),
        }
    }
}

/// Which elements are in question.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
#[value(rename_all = "snake_case")]
pub enum Category {
    NodeCalls,
    Contracts,
    Equations,
    Assertions,
    /// What is marked with `weakly`.
    Annotations,
}

impl Category {
    /// As the schemas have it.
    pub fn name(self) -> &'static str {
        match self {
            Category::NodeCalls => "nodeCalls",
            Category::Contracts => "contracts",
            Category::Equations => "equations",
            Category::Assertions => "assertions",
            Category::Annotations => "annotations",
        }
    }

    pub fn has(self, element: &Element) -> bool {
        use ElementKind::*;
        match self {
            Category::NodeCalls => element.kind == Call,
            Category::Contracts => {
                matches!(element.kind, Assumption | Guarantee | Require | Ensure)
            }
            Category::Equations => matches!(element.kind, Equation | Ghost | Binding),
            Category::Assertions => element.kind == Assertion,
            Category::Annotations => element.weak,
        }
    }
}

/// The streams that `--%IVC` names, in a node and below it.
struct IvcStreams(HashSet<(String, String)>);

impl IvcStreams {
    fn of(program: &Program, top: NodeId) -> IvcStreams {
        let mut nodes = analysis::below(program, top, &BTreeSet::new());
        nodes.insert(top);
        let names = nodes.into_iter().flat_map(|id| {
            let node = program.node(id);
            let named = node.questioned.iter();
            named.map(|var| (node.name.to_string(), node.var(*var).name.to_string()))
        });
        IvcStreams(names.collect())
    }

    /// Is an element a candidate? All are, if `--%IVC` names no stream; otherwise the equations of
    /// the named streams.
    fn have(&self, element: &Element) -> bool {
        let named = || {
            let place = (element.node.clone(), element.name.clone());
            element.kind == ElementKind::Equation && self.0.contains(&place)
        };
        self.0.is_empty() || named()
    }
}

/// A system with its elements.
pub struct Elements {
    pub lowered: Lowered,
    pub model: Model,
    /// The invariants that are asked for.
    pub properties: Vec<PropertyId>,
    pub options: AnalysisOptions,
}

impl Elements {
    /// Lowers the model without assuming properties that were proved before.
    pub fn of(
        analysed: &Analysed,
        selection: &Selection,
        out: &mut dyn Listener,
    ) -> io::Result<Option<Elements>> {
        let mut options = analysed.options.clone();
        options.lower = canonical(&options.lower);
        let lowered = match analysed.lowered(&options.lower) {
            Ok(lowered) => lowered,
            Err(unsupported) => {
                let name = analysed.name();
                let message = format!("`{name}` cannot be analysed: {}", unsupported.0);
                out.log(Level::Warn, "supervisor", message)?;
                return Ok(None);
            }
        };
        let all = lowered.tagged.properties.iter().enumerate();
        let asked = all.filter(|(_, p)| !p.hidden && p.kind == PropertyKind::Invariant);
        let properties = asked.map(|(at, _)| PropertyId(at)).collect();
        let tagged = lowered.tagged.clone();
        Ok(Some(Elements {
            model: Model::new(tagged, selection.granularity, &selection.wanted),
            lowered,
            properties,
            options,
        }))
    }

    pub fn verifier(&self, properties: &[PropertyId], budget: Budget) -> Verifier<'_> {
        Verifier::new(&self.model, properties, &self.options.settings, budget)
    }

    /// The budget of a search: the given limit of each call, or what `call_time` says; a timeout
    /// for unsat cores, and the deadline of the run.
    pub fn budget(&self, given: Option<u64>, spent: Duration, core: Option<Duration>) -> Budget {
        Budget {
            call: call_time(given, spent),
            call_is_given: given.is_some(),
            core,
            deadline: self.options.settings.deadline,
        }
    }

    /// Was the search interrupted, or has it reached its deadline?
    pub fn is_over(&self) -> bool {
        let settings = &self.options.settings;
        let over = |at| Instant::now() >= at;
        settings.interrupted.load(Ordering::Relaxed) || settings.deadline.is_some_and(over)
    }

    pub fn name(&self, property: PropertyId) -> String {
        self.model.tagged.property(property).name.clone()
    }

    /// Gives a verifier the proofs and lemmas of an analysis. They are about another system, which
    /// may have more constraints: the verifier checks proofs, and takes lemmas as candidates.
    pub fn teach(&self, verifier: &mut Verifier, analysed: &Analysed) {
        let candidates = Candidates::about(&analysed.proofs(), &self.model.tagged);
        verifier.learn(candidates);
        verifier.suppose(analysed.lemmas);
    }

    /// The elements of a set as they are shown.
    pub fn report(&self, sources: &SourceMap, set: &Set) -> Vec<ElementReport> {
        let elements = set.iter().map(|at| &self.model.parts[*at].element);
        elements.map(|element| describe(sources, element)).collect()
    }

    /// Tells a set and, if asked for, its complement.
    pub fn show(
        &self,
        analysed: &Analysed,
        out: &mut dyn Listener,
        found: ElementSet,
        set: &Set,
        (own, complement): (bool, bool),
    ) -> io::Result<()> {
        let rest = ElementSet {
            class: match found.class {
                SetClass::Must | SetClass::MustComplement => SetClass::MustComplement,
                SetClass::Ivc | SetClass::IvcComplement => SetClass::IvcComplement,
                SetClass::Mcs | SetClass::McsComplement => SetClass::McsComplement,
                SetClass::Conflict => SetClass::Conflict,
            },
            elements: self.report(analysed.sources(), &self.model.complement(set)),
            counterexample: None,
            ..found.clone()
        };
        let program = analysed.program;
        if own {
            let set = &found;
            out.tell(&Event::ElementSet { program, set })?;
        }
        if complement {
            let set = &rest;
            out.tell(&Event::ElementSet { program, set })?;
        }
        Ok(())
    }
}

/// An element as it is shown.
pub fn describe(sources: &SourceMap, element: &Element) -> ElementReport {
    let category = match element.kind {
        ElementKind::Call => ElementCategory::NodeCall,
        ElementKind::Equation | ElementKind::Ghost | ElementKind::Binding => {
            ElementCategory::Equation
        }
        ElementKind::Fault => ElementCategory::Fault,
        ElementKind::Assumption => ElementCategory::Assumption,
        ElementKind::Guarantee => ElementCategory::Guarantee,
        ElementKind::Require => ElementCategory::Require,
        ElementKind::Ensure => ElementCategory::Ensure,
        ElementKind::Assertion => ElementCategory::Assertion,
    };
    ElementReport {
        category,
        name: element.name.clone(),
        node: element.node.clone(),
        file: sources.file(element.span.file).name.clone(),
        position: sources.position(element.span),
    }
}

/// The timeout of a query: the given one, or 30 seconds and five times the time spent so far.
pub fn call_time(given: Option<u64>, spent: Duration) -> Duration {
    match given {
        Some(seconds) => Duration::from_secs(seconds),
        None => Duration::from_secs(30) + 5 * spent,
    }
}

/// The seconds since the start of a search, for reports without a set.
pub fn seconds(start: Instant) -> f64 {
    start.elapsed().as_secs_f64()
}

/// A sentence about the verification of one set of elements.
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
