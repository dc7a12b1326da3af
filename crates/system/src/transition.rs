//! Transition systems.

use syntax::Span;

use crate::inline::Inliner;
use crate::term::{Sort, Term, Var};

/// The role of a variable.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Role {
    /// Has a value at the start, if any, and one for the next step.
    State,
    /// Free at every step: an input of the model or a choice.
    Input,
    /// Free at the start and the same at every step.
    Constant,
    /// Has the value of its definition at every step.
    Stream,
}

#[derive(Clone, Debug)]
pub struct StateVar {
    pub name: String,
    pub sort: Sort,
    pub role: Role,
    /// The value at the first step; anything if `None`.
    pub init: Option<Term>,
    /// The value at the next step.
    pub next: Option<Term>,
    /// For a stream: its value at this step.
    pub def: Option<Definition>,
}

impl StateVar {
    /// A variable of which nothing more is known.
    pub fn new(name: &str, sort: Sort, role: Role) -> StateVar {
        StateVar {
            name: name.to_owned(),
            sort,
            role,
            init: None,
            next: None,
            def: None,
        }
    }
}

/// The definition of a stream.
#[derive(Clone, Debug)]
pub struct Definition {
    pub term: Term,
    pub element: ElementId,
    /// The constraint that the type puts on the stream if its definition is removed.
    pub range: Option<Term>,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct ElementId(pub u32);

/// A part of the model that definitions and constraints come from.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Element {
    pub kind: ElementKind,
    pub name: String,
    pub node: String,
    pub span: Span,
    /// Marked with `weakly`, such as `weakly assume`.
    pub weak: bool,
    /// The cost of its failure in a search for cut sets.
    pub cost: u32,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum ElementKind {
    Equation,
    /// The absence of a fault.
    Fault,
    /// The outputs of a call are those of its node.
    Call,
    /// The inputs of an instance are the arguments of its call, or those of a
    /// contract the arguments of its import.
    Binding,
    Assumption,
    Guarantee,
    /// The condition that activates a mode.
    Require,
    Ensure,
    Assertion,
    Ghost,
}

/// Holds at every step.
#[derive(Clone, Debug)]
pub struct Constraint {
    pub term: Term,
    /// `None` for the constraint of a declared type, or a property that was proved before: these
    /// always hold.
    pub element: Option<ElementId>,
    /// For a constraint that defines an array: the constraint that the type puts on the array if
    /// this one is removed.
    pub range: Option<Term>,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct PropertyId(pub usize);

/// Where a property comes from, as reports name it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Source {
    Annotation,
    Assumption,
    Guarantee,
    Ensure,
    OneModeActive,
    Generated,
    NonVacuity,
}

impl Source {
    pub fn name(self) -> &'static str {
        match self {
            Source::Annotation => "PropAnnot",
            Source::Assumption => "Assumption",
            Source::Guarantee => "Guarantee",
            Source::Ensure => "Ensure",
            Source::OneModeActive => "OneModeActive",
            Source::Generated => "Generated",
            Source::NonVacuity => "NonVacuityCheck",
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum PropertyKind {
    /// Holds at every reachable step.
    Invariant,
    /// Holds at some reachable step within the bounds.
    Reachable {
        from: Option<u64>,
        within: Option<u64>,
    },
}

#[derive(Clone, Debug)]
pub struct Property {
    pub name: String,
    pub term: Term,
    pub kind: PropertyKind,
    pub source: Source,
    pub span: Span,
    /// Not reported: an invariant that may help to prove the others.
    pub hidden: bool,
}

impl Property {
    /// An invariant property that the user wrote.
    pub fn invariant(name: &str, term: Term) -> Property {
        Property {
            name: name.to_owned(),
            term,
            kind: PropertyKind::Invariant,
            source: Source::Annotation,
            span: Span::default(),
            hidden: false,
        }
    }
}

#[derive(Clone, Debug, Default)]
pub struct System {
    pub vars: Vec<StateVar>,
    pub elements: Vec<Element>,
    pub constraints: Vec<Constraint>,
    pub properties: Vec<Property>,
    /// Properties are checked in the whole system, without the cone of influence.
    pub whole: bool,
}

impl System {
    /// A system of inputs alone, for formulas without steps.
    pub fn of_inputs(sorts: impl IntoIterator<Item = Sort>) -> System {
        let vars = sorts.into_iter();
        let vars = vars.map(|sort| StateVar::new("x", sort, Role::Input));
        System {
            vars: vars.collect(),
            ..System::default()
        }
    }

    pub fn var(&self, var: Var) -> &StateVar {
        &self.vars[var.0 as usize]
    }

    /// All terms that the system consists of, but for ranges.
    pub fn terms(&self) -> impl Iterator<Item = &Term> {
        let vars = self.vars.iter().flat_map(|var| {
            let definition = var.def.as_ref().map(|definition| &definition.term);
            var.init.iter().chain(&var.next).chain(definition)
        });
        let constraints = self.constraints.iter().map(|c| &c.term);
        let properties = self.properties.iter().map(|p| &p.term);
        vars.chain(constraints).chain(properties)
    }

    pub fn state_vars(&self) -> impl Iterator<Item = (Var, &StateVar)> {
        let vars = self.vars.iter().enumerate();
        vars.map(|(at, var)| (Var(at as u32), var))
            .filter(|(_, var)| var.role == Role::State)
    }

    pub fn element(&self, id: ElementId) -> &Element {
        &self.elements[id.0 as usize]
    }

    /// The system with all streams replaced by their definitions. Variables keep their numbers, so
    /// that what holds of the result holds of the system.
    pub fn reduced(&self) -> System {
        let mut inliner = Inliner::new(self);
        let mut reduced = self.clone();
        for var in &mut reduced.vars {
            var.def = None;
            var.init = var.init.as_ref().map(|term| inliner.term(term));
            var.next = var.next.as_ref().map(|term| inliner.term(term));
        }
        for constraint in &mut reduced.constraints {
            constraint.term = inliner.term(&constraint.term);
        }
        for property in &mut reduced.properties {
            property.term = inliner.term(&property.term);
        }
        reduced
    }

    /// The property without its system around it.
    pub fn property(&self, id: PropertyId) -> &Property {
        &self.properties[id.0]
    }
}
