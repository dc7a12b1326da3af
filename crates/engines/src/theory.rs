//! Which properties an engine can take.
//!
//! Unrolling asks a solver for models only and handles whatever the solver
//! does. Engines that eliminate variables, or wait for a formula to come back,
//! need more; their rows in `table.rs` say what they cannot take.

use std::collections::HashSet;
use std::fmt;
use std::sync::Arc;

use proof::{Cone, Lemma};
use system::{Kind, PropertyId, Sort, System, Term, subterms};

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

/// What an engine can take of a system: the terms that depend on no theory that it
/// refuses. One property about products does not keep it from the others.
pub(crate) struct Fit {
    refused: &'static [Theory],
    pub system: Arc<System>,
    /// Nothing in the system is refused.
    all: bool,
}

impl Fit {
    pub fn of(engine: Engine, system: &Arc<System>) -> Fit {
        let refused = engine.row().refuses;
        let all = refused.is_empty() || hurdles(refused, system.terms().cloned()).is_empty();
        Fit {
            refused,
            system: system.clone(),
            all,
        }
    }

    /// For an engine that refuses nothing.
    pub fn unlimited(system: &Arc<System>) -> Fit {
        Fit {
            refused: &[],
            system: system.clone(),
            all: true,
        }
    }

    pub fn takes(&self, term: &Term) -> bool {
        self.all || hurdles(self.refused, cone(&self.system, term)).is_empty()
    }

    /// The properties that the engine can take.
    pub fn properties(&self, of: &[PropertyId]) -> Vec<PropertyId> {
        let takes = |id: &PropertyId| self.takes(&self.system.property(*id).term);
        of.iter().copied().filter(takes).collect()
    }

    /// The lemmas that the engine can take.
    pub fn lemmas(&self, mut lemmas: Vec<Lemma>) -> Vec<Lemma> {
        lemmas.retain(|lemma| self.takes(&lemma.term));
        lemmas
    }
}

/// Why the engine stays out, or out of some properties, if it does.
pub fn unable(engine: Engine, system: &Arc<System>) -> Option<String> {
    let fit = Fit::of(engine, system);
    if fit.all {
        return None;
    }
    let all = (0..system.properties.len()).map(PropertyId);
    let all: Vec<PropertyId> = all.filter(|id| !system.property(*id).hidden).collect();
    let left_out = all.len() - fit.properties(&all).len();
    if left_out == 0 {
        return None;
    }
    let stays_out = match left_out == all.len() {
        true => "stays out".to_owned(),
        false => format!("stays out of {left_out} of {} properties", all.len()),
    };
    let hurdles = hurdles(fit.refused, system.terms().cloned());
    let hurdles: Vec<String> = hurdles.iter().map(Theory::to_string).collect();
    let (name, hurdles) = (engine.name(), hurdles.join(" and "));
    Some(format!("{name} {stays_out}: it cannot handle {hurdles}"))
}

/// The refused theories that the terms are made of.
fn hurdles(refused: &[Theory], terms: impl IntoIterator<Item = Term>) -> Vec<Theory> {
    let needed = subterms(terms).filter_map(|term| theory_of(&term));
    let needed: HashSet<Theory> = needed.collect();
    let refused = refused.iter().copied();
    refused.filter(|theory| needed.contains(theory)).collect()
}

/// What a term depends on.
fn cone(system: &System, term: &Term) -> Vec<Term> {
    let cone = Cone::of(system, [term.clone()]);
    let next = cone.states.into_iter().map(|(_, _, next)| next);
    let own = cone.init.into_iter().chain(cone.constraints).chain(next);
    own.chain(cone.roots).collect()
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
    use system::{Property, Role, StateVar, Var, eq, integer, mul};

    /// A system with a square and a multiple, and a property of each.
    fn system() -> Arc<System> {
        let term = |at| system::var(Var(at), Sort::Int);
        let state = |name: &str, next| StateVar {
            next: Some(next),
            ..StateVar::new(name, Sort::Int, Role::State)
        };
        let is_zero = |at| Property::invariant("zero", eq(&term(at), &integer(0)));
        Arc::new(System {
            vars: vec![
                state("x", mul(&term(0), &term(0))),
                state("y", mul(&integer(3), &term(1))),
            ],
            properties: vec![is_zero(0), is_zero(1)],
            ..System::default()
        })
    }

    #[test]
    fn products_of_variables_are_not_linear() {
        let system = system();
        let both = [PropertyId(0), PropertyId(1)];
        let of = |engine| Fit::of(engine, &system).properties(&both);
        assert_eq!(of(Engine::Spacer), [PropertyId(1)]);
        assert_eq!(of(Engine::Bmc), both);
        assert_eq!(
            unable(Engine::Spacer, &system).as_deref(),
            Some("Spacer stays out of 1 of 2 properties: it cannot handle non-linear arithmetic")
        );
        assert_eq!(unable(Engine::Ic3ia, &system), None);
    }
}
