//! The game of a contract: from a node without a body to an [`Arena`].

use std::collections::HashSet;
use std::sync::Arc;

use game::{Arena, Memory};
use lang::{ChoiceKind, NodeId, Program};
use lower::{Check, LowerOptions, Lowered};
use syntax::SourceMap;
use system::{PropertyKind, Role, Term, Var};

/// The game of a contract, and what its guarantees are in the model.
pub struct Rules {
    pub lowered: Lowered,
    pub arena: Arena,
    /// For each guarantee of the game the clauses that it comes from.
    pub clauses: Vec<Clause>,
    /// Assumptions depend on what a node without a body gives, as if the environment picked it:
    /// the environment may win only because of that.
    pub generous: bool,
}

/// Where a guarantee of a game comes from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Clause {
    Guarantee(usize),
    /// A mode, and one of the conditions that it ensures.
    Ensure(usize, usize),
    /// The type of an output.
    Range,
}

/// Why there is no game.
#[derive(Debug)]
pub enum Obstacle {
    /// The contract depends on what a node without a body, or with an open one, gives.
    OpenCall(String),
    Unsupported(String),
}

/// The game of a node without a body against its environment.
pub fn of_imported(
    program: &Program,
    sources: &SourceMap,
    top: NodeId,
    options: &LowerOptions,
) -> Result<Rules, Obstacle> {
    let options = LowerOptions {
        subproperties: false,
        reach: false,
        nonvacuity: false,
        all_streams: true,
        ..options.clone()
    };
    let lowered = lower::lower(program, sources, top, &options);
    let lowered = lowered.map_err(|why| Obstacle::Unsupported(why.0))?;
    let (mut outputs, mut open): (HashSet<Var>, HashSet<Var>) = Default::default();
    let mut open_node = None;
    for (key, shape) in &lowered.choices {
        let own = key.path.is_empty();
        let node = key
            .path
            .iter()
            .fold(top, |node, step| program.node(node).call(step.call).node);
        let choice = program.node(node).choice(key.choice);
        match choice.kind {
            ChoiceKind::Imported(_) if own => {
                let leaves = shape.leaves().into_iter();
                outputs.extend(leaves.flat_map(|(leaf, _)| leaf.vars()));
            }
            ChoiceKind::Pre | ChoiceKind::Inactive(..) => {}
            _ => {
                let leaves = shape.leaves().into_iter();
                open.extend(leaves.flat_map(|(leaf, _)| leaf.vars()));
                open_node = Some(program.node(node).name.to_string());
            }
        }
    }
    let system = Arc::new(lowered.system.clone());
    let variable = |var: Var| system::var(var, system.var(var).sort.clone());
    let mentions_output = |term: &Term| term.vars().iter().any(|var| outputs.contains(var));
    let (mut assumptions, mut guarantees, mut clauses) = (Vec::new(), Vec::new(), Vec::new());
    for constraint in &system.constraints {
        match mentions_output(&constraint.term) {
            true => {
                guarantees.push(constraint.term.clone());
                clauses.push(Clause::Range);
            }
            false => assumptions.push(constraint.term.clone()),
        }
    }
    for (property, origin) in system.properties.iter().zip(&lowered.origins) {
        let clause = match origin.check {
            Check::Guarantee(at) => Clause::Guarantee(at),
            Check::Ensure(mode, at) => Clause::Ensure(mode, at),
            _ => continue,
        };
        if property.kind == PropertyKind::Invariant {
            guarantees.push(property.term.clone());
            clauses.push(clause);
        }
    }
    let (mut memory, mut inputs, mut picked) = (Vec::new(), Vec::new(), Vec::new());
    for (at, declared) in system.vars.iter().enumerate() {
        let var = Var(at as u32);
        match declared.role {
            Role::State => match &declared.next {
                Some(next) => memory.push(Memory {
                    var: variable(var),
                    init: declared.init.clone(),
                    next: next.clone(),
                }),
                None => inputs.push(variable(var)),
            },
            Role::Input if outputs.contains(&var) => picked.push(variable(var)),
            Role::Input => inputs.push(variable(var)),
            Role::Constant | Role::Stream => {}
        }
    }
    let arena = Arena {
        system: system.clone(),
        memory,
        inputs,
        outputs: picked,
        assumptions,
        guarantees,
    };
    let generous = open_node.is_some();
    if let Some(name) = open_node {
        let mut promised = arena.clone();
        promised.assumptions.clear();
        let promised = promised.sliced();
        let mut needed = promised.inputs.iter().flat_map(Term::vars);
        if needed.any(|var| open.contains(&var)) {
            return Err(Obstacle::OpenCall(name));
        }
    }
    Ok(Rules {
        lowered,
        arena: arena.sliced(),
        clauses,
        generous,
    })
}
