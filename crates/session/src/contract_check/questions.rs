//! What is checked of a model, and how it is called.

use std::collections::BTreeSet;

use analysis::below;
use lang::{NodeId, Program};

/// What is checked of a node.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Check {
    /// The contract of a node without a body.
    Imported,
    /// The contract of a node with a body, which is not looked at.
    Defined,
    /// What a `--%REALIZABLE` annotation asks.
    Annotated,
    /// The environment of a node.
    Environment,
}

#[derive(Clone, Copy)]
pub(super) struct Question {
    pub node: NodeId,
    pub check: Check,
}

/// All that is checked: contracts of nodes without a body and annotated nodes; contracts of other
/// nodes and environments if they are asked for.
pub(super) fn questions(program: &Program, tops: &[NodeId], environments: bool) -> Vec<Question> {
    let mut all = Vec::new();
    for id in in_order(program, tops) {
        let node = program.node(id);
        let mut ask = |check| all.push(Question { node: id, check });
        match (&node.realizable, node.has_body) {
            (Some(_), _) => ask(Check::Annotated),
            (None, false) => {
                ask(Check::Imported);
                if environments {
                    ask(Check::Environment);
                }
            }
            (None, true) if environments => {
                if node.contract.is_some() {
                    ask(Check::Environment);
                }
                ask(Check::Defined);
            }
            (None, true) => {}
        }
    }
    all
}

/// The nodes at and below the top nodes, in the order of the source, but callers before those
/// whom their contracts call.
fn in_order(program: &Program, tops: &[NodeId]) -> Vec<NodeId> {
    let calls = |id: NodeId| below(program, id, &BTreeSet::new());
    let mut all: BTreeSet<NodeId> = tops.iter().copied().collect();
    all.extend(tops.iter().flat_map(|top| calls(*top)));
    let contracts = |id: NodeId| below(program, id, &BTreeSet::from([id]));
    let calls = |id: NodeId| match program.node(id).has_body {
        true => BTreeSet::new(),
        false => contracts(id),
    };
    let mut open: Vec<NodeId> = all.into_iter().collect();
    open.sort_by_key(|id| program.node(*id).span.start);
    let mut ordered = Vec::new();
    while !open.is_empty() {
        let is_called = |id: NodeId| open.iter().any(|other| calls(*other).contains(&id));
        // Calls have no cycles, so that there is always one that no other calls.
        let next = open.iter().position(|id| !is_called(*id)).unwrap_or(0);
        ordered.push(open.remove(next));
    }
    ordered
}

/// What is checked, in words.
#[derive(Clone)]
pub(super) struct Subject {
    pub top: String,
    /// At the beginning of a sentence.
    pub first: String,
    pub inside: String,
    /// In the head of the check.
    pub head: String,
    /// The name of what keeps the conflicting clauses.
    pub owner: String,
}

impl Subject {
    pub fn of(program: &Program, question: Question) -> Subject {
        let node = program.node(question.node);
        let top = node.name.to_string();
        let (first, inside, head) = match question.check {
            Check::Imported => (
                "Contract of node",
                "the contract of",
                "contract of imported node",
            ),
            Check::Defined => ("Contract of", "the contract of", "contract of"),
            Check::Annotated => ("Contract of node", "the contract of", "contract of node"),
            Check::Environment => ("Environment of", "the environment of", "environment of"),
        };
        let owner = match question.check {
            Check::Environment => format!("Environment of {top}"),
            _ => top.clone(),
        };
        Subject {
            first: format!("{first} {top}"),
            inside: format!("{inside} {top}"),
            head: format!("{head} {top}"),
            owner,
            top,
        }
    }
}
