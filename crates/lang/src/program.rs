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

use crate::runtime::RuntimeCheck;
use crate::types::*;
use crate::value::Value;

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
    /// Has a body in the source, but its contract stands for it: there is none
    /// here.
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
    /// Those whose equations are in question, by an annotation.
    pub questioned: Vec<VarId>,
    pub faults: Vec<Fault>,
    pub properties: Vec<Property>,
    pub contract: Option<Contract>,
    /// For each output, the inputs that it depends on within a step. The
    /// outputs of imported nodes depend on nothing: they are choices.
    pub output_deps: Vec<Vec<VarId>>,
    /// Those of `output_deps` that reach the output otherwise than by choosing
    /// between branches.
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
    /// "This mode is active."
    Mode,
}

#[derive(Clone, Debug)]
pub struct Var {
    pub name: Symbol,
    pub ty: Type,
    pub class: VarClass,
    pub span: Span,
    pub def: Option<Def>,
    /// For streams whose branches are chosen by their own value.
    pub looped: Option<ChoiceId>,
}

/// The definition of one stream. With indices it defines every element of an
/// array: `A[i][j] = expr`.
#[derive(Clone, Debug)]
pub struct Def {
    pub indices: Vec<BoundId>,
    pub expr: Expr,
    /// `None` for what the checker made up.
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
    /// What passes between a call and its caller, where that was taken away, at
    /// every step.
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

/// A way to fail. Its flag is `false` unless that definition is taken away.
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
    /// Set if no one wrote it: an operation does not go wrong here.
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

#[derive(Clone, PartialEq, Debug)]
pub struct Expr {
    pub kind: ExprKind,
    pub ty: Type,
    pub span: Span,
}

#[derive(Clone, PartialEq, Debug)]
pub enum ExprKind {
    Value(Value),
    Var(VarId),
    Const(ConstId),
    Bound(BoundId),
    Choice(ChoiceId),
    Unary(UnOp, Box<Expr>),
    Binary(BinOp, Box<Expr>, Box<Expr>),
    If(Box<Expr>, Box<Expr>, Box<Expr>),
    /// The branch of the clock's value; there is one for each value.
    Merge(Box<Expr>, Vec<(Value, Expr)>),
    Arrow(Box<Expr>, Box<Expr>),
    /// The choice is the value at the first step, unless no one can see it.
    Pre(Box<Expr>, Option<ChoiceId>),
    /// To the type of the expression.
    Convert(Box<Expr>),
    AtMostOne(Vec<Expr>),
    /// A record or a tuple.
    Fields(Vec<Expr>),
    Array(Vec<Expr>),
    /// The same element as often as the type says.
    Fill(Box<Expr>),
    Field(Box<Expr>, usize),
    Index(Box<Expr>, Box<Expr>),
    Update(Box<Expr>, Vec<Step>, Box<Expr>),
    Quantified(Quantifier, Vec<BoundId>, Box<Expr>),
    /// An output of a call.
    Call(CallId, usize),
}

pub use syntax::ast::Quantifier;

/// A step into a structured value.
#[derive(Clone, PartialEq, Debug)]
pub enum Step {
    Field(usize),
    Index(Expr),
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum UnOp {
    Not,
    Neg,
    BitNot,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum BinOp {
    And,
    Or,
    Xor,
    Implies,
    Eq,
    Neq,
    Lt,
    Le,
    Gt,
    Ge,
    Add,
    Sub,
    Mul,
    /// On `int` and machine integers, `div`.
    Div,
    Mod,
    BitAnd,
    BitOr,
    Lsh,
    Rsh,
}

impl Expr {
    /// How many operators and operands it is made of.
    pub fn operators(&self) -> usize {
        let mut count = 1;
        self.for_each_part(|part| count += part.operators());
        count
    }

    /// Do the two compute the same, wherever they stand in the source?
    pub fn same_as(&self, other: &Expr) -> bool {
        fn all(a: &[Expr], b: &[Expr]) -> bool {
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| a.same_as(b))
        }
        use ExprKind::*;
        match (&self.kind, &other.kind) {
            (Unary(f, a), Unary(g, b)) => f == g && a.same_as(b),
            (Binary(f, a, b), Binary(g, c, d)) => f == g && a.same_as(c) && b.same_as(d),
            (If(a, b, c), If(d, e, f)) => a.same_as(d) && b.same_as(e) && c.same_as(f),
            (Arrow(a, b), Arrow(c, d)) | (Index(a, b), Index(c, d)) => a.same_as(c) && b.same_as(d),
            (Pre(a, i), Pre(b, j)) => i == j && a.same_as(b),
            (Convert(a), Convert(b)) | (Fill(a), Fill(b)) => self.ty == other.ty && a.same_as(b),
            (AtMostOne(a), AtMostOne(b)) | (Fields(a), Fields(b)) | (Array(a), Array(b)) => {
                self.ty == other.ty && all(a, b)
            }
            (Field(a, i), Field(b, j)) => i == j && a.same_as(b),
            (Update(..) | Quantified(..) | Merge(..), _) => false,
            // Expressions of two kinds.
            (Unary(..) | Binary(..) | If(..) | Arrow(..) | Pre(..) | Convert(..), _) => false,
            (AtMostOne(_) | Fields(_) | Array(_) | Fill(_) | Field(..) | Index(..), _) => false,
            (a @ (Value(_) | Var(_) | Const(_) | Bound(_) | Choice(_) | Call(..)), b) => a == b,
        }
    }

    /// Feeds a hasher with what [`Expr::same_as`] compares, or less.
    pub fn hash_shape(&self, state: &mut impl std::hash::Hasher) {
        use std::hash::Hash;
        std::mem::discriminant(&self.kind).hash(state);
        match &self.kind {
            ExprKind::Value(value) => value.hash(state),
            ExprKind::Var(id) => id.hash(state),
            ExprKind::Const(id) => id.hash(state),
            ExprKind::Bound(id) => id.hash(state),
            ExprKind::Call(id, at) => (id, at).hash(state),
            ExprKind::Unary(op, _) => op.hash(state),
            ExprKind::Binary(op, ..) => op.hash(state),
            ExprKind::Pre(_, choice) => choice.hash(state),
            ExprKind::Choice(_)
            | ExprKind::If(..)
            | ExprKind::Merge(..)
            | ExprKind::Arrow(..)
            | ExprKind::Convert(_)
            | ExprKind::AtMostOne(_)
            | ExprKind::Fields(_)
            | ExprKind::Array(_)
            | ExprKind::Fill(_)
            | ExprKind::Field(..)
            | ExprKind::Index(..)
            | ExprKind::Update(..)
            | ExprKind::Quantified(..) => {}
        }
        self.for_each_part(|part| part.hash_shape(state));
    }
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

    /// How the type is written.
    pub fn type_name(&self, ty: &Type) -> String {
        match ty {
            Type::Bool => "bool".to_owned(),
            Type::Int => "int".to_owned(),
            Type::Real => "real".to_owned(),
            Type::Range(range) => range.to_string(),
            Type::Machine(machine) => machine.to_string(),
            Type::Enum(id) => self.enumeration(*id).name.to_string(),
            Type::Record(id) => self.record(*id).name.to_string(),
            Type::Abstract(id) => self.abstract_types[id.0 as usize].to_string(),
            Type::Tuple(parts) => {
                let parts: Vec<String> = parts.iter().map(|part| self.type_name(part)).collect();
                format!("[{}]", parts.join(", "))
            }
            Type::Array(array) => {
                let size = match array.size.value() {
                    Some(size) => size.to_string(),
                    None => self.size_name(&array.size),
                };
                format!("{}^{size}", self.type_name(&array.element))
            }
            Type::Unknown => "?".to_owned(),
        }
    }

    fn size_name(&self, size: &Size) -> String {
        let mut text = String::new();
        for (product, factor) in size.terms() {
            let mut parts: Vec<String> = product
                .iter()
                .map(|atom| match atom {
                    SizeAtom::Const(id) => self.constant(*id).name.to_string(),
                    SizeAtom::Var(_) => "n".to_owned(),
                })
                .collect();
            if *factor != 1.into() || parts.is_empty() {
                parts.insert(0, factor.to_string());
            }
            if !text.is_empty() {
                text.push_str(" + ");
            }
            text.push_str(&parts.join(" * "));
        }
        format!("({text})")
    }

    /// How many scalars a value of the type holds, if its sizes are known.
    pub fn scalars(&self, ty: &Type) -> Option<u64> {
        let sum = |sum: u64, ty: &Type| Some(sum.saturating_add(self.scalars(ty)?));
        match ty {
            Type::Tuple(parts) => parts.iter().try_fold(0, sum),
            Type::Record(id) => {
                let mut fields = self.record(*id).fields.iter();
                fields.try_fold(0, |count, (_, ty)| sum(count, ty))
            }
            Type::Array(array) => {
                let element = self.scalars(&array.element)?;
                Some(element.saturating_mul(array.size.known()?))
            }
            _ => Some(1),
        }
    }

    /// The value that a stream of the type has when nothing else is said:
    /// `false`, zero, the first value of an enumeration, the value of a
    /// subrange that is nearest to zero.
    pub fn default_value(&self, ty: &Type, size: &impl Fn(&Size) -> usize) -> Value {
        match ty {
            Type::Bool | Type::Unknown => Value::Bool(false),
            Type::Int => Value::int(0),
            Type::Range(range) => Value::Int(range.nearest_to_zero()),
            Type::Real => Value::Real(Default::default()),
            Type::Machine(machine) => Value::Machine(*machine, 0),
            Type::Enum(id) => Value::Enum(*id, 0),
            Type::Abstract(_) => Value::Abstract(0.into()),
            Type::Tuple(parts) => {
                Value::Fields(parts.iter().map(|t| self.default_value(t, size)).collect())
            }
            Type::Record(id) => {
                let fields = self.record(*id).fields.iter();
                Value::Fields(fields.map(|(_, t)| self.default_value(t, size)).collect())
            }
            Type::Array(array) => {
                let element = self.default_value(&array.element, size);
                Value::Array(vec![element; size(&array.size)].into())
            }
        }
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
