//! IC3, also known as property directed reachability, modulo theories.
//!
//! A sequence of frames over-approximates the states that so many steps can
//! reach. States of the last frame that violate the property are blocked:
//! excluded, together with many others, because the frame before does not
//! reach them. Clauses that hold one step later are pushed up; when two frames
//! are equal, they are an inductive invariant.
//!
//! A file a technique: [`frames`], [`block`], [`generalise`], [`push`]. The
//! two engines differ in how a state becomes a cube, and in what a chain of
//! cubes from an initial to a bad state means:
//!
//! - [`abstraction`]: IC3IA. Cubes are valuations of predicates; a chain may
//!   be spurious, and then [`refine`] finds more predicates
//!   ([`backward`] and [`forward`] are two ways to do so).
//! - [`preimage`]: IC3QE. Cubes are parts of pre-images; a chain is a
//!   counterexample.

mod abstraction;
mod backward;
mod block;
mod cube;
mod forward;
mod frames;
mod generalise;
mod log;
mod options;
mod preimage;
mod problem;
mod push;
mod refine;

use std::collections::{HashMap, HashSet};

use proof::Lemma;
use smt::{AnySolver, Limits};
use system::{PropertyId, Term, and};

use crate::blackboard::Engine;
use crate::bmc;
use crate::conclude::conclude;
use crate::ic3::abstraction::Abstraction;
use crate::ic3::block::Chain;
use crate::ic3::cube::Cube;
use crate::ic3::frames::{Frames, Halt};
use crate::ic3::generalise::Activity;
pub use crate::ic3::log::ClauseLog;
pub use crate::ic3::options::{IC3IA, IC3QE, Ic3Options, QE, QeExtract, QeMethod};
use crate::ic3::preimage::Preimage;
use crate::ic3::problem::Problem;
use crate::job_board::JobBoard;
use crate::task::{Prover, Task};

/// How states become cubes, and what chains of cubes mean.
pub(crate) trait Extract: Sized {
    const ENGINE: Engine;

    fn new(problem: &Problem, options: &Ic3Options) -> Self;

    /// A cube around the state of the solver's model, which violates the
    /// property.
    fn violation(&mut self, problem: &Problem, solver: &mut AnySolver) -> Result<Cube, Halt>;

    /// A cube around the first state of the solver's model, whose second state
    /// is in the target.
    fn predecessor(
        &mut self,
        problem: &Problem,
        solver: &mut AnySolver,
        target: &Cube,
    ) -> Result<Cube, Halt>;

    /// Is the chain a counterexample? If not, cubes will be different now.
    fn is_real(&mut self, problem: &Problem, chain: &Chain) -> Result<bool, Halt>;
}

pub(crate) struct Ic3<'a, E> {
    problem: Problem<'a>,
    options: Ic3Options,
    extract: E,
    frames: Frames,
    activity: Activity,
    /// What cubes were before they were generalised.
    originals: HashMap<Cube, Cube>,
    /// Clauses that were asked about on their own.
    examined: HashSet<Cube>,
    /// What may be spent until others have their turn.
    left: usize,
    log: Option<ClauseLog>,
}

enum Outcome {
    Proved(Term),
    /// In at most so many steps.
    Refuted(usize),
}

