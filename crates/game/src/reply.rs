//! Outputs as terms: from one good output for one state and input to a rule for many.

use std::collections::HashMap;

use proof::qe::{Values, implicant, witnesses};
use smt::AnySolver;
use system::{Sort, Term, Var, and, boolean, substitute};

use crate::evidence::assigned;

/// Rules are not made better if that makes them larger than this.
const LARGE: usize = 2000;

/// Terms for the outputs that are good at the state and input of the model.
pub(crate) fn outputs(goal: &Term, outputs: &[Term], good: &mut AnySolver) -> Option<Vec<Term>> {
    let mut values = Values {
        solver: good,
        step: 0,
    };
    let literals = implicant(goal, &mut values)?;
    let mut terms = witnesses(&literals, outputs, &mut values)?;
    let map = assigned(outputs, &terms);
    if !values.is_true(&substitute(goal, &map)) {
        let fixed = outputs.iter().map(|output| values.literal(output));
        terms = fixed.collect::<Option<_>>()?;
    }
    improve(goal, outputs, &mut terms);
    Some(terms)
}

/// A proposition is true wherever that is good with the other outputs as they are: the rule is
/// then good wherever it was before, and wherever the other value is.
fn improve(goal: &Term, outputs: &[Term], terms: &mut [Term]) {
    let conjuncts = goal.conjuncts();
    for at in 0..outputs.len() {
        if *outputs[at].sort() != Sort::Bool {
            continue;
        }
        let var: Vec<Var> = outputs[at].vars();
        let about = conjuncts.iter();
        let about = about.filter(|conjunct| conjunct.vars().iter().any(|v| var.contains(v)));
        let about = and(about.cloned());
        let mut map: HashMap<Term, Term> = assigned(outputs, terms);
        map.insert(outputs[at].clone(), boolean(true));
        let better = substitute(&about, &map);
        if size(&better) < LARGE {
            terms[at] = better;
        }
    }
}

/// How many different terms a term is made of.
fn size(term: &Term) -> usize {
    let mut seen = std::collections::HashSet::new();
    let mut open = vec![term.clone()];
    while let Some(term) = open.pop() {
        if seen.insert(term.id()) {
            term.for_each_part(|part| open.push(part.clone()));
        }
    }
    seen.len()
}
