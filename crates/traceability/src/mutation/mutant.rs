//! The system of a mutant, as engines take it.

use system::{Constraint, Role, System, Var};

use super::Shared;

/// The system of a mutant, without streams, for some of the properties; `None` if
/// its definitions are circular.
pub(super) fn mutated(shared: &Shared, mutation: usize, asked: &[usize]) -> Option<System> {
    let mut system = System::clone(&shared.original.tagged);
    for (var, term) in &shared.mutations[mutation].definitions {
        let declared = &mut system.vars[var.0 as usize];
        match (term, declared.def.as_mut()) {
            (Some(term), Some(definition)) => definition.term = term.clone(),
            _ => {
                let range = declared.def.take().and_then(|definition| definition.range);
                declared.role = Role::Input;
                system.constraints.extend(range.map(|term| Constraint {
                    term,
                    element: None,
                    range: None,
                }));
            }
        }
    }
    let asked = asked.iter().map(|at| shared.original.properties[*at]);
    let properties = asked.map(|id| system.property(id).clone());
    system.properties = properties.collect();
    is_well_founded(&system).then(|| system.reduced())
}

/// Does no stream depend on itself within a step?
fn is_well_founded(system: &System) -> bool {
    // 1: on the way, 2: done.
    let mut marks = vec![0u8; system.vars.len()];
    let mut open: Vec<(Var, bool)> = (0..system.vars.len() as u32)
        .map(|at| (Var(at), false))
        .collect();
    while let Some((var, ready)) = open.pop() {
        let at = var.0 as usize;
        if ready {
            marks[at] = 2;
            continue;
        }
        if marks[at] != 0 {
            continue;
        }
        marks[at] = 1;
        open.push((var, true));
        for part in system.vars[at].def.iter().flat_map(|def| def.term.vars()) {
            match marks[part.0 as usize] {
                0 => open.push((part, false)),
                1 => return false,
                _ => {}
            }
        }
    }
    true
}
