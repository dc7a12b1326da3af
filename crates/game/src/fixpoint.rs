//! The greatest set of states from which every allowed input has a good output into the set.
//!
//! It begins with all states, and loses some with each round:
//!
//! 1. Is there a viable state with an allowed input that no reply found so far fits? If not,
//!    the replies are a strategy, and the game is won.
//! 2. Is there a good output for this very state and input? Then a reply is made of it: terms
//!    that fit more states and inputs than this one (`reply.rs`).
//! 3. If not, the states from which the environment can do the same are lost (`lost.rs`). If an
//!    initial state is among them, so is the game. Replies that lead there fit less from now on.
//!
//! Initial states are looked at first in each round. No quantifiers are eliminated: a reply is
//! put into the guarantees to see where it fits, and so are the moves of the environment.

use std::collections::HashSet;
use std::time::Duration;

use proof::qe::{definitions, normal};
use smt::{Answer, AnySolver, Eliminator, Literal, Solver, SolverContext};
use system::{Term, Var, and, eq, not, substitute};

use crate::arena::Arena;
use crate::evidence::{Lost, Realization, Refutation, Reply, assigned};
use crate::lost::{Blame, Guards, predicates};
use crate::reply;

/// Who picks what is open at the first step.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Start {
    /// All initial states have to be viable.
    Environment,
    /// One is enough.
    Component,
}

/// How a game ends.
#[derive(Clone, Debug)]
pub enum Outcome {
    Won(Realization),
    Lost(Refutation),
    /// Why nobody knows.
    Open(String),
}

/// Up to so many lost states are compared with others by a solver.
const FEW: usize = 40;

/// How long the second solver may take over the evidence of an external one.
const PATIENCE: Duration = Duration::from_secs(10);

/// The search cannot go on.
#[derive(Debug)]
pub(crate) struct Halt(pub String);

/// How the search goes about generalising; no answer depends on it.
#[derive(Clone, Copy, Debug)]
pub struct SearchOptions {
    pub elimination: Elimination,
    /// Implicants have few of the outputs.
    pub few_outputs: bool,
    /// What the assumptions exclude does not count when states and inputs are generalised.
    pub use_assumptions: bool,
}

/// How outputs are eliminated to see what two states have to do with each other.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Elimination {
    /// By projection of an implicant.
    Projection,
    /// By the solver, from an implicant.
    Implicant,
    /// By the solver, from the whole formula.
    Precise,
}

impl Default for SearchOptions {
    fn default() -> SearchOptions {
        SearchOptions {
            elimination: Elimination::Projection,
            few_outputs: false,
            use_assumptions: true,
        }
    }
}

/// Finds out who wins. Gives up soon after `stop` says so.
pub fn solve(
    context: &SolverContext,
    arena: &Arena,
    start: Start,
    options: SearchOptions,
    stop: &dyn Fn() -> bool,
) -> Outcome {
    let defined = definitions(&arena.guaranteed(), &arena.outputs);
    let reduced = arena.with(&defined);
    let mut search = Search::new(context, &reduced, start, options);
    let outcome = match search.run(stop) {
        Ok(outcome) => outcome,
        Err(Halt(why)) => Outcome::Open(why),
    };
    match outcome {
        Outcome::Won(mut won) => {
            for reply in &mut won.replies {
                let map = assigned(&reduced.outputs, &reply.outputs);
                let all = arena
                    .outputs
                    .iter()
                    .map(|output| match defined.get(output) {
                        Some(term) => term.clone(),
                        None => map[output].clone(),
                    });
                reply.outputs = all.collect();
            }
            match confirmed(context, |with| won.holds_up(with, arena, start)) {
                true => Outcome::Won(won),
                false => unconfirmed(context, stop),
            }
        }
        Outcome::Lost(lost) => {
            let lost = lost.trimmed(context, arena, start);
            match confirmed(context, |with| lost.holds_up(with, arena, start)) {
                true => Outcome::Lost(lost),
                false => unconfirmed(context, stop),
            }
        }
        open => open,
    }
}

