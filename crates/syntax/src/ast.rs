//! The syntax tree.
//!
//! It keeps what the text says and nothing else: no types, no resolved names.
//! Sugar that only spells a thing differently is gone (parentheses, several
//! names in one declaration, `condact` against `activate … initial default`,
//! JKind's `r{f := e}` against `(r with .f = e)`), so that printing a tree and
//! parsing it again gives the same tree.

use num_bigint::BigInt;
use num_rational::BigRational;

pub use crate::operator::{BinaryOp, UnaryOp};
use crate::source::Span;
use crate::symbol::Symbol;

/// A name at a place.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Ident {
    pub name: Symbol,
    pub span: Span,
}

/// The declarations of one file.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Program {
    pub items: Vec<Item>,
}

#[derive(Clone, PartialEq, Debug)]
pub enum Item {
    Include(Text),
    Type(TypeDecl),
    Const(ConstDecl),
    Node(NodeDecl),
    Contract(ContractDecl),
}

/// A string in quotes, as it stands in the source.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Text {
    pub text: String,
    pub span: Span,
}

#[derive(Clone, PartialEq, Debug)]
pub struct TypeDecl {
    pub name: Ident,
    pub def: TypeDef,
    pub span: Span,
}

#[derive(Clone, PartialEq, Debug)]
pub enum TypeDef {
    Abstract,
    Alias(TypeExpr),
    Enum(Vec<Ident>),
    Record(Vec<(Ident, TypeExpr)>),
}

#[derive(Clone, PartialEq, Debug)]
pub struct TypeExpr {
    pub kind: TypeKind,
    pub span: Span,
}

#[derive(Clone, PartialEq, Debug)]
pub enum TypeKind {
    Bool,
    Int,
    Real,
    Machine(Machine),
    /// `subrange [lo, hi] of int`; an open end is `*`.
    Range(Option<Box<Expr>>, Option<Box<Expr>>),
    Named(Symbol),
    Tuple(Vec<TypeExpr>),
    Array {
        element: Box<TypeExpr>,
        size: Box<Expr>,
        /// Written `int[5]`, as JKind does, instead of `int^5`.
        bracketed: bool,
    },
}

/// A machine integer: its sign and its width in bits.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Machine {
    pub signed: bool,
    pub width: u8,
}

impl std::fmt::Display for Machine {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let sign = if self.signed { "" } else { "u" };
        write!(f, "{sign}int{}", self.width)
    }
}

