//! Do terms depend on values that a body cannot see?
//!
//! Two copies of the game run side by side, with the same inputs and outputs and with open values
//! of their own. The memory that may differ is equal in both, or is equal while some flag of the
//! memory holds (a call that has run, a step that is not the first): the largest set of such
//! relations that is inductive is found as usual (Houdini), and has to imply that the terms are
//! equal.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use game::{Arena, Memory};
use smt::{Answer, AnySolver, Solver, SolverContext};
use system::{Kind, Sort, System, Term, Var, and, eq, not, or, substitute};

/// Larger sets of relations are not tried.
const MANY: usize = 400;

/// Are the terms equal in both copies, at the steps that `when` allows? `open` are the variables
/// that may differ.
pub(super) fn are_independent(
    context: &SolverContext,
    arena: &Arena,
    (memory, open): (&[Memory], &HashSet<Var>),
    when: &Term,
    terms: &[Term],
) -> bool {
    let mut system: System = (*arena.system).clone();
    let mut other: HashMap<Term, Term> = HashMap::new();
    let mut open: Vec<Var> = open.iter().copied().collect();
    open.sort();
    for var in open {
        let declared = system.var(var).clone();
        let sort = declared.sort.clone();
        let copy = system::var(Var(system.vars.len() as u32), sort.clone());
        system.vars.push(declared);
        other.insert(system::var(var, sort), copy);
    }
    let system = Arc::new(system);
    let solver = || AnySolver::new(context, system.clone());
    let mut relations = candidates(memory, &other);
    if relations.len() > MANY {
        return false;
    }
    let mut first = solver();
    first.assert(&arena.initial(), 0);
    relations.retain(|relation| is_implied(&mut first, relation));
    let mut next: HashMap<Term, Term> = HashMap::new();
    for memory in memory {
        next.insert(memory.var.clone(), memory.next.clone());
        if let Some(copy) = other.get(&memory.var) {
            next.insert(copy.clone(), substitute(&memory.next, &other));
        }
    }
    loop {
        let mut step = solver();
        step.assert(&arena.assumed(), 0);
        step.assert(&and(relations.iter().cloned()), 0);
        let before = relations.len();
        relations.retain(|relation| is_implied(&mut step, &substitute(relation, &next)));
        if relations.len() == before {
            step.assert(when, 0);
            let mut terms = terms.iter();
            return terms.all(|term| is_implied(&mut step, &eq(term, &substitute(term, &other))));
        }
    }
}

/// What may relate the copies of memory.
fn candidates(memory: &[Memory], other: &HashMap<Term, Term>) -> Vec<Term> {
    let is_flag =
        |memory: &&Memory| *memory.var.sort() == Sort::Bool && !other.contains_key(&memory.var);
    let flags: Vec<&Term> = memory.iter().filter(is_flag).map(|m| &m.var).collect();
    let mut found = Vec::new();
    for memory in memory {
        let Some(copy) = other.get(&memory.var) else {
            continue;
        };
        let same = eq(&memory.var, copy);
        found.push(same.clone());
        for flag in &flags {
            found.push(or([(*flag).clone(), same.clone()]));
            found.push(or([not(flag), same.clone()]));
        }
    }
    found
}

fn is_implied(solver: &mut AnySolver, term: &Term) -> bool {
    if matches!(term.kind(), Kind::Bool(true)) {
        return true;
    }
    let denied = solver.literal();
    solver.assert_if(denied, &not(term), 0);
    solver.check(&[denied]) == Answer::Unsat
}
