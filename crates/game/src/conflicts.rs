//! All minimal sets of clauses that the component cannot keep together, and all maximal ones that
//! it can: the enumeration of Liffiton, Previti, Malik and Marques-Silva (MARCO, *Constraints*
//! 2016), with games as its oracle.
//!
//! A component that keeps some clauses keeps fewer of them, too. So a set that is lost shows that
//! all larger ones are, and one that is won that all smaller ones are.

use std::collections::BTreeSet;
use std::sync::Arc;

use smt::{Answer, AnySolver, Solver, SolverContext};
use system::{Sort, System, Term, Var, not, or};

use crate::arena::Arena;
use crate::fixpoint::{Outcome, SearchOptions, Start, solve};
use crate::split::split;

/// Sets of clauses, by their positions.
#[derive(Clone, Debug, Default)]
pub struct Conflicts {
    /// Lost together, and won without any one of them.
    pub minimal: Vec<BTreeSet<usize>>,
    /// Won together, and lost with any other one.
    pub maximal: Vec<BTreeSet<usize>>,
    /// All such sets were found.
    pub complete: bool,
}

/// Finds the sets. A clause is some of the guarantees; guarantees that belong to no clause are
/// always kept.
pub fn conflicts(
    context: &SolverContext,
    arena: &Arena,
    clauses: &[Vec<usize>],
    options: SearchOptions,
    stop: &dyn Fn() -> bool,
) -> Conflicts {
    let mut search = Search {
        context,
        arena,
        clauses,
        options,
        stop,
        found: Conflicts::default(),
    };
    search.found.complete = search.run().is_some();
    search.found
}

struct Search<'a> {
    context: &'a SolverContext,
    arena: &'a Arena,
    clauses: &'a [Vec<usize>],
    options: SearchOptions,
    stop: &'a dyn Fn() -> bool,
    found: Conflicts,
}

impl Search<'_> {
    /// `None` if a game is not decided.
    fn run(&mut self) -> Option<()> {
        let count = self.clauses.len();
        let system = Arc::new(System::of_inputs(vec![Sort::Bool; count]));
        let chosen: Vec<Term> = (0..count as u32)
            .map(|at| system::var(Var(at), Sort::Bool))
            .collect();
        // Its models are the sets of which nothing is known.
        let mut map = AnySolver::new(self.context, system);
        while let Some(seed) = unexplored(&mut map, &chosen)? {
            match self.is_won(&seed)? {
                true => {
                    let set = self.grown(seed)?;
                    let others = (0..count).filter(|at| !set.contains(at));
                    map.assert(&or(others.map(|at| chosen[at].clone())), 0);
                    self.found.maximal.push(set);
                }
                false => {
                    let set = self.shrunk(seed)?;
                    map.assert(&or(set.iter().map(|at| not(&chosen[*at]))), 0);
                    self.found.minimal.push(set);
                }
            }
        }
        Some(())
    }

    fn grown(&self, mut set: BTreeSet<usize>) -> Option<BTreeSet<usize>> {
        for at in 0..self.clauses.len() {
            if set.insert(at) && !self.is_won(&set)? {
                set.remove(&at);
            }
        }
        Some(set)
    }

    fn shrunk(&self, mut set: BTreeSet<usize>) -> Option<BTreeSet<usize>> {
        for at in set.clone() {
            set.remove(&at);
            if self.is_won(&set)? {
                set.insert(at);
            }
        }
        Some(set)
    }

    /// Can the component keep these clauses?
    fn is_won(&self, set: &BTreeSet<usize>) -> Option<bool> {
        if self.found.maximal.iter().any(|known| set.is_subset(known)) {
            return Some(true);
        }
        if self.found.minimal.iter().any(|known| known.is_subset(set)) {
            return Some(false);
        }
        let mut kept: Vec<bool> = vec![true; self.arena.guarantees.len()];
        for (at, clause) in self.clauses.iter().enumerate() {
            clause.iter().for_each(|one| kept[*one] = set.contains(&at));
        }
        let guarantees = self.arena.guarantees.iter().zip(&kept);
        let guarantees = guarantees.filter(|(_, kept)| **kept);
        let arena = Arena {
            guarantees: guarantees.map(|(term, _)| term.clone()).collect(),
            ..self.arena.clone()
        };
        let mut open = false;
        for game in split(&arena.sliced()) {
            match solve(
                self.context,
                &game.arena,
                Start::Environment,
                self.options,
                self.stop,
            ) {
                Outcome::Won(_) => {}
                Outcome::Lost(_) => return Some(false),
                Outcome::Open(_) => open = true,
            }
        }
        (!open).then_some(true)
    }
}

/// A set of which nothing is known, as large as the solver makes it; `Some(None)` if there is
/// none.
fn unexplored(map: &mut AnySolver, chosen: &[Term]) -> Option<Option<BTreeSet<usize>>> {
    match map.check(&[]) {
        Answer::Unsat => return Some(None),
        Answer::Unknown(_) => return None,
        Answer::Sat => {}
    }
    let picked = |map: &mut AnySolver| -> BTreeSet<usize> {
        let all = chosen.iter().enumerate();
        let picked = all.filter(|(_, term)| map.holds(term, 0) == Some(true));
        picked.map(|(at, _)| at).collect()
    };
    let mut set = picked(map);
    for at in 0..chosen.len() {
        if set.contains(&at) {
            continue;
        }
        map.push();
        for one in set.iter().chain([&at]) {
            map.assert(&chosen[*one], 0);
        }
        if map.check(&[]) == Answer::Sat {
            set = picked(map);
        }
        map.pop();
    }
    Some(Some(set))
}