/// `const c = e;`, `const c: t = e;` or the free `const c: t;`.
#[derive(Clone, PartialEq, Debug)]
pub struct ConstDecl {
    pub name: Ident,
    pub ty: Option<TypeExpr>,
    pub value: Option<Expr>,
    pub span: Span,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum NodeKind {
    Node,
    Function,
}

#[derive(Clone, PartialEq, Debug)]
pub struct NodeDecl {
    pub kind: NodeKind,
    pub imported: bool,
    pub name: Ident,
    pub inputs: Vec<Param>,
    pub outputs: Vec<Param>,
    pub contract: Option<Contract>,
    pub locals: Vec<Local>,
    /// `None` for imported nodes, and for functions without a body in JKind's
    /// style.
    pub body: Option<Vec<NodeItem>>,
    pub span: Span,
}

#[derive(Clone, PartialEq, Debug)]
pub struct Param {
    pub name: Ident,
    pub ty: TypeExpr,
    pub is_const: bool,
    pub clock: Option<ClockExpr>,
}

#[derive(Clone, PartialEq, Debug)]
pub enum Local {
    Var(Param),
    Const(ConstDecl),
}

#[derive(Clone, PartialEq, Debug)]
pub struct ContractDecl {
    pub name: Ident,
    pub inputs: Vec<Param>,
    pub outputs: Vec<Param>,
    pub contract: Contract,
    pub span: Span,
}

#[derive(Clone, PartialEq, Debug)]
pub struct Contract {
    pub items: Vec<ContractItem>,
    pub span: Span,
}

#[derive(Clone, PartialEq, Debug)]
pub enum ContractItem {
    Const(ConstDecl),
    Vars {
        vars: Vec<Param>,
        value: Expr,
        span: Span,
    },
    Assume(Clause),
    Guarantee(Clause),
    Mode {
        name: Ident,
        requires: Vec<Clause>,
        ensures: Vec<Clause>,
        span: Span,
    },
    Import {
        contract: Ident,
        args: Vec<Expr>,
        outputs: Vec<Ident>,
        span: Span,
    },
}

/// An assumption, guarantee, requirement or ensured condition.
#[derive(Clone, PartialEq, Debug)]
pub struct Clause {
    pub weak: bool,
    pub name: Option<Text>,
    pub expr: Expr,
    pub span: Span,
}

#[derive(Clone, PartialEq, Debug)]
pub enum NodeItem {
    Equation(Equation),
    Assert {
        expr: Expr,
        span: Span,
    },
    Property(Property),
    Main {
        value: bool,
        span: Span,
    },
    /// `--%IVC x, y;`
    Ivc {
        names: Vec<Ident>,
        span: Span,
    },
    /// `--%REALIZABLE x, y;`
    Realizable {
        names: Vec<Ident>,
        span: Span,
    },
    Fault(Fault),
    If(IfBlock),
    Frame(FrameBlock),
}

impl NodeItem {
    pub fn span(&self) -> Span {
        match self {
            NodeItem::Equation(equation) => equation.span,
            NodeItem::Assert { span, .. }
            | NodeItem::Main { span, .. }
            | NodeItem::Ivc { span, .. }
            | NodeItem::Realizable { span, .. } => *span,
            NodeItem::Fault(fault) => fault.span,
            NodeItem::Property(property) => property.span,
            NodeItem::If(block) => block.span,
            NodeItem::Frame(block) => block.span,
        }
    }
}

/// `--%FAULT stuck cost 3 : level = pre level;`
#[derive(Clone, PartialEq, Debug)]
pub struct Fault {
    pub name: Ident,
    pub cost: Option<u32>,
    pub stream: Ident,
    /// What the stream is while the fault shows; anything if not given.
    pub value: Option<Expr>,
    pub span: Span,
}

#[derive(Clone, PartialEq, Debug)]
pub struct Equation {
    pub left: Vec<Left>,
    pub right: Expr,
    pub span: Span,
}

/// `x`, or `A[i][j]` that defines all elements of `A`.
#[derive(Clone, PartialEq, Debug)]
pub struct Left {
    pub name: Ident,
    pub indices: Vec<Ident>,
}

#[derive(Clone, PartialEq, Debug)]
pub struct Property {
    pub name: Option<Text>,
    pub kind: PropertyKind,
    pub expr: Expr,
    pub span: Span,
}

#[derive(Clone, PartialEq, Debug)]
pub enum PropertyKind {
    Invariant,
    Provided(Expr),
    Reachable {
        from: Option<u64>,
        within: Option<u64>,
    },
}

/// `if c then … elsif c then … else … fi`.
#[derive(Clone, PartialEq, Debug)]
pub struct IfBlock {
    pub branches: Vec<(Expr, Vec<NodeItem>)>,
    pub otherwise: Vec<NodeItem>,
    pub span: Span,
}

/// `frame (x, y) x = e; let … tel`.
#[derive(Clone, PartialEq, Debug)]
pub struct FrameBlock {
    pub vars: Vec<Ident>,
    pub inits: Vec<Equation>,
    pub body: Vec<NodeItem>,
    pub span: Span,
}

#[derive(Clone, PartialEq, Debug)]
pub struct Expr {
    pub kind: ExprKind,
    pub span: Span,
}

#[derive(Clone, PartialEq, Debug)]
pub enum ExprKind {
    Bool(bool),
    Int(BigInt),
    Real(BigRational),
    Name(Symbol),
    /// `::contract::mode`
    ModeRef(Vec<Ident>),
    Unary(UnaryOp, Box<Expr>),
    Binary(BinaryOp, Box<Expr>, Box<Expr>),
    If(Box<Expr>, Box<Expr>, Box<Expr>),
    /// `with c then a else b`: `c` is decided when the program is checked.
    With(Box<Expr>, Box<Expr>, Box<Expr>),
    /// `#(a, b, c)`: at most one holds; `nor(a, b, c)`: none does.
    AtMostOne(Vec<Expr>),
    Nor(Vec<Expr>),
    Quantified(Quantifier, Vec<Param>, Box<Expr>),
    When(Box<Expr>, ClockExpr),
    Current(Box<Expr>),
    Merge(Ident, Vec<(MergeCase, Expr)>),
    Call(Call),
    /// `fby(e, n, d)`: `d` for `n` steps, then `e` as it was `n` steps ago.
    Delay(Box<Expr>, u64, Box<Expr>),
    /// `(a, b)`: a list of values, flattened where it is used.
    List(Vec<Expr>),
    /// `{a, b}`: one value of a tuple type.
    Tuple(Vec<Expr>),
    Array(Vec<Expr>),
    /// `e ^ n`
    Fill(Box<Expr>, Box<Expr>),
    Record(Ident, Vec<(Ident, Expr)>),
    Field(Box<Expr>, Ident),
    /// `e.%n`
    Project(Box<Expr>, u32),
    Index(Box<Expr>, Box<Expr>),
    /// `A[i..j]`, `A[i..j step k]`
    Slice(Box<Expr>, Box<Expr>, Box<Expr>, Option<Box<Expr>>),
    /// `(e with .f[i] = v)`
    Update(Box<Expr>, Vec<Access>, Box<Expr>),
}

/// A call of a node, with its clocks. `every` with `defaults` is `condact`.
#[derive(Clone, PartialEq, Debug)]
pub struct Call {
    pub node: Ident,
    pub args: Vec<Expr>,
    pub every: Option<Box<Expr>>,
    pub defaults: Option<Vec<Expr>>,
    pub restart: Option<Box<Expr>>,
}

#[derive(Clone, PartialEq, Debug)]
pub enum Access {
    Field(Ident),
    Project(u32, Span),
    Index(Expr),
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Quantifier {
    Forall,
    Exists,
}

#[derive(Clone, PartialEq, Debug)]
pub enum ClockExpr {
    On(Ident),
    OnNot(Ident),
    /// `A(c)`: the steps where `c = A`.
    OnValue(Ident, Ident),
    True,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum MergeCase {
    True(Span),
    False(Span),
    Value(Ident),
}

impl MergeCase {
    pub fn span(&self) -> Span {
        match self {
            MergeCase::True(span) | MergeCase::False(span) => *span,
            MergeCase::Value(ident) => ident.span,
        }
    }
}
