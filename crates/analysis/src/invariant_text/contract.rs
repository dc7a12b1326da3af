//! Invariants as a contract of their node.
//!
//! A contract sees the inputs and outputs of its node. Other values in an invariant, local streams
//! and memory, are defined again as ghost variables of the contract where that is possible; a ghost
//! variable has the value of its original at every step.

use std::collections::{BTreeSet, HashSet};
use std::fmt::Write;

use lang::{NodeId, Program, VarClass};
use lower::{Leaf, Lowered};
use syntax::ast::ExprKind;
use syntax::{SourceMap, Symbol, print};
use system::Term;

use super::streams::{self, Stream};
use super::writer::LustreWriter;
use super::{ContractText, Invariant, build};

/// The invariants that can be written in a contract; `None` if there are none.
pub(super) fn contract(
    program: &Program,
    sources: &SourceMap,
    top: NodeId,
    lowered: &Lowered,
    invariants: &[Invariant],
) -> ContractText {
    let mut writer = super::writer(program, sources, lowered, super::Seen::Interface);
    let inside = streams::streams(program, sources, lowered, super::Seen::Bodies);
    let mut ghosts = ghosts(program, top, &writer, inside.into_values().collect());
    writer.ghosts = ghosts.iter().map(|g| (g.term.id(), g.name)).collect();
    keep_definable(&mut writer, &mut ghosts);
    let mut guarantees = Vec::new();
    let mut used = BTreeSet::new();
    for invariant in invariants {
        writer.used.clear();
        if let Some(expr) = writer.invariant(&invariant.term) {
            used.append(&mut writer.used);
            guarantees.push((invariant.k, print::expr(&expr)));
        }
    }
    let node = program.node(top).name;
    let mut contract = ContractText {
        name: format!("{node}_invariants"),
        text: String::new(),
        left_out: invariants.len() - guarantees.len(),
        guarantees: guarantees.len(),
    };
    if !guarantees.is_empty() {
        let variables = variables(&mut writer, &ghosts, used);
        contract.text = text(program, top, &contract, &variables, &guarantees);
    }
    contract
}

/// A ghost variable: a value of the node that the contract defines again.
struct Ghost {
    name: Symbol,
    term: Term,
    leaf: Leaf,
}

/// Ghost variables for streams that the contract does not see, and for memory of other values.
fn ghosts(
    program: &Program,
    top: NodeId,
    writer: &LustreWriter,
    mut inside: Vec<Stream>,
) -> Vec<Ghost> {
    let node = program.node(top);
    let outside = |class| matches!(class, VarClass::Input { .. } | VarClass::Output);
    let vars = node.vars.iter().filter(|var| outside(var.class));
    let mut taken: HashSet<Symbol> = vars.map(|var| var.name).collect();
    let mut ghosts: Vec<Ghost> = Vec::new();
    let mut known: HashSet<u64> = writer.streams.keys().copied().collect();
    // The top node's own streams keep their names.
    inside.sort_by_key(|stream| {
        let plain = matches!(stream.name.kind, ExprKind::Name(name) if is_word(name.as_str()));
        (!plain, stream.term.id())
    });
    let memory = writer.system.state_vars().filter_map(|(var, declared)| {
        let (term, leaf) = (declared.next.clone()?, *writer.leaves.get(&var)?);
        let name = build::name(Symbol::new("memory"));
        Some(Stream { name, term, leaf })
    });
    for stream in inside.into_iter().chain(memory) {
        if stream.leaf == Leaf::Abstract || !known.insert(stream.term.id()) {
            continue;
        }
        let wanted = word(&print::expr(&stream.name));
        let numbered = (2..).map(|n| Symbol::new(&format!("{wanted}_{n}")));
        let mut names = [Symbol::new(&wanted)].into_iter().chain(numbered);
        let name = names.find(|name| taken.insert(*name));
        ghosts.extend(name.map(|name| Ghost {
            name,
            term: stream.term,
            leaf: stream.leaf,
        }));
    }
    ghosts
}

fn is_word(text: &str) -> bool {
    text.chars().all(|c| c == '_' || c.is_ascii_alphanumeric())
}

