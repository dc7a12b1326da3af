//! Games with finitely many states are also solved by plain search; plays of lost games are
//! checked step by step.

use game::{Outcome, Refutation, SearchOptions, Start, play, solve, split};
use smt::{Scalar, Solver, SolverContext};
use system::{Random, Term};

use crate::contract::{Contract, Owner, Variable};
use crate::count;
use crate::expr::Expr;

const SEED: u64 = 2026;

fn contracts(usual: u64) -> impl Iterator<Item = (u64, Contract)> {
    (0..count(usual)).map(|at| (at, Contract::random(&mut Random::new(SEED, at))))
}

#[test]
fn plain_search_finds_the_same_winner() {
    let context = SolverContext::default();
    let (mut won, mut all) = (0, 0);
    for (at, contract) in contracts(100) {
        let expected = contract.is_won(Start::Environment);
        let found = solve(
            &context,
            &contract.arena(),
            Start::Environment,
            SearchOptions::default(),
            &|| false,
        );
        match found {
            Outcome::Won(_) => assert!(expected, "contract {at} is lost: {contract:#?}"),
            Outcome::Lost(_) => assert!(!expected, "contract {at} is won: {contract:#?}"),
            Outcome::Open(why) => panic!("contract {at} is open: {why}: {contract:#?}"),
        }
        won += u64::from(expected);
        all += 1;
    }
    eprintln!("{all} games, {won} of them won");
    assert!(won > all / 10 && all - won > all / 10);
}

#[test]
fn plain_search_finds_the_same_contracts_satisfiable() {
    let context = SolverContext::default();
    let (mut won, mut all) = (0, 0);
    for (at, contract) in contracts(100) {
        let expected = contract.is_won(Start::Component);
        let together = contract.arena().together();
        match solve(
            &context,
            &together,
            Start::Component,
            SearchOptions::default(),
            &|| false,
        ) {
            Outcome::Won(_) => assert!(expected, "contract {at}: {contract:#?}"),
            Outcome::Lost(_) => assert!(!expected, "contract {at}: {contract:#?}"),
            Outcome::Open(why) => panic!("contract {at} is open: {why}: {contract:#?}"),
        }
        won += u64::from(expected);
        all += 1;
    }
    eprintln!("{all} contracts, {won} of them satisfiable");
    assert!(won > all / 10 && all - won > all / 20);
}

/// Separate games within a game are all won if the game is, and lost ones are played against
/// the whole game.
#[test]
fn separate_games_agree_with_the_whole() {
    let context = SolverContext::default();
    let mut apart = 0;
    for (at, contract) in contracts(100) {
        let arena = contract.arena();
        let games = split(&arena);
        apart += usize::from(games.len() > 1);
        let mut all_won = true;
        for game in games {
            match solve(
                &context,
                &game.arena,
                Start::Environment,
                SearchOptions::default(),
                &|| false,
            ) {
                Outcome::Won(_) => {}
                Outcome::Lost(refutation) => {
                    all_won = false;
                    check_play(&context, (at, &contract), &refutation, &game.arena.inputs);
                }
                Outcome::Open(why) => panic!("contract {at}: {why}"),
            }
        }
        assert_eq!(
            all_won,
            contract.is_won(Start::Environment),
            "contract {at}: {contract:#?}"
        );
    }
    eprintln!("{apart} games have separate parts");
    assert!(apart > 5);
}

#[test]
fn plays_end_without_outputs() {
    let context = SolverContext::default();
    let mut steps = Vec::new();
    for (at, contract) in contracts(100) {
        let arena = contract.arena();
        if let Outcome::Lost(lost) = solve(
            &context,
            &arena,
            Start::Environment,
            SearchOptions::default(),
            &|| false,
        ) {
            steps.push(check_play(&context, (at, &contract), &lost, &arena.inputs));
        }
    }
    let longest = steps.iter().max().copied().unwrap_or(0);
    let later = steps.iter().filter(|steps| **steps > 1).count();
    let all = steps.len();
    eprintln!("{all} plays, {later} of more than one step, of up to {longest}");
    assert!(later > 0);
}

/// Whichever value the constant has, one of two guarantees is broken, and the other is no part of
/// the conflict.
#[test]
fn conflicts_are_about_the_constants_of_the_play() {
    let of = |owner| Variable { owner, most: None };
    let contract = Contract {
        vars: vec![of(Owner::Constant), of(Owner::Output)],
        memory: Vec::new(),
        assumptions: Vec::new(),
        guarantees: vec![
            Expr::Var(0),
            Expr::Not(Box::new(Expr::Var(0))),
            Expr::Var(1),
        ],
        ranges: 0,
    };
    let context = SolverContext::default();
    let arena = contract.arena();
    let Outcome::Lost(lost) = solve(
        &context,
        &arena,
        Start::Environment,
        SearchOptions::default(),
        &|| false,
    ) else {
        panic!("no value keeps both");
    };
    assert_eq!(check_play(&context, (0, &contract), &lost, &[]), 1);
}

/// Plays a lost game: assumptions and guarantees hold at all steps but the last, for whose
/// inputs there are no outputs. Returns the number of steps.
fn check_play(
    context: &SolverContext,
    (at, contract): (u64, &Contract),
    refutation: &Refutation,
    inputs: &[Term],
) -> usize {
    let arena = contract.arena();
    let soft: Vec<bool> = (0..contract.guarantees.len())
        .map(|at| at >= contract.ranges)
        .collect();
    let vars = contract.terms();
    let mut steps: Vec<Vec<i64>> = Vec::new();
    let played = play(context, &arena, refutation, inputs, &soft, &mut |solver| {
        let values = vars.iter().map(|var| match solver.value(var, 0) {
            Some(Scalar::Bool(value)) => i64::from(value),
            Some(Scalar::Int(value)) => i64::try_from(&value).expect("a small number"),
            other => panic!("{other:?} is no value"),
        });
        steps.push(values.collect());
    });
    let what = format!("contract {at}: {contract:#?}\n{steps:?}");
    let played = played.unwrap_or_else(|why| panic!("{why}: {what}"));
    assert_eq!(played.steps, steps.len(), "{what}");
    let most = refutation.lost.last().expect("a region").steps;
    assert!(played.steps <= most, "{what}");
    let (last, before) = steps.split_last().expect("a step");
    assert!(contract.is_initial(&steps[0]), "{what}");
    for step in &steps {
        assert!(contract.is_allowed(step), "{what}");
    }
    for (at, step) in before.iter().enumerate() {
        assert!(contract.is_kept(step), "{what}");
        assert_eq!(
            contract.next(step),
            contract.state(&steps[at + 1]),
            "{what}"
        );
    }
    let all: Vec<usize> = (0..contract.guarantees.len()).collect();
    assert!(!contract.can_keep(last, &all), "{what}");
    let conflict = &played.conflict;
    if contract.can_keep(last, &[]) {
        assert!(!contract.can_keep(last, conflict), "{what}: {conflict:?}");
        for left_out in conflict {
            let others = conflict.iter().filter(|at| *at != left_out);
            let others: Vec<usize> = others.copied().collect();
            assert!(contract.can_keep(last, &others), "{what}: {conflict:?}");
        }
    }
    played.steps
}
