//! Who wins the game of a contract.

use std::collections::BTreeSet;

use game::{Outcome, Realization, Refutation, SearchOptions, Split, Start};
use lang::Program;
use smt::SolverContext;
use syntax::SourceMap;
use system::{Term, and};

use super::{Clause, Rules};
use crate::invariant_text;

/// What is known of a contract.
pub enum Checked {
    Realizable(Realizable),
    Unrealizable(Unrealizable),
    /// Why it is not known.
    Unknown(String),
}

/// The separate games of a contract with how the component wins them.
pub struct Realizable {
    pub games: Vec<(Split, Realization)>,
}

/// One of the games of a contract, with how the environment wins it.
pub struct Unrealizable {
    pub game: Split,
    pub refutation: Refutation,
}

/// Finds out who wins.
pub fn check(
    context: &SolverContext,
    rules: &Rules,
    options: SearchOptions,
    stop: &dyn Fn() -> bool,
) -> Checked {
    let mut won = Vec::new();
    let mut open = None;
    for game in game::split(&rules.arena) {
        match game::solve(context, &game.arena, Start::Environment, options, stop) {
            Outcome::Won(realization) => won.push((game, realization)),
            Outcome::Lost(refutation) => {
                return Checked::Unrealizable(Unrealizable { game, refutation });
            }
            Outcome::Open(why) => open = open.or(Some(why)),
        }
    }
    match open {
        None => Checked::Realizable(Realizable { games: won }),
        Some(why) => Checked::Unknown(why),
    }
}

/// Does some run keep the contract for ever? `None` if nobody knows.
pub fn is_satisfiable(
    context: &SolverContext,
    rules: &Rules,
    options: SearchOptions,
    stop: &dyn Fn() -> bool,
) -> Option<bool> {
    if context.share(4, || game::comes_to_rest(context, &rules.arena)) {
        return Some(true);
    }
    match game::solve(
        context,
        &rules.arena.together(),
        Start::Component,
        options,
        stop,
    ) {
        Outcome::Won(_) => Some(true),
        Outcome::Lost(_) => Some(false),
        Outcome::Open(_) => None,
    }
}

/// Sets of clauses of a contract.
pub struct Conflicts {
    /// Those that no component can keep together.
    pub minimal: Vec<Vec<Clause>>,
    /// Those that a component can keep, and no more.
    pub maximal: Vec<Vec<Clause>>,
    /// All of them were found.
    pub complete: bool,
}

/// The sets of guarantees and modes that are to blame, and those that can be kept.
pub fn conflicts(
    context: &SolverContext,
    rules: &Rules,
    options: SearchOptions,
    stop: &dyn Fn() -> bool,
) -> Conflicts {
    // All that a mode ensures goes together.
    let mut groups: Vec<(Vec<Clause>, Vec<usize>)> = Vec::new();
    for (at, clause) in rules.clauses.iter().enumerate() {
        let same = |(known, _): &&mut (Vec<Clause>, Vec<usize>)| match (clause, known[0]) {
            (Clause::Ensure(mode, _), Clause::Ensure(other, _)) => *mode == other,
            _ => false,
        };
        match (clause, groups.iter_mut().find(same)) {
            (Clause::Range, _) => {}
            (_, Some((clauses, members))) => {
                clauses.push(*clause);
                members.push(at);
            }
            (_, None) => groups.push((vec![*clause], vec![at])),
        }
    }
    let members: Vec<Vec<usize>> = groups.iter().map(|(_, members)| members.clone()).collect();
    let found = game::conflicts(context, &rules.arena, &members, options, stop);
    let clauses = |sets: Vec<BTreeSet<usize>>| {
        let sets = sets.into_iter();
        let clauses = sets.map(|set| set.iter().flat_map(|at| groups[*at].0.clone()).collect());
        clauses.collect()
    };
    Conflicts {
        minimal: clauses(found.minimal),
        maximal: clauses(found.maximal),
        complete: found.complete,
    }
}

impl Realizable {
    /// The states from which the component wins.
    pub fn viable(&self) -> Term {
        and(self.games.iter().map(|(_, won)| won.viable()))
    }

    /// The same as a Lustre expression over the streams of a step that is not the first.
    pub fn viable_text(
        &self,
        program: &Program,
        sources: &SourceMap,
        rules: &Rules,
    ) -> Option<String> {
        invariant_text::states(program, sources, &rules.lowered, &self.viable())
    }
}
