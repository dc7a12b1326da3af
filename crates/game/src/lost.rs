//! States and inputs for which no output is good, generalised.
//!
//! One state and input for which no output keeps the guarantees and leads to a viable state is
//! known. Which literals about them are to blame? First those that the guarantees are made of;
//! where they are not enough, a solver finds another state and input in the region they
//! describe, with a good output, and projecting the outputs out of the reason (`proof::qe`)
//! gives a literal that tells the two apart.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::time::Duration;

use proof::qe::{
    Values, definitions, eliminate_all, implicant, implicant_avoiding, normal, project, witnesses,
};
use smt::{Answer, AnySolver, Eliminator, Literal, Solver, SolverContext};
use system::{Kind, Sort, System, Term, Var, and, boolean, not, substitute};

use crate::evidence::{Lost, assigned};
use crate::fixpoint::{Elimination, Halt, SearchOptions};

/// How many times two states are told apart before the search falls back on one point.
const ROUNDS: usize = 300;
/// What the elimination of the outputs by a solver may take.
const PATIENCE: Duration = Duration::from_secs(2);
/// A smaller conflict is looked for if it has at most so many literals.
const SMALL: usize = 40;

/// The assumptions that queries about good outputs are made with.
#[derive(Default)]
pub(crate) struct Guards(HashMap<Term, Literal>);

impl Guards {
    fn of(&mut self, term: &Term, solver: &mut AnySolver) -> Literal {
        *self.0.entry(term.clone()).or_insert_with(|| {
            let literal = solver.literal();
            solver.assert_if(literal, term, 0);
            literal
        })
    }
}

/// What the search for a region needs.
pub(crate) struct Blame<'a> {
    pub context: &'a SolverContext,
    pub system: &'a Arc<System>,
    pub options: SearchOptions,
    pub eliminator: &'a mut Eliminator,
    /// Its model has the state and input.
    pub point: &'a mut AnySolver,
    /// Answers whether there are good outputs; its scope has nothing else.
    pub good: &'a mut AnySolver,
    pub guards: &'a mut Guards,
    /// That the outputs are good.
    pub goal: &'a Term,
    pub outputs: &'a [Var],
    /// Propositions without outputs that occur in the goal.
    pub predicates: &'a [Term],
    /// The variables of states and inputs.
    pub given: &'a [Term],
}

