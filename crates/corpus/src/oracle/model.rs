//! Programs of the oracle: an abstract syntax of its own, for finite-state Lustre.
//!
//! Nothing here is shared with the front end of Kindred: a program is made as this tree,
//! printed as Lustre for the checker, and evaluated as it is by the oracle.

/// A value of any type: `false` is 0 and `true` is 1, a value of an enumeration is its
/// place, and an array or a record has its parts.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Value {
    Scalar(i64),
    Parts(Vec<Value>),
}

impl Value {
    pub fn scalar(&self) -> i64 {
        match self {
            Value::Scalar(number) => *number,
            Value::Parts(_) => unreachable!("a scalar is wanted"),
        }
    }

    pub fn is_true(&self) -> bool {
        self.scalar() != 0
    }

    pub fn parts(&self) -> &[Value] {
        match self {
            Value::Parts(parts) => parts,
            Value::Scalar(_) => unreachable!("a structured value is wanted"),
        }
    }
}

impl From<bool> for Value {
    fn from(truth: bool) -> Value {
        Value::Scalar(i64::from(truth))
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Type {
    Bool,
    /// By its place in [`Program::enums`].
    Enum(usize),
    Int,
    Range(i64, i64),
    /// `int8` or `uint8`.
    Machine(Sign),
    Array(Box<Type>, usize),
    /// By its place in [`Program::records`].
    Record(usize),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sign {
    Signed,
    Unsigned,
}

/// What arithmetic is done on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Number {
    Int,
    Machine(Sign),
}

pub type VarId = usize;
pub type NodeId = usize;
/// A `pre` of a node: its place in [`Node::memories`].
pub type MemoryId = usize;
/// A call of a node: its place in [`Node::calls`].
pub type CallId = usize;

#[derive(Clone, Debug, PartialEq)]
pub enum Expr {
    Literal(Type, Value),
    Var(VarId),
    Not(Box<Expr>),
    Negative(Number, Box<Expr>),
    Logic(Logic, Box<Expr>, Box<Expr>),
    Compare(Comparison, Box<Expr>, Box<Expr>),
    Arithmetic(Number, Operator, Box<Expr>, Box<Expr>),
    Convert(Number, Box<Expr>),
    AtMostOne(Vec<Expr>),
    Nor(Vec<Expr>),
    If(Box<Expr>, Box<Expr>, Box<Expr>),
    /// `a -> b`.
    Arrow(Box<Expr>, Box<Expr>),
    /// `pre e`.
    Pre(MemoryId),
    /// `a fby e`.
    Fby(Box<Expr>, MemoryId),
    Array(Vec<Expr>),
    /// `e ^ n`.
    Fill(Box<Expr>, usize),
    Record(usize, Vec<Expr>),
    Index(Box<Expr>, Box<Expr>),
    Field(usize, Box<Expr>, usize),
    UpdateIndex(Box<Expr>, Box<Expr>, Box<Expr>),
    UpdateField(usize, Box<Expr>, usize, Box<Expr>),
    /// `forall` or `exists` over the indices of an array of Booleans.
    All(Box<Expr>, usize),
    Any(Box<Expr>, usize),
    /// The only output of a call.
    Call(CallId),
    /// A branch for each value of a clock: `false` before `true`.
    Merge(VarId, Type, Vec<Branch>),
    /// `::mode`, in a contract.
    InMode(usize),
}

#[derive(Clone, Debug, PartialEq)]
pub enum Branch {
    Plain(Expr),
    /// `e when clock`: sampled, and computed at every step.
    When(Expr),
    /// `(activate n every clock)(…)`, or a plain call: it runs on the clock.
    Active(CallId),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Logic {
    And,
    Or,
    Xor,
    Implies,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Comparison {
    Equal,
    NotEqual,
    Less,
    AtMost,
    Greater,
    AtLeast,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operator {
    Add,
    Sub,
    Mul,
    /// The divisor is a literal other than zero.
    Div,
    Mod,
}

#[derive(Clone, Debug)]
pub struct Var {
    pub name: String,
    pub ty: Type,
    pub class: Class,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Class {
    Input,
    Output,
    Local,
    /// A stream of the contract.
    Ghost,
}

/// What a stream is.
#[derive(Clone, Debug)]
pub enum Definition {
    Input,
    /// An output that no equation defines: any value, at each step anew.
    Open,
    Is(Expr),
    /// One of the outputs of a call that has several.
    OutputOf(CallId, usize),
}

#[derive(Clone, Debug)]
pub struct Memory {
    pub operand: Expr,
    pub ty: Type,
    /// It is of the contract, not of the body.
    pub in_contract: bool,
}

/// How a call is written that runs when a clock holds, with values before that.
#[derive(Clone, Debug, PartialEq)]
pub enum Style {
    Condact,
    Activate,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Call {
    pub node: NodeId,
    pub args: Vec<Expr>,
    pub clock: Option<Clock>,
    pub restart: Option<Expr>,
}

#[derive(Clone, Debug, PartialEq)]
pub enum Clock {
    /// With default values for the outputs until the first tick.
    Held(Style, Expr, Vec<Expr>),
    /// The clock of a branch of `merge`: the variable has this value. `true` if it is
    /// written as an `activate`.
    Branch(VarId, Type, usize, bool),
}

#[derive(Clone, Debug)]
pub struct Property {
    pub expr: Expr,
    pub kind: PropertyKind,
}

#[derive(Clone, Debug)]
pub enum PropertyKind {
    Invariant,
    Provided(Expr),
    Reachable {
        from: Option<usize>,
        within: Option<usize>,
    },
}

#[derive(Clone, Debug)]
pub struct Mode {
    pub name: String,
    pub requires: Vec<Expr>,
    pub ensures: Vec<Expr>,
}

#[derive(Clone, Debug, Default)]
pub struct Contract {
    pub assumptions: Vec<Expr>,
    pub guarantees: Vec<Expr>,
    pub modes: Vec<Mode>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Node,
    Function,
    Imported,
}

#[derive(Clone, Debug)]
pub struct Node {
    pub name: String,
    pub kind: Kind,
    pub vars: Vec<Var>,
    /// Of each variable.
    pub definitions: Vec<Definition>,
    pub memories: Vec<Memory>,
    pub calls: Vec<Call>,
    pub assertions: Vec<Expr>,
    pub properties: Vec<Property>,
    pub contract: Option<Contract>,
}

impl Node {
    pub fn of_class(&self, class: Class) -> impl Iterator<Item = VarId> + '_ {
        let ids = self.vars.iter().enumerate();
        ids.filter(move |(_, var)| var.class == class)
            .map(|(id, _)| id)
    }

    pub fn has_body(&self) -> bool {
        self.kind != Kind::Imported
    }
}

#[derive(Clone, Debug)]
pub struct Record {
    pub name: String,
    pub fields: Vec<(String, Type)>,
}

#[derive(Clone, Debug)]
pub struct Enumeration {
    pub name: String,
    pub values: Vec<String>,
}

/// Callees come before their callers; the last node is the top.
#[derive(Clone, Debug)]
pub struct Program {
    pub enums: Vec<Enumeration>,
    pub records: Vec<Record>,
    pub nodes: Vec<Node>,
}

impl Program {
    pub fn top(&self) -> NodeId {
        self.nodes.len() - 1
    }

    /// How many values a type has; `None` if there is no end of them.
    pub fn size(&self, ty: &Type) -> Option<usize> {
        match ty {
            Type::Bool => Some(2),
            Type::Enum(id) => Some(self.enums[*id].values.len()),
            Type::Int => None,
            Type::Range(low, high) => usize::try_from(high - low + 1).ok(),
            Type::Machine(_) => Some(256),
            Type::Array(element, count) => self.size(element)?.checked_pow(*count as u32),
            Type::Record(id) => {
                let fields = self.records[*id].fields.iter();
                fields.map(|(_, ty)| self.size(ty)).product()
            }
        }
    }

    /// The value of a type with this number.
    pub fn value(&self, ty: &Type, mut number: usize) -> Value {
        let mut part = |ty: &Type| {
            let size = self.size(ty).unwrap_or(1);
            let part = self.value(ty, number % size);
            number /= size;
            part
        };
        match ty {
            Type::Bool | Type::Enum(_) | Type::Int => Value::Scalar(number as i64),
            Type::Range(low, _) => Value::Scalar(low + number as i64),
            Type::Machine(Sign::Unsigned) => Value::Scalar(number as i64),
            Type::Machine(Sign::Signed) => Value::Scalar(number as i64 - 128),
            Type::Array(element, count) => {
                Value::Parts((0..*count).map(|_| part(element)).collect())
            }
            Type::Record(id) => {
                let fields = self.records[*id].fields.iter();
                Value::Parts(fields.map(|(_, ty)| part(ty)).collect())
            }
        }
    }
}
