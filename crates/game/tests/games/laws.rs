//! What is true of all games.

use game::{Arena, Outcome, SearchOptions, Start, solve};
use smt::SolverContext;
use system::Random;

use crate::contract::{Contract, Owner};
use crate::count;

const SEED: u64 = 7;

fn won(context: &SolverContext, arena: &Arena) -> Outcome {
    solve(
        context,
        arena,
        Start::Environment,
        SearchOptions::default(),
        &|| false,
    )
}

/// One more guarantee never makes a lost game won, and a strategy for the game without it is
/// none for a game that is lost with it.
#[test]
fn a_further_guarantee_never_helps() {
    let context = SolverContext::default();
    let mut refused = 0;
    for at in 0..count(100) {
        let random = &mut Random::new(SEED, at);
        let contract = Contract::random(random);
        let mut harder = contract.clone();
        let more = contract.scope(|_| true).boolean(random, 2);
        harder.guarantees.push(more);
        let (before, after) = (
            won(&context, &contract.arena()),
            won(&context, &harder.arena()),
        );
        match (before, after) {
            (Outcome::Lost(_), Outcome::Won(_)) => panic!("contract {at}: {harder:#?}"),
            (Outcome::Won(strategy), Outcome::Lost(reason)) => {
                refused += 1;
                let (easy, hard) = (contract.arena(), harder.arena());
                let start = Start::Environment;
                assert!(!strategy.holds_up(&context, &hard, start), "contract {at}");
                assert!(!reason.holds_up(&context, &easy, start), "contract {at}");
            }
            _ => {}
        }
    }
    eprintln!("{refused} games are lost with one more guarantee");
    assert!(refused > 0);
}

/// One more assumption about inputs never makes a won game lost.
#[test]
fn a_further_assumption_about_inputs_never_hurts() {
    let context = SolverContext::default();
    let mut helped = 0;
    for at in 0..count(100) {
        let random = &mut Random::new(SEED + 1, at);
        let contract = Contract::random(random);
        let mut easier = contract.clone();
        let more = contract.scope(|owner| owner == Owner::Input);
        easier.assumptions.push(more.boolean(random, 2));
        let (before, after) = (
            won(&context, &contract.arena()),
            won(&context, &easier.arena()),
        );
        match (before, after) {
            (Outcome::Won(_), Outcome::Lost(_)) => panic!("contract {at}: {easier:#?}"),
            (Outcome::Lost(reason), Outcome::Won(strategy)) => {
                helped += 1;
                let (easy, hard) = (easier.arena(), contract.arena());
                let start = Start::Environment;
                assert!(!strategy.holds_up(&context, &hard, start), "contract {at}");
                assert!(!reason.holds_up(&context, &easy, start), "contract {at}");
            }
            _ => {}
        }
    }
    eprintln!("{helped} games are won with one more assumption");
    assert!(helped > 0);
}
