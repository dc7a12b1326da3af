//! Algorithm 1 on the mutants of one group.

use std::collections::HashSet;
use std::sync::Arc;
use std::time::{Duration, Instant};

use engines::{News, Observation, Portfolio, Run, Verdict};
use proof::{AtStep, Lemmas, hold_after, hold_at_first};
use smt::{Answer, Scalar, Solver, SolverContext};
use system::{Kind, Role, System, Term, Var, and, eq, not, or};

use super::course::Course;
use super::mutant::mutated;
use super::swap::{Frames, Opened};
use super::turn::{Turn, work};
use super::{Effect, Means, Mutation, Shared};

/// The part of a turn that a query may take, so that others have theirs.
const QUERY: u32 = 2;

/// The solvers of a group, and what its mutants are asked about.
pub(super) struct Trial<'t> {
    shared: &'t Shared<'t>,
    context: SolverContext,
    opened: Opened<'t>,
    /// The properties, without other streams than those of the group.
    goals: Vec<Term>,
    /// By property: does it depend on the streams of the group at all?
    concerned: Vec<bool>,
    invariants: Vec<Term>,
    observed: Vec<Option<Observation>>,
    runs: Frames,
    paths: Frames,
    k: usize,
}

/// What a search for violations at some step has come to.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Sweep {
    /// None is left to be found.
    Clear,
    /// There were some, and none is left to be found.
    Killed,
    /// There may be more.
    Unknown,
}