impl<'a, E: Extract> Ic3<'a, E> {
    fn new(problem: Problem<'a>, options: Ic3Options, log: Option<ClauseLog>) -> Ic3<'a, E> {
        Ic3 {
            extract: E::new(&problem, &options),
            frames: Frames::new(&problem, options.subsume),
            options,
            activity: Activity::default(),
            originals: HashMap::new(),
            examined: HashSet::new(),
            left: 0,
            log,
            problem,
        }
    }

    /// Goes on until there is an outcome, or the budget is spent.
    fn go(&mut self, budget: usize) -> Result<Outcome, Halt> {
        self.left = budget;
        if self.frames.violates(0)? {
            return Ok(Outcome::Refuted(0));
        }
        loop {
            self.read_lemmas();
            let last = self.frames.last();
            while self.frames.violates(last)? {
                let solver = self.frames.violation();
                let cube = self.extract.violation(&self.problem, solver)?;
                if let Some(chain) = self.block(cube, last)?
                    && self.extract.is_real(&self.problem, &chain)?
                {
                    return Ok(Outcome::Refuted(chain.len() - 1));
                }
            }
            self.frames.extend();
            if let Some(level) = self.push()? {
                return Ok(Outcome::Proved(and(self.frames.invariant(level))));
            }
        }
    }

    fn read_lemmas(&mut self) {
        if !self.options.use_lemmas {
            return;
        }
        for Lemma { term, .. } in self.problem.new_lemmas() {
            self.frames.assume(&term);
        }
    }

    /// Excludes the states of a cube from the frames up to a level.
    fn exclude(&mut self, cube: Cube, level: usize) {
        if let Some(log) = &self.log {
            let system = self.problem.system;
            let property = &system.property(self.problem.id).name;
            log.clause(property, level, &smt::text(system, &cube.negation()));
        }
        self.frames.block(cube, level);
    }

    fn spend(&mut self) -> Result<(), Halt> {
        if self.problem.is_over() {
            return Err(Halt::GaveUp);
        }
        self.left = self.left.checked_sub(1).ok_or(Halt::Spent)?;
        Ok(())
    }
}

/// Turns of the main loops, for a property, in the first round.
const BUDGET: usize = 500;
/// How much more there is in the next round.
const GROWTH: usize = 2;
/// The solver's resource units for one question, if others wait.
const QUERY: u32 = 20_000_000;

/// IC3 with implicit abstraction, on its properties in turn.
pub(crate) struct Ic3ia;

impl Prover for Ic3ia {
    fn run(&self, task: &Task, board: &JobBoard) {
        run::<Abstraction>(task, board, Ic3Options::of_abstraction(), None);
    }
}

/// IC3 with quantifier elimination, on its properties in turn.
pub(crate) struct Ic3qe;

impl Prover for Ic3qe {
    fn run(&self, task: &Task, board: &JobBoard) {
        let settings = &task.settings;
        run::<Preimage>(
            task,
            board,
            settings.ic3.clone(),
            settings.ic3qe_log.as_ref(),
        );
    }
}

/// Each property has an instance of its own; they take turns.
fn run<E: Extract>(task: &Task, board: &JobBoard, options: Ic3Options, log: Option<&ClauseLog>) {
    let system = &task.system;
    let instance = |id: &PropertyId| {
        let problem = Problem::new(system, board, *id, options.use_lemmas, &task.fit);
        Ic3::<E>::new(problem, options.clone(), log.cloned())
    };
    let mut waiting: Vec<PropertyId> = task.properties.clone();
    waiting.reverse();
    let mut instances: Vec<Ic3<E>> = Vec::new();
    let mut budget = BUDGET;
    while !board.stopped() {
        // In the first round, instances are made when their turn comes.
        let mut open = std::mem::take(&mut instances);
        open.reverse();
        while let Some(mut ic3) = open.pop().or_else(|| waiting.pop().as_ref().map(&instance)) {
            let alone = open.is_empty() && waiting.is_empty() && instances.is_empty();
            ic3.frames.limit(Limits {
                resources: (!alone).then_some(QUERY),
                ..Limits::default()
            });
            if ic3.turn(task, if alone { usize::MAX } else { budget }) {
                instances.push(ic3);
            }
        }
        if instances.is_empty() {
            return;
        }
        budget = budget.saturating_mul(GROWTH);
    }
}

impl<E: Extract> Ic3<'_, E> {
    /// Some work on the property; is there more to do?
    fn turn(&mut self, task: &Task, budget: usize) -> bool {
        if self.problem.is_over() {
            return false;
        }
        let outcome = self.go(budget);
        let me = E::ENGINE;
        let problem = &self.problem;
        let (system, board, id) = (problem.system, problem.board, problem.id);
        match outcome {
            Ok(Outcome::Proved(found)) => {
                conclude(system, board, me, &[id], &found, &problem.lemmas);
                false
            }
            Ok(Outcome::Refuted(depth)) => {
                bmc::refute(task, board, me, id, depth);
                false
            }
            Err(Halt::Spent) => true,
            Err(Halt::GaveUp) => false,
        }
    }
}
