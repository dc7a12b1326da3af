//! Which engine handles which theory.
//!
//! Unrolling asks a solver for models only and handles whatever the solver
//! does. Engines that eliminate variables, or wait for a formula to come back,
//! need more; the table says what they can take.

use std::collections::HashSet;
use std::fmt;

use system::{Kind, Sort, System, Term};

use crate::blackboard::Engine;

#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub(crate) enum Theory {
    Arrays,
    Quantifiers,
    NonLinear,
    BitVectors,
}

impl fmt::Display for Theory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Theory::Arrays => "arrays",
            Theory::Quantifiers => "quantifiers",
            Theory::NonLinear => "non-linear arithmetic",
            Theory::BitVectors => "machine integers",
        })
    }
}

/// What an engine cannot take.
fn refused(engine: Engine) -> &'static [Theory] {
    use Theory::*;
    match engine {
        Engine::Bmc | Engine::Induction | Engine::TwoInduction | Engine::Invariants(_) => &[],
        // Its projections are linear; free functions become inputs.
        Engine::Spacer => &[Quantifiers, NonLinear],
        // Predicates may be about anything that the solver knows.
        Engine::Ic3ia => &[Quantifiers],
        // What is not linear takes a value; an array has none that is a term.
        Engine::Ic3qe => &[Arrays, Quantifiers],
    }
}

/// Why the engine stays out, if it does.
pub fn unable(engine: Engine, system: &System) -> Option<String> {
    let refused = refused(engine);
    if refused.is_empty() {
        return None;
    }
    let needed = needed(system);
    let hurdles: Vec<String> = refused
        .iter()
        .filter(|theory| needed.contains(theory))
        .map(Theory::to_string)
        .collect();
    let name = engine.name();
    (!hurdles.is_empty()).then(|| {
        format!(
            "{name} stays out: it cannot handle {}",
            hurdles.join(" and ")
        )
    })
}

/// What the terms of a system are made of.
fn needed(system: &System) -> HashSet<Theory> {
    let vars = system.vars.iter();
    let own = vars.flat_map(|var| var.init.iter().chain(&var.next));
    let constraints = system.constraints.iter().map(|c| &c.term);
    let properties = system.properties.iter().map(|p| &p.term);
    let mut open: Vec<Term> = own.chain(constraints).chain(properties).cloned().collect();
    let mut seen = HashSet::new();
    let mut needed = HashSet::new();
    while let Some(term) = open.pop() {
        if seen.insert(term.id()) {
            needed.extend(theory_of(&term));
            term.for_each_part(|part| open.push(part.clone()));
        }
    }
    needed
}

fn theory_of(term: &Term) -> Option<Theory> {
    let is_number = |t: &Term| matches!(t.kind(), Kind::Int(_) | Kind::Real(_));
    match (term.kind(), term.sort()) {
        (Kind::Quantified(..) | Kind::Bound(_), _) => Some(Theory::Quantifiers),
        (Kind::Mul(a, b), _) if !is_number(a) && !is_number(b) => Some(Theory::NonLinear),
        (Kind::IntDiv(_, b) | Kind::IntMod(_, b) | Kind::RealDiv(_, b), _) if !is_number(b) => {
            Some(Theory::NonLinear)
        }
        (_, Sort::Array(_)) => Some(Theory::Arrays),
        (_, Sort::BitVec(_)) => Some(Theory::BitVectors),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use system::{Role, StateVar, Var, integer, mul};

    fn system(next: impl Fn(&Term) -> Term) -> System {
        let x = system::var(Var(0), Sort::Int);
        System {
            vars: vec![StateVar {
                next: Some(next(&x)),
                ..StateVar::new("x", Sort::Int, Role::State)
            }],
            ..System::default()
        }
    }

    #[test]
    fn products_of_variables_are_not_linear() {
        assert_eq!(
            unable(Engine::Spacer, &system(|x| mul(&integer(3), x))),
            None
        );
        let square = system(|x| mul(x, x));
        assert!(unable(Engine::Spacer, &square).is_some_and(|why| why.contains("non-linear")));
        assert_eq!(unable(Engine::Bmc, &square), None);
    }
}
