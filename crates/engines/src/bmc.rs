//! Bounded model checking.
//!
//! At each depth, ask for a run whose last step decides some open property: it
//! violates an invariant, or satisfies a property to be reached. The answer
//! may decide several at once; ask again until there is none. Runs are thus of
//! minimal length.
//!
//! One hard property must not hold up the others. Each has a share of the solver's work;
//! where all together take more than their shares, each is asked about alone, and those
//! that still take more become a group of their own, with an unrolling of its own and
//! larger shares. Groups take turns, each for as long as the others. Where all of a
//! group are hard, it stays together, and the shares grow: to ask about all at once is
//! cheaper than one by one.

use std::sync::Arc;
use std::time::Duration;

use proof::{Cone, Evidence, Unrolling, certify, invariant};
use smt::{Answer, Limits, Literal, Scalar, Solver, SolverContext};
use system::{PropertyId, PropertyKind, System, Term, not};

use crate::blackboard::{Engine, Observation, Run, SpecialCase, Verdict};
use crate::job_board::JobBoard;
use crate::task::{Prover, Task};

const ME: Engine = Engine::Bmc;

/// For one query about a special case.
const CASE_TIME: Duration = Duration::from_secs(5);

/// What decides a property: its violation, or its being reached.
pub(crate) fn decisive(system: &System, id: PropertyId) -> Term {
    not(&invariant(system, id))
}

/// May the property be decided at this step?
pub(crate) fn concerns(system: &System, id: PropertyId, step: usize) -> bool {
    match system.property(id).kind {
        PropertyKind::Invariant => true,
        PropertyKind::Reachable { from, within } => {
            let step = step as u64;
            from.is_none_or(|from| step >= from) && within.is_none_or(|within| step <= within)
        }
    }
}

fn is_over(system: &System, id: PropertyId, step: usize) -> bool {
    match system.property(id).kind {
        PropertyKind::Invariant => false,
        PropertyKind::Reachable { within, .. } => within.is_some_and(|n| step as u64 > n),
    }
}

/// What a property may take at first, at each step, in the solver's units.
const SHARE: u32 = 5_000_000;
/// How much more there is the next time.
const GROWTH: u32 = 4;

pub(crate) struct Bmc<'a> {
    task: &'a Task,
    board: &'a JobBoard,
    groups: Vec<Group>,
    /// Ask whether there are runs of each length.
    check_unrolling: bool,
}

/// Properties that are asked about together.
struct Group {
    open: Vec<PropertyId>,
    unrolling: Unrolling,
    /// By how much the shares have grown.
    growth: u32,
    spent: Duration,
}

impl Group {
    /// Runs of one step, which may decide some properties.
    fn new(context: &SolverContext, system: &Arc<System>, properties: &[PropertyId]) -> Group {
        let roots = properties.iter();
        let roots = roots.map(|id| system.property(*id).term.clone());
        Group {
            open: properties.to_vec(),
            unrolling: Unrolling::new(context, system, Cone::of(system, roots), true),
            growth: 1,
            spent: Duration::ZERO,
        }
    }

    /// Parts with some properties, which take more than their share.
    fn split(
        &mut self,
        context: &SolverContext,
        system: &Arc<System>,
        hard: Vec<PropertyId>,
    ) -> Group {
        self.open.retain(|id| !hard.contains(id));
        let mut group = Group::new(context, system, &hard);
        while group.unrolling.last() < self.unrolling.last() {
            group.unrolling.extend();
        }
        group.growth = self.growth.saturating_mul(GROWTH);
        group.spent = self.spent;
        group
    }
}

