//! IC3QE: cubes by quantifier elimination.
//!
//! A cube holds states from which the target is one step away, whatever else
//! they are: the part of its pre-image that a model is in. A chain of cubes
//! is then a counterexample; where a solver outside has eliminated quantifiers, that
//! is checked, and if it is none, the solver is not asked again. What cubes are blocked
//! for does not depend on where they come from.

use std::collections::HashMap;
use std::time::Duration;

use smt::{AnySolver, Eliminator};
use system::{Term, Var, and, eq, substitute};

use super::{Ic3Options, QeExtract, QeMethod};
use crate::blackboard::Engine;
use crate::ic3::Extract;
use crate::ic3::block::Chain;
use crate::ic3::cube::Cube;
use crate::ic3::frames::Halt;
use crate::ic3::problem::Problem;
use crate::ic3::refine;
use proof::qe::{Values, implicant, implicant_avoiding, mentions, project};

/// What the elimination of quantifiers may take for one pre-image.
const PATIENCE: Duration = Duration::from_secs(2);

pub(crate) struct Preimage {
    method: QeMethod,
    extract: QeExtract,
    eliminator: Eliminator,
    next: HashMap<Term, Term>,
}

impl Preimage {
    /// A cube of the states for which there are inputs that satisfy the
    /// formula, around the state of the model.
    fn cube(
        &mut self,
        problem: &Problem,
        formula: &Term,
        solver: &mut AnySolver,
    ) -> Result<Cube, Halt> {
        let mut values = Values { solver, step: 0 };
        let inputs: Vec<Var> = formula
            .vars()
            .into_iter()
            .filter(|var| !problem.is_state(*var))
            .collect();
        let literals = self
            .literals(formula, &inputs, &mut values)
            .filter(|literals| literals.iter().all(|literal| values.is_true(literal)))
            .filter(|literals| !literals.iter().any(|literal| mentions(literal, &inputs)));
        problem.board.tell_notes();
        match literals {
            Some(literals) => Ok(Cube::new(literals)),
            None => point(problem, formula, &mut values),
        }
    }

    fn literals(
        &mut self,
        formula: &Term,
        inputs: &[Var],
        values: &mut Values,
    ) -> Option<Vec<Term>> {
        let avoided = match self.extract {
            QeExtract::First => &[],
            QeExtract::Vars => inputs,
        };
        let whole = match self.method {
            QeMethod::Cooper => {
                let literals = implicant_avoiding(formula, values, avoided)?;
                return project(&literals, inputs, values);
            }
            QeMethod::Impl => and(implicant_avoiding(formula, values, avoided)?),
            QeMethod::Precise => formula.clone(),
        };
        match self.eliminator.eliminate(&whole, inputs, PATIENCE) {
            Some(found) => implicant(&found, values),
            None => {
                let literals = implicant_avoiding(&whole, values, avoided)?;
                project(&literals, inputs, values)
            }
        }
    }
}

/// The state of the model alone.
fn point(problem: &Problem, formula: &Term, values: &mut Values) -> Result<Cube, Halt> {
    let mut literals = Vec::new();
    for var in formula.vars() {
        if problem.is_state(var) {
            let state = system::var(var, problem.system.var(var).sort.clone());
            let value = values.literal(&state).ok_or(Halt::GaveUp)?;
            literals.push(eq(&state, &value));
        }
    }
    Ok(Cube::new(literals))
}

impl Extract for Preimage {
    const ENGINE: Engine = Engine::Ic3qe;

    fn new(problem: &Problem, options: &Ic3Options) -> Preimage {
        let states = problem.cone.states.iter();
        Preimage {
            method: options.qe_method,
            extract: options.qe_extract,
            eliminator: Eliminator::new(problem.context(), problem.system),
            next: states
                .map(|(_, state, next)| (state.clone(), next.clone()))
                .collect(),
        }
    }

    fn violation(&mut self, problem: &Problem, solver: &mut AnySolver) -> Result<Cube, Halt> {
        let formula = and(problem.always().cloned().chain([problem.bad()]));
        self.cube(problem, &formula, solver)
    }

    /// All states of the target allow a step, by construction.
    fn predecessor(
        &mut self,
        problem: &Problem,
        solver: &mut AnySolver,
        target: &Cube,
    ) -> Result<Cube, Halt> {
        let reached = substitute(&target.term(), &self.next);
        let formula = and(problem.always().cloned().chain([reached]));
        self.cube(problem, &formula, solver)
    }

    /// A chain that rests on answers from outside need not be one.
    fn is_real(&mut self, problem: &Problem, chain: &Chain) -> Result<bool, Halt> {
        if !self.eliminator.is_external() || refine::is_concrete(problem, chain)? {
            return Ok(true);
        }
        let why = "has eliminated quantifiers wrongly";
        self.eliminator.dismiss(why);
        problem.board.tell_notes();
        Ok(false)
    }
}
