//! The names of modes, for people.

use results::Mode;

/// The names of the active modes by step, for people: with the contract before
/// them where the name alone would not tell which is meant.
pub(crate) fn names(modes: &[Mode]) -> Vec<Option<Vec<String>>> {
    let steps = modes.iter().map(|mode| mode.active.len()).max();
    (0..steps.unwrap_or(0))
        .map(|step| {
            let mut names = Vec::new();
            for mode in modes {
                if mode.active[step]? {
                    names.push(full_name(mode, modes));
                }
            }
            Some(names)
        })
        .collect()
}

pub(crate) fn full_name(mode: &Mode, all: &[Mode]) -> String {
    let is_unique = all.iter().filter(|other| other.name == mode.name).count() == 1;
    let scope = match is_unique {
        true => &[][..],
        false => &mode.scope[..],
    };
    let contracts = scope.iter().map(|import| import.contract.as_str());
    let parts: Vec<&str> = contracts.chain([mode.name.as_str()]).collect();
    parts.join(".")
}