impl<'a> Bmc<'a> {
    pub fn new(task: &'a Task, board: &'a JobBoard) -> Bmc<'a> {
        let system = &task.system;
        // Where nothing but types restricts inputs, there are always runs.
        let may_end = system.constraints.iter().any(|c| c.element.is_some());
        Bmc {
            task,
            board,
            groups: vec![Group::new(&board.context, system, &task.properties)],
            check_unrolling: task.settings.unrolling.check_unrolling && may_end,
        }
    }

    /// To any depth.
    pub fn run(&mut self) {
        while self.step() {}
    }

    /// Has the group that has had the least look at runs of its present length; `false`
    /// if there is nothing left to do.
    pub fn step(&mut self) -> bool {
        let spent = |at: &usize| self.groups[*at].spent;
        let Some(at) = (0..self.groups.len()).min_by_key(spent) else {
            return false;
        };
        let mut group = self.groups.remove(at);
        let context = &self.board.context;
        let start = context.now();
        let mut advance = || self.advance(&mut group);
        let (goes_on, split) = match self.groups.len() as u64 {
            0 => advance(),
            others => context.share(others + 1, advance),
        };
        group.spent += start.elapsed();
        self.groups.extend(split);
        if goes_on {
            self.groups.insert(at, group);
        }
        !self.groups.is_empty() && !self.board.stopped()
    }

    /// Decides what runs of the present length can decide, and goes one deeper with what
    /// is not decided. Is there something left to do, and for which others?
    fn advance(&self, group: &mut Group) -> (bool, Option<Group>) {
        let (system, board) = (&self.task.system, self.board);
        let max = self.task.settings.unrolling.max_depth;
        let step = group.unrolling.last();
        group.open.retain(|id| board.is_open(*id));
        close_over(system, board, &mut group.open, step);
        if group.open.is_empty() || board.stopped() || (max > 0 && step > max) {
            return (false, None);
        }
        board.ledger.reached(ME, step);
        let solver = &mut group.unrolling.solver;
        if self.check_unrolling && board.ledger.ask(ME, solver, &[]) == Answer::Unsat {
            for id in &group.open {
                no_run(system, board, *id, step);
            }
            return (false, None);
        }
        let mut asked: Vec<PropertyId> = group.open.clone();
        asked.retain(|id| concerns(system, *id, step));
        let shares = group.open.len() > 1 || !self.groups.is_empty();
        group.unrolling.limit(None);
        let mut question = Question {
            system,
            board,
            unrolling: &mut group.unrolling,
            observed: &self.task.observed,
            step,
            case: None,
            growth: shares.then_some(group.growth),
        };
        let Unanswered { stuck, hard } = question.decide(asked);
        group
            .open
            .retain(|id| board.is_open(*id) && !stuck.contains(id));
        board.watch(&stuck, false);
        if board.stopped() {
            return (false, None);
        }
        if !hard.is_empty() && hard.len() == group.open.len() {
            group.growth = group.growth.saturating_mul(GROWTH);
            return (true, None);
        }
        let split = (!hard.is_empty()).then(|| group.split(&board.context, system, hard));
        for id in &group.open {
            board.set_clear(*id, step + 1);
        }
        group.unrolling.extend();
        (true, split)
    }
}

/// Bounded model checking of special cases of a system.
pub(crate) struct SpecialCases(pub Vec<SpecialCase>);

impl Prover for SpecialCases {
    fn run(&self, task: &Task, board: &JobBoard) {
        run_cases(board, &self.0, task.settings.unrolling.max_depth);
    }
}

/// Looks for runs of special cases, all to the same depth before any goes
/// deeper. Nothing is learnt from there being none.
fn run_cases(board: &JobBoard, cases: &[SpecialCase], max: usize) {
    let limits = Limits {
        time: Some(CASE_TIME),
        ..Limits::default()
    };
    let mut open: Vec<(usize, Unrolling, Vec<PropertyId>)> = Vec::new();
    for (at, case) in cases.iter().enumerate() {
        let all: Vec<PropertyId> = (0..case.system.properties.len()).map(PropertyId).collect();
        let roots = case.system.properties.iter().map(|p| p.term.clone());
        let cone = Cone::of(&case.system, roots);
        let mut unrolling = Unrolling::new(&board.context, &case.system, cone, true);
        unrolling.solver.limit(limits);
        open.push((at, unrolling, all));
    }
    for step in 0.. {
        if open.is_empty() || board.stopped() || (max > 0 && step > max) {
            return;
        }
        open.retain_mut(|(at, unrolling, properties)| {
            let case = &cases[*at];
            let system = &case.system;
            properties.retain(|id| board.is_open(*id) && !is_over(system, *id, step));
            let mut asked = properties.clone();
            asked.retain(|id| concerns(system, *id, step));
            let mut question = Question {
                system,
                board,
                unrolling,
                observed: &case.observed,
                step,
                case: Some(*at),
                growth: None,
            };
            let Unanswered { stuck, hard } = question.decide(asked);
            properties.retain(|id| !stuck.contains(id) && !hard.contains(id));
            unrolling.extend();
            !properties.is_empty()
        });
    }
}

