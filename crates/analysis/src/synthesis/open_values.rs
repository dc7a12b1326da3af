//! Values that the contract leaves open, and that a body cannot see.
//!
//! A `pre` without an initial value is any value at the first step: one that the environment
//! picks. The body computes the memory of the contract again, with a default in the place of such
//! a value. That is the same memory only as long as nothing depends on the open values.

use std::collections::{HashMap, HashSet};

use game::{Arena, Memory};
use smt::{Answer, AnySolver, Solver, SolverContext};
use system::{Kind, Term, Var, and, boolean, not, substitute};

use super::Unwritable;
use super::body::needed_memory;
use super::independence::are_independent;
use crate::realizability::{Realizable, Rules};

pub(super) struct OpenValues<'a> {
    rules: &'a Rules,
    /// Values that the environment picks at each step, and that are no inputs.
    choices: HashSet<Var>,
    /// Memory without an initial value.
    undefined: HashSet<Var>,
    /// That the first step is over.
    later: HashMap<Term, Term>,
    initial: HashMap<Term, Term>,
}

fn open_value() -> Unwritable {
    Unwritable(
        "the outputs depend on the value of a `pre` at the first step, or of a call that has not \
         run yet, which the contract does not define"
            .into(),
    )
}

impl<'a> OpenValues<'a> {
    pub fn new(rules: &'a Rules) -> OpenValues<'a> {
        let mut seen: HashSet<Var> = HashSet::new();
        for shape in &rules.lowered.inputs {
            shape.for_each_leaf(&mut |term, _| seen.extend(term.vars()));
        }
        let arena = &rules.arena;
        let inputs = arena.inputs.iter().flat_map(Term::vars);
        let (known, open): (Vec<&Memory>, Vec<&Memory>) = arena
            .memory
            .iter()
            .partition(|memory| memory.init.is_some());
        let first = rules.lowered.slots.first().map(|top| top.first.clone());
        let first = first.filter(|first| matches!(first.kind(), Kind::Var(_)));
        OpenValues {
            rules,
            choices: inputs.filter(|var| !seen.contains(var)).collect(),
            undefined: open.iter().flat_map(|memory| memory.var.vars()).collect(),
            later: first.into_iter().map(|f| (f, boolean(false))).collect(),
            initial: known
                .iter()
                .filter_map(|memory| Some((memory.var.clone(), memory.init.clone()?)))
                .collect(),
        }
    }

    /// The variables of the choices.
    pub fn choices(&self) -> impl Iterator<Item = &Term> {
        let inputs = self.rules.arena.inputs.iter();
        inputs.filter(|input| input.vars().iter().any(|var| self.choices.contains(var)))
    }

    /// Memory whose value at later steps may depend on open values.
    fn spoilt(&self, memory: &[Memory]) -> HashSet<Var> {
        let at_first = memory.iter().filter(|memory| {
            let next = substitute(&memory.next, &self.initial);
            self.is_open_at_first(&next)
        });
        let mut spoilt: HashSet<Var> = at_first.flat_map(|memory| memory.var.vars()).collect();
        spoilt.extend(&self.choices);
        let later: Vec<(Vec<Var>, Vec<Var>)> = memory
            .iter()
            .map(|memory| {
                let next = substitute(&memory.next, &self.later);
                (memory.var.vars(), next.vars())
            })
            .collect();
        loop {
            let before = spoilt.len();
            for (var, read) in &later {
                if read.iter().any(|var| spoilt.contains(var)) {
                    spoilt.extend(var);
                }
            }
            if spoilt.len() == before {
                return spoilt;
            }
        }
    }

    /// Does a term say something, and does it not depend on open values at later steps?
    pub fn is_known(&self, term: &Term) -> bool {
        let needed = needed_memory(&self.rules.arena.memory, std::slice::from_ref(term));
        let spoilt = self.spoilt(&needed);
        let vars = substitute(term, &self.later).vars();
        !vars.is_empty() && !vars.iter().any(|var| spoilt.contains(var))
    }

    fn is_open_at_first(&self, term: &Term) -> bool {
        let mut vars = term.vars().into_iter();
        vars.any(|var| self.choices.contains(&var) || self.undefined.contains(&var))
    }

    /// Do outputs win that are computed with defaults for the open values?
    pub fn check(
        &self,
        context: &SolverContext,
        won: &Realizable,
        outputs: &HashMap<Term, Term>,
        defaults: &HashMap<Term, Term>,
    ) -> Result<(), Unwritable> {
        let mut terms: Vec<Term> = outputs.values().cloned().collect();
        terms.sort_by_key(Term::id);
        let memory = needed_memory(&self.rules.arena.memory, &terms);
        let spoilt = self.spoilt(&memory);
        let later: Vec<Term> = terms
            .iter()
            .map(|term| substitute(term, &self.later))
            .collect();
        let is_spoilt = |term: &Term| term.vars().iter().any(|var| spoilt.contains(var));
        if later.iter().any(is_spoilt) {
            let first = self.later.keys().map(not);
            let arena = &self.rules.arena;
            let memory = (&memory[..], &spoilt);
            if !are_independent(context, arena, memory, &and(first), &later) {
                return Err(open_value());
            }
        }
        let at_first = |term: &Term| substitute(term, &self.initial);
        if !terms
            .iter()
            .any(|term| self.is_open_at_first(&at_first(term)))
        {
            return Ok(());
        }
        let played = outputs.iter().map(|(output, term)| {
            let term = substitute(&at_first(term), defaults);
            (output.clone(), term)
        });
        let played: HashMap<Term, Term> = played.collect();
        for (game, realization) in &won.games {
            let arena: &Arena = &game.arena;
            let next = substitute(&realization.viable(), &arena.next());
            let good = substitute(&and([arena.guaranteed(), next]), &played);
            let mut solver = AnySolver::new(context, arena.system.clone());
            solver.assert(&arena.initial(), 0);
            solver.assert(&arena.assumed(), 0);
            solver.assert(&not(&good), 0);
            if solver.check(&[]) != Answer::Unsat {
                return Err(open_value());
            }
        }
        Ok(())
    }
}