/// An identifier made of the text, with `_` for all other characters.
pub(crate) fn word(text: &str) -> String {
    let parts = text.split(|c: char| c != '_' && !c.is_ascii_alphanumeric());
    let parts: Vec<&str> = parts.filter(|part| !part.is_empty()).collect();
    parts.join("_")
}

/// Removes ghosts whose definitions cannot be written, until all can.
fn keep_definable(writer: &mut LustreWriter, ghosts: &mut Vec<Ghost>) {
    loop {
        let count = ghosts.len();
        ghosts.retain(|ghost| writer.definition(&ghost.term).is_some());
        if ghosts.len() == count {
            return;
        }
        writer.ghosts = ghosts.iter().map(|g| (g.term.id(), g.name)).collect();
    }
}

/// The definitions of the ghosts that invariants use, and of those that these definitions use.
fn variables(writer: &mut LustreWriter, ghosts: &[Ghost], used: BTreeSet<u64>) -> Vec<String> {
    let mut known = used.clone();
    let mut open: Vec<u64> = used.into_iter().collect();
    let mut found = Vec::new();
    while let Some(id) = open.pop() {
        let at = ghosts.iter().position(|ghost| ghost.term.id() == id);
        let Some(at) = at else {
            continue;
        };
        let ghost = &ghosts[at];
        writer.used.clear();
        let Some(expr) = writer.definition(&ghost.term) else {
            continue;
        };
        let ty = match ghost.leaf {
            Leaf::Bool => "bool".to_owned(),
            Leaf::Int => "int".to_owned(),
            Leaf::Real => "real".to_owned(),
            Leaf::Machine(machine) => machine.to_string(),
            Leaf::Enum(id) => writer.program.enumeration(id).name.to_string(),
            Leaf::Abstract => continue,
        };
        let text = format!("var {}: {ty} = {};", ghost.name, print::expr(&expr));
        found.push((at, text));
        let more: Vec<u64> = writer.used.iter().copied().collect();
        open.extend(more.into_iter().filter(|id| known.insert(*id)));
    }
    found.sort_unstable();
    found.into_iter().map(|(_, text)| text).collect()
}

fn text(
    program: &Program,
    top: NodeId,
    contract: &ContractText,
    variables: &[String],
    guarantees: &[(usize, String)],
) -> String {
    let node = program.node(top);
    let params = |ids: &[lang::VarId]| {
        let params = ids.iter().map(|id| {
            let var = node.var(*id);
            let word = match var.class {
                VarClass::Input { is_const: true } => "const ",
                _ => "",
            };
            format!("{word}{}: {}", var.name, program.type_name(&var.ty))
        });
        params.collect::<Vec<_>>().join("; ")
    };
    let names = |ids: &[lang::VarId]| {
        let names = ids.iter().map(|id| node.var(*id).name.to_string());
        names.collect::<Vec<_>>().join(", ")
    };
    let (name, owner) = (&contract.name, node.name);
    let (inputs, outputs) = (&node.inputs, &node.outputs);
    let mut text = String::new();
    // Writing to a string does not fail.
    let _ = writeln!(
        text,
        "-- Invariants that the proofs of {owner} need. To check them, import"
    );
    let _ = writeln!(
        text,
        "--   (*@contract import {name}({}) returns ({}); *)",
        names(inputs),
        names(outputs)
    );
    if contract.left_out > 0 {
        let left_out = contract.left_out;
        let _ = writeln!(
            text,
            "-- Left out, as no contract of the node can say them: {left_out}."
        );
    }
    let _ = writeln!(
        text,
        "contract {name}({}) returns ({});\nlet",
        params(inputs),
        params(outputs)
    );
    for variable in variables {
        let _ = writeln!(text, "  {variable}");
    }
    for (k, guarantee) in guarantees {
        let comment = match k {
            1 => String::new(),
            k => format!(" -- k={k}"),
        };
        let _ = writeln!(text, "  guarantee {guarantee};{comment}");
    }
    text.push_str("tel\n");
    text
}