/// Looks for a run of at most `depth` steps that decides a property, on behalf
/// of an engine that has reason to believe in one.
pub(crate) fn refute(
    task: &Task,
    board: &JobBoard,
    engine: Engine,
    id: PropertyId,
    depth: usize,
) -> bool {
    let system = &task.system;
    let cone = Cone::of(system, [system.property(id).term.clone()]);
    let mut unrolling = Unrolling::new(&board.context, system, cone, true);
    let goal = decisive(system, id);
    for step in 0..=depth {
        if board.stopped() || !board.is_open(id) || is_over(system, id, step) {
            return false;
        }
        if concerns(system, id, step) && step >= board.clear(id) {
            let literal = unrolling.solver.literal();
            unrolling.solver.assert_if(literal, &goal, step);
            match board.ledger.ask(engine, &mut unrolling.solver, &[literal]) {
                Answer::Sat if unrolling.solver.holds(&goal, step) == Some(true) => {
                    let run = Run::observed(&mut unrolling.solver, &task.observed, step);
                    board.decide(id, engine, Verdict::Witness(run));
                    return true;
                }
                Answer::Unsat => board.set_clear(id, step + 1),
                _ => return false,
            }
        }
        unrolling.extend();
    }
    false
}

/// Properties to be reached whose bounds are behind.
fn close_over(system: &Arc<System>, board: &JobBoard, open: &mut Vec<PropertyId>, step: usize) {
    let stop = || board.stopped();
    open.retain(|id| {
        let over = is_over(system, *id, step);
        if over {
            let first = (0..step).find(|at| concerns(system, *id, *at));
            let steps = first.unwrap_or(step)..step;
            let term = &system.property(*id).term;
            let check = || certify::never_within(&board.context, system, term, steps, &stop);
            if board.certify(ME, check) {
                let evidence = Evidence::Bounded { steps: step };
                board.decide(*id, ME, Verdict::Always(evidence));
            }
        }
        !over
    });
}

/// All runs end before this step: what none of them decides holds.
fn no_run(system: &Arc<System>, board: &JobBoard, id: PropertyId, step: usize) {
    let stop = || board.stopped();
    let first = (0..step).find(|at| concerns(system, id, *at));
    let steps = first.unwrap_or(step)..step;
    let check = || {
        certify::never_within(&board.context, system, &decisive(system, id), steps, &stop)
            && certify::no_run(
                &board.context,
                system,
                &system.property(id).term,
                step,
                &stop,
            )
    };
    if board.certify(ME, check) {
        let evidence = Evidence::NoRun { steps: step };
        board.decide(id, ME, Verdict::Always(evidence));
    }
}

/// Can runs of one length decide properties?
struct Question<'q> {
    system: &'q System,
    board: &'q JobBoard,
    unrolling: &'q mut Unrolling,
    observed: &'q [Observation],
    step: usize,
    case: Option<usize>,
    /// By how much shares have grown, where there are shares.
    growth: Option<u32>,
}

/// The properties that there is no answer for.
#[derive(Default)]
struct Unanswered {
    /// Nor will there be one.
    stuck: Vec<PropertyId>,
    /// It takes more than what there is.
    hard: Vec<PropertyId>,
}

