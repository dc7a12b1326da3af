//! Frames, and the questions that are asked about them.
//!
//! Frame i contains the states that i steps can reach. It is the conjunction
//! of the clauses of its own level and of all higher ones: a clause is stored
//! once, at the highest level that it is known for. Frame 0 is the initial
//! states. Every solver has the clauses behind one literal for each level.

use std::collections::HashMap;

use smt::{Answer, AnySolver, Limits, Literal, Solver};
use system::Term;

use crate::ic3::cube::Cube;
use crate::ic3::problem::Problem;

/// Why there is no answer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Halt {
    /// The solver gave up, or was stopped.
    GaveUp,
    /// There are others to be served.
    Spent,
}

/// Is a cube unreachable from a frame in one step?
pub(crate) enum Relative {
    /// Yes, and these literals of it are enough.
    Inductive(Cube),
    /// No; the model of the solver shows a state that reaches it.
    Reached,
}

/// A solver that knows the clauses of all levels.
struct Layered {
    solver: AnySolver,
    levels: Vec<Literal>,
    /// Literals of cubes, by the step they speak of.
    literals: HashMap<(Term, usize), Literal>,
}

impl Layered {
    fn new(problem: &Problem) -> Layered {
        let mut solver = AnySolver::new(problem.context(), problem.system.clone());
        for term in problem.always() {
            solver.assert(term, 0);
        }
        let init = solver.literal();
        for term in &problem.cone.init {
            solver.assert_if(init, term, 0);
        }
        Layered {
            solver,
            levels: vec![init],
            literals: HashMap::new(),
        }
    }

    fn block(&mut self, cube: &Cube, level: usize) {
        while self.levels.len() <= level {
            let literal = self.solver.literal();
            self.levels.push(literal);
        }
        let guard = self.levels[level];
        self.solver.assert_if(guard, &cube.negation(), 0);
    }

    /// The literals that switch a frame on.
    fn frame(&self, level: usize) -> Vec<Literal> {
        match level {
            0 => vec![self.levels[0]],
            _ => self.levels.get(level..).unwrap_or_default().to_vec(),
        }
    }

    fn literal(&mut self, term: &Term, step: usize) -> Literal {
        let key = (term.clone(), step);
        if let Some(known) = self.literals.get(&key) {
            return *known;
        }
        let literal = self.solver.literal();
        self.solver.assert_if(literal, term, step);
        self.literals.insert(key, literal);
        literal
    }

    fn cube(&mut self, cube: &Cube, step: usize) -> Vec<Literal> {
        let literals = cube.literals().iter();
        literals.map(|term| self.literal(term, step)).collect()
    }

    fn check(&mut self, assumptions: &[Literal]) -> Result<bool, Halt> {
        match self.solver.check(assumptions) {
            Answer::Sat => Ok(true),
            Answer::Unsat => Ok(false),
            Answer::Unknown(_) => Err(Halt::GaveUp),
        }
    }

    /// The literals of the cube that the last answer needed.
    fn core(&mut self, cube: &Cube, step: usize) -> Cube {
        let core = self.solver.core();
        let kept = cube.literals().iter();
        let kept = kept.filter(|term| {
            let key = ((*term).clone(), step);
            core.contains(&self.literals[&key])
        });
        Cube::new(kept.cloned().collect::<Vec<_>>())
    }
}

pub(crate) struct Frames {
    /// The cubes that are blocked, by level.
    blocked: Vec<Vec<Cube>>,
    /// Forget cubes that are parts of others.
    subsume: bool,
    /// One step, from a frame to the next.
    step: Layered,
    /// One moment: the property, and the initial states.
    here: Layered,
    bad: Literal,
    limits: Limits,
    /// Clauses in the step solver that no one needs any more.
    garbage: usize,
}

/// So many clauses for past questions slow a solver down.
const MAX_GARBAGE: usize = 2000;

impl Frames {
    pub fn new(problem: &Problem, subsume: bool) -> Frames {
        let mut here = Layered::new(problem);
        let bad = here.solver.literal();
        here.solver.assert_if(bad, &problem.bad(), 0);
        Frames {
            blocked: vec![Vec::new(); 2],
            subsume,
            step: step_solver(problem),
            here,
            bad,
            limits: Limits::default(),
            garbage: 0,
        }
    }

    /// The number of the last frame.
    pub fn last(&self) -> usize {
        self.blocked.len() - 1
    }

