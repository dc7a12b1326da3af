//! The second translation: from the typed program straight to SMT-LIB.
//!
//! Each stream of each instance is a variable with its expression as definition.
//! An instance has a `tick`, whether it runs at this step, and a `first`, whether
//! this is its first tick since it was started or restarted:
//!
//! - `a -> b` is `a` at the first tick, and `b` later;
//! - `pre e` is a memory that takes the value of `e` at each tick, and at the first
//!   tick a choice, unless that value is never used;
//! - a call runs when its caller does, and on its clock if it has one. The outputs of
//!   a call with a clock are those of its last tick, and before the first one the
//!   defaults, or choices;
//! - a node without a body has choices as outputs. They are what its contract says, as
//!   long as its assumptions have held since it was started.
//!
//! An array is all its elements, each a variable; their number has to be known. What no
//! property and no assumption needs is left out. What is owed and what may be assumed is
//! in `checks.rs`, calls are in `calls.rs`, definitions in `streams.rs`, and expressions
//! in `expr.rs`; `value.rs` has the operators, and `partial.rs` those that have no value for
//! some operands.

mod calls;
mod checks;
mod expr;
mod partial;
mod streams;
mod value;

use std::collections::{BTreeMap, HashMap};

use lang::{
    BoundId, CallId, ChoiceId, ChoiceKind, ConstId, Expr, Node, NodeId, Program, Type, VarId,
};
use syntax::Span;

use super::{Simple, not_covered};
use value::{Val, in_type, named, sort};

/// Which element of an array definition something belongs to.
pub type Indices = Vec<usize>;

/// A call of a node; in an array definition, the one for these indices.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Called {
    pub call: CallId,
    pub indices: Indices,
}

/// The calls on the way to an instance.
pub type Path = Vec<Called>;

/// Something that the two translations have in common.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Key {
    /// An input, which is the same for both.
    Input(VarId),
    Constant(ConstId),
    Choice(Path, ChoiceId, Indices),
    Stream(Path, VarId),
    Output(Path, Called, usize),
    /// Memory.
    Started,
    Idle(Path, Called),
    Held(Path, Called, usize),
    PreStream(Path, VarId),
    Pre(Path, Span, Indices),
    /// Have the assumptions of an instance held so far?
    Assumptions(Path),
    /// The number that elements outside of an array defined by induction depend on.
    Outside(Path, VarId),
}

impl Key {
    /// Is it free at each step?
    pub fn is_given(&self) -> bool {
        matches!(
            self,
            Key::Input(_) | Key::Constant(_) | Key::Choice(..) | Key::Outside(..)
        )
    }

    /// Does it keep its value from one step to the next?
    pub fn is_memory(&self) -> bool {
        !self.is_given() && !matches!(self, Key::Stream(..) | Key::Output(..))
    }
}

/// A property or constraint of an instance.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Check {
    Property(usize),
    Guarantee(usize),
    Assumption(usize),
    Ensure(usize, usize),
    /// With the position among the ranges in the type.
    Range(VarId, usize),
}

/// A variable: what it is, and the names and sorts of its scalars.
#[derive(Clone, Debug)]
pub struct Variable {
    pub val: Val,
    pub scalars: Vec<(String, String)>,
    types: Vec<Type>,
    /// At the first step.
    pub init: Option<Val>,
    /// At the next step.
    pub next: Option<Val>,
    /// At this step.
    pub definition: Option<Val>,
}

/// The model as its second translation has it.
#[derive(Clone, Debug, Default)]
pub struct SimpleSystem {
    pub variables: BTreeMap<Key, Variable>,
    /// What holds at each step.
    pub constraints: Vec<String>,
    /// Uninterpreted functions: the sorts of their arguments and of their value.
    pub functions: BTreeMap<String, (Vec<String>, String)>,
    /// The properties, by instance and check.
    pub properties: BTreeMap<(Path, Check), String>,
}

/// The context of an instance.
#[derive(Clone, Debug)]
struct Instance {
    node: NodeId,
    tick: String,
    first: String,
}

/// The value of a bound variable.
#[derive(Clone, Debug)]
enum Bound {
    /// An index of an array definition has this value.
    Index(usize),
    /// A quantifier binds this name.
    Quantified(String),
}

type Bounds = Vec<(BoundId, Bound)>;

/// A definition that is still to be written.
enum PendingDefinition<'p> {
    Definition(Key, Path, &'p Expr, Bounds),
    /// Of an array, element by element.
    Elements(Key, Path, VarId),
    Memory(Key, Path, &'p Expr, Bounds),
    /// Of a stream that is chosen by its own value: it constrains the choice.
    Loop(Path, VarId),
}

pub struct Translator<'p> {
    program: &'p Program,
    system: SimpleSystem,
    instances: HashMap<Path, Instance>,
    open: Vec<PendingDefinition<'p>>,
    /// Those of the expression that is being written.
    bounds: Bounds,
    subproperties: bool,
}

