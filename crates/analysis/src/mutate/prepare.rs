//! Lowers all mutants at once, and replays their runs.

use std::collections::{BTreeSet, HashMap, HashSet};

use engines::{Observation, Run};
use lang::{ExprKind, NodeId, Program};
use lower::{Check, Lower, Origin, Part, Variant, Variants, lower_variants};
use sim::Trace;
use syntax::SourceMap;
use system::{PropertyId, PropertyKind, System, Term, Var};

use super::{Mutant, Mutated, Mutator, Target, mutants};
use crate::counterexample::NoCounterexample;
use crate::loops;
use crate::replay::{self, Claim, Mismatch};
use crate::run::AnalysisOptions;
use crate::run_values::{Observations, RunTerms};

/// The mutants of an analysis within the cone of influence of its properties, lowered.
pub struct PreparedMutants {
    pub mutants: Vec<Mutant>,
    /// By mutant: the definitions of streams in the tagged system that it changes;
    /// without a term, the stream is free.
    pub definitions: Vec<Vec<(Var, Option<Term>)>>,
    /// Mutants that are not analysed: of definitions that the system does not have as a definition
    /// of one stream (arrays of open size, and streams that depend on themselves within a step),
    /// and mutants with loops that do not always have a solution, which are no valid programs.
    pub left_out: Vec<Mutant>,
    /// Equations that no property depends on, in the order of the source; they are
    /// not mutated.
    pub independent: Vec<Target>,
    top: NodeId,
    variants: Variants,
    observed: Vec<Observation>,
}

impl PreparedMutants {
    /// Lowers the model without assuming properties that were proved before.
    pub fn new(
        program: &Program,
        sources: &SourceMap,
        top: NodeId,
        options: &AnalysisOptions,
        wanted: &BTreeSet<Mutator>,
    ) -> Lower<PreparedMutants> {
        let context = options.settings.context();
        let options = lower::LowerOptions {
            proved: HashMap::new(),
            settled: HashSet::new(),
            reach: false,
            nonvacuity: false,
            ..options.lower.clone()
        };
        let all = mutants(program, sources, top, wanted);
        let is_program = |mutant: &Mutant| {
            let changed = || Mutated::new(program, mutant).program;
            !loops::has_loops(program)
                || loops::are_solved(&context, &changed(), sources, options.congruence)
        };
        let (all, unsolved): (Vec<Mutant>, Vec<Mutant>) = all.into_iter().partition(is_program);
        let changes = all.iter().flat_map(|mutant| &mutant.changes);
        let variants: Vec<Variant> = changes
            .map(|change| Variant {
                part: change.part,
                expr: change.expr.clone(),
            })
            .collect();
        let variants = lower_variants(program, sources, top, &options, &variants)?;
        let mut prepared = PreparedMutants {
            mutants: Vec::new(),
            definitions: Vec::new(),
            left_out: Vec::new(),
            independent: Vec::new(),
            top,
            observed: observed(&variants),
            variants,
        };
        prepared.sort_out(all);
        prepared.left_out.extend(unsolved);
        Ok(prepared)
    }

    fn sort_out(&mut self, all: Vec<Mutant>) {
        let system = &self.variants.lowered.tagged;
        let parts = &self.variants.lowered.parts;
        let mut streams: HashMap<Part, Vec<Var>> = HashMap::new();
        for (at, var) in system.vars.iter().enumerate() {
            if let Some(definition) = &var.def {
                let part = parts[definition.element.0 as usize];
                streams.entry(part).or_default().push(Var(at as u32));
            }
        }
        let known: HashSet<Part> = parts.iter().copied().collect();
        let mut terms = self.variants.definitions.iter();
        for mutant in all {
            let mut definitions = Vec::new();
            for change in &mutant.changes {
                let own = streams.get(&change.part).into_iter().flatten();
                let terms = terms.next().into_iter().flatten();
                match &change.expr {
                    Some(_) => {
                        definitions.extend(terms.map(|(var, term)| (*var, Some(term.clone()))));
                    }
                    None => definitions.extend(own.map(|var| (*var, None))),
                }
            }
            let is_known = mutant.changes.iter().any(|c| known.contains(&c.part));
            match (definitions.is_empty(), is_known) {
                (false, _) => {
                    self.mutants.push(mutant);
                    self.definitions.push(definitions);
                }
                (true, true) => self.left_out.push(mutant),
                (true, false) => {
                    if let Part::Equation(..) = mutant.target.part {
                        self.independent.push(mutant.target);
                    }
                }
            }
        }
        self.independent
            .sort_by_key(|target| (target.span, target.part));
        self.independent.dedup();
    }