/// The reason of [`Outcome::Open`] where evidence fails its check: a bug.
pub const UNCONFIRMED: &str = "a strategy was found that fails its check";

/// What is known if evidence fails its check. That is a bug, unless time was up, or an external
/// solver has found it.
fn unconfirmed(context: &SolverContext, stop: &dyn Fn() -> bool) -> Outcome {
    let excused = context.is_spent() || stop() || context.choice().external.is_some();
    Outcome::Open(match excused {
        true => "a strategy was not checked".to_owned(),
        false => UNCONFIRMED.to_owned(),
    })
}

/// Does evidence pass its check? Evidence of an external solver is also checked by the Z3 inside
/// of the program.
fn confirmed(context: &SolverContext, check: impl Fn(&SolverContext) -> bool) -> bool {
    if !check(context) {
        return false;
    }
    let confirmed = context.second_opinion(PATIENCE, &check).unwrap_or(true);
    if !confirmed {
        let external = context.choice().external.as_ref();
        let name = external.map_or("the solver", |external| external.program.name());
        context.add_note(format!(
            "{name} accepts evidence that the Z3 inside of the program does not confirm"
        ));
    }
    confirmed
}

/// A reply, and where it fits.
struct Rule {
    reply: Reply,
    /// Where it keeps the guarantees.
    fits: Vec<Term>,
    /// Where it leads to no lost states, by their position.
    avoids: Vec<(usize, Term)>,
    /// Excludes what it fits.
    guard: Literal,
}

impl Rule {
    fn region(&self) -> Term {
        let avoids = self.avoids.iter().map(|(_, term)| term);
        and(self.fits.iter().chain(avoids).cloned())
    }
}

struct Search<'a> {
    context: &'a SolverContext,
    arena: &'a Arena,
    start: Start,
    options: SearchOptions,
    eliminator: Eliminator,
    assumed: Term,
    outputs: HashSet<Var>,
    output_vars: Vec<Var>,
    /// The variables of states and inputs.
    given: Vec<Term>,
    next: std::collections::HashMap<Term, Term>,
    /// That outputs keep the guarantees: its parts.
    guaranteed: Vec<Term>,
    /// That outputs lead to no lost states, by the position of these.
    avoided: Vec<(usize, Term)>,
    predicates: Vec<Term>,
    lost: Vec<Lost>,
    /// Lost states that are among others that were found later.
    covered: Vec<bool>,
    rules: Vec<Rule>,
    /// States and inputs that are allowed, in states that are not lost.
    open: AnySolver,
    at_first: Literal,
    /// Good outputs for states and inputs.
    good: AnySolver,
    guards: Guards,
    /// The initial states, once something is lost.
    initial: Option<AnySolver>,
}

