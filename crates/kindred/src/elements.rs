//! The elements of an analysed system, and searches among them.

use std::collections::{BTreeSet, HashSet};
use std::io;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use analysis::{Candidates, Options};
use lang::{NodeId, Program};
use lower::Lowered;
use report::{ElementCategory, ElementReport, ElementSet, Level, Log, SetClass};
use syntax::SourceMap;
use system::{Element, ElementKind, PropertyId, PropertyKind};
use traceability::{Budget, Granularity, Model, Set, Verifier};

use crate::merit::Evidence;
use crate::run::{self, Out};

/// What is asked about.
pub struct Question<'q> {
    /// As it was read.
    pub model: &'q run::Model,
    /// As it is analysed.
    pub program: &'q Program,
    pub sources: &'q SourceMap,
    pub top: NodeId,
    /// Those of the analysis.
    pub options: Options,
    pub granularity: Granularity,
    pub wanted: &'q dyn Fn(&Element) -> bool,
}

impl<'q> Question<'q> {
    /// About all elements, however small.
    pub fn of(
        model: &'q run::Model,
        program: &'q Program,
        top: NodeId,
        options: Options,
    ) -> Question<'q> {
        Question {
            model,
            program,
            sources: &model.sources,
            top,
            options,
            granularity: Granularity::Flat,
            wanted: &|_| true,
        }
    }
}

/// The streams that `--%IVC` names, in a node and below it.
pub struct Named(HashSet<(String, String)>);

impl Named {
    pub fn of(program: &Program, top: NodeId) -> Named {
        let mut nodes = analysis::below(program, top, &BTreeSet::new());
        nodes.insert(top);
        let names = nodes.into_iter().flat_map(|id| {
            let node = program.node(id);
            let named = node.questioned.iter();
            named.map(|var| (node.name.to_string(), node.var(*var).name.to_string()))
        });
        Named(names.collect())
    }

    /// Is an element in question? All are, if nothing is named; otherwise the
    /// equations of what is.
    pub fn have(&self, element: &Element) -> bool {
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
    pub options: Options,
}

impl Elements {
    /// Nothing but the model counts: what was proved before is not taken for
    /// granted.
    pub fn of(question: &Question, out: &mut Out) -> io::Result<Option<Elements>> {
        let mut options = question.options.clone();
        options.lower.proved.clear();
        options.lower.settled.clear();
        options.lower.reach = false;
        options.lower.nonvacuity = false;
        let (program, sources, top) = (question.program, question.sources, question.top);
        let lowered = match lower::lower(program, sources, top, &options.lower) {
            Ok(lowered) => lowered,
            Err(unsupported) => {
                let name = program.node(top).name;
                let message = format!("`{name}` cannot be analysed: {}", unsupported.0);
                out.log(&Log::new(Level::Warn, "supervisor", message))?;
                return Ok(None);
            }
        };
        let all = lowered.tagged.properties.iter().enumerate();
        let asked = all.filter(|(_, p)| !p.hidden && p.kind == PropertyKind::Invariant);
        let properties = asked.map(|(at, _)| PropertyId(at)).collect();
        let tagged = lowered.tagged.clone();
        Ok(Some(Elements {
            model: Model::new(tagged, question.granularity, question.wanted),
            lowered,
            properties,
            options,
        }))
    }

    pub fn verifier(&self, properties: &[PropertyId], budget: Budget) -> Verifier<'_> {
        Verifier::new(&self.model, properties, &self.options.settings, budget)
    }

    /// What is allowed for each question, if nobody says otherwise.
    pub fn budget(&self, call: Duration, core: Option<Duration>) -> Budget {
        Budget {
            call,
            core,
            deadline: self.options.settings.deadline,
        }
    }

    /// Is it time to end, for whatever reason?
    pub fn is_over(&self) -> bool {
        let settings = &self.options.settings;
        let over = |at| Instant::now() >= at;
        settings.interrupted.load(Ordering::Relaxed) || settings.deadline.is_some_and(over)
    }

    pub fn name(&self, property: PropertyId) -> String {
        self.model.tagged.property(property).name.clone()
    }

    /// Tells a verifier what an analysis has found. It was found for another system, in
    /// which more may have been taken for granted: proofs are checked, and lemmas are
    /// candidates.
    pub fn teach(&self, verifier: &mut Verifier, evidence: &Evidence) {
        let candidates = Candidates::about(&evidence.proofs(), &self.model.tagged);
        verifier.learn(candidates);
        verifier.suppose(evidence.lemmas);
    }

    /// The elements of a set as they are shown.
    pub fn report(&self, sources: &SourceMap, set: &Set) -> Vec<ElementReport> {
        let elements = set.iter().map(|at| &self.model.parts[*at].element);
        elements.map(|element| describe(sources, element)).collect()
    }

    /// A set and, if wanted, what is not in it.
    pub fn show(
        &self,
        question: &Question,
        out: &mut Out,
        found: ElementSet,
        set: &Set,
        (own, complement): (bool, bool),
        legacy: bool,
    ) -> io::Result<()> {
        let rest = ElementSet {
            class: match found.class {
                SetClass::Must | SetClass::MustComplement => SetClass::MustComplement,
                SetClass::Ivc | SetClass::IvcComplement => SetClass::IvcComplement,
                SetClass::Mcs | SetClass::McsComplement => SetClass::McsComplement,
            },
            elements: self.report(question.sources, &self.model.complement(set)),
            counterexample: None,
            ..found.clone()
        };
        if own {
            out.element_set(question.program, &found, legacy)?;
        }
        if complement {
            out.element_set(question.program, &rest, legacy)?;
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

/// 30 seconds, and five times what it took to get here.
pub fn call_time(given: Option<u64>, spent: Duration) -> Duration {
    match given {
        Some(seconds) => Duration::from_secs(seconds),
        None => Duration::from_secs(30) + 5 * spent,
    }
}

/// Since when a search runs, for those that end without a set.
pub fn seconds(start: Instant) -> f64 {
    start.elapsed().as_secs_f64()
}
