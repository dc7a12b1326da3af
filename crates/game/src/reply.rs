//! Outputs as terms: from one good output for one state and input to a rule for many.

use std::collections::{HashMap, HashSet};

use proof::qe::{Values, implicant, witnesses};
use smt::{Answer, AnySolver, Literal, Solver};
use system::{Kind, Sort, Term, Var, and, boolean, not, or, substitute};

use crate::evidence::assigned;

/// Rules are not made better if that makes them larger than this.
const LARGE: usize = 2000;

/// Terms for the outputs that are good at the state and input that the solver's assertions
/// describe; its last answer was that there are some. They are as general as can be if that is
/// wanted.
pub(crate) fn outputs(
    goal: &[Term],
    outputs: &[Term],
    general: bool,
    good: &mut AnySolver,
) -> Option<Vec<Term>> {
    let whole = and(goal.iter().cloned());
    let goal = &match general {
        true => and(far_reaching(goal, outputs, good)?),
        false => whole.clone(),
    };
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
    improve(&whole, outputs, &mut terms);
    Some(terms)
}

/// The goal with as many parts as can be replaced by what they ask of the outputs alone, whatever
/// the state and input are. Outputs that are good for these are good in many places.
fn far_reaching(goal: &[Term], outputs: &[Term], good: &mut AnySolver) -> Option<Vec<Term>> {
    let vars: HashSet<Var> = outputs.iter().flat_map(Term::vars).collect();
    let mut kept: Vec<Literal> = Vec::new();
    let mut parts = Vec::new();
    for part in goal {
        let alone = of_outputs(part, &vars, true);
        if alone != *part && !matches!(alone.kind(), Kind::Bool(_)) {
            let literal = good.literal();
            good.assert_if(literal, &alone, 0);
            kept.push(literal);
            if good.check(&kept) == Answer::Sat {
                parts.push(alone);
                continue;
            }
            kept.pop();
        }
        parts.push(part.clone());
    }
    match good.check(&kept) {
        Answer::Sat => Some(parts),
        _ => None,
    }
}

/// A formula that implies the given one, or its opposite implies its opposite, without the
/// propositions about states and inputs: these are as bad as they can be.
fn of_outputs(term: &Term, outputs: &HashSet<Var>, positive: bool) -> Term {
    let inner = |part: &Term| of_outputs(part, outputs, positive);
    if !term.vars().iter().any(|var| outputs.contains(var)) {
        return boolean(!positive);
    }
    match term.kind() {
        Kind::And(parts) => and(parts.iter().map(inner)),
        Kind::Or(parts) => or(parts.iter().map(inner)),
        Kind::Not(part) => not(&of_outputs(part, outputs, !positive)),
        Kind::Ite(c, a, b) if *term.sort() == Sort::Bool => {
            let mentions = |t: &Term| t.vars().iter().any(|var| outputs.contains(var));
            match (mentions(c), positive) {
                // Both branches, or one of them.
                (false, true) => and([inner(a), inner(b)]),
                (false, false) => or([inner(a), inner(b)]),
                (true, _) => term.clone(),
            }
        }
        _ => term.clone(),
    }
}

/// A proposition is true wherever that is good with the other outputs as they are: the rule is
/// then good wherever it was before, and wherever the other value is.
fn improve(goal: &Term, outputs: &[Term], terms: &mut [Term]) {
    let conjuncts = goal.conjuncts();
    let vars: Vec<HashSet<Var>> = conjuncts
        .iter()
        .map(|conjunct| conjunct.vars().into_iter().collect())
        .collect();
    for at in 0..outputs.len() {
        if *outputs[at].sort() != Sort::Bool {
            continue;
        }
        let var: Vec<Var> = outputs[at].vars();
        let about = conjuncts.iter().zip(&vars);
        let about = about.filter(|(_, vars)| var.iter().any(|v| vars.contains(v)));
        let about = and(about.map(|(conjunct, _)| conjunct.clone()));
        if size(&about) >= LARGE {
            continue;
        }
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
    term.subterms().take(LARGE).count()
}
