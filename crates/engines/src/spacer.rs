//! Spacer: Z3's Horn solver on the states behind `pre`.
//!
//! The properties are asked about in turn, each with a budget of the solver's
//! resource units that grows from round to round; the last one left has no
//! budget. An invariant that comes back is certified before anyone believes
//! it; a refutation is only a depth, up to which bounded model checking then
//! looks for the run.
//!
//! Horn clauses have no free functions. The value of one, such as that of a division by zero,
//! becomes an input, which may have any value each time: an invariant of that system is one of
//! the original, and a refutation is only a depth anyway.

use std::collections::HashMap;
use std::sync::Arc;

use proof::{Cone, Lemma, invariant};
use smt::{Fixpoint, Lemmas, Limits, Safety};
use system::{
    Kind, PropertyId, Role, StateVar, System, Term, Var, not, or, substitute, subterms, var,
};

use crate::blackboard::Engine;
use crate::bmc;
use crate::conclude::conclude;
use crate::job_board::JobBoard;
use crate::task::{Prover, Task};

const ME: Engine = Engine::Spacer;

/// Resource units for a property in the first round.
const BUDGET: u32 = 2_000_000;
/// How much more there is in the next round.
const GROWTH: u32 = 4;

/// Spacer, with lemmas of a kind.
pub(crate) struct Spacer {
    lemmas: Lemmas,
}

impl Spacer {
    pub const GENERAL: Spacer = Spacer {
        lemmas: Lemmas::General,
    };

    /// Lemmas are not generalised.
    pub const PLAIN: Spacer = Spacer {
        lemmas: Lemmas::Plain,
    };
}

impl Prover for Spacer {
    fn run(&self, task: &Task, board: &JobBoard) {
        run(task, board, self.lemmas);
    }
}

fn run(task: &Task, board: &JobBoard, kind: Lemmas) {
    let spacer = Attempts { task, board, kind };
    let mut open = task.properties.clone();
    let mut budget = BUDGET;
    // What holds together is often proved together.
    if open.len() > 1 {
        spacer.attempt(&open, Some(budget));
    }
    loop {
        let mut left = Vec::new();
        for id in &open {
            let limit = (open.len() > 1).then_some(budget);
            if spacer.attempt(&[*id], limit) == Progress::Undecided {
                left.push(*id);
            }
        }
        left.retain(|id| board.is_open(*id));
        if left.is_empty() || board.stopped() || open.len() == 1 {
            return;
        }
        open = left;
        budget = budget.saturating_mul(GROWTH);
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Progress {
    Decided,
    /// A larger budget may help.
    Undecided,
    /// More of the same will not help.
    Stuck,
}

struct Attempts<'a> {
    task: &'a Task,
    board: &'a JobBoard,
    kind: Lemmas,
}

impl Attempts<'_> {
    /// Asks whether any of the properties can be violated.
    fn attempt(&self, properties: &[PropertyId], budget: Option<u32>) -> Progress {
        let is_open = |id: &PropertyId| self.board.is_open(*id);
        if self.board.stopped() || !properties.iter().all(is_open) {
            return Progress::Decided;
        }
        let lemmas = self.task.fit.lemmas(self.board.lemmas_from(0));
        let question = self.question(properties, &lemmas);
        let limits = Limits {
            resources: budget,
            ..Limits::default()
        };
        let (system, question) = without_functions(&self.task.system, question);
        match smt::spacer(&self.board.context, &system, &question, self.kind, limits) {
            Fixpoint::Safe(found) => {
                let system = &self.task.system;
                match conclude(system, self.board, ME, properties, &found, &lemmas) {
                    true => Progress::Decided,
                    false => Progress::Stuck,
                }
            }
            Fixpoint::Unsafe { depth } => match properties {
                [id] => self.refute(*id, depth),
                _ => Progress::Undecided,
            },
            Fixpoint::Unknown(_) if budget.is_some() => Progress::Undecided,
            Fixpoint::Unknown(_) => Progress::Stuck,
        }
    }

    fn question(&self, properties: &[PropertyId], lemmas: &[Lemma]) -> Safety {
        let bad = or(properties
            .iter()
            .map(|id| not(&invariant(&self.task.system, *id))));
        let lemmas = lemmas.iter().map(|lemma| lemma.term.clone());
        let roots = lemmas.clone().chain([bad.clone()]);
        let cone = Cone::of(&self.task.system, roots);
        let states = cone.states.into_iter();
        Safety {
            states: states.map(|(_, state, next)| (state, next)).collect(),
            init: cone.init,
            constraints: cone.constraints.into_iter().chain(lemmas).collect(),
            bad,
        }
    }

    /// The run that decides the property, if there is one within the depth.
    fn refute(&self, id: PropertyId, depth: usize) -> Progress {
        match bmc::refute(self.task, self.board, ME, id, depth) {
            true => Progress::Decided,
            false => Progress::Stuck,
        }
    }
}

/// The question with an input for each value of a free function, and the system that has
/// these inputs.
fn without_functions(system: &Arc<System>, question: Safety) -> (Arc<System>, Safety) {
    let applied = applications(&question);
    if applied.is_empty() {
        return (system.clone(), question);
    }
    let mut larger = System::clone(system);
    let mut inputs = HashMap::new();
    for (at, term) in applied.into_iter().enumerate() {
        let input = Var(larger.vars.len() as u32);
        let sort = term.sort().clone();
        let name = format!("function value {at}");
        larger
            .vars
            .push(StateVar::new(&name, sort.clone(), Role::Input));
        inputs.insert(term, var(input, sort));
    }
    let free = |term: &Term| substitute(term, &inputs);
    let question = Safety {
        states: question
            .states
            .iter()
            .map(|(state, next)| (state.clone(), free(next)))
            .collect(),
        init: question.init.iter().map(free).collect(),
        constraints: question.constraints.iter().map(free).collect(),
        bad: free(&question.bad),
    };
    (Arc::new(larger), question)
}

/// The values of free functions that a question speaks of.
fn applications(question: &Safety) -> Vec<Term> {
    let next = question.states.iter().map(|(_, next)| next);
    let constraints = question.init.iter().chain(&question.constraints);
    let all = next.chain(constraints).chain([&question.bad]);
    let all = subterms(all.cloned());
    all.filter(|term| matches!(term.kind(), Kind::Apply(..)))
        .collect()
}