impl<'t> Trial<'t> {
    pub fn new(
        shared: &'t Shared<'t>,
        context: &SolverContext,
        first: &Mutation,
        group: &[usize],
    ) -> Trial<'t> {
        let original = shared.original;
        let system = &original.tagged;
        let streams: HashSet<Var> = first.definitions.iter().map(|(var, _)| *var).collect();
        let mut roots: Vec<Term> = goals(shared);
        roots.extend(original.invariants.iter().cloned());
        for at in group {
            let definitions = &shared.mutations[*at].definitions;
            roots.extend(definitions.iter().filter_map(|(_, term)| term.clone()));
        }
        let concerned = shared.reached.iter();
        let concerned = concerned.map(|reached| !reached.is_disjoint(&streams));
        let concerned = concerned.collect();
        let mut opened = Opened::new(system, streams.clone(), &roots);
        let goals: Vec<Term> = goals(shared).iter().map(|g| opened.inlined(g)).collect();
        let invariants = original.invariants.iter().map(|term| opened.inlined(term));
        let mut seen: HashSet<Term> = goals.iter().cloned().collect();
        let invariants = invariants
            .filter(|term| seen.insert(term.clone()))
            .collect();
        let observed = original.observed.iter().map(|observation| {
            // The value of a stream is a choice if its definition is gone, and of no
            // interest else.
            let is_computed = match observation.term.kind() {
                Kind::Var(var) => system.var(*var).role == Role::Stream && !streams.contains(var),
                _ => false,
            };
            (!is_computed).then(|| Observation {
                term: opened.inlined(&observation.term),
                sizes: observation
                    .sizes
                    .iter()
                    .map(|s| opened.inlined(s))
                    .collect(),
            })
        });
        let observed = observed.collect();
        Trial {
            runs: Frames::new(context, &opened, true),
            paths: Frames::new(context, &opened, false),
            shared,
            context: context.clone(),
            opened,
            goals,
            concerned,
            invariants,
            observed,
            k: original.k.max(1),
        }
    }

    /// Does what a turn allows to decide what is open of a mutant.
    pub fn advance(&mut self, mutation: usize, course: &mut Course, turn: &Turn) {
        let Some(definitions) = self.definitions(mutation) else {
            course.effects = vec![Effect::Holds; self.goals.len()];
            (course.is_equivalent, course.means) = (true, Means::Same);
            return;
        };
        if course.effects.is_empty() {
            self.begin(course);
        }
        self.runs.swap(definitions.clone());
        self.paths.swap(definitions);
        let settings = &self.shared.options.settings;
        let time = (!settings.is_repeatable()).then_some(turn.time);
        for frames in [&mut self.runs, &mut self.paths] {
            frames.limit(
                time.map(|time| time / QUERY),
                turn.work() / u64::from(QUERY),
            );
        }
        self.states(mutation, course, turn);
        self.context.refuel(Some(turn.work()), time);
        self.algorithm(course);
        self.context.refuel(None, None);
        if let Some(time) = turn.engines
            && !course.open.is_empty()
        {
            self.engines(mutation, course, time);
        }
    }

    fn begin(&self, course: &mut Course) {
        let unknown = |concerned: &bool| match concerned {
            true => Effect::Unknown,
            false => Effect::Holds,
        };
        course.effects = self.concerned.iter().map(unknown).collect();
        let all = 0..self.goals.len();
        course.open = all.filter(|at| self.concerned[*at]).collect();
        course.means = Means::Induction;
    }

    /// Single states, where they are few: each violation is a run of the solver's too.
    fn states(&mut self, mutation: usize, course: &mut Course, turn: &Turn) {
        if !self.shared.explorable || course.open.is_empty() || turn.states() == 0 {
            return;
        }
        let asked = course.open.clone();
        let Some(system) = mutated(self.shared, mutation, &asked) else {
            return;
        };
        let wanted = || !self.shared.is_late();
        let Some(found) = engines::explore(&self.context, &system, turn.states(), &wanted) else {
            return;
        };
        course.means = Means::States;
        for (_, inputs) in &found.violations {
            let given = AtStep::in_turn(inputs.iter().cloned());
            if self.kill(course, inputs.len() - 1, &given) == Sweep::Killed {
                self.remember(course);
            }
        }
        if found.complete {
            let violated = |at: usize| {
                let mut all = found.violations.iter();
                all.any(|(id, _)| asked.get(id.0) == Some(&at))
            };
            course.hold(|at| !violated(at));
        }
    }

    /// What the open streams of a mutant are; `None` if it is the original.
    fn definitions(&mut self, mutation: usize) -> Option<Vec<Term>> {
        let system = &self.shared.original.tagged;
        let mut terms = Vec::new();
        let mut is_same = true;
        for (var, term) in &self.shared.mutations[mutation].definitions {
            let declared = system.var(*var);
            let Some(original) = &declared.def else {
                continue;
            };
            match term {
                Some(term) => {
                    let term = self.opened.inlined(term);
                    is_same &= term == self.opened.inlined(&original.term);
                    terms.push(eq(&system::var(*var, declared.sort.clone()), &term));
                }
                None => {
                    is_same = false;
                    let range = original.range.iter();
                    terms.extend(range.map(|range| self.opened.inlined(range)));
                }
            }
        }
        (!is_same).then_some(terms)
    }

    /// Lines 7 to 25 of Algorithm 1: bounded model checking as deep as the proof, runs that
    /// have killed others (not in the paper), induction with the invariants that survive,
    /// longer runs. Each property is decided by itself: UP are the open ones.
    fn algorithm(&mut self, course: &mut Course) {
        if course.open.is_empty() {
            return;
        }
        course.means = Means::Induction;
        // Lines 7 to 9, up to k_proof.
        self.clear(course, self.k);
        self.kill_as_before(course);
        if course.clear >= self.k {
            // Lines 11 to 19.
            self.survive(course);
        }
        // Lines 21 to 25, up to k_kill.
        course.means = match course.open.is_empty() {
            true => course.means,
            false => Means::LongRun,
        };
        for steps in self.k..self.shared.options.k_kill {
            if course.open.is_empty() || self.shared.is_late() || self.context.is_spent() {
                return;
            }
            if self.clear(course, steps + 1) == Sweep::Killed {
                self.remember(course);
            }
        }
    }

    /// Finds the properties that fail in the first steps, beyond those that are known to
    /// violate none, unless the solver gives up. Then later steps may still violate some.
    fn clear(&mut self, course: &mut Course, steps: usize) -> Sweep {
        let mut found = Sweep::Clear;
        for step in course.clear..steps {
            match self.kill(course, step, &[]) {
                Sweep::Unknown => found = Sweep::Unknown,
                search => {
                    course.clear += usize::from(course.clear == step);
                    found = if search == Sweep::Killed {
                        search
                    } else {
                        found
                    };
                }
            }
        }
        found
    }

    /// Finds the properties that fail at a step of some run on which some terms hold.
    /// Those that are still open then do not, unless the solver gives up.
    fn kill(&mut self, course: &mut Course, step: usize, given: &[AtStep]) -> Sweep {
        let mut found = Sweep::Clear;
        while !course.open.is_empty() {
            let fails = or(course.open.iter().map(|at| not(&self.goals[*at])));
            let mut terms = given.to_vec();
            terms.push(AtStep::new(fails, step));
            match self.runs.check(step, &terms) {
                Answer::Sat => {}
                Answer::Unsat => break,
                Answer::Unknown(_) => return Sweep::Unknown,
            }
            let goals = &self.goals;
            let (runs, open) = (&mut self.runs, &mut course.open);
            let mut broken = Vec::new();
            open.retain(|at| {
                let fails = runs.solver().holds(&goals[*at], step) == Some(false);
                if fails {
                    broken.push(*at);
                }
                !fails
            });
            if broken.is_empty() {
                return Sweep::Unknown;
            }
            found = Sweep::Killed;
            let run = self.run(step);
            for at in broken {
                course.effects[at] = Effect::Broken(run.clone());
            }
        }
        found
    }

    /// Has other mutants, those of other groups too, make use of a run that was not
    /// easy to find.
    fn remember(&self, course: &Course) {
        let runs = course.effects.iter().filter_map(|effect| match effect {
            Effect::Broken(run) => Some(run),
            _ => None,
        });
        if let Some(run) = runs.max_by_key(|run| run.steps.len()) {
            let inputs = run.steps.iter().map(|values| self.inputs(values));
            self.shared.remember(inputs.collect());
        }
    }

    /// The inputs and choices at a step.
    fn inputs(&self, values: &[Option<Scalar>]) -> Term {
        let system = &self.shared.original.tagged;
        let pairs = self.shared.original.observed.iter().zip(values);
        and(pairs.filter_map(|(observation, value)| {
            let is_given = match observation.term.kind() {
                Kind::Var(var) => system.var(*var).role != Role::Stream,
                _ => false,
            };
            let value = value.as_ref().filter(|_| is_given)?;
            let value = value.term(observation.term.sort())?;
            Some(eq(&observation.term, &value))
        }))
    }

    /// The inputs of runs that have killed others.
    fn kill_as_before(&mut self, course: &mut Course) {
        for known in self.shared.known() {
            if course.open.is_empty() {
                return;
            }
            let last = known.len() - 1;
            let given = AtStep::in_turn(known.iter().cloned());
            if self.kill(course, last, &given) == Sweep::Killed {
                course.means = Means::KnownRun;
            }
        }
    }

    /// The run of the last model.
    fn run(&mut self, last: usize) -> Run {
        let observed = self.observed.iter().map(Option::as_ref);
        Run::read(self.runs.solver(), observed, last)
    }

    /// Lines 11 to 17 of Algorithm 1: the properties (SP) that are inductive together with those
    /// of the invariants that are (SI). What is asked about has no violation in the first `k`
    /// steps.
    fn survive(&mut self, course: &mut Course) {
        if course.open.is_empty() {
            return;
        }
        let mut candidates: Vec<Term> = self.invariants.clone();
        if hold_at_first(&mut self.runs, &mut candidates, self.k).is_err() {
            candidates.clear();
        }
        candidates.extend(course.open.iter().map(|at| self.goals[*at].clone()));
        if hold_after(&mut self.paths, &mut candidates, self.k).is_ok() {
            let holds: HashSet<Term> = candidates.into_iter().collect();
            course.hold(|at| holds.contains(&self.goals[at]));
        }
    }

    /// All engines, on what is left.
    fn engines(&mut self, mutation: usize, course: &mut Course, time: Duration) {
        course.means = Means::Engines;
        let Some(system) = mutated(self.shared, mutation, &course.open) else {
            return;
        };
        let mut settings = self.shared.options.settings.clone();
        match settings.is_repeatable() {
            true => settings.budget = Some(time),
            false => {
                let end = Instant::now().checked_add(time);
                settings.deadline = end.into_iter().chain(settings.deadline).min();
            }
        }
        settings.threads = 1;
        settings.lemmas = Lemmas::default();
        settings.ranks = Vec::new();
        let asked = course.open.clone();
        let inputs = inputs(&system);
        let mut portfolio =
            Portfolio::start(Arc::new(system), inputs.clone(), Vec::new(), &settings);
        let mut runs: Vec<Run> = Vec::new();
        for news in portfolio.by_ref() {
            let News::Finding(finding) = news else {
                continue;
            };
            let Some(at) = asked.get(finding.property.0) else {
                continue;
            };
            match finding.verdict {
                Verdict::Always(_) => course.hold(|open| open == *at),
                Verdict::Witness(run) => runs.push(run),
            }
        }
        portfolio.stop();
        let limit = (!self.shared.options.settings.is_repeatable()).then_some(time);
        self.runs.limit(limit, work(time));
        for run in runs {
            let given = AtStep::in_turn(run.steps.iter().map(|values| given(&inputs, values)));
            if self.kill(course, given.len().saturating_sub(1), &given) == Sweep::Killed {
                self.remember(course);
            }
        }
    }
}

/// The inputs of a system.
fn inputs(system: &System) -> Vec<Observation> {
    let all = system.vars.iter().enumerate();
    let inputs = all.filter(|(_, var)| var.role == Role::Input);
    let observed = inputs.map(|(at, var)| Observation {
        term: system::var(Var(at as u32), var.sort.clone()),
        sizes: Vec::new(),
    });
    observed.collect()
}

/// What was observed has these values, as far as they are known.
fn given(observed: &[Observation], values: &[Option<Scalar>]) -> Term {
    and(observed
        .iter()
        .zip(values)
        .filter_map(|(observation, value)| {
            let value = value.as_ref()?.term(observation.term.sort())?;
            Some(eq(&observation.term, &value))
        }))
}

fn goals(shared: &Shared) -> Vec<Term> {
    let ids = shared.original.properties.iter();
    let terms = ids.map(|id| shared.original.tagged.property(*id).term.clone());
    terms.collect()
}
