//! The modes of a contract that are active at each step of a run.

use lang::{Import, Node};
use sim::InstanceTrace;

/// A mode of an instance, with the imports of contracts that lead to it.
#[derive(Clone, Debug)]
pub struct Mode {
    pub name: String,
    /// The imports, from the contract of the node on.
    pub scope: Vec<Import>,
    /// By step; `None` where the instance is not active.
    pub active: Vec<Option<bool>>,
}

/// The active modes at a step: the contract's own, and those it imports.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ActiveModes {
    pub own: Vec<String>,
    pub imported: Vec<ContractModes>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ContractModes {
    pub contract: String,
    pub modes: ActiveModes,
}

/// The modes of a node in a run of one of its instances.
pub(crate) fn modes(node: &Node, instance: &InstanceTrace) -> Vec<Mode> {
    let modes = node.contract.iter().flat_map(|contract| &contract.modes);
    modes
        .map(|mode| Mode {
            name: mode.name.to_string(),
            scope: mode.scope.clone(),
            active: (0..instance.steps.len())
                .map(|step| instance.value(step, mode.active)?.as_bool())
                .collect(),
        })
        .collect()
}

/// The active modes by step; `None` where the instance is not active.
pub fn active_modes(modes: &[Mode]) -> Vec<Option<ActiveModes>> {
    let steps = modes.iter().map(|mode| mode.active.len()).max();
    (0..steps.unwrap_or(0))
        .map(|step| {
            let known = modes.iter().all(|mode| mode.active[step].is_some());
            known.then(|| below(modes.iter().map(|mode| (mode, &mode.scope[..])), step))
        })
        .collect()
}

/// A mode, and the rest of the way to it.
type Below<'m> = (&'m Mode, &'m [Import]);

/// Sorts modes into contracts.
fn below<'m>(modes: impl Iterator<Item = Below<'m>>, step: usize) -> ActiveModes {
    let mut own = Vec::new();
    let mut imports: Vec<(&Import, Vec<Below>)> = Vec::new();
    for (mode, way) in modes {
        match way.split_first() {
            None if mode.active[step] == Some(true) => own.push(mode.name.clone()),
            None => {}
            Some((import, rest)) => match imports.iter_mut().find(|(known, _)| *known == import) {
                Some((_, inner)) => inner.push((mode, rest)),
                None => imports.push((import, vec![(mode, rest)])),
            },
        }
    }
    let imported = imports.into_iter().map(|(import, inner)| ContractModes {
        contract: import.contract.to_string(),
        modes: below(inner.into_iter(), step),
    });
    ActiveModes {
        own,
        imported: imported.collect(),
    }
}
