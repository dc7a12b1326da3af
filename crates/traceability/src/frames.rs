//! Steps of a model in one solver, for all sets of its parts.
//!
//! The definitions of a part hold if its guard does, and that of the step: steps
//! that are not asked about are not in the way. Its constraints have a literal of
//! their own at each step: a run may end where they cannot be met any more, so they
//! are assumed only as far as the run goes. Memory is a function, and holds always.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;
use std::time::Duration;

use proof::Cone;
use smt::clock::Moment;
use smt::{Answer, Limits, Literal, Scalar, Solver, Z3};
use system::{System, Term, Var};

use crate::model::{OpenPart, Opened, Set};

pub(crate) struct Frames {
    solver: Z3,
    parts: Vec<OpenPart>,
    /// What matters, without the definitions and constraints of the parts.
    cone: Cone,
    /// By part: its definitions hold at all steps.
    guards: Vec<Literal>,
    /// By part: the streams that it would define are within their ranges.
    ranges: Vec<Option<Literal>>,
    steps: Vec<Step>,
    terms: HashMap<(u64, usize), Literal>,
    /// What each literal that may be in a core says.
    meanings: HashMap<Literal, Meaning>,
    limit: Option<Duration>,
    /// Of the last check.
    asked: Vec<Literal>,
    took: Duration,
    /// By all checks.
    spent: Duration,
    /// Queries end when it says that they are not wanted any more.
    pub wanted: Option<Wanted>,
}

pub(crate) type Wanted = Arc<dyn Fn() -> bool + Send + Sync>;

struct Step {
    /// What always holds.
    always: Literal,
    /// By part: its constraints.
    constraints: Vec<Option<Literal>>,
}

#[derive(Clone, Copy)]
enum Meaning {
    Present(usize),
    /// A term at some step, by its number.
    Term(u64),
}

/// How much longer than a check its core may take.
const PATIENCE: u32 = 2;
const MOMENT: Duration = Duration::from_millis(5);

/// What a proof needs.
#[derive(Clone, Debug, Default)]
pub(crate) struct Core {
    pub parts: Set,
    /// Numbers of terms.
    pub terms: BTreeSet<u64>,
}

impl Frames {
    /// No step yet; the roots say what matters.
    pub fn new(opened: &Opened, roots: &[Term], from_init: bool) -> Frames {
        let (system, mut parts) = (opened.system.clone(), opened.parts.clone());
        let cone = cone(&system, &parts, roots);
        for part in &mut parts {
            part.definitions.retain(|d| cone.vars.contains(&d.var));
        }
        let mut frames = Frames {
            solver: Z3::new(system),
            parts,
            cone,
            guards: Vec::new(),
            ranges: Vec::new(),
            steps: Vec::new(),
            terms: HashMap::new(),
            meanings: HashMap::new(),
            limit: None,
            asked: Vec::new(),
            took: Duration::ZERO,
            spent: Duration::ZERO,
            wanted: None,
        };
        for at in 0..frames.parts.len() {
            let guard = frames.solver.literal();
            frames.guards.push(guard);
            frames.meanings.insert(guard, Meaning::Present(at));
            let mut definitions = frames.parts[at].definitions.iter();
            let ranged = definitions.any(|definition| definition.range.is_some())
                || !frames.parts[at].ranges.is_empty();
            let range = ranged.then(|| frames.solver.literal());
            frames.ranges.push(range);
        }
        if from_init {
            for term in &frames.cone.init {
                frames.solver.assert(term, 0);
            }
        }
        frames
    }

    pub fn limit(&mut self, time: Option<Duration>) {
        self.limit = time;
        self.solver.limit(Limits {
            time,
            resources: None,
        });
    }

    /// How long all checks took.
    pub fn spent(&self) -> Duration {
        self.spent
    }

    /// Makes steps up to this one.
    fn reach(&mut self, step: usize) {
        while self.steps.len() <= step {
            let now = self.steps.len();
            let always = self.solver.literal();
            if now > 0 {
                for (_, current, next) in &self.cone.states {
                    self.solver.assert_next(current, next, now - 1);
                }
            }
            for term in &self.cone.constraints {
                self.solver.assert_if(always, term, now);
            }
            let mut constraints = Vec::new();
            for (at, part) in self.parts.iter().enumerate() {
                for definition in &part.definitions {
                    let both = [always, self.guards[at]];
                    self.solver.assert_if_all(&both, &definition.term, now);
                    if let (Some(range), Some(term)) = (self.ranges[at], &definition.range) {
                        self.solver.assert_if_all(&[always, range], term, now);
                    }
                }
                if let Some(range) = self.ranges[at] {
                    for term in &part.ranges {
                        self.solver.assert_if_all(&[always, range], term, now);
                    }
                }
                constraints.push((!part.constraints.is_empty()).then(|| {
                    let literal = self.solver.literal();
                    for term in &part.constraints {
                        self.solver.assert_if(literal, term, now);
                    }
                    self.meanings.insert(literal, Meaning::Present(at));
                    literal
                }));
            }
            self.steps.push(Step {
                always,
                constraints,
            });
        }
    }

