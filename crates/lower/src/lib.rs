//! From a typed program to a transition system.
//!
//! This crate is the second semantics of Kindred, next to the interpreter, and
//! shares no code with it. Every stream of every instance becomes a variable
//! with a definition, tagged with the part of the model it comes from. In the
//! reduced form definitions are inlined: what is left of a program is its
//! memory (what stands under `pre`, whether an instance has started, what
//! clocked calls hold), its inputs and its choices.
//!
//! An instance runs in a context: `tick`, whether it runs at this step, and
//! `first`, whether this is its first tick. `a -> b` is `if first then a else
//! b`; the memory behind `pre e` takes the value of `e` when the instance
//! ticks. A call without clock and restart runs in the context of its caller.

mod array;
mod calls;
mod child;
mod expr;
mod facts;
mod function;
mod instance;
mod lowerer;
mod memory;
mod part;
mod partial;
mod properties;
mod quantifier;
mod room;
mod shape;
mod slots;
mod stream;
mod variant;

use std::collections::{BTreeMap, HashMap, HashSet};

use lang::{ChoiceId, ConstId, InstancePath, NodeId, Program, SizeAtom, VarId};
use num_bigint::BigInt;
use syntax::{SourceMap, Symbol};
use system::{System, Term};

pub use part::{Part, Place, Places, clause_name};
pub use partial::{Unknown, Unknowns};
pub use shape::{Leaf, Model, Shape};
pub use slots::{InstanceSlots, Slot};
pub use variant::{Variant, Variants, VariedStream, lower_variants};

/// Why a program has no transition system.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Unsupported(pub String);

pub type Lower<T> = Result<T, Unsupported>;

/// What is analysed of a node.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum View {
    /// Its body against its contract and properties.
    Body,
    /// Its contract alone: are the modes exhaustive, can each be reached?
    Contract,
}

#[derive(Clone, Debug)]
pub struct LowerOptions {
    pub view: View,
    /// Properties of called nodes are properties of the caller.
    pub subproperties: bool,
    /// Reachability properties are checked.
    pub reach: bool,
    /// Whether guards and modes can be reached is checked.
    pub nonvacuity: bool,
    /// Functions without a body give the same outputs for the same inputs.
    pub congruence: bool,
    /// Keep the value of every stream, not only of what properties need.
    pub all_streams: bool,
    /// Leave out what no property depends on.
    pub slice: bool,
    /// Arrays of known size are taken apart.
    pub inline_arrays: bool,
    /// Arrays of the solver are defined by its theory of arrays where that is
    /// possible, not by quantified formulas.
    pub smt_arrays: bool,
    /// Values for constant inputs of the top node and for free constants.
    pub fixed: HashMap<SizeAtom, BigInt>,
    /// Properties that were proved of called nodes; they hold while the assumptions of
    /// the node hold.
    pub proved: HashMap<NodeId, Vec<Check>>,
    /// Properties that are known to hold.
    pub settled: HashSet<Origin>,
}

impl Default for LowerOptions {
    fn default() -> LowerOptions {
        LowerOptions {
            view: View::Body,
            subproperties: true,
            reach: true,
            nonvacuity: true,
            congruence: false,
            all_streams: false,
            slice: true,
            inline_arrays: true,
            smt_arrays: false,
            fixed: HashMap::new(),
            proved: HashMap::new(),
            settled: HashSet::new(),
        }
    }
}

/// Where the value of a choice stands in the system.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct ChoiceKey {
    pub path: InstancePath,
    pub choice: ChoiceId,
    pub indices: Vec<usize>,
}

/// The part of the program that a property speaks of.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Check {
    /// A property of the node, by its position.
    Property(usize),
    /// The guard of a property.
    Guard(usize),
    Assumption(usize),
    Guarantee(usize),
    /// A mode and one of the conditions it ensures.
    Ensure(usize, usize),
    ModeActive(usize),
    OneModeActive,
    /// The declared range of a stream, or of a part of it: `.field`, `[0]`.
    Range(VarId, Symbol),
    /// An auxiliary lemma, which is not reported.
    Hidden,
}

/// A property's instance and part.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Origin {
    pub path: InstancePath,
    pub check: Check,
}

/// A transition system, and how to read a run of the program off it.
pub struct Lowered {
    /// Every stream is a variable, and its definition knows the part of the
    /// model it comes from.
    pub tagged: System,
    /// The part of the program that each element is.
    pub parts: Vec<Part>,
    /// Where the definitions and constraints of the tagged system stand.
    pub places: Places,
    /// The same without streams, which their definitions replace. Values and
    /// proofs speak of this one; they hold of the other too.
    pub system: System,
    /// Where each property of the system comes from.
    pub origins: Vec<Origin>,
    /// The inputs of the top node, in order.
    pub inputs: Vec<Shape>,
    pub consts: Vec<(ConstId, Shape)>,
    pub choices: BTreeMap<ChoiceKey, Shape>,
    /// Where operations may be outside of their domain.
    pub unknowns: Unknowns,
    /// For arrays that are defined by induction: the number that their elements outside of
    /// the bounds depend on, free at each step.
    pub tokens: HashMap<(InstancePath, VarId), Term>,
    /// With `all_streams`: every instance with its `tick` and its streams, as
    /// variables of the tagged system.
    pub instances: Vec<InstanceStreams>,
    /// Every instance that was looked at, with its memory; the top node first.
    pub slots: Vec<InstanceSlots>,
    /// The constants that sizes of arrays depend on.
    pub parameters: Vec<SizeAtom>,
    /// The streams that depend on themselves within a step.
    pub loops: Vec<LoopedStream>,
}

/// A stream that depends on itself within a step: a choice, which its definition
/// constrains where the instance runs. In terms of the reduced system.
#[derive(Clone)]
pub struct LoopedStream {
    pub tick: Term,
    pub choice: Shape,
    pub defined: Shape,
}

/// The streams of an instance, in the order of its node.
#[derive(Clone)]
pub struct InstanceStreams {
    pub path: InstancePath,
    pub tick: Term,
    pub values: Vec<Shape>,
}

impl Lowered {
    /// The instances with the values of their streams in the reduced system.
    pub fn reduced_instances(&self) -> Vec<InstanceStreams> {
        let mut inliner = system::Inliner::new(&self.tagged);
        let mut reduced = Vec::new();
        for instance in &self.instances {
            let values = instance.values.iter();
            reduced.push(InstanceStreams {
                path: instance.path.clone(),
                tick: inliner.term(&instance.tick),
                values: values
                    .map(|shape| shape.map(&mut |term| inliner.term(term)))
                    .collect(),
            });
        }
        reduced
    }
}

/// Translates the analysis of a node.
pub fn lower(
    program: &Program,
    sources: &SourceMap,
    top: NodeId,
    options: &LowerOptions,
) -> Lower<Lowered> {
    lowerer::Lowerer::new(program, sources, options).run(top)
}
