//! Implicit predicate abstraction (Cimatti, Griggio, Mover and Tonetta: *IC3
//! Modulo Theories via Implicit Predicate Abstraction*).
//!
//! A cube says of each predicate whether it holds. Since frames are made of
//! predicates, a question about an abstract step is the same question about a
//! step of the system: nothing is eliminated.

use std::collections::HashSet;

use smt::{AnySolver, Interpolator, Scalar, Solver};
use system::{Sort, Term, not};

use super::Ic3Options;
use crate::blackboard::Engine;
use crate::ic3::Extract;
use crate::ic3::block::Chain;
use crate::ic3::cube::{Cube, atoms};
use crate::ic3::frames::Halt;
use crate::ic3::problem::Problem;
use crate::ic3::refine;

/// Predicates to start with.
const MAX_INITIAL: usize = 400;

pub(crate) struct Abstraction {
    predicates: Vec<Term>,
    known: HashSet<Term>,
    interpolator: Interpolator,
}

impl Abstraction {
    /// Adds the atoms of a term that speak of the state only; says whether
    /// there was a new one.
    fn add(&mut self, problem: &Problem, term: &Term) -> bool {
        let before = self.predicates.len();
        for atom in atoms(term) {
            let vars = atom.vars();
            let of_state = !vars.is_empty() && vars.iter().all(|var| problem.is_state(*var));
            if of_state && self.known.insert(atom.clone()) {
                self.predicates.push(atom);
            }
        }
        self.predicates.len() > before
    }

    fn cube(&self, solver: &mut AnySolver) -> Cube {
        let literals =
            self.predicates
                .iter()
                .filter_map(|predicate| match solver.value(predicate, 0)? {
                    Scalar::Bool(true) => Some(predicate.clone()),
                    Scalar::Bool(false) => Some(not(predicate)),
                    _ => None,
                });
        Cube::new(literals)
    }
}

impl Extract for Abstraction {
    const ENGINE: Engine = Engine::Ic3ia;

    /// Starts with what the property, the initial states and the conditions in
    /// the model say of the state.
    fn new(problem: &Problem, _: &Ic3Options) -> Abstraction {
        let mut abstraction = Abstraction {
            predicates: Vec::new(),
            known: HashSet::new(),
            interpolator: Interpolator::new(problem.context()),
        };
        let states = &problem.cone.states;
        let booleans = states
            .iter()
            .filter(|(_, state, _)| *state.sort() == Sort::Bool);
        let booleans = booleans.map(|(_, state, _)| state);
        let nexts = states.iter().map(|(_, _, next)| next);
        let first = [&problem.invariant].into_iter().chain(&problem.cone.init);
        for term in first.chain(booleans).chain(problem.always()).chain(nexts) {
            if abstraction.predicates.len() < MAX_INITIAL {
                abstraction.add(problem, term);
            }
        }
        abstraction
    }

    fn violation(&mut self, _: &Problem, solver: &mut AnySolver) -> Result<Cube, Halt> {
        Ok(self.cube(solver))
    }

    fn predecessor(&mut self, _: &Problem, solver: &mut AnySolver, _: &Cube) -> Result<Cube, Halt> {
        Ok(self.cube(solver))
    }

    fn is_real(&mut self, problem: &Problem, chain: &Chain) -> Result<bool, Halt> {
        if refine::is_concrete(problem, chain)? {
            return Ok(true);
        }
        let outside = &mut self.interpolator;
        let interpolants = refine::interpolants(problem, chain, outside);
        let interpolants = interpolants.ok_or(Halt::GaveUp)?;
        let mut refined = false;
        for interpolant in &interpolants {
            refined |= self.add(problem, interpolant);
        }
        if refined {
            Ok(false)
        } else {
            Err(Halt::GaveUp)
        }
    }
}
