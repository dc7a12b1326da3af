//! Evidence that is not complete, or was changed, is refused.

use std::sync::Arc;

use game::{
    Arena, Lost, Memory, Outcome, Realization, Refutation, Reply, SearchOptions, Start, solve,
};
use smt::SolverContext;
use system::{
    Role, Sort, StateVar, System, Term, Var, add, and, boolean, eq, implies, integer, le, lt, sub,
};

fn won(context: &SolverContext, arena: &Arena) -> Outcome {
    solve(
        context,
        arena,
        Start::Environment,
        SearchOptions::default(),
        &|| false,
    )
}

/// A game over integers: inputs, outputs, then at most one memory.
fn arena(
    inputs: u32,
    outputs: u32,
    memory: Option<(Term, Term)>,
    assumptions: Vec<Term>,
    guarantees: Vec<Term>,
) -> Arena {
    let declare = |name: String, role| StateVar::new(&name, Sort::Int, role);
    let picked = inputs + outputs;
    let mut vars: Vec<StateVar> = (0..picked)
        .map(|at| declare(format!("v{at}"), Role::Input))
        .collect();
    let memory = memory.map(|(init, next)| {
        let mut state = declare("m".to_owned(), Role::State);
        state.init = Some(init.clone());
        state.next = Some(next.clone());
        vars.push(state);
        Memory {
            var: int(picked),
            init: Some(init),
            next,
        }
    });
    Arena {
        system: Arc::new(System {
            vars,
            ..System::default()
        }),
        memory: memory.into_iter().collect(),
        inputs: (0..inputs).map(int).collect(),
        outputs: (inputs..picked).map(int).collect(),
        assumptions,
        guarantees,
    }
}

fn int(at: u32) -> Term {
    system::var(Var(at), Sort::Int)
}

fn reply<const N: usize>(outputs: [Term; N]) -> Reply {
    Reply {
        outputs: outputs.to_vec(),
    }
}

fn realization(replies: Vec<Reply>) -> Realization {
    Realization {
        avoided: Vec::new(),
        replies,
    }
}

/// Two outputs, above and below the input. Positive inputs ask for another pair.
#[test]
fn strategies_need_all_replies() {
    let context = SolverContext::default();
    let holds =
        |arena: &Arena, won: &Realization| won.holds_up(&context, arena, Start::Environment);
    let (i, above, below) = (int(0), int(1), int(2));
    let positive = lt(&integer(0), &i);
    let guarantees = vec![
        lt(&i, &above),
        lt(&below, &i),
        implies(&positive, &eq(&sub(&above, &below), &integer(2))),
        implies(
            &system::not(&positive),
            &eq(&sub(&above, &below), &integer(4)),
        ),
    ];
    let arena = arena(1, 2, None, Vec::new(), guarantees);
    let shifted = |by: i64| add([i.clone(), integer(by)]);
    let near = reply([shifted(1), shifted(-1)]);
    let far = reply([shifted(2), shifted(-2)]);
    assert!(holds(&arena, &realization(vec![near.clone(), far.clone()])));
    assert!(!holds(&arena, &realization(vec![near.clone()])));
    assert!(!holds(&arena, &realization(vec![far.clone()])));
    assert!(!holds(&arena, &realization(Vec::new())));
    let swapped = reply([shifted(-1), shifted(1)]);
    assert!(!holds(&arena, &realization(vec![swapped, far])));
    assert!(matches!(won(&context, &arena), Outcome::Won(_)));
}

/// A tank that the output empties: `m` is its level, which may be at most 6.
fn tank(most_out: i64) -> Arena {
    let (inflow, outflow, level) = (int(0), int(1), int(2));
    let next = add([level.clone(), sub(&inflow, &outflow)]);
    let between = |term: &Term, most: i64| and([le(&integer(0), term), le(term, &integer(most))]);
    let guarantees = vec![between(&outflow, most_out), between(&next, 6)];
    arena(
        1,
        1,
        Some((integer(0), next.clone())),
        vec![between(&inflow, 5)],
        guarantees,
    )
}

#[test]
fn strategies_avoid_what_is_lost() {
    let context = SolverContext::default();
    let arena = tank(5);
    let Outcome::Won(found) = won(&context, &arena) else {
        panic!("it can be emptied");
    };
    assert!(found.holds_up(&context, &arena, Start::Environment));
    let reckless = Realization {
        avoided: Vec::new(),
        ..found.clone()
    };
    assert!(!reckless.holds_up(&context, &arena, Start::Environment));
    let none = Realization {
        avoided: vec![boolean(true)],
        ..found.clone()
    };
    assert!(!none.holds_up(&context, &arena, Start::Environment));
    let idle = Realization {
        replies: vec![reply([integer(0)])],
        ..found
    };
    assert!(!idle.holds_up(&context, &arena, Start::Environment));
}

/// The environment wins in three steps; each is needed.
#[test]
fn refutations_need_all_regions() {
    let context = SolverContext::default();
    let arena = tank(3);
    let holds = |lost: &[Lost]| {
        let refutation = Refutation {
            lost: lost.to_vec(),
        };
        refutation.holds_up(&context, &arena, Start::Environment)
    };
    let level = int(2);
    let region = |least: i64, steps: usize| Lost {
        states: le(&integer(least), &level),
        inputs: vec![integer(5)],
        steps,
    };
    let all = [region(5, 1), region(3, 2), region(1, 3), region(0, 4)];
    assert!(holds(&all));
    for at in 0..all.len() {
        let mut fewer = all.to_vec();
        fewer.remove(at);
        assert!(!holds(&fewer), "without region {at}");
        let mut larger = all.to_vec();
        larger[at].states = boolean(true);
        // A level below zero cannot be filled at once.
        assert!(!holds(&larger), "with all states in region {at}");
        let mut slack = all.to_vec();
        slack[at].inputs = vec![integer(3)];
        assert!(!holds(&slack), "with a small inflow in region {at}");
        let mut illegal = all.to_vec();
        illegal[at].inputs = vec![integer(6)];
        assert!(!holds(&illegal), "with too much inflow in region {at}");
        let mut early = all.to_vec();
        early[at].steps = 1;
        assert_eq!(holds(&early), at == 0, "too early in region {at}");
    }
    let mut reversed = all.to_vec();
    reversed.reverse();
    assert!(!holds(&reversed));
    assert!(!holds(&[]));
    assert!(matches!(won(&context, &arena), Outcome::Lost(_)));
}

/// No output is between the inputs; which of them is the larger matters.
#[test]
fn refutations_need_their_inputs() {
    let context = SolverContext::default();
    let (low, high, output) = (int(0), int(1), int(2));
    let assumptions = vec![lt(&add([low.clone(), integer(4)]), &high)];
    let guarantees = vec![le(&output, &low), le(&high, &output)];
    let arena = arena(2, 1, None, assumptions, guarantees);
    let Outcome::Lost(mut found) = won(&context, &arena) else {
        panic!("nothing is below and above");
    };
    assert!(found.holds_up(&context, &arena, Start::Environment));
    for lost in &mut found.lost {
        lost.inputs.swap(0, 1);
    }
    assert!(!found.holds_up(&context, &arena, Start::Environment));
}