    /// A literal that has the term hold at a step.
    fn term(&mut self, term: &Term, step: usize) -> Literal {
        let key = (term.id(), step);
        if let Some(known) = self.terms.get(&key) {
            return *known;
        }
        let literal = self.solver.literal();
        self.solver.assert_if(literal, term, step);
        self.terms.insert(key, literal);
        self.meanings.insert(literal, Meaning::Term(term.id()));
        literal
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
        for step in &self.steps[..=last] {
            literals.push(step.always);
            let here = step.constraints.iter().enumerate();
            let here = here.filter(|(at, _)| present.contains(at));
            literals.extend(here.filter_map(|(_, literal)| *literal));
        }
        literals
    }

    /// Is there a path with these parts on which the terms hold?
    pub fn check(&mut self, present: &Set, last: usize, terms: &[(Term, usize)]) -> Answer {
        let mut asked = self.run(present, last);
        for (term, step) in terms {
            asked.push(self.term(term, *step));
        }
        self.ask(asked)
    }

    fn ask(&mut self, asked: Vec<Literal>) -> Answer {
        let start = Moment::now();
        let answer = match &self.wanted {
            Some(wanted) => smt::query_while(&**wanted, || self.solver.check(&asked)),
            None => self.solver.check(&asked),
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
        let mut needed = self.solver.core();
        let limit = self.limit;
        let mut left = PATIENCE * self.took + MOMENT;
        while needed.len() < size && needed.len() > 1 {
            size = needed.len();
            self.limit(Some(limit.map_or(left, |limit| limit.min(left))));
            if self.ask(needed.clone()) != Answer::Unsat {
                break;
            }
            left = left.saturating_sub(self.took);
            needed = self.solver.core();
        }
        self.limit(limit);
        self.meaning(&needed)
    }

    /// The parts with which alone the last check, answered with "unsat", has the same
    /// answer. `None` if it leans on the range of a stream whose part is absent: what
    /// defines the stream may leave the range.
    pub fn enough(&mut self) -> Option<Set> {
        let needed = self.solver.core();
        let ranged = needed.iter().any(|one| self.ranges.contains(&Some(*one)));
        (!ranged).then(|| self.meaning(&needed).parts)
    }

    fn meaning(&self, needed: &[Literal]) -> Core {
        let mut core = Core::default();
        for literal in needed {
            match self.meanings.get(literal) {
                Some(Meaning::Present(at)) => {
                    core.parts.insert(*at);
                }
                Some(Meaning::Term(id)) => {
                    core.terms.insert(*id);
                }
                None => {}
            }
        }
        core
    }

    /// As [`check`](Frames::check); as many of the other parts hold as can, by
    /// their costs.
    pub fn check_soft(
        &mut self,
        present: &Set,
        last: usize,
        terms: &[(Term, usize)],
        costs: &[u32],
    ) -> Answer {
        let mut asked = self.run(present, last);
        for (term, step) in terms {
            asked.push(self.term(term, *step));
        }
        let mut soft = Vec::new();
        for at in (0..self.parts.len()).filter(|at| !present.contains(at)) {
            let holds = self.solver.literal();
            for term in self.parts[at].terms() {
                for step in 0..=last {
                    self.solver.assert_if(holds, term, step);
                }
            }
            soft.push((holds, costs[at]));
        }
        let answer = self.solver.check_soft(&asked, &soft);
        for (literal, _) in soft {
            self.solver.retire(literal);
        }
        answer
    }

    /// The parts of a set that do not hold all along the path of the last model.
    pub fn broken(&mut self, among: &Set, last: usize) -> Set {
        let mut broken = among.clone();
        broken.retain(|at| {
            let terms = along(self.parts[*at].terms(), last);
            self.solver.confirms(terms, []) != Some(true)
        });
        broken
    }

    /// Is the path of the last model none with these parts? A solver that is right
    /// finds no such model, but Z3 has been seen to forget what it was told.
    pub fn is_wrong(&mut self, present: &Set, last: usize) -> bool {
        let parts = present.iter().map(|at| &self.parts[*at]);
        let terms = parts
            .flat_map(OpenPart::terms)
            .chain(&self.cone.constraints);
        let states = self.cone.states.iter();
        let next = states.flat_map(|(_, state, next)| (0..last).map(move |at| (state, next, at)));
        self.solver.confirms(along(terms, last), next) == Some(false)
    }

    /// Does the term hold at a step of the last model?
    pub fn holds(&mut self, term: &Term, step: usize) -> bool {
        self.solver.value(term, step) == Some(Scalar::Bool(true))
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