    /// The system of the original.
    pub fn tagged(&self) -> &System {
        &self.variants.lowered.tagged
    }

    /// The part of the program that each element of the system is.
    pub fn parts(&self) -> &[Part] {
        &self.variants.lowered.parts
    }

    /// The invariants that were asked for.
    pub fn properties(&self) -> Vec<PropertyId> {
        let all = self.tagged().properties.iter().enumerate();
        let asked = all.filter(|(_, p)| !p.hidden && p.kind == PropertyKind::Invariant);
        asked.map(|(at, _)| PropertyId(at)).collect()
    }

    /// Where a property comes from.
    pub fn origin(&self, property: PropertyId) -> &Origin {
        &self.variants.lowered.origins[property.0]
    }

    /// The name of a property. One that is a stream, and has no other name, is called
    /// like the stream.
    pub fn name(&self, program: &Program, property: PropertyId) -> String {
        let origin = self.origin(property);
        let name = self.tagged().property(property).name.clone();
        let below = |id: NodeId, call: lang::CallId| program.node(id).call(call).node;
        let path = origin.path.iter();
        let owner = path.fold(self.top, |id, step| below(id, step.call));
        let Check::Property(at) = origin.check else {
            return name;
        };
        let node = program.node(owner);
        match &node.properties[at] {
            lang::Property {
                name: None, expr, ..
            } => match expr.kind {
                ExprKind::Var(var) => {
                    let start = name.rfind("InvProp[").unwrap_or(0);
                    format!("{}{}", &name[..start], node.var(var).name)
                }
                _ => name,
            },
            _ => name,
        }
    }

    /// The terms of the tagged system whose values determine a run of a mutant.
    pub fn observed(&self) -> &[Observation] {
        &self.observed
    }

    /// Runs the program of a mutant on the inputs and choices of a run, whose last
    /// step violates the property.
    pub fn replay(
        &self,
        program: &Program,
        mutant: usize,
        run: &Run,
        property: PropertyId,
    ) -> Result<Trace, NoCounterexample> {
        let mutant = &self.mutants[mutant];
        let mutated = Mutated::new(program, mutant);
        let mut choices = self.variants.choices.clone();
        let opened = mutated.choices(&self.variants.streams);
        choices.extend(opened.map(|(key, shape)| (key, shape.clone())));
        let terms = RunTerms {
            inputs: &self.variants.lowered.inputs,
            consts: &self.variants.lowered.consts,
            choices: &choices,
            unknowns: &self.variants.unknowns,
        };
        let origin = self.origin(property);
        let (program, observed) = (&mutated.program, &self.observed);
        match replay::replay(
            program,
            self.top,
            terms,
            observed,
            run,
            Claim::Decides(origin),
        ) {
            Ok(replayed) => Ok(replayed.trace),
            Err(Mismatch::Unable(why)) => Err(NoCounterexample::Unable(why)),
            Err(Mismatch::Disagrees(why)) => {
                let name = &self.tagged().property(property).name;
                let message = format!(
                    "the run of mutant {} for {name} does not replay: {why}",
                    mutant.name
                );
                Err(NoCounterexample::InternalError(message))
            }
        }
    }
}

fn observed(variants: &Variants) -> Vec<Observation> {
    let lowered = &variants.lowered;
    let inputs = lowered.inputs.iter();
    let consts = lowered.consts.iter().map(|(_, shape)| shape);
    let streams = variants.streams.iter().map(|stream| &stream.shape);
    let mut all = Observations::default();
    let shapes = inputs.chain(consts).chain(variants.choices.values());
    shapes.chain(streams).for_each(|shape| all.add(shape));
    all.add_unknowns(&variants.unknowns);
    all.observed
}
