//! Contracts over numbers: evidence is checked by another solver too.

use std::collections::HashSet;
use std::sync::Arc;
use std::time::Duration;

use game::{Arena, Memory, Outcome, SearchOptions, Start, play, solve};
use smt::{
    Answer, AnySolver, Choice, Clock, External, SharedSolverState, Solver, SolverContext,
    SolverProgram,
};
use system::{
    Random, Role, Sort, StateVar, System, Term, Var, add, and, eq, integer, le, mul, not, or,
    substitute,
};

use crate::count;

const SEED: u64 = 11;

/// How long the search and the other solver may take for one game: many games over numbers have
/// no finite answer.
const SEARCH: Duration = Duration::from_millis(500);
const CHECK: Duration = Duration::from_secs(20);

/// A context of cvc5, if there is one on the machine.
fn cvc5() -> Option<SolverContext> {
    let external = External::new(SolverProgram::Cvc5, None);
    if external.detect(&SharedSolverState::default()).is_err() {
        eprintln!("cvc5 is not installed, and not tested");
        return None;
    }
    let choice = Choice {
        external: Some(external),
        ..Choice::default()
    };
    Some(SolverContext::new(choice, Clock::Real))
}

/// A sum of some of the variables with small coefficients. All have the same sort.
fn sum(random: &mut Random, vars: &[Term]) -> Term {
    let number = |value: i64| match vars.first().map(Term::sort) {
        Some(Sort::Real) => system::to_real(&integer(value)),
        _ => integer(value),
    };
    let mut parts = vec![number(random.below(9) as i64 - 4)];
    for var in vars {
        let factor = random.below(5) as i64 - 2;
        if random.once_in(2) {
            parts.push(mul(&number(factor), var));
        }
    }
    add(parts)
}

/// A comparison, or two of them.
fn comparison(random: &mut Random, vars: &[Term]) -> Term {
    let mut one = || {
        let (a, b) = (sum(random, vars), sum(random, vars));
        match random.once_in(4) {
            true => not(&le(&a, &b)),
            false => le(&a, &b),
        }
    };
    let (a, b) = (one(), one());
    match random.below(4) {
        0 => or([a, b]),
        1 => and([a, b]),
        _ => a,
    }
}

fn arena(random: &mut Random) -> Arena {
    let sort = match random.once_in(2) {
        true => Sort::Int,
        false => Sort::Real,
    };
    let counts = [random.below(3), 1 + random.below(2), 1 + random.below(2)];
    let mut terms: [Vec<Term>; 3] = Default::default();
    let mut vars = Vec::new();
    for (owner, count) in counts.into_iter().enumerate() {
        for _ in 0..count {
            let role = match owner {
                0 => Role::State,
                _ => Role::Input,
            };
            let at = vars.len();
            terms[owner].push(system::var(Var(at as u32), sort.clone()));
            vars.push(StateVar::new(&format!("v{at}"), sort.clone(), role));
        }
    }
    let [state, inputs, outputs] = terms;
    let given: Vec<Term> = state.iter().chain(&inputs).cloned().collect();
    let all: Vec<Term> = given.iter().chain(&outputs).cloned().collect();
    let memory = state.iter().map(|var| Memory {
        var: var.clone(),
        init: (!random.once_in(3)).then(|| {
            let value = integer(random.below(5) as i64 - 2);
            match sort {
                Sort::Real => system::to_real(&value),
                _ => value,
            }
        }),
        next: sum(random, &all),
    });
    let memory: Vec<Memory> = memory.collect();
    for (var, memory) in vars.iter_mut().zip(&memory) {
        var.init = memory.init.clone();
        var.next = Some(memory.next.clone());
    }
    let assumptions = (0..random.below(3)).map(|_| comparison(random, &given));
    let assumptions = assumptions.collect();
    let guarantees = (0..1 + random.below(3)).map(|_| comparison(random, &all));
    let guarantees = guarantees.collect();
    Arena {
        system: Arc::new(System {
            vars,
            ..System::default()
        }),
        memory,
        inputs,
        outputs,
        assumptions,
        guarantees,
    }
}

