//! Do equations that refer to each other within a step have a solution?
//!
//! The streams L of a loop are the unknowns of L = E(x, L), where x are the state and
//! the inputs. The equations are acceptable if each reachable x leaves a solution. This
//! is a question with two quantifiers, ∀x ∃L, and it is answered without any of them, by
//! counterexample-guided search for solutions that are terms over x:
//!
//! 1. Is there an x that none of the candidates t(x) found so far solves? If not, the
//!    equations always have a solution: the candidates show it.
//! 2. Is there a solution L₀ for this very x? If not, x is where they have none.
//! 3. From L₀ come new candidates. E(x, E(x, … L₀)), with as many E as there are
//!    unknowns: where conditions that do not depend on the loop break it, this is the
//!    solution for each such x. And E with the comparisons that read L replaced by their
//!    outcomes under L₀: the branches that this solution takes.
//!
//! All queries are without quantifiers, so that nothing rests on their elimination. An x
//! is an initial state, or the successor of any state with a solution: so what several
//! instances remember of the same stream is the same. No assertion, assumption or declared
//! subrange is relied upon: a node may be called with arguments that violate them, and
//! that has to be told, not hidden behind equations without a solution.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::time::Duration;

use proof::Cone;
use smt::{Answer, AnySolver, Scalar, Solver, SolverContext};
use system::{Kind, Sort, System, Term, Var, and, boolean, eq, implies, not, substitute};

use crate::blackboard::{Observation, Run};

/// A stream of a loop, as a variable of the reduced system.
#[derive(Clone, Debug)]
pub struct LoopEquation {
    pub unknown: Term,
    pub defined: Term,
    /// The equation holds where its instance runs.
    pub active: Term,
}

/// What is known of the solutions of a loop.
#[derive(Clone, Debug)]
pub enum Solutions {
    /// There is one for each state and input.
    Always,
    /// There is none at this step.
    Missing(Run),
    /// The solver came to no answer.
    Open,
}

/// The solver's work, and the time it may take.
const WORK: u64 = 50_000_000;
const TIME: Duration = Duration::from_secs(20);

/// The longest search.
const ROUNDS: usize = 200;

/// Do the equations have a solution whatever the state and the inputs are? What is
/// assumed holds at every step.
pub fn solutions(
    context: &SolverContext,
    system: &Arc<System>,
    equations: &[LoopEquation],
    assumed: &[Term],
    observed: &[Observation],
) -> Solutions {
    context.refuel(Some(WORK), Some(TIME));
    let search = SolutionSearch::new(context, system, equations, assumed, observed);
    let mut candidates = Vec::new();
    let mut solutions = Solutions::Always;
    for situation in [Situation::Initial, Situation::Later] {
        if let Solutions::Always = solutions {
            solutions = search.in_situation(situation, &mut candidates);
        }
    }
    context.refuel(None, None);
    solutions
}

/// The states that are looked at.
#[derive(Clone, Copy)]
enum Situation {
    Initial,
    Later,
}

/// Terms for the unknowns, in the order of the equations.
type Candidate = Vec<Term>;

struct SolutionSearch<'a> {
    context: &'a SolverContext,
    system: &'a Arc<System>,
    equations: &'a [LoopEquation],
    assumed: &'a [Term],
    observed: &'a [Observation],
    cone: Cone,
    unknowns: HashSet<Var>,
    /// What the equations depend on.
    given: Vec<Term>,
}

