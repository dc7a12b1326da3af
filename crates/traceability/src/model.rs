//! A tagged system whose parts can be taken away.
//!
//! Without a part, its constraints are gone and the streams that it defined are
//! free within their declared types. What is no part of the question stays: its
//! definitions are inlined, so that only the streams of the parts are left.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::sync::Arc;

use system::{
    Constraint, Element, ElementId, ElementKind, Inliner, Kind, PropertyId, Role, System, Term,
    Var, eq,
};

/// Positions among the parts of a model.
pub type Set = BTreeSet<usize>;

/// A part of the model that can be taken away.
#[derive(Clone, Debug)]
pub struct Part {
    pub element: Element,
    /// The element in the system's own table.
    pub id: ElementId,
    /// The streams that it defines.
    pub streams: Vec<Var>,
    /// Its constraints, by position.
    pub constraints: Vec<usize>,
    /// What its failure costs, where failures are weighed.
    pub cost: u32,
}

/// What counts as a part.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Granularity {
    /// An element of the source, in all instances of its node at once. Of the
    /// equations only the stateful ones: those of streams that are read under
    /// `pre`, checked, or passed in and out of nodes. The others are part of
    /// what uses them.
    Stateful,
    /// Every scalar equation and every argument of every instance on its own.
    Flat,
}

impl Granularity {
    pub fn of(flat: bool) -> Granularity {
        match flat {
            true => Granularity::Flat,
            false => Granularity::Stateful,
        }
    }
}

/// The system, and what of it is in question.
pub struct Model {
    pub tagged: System,
    pub parts: Vec<Part>,
}

impl Model {
    /// The parts are the elements that are wanted.
    pub fn new(
        tagged: System,
        granularity: Granularity,
        wanted: &dyn Fn(&Element) -> bool,
    ) -> Model {
        let parts = match granularity {
            Granularity::Stateful => by_element(&tagged, wanted),
            Granularity::Flat => by_stream(&tagged, wanted),
        };
        Model { tagged, parts }
    }

    pub fn all(&self) -> Set {
        (0..self.parts.len()).collect()
    }

    pub fn complement(&self, set: &Set) -> Set {
        self.all().difference(set).copied().collect()
    }

    /// The system with only these parts, for some of its properties. What was a
    /// stream and is not defined any more is an input.
    pub fn only(&self, present: &Set, properties: &[PropertyId]) -> System {
        let mut system = self.tagged.clone();
        let mut dropped = HashSet::new();
        for part in self.complement(present) {
            let part = &self.parts[part];
            dropped.extend(part.constraints.iter().copied());
            for at in &part.constraints {
                let range = self.tagged.constraints[*at].range.clone();
                restrict(&mut system, range);
            }
            for stream in &part.streams {
                free(&mut system, *stream);
            }
        }
        let mut at = 0..;
        let constraints = &mut system.constraints;
        constraints.retain(|_| at.next().is_none_or(|at| !dropped.contains(&at)));
        let properties = properties.iter().map(|id| system.property(*id).clone());
        system.properties = properties.collect();
        system
    }

    /// The system in which the streams of parts are inputs, but for some parts that
    /// are not in question.
    pub(crate) fn freed(&self, settled: &Set) -> System {
        let mut system = self.tagged.clone();
        for part in self.complement(settled) {
            for stream in &self.parts[part].streams {
                let var = &mut system.vars[stream.0 as usize];
                var.role = Role::Input;
                var.def = None;
            }
        }
        system
    }

    /// The same system with the definitions of its parts apart.
    pub(crate) fn opened(&self, settled: &Set) -> Opened {
        let system = self.freed(settled);
        let mut inliner = Inliner::new(&system);
        let parts = self.parts.iter().map(|part| {
            let streams = part.streams.iter().filter_map(|var| {
                let declared = self.tagged.var(*var);
                if system.var(*var).def.is_some() {
                    return None;
                }
                let definition = declared.def.as_ref()?;
                let stream = system::var(*var, declared.sort.clone());
                Some(Definition {
                    var: *var,
                    term: eq(&stream, &inliner.term(&definition.term)),
                    range: definition.range.as_ref().map(|range| inliner.term(range)),
                })
            });
            let definitions = streams.collect();
            let constraints = part.constraints.iter();
            let constraints: Vec<&Constraint> = constraints
                .map(|at| &self.tagged.constraints[*at])
                .collect();
            let ranges = constraints.iter().filter_map(|c| c.range.as_ref());
            OpenPart {
                definitions,
                ranges: ranges.map(|range| inliner.term(range)).collect(),
                constraints: constraints.iter().map(|c| inliner.term(&c.term)).collect(),
            }
        });
        let parts: Vec<OpenPart> = parts.collect();
        let mine: HashSet<usize> = self.constraints_in_question().collect();
        let mut reduced = system.reduced();
        let mut at = 0..;
        let constraints = &mut reduced.constraints;
        constraints.retain(|_| at.next().is_none_or(|at| !mine.contains(&at)));
        Opened {
            system: Arc::new(reduced),
            parts,
        }
    }

    fn constraints_in_question(&self) -> impl Iterator<Item = usize> {
        self.parts
            .iter()
            .flat_map(|part| part.constraints.iter().copied())
    }
}

/// See [`Model::opened`].
pub(crate) struct Opened {
    pub system: Arc<System>,
    pub parts: Vec<OpenPart>,
}