impl Question<'_> {
    /// Decides what a run of this length can decide.
    fn decide(&mut self, mut asked: Vec<PropertyId>) -> Unanswered {
        let mut left = Unanswered::default();
        while !asked.is_empty() && !self.board.stopped() {
            let goals = asked.iter().map(|id| decisive(self.system, *id));
            let literal = self.unrolling.solver.literal();
            let solver = &mut self.unrolling.solver;
            solver.assert_if(literal, &system::or(goals), self.step);
            let answer = self.ask(literal, asked.len());
            let shown = match answer {
                Answer::Sat => self.show(&asked),
                _ => Vec::new(),
            };
            self.unrolling.solver.retire(literal);
            match answer {
                Answer::Unsat => return left,
                Answer::Sat if !shown.is_empty() => asked.retain(|id| !shown.contains(id)),
                // The model says nothing definite, or there is none.
                _ if asked.len() > 1 => self.one_by_one(std::mem::take(&mut asked), &mut left),
                answer => match answer.ran_out() || self.board.context.is_spent() {
                    true => left.hard.append(&mut asked),
                    false => left.stuck.append(&mut asked),
                },
            }
        }
        // What was not asked about has no answer.
        left.hard.append(&mut asked);
        left
    }

    /// Asks, within the shares of so many properties.
    fn ask(&mut self, literal: Literal, count: usize) -> Answer {
        let many = u32::try_from(count).unwrap_or(u32::MAX);
        if let Some(growth) = self.growth {
            let work = SHARE.saturating_mul(growth).saturating_mul(many);
            self.unrolling.limit_work(work, growth);
        }
        let (ledger, solver) = (&self.board.ledger, &mut self.unrolling.solver);
        match count {
            1 => ledger.ask(ME, solver, &[literal]),
            // The rest is for each of them alone.
            _ => self
                .board
                .context
                .share(2, || ledger.ask(ME, solver, &[literal])),
        }
    }

    /// Tells the run of the model, and which properties it decides. The value of a
    /// quantified term is not part of a model: of one alone, the answer is enough.
    fn show(&mut self, asked: &[PropertyId]) -> Vec<PropertyId> {
        let mut shown: Vec<PropertyId> = asked.to_vec();
        shown.retain(|id| {
            let goal = decisive(self.system, *id);
            match self.unrolling.solver.value(&goal, self.step) {
                Some(value) => value == Scalar::Bool(true),
                None => asked.len() == 1 && goal.is_quantified(),
            }
        });
        if !shown.is_empty() {
            let mut run = Run::observed(&mut self.unrolling.solver, self.observed, self.step);
            run.case = self.case;
            for id in &shown {
                self.board.decide(*id, ME, Verdict::Witness(run.clone()));
            }
        }
        shown
    }

    fn one_by_one(&mut self, asked: Vec<PropertyId>, left: &mut Unanswered) {
        let context = &self.board.context;
        for (at, id) in asked.iter().enumerate() {
            let parts = (asked.len() - at) as u64;
            let alone = context.share(parts, || self.decide(vec![*id]));
            left.stuck.extend(alone.stuck);
            left.hard.extend(alone.hard);
        }
    }
}

#[cfg(test)]
mod tests {
    use system::{Property, Role, Sort, StateVar, Var, add, eq, integer, le, mul};

    use super::*;

    fn property(term: Term) -> Property {
        Property::invariant("", term)
    }

    /// A counter that passes 3, and a sum of three cubes that nobody can tell of in any time
    /// to wait for.
    fn hard_and_easy() -> Arc<System> {
        let n = system::var(Var(0), Sort::Int);
        let mut count = StateVar::new("n", Sort::Int, Role::State);
        count.init = Some(integer(0));
        count.next = Some(add([n.clone(), integer(1)]));
        let inputs = (0..3).map(|_| StateVar::new("x", Sort::Int, Role::Input));
        let cubes = (1..=3).map(|at| {
            let x = system::var(Var(at), Sort::Int);
            mul(&x, &mul(&x, &x))
        });
        let hard = not(&eq(&add(cubes), &integer(114)));
        Arc::new(System {
            vars: [count].into_iter().chain(inputs).collect(),
            properties: vec![property(hard), property(le(&n, &integer(3)))],
            ..System::default()
        })
    }

    #[test]
    fn a_hard_property_does_not_hold_up_another() {
        let system = hard_and_easy();
        let (board, _messages) = JobBoard::of(2);
        let both = [PropertyId(0), PropertyId(1)];
        let task = Task::of(&system, &both);
        let mut bmc = Bmc::new(&task, &board);
        board.context.refuel(Some(2_000_000), None);
        while board.is_open(PropertyId(1)) && bmc.step() {}
        assert!(!board.is_open(PropertyId(1)), "the counter passes 3");
        assert_eq!(board.clear(PropertyId(1)), 4);
        assert_eq!(
            (board.is_open(PropertyId(0)), board.clear(PropertyId(0))),
            (true, 0)
        );
    }
}