/// Translates a node; with `subproperties`, the properties of called nodes are properties too.
pub fn translate(program: &Program, top: NodeId, subproperties: bool) -> Simple<SimpleSystem> {
    let mut translator = Translator {
        program,
        system: SimpleSystem::default(),
        instances: HashMap::new(),
        open: Vec::new(),
        bounds: Bounds::new(),
        subproperties,
    };
    let started = translator.variable(Key::Started, &Type::Bool, "simple:!first")?;
    translator.set_memory(&Key::Started, Some("true"), Val::Scalar("false".into()));
    let instance = Instance {
        node: top,
        tick: "true".into(),
        first: started.scalar()?.to_owned(),
    };
    translator.instances.insert(Path::new(), instance);
    for input in &program.node(top).inputs {
        translator.stream(&Path::new(), *input)?;
    }
    translator.instance(&Path::new())?;
    translator.definitions()?;
    Ok(translator.system)
}

impl<'p> Translator<'p> {
    fn at(&self, path: &Path) -> Simple<Instance> {
        let instance = self.instances.get(path).cloned();
        instance.map_or_else(|| not_covered("an instance that is not there"), Ok)
    }

    fn node(&self, path: &Path) -> Simple<&'p Node> {
        Ok(self.program.node(self.at(path)?.node))
    }

    /// A name that tells where a variable stands.
    fn name(&self, path: &Path, name: &str) -> String {
        let mut text = String::from("simple:");
        for called in path {
            text += &format!("{}/", call_name(called));
        }
        text + name
    }

    fn variable(&mut self, key: Key, ty: &Type, name: &str) -> Simple<Val> {
        let mut scalars = Vec::new();
        let val = named(self.program, ty, name, &mut |name, ty| {
            scalars.push((name.to_owned(), ty.clone()));
        })?;
        let given = key.is_given() && !self.is_promised(&key)?;
        for (name, ty) in &scalars {
            // Inputs and choices are of their types; memory holds a value of its enumeration.
            let is_enum = matches!(ty, Type::Enum(_));
            let typed = given || is_enum && (key.is_given() || key.is_memory());
            if let Some(constraint) = in_type(self.program, ty, name).filter(|_| typed) {
                self.system.constraints.push(constraint);
            }
        }
        let sorted: Simple<Vec<(String, String)>> = scalars
            .iter()
            .map(|(name, ty)| Ok((name.clone(), sort(ty)?)))
            .collect();
        let variable = Variable {
            val: val.clone(),
            scalars: sorted?,
            types: scalars.into_iter().map(|(_, ty)| ty).collect(),
            init: None,
            next: None,
            definition: None,
        };
        self.system.variables.insert(key, variable);
        Ok(val)
    }

    /// Is it an output of a node whose contract stands for its body? Its ranges are part
    /// of what the contract promises. Those of a stream that depends on itself are
    /// checked as those of others are.
    fn is_promised(&self, key: &Key) -> Simple<bool> {
        let Key::Choice(path, id, _) = key else {
            return Ok(false);
        };
        let node = self.node(path)?;
        Ok(match node.choice(*id).kind {
            ChoiceKind::Imported(_) => node.abstracted,
            ChoiceKind::Loop(_) => true,
            ChoiceKind::Pre
            | ChoiceKind::Undefined(_)
            | ChoiceKind::Hole(_)
            | ChoiceKind::Inactive(..)
            | ChoiceKind::Fault(_)
            | ChoiceKind::Cut(_) => false,
        })
    }

    fn known(&self, key: &Key) -> Option<Val> {
        self.system.variables.get(key).map(|v| v.val.clone())
    }

    fn set_memory(&mut self, key: &Key, init: Option<&str>, next: Val) {
        if let Some(variable) = self.system.variables.get_mut(key) {
            variable.init = init.map(|text| Val::Scalar(text.to_owned()));
            variable.next = Some(next);
        }
    }

    fn define(&mut self, key: &Key, value: Val) {
        if let Some(variable) = self.system.variables.get_mut(key) {
            variable.definition = Some(value);
        }
    }

    /// The value of an index of an array definition.
    fn index(&self, id: BoundId) -> Simple<usize> {
        match self.bound(id)? {
            Bound::Index(at) => Ok(*at),
            Bound::Quantified(_) => {
                not_covered("a call or a choice for each value of a quantifier")
            }
        }
    }

    fn bound(&self, id: BoundId) -> Simple<&Bound> {
        let found = self.bounds.iter().find(|(bound, _)| *bound == id);
        found.map_or_else(
            || not_covered("an index without a value"),
            |(_, bound)| Ok(bound),
        )
    }
}

/// The name of a call in names of variables.
fn call_name(called: &Called) -> String {
    let indices: String = called.indices.iter().map(|at| format!("[{at}]")).collect();
    format!("call{}{indices}", called.call.0)
}