    pub fn extend(&mut self) {
        self.blocked.push(Vec::new());
    }

    pub fn cubes(&self, level: usize) -> &[Cube] {
        &self.blocked[level]
    }

    /// What frame `level` and all above exclude.
    pub fn invariant(&self, level: usize) -> Vec<Term> {
        let above = self.blocked[level..].iter().flatten();
        above.map(Cube::negation).collect()
    }

    /// The states of the cube are in no frame up to `level`.
    pub fn block(&mut self, cube: Cube, level: usize) {
        for below in &mut self.blocked[1..=level] {
            below.retain(|known| match self.subsume {
                true => !cube.subsumes(known),
                false => cube != *known,
            });
        }
        self.step.block(&cube, level);
        self.here.block(&cube, level);
        self.blocked[level].push(cube);
    }

    pub fn is_blocked(&self, cube: &Cube, level: usize) -> bool {
        let above = self.blocked[level..].iter().flatten();
        above.into_iter().any(|known| known.subsumes(cube))
    }

    /// Does a state of the frame violate the property?
    pub fn violates(&mut self, level: usize) -> Result<bool, Halt> {
        let mut assumptions = self.here.frame(level);
        assumptions.push(self.bad);
        self.here.check(&assumptions)
    }

    /// The literals of the cube that no initial state satisfies together;
    /// `None` if an initial state is in the cube.
    pub fn not_initial(&mut self, cube: &Cube) -> Result<Option<Cube>, Halt> {
        let mut assumptions = self.here.frame(0);
        assumptions.extend(self.here.cube(cube, 0));
        Ok(match self.here.check(&assumptions)? {
            true => None,
            false => Some(self.here.core(cube, 0)),
        })
    }

    /// Is the cube, outside of itself, unreachable from a frame in one step?
    pub fn relative(
        &mut self,
        problem: &Problem,
        cube: &Cube,
        from: usize,
    ) -> Result<Relative, Halt> {
        self.clean(problem);
        let outside = self.step.solver.literal();
        self.step.solver.assert_if(outside, &cube.negation(), 0);
        self.garbage += 1;
        self.reaches(cube, from, Some(outside))
    }

    /// Is the cube unreachable from a frame in one step?
    pub fn pushes(&mut self, cube: &Cube, from: usize) -> Result<Relative, Halt> {
        self.reaches(cube, from, None)
    }

    fn reaches(
        &mut self,
        cube: &Cube,
        from: usize,
        outside: Option<Literal>,
    ) -> Result<Relative, Halt> {
        let mut assumptions = self.step.frame(from);
        assumptions.extend(outside);
        assumptions.extend(self.step.cube(cube, 1));
        Ok(match self.step.check(&assumptions)? {
            true => Relative::Reached,
            false => Relative::Inductive(self.step.core(cube, 1)),
        })
    }

    /// What someone else has proved.
    pub fn assume(&mut self, lemma: &Term) {
        self.here.solver.assert(lemma, 0);
        self.step.solver.assert(lemma, 0);
        self.step.solver.assert(lemma, 1);
    }

    pub fn limit(&mut self, limits: Limits) {
        self.limits = limits;
        self.here.solver.limit(limits);
        self.step.solver.limit(limits);
    }

    /// The model of the last question about the property.
    pub fn violation(&mut self) -> &mut AnySolver {
        &mut self.here.solver
    }

    /// The model of the last question about a step.
    pub fn predecessor(&mut self) -> &mut AnySolver {
        &mut self.step.solver
    }

    /// A new solver for steps, when the old one has too much to remember.
    fn clean(&mut self, problem: &Problem) {
        if self.garbage < MAX_GARBAGE {
            return;
        }
        self.garbage = 0;
        self.step = step_solver(problem);
        self.step.solver.limit(self.limits);
        for (level, cubes) in self.blocked.iter().enumerate() {
            for cube in cubes {
                self.step.block(cube, level);
            }
        }
    }
}

/// One step of the system, from a state where the property holds.
fn step_solver(problem: &Problem) -> Layered {
    let mut step = Layered::new(problem);
    step.solver.assert(&problem.invariant, 0);
    for (_, state, next) in &problem.cone.states {
        step.solver.assert_next(state, next, 0);
    }
    for term in problem.always() {
        step.solver.assert(term, 1);
    }
    step
}
