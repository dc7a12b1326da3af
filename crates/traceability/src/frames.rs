//! Steps of a model in one solver, for all sets of its parts.
//!
//! What the parts have in common is unrolled with guards ([`Guarded`]). The definitions of a
//! part hold if its guard does, and that of the step. Its constraints have a literal of
//! their own at each step: a run may end where they cannot be met any more, so they
//! are assumed only as far as the run goes.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;
use std::time::Duration;

use proof::{AtStep, Cone, Guarded, Paths, Refutation};
use smt::{Answer, Limits, Literal, Solver, SolverContext};
use system::{System, Term, Var};

use crate::model::{OpenPart, Opened, Set};

pub(crate) struct Frames {
    context: SolverContext,
    /// What matters, without the definitions and constraints of the parts.
    steps: Guarded,
    parts: Vec<OpenPart>,
    /// By part: its definitions hold at all steps.
    guards: Vec<Literal>,
    /// By part: the streams that it would define are within their ranges.
    ranges: Vec<Option<Literal>>,
    /// By step and part: its constraints.
    constraints: Vec<Vec<Option<Literal>>>,
    /// The parts that literals of definitions and constraints are of.
    owners: HashMap<Literal, usize>,
    limits: Limits,
    /// Of the last check.
    asked: Vec<Literal>,
    took: Duration,
    /// By all checks.
    spent: Duration,
    /// Queries end when it says that they are not wanted any more.
    pub wanted: Option<Wanted>,
}

pub(crate) type Wanted = Arc<dyn Fn() -> bool + Send + Sync>;

/// How much longer than a check its core may take.
const PATIENCE: u32 = 2;
const MOMENT: Duration = Duration::from_millis(5);

/// Limits with a time that is no longer than this.
pub(crate) fn within(limits: Limits, time: Duration) -> Limits {
    Limits {
        time: limits.time.into_iter().chain([time]).min(),
        ..limits
    }
}

/// What a proof needs.
#[derive(Clone, Debug, Default)]
pub(crate) struct Core {
    pub parts: Set,
    /// Numbers of terms.
    pub terms: BTreeSet<u64>,
}

impl Frames {
    /// No step yet; the roots say what matters.
    pub fn new(
        context: &SolverContext,
        opened: &Opened,
        roots: &[Term],
        from_init: bool,
    ) -> Frames {
        let (system, mut parts) = (opened.system.clone(), opened.parts.clone());
        let cone = cone(&system, &parts, roots);
        for part in &mut parts {
            part.definitions.retain(|d| cone.vars.contains(&d.var));
        }
        let mut steps = Guarded::new(context, system, cone, from_init);
        let (mut guards, mut ranges) = (Vec::new(), Vec::new());
        for part in &parts {
            guards.push(steps.solver.literal());
            let mut definitions = part.definitions.iter();
            let ranged =
                definitions.any(|definition| definition.range.is_some()) || !part.ranges.is_empty();
            ranges.push(ranged.then(|| steps.solver.literal()));
        }
        Frames {
            context: context.clone(),
            steps,
            parts,
            owners: guards.iter().copied().zip(0..).collect(),
            guards,
            ranges,
            constraints: Vec::new(),
            limits: Limits::default(),
            asked: Vec::new(),
            took: Duration::ZERO,
            spent: Duration::ZERO,
            wanted: None,
        }
    }

    /// Limits each query.
    pub fn limit(&mut self, limits: Limits) {
        self.limits = limits;
        self.steps.solver.limit(limits);
    }

    /// How long all checks took.
    pub fn spent(&self) -> Duration {
        self.spent
    }

    /// Makes steps up to this one.
    fn reach(&mut self, step: usize) {
        for now in self.constraints.len()..=step {
            let always = self.steps.extend();
            let solver = &mut self.steps.solver;
            let mut constraints = Vec::new();
            for (at, part) in self.parts.iter().enumerate() {
                for definition in &part.definitions {
                    let both = [always, self.guards[at]];
                    solver.assert_if_all(&both, &definition.term, now);
                }
                if let Some(range) = self.ranges[at] {
                    let own = part.definitions.iter().filter_map(|d| d.range.as_ref());
                    for term in own.chain(&part.ranges) {
                        solver.assert_if_all(&[always, range], term, now);
                    }
                }
                constraints.push((!part.constraints.is_empty()).then(|| {
                    let literal = solver.literal();
                    for term in &part.constraints {
                        solver.assert_if(literal, term, now);
                    }
                    self.owners.insert(literal, at);
                    literal
                }));
            }
            self.constraints.push(constraints);
        }
    }

    /// The literals of a run with these parts through a step.
    fn run(&mut self, present: &Set, last: usize) -> Vec<Literal> {
        self.reach(last);
        let mut literals: Vec<Literal> = Vec::new();
        for at in 0..self.parts.len() {
            match present.contains(&at) {
                true => literals.push(self.guards[at]),
                false => literals.extend(self.ranges[at]),
            }
        }
        for (always, constraints) in self.steps.steps().iter().zip(&self.constraints[..=last]) {
            literals.push(*always);
            let here = constraints.iter().enumerate();
            let here = here.filter(|(at, _)| present.contains(at));
            literals.extend(here.filter_map(|(_, literal)| *literal));
        }
        literals
    }

    /// The same, with terms that hold at their steps.
    fn question(&mut self, present: &Set, last: usize, terms: &[AtStep]) -> Vec<Literal> {
        let mut asked = self.run(present, last);
        asked.extend(terms.iter().map(|at| self.steps.literal(at)));
        asked
    }

