//! Separate games within a game.
//!
//! Guarantees that share no output, directly or through memory, do not concern each other: the
//! component plays each of these games on its own, against the same inputs. It wins the whole
//! game if it wins all of them, and the environment wins if it wins one.
//!
//! Assumptions that depend on earlier outputs tie the inputs of one game to the outputs of
//! another; where there is one, the game is played as a whole.

use std::collections::HashMap;

use system::{Term, Var};

use crate::arena::Arena;

/// A game within a game.
pub struct Split {
    pub arena: Arena,
    /// Its guarantees, by their positions in the whole game.
    pub guarantees: Vec<usize>,
}

/// The separate games of a game. Those that are likely to be decided soon come first.
pub fn split(arena: &Arena) -> Vec<Split> {
    let outputs: Vec<Var> = arena.outputs.iter().flat_map(Term::vars).collect();
    let mut groups = Groups::new(outputs.len());
    let place: HashMap<Var, usize> = outputs.iter().enumerate().map(|(at, v)| (*v, at)).collect();
    let behind = outputs_behind_memory(arena, &place);
    let touched = |term: &Term| -> Vec<usize> {
        let vars = term.vars().into_iter();
        let own = vars.flat_map(|var| match place.get(&var) {
            Some(at) => vec![*at],
            None => behind.get(&var).cloned().unwrap_or_default(),
        });
        own.collect()
    };
    let whole = || {
        vec![Split {
            arena: arena.clone(),
            guarantees: (0..arena.guarantees.len()).collect(),
        }]
    };
    if arena
        .assumptions
        .iter()
        .any(|term| !touched(term).is_empty())
    {
        return whole();
    }
    let mut of_guarantee: Vec<Option<usize>> = Vec::new();
    for guarantee in &arena.guarantees {
        let touched = touched(guarantee);
        let joined = touched.windows(2).map(|pair| (pair[0], pair[1]));
        joined.for_each(|(a, b)| groups.join(a, b));
        of_guarantee.push(touched.first().copied());
    }
    let mut found: Vec<(Option<usize>, Vec<usize>)> = Vec::new();
    for (at, output) in of_guarantee.iter().enumerate() {
        let group = output.map(|output| groups.of(output));
        match found.iter_mut().find(|(known, _)| *known == group) {
            Some((_, members)) => members.push(at),
            None => found.push((group, vec![at])),
        }
    }
    if found.len() < 2 {
        return whole();
    }
    found.sort_by_key(|(_, members)| members.len());
    let games = found.into_iter().map(|(_, guarantees)| {
        let own = guarantees.iter().map(|at| arena.guarantees[*at].clone());
        let arena = Arena {
            guarantees: own.collect(),
            ..arena.clone()
        };
        Split {
            arena: arena.sliced(),
            guarantees,
        }
    });
    games.collect()
}

/// The outputs that the next values of memory depend on, at this step or earlier ones.
fn outputs_behind_memory(arena: &Arena, place: &HashMap<Var, usize>) -> HashMap<Var, Vec<usize>> {
    let mut behind: HashMap<Var, Vec<usize>> = HashMap::new();
    loop {
        let mut changed = false;
        for memory in &arena.memory {
            let Some(var) = memory.var.vars().first().copied() else {
                continue;
            };
            let mut all = behind.get(&var).cloned().unwrap_or_default();
            let before = all.len();
            for read in memory.next.vars() {
                all.extend(place.get(&read));
                all.extend(behind.get(&read).into_iter().flatten());
            }
            all.sort();
            all.dedup();
            changed |= all.len() > before;
            behind.insert(var, all);
        }
        if !changed {
            return behind;
        }
    }
}

/// Sets of numbers that are joined.
struct Groups(Vec<usize>);

impl Groups {
    fn new(count: usize) -> Groups {
        Groups((0..count).collect())
    }

    fn of(&mut self, at: usize) -> usize {
        let mut at = at;
        while self.0[at] != at {
            self.0[at] = self.0[self.0[at]];
            at = self.0[at];
        }
        at
    }

    fn join(&mut self, a: usize, b: usize) {
        let (a, b) = (self.of(a), self.of(b));
        self.0[a] = b;
    }
}