impl<'a> Search<'a> {
    fn new(
        context: &'a SolverContext,
        arena: &'a Arena,
        start: Start,
        options: SearchOptions,
    ) -> Search<'a> {
        let solver = || AnySolver::new(context, arena.system.clone());
        let assumed = arena.assumed();
        let guaranteed = arena.guaranteed().conjuncts();
        let output_vars: Vec<Var> = arena.outputs.iter().flat_map(Term::vars).collect();
        let outputs: HashSet<Var> = output_vars.iter().copied().collect();
        let memory = arena.memory.iter().flat_map(|m| [&m.var, &m.next]);
        let terms = guaranteed.iter().chain([&assumed]).chain(memory);
        let mut given: Vec<Var> = terms.flat_map(Term::vars).collect();
        given.sort();
        given.dedup();
        given.retain(|var| !outputs.contains(var));
        let given = given.into_iter();
        let given = given.map(|var| system::var(var, arena.system.var(var).sort.clone()));
        let mut open = solver();
        open.assert(&assumed, 0);
        let at_first = open.literal();
        open.assert_if(at_first, &arena.initial(), 0);
        let mut good = solver();
        guaranteed.iter().for_each(|part| good.assert(part, 0));
        if options.use_assumptions {
            good.assert(&assumed, 0);
        }
        let mut search = Search {
            context,
            arena,
            start,
            options,
            eliminator: Eliminator::new(context, &arena.system),
            given: given.collect(),
            next: arena.next(),
            predicates: Vec::new(),
            lost: Vec::new(),
            covered: Vec::new(),
            rules: Vec::new(),
            guards: Guards::default(),
            assumed,
            output_vars,
            outputs,
            guaranteed,
            avoided: Vec::new(),
            open,
            at_first,
            good,
            initial: None,
        };
        for part in &search.guaranteed {
            predicates(part, &search.outputs, &mut search.predicates);
        }
        search
    }

    fn run(&mut self, stop: &dyn Fn() -> bool) -> Result<Outcome, Halt> {
        loop {
            if stop() {
                return Err(Halt("stopped".into()));
            }
            if !self.find_open()? {
                let replies = self.rules.iter().map(|rule| rule.reply.clone());
                let avoided = self.lost.iter().zip(&self.covered);
                let avoided = avoided.filter(|(_, covered)| !**covered);
                return Ok(Outcome::Won(Realization {
                    avoided: avoided.map(|(lost, _)| lost.states.clone()).collect(),
                    replies: replies.collect(),
                }));
            }
            if self.find_reply()? {
                continue;
            }
            let lost = self.find_lost()?;
            if self.lose(lost)? {
                let lost = std::mem::take(&mut self.lost);
                return Ok(Outcome::Lost(Refutation { lost }));
            }
        }
    }

    /// That outputs are good: all that has to hold.
    fn goal_parts(&self) -> Vec<Term> {
        let avoided = self.avoided.iter().map(|(_, term)| term);
        self.guaranteed.iter().chain(avoided).cloned().collect()
    }

    fn goal(&self) -> Term {
        and(self.goal_parts())
    }

    /// Is there a state and input that no reply fits? The model of `open` has them.
    fn find_open(&mut self) -> Result<bool, Halt> {
        let mut guards: Vec<Literal> = self.rules.iter().map(|rule| rule.guard).collect();
        guards.push(self.at_first);
        match self.open.check(&guards) {
            Answer::Sat => return Ok(true),
            Answer::Unsat => {}
            Answer::Unknown(why) => return Err(Halt(why)),
        }
        guards.pop();
        match self.open.check(&guards) {
            Answer::Sat => Ok(true),
            Answer::Unsat => Ok(false),
            Answer::Unknown(why) => Err(Halt(why)),
        }
    }

    /// Is there a good output? It becomes a rule.
    fn find_reply(&mut self) -> Result<bool, Halt> {
        let mut point = Vec::new();
        for var in &self.given {
            let value = self.open.value(var, 0).and_then(|v| v.term(var.sort()));
            let value = value.ok_or_else(|| Halt("a value that is no number".into()))?;
            point.push(eq(var, &value));
        }
        self.good.push();
        self.good.assert(&and(point), 0);
        let found = match self.good.check(&[]) {
            Answer::Unsat => None,
            Answer::Unknown(why) => return Err(Halt(why)),
            Answer::Sat => {
                let goal = self.goal_parts();
                // Without inputs, there is little to be general about.
                let general = !self.arena.inputs.is_empty();
                let outputs = &self.arena.outputs;
                let outputs = reply::outputs(&goal, outputs, general, &mut self.good);
                Some(outputs.ok_or_else(|| Halt("an output that is no number".into()))?)
            }
        };
        self.good.pop();
        let Some(outputs) = found else {
            return Ok(false);
        };
        let map = assigned(&self.arena.outputs, &outputs);
        let replaced = |term: &Term| normal(&substitute(term, &map));
        let fits: Vec<Term> = self.guaranteed.iter().map(replaced).collect();
        let avoids = self.avoided.iter();
        let avoids = avoids.map(|(at, term)| (*at, replaced(term)));
        let mut rule = Rule {
            reply: Reply { outputs },
            fits,
            avoids: avoids.collect(),
            guard: self.at_first,
        };
        if self.open.holds(&rule.region(), 0) != Some(true) {
            return Err(Halt("a function has more than one value".into()));
        }
        rule.guard = self.open.literal();
        self.open.assert_if(rule.guard, &not(&rule.region()), 0);
        self.rules.push(rule);
        Ok(true)
    }

    fn find_lost(&mut self) -> Result<Lost, Halt> {
        let goal = self.goal();
        let mut blame = Blame {
            context: self.context,
            system: &self.arena.system,
            options: self.options,
            eliminator: &mut self.eliminator,
            point: &mut self.open,
            good: &mut self.good,
            guards: &mut self.guards,
            goal: &goal,
            outputs: &self.output_vars,
            predicates: &self.predicates,
            given: &self.given,
        };
        let region = blame.region()?;
        let lost = blame.states(region, &self.assumed, &self.arena.inputs);
        lost.ok_or_else(|| Halt("a value that is no number".into()))
    }

    /// The lost states that are among others. Where there are many, it is only looked at what
    /// they are made of.
    fn cover(&mut self, states: &Term) -> Vec<usize> {
        let mut solver = AnySolver::new(self.context, self.arena.system.clone());
        solver.assert(&not(states), 0);
        let parts = states.conjuncts();
        let open: Vec<usize> = (0..self.lost.len())
            .filter(|at| !self.covered[*at])
            .collect();
        let asks = open.len() < FEW;
        let mut covered = Vec::new();
        for at in open {
            let known = &self.lost[at].states;
            let all = known.conjuncts();
            let is_among = parts.iter().all(|part| all.contains(part))
                || asks && {
                    let literal = solver.literal();
                    solver.assert_if(literal, known, 0);
                    solver.check(&[literal]) == Answer::Unsat
                };
            if is_among {
                covered.push(at);
                self.covered[at] = true;
            }
        }
        covered
    }

    /// Takes note of lost states. Is the game lost?
    fn lose(&mut self, lost: Lost) -> Result<bool, Halt> {
        let states = lost.states.clone();
        self.open.assert(&not(&states), 0);
        let reached = normal(&substitute(&states, &self.next));
        let avoided = not(&reached);
        self.good.assert(&avoided, 0);
        let own = self.lost.len();
        let covered = self.cover(&states);
        self.avoided.retain(|(at, _)| !covered.contains(at));
        for rule in &mut self.rules {
            let map = assigned(&self.arena.outputs, &rule.reply.outputs);
            let part = normal(&substitute(&avoided, &map));
            let before = rule.avoids.len();
            rule.avoids.retain(|(at, _)| !covered.contains(at));
            let is_new = part != system::boolean(true);
            if is_new {
                rule.avoids.push((own, part));
            }
            if is_new || rule.avoids.len() < before {
                self.open.retire(rule.guard);
                rule.guard = self.open.literal();
                self.open.assert_if(rule.guard, &not(&rule.region()), 0);
            }
        }
        predicates(&avoided, &self.outputs, &mut self.predicates);
        self.avoided.push((own, avoided));
        self.lost.push(lost);
        self.covered.push(false);
        let (context, arena) = (self.context, self.arena);
        let initial = self.initial.get_or_insert_with(|| {
            let mut solver = AnySolver::new(context, arena.system.clone());
            solver.assert(&arena.initial(), 0);
            solver
        });
        let answer = match self.start {
            Start::Environment => {
                initial.push();
                initial.assert(&states, 0);
                let answer = initial.check(&[]);
                initial.pop();
                answer
            }
            Start::Component => {
                initial.assert(&not(&states), 0);
                match initial.check(&[]) {
                    Answer::Sat => Answer::Unsat,
                    Answer::Unsat => Answer::Sat,
                    unknown => unknown,
                }
            }
        };
        match answer {
            Answer::Sat => Ok(true),
            Answer::Unsat => Ok(false),
            Answer::Unknown(why) => Err(Halt(why)),
        }
    }
}