impl<'a> SolutionSearch<'a> {
    fn new(
        context: &'a SolverContext,
        system: &'a Arc<System>,
        equations: &'a [LoopEquation],
        assumed: &'a [Term],
        observed: &'a [Observation],
    ) -> SolutionSearch<'a> {
        let parts = equations.iter().flat_map(|e| [&e.defined, &e.active]);
        let roots: Vec<Term> = parts.cloned().collect();
        let unknowns = equations.iter().flat_map(|e| e.unknown.vars());
        let unknowns: HashSet<Var> = unknowns.collect();
        let mut given: Vec<Var> = roots.iter().flat_map(Term::vars).collect();
        given.sort();
        given.dedup();
        given.retain(|var| !unknowns.contains(var));
        let given = given.into_iter();
        SolutionSearch {
            given: given
                .map(|var| system::var(var, system.var(var).sort.clone()))
                .collect(),
            cone: Cone::of(system, roots),
            context,
            system,
            equations,
            assumed,
            observed,
            unknowns,
        }
    }

    fn in_situation(&self, situation: Situation, candidates: &mut Vec<Candidate>) -> Solutions {
        let (mut solver, step) = self.states(situation);
        for candidate in candidates.iter() {
            solver.assert(&not(&self.solved_by(candidate)), step);
        }
        for _ in 0..ROUNDS {
            match solver.check(&[]) {
                Answer::Unsat => return Solutions::Always,
                Answer::Sat => {}
                Answer::Unknown(_) => return Solutions::Open,
            }
            let values = self.given.iter().map(|term| {
                let value = solver.value(term, step)?.term(term.sort())?;
                Some(eq(term, &value))
            });
            let Some(fixed) = values.collect::<Option<Vec<Term>>>() else {
                return Solutions::Open;
            };
            match self.solutions_at(&fixed) {
                Found::Some(new) => {
                    for candidate in new {
                        solver.assert(&not(&self.solved_by(&candidate)), step);
                        candidates.push(candidate);
                    }
                }
                Found::None => {
                    let values = self.observed.iter();
                    let values = values.map(|o| o.value(&mut solver, step)).collect();
                    return Solutions::Missing(Run {
                        steps: vec![values],
                        case: None,
                    });
                }
                Found::Unknown => return Solutions::Open,
            }
        }
        Solutions::Open
    }

    /// All states of a situation, at a step of a solver.
    fn states(&self, situation: Situation) -> (AnySolver, usize) {
        let mut solver = AnySolver::new(self.context, self.system.clone());
        let step = match situation {
            Situation::Initial => {
                self.cone
                    .init
                    .iter()
                    .for_each(|term| solver.assert(term, 0));
                0
            }
            Situation::Later => {
                self.assumed.iter().for_each(|term| solver.assert(term, 0));
                solver.assert(&self.all_solved(), 0);
                for (_, current, next) in &self.cone.states {
                    solver.assert_next(current, next, 0);
                }
                1
            }
        };
        let assumed = self.assumed.iter();
        assumed.for_each(|term| solver.assert(term, step));
        (solver, step)
    }

    /// The equations themselves.
    fn all_solved(&self) -> Term {
        let equations = self.equations.iter();
        and(equations.map(|e| implies(&e.active, &eq(&e.unknown, &e.defined))))
    }

    fn reads_loop(&self, term: &Term) -> bool {
        term.vars().iter().any(|var| self.unknowns.contains(var))
    }

    /// That a candidate solves all equations.
    fn solved_by(&self, candidate: &Candidate) -> Term {
        let map = self.map(candidate);
        let solved = self.equations.iter().zip(candidate).map(|(e, value)| {
            let (active, defined) = (substitute(&e.active, &map), substitute(&e.defined, &map));
            implies(&active, &eq(value, &defined))
        });
        and(solved)
    }

    fn map(&self, candidate: &Candidate) -> HashMap<Term, Term> {
        let unknowns = self.equations.iter().map(|e| e.unknown.clone());
        unknowns.zip(candidate.iter().cloned()).collect()
    }

    /// New candidates from a solution at one state with its inputs.
    fn solutions_at(&self, fixed: &[Term]) -> Found {
        let mut solver = AnySolver::new(self.context, self.system.clone());
        fixed.iter().for_each(|term| solver.assert(term, 0));
        solver.assert(&self.all_solved(), 0);
        match solver.check(&[]) {
            Answer::Sat => {}
            Answer::Unsat => return Found::None,
            Answer::Unknown(_) => return Found::Unknown,
        }
        let values = self.equations.iter().map(|e| {
            let value = solver.value(&e.unknown, 0)?;
            value.term(e.unknown.sort())
        });
        let Some(values) = values.collect::<Option<Candidate>>() else {
            return Found::Unknown;
        };
        let branches = self.branches(&mut solver, &values);
        Found::Some(vec![self.iterated(&values), branches])
    }

    /// The values, and what the equations make of them, again and again.
    fn iterated(&self, values: &Candidate) -> Candidate {
        let mut candidate = values.clone();
        for _ in self.equations {
            let map = self.map(&candidate);
            let next = self.equations.iter();
            candidate = next.map(|e| substitute(&e.defined, &map)).collect();
        }
        candidate
    }

    /// The definitions with the comparisons of the loop decided as they are in a model.
    fn branches(&self, solver: &mut AnySolver, values: &Candidate) -> Candidate {
        let mut outcomes: HashMap<Term, Term> = HashMap::new();
        for e in self.equations {
            for atom in self.atoms(&e.defined) {
                if let Some(Scalar::Bool(value)) = solver.value(&atom, 0) {
                    outcomes.insert(atom, boolean(value));
                }
            }
        }
        let decided = self.equations.iter();
        let decided: Candidate = decided.map(|e| substitute(&e.defined, &outcomes)).collect();
        // An unknown may be the value of another one.
        let mut candidate = decided.clone();
        for _ in self.equations {
            let map = self.map(&decided);
            candidate = candidate.iter().map(|t| substitute(t, &map)).collect();
        }
        let map = self.map(values);
        candidate.iter().map(|t| substitute(t, &map)).collect()
    }

    /// The smallest propositions of a term that read the loop.
    fn atoms(&self, root: &Term) -> Vec<Term> {
        let mut seen = HashSet::new();
        let mut found = Vec::new();
        let mut open = vec![root.clone()];
        while let Some(term) = open.pop() {
            if !seen.insert(term.id()) {
                continue;
            }
            let is_proposition = *term.sort() == Sort::Bool;
            match is_proposition && !is_connective(&term) && self.reads_loop(&term) {
                true => found.push(term),
                false => term.for_each_part(|part| open.push(part.clone())),
            }
        }
        found
    }
}

enum Found {
    Some(Vec<Candidate>),
    None,
    Unknown,
}

fn is_connective(term: &Term) -> bool {
    match term.kind() {
        Kind::Not(_) | Kind::And(_) | Kind::Or(_) | Kind::Ite(..) => true,
        Kind::Eq(a, _) => *a.sort() == Sort::Bool,
        _ => false,
    }
}
