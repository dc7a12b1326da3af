//! The program of a mutant, for the interpreter.

use std::sync::Arc;

use lang::{Choice, ChoiceId, ChoiceKind, ExprKind, Node, Program};
use lower::{ChoiceKey, Part, Shape, VariedStream};

use super::{Change, Mutant};
use crate::weaken::detach_argument;

/// The program of a mutant, with the choices that stand for removed definitions.
pub struct Mutated {
    pub program: Program,
    /// The choices of removed parts.
    opened: Vec<(Part, ChoiceId)>,
}

impl Mutated {
    pub fn new(program: &Program, mutant: &Mutant) -> Mutated {
        let mut changed = Mutated {
            program: program.clone(),
            opened: Vec::new(),
        };
        for change in &mutant.changes {
            changed.apply(program, change);
        }
        changed
    }

    fn apply(&mut self, original: &Program, change: &Change) {
        let node = Arc::make_mut(&mut self.program.nodes[change.part.node().index()]);
        match (&change.expr, change.part) {
            (Some(expr), Part::Equation(_, var)) => {
                if let Some(def) = &mut node.vars[var.index()].def {
                    def.expr = expr.clone();
                }
            }
            (Some(expr), Part::Binding(_, call, at)) => {
                node.calls[call.index()].args[at] = expr.clone();
            }
            (None, Part::Equation(_, var)) => {
                let choice = open_definition(node, var);
                self.opened
                    .extend(choice.map(|choice| (change.part, choice)));
            }
            (None, Part::Binding(_, call, at)) => {
                detach_argument(original, node, call, at);
                let choice = ChoiceId(node.choices.len() as u32 - 1);
                self.opened.push((change.part, choice));
            }
            _ => {}
        }
    }

    /// The values of the choices that stand for removed definitions.
    pub(crate) fn choices<'s>(
        &self,
        streams: &'s [VariedStream],
    ) -> impl Iterator<Item = (ChoiceKey, &'s Shape)> {
        let found = streams.iter().filter_map(|stream| {
            let mut opened = self.opened.iter();
            let (_, choice) = opened.find(|(part, _)| *part == stream.part)?;
            let key = ChoiceKey {
                path: stream.path.clone(),
                choice: *choice,
                indices: stream.indices.clone(),
            };
            Some((key, &stream.shape))
        });
        found.collect::<Vec<_>>().into_iter()
    }
}

/// Replaces the right-hand side by a choice, one for each element of an array.
fn open_definition(node: &mut Node, var: lang::VarId) -> Option<ChoiceId> {
    let choice = ChoiceId(node.choices.len() as u32);
    let declared = &mut node.vars[var.index()];
    let def = declared.def.as_mut()?;
    let ty = match def.indices.is_empty() {
        true => declared.ty.clone(),
        false => def.expr.ty.clone(),
    };
    def.expr.kind = ExprKind::Choice(choice);
    node.choices.push(Choice {
        kind: ChoiceKind::Undefined(var),
        ty,
        indices: def.indices.clone(),
        span: declared.span,
    });
    Some(choice)
}