/// `KINDRED_GAMES=500` tries so many.
#[test]
fn another_solver_agrees_with_the_evidence() {
    let other = cvc5();
    let (mut won, mut lost, mut open, mut unsure) = (0, 0, 0, 0);
    for at in 0..count(50) {
        let arena = arena(&mut Random::new(SEED, at));
        let games = [
            (arena.clone(), Start::Environment),
            (arena.together(), Start::Component),
        ];
        for (arena, start) in games {
            let context = SolverContext::default();
            context.refuel(None, Some(SEARCH));
            let outcome = solve(&context, &arena, start, SearchOptions::default(), &|| {
                context.is_spent()
            });
            if let Some(other) = &other {
                other.refuel(None, Some(CHECK));
            }
            let confirmed = other.as_ref().map(|other| match &outcome {
                Outcome::Won(won) => won.holds_up(other, &arena, start),
                Outcome::Lost(lost) => lost.holds_up(other, &arena, start),
                Outcome::Open(_) => true,
            });
            if confirmed == Some(false) {
                let gave_up = other
                    .as_ref()
                    .is_some_and(|other| other.is_spent() || other.take_failure().is_some());
                assert!(gave_up, "cvc5 refutes the evidence of game {at}, {start:?}");
                unsure += 1;
            }
            match outcome {
                Outcome::Won(_) => won += 1,
                Outcome::Lost(_) => lost += 1,
                Outcome::Open(_) => open += 1,
            }
        }
    }
    eprintln!("{won} games won, {lost} lost, {open} open; cvc5 cannot decide {unsure} of them");
    assert!(won > 5 && lost > 5);
}

/// Steps of plays keep assumptions and guarantees, but for the last, for whose inputs there are no
/// outputs.
#[test]
fn plays_end_without_outputs() {
    let (mut plays, mut longest) = (0, 0);
    for at in 0..count(50) {
        let arena = arena(&mut Random::new(SEED, at));
        let context = SolverContext::default();
        context.refuel(None, Some(SEARCH));
        let stop = || context.is_spent();
        let Outcome::Lost(lost) = solve(
            &context,
            &arena,
            Start::Environment,
            SearchOptions::default(),
            &stop,
        ) else {
            continue;
        };
        context.refuel(None, None);
        let state = arena.memory.iter().map(|memory| memory.var.clone());
        let given: Vec<Term> = state.chain(arena.inputs.iter().cloned()).collect();
        let mut steps: Vec<[Term; 2]> = Vec::new();
        let soft = vec![true; arena.guarantees.len()];
        let played = play(
            &context,
            &arena,
            &lost,
            &arena.inputs,
            &soft,
            &mut |solver| {
                let mut values = |vars: &[Term]| {
                    let values = vars.iter().map(|var| {
                        let value = solver
                            .value(var, 0)
                            .and_then(|value| value.term(var.sort()));
                        eq(var, &value.expect("a number"))
                    });
                    and(values)
                };
                steps.push([values(&given), values(&arena.outputs)]);
            },
        );
        let played = played.unwrap_or_else(|why| panic!("game {at}: {why}"));
        assert_eq!(played.steps, steps.len(), "game {at}");
        let is_possible = |terms: &[&Term]| {
            let mut solver = AnySolver::new(&context, arena.system.clone());
            terms.iter().for_each(|term| solver.assert(term, 0));
            solver.check(&[]) == Answer::Sat
        };
        let (assumed, guaranteed) = (arena.assumed(), arena.guaranteed());
        let is_last = |at: usize| at + 1 == steps.len();
        assert!(is_possible(&[&arena.initial(), &steps[0][0]]), "game {at}");
        for (step, [given, outputs]) in steps.iter().enumerate() {
            let what = format!("step {step} of game {at}");
            assert!(is_possible(&[given, &assumed]), "{what}");
            let keeps = [given, outputs, &guaranteed];
            assert_eq!(is_possible(&keeps), !is_last(step), "{what}");
            let some = is_possible(&[given, &guaranteed]);
            assert_eq!(some, !is_last(step), "{what}");
            if !is_last(step) {
                // The inputs of the next step are its own.
                let inputs: HashSet<Var> = arena.inputs.iter().flat_map(Term::vars).collect();
                let own = steps[step + 1][0].conjuncts().into_iter();
                let own = own.filter(|part| part.vars().iter().all(|v| !inputs.contains(v)));
                let own = substitute(&and(own), &arena.next());
                assert!(is_possible(&[given, outputs, &own]), "{what}");
            }
        }
        plays += 1;
        longest = longest.max(steps.len());
    }
    eprintln!("{plays} plays, of up to {longest} steps");
    assert!(plays > 5);
}