#[derive(Clone)]
pub(crate) struct OpenPart {
    pub definitions: Vec<Definition>,
    pub constraints: Vec<Term>,
    /// What types say where the constraints do not hold.
    pub ranges: Vec<Term>,
}

impl OpenPart {
    /// What the part says.
    pub fn terms(&self) -> impl Iterator<Item = &Term> {
        let definitions = self.definitions.iter().map(|definition| &definition.term);
        definitions.chain(&self.constraints)
    }
}

#[derive(Clone)]
pub(crate) struct Definition {
    pub var: Var,
    /// The stream has the value that its equation says.
    pub term: Term,
    /// What its type says of it otherwise.
    pub range: Option<Term>,
}

fn free(system: &mut System, stream: Var) {
    let var = &mut system.vars[stream.0 as usize];
    var.role = Role::Input;
    let range = var.def.take().and_then(|definition| definition.range);
    restrict(system, range);
}

/// What a type says holds.
fn restrict(system: &mut System, range: Option<Term>) {
    system.constraints.extend(range.map(|term| Constraint {
        term,
        element: None,
        range: None,
    }));
}

/// The streams and the constraints of each element.
fn by_element(system: &System, wanted: &dyn Fn(&Element) -> bool) -> Vec<Part> {
    let stateful = stateful(system);
    let mut parts: BTreeMap<ElementId, Part> = BTreeMap::new();
    let part = |id: ElementId| {
        let element = system.element(id);
        let is_wanted = element.kind != ElementKind::Binding && wanted(element);
        is_wanted.then(|| Part {
            element: element.clone(),
            id,
            streams: Vec::new(),
            constraints: Vec::new(),
            cost: element.cost,
        })
    };
    for (var, id) in definitions(system) {
        if let Some(new) = part(id) {
            parts.entry(id).or_insert(new).streams.push(var);
        }
    }
    parts.retain(|_, part| {
        let by_value = matches!(
            part.element.kind,
            ElementKind::Equation | ElementKind::Ghost
        );
        !by_value || part.streams.iter().any(|var| stateful.contains(var))
    });
    for (at, constraint) in system.constraints.iter().enumerate() {
        if let Some((id, new)) = constraint.element.and_then(|id| Some((id, part(id)?))) {
            parts.entry(id).or_insert(new).constraints.push(at);
        }
    }
    in_order(parts.into_values())
}

/// Every stream and every constraint on its own. A call has no stream of its
/// own here: its outputs are those of the instance.
fn by_stream(system: &System, wanted: &dyn Fn(&Element) -> bool) -> Vec<Part> {
    let alone = |id: ElementId, name: Option<&str>| {
        let element = system.element(id);
        let is_wanted = element.kind != ElementKind::Call && wanted(element);
        is_wanted.then(|| Part {
            element: Element {
                name: name.unwrap_or(&element.name).to_owned(),
                ..element.clone()
            },
            id,
            streams: Vec::new(),
            constraints: Vec::new(),
            cost: element.cost,
        })
    };
    let streams = definitions(system).filter_map(|(var, id)| {
        let mut part = alone(id, Some(&system.var(var).name))?;
        part.streams.push(var);
        Some(part)
    });
    let constraints = system.constraints.iter().enumerate();
    let constraints = constraints.filter_map(|(at, constraint)| {
        let mut part = alone(constraint.element?, None)?;
        part.constraints.push(at);
        Some(part)
    });
    in_order(streams.chain(constraints))
}

/// By node and place, as reports list them.
fn in_order(parts: impl Iterator<Item = Part>) -> Vec<Part> {
    let mut parts: Vec<Part> = parts.collect();
    let key = |part: &Part| {
        let element = &part.element;
        let span = element.span;
        (element.node.clone(), span.start, element.name.clone())
    };
    parts.sort_by_cached_key(key);
    parts
}

fn definitions(system: &System) -> impl Iterator<Item = (Var, ElementId)> {
    let vars = system.vars.iter().enumerate();
    vars.filter_map(|(at, var)| Some((Var(at as u32), var.def.as_ref()?.element)))
}

/// The streams that stand under `pre` by themselves, and those that properties,
/// constraints, arguments and callers read.
fn stateful(system: &System) -> HashSet<Var> {
    let mut read: HashSet<Var> = HashSet::new();
    for (memory, var) in system.state_vars() {
        read.extend(var.next.as_ref().and_then(|next| kept(memory, next)));
    }
    for var in &system.vars {
        let passed = var.def.iter().filter(|definition| {
            let kind = system.element(definition.element).kind;
            matches!(kind, ElementKind::Binding | ElementKind::Call)
        });
        read.extend(passed.flat_map(|definition| definition.term.vars()));
    }
    let constraints = system.constraints.iter().map(|c| &c.term);
    let properties = system.properties.iter().map(|p| &p.term);
    read.extend(constraints.chain(properties).flat_map(Term::vars));
    read
}

/// The stream whose value a memory keeps, always or when its instance ticks;
/// `None` if it is an expression's.
fn kept(memory: Var, next: &Term) -> Option<Var> {
    match next.kind() {
        Kind::Var(stream) => Some(*stream),
        Kind::Ite(_, new, old) => match (new.kind(), old.kind()) {
            (Kind::Var(stream), Kind::Var(own)) if *own == memory => Some(*stream),
            _ => None,
        },
        _ => None,
    }
}
