//! The typed program.
//!
//! Everything is resolved: a name is an id, a list of streams is several
//! definitions, a contract import is part of the contract, a block is
//! equations. What the program leaves open is a [`Choice`]: the value of an
//! unguarded `pre` at the first step, of an output without a definition, of
//! the outputs of an imported node. A run of the program is determined by its
//! inputs, its free constants and its choices.

use std::sync::Arc;

use syntax::ast::NodeKind;
use syntax::{Span, Symbol};

pub use crate::expr::*;
use crate::runtime::RuntimeCheck;
use crate::types::*;

macro_rules! ids {
    ($($(#[$doc:meta])* $name:ident),* $(,)?) => {
        $($(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
        pub struct $name(pub u32);

        impl $name {
            pub fn index(self) -> usize {
                self.0 as usize
            }
        })*
    };
}

ids! {
    /// A constant of the program.
    ConstId,
    /// A node or function of the program; callees come before callers.
    NodeId,
    /// A stream of a node.
    VarId,
    /// A call in a node. Calls that cannot be told apart share one.
    CallId,
    /// A value that a node leaves open.
    ChoiceId,
    /// An index of an array definition, or a quantified variable.
    BoundId,
    /// An equation of the source, which may define several streams.
    EquationId,
}

#[derive(Clone, Debug, Default)]
pub struct Program {
    pub enums: Vec<EnumDecl>,
    pub records: Vec<RecordDecl>,
    pub abstract_types: Vec<Symbol>,
    pub consts: Vec<Const>,
    /// Shared, so that an abstraction copies only what it changes.
    pub nodes: Vec<Arc<Node>>,
}

/// A constant; without a value it is free and fixed for a whole run.
#[derive(Clone, Debug)]
pub struct Const {
    pub name: Symbol,
    pub ty: Type,
    pub value: Option<Expr>,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub struct Node {
    pub name: Symbol,
    pub kind: NodeKind,
    /// False for a node that is declared `imported` and for a function without a
    /// body: its outputs are choices then.
    pub has_body: bool,
    /// Declared with the keyword `imported`.
    pub imported: bool,
    /// Has a body in the source, which an abstraction has replaced by the contract:
    /// `has_body` is false.
    pub abstracted: bool,
    pub is_main: bool,
    pub span: Span,
    pub vars: Vec<Var>,
    pub inputs: Vec<VarId>,
    pub outputs: Vec<VarId>,
    pub equations: Vec<Equation>,
    pub calls: Vec<Call>,
    pub choices: Vec<Choice>,
    pub bounds: Vec<BoundVar>,
    pub asserts: Vec<Assertion>,
    /// The streams that `--%IVC` annotations name: their equations are the candidates for
    /// inductive validity cores.
    pub questioned: Vec<VarId>,
    /// The inputs that a `--%REALIZABLE` annotation gives to the environment, if there is one:
    /// the component picks the others.
    pub realizable: Option<Vec<VarId>>,
    pub faults: Vec<Fault>,
    pub properties: Vec<Property>,
    pub contract: Option<Contract>,
    /// For each output, the inputs that it depends on within a step. The
    /// outputs of imported nodes depend on nothing: they are choices.
    pub output_deps: Vec<Vec<VarId>>,
    /// The inputs of `output_deps` on which the output depends in other ways than through
    /// conditions of `if`.
    pub data_deps: Vec<Vec<VarId>>,
    /// As `output_deps`, but an imported node may read all its inputs.
    pub possible_deps: Vec<Vec<VarId>>,
    /// Does the node, or one below it, have a `pre` without initial value, or a
    /// fault? Then two calls differ even if their arguments do not.
    pub open_pre: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum VarClass {
    Input {
        is_const: bool,
    },
    Output,
    Local,
    /// A constant declared in the node or its contract.
    Const,
    /// A variable of the contract.
    Ghost,
    /// An input of an imported contract, defined by the argument.
    ContractInput,
    /// The flag that a mode of the contract is active.
    Mode,
}

#[derive(Clone, Debug)]
pub struct Var {
    pub name: Symbol,
    pub ty: Type,
    pub class: VarClass,
    pub span: Span,
    pub def: Option<Def>,
    /// Set for a stream that depends on itself through conditions only ([`ChoiceKind::Loop`]).
    pub looped: Option<ChoiceId>,
}

/// The definition of one stream. With indices it defines every element of an
/// array: `A[i][j] = expr`.
#[derive(Clone, Debug)]
pub struct Def {
    pub indices: Vec<BoundId>,
    pub expr: Expr,
    /// `None` for a definition that the checker has generated.
    pub equation: Option<EquationId>,
}

#[derive(Clone, Debug)]
pub struct Equation {
    pub span: Span,
    /// The streams on its left-hand side.
    pub vars: Vec<VarId>,
    /// Part of the contract, not of the body.
    pub in_contract: bool,
}

#[derive(Clone, Debug)]
pub struct Call {
    pub node: NodeId,
    pub args: Vec<Expr>,
    /// `activate … every`; `None` for the clock of the caller.
    pub clock: Option<Expr>,
    /// The outputs before the first activation; with a clock and without
    /// defaults they are choices.
    pub defaults: Option<Vec<Expr>>,
    /// The choices that stand for missing defaults.
    pub inactive: Vec<ChoiceId>,
    pub restart: Option<Expr>,
    /// The array indices that the call depends on: one instance for each.
    pub indices: Vec<BoundId>,
    pub output_types: Vec<Type>,
    pub span: Span,
    /// Every place of the source that this call stands for.
    pub sites: Vec<Span>,
    pub in_contract: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ChoiceKind {
    /// `pre e` at the first step.
    Pre,
    /// An output without a definition, at every step.
    Undefined(VarId),
    /// The output of an imported node, at every step.
    Imported(VarId),
    /// A stream that no branch of an if block defines, at every step.
    Hole(VarId),
    /// An output of an activated call before its first activation.
    Inactive(CallId, u32),
    /// A stream whose branches are chosen by its own value, at every step; its
    /// definition is a constraint on the choice.
    Loop(VarId),
    /// A stream while a fault shows, at every step.
    Fault(VarId),
    /// An argument or output of a call whose binding was removed, at every step.
    Cut(CallId),
}

impl ChoiceKind {
    /// Is there a new value at every step, or one at the first?
    pub fn every_step(self) -> bool {
        matches!(
            self,
            ChoiceKind::Undefined(_)
                | ChoiceKind::Imported(_)
                | ChoiceKind::Hole(_)
                | ChoiceKind::Loop(_)
                | ChoiceKind::Fault(_)
                | ChoiceKind::Cut(_)
        )
    }
}

/// A value that the program leaves open. Each instance of the node has its
/// own, and a new one after each restart.
#[derive(Clone, Debug)]
pub struct Choice {
    pub kind: ChoiceKind,
    pub ty: Type,
    /// The array indices it depends on: one value for each.
    pub indices: Vec<BoundId>,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub struct BoundVar {
    pub name: Symbol,
    pub kind: BoundKind,
}

#[derive(Clone, Debug)]
pub enum BoundKind {
    /// From 0 to the size, exclusive.
    Index(Size),
    Quantified(Type),
}

#[derive(Clone, Debug)]
pub struct Assertion {
    pub expr: Expr,
    pub span: Span,
}

/// A fault. Its flag is `false` unless that definition is removed.
#[derive(Clone, Debug)]
pub struct Fault {
    pub flag: VarId,
    pub cost: u32,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub struct Property {
    pub name: Option<String>,
    pub expr: Expr,
    pub kind: PropertyKind,
    pub span: Span,
    /// Set for a property that `--check_runtime` has added.
    pub runtime: Option<RuntimeCheck>,
}

#[derive(Clone, Debug)]
pub enum PropertyKind {
    Invariant,
    /// The invariant is `guard => expr`, and the guard should be reachable.
    Provided(Expr),
    Reachable {
        from: Option<u64>,
        within: Option<u64>,
    },
}

/// A contract with all its imports merged in.
#[derive(Clone, Debug, Default)]
pub struct Contract {
    pub assumptions: Vec<Clause>,
    pub guarantees: Vec<Clause>,
    pub modes: Vec<Mode>,
}

#[derive(Clone, Debug)]
pub struct Clause {
    pub name: Option<String>,
    pub weak: bool,
    pub expr: Expr,
    pub span: Span,
    /// The imports that lead to the clause, outermost first.
    pub scope: Vec<Import>,
}

/// An import of a contract: its name and where it stands.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Import {
    pub contract: Symbol,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub struct Mode {
    pub name: Symbol,
    pub scope: Vec<Import>,
    pub requires: Vec<Clause>,
    pub ensures: Vec<Clause>,
    /// True exactly when all requirements hold.
    pub active: VarId,
    pub span: Span,
}

impl Program {
    pub fn node(&self, id: NodeId) -> &Node {
        &self.nodes[id.index()]
    }

    pub fn record(&self, id: RecordId) -> &RecordDecl {
        &self.records[id.0 as usize]
    }

    pub fn enumeration(&self, id: EnumId) -> &EnumDecl {
        &self.enums[id.0 as usize]
    }

    pub fn constant(&self, id: ConstId) -> &Const {
        &self.consts[id.index()]
    }

    pub fn node_named(&self, name: Symbol) -> Option<NodeId> {
        let at = self.nodes.iter().position(|node| node.name == name)?;
        Some(NodeId(at as u32))
    }

    pub fn node_ids(&self) -> impl Iterator<Item = NodeId> {
        (0..self.nodes.len() as u32).map(NodeId)
    }

    /// The nodes to analyse by default: those marked `--%MAIN`, otherwise
    /// those that no other node calls.
    pub fn top_nodes(&self) -> Vec<NodeId> {
        let mains: Vec<NodeId> = self
            .node_ids()
            .filter(|id| self.node(*id).is_main)
            .collect();
        if !mains.is_empty() {
            return mains;
        }
        let mut called = vec![false; self.nodes.len()];
        for call in self.nodes.iter().flat_map(|node| &node.calls) {
            called[call.node.index()] = true;
        }
        self.node_ids().filter(|id| !called[id.index()]).collect()
    }
}

impl Node {
    pub fn equation(&self, id: EquationId) -> &Equation {
        &self.equations[id.index()]
    }

    pub fn var(&self, id: VarId) -> &Var {
        &self.vars[id.index()]
    }

    pub fn call(&self, id: CallId) -> &Call {
        &self.calls[id.index()]
    }

    pub fn choice(&self, id: ChoiceId) -> &Choice {
        &self.choices[id.index()]
    }

    pub fn bound(&self, id: BoundId) -> &BoundVar {
        &self.bounds[id.index()]
    }

    pub fn var_ids(&self) -> impl Iterator<Item = VarId> + use<> {
        (0..self.vars.len() as u32).map(VarId)
    }

    pub fn call_ids(&self) -> impl Iterator<Item = CallId> + use<> {
        (0..self.calls.len() as u32).map(CallId)
    }

    /// The calls that run: all of them, or, without a body, those of the
    /// contract.
    pub fn live_calls(&self) -> impl Iterator<Item = CallId> + '_ {
        let live = |id: &CallId| self.has_body || self.call(*id).in_contract;
        self.call_ids().filter(live)
    }
}