    /// Is there a path with these parts on which the terms hold?
    pub fn check(&mut self, present: &Set, last: usize, terms: &[AtStep]) -> Answer {
        let asked = self.question(present, last, terms);
        self.ask(asked)
    }

    fn ask(&mut self, asked: Vec<Literal>) -> Answer {
        let start = self.context.now();
        let answer = match &self.wanted {
            Some(wanted) => self
                .context
                .query_while(&**wanted, || self.steps.solver.check(&asked)),
            None => self.steps.solver.check(&asked),
        };
        self.asked = asked;
        self.took = start.elapsed();
        self.spent += self.took;
        answer
    }

    /// What the last check, answered with "unsat", needs; asked again with that
    /// only until there is nothing left to gain, or that takes longer than the check.
    pub fn core(&mut self) -> Core {
        let mut size = self.asked.len();
        let mut needed = self.steps.solver.core();
        let limits = self.limits;
        let mut left = PATIENCE * self.took + MOMENT;
        while needed.len() < size && needed.len() > 1 {
            size = needed.len();
            self.limit(within(limits, left));
            if self.ask(needed.clone()) != Answer::Unsat {
                break;
            }
            left = left.saturating_sub(self.took);
            needed = self.steps.solver.core();
        }
        self.limit(limits);
        self.meaning(&needed)
    }

    /// The parts with which alone the last check, answered with "unsat", has the same
    /// answer. `None` if it leans on the range of a stream whose part is absent: what
    /// defines the stream may leave the range.
    pub fn enough(&mut self) -> Option<Set> {
        let needed = self.steps.solver.core();
        let ranged = needed.iter().any(|one| self.ranges.contains(&Some(*one)));
        (!ranged).then(|| self.meaning(&needed).parts)
    }

    fn meaning(&self, needed: &[Literal]) -> Core {
        let owners = needed.iter().filter_map(|one| self.owners.get(one));
        let terms = needed.iter().filter_map(|one| self.steps.term_number(*one));
        Core {
            parts: owners.copied().collect(),
            terms: terms.collect(),
        }
    }

    /// As [`check`](Frames::check); as many of the other parts hold as can, by
    /// their costs.
    pub fn check_soft(
        &mut self,
        present: &Set,
        last: usize,
        terms: &[AtStep],
        costs: &[u32],
    ) -> Answer {
        let asked = self.question(present, last, terms);
        let mut soft = Vec::new();
        for at in (0..self.parts.len()).filter(|at| !present.contains(at)) {
            let holds = self.steps.solver.literal();
            for term in self.parts[at].terms() {
                for step in 0..=last {
                    self.steps.solver.assert_if(holds, term, step);
                }
            }
            soft.push((holds, costs[at]));
        }
        let answer = self.steps.solver.check_soft(&asked, &soft);
        for (literal, _) in soft {
            self.steps.solver.retire(literal);
        }
        answer
    }

    /// The parts of a set that do not hold all along the path of the last model.
    pub fn broken(&mut self, among: &Set, last: usize) -> Set {
        let mut broken = among.clone();
        broken.retain(|at| {
            let terms = along(self.parts[*at].terms(), last);
            self.steps.solver.confirms(terms, []) != Some(true)
        });
        broken
    }

    /// Is the path of the last model none with these parts? A solver that is right
    /// finds no such model, but Z3 has been seen to forget what it was told.
    pub fn is_wrong(&mut self, present: &Set, last: usize) -> bool {
        let parts = present.iter().map(|at| &self.parts[*at]);
        let terms = parts
            .flat_map(OpenPart::terms)
            .chain(&self.steps.cone.constraints);
        let states = self.steps.cone.states.iter();
        let next = states.flat_map(|(_, state, next)| (0..last).map(move |at| (state, next, at)));
        self.steps.solver.confirms(along(terms, last), next) == Some(false)
    }

    /// The frames of paths with these parts.
    pub fn with<'f>(&'f mut self, present: &'f Set) -> WithParts<'f> {
        WithParts {
            frames: self,
            present,
        }
    }
}

/// See [`Frames::with`].
pub(crate) struct WithParts<'f> {
    frames: &'f mut Frames,
    present: &'f Set,
}

impl Paths for WithParts<'_> {
    fn refute(&mut self, candidates: &[Term], first: usize, step: usize) -> Refutation<Term> {
        let question = AtStep::some_fails(candidates, first, step);
        let answer = self.frames.check(self.present, step, &question);
        let solver = &mut self.frames.steps.solver;
        Refutation::of(&answer, candidates, |term| solver.holds(term, step))
    }
}

/// The terms at all steps.
fn along<'t>(
    terms: impl Iterator<Item = &'t Term>,
    last: usize,
) -> impl Iterator<Item = (&'t Term, usize)> {
    terms.flat_map(move |term| (0..=last).map(move |step| (term, step)))
}

/// What the roots, and what constrains runs, depend on, whichever parts there are.
fn cone(system: &System, parts: &[OpenPart], roots: &[Term]) -> Cone {
    let definitions = parts.iter().flat_map(|part| &part.definitions);
    let definitions: HashMap<Var, &Term> = definitions.map(|d| (d.var, &d.term)).collect();
    let constraints = parts.iter().flat_map(|part| &part.constraints);
    let constrained = constraints.flat_map(Term::vars);
    let defined_by = |var: Var| definitions.get(&var).map_or(Vec::new(), |term| term.vars());
    let roots = roots.iter().cloned();
    Cone::reading(system, roots, constrained, Term::clone, defined_by)
}
