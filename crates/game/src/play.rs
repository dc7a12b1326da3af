//! A play that the environment wins whatever the component does.
//!
//! The environment plays the inputs of a [`Refutation`]. The component picks outputs that keep
//! all guarantees and leave it as many steps as there can be. The last step is the one for
//! whose inputs no outputs exist; a minimal set of guarantees that excludes them is the
//! conflict.

use smt::{Answer, AnySolver, Literal, Solver, SolverContext};
use system::{Term, Var, and, eq, not, substitute};

use crate::arena::Arena;
use crate::evidence::Refutation;

/// What came of a play.
#[derive(Clone, Debug)]
pub struct Play {
    /// The last one has no good outputs.
    pub steps: usize,
    /// Guarantees that no outputs keep at the last step, by position; all others but one can be
    /// kept.
    pub conflict: Vec<usize>,
}

/// Plays against a refutation of a game, or of a part of it that has some of its inputs.
/// `soft` says which guarantees may be broken at the last step; `record` is called with a model
/// of each step.
pub fn play(
    context: &SolverContext,
    arena: &Arena,
    refutation: &Refutation,
    inputs: &[Term],
    soft: &[bool],
    record: &mut dyn FnMut(&mut AnySolver),
) -> Result<Play, String> {
    let mut steps = 0;
    let mut state: Option<Vec<Term>> = None;
    loop {
        let mut solver = AnySolver::new(context, arena.system.clone());
        match &state {
            None => solver.assert(&arena.initial(), 0),
            Some(values) => values.iter().for_each(|value| solver.assert(value, 0)),
        }
        let at = match state {
            None => refutation.lost.len() - 1,
            Some(_) => region(refutation, &mut solver)?,
        };
        let lost = &refutation.lost[at];
        solver.assert(&lost.states, 0);
        for (input, value) in inputs.iter().zip(&lost.inputs) {
            solver.assert(&eq(input, value), 0);
        }
        solver.assert(&arena.assumed(), 0);
        steps += 1;
        if hold_out(arena, refutation, lost.steps, &mut solver)? {
            state = Some(next_state(arena, &mut solver)?);
            record(&mut solver);
            continue;
        }
        let conflict = stuck(arena, soft, &mut solver)?;
        record(&mut solver);
        return Ok(Play { steps, conflict });
    }
}

/// The region of the state from which the environment wins soonest.
fn region(refutation: &Refutation, solver: &mut AnySolver) -> Result<usize, String> {
    if solver.check(&[]) != Answer::Sat {
        return Err("a state of the play has no model".into());
    }
    let holds = |at: &usize| solver.holds(&refutation.lost[*at].states, 0) == Some(true);
    let mut order: Vec<usize> = (0..refutation.lost.len()).collect();
    order.sort_by_key(|at| refutation.lost[*at].steps);
    let found = order.into_iter().find(holds);
    found.ok_or_else(|| "the component has left the lost states".into())
}

/// Is there a good output? The model has one after which the environment needs as many steps
/// as it may.
fn hold_out(
    arena: &Arena,
    refutation: &Refutation,
    steps: usize,
    solver: &mut AnySolver,
) -> Result<bool, String> {
    let good = solver.literal();
    solver.assert_if(good, &arena.guaranteed(), 0);
    let next = arena.next();
    for left in (1..steps).rev() {
        let sooner = refutation.lost.iter().filter(|lost| lost.steps < left);
        let avoided = sooner.map(|lost| not(&substitute(&lost.states, &next)));
        let long = solver.literal();
        solver.assert_if(long, &and(avoided), 0);
        match solver.check(&[good, long]) {
            Answer::Sat => return Ok(true),
            Answer::Unsat => solver.retire(long),
            Answer::Unknown(why) => return Err(why),
        }
    }
    match solver.check(&[good]) {
        Answer::Sat => Ok(true),
        Answer::Unsat => {
            solver.retire(good);
            Ok(false)
        }
        Answer::Unknown(why) => Err(why),
    }
}

/// The memory of the next step and the constants, as the model has them.
fn next_state(arena: &Arena, solver: &mut AnySolver) -> Result<Vec<Term>, String> {
    let memory = arena.memory.iter();
    let memory = memory.map(|memory| (memory.var.clone(), memory.next.clone()));
    let constants = constants(arena).map(|constant| (constant.clone(), constant));
    let mut state = Vec::new();
    for (var, term) in memory.chain(constants) {
        state.push(eq(&var, &value(&term, solver)?));
    }
    Ok(state)
}

fn constants(arena: &Arena) -> impl Iterator<Item = Term> {
    let vars = arena.system.vars.iter().enumerate();
    let constants = vars.filter(|(_, var)| var.role == system::Role::Constant);
    constants.map(|(at, var)| system::var(Var(at as u32), var.sort.clone()))
}

fn value(term: &Term, solver: &mut AnySolver) -> Result<Term, String> {
    let value = solver.value(term, 0).and_then(|v| v.term(term.sort()));
    value.ok_or_else(|| "a value of the play is no number".into())
}

/// The conflict at a step without good outputs. The model has outputs that keep as many
/// guarantees as can be kept.
fn stuck(arena: &Arena, soft: &[bool], solver: &mut AnySolver) -> Result<Vec<usize>, String> {
    let mut wanted: Vec<(Literal, usize)> = Vec::new();
    for (at, guarantee) in arena.guarantees.iter().enumerate() {
        match soft[at] {
            true => {
                let literal = solver.literal();
                solver.assert_if(literal, guarantee, 0);
                wanted.push((literal, at));
            }
            false => solver.assert(guarantee, 0),
        }
    }
    if solver.check(&[]) != Answer::Sat {
        return Ok(Vec::new());
    }
    let mentioned: Vec<Var> = arena.guarantees.iter().flat_map(Term::vars).collect();
    let constants = constants(arena).filter(|one| one.vars().iter().all(|v| mentioned.contains(v)));
    let memory = arena.memory.iter().map(|memory| memory.var.clone());
    let mut given = Vec::new();
    for var in arena.inputs.iter().cloned().chain(memory).chain(constants) {
        given.push(eq(&var, &value(&var, solver)?));
    }
    solver.assert(&and(given), 0);
    let mut conflict = wanted.clone();
    let mut at = 0;
    loop {
        let literals: Vec<Literal> = conflict.iter().map(|(literal, _)| *literal).collect();
        match solver.check(&literals) {
            Answer::Unsat => {
                let core = solver.core();
                conflict.retain(|(literal, _)| core.contains(literal));
            }
            _ => return Err("the last step of the play has good outputs".into()),
        }
        // Each element in turn is left out.
        let mut smaller = None;
        while at < conflict.len() && smaller.is_none() {
            let others = conflict.iter().filter(|one| **one != conflict[at]);
            let without: Vec<(Literal, usize)> = others.copied().collect();
            let literals: Vec<Literal> = without.iter().map(|(literal, _)| *literal).collect();
            match solver.check(&literals) {
                Answer::Unsat => smaller = Some(without),
                _ => at += 1,
            }
        }
        match smaller {
            Some(smaller) => conflict = smaller,
            None => break,
        }
    }
    let soft: Vec<(Literal, u32)> = wanted.iter().map(|(literal, _)| (*literal, 1)).collect();
    if solver.check_soft(&[], &soft) != Answer::Sat && solver.check(&[]) != Answer::Sat {
        return Err("the last step of the play has no model".into());
    }
    Ok(conflict.into_iter().map(|(_, at)| at).collect())
}
