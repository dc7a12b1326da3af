//! The parts of a program that definitions and constraints come from.

use std::collections::HashMap;

use lang::{CallId, Clause, Fault, Import, Mode, Node, NodeId, Program, VarClass, VarId};
use syntax::{SourceMap, Span};
use system::{Element, ElementKind, Var};

/// What an element of the system is in the program. Positions count within the
/// merged contract of the node, or its list of assertions.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Part {
    /// The definition of a stream, also of one of the contract.
    Equation(NodeId, VarId),
    /// That the outputs of a call are those of its node.
    Call(NodeId, CallId),
    /// That an input of the instance is the argument of the call, by its
    /// position. The node is the caller.
    Binding(NodeId, CallId, usize),
    Assumption(NodeId, usize),
    Guarantee(NodeId, usize),
    /// What activates a mode.
    Require(NodeId, usize),
    /// A mode and one of the conditions it ensures.
    Ensure(NodeId, usize, usize),
    Assertion(NodeId, usize),
}

impl Part {
    /// The node that the part stands in.
    pub fn node(self) -> NodeId {
        match self {
            Part::Equation(node, _)
            | Part::Call(node, _)
            | Part::Binding(node, ..)
            | Part::Assumption(node, _)
            | Part::Guarantee(node, _)
            | Part::Require(node, _)
            | Part::Ensure(node, ..)
            | Part::Assertion(node, _) => node,
        }
    }

    /// The definition of a stream: what activates a mode is one too.
    pub(crate) fn defining(program: &Program, node: NodeId, var: VarId) -> Part {
        let declared = program.node(node);
        let is_mode = declared.var(var).class == VarClass::Mode;
        let contract = declared.contract.as_ref().filter(|_| is_mode);
        let mut modes = contract.iter().flat_map(|contract| &contract.modes);
        match modes.position(|mode| mode.active == var) {
            Some(mode) => Part::Require(node, mode),
            None => Part::Equation(node, var),
        }
    }

    /// What the part is called and where it stands; `None` if the program has no
    /// such part.
    pub fn describe(self, program: &Program, sources: &SourceMap) -> Option<Element> {
        let node = program.nodes.get(self.node().index())?;
        let contract = node.contract.as_ref();
        let (kind, name, span, weak) = match self {
            Part::Equation(_, var) => match self.fault(node) {
                Some(fault) => {
                    let name = node.var(var).name.to_string();
                    (ElementKind::Fault, name, fault.span, true)
                }
                None => stream(node, var)?,
            },
            Part::Require(_, mode) => stream(node, contract?.modes.get(mode)?.active)?,
            Part::Call(_, call) => {
                let call = node.calls.get(call.index())?;
                let callee = program.node(call.node).name.to_string();
                (ElementKind::Call, callee, call.span, false)
            }
            Part::Binding(_, call, at) => {
                let call = node.calls.get(call.index())?;
                let callee = program.node(call.node);
                let input = callee.var(*callee.inputs.get(at)?).name;
                let name = format!("{}.{input}", callee.name);
                (ElementKind::Binding, name, call.span, false)
            }
            Part::Assumption(_, at) => {
                let clause = contract?.assumptions.get(at)?;
                let name = clause_name(clause, "assume", sources);
                (ElementKind::Assumption, name, clause.span, clause.weak)
            }
            Part::Guarantee(_, at) => {
                let clause = contract?.guarantees.get(at)?;
                let name = clause_name(clause, "guarantee", sources);
                (ElementKind::Guarantee, name, clause.span, clause.weak)
            }
            Part::Ensure(_, mode, at) => {
                let mode = contract?.modes.get(mode)?;
                let clause = mode.ensures.get(at)?;
                let name = ensure_name(mode, clause, sources);
                (ElementKind::Ensure, name, clause.span, clause.weak)
            }
            Part::Assertion(_, at) => {
                let span = node.asserts.get(at)?.span;
                (ElementKind::Assertion, "assertion".to_owned(), span, false)
            }
        };
        Some(Element {
            kind,
            name,
            node: node.name.to_string(),
            span,
            weak,
            cost: self.fault(node).map_or(1, |fault| fault.cost),
        })
    }
}

impl Part {
    /// The fault whose absence this is.
    fn fault(self, node: &Node) -> Option<&Fault> {
        match self {
            Part::Equation(_, var) => node.faults.iter().find(|fault| fault.flag == var),
            _ => None,
        }
    }
}

type Description = (ElementKind, String, Span, bool);

fn stream(node: &Node, var: VarId) -> Option<Description> {
    let declared = node.vars.get(var.index())?;
    let equation = declared.def.as_ref().and_then(|def| def.equation);
    let span = equation.map_or(declared.span, |id| node.equation(id).span);
    let kind = match declared.class {
        VarClass::Mode => ElementKind::Require,
        VarClass::Ghost => ElementKind::Ghost,
        // An argument of an import.
        VarClass::ContractInput => ElementKind::Binding,
        _ => ElementKind::Equation,
    };
    Some((kind, declared.name.to_string(), span, false))
}

/// The name of a clause of a contract as an element.
pub fn clause_name(clause: &Clause, kind: &str, sources: &SourceMap) -> String {
    let weakly = if clause.weak { "weakly_" } else { "" };
    named(clause, &format!("{weakly}{kind}"), sources)
}

/// A clause by its own name, or by what it is and where; with the contracts that
/// it is imported through.
pub(crate) fn named(clause: &Clause, kind: &str, sources: &SourceMap) -> String {
    let scope = scope(&clause.scope, sources);
    match &clause.name {
        Some(name) => format!("{scope}{name}"),
        None => format!("{scope}{kind}{}", position(clause.span, sources)),
    }
}

pub(crate) fn ensure_name(mode: &Mode, clause: &Clause, sources: &SourceMap) -> String {
    let scope = scope(&mode.scope, sources);
    match &clause.name {
        Some(name) => format!("{scope}{name}"),
        None => {
            let position = position(clause.span, sources);
            format!("{scope}{}.ensure{position}", mode.name)
        }
    }
}

pub(crate) fn scope(scope: &[Import], sources: &SourceMap) -> String {
    let parts = scope.iter();
    parts
        .map(|import| format!("{}{}.", import.contract, position(import.span, sources)))
        .collect()
}

pub(crate) fn position(span: Span, sources: &SourceMap) -> String {
    let position = sources.position(span);
    format!("[l{}c{}]", position.line, position.column)
}

/// The calls on the way from the top node to an instance. The instances of a
/// call in an array definition are in one place.
pub type Place = Vec<CallId>;

/// Where the definitions and constraints of the tagged system stand: in an
/// instance of the node of their part.
#[derive(Clone, Default, Debug)]
pub struct Places {
    pub(crate) instances: Vec<Place>,
    /// By their instances.
    pub(crate) streams: HashMap<Var, usize>,
    pub(crate) constraints: HashMap<usize, usize>,
}

impl Places {
    /// Of a stream's definition. That of the input of an instance stands in the
    /// caller, like the binding that it is.
    pub fn stream(&self, var: Var) -> Option<&Place> {
        self.streams.get(&var).map(|at| &self.instances[*at])
    }

    /// Of a constraint, by its position; `None` for one without an element.
    pub fn constraint(&self, at: usize) -> Option<&Place> {
        self.constraints.get(&at).map(|at| &self.instances[*at])
    }
}