impl Blame<'_> {
    fn here(&mut self, term: &Term) -> Option<bool> {
        self.point.holds(term, 0)
    }

    /// Literals that hold at the point and exclude all good outputs.
    pub fn region(&mut self) -> Result<Vec<Term>, Halt> {
        for part in self.goal.conjuncts() {
            let is_given = !part.vars().iter().any(|var| self.outputs.contains(var));
            if is_given && self.here(&part) == Some(false) {
                return Ok(vec![not(&part)]);
            }
        }
        let mut literals = Vec::new();
        let (easy, hard): (Vec<&Term>, Vec<&Term>) =
            self.predicates.iter().partition(|one| is_linear(one));
        for (at, predicate) in easy.iter().chain(&hard).enumerate() {
            // Arithmetic that is not linear is hard, and seldom needed.
            if at == easy.len() && !literals.is_empty() {
                let core = self.context.share(10, || self.blamed(&literals));
                if let Ok(Some(core)) = core {
                    return self.smaller(core);
                }
            }
            match self.point.holds(predicate, 0) {
                Some(true) => literals.push((*predicate).clone()),
                Some(false) => literals.push(not(predicate)),
                None => {}
            }
        }
        for _ in 0..ROUNDS {
            match self.blamed(&literals)? {
                Some(core) => return self.smaller(core),
                None => match self.difference() {
                    Some(literal) if !literals.contains(&literal) => literals.push(literal),
                    _ => break,
                },
            }
        }
        self.single_point()
    }

    /// Those of the literals that exclude all good outputs, if they do.
    fn blamed(&mut self, literals: &[Term]) -> Result<Option<Vec<Term>>, Halt> {
        let mut guards = Vec::new();
        for literal in literals {
            guards.push(self.guards.of(literal, self.good));
        }
        match self.good.check(&guards) {
            Answer::Sat => Ok(None),
            Answer::Unsat => {
                let core: HashSet<Literal> = self.good.core().into_iter().collect();
                let blamed = literals.iter().zip(&guards);
                let blamed = blamed.filter(|(_, guard)| core.contains(guard));
                Ok(Some(blamed.map(|(literal, _)| literal.clone()).collect()))
            }
            Answer::Unknown(why) => Err(Halt(why)),
        }
    }

    /// A literal that holds at the point, and not at the state and input of the last model.
    fn difference(&mut self) -> Option<Term> {
        let mut values = Values {
            solver: self.good,
            step: 0,
        };
        let avoided = match self.options.few_outputs {
            true => self.outputs,
            false => &[],
        };
        let literals = implicant_avoiding(self.goal, &mut values, avoided)?;
        let whole = match self.options.elimination {
            Elimination::Projection => None,
            Elimination::Implicant => Some(and(literals.iter().cloned())),
            Elimination::Precise => Some(self.goal.clone()),
        };
        let eliminated = whole.and_then(|whole| {
            let found = self.eliminator.eliminate(&whole, self.outputs, PATIENCE)?;
            implicant(&found, &mut values)
        });
        let projected = match eliminated {
            Some(projected) => projected,
            None => project(&literals, self.outputs, &mut values)?,
        };
        let mut apart = projected.iter().filter(|literal| {
            let value = self.point.holds(literal, 0);
            value == Some(false)
        });
        Some(not(apart.next()?))
    }

    fn smaller(&mut self, mut core: Vec<Term>) -> Result<Vec<Term>, Halt> {
        if core.len() > SMALL {
            return Ok(core);
        }
        let mut at = 0;
        while at < core.len() {
            let mut without = core.clone();
            without.remove(at);
            match self.blamed(&without)? {
                Some(smaller) => core = smaller,
                None => at += 1,
            }
        }
        Ok(core)
    }

    /// The point alone.
    fn single_point(&mut self) -> Result<Vec<Term>, Halt> {
        let mut literals = Vec::new();
        for var in self.given {
            let value = self.point.value(var, 0).and_then(|v| v.term(var.sort()));
            let value = value.ok_or_else(|| Halt("a value that is no number".into()))?;
            literals.push(system::eq(var, &value));
        }
        match self.blamed(&literals)? {
            Some(core) => self.smaller(core),
            None => Err(Halt("a function has more than one value".into())),
        }
    }

    /// The states that are lost by inputs in a region that keep the assumptions.
    pub fn states(&mut self, region: Vec<Term>, assumed: &Term, inputs: &[Term]) -> Option<Lost> {
        let formula = and(region.into_iter().chain(assumed.conjuncts()));
        let defined = definitions(&formula, inputs);
        let reduced = substitute(&formula, &defined);
        let open: Vec<Term> = inputs
            .iter()
            .filter(|input| !defined.contains_key(*input))
            .cloned()
            .collect();
        let mut values = Values {
            solver: self.point,
            step: 0,
        };
        let literals = implicant(&reduced, &mut values)?;
        if let Some(found) = eliminate_all(&literals, &open, &mut values) {
            let played = assigned(&open, &found.terms);
            let (all, cube) = (substitute(&reduced, &played), normal(&and(found.rest)));
            // The cube is smaller, but has no conditionals.
            let is_plain =
                |term: &Term| !term.subterms().any(|t| matches!(t.kind(), Kind::Ite(..)));
            let states = match found.terms.iter().all(is_plain) {
                true => normal(&all),
                false if self.implies(&cube, &all) => cube,
                false => boolean(false),
            };
            if self.here(&states) == Some(true) {
                return Some(self.by(states, inputs, &defined, &played));
            }
        }
        let mut values = Values {
            solver: self.point,
            step: 0,
        };
        let terms = witnesses(&literals, &open, &mut values)?;
        let mut played = assigned(&open, &terms);
        let mut states = substitute(&reduced, &played);
        if self.here(&states) != Some(true) {
            let values = open
                .iter()
                .map(|var| self.point.value(var, 0)?.term(var.sort()));
            let values: Vec<Term> = values.collect::<Option<_>>()?;
            played = assigned(&open, &values);
            states = substitute(&reduced, &played);
            if self.here(&states) != Some(true) {
                return None;
            }
        }
        Some(self.by(normal(&states), inputs, &defined, &played))
    }

    /// States that are lost by inputs that have a definition or are played.
    fn by(
        &self,
        states: Term,
        inputs: &[Term],
        defined: &HashMap<Term, Term>,
        played: &HashMap<Term, Term>,
    ) -> Lost {
        let inputs = inputs.iter().map(|input| match defined.get(input) {
            Some(term) => substitute(term, played),
            None => played[input].clone(),
        });
        Lost {
            states,
            inputs: inputs.collect(),
            steps: 0,
        }
    }

    /// Does one formula imply another?
    fn implies(&self, a: &Term, b: &Term) -> bool {
        let mut solver = AnySolver::new(self.context, self.system.clone());
        solver.assert(a, 0);
        solver.assert(&not(b), 0);
        solver.check(&[]) == Answer::Unsat
    }
}

/// Is there no product or quotient of variables in a term?
fn is_linear(term: &Term) -> bool {
    let is_number = |term: &Term| matches!(term.kind(), Kind::Int(_) | Kind::Real(_));
    term.subterms().all(|part| match part.kind() {
        Kind::Mul(a, b) => is_number(a) || is_number(b),
        Kind::IntDiv(_, b) | Kind::IntMod(_, b) | Kind::RealDiv(_, b) => is_number(b),
        _ => true,
    })
}

/// The largest propositions within a term that do not mention the variables.
pub(crate) fn predicates(root: &Term, vars: &HashSet<Var>, found: &mut Vec<Term>) {
    let mut seen = HashSet::new();
    let mut open = vec![root.clone()];
    while let Some(term) = open.pop() {
        if !seen.insert(term.clone()) {
            continue;
        }
        let is_free = !term.vars().iter().any(|var| vars.contains(var));
        if is_free && *term.sort() == Sort::Bool {
            // A negation is no other question.
            let term = match term.kind() {
                Kind::Not(inner) => inner.clone(),
                _ => term,
            };
            if !matches!(term.kind(), Kind::Bool(_)) && !found.contains(&term) {
                found.push(term);
            }
        } else if !is_free {
            term.for_each_part(|part| open.push(part.clone()));
        }
    }
}
