//! The solver trait over a process that speaks SMT-LIB 2.
//!
//! Assertions are kept as a script, so that a process that reaches a timeout can be killed, and a
//! new one gets the same assertions. A process that dies, gives an unexpected answer, or does not
//! answer at all is not started again: from then on all queries are "unknown", and the reason is
//! recorded in the job's context ([`SolverContext::fail`]), so that the engine can end.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::time::{Duration, Instant};

use system::{System, Term};

use super::child::{Child, NoAnswer};
use super::choice::{External, Logic};
use super::dialogue::shortened;
use super::script::Script;
use super::value::value;
use crate::context::SolverContext;
use crate::sexpr::{Sexpr, parse_one};
use crate::solver::{Answer, Limits, Literal, Scalar, Solver};
use crate::trace::Trace;

/// A solver for the terms of one system, outside of this process.
pub struct Process {
    context: SolverContext,
    external: External,
    script: Script,
    child: Option<Child>,
    /// The logic that the process was told.
    logic: Option<String>,
    /// The solver has failed, and is not used any more.
    broken: bool,
    limits: Limits,
    /// When the last query was sent.
    asked: Instant,
    /// The assumptions of the last query.
    assumed: Vec<Literal>,
    /// The last query is between `push` and `pop`.
    inside: bool,
    /// The last answer was "sat" and its model is there.
    has_model: bool,
    values: HashMap<(u64, usize, usize), Option<Scalar>>,
    trace: Option<Trace>,
}

/// The timeout for values and cores of an answered query.
const REPLY_TIMEOUT: Duration = Duration::from_secs(20);

impl Process {
    pub(crate) fn new(
        context: &SolverContext,
        system: Arc<System>,
        external: &External,
    ) -> Process {
        let choice = context.choice();
        let trace = choice.next_trace(external.program.name());
        Process {
            context: context.clone(),
            external: external.clone(),
            script: Script::new(system, choice.short_names),
            child: None,
            logic: None,
            broken: false,
            limits: Limits::default(),
            asked: Instant::now(),
            assumed: Vec::new(),
            inside: false,
            has_model: false,
            values: HashMap::new(),
            trace: trace.and_then(|path| Trace::new(context, path)),
        }
    }

    fn say(&mut self, command: &str) {
        if let Some(trace) = &mut self.trace {
            trace.write(command);
        }
        if let Some(child) = &self.child {
            child.tell(command);
        }
    }

    /// Records a failure; the solver is not used any more.
    fn fail(&mut self, what: &str) -> Answer {
        let message = format!("{} {what}", self.external.program.name());
        self.child = None;
        self.broken = true;
        self.context.fail(message.clone());
        Answer::Unknown(message)
    }

    /// Sends all new commands; or starts a new process, if there is none or it was given another
    /// logic.
    fn bring_up_to_date(&mut self) -> Result<(), Answer> {
        if self.broken {
            return Err(Answer::Unknown("the solver is gone".into()));
        }
        if self.context.choice().shared.is_caught() {
            return Err(self.fail("has given a wrong answer to another engine"));
        }
        let program = self.external.program;
        if let Some(lacking) = program.lacks(&self.script.theories) {
            return Err(self.fail(&format!("has no {lacking}")));
        }
        let logic = match &self.context.choice().logic {
            Logic::Named(name) => Some(name.clone()),
            Logic::Unnamed if !program.needs_logic() => None,
            _ => program.logic(&self.script.theories),
        };
        if self.child.is_some() && self.logic == logic {
            self.leave_query();
            for command in self.script.take_fresh() {
                self.say(&command);
            }
            return Ok(());
        }
        self.start(logic)
    }

    /// Starts a process and sends it all commands; the time to start does not count for the
    /// engine's budget.
    fn start(&mut self, logic: Option<String>) -> Result<(), Answer> {
        let program = self.external.program;
        let begin = Instant::now();
        let (executable, args) = program.command(&self.external.path);
        self.child = match Child::start(&executable, &args, &self.context.choice().shared.processes)
        {
            Ok(child) => Some(child),
            Err(error) => return Err(self.fail(&format!("does not start: {error}"))),
        };
        self.inside = false;
        if let Some(trace) = &mut self.trace {
            trace.restart();
        }
        for command in program.preamble(true) {
            self.say(command);
        }
        if self.inquire("(echo \"ready\")").is_none() {
            return Err(Answer::Unknown("the solver does not begin".into()));
        }
        self.context.postpone(begin.elapsed());
        if program.has_cores(&self.script.theories) {
            self.say(match self.context.choice().check_sat_assume {
                true => "(set-option :produce-unsat-assumptions true)",
                false => "(set-option :produce-unsat-cores true)",
            });
        }
        if let Some(name) = &logic {
            self.say(&format!("(set-logic {name})"));
        }
        self.logic = logic;
        for command in self.script.all() {
            self.say(&command);
        }
        Ok(())
    }

    /// Pops the assumptions of the last query, if they were asserted.
    fn leave_query(&mut self) {
        if std::mem::take(&mut self.inside) {
            self.say("(pop 1)");
        }
        self.has_model = false;
        self.values.clear();
    }

    fn ask(&mut self, assumptions: &[Literal]) -> Answer {
        let mut seen = HashSet::new();
        let each = assumptions.iter().filter(|literal| seen.insert(**literal));
        let names: Vec<String> = each.map(|l| self.script.literal_name(*l)).collect();
        if let Err(answer) = self.bring_up_to_date() {
            return answer;
        }
        self.has_model = false;
        self.values.clear();
        if names.is_empty() {
            // Not all solvers read an empty list.
            self.say("(check-sat)");
        } else if self.context.choice().check_sat_assume {
            self.say(&format!("(check-sat-assuming ({}))", names.join(" ")));
        } else {
            self.say("(push 1)");
            self.inside = true;
            for name in &names {
                self.say(&format!("(assert (! {name} :named a!{name}))"));
            }
            self.say("(check-sat)");
        }
        self.asked = Instant::now();
        let deadline = self.time().map(|time| self.asked + time);
        match self.receive(deadline) {
            Ok(answer) => self.understand(&answer),
            Err(NoAnswer::Died) => self.fail("has ended without an answer"),
            Err(no_answer) => {
                // The next query starts a new process.
                self.child = None;
                Answer::Unknown(match no_answer {
                    NoAnswer::Interrupted => "canceled".into(),
                    _ => "resource limit: time".into(),
                })
            }
        }
    }

    /// The next answer; `success` is skipped.
    fn receive(&mut self, deadline: Option<Instant>) -> Result<String, NoAnswer> {
        let child = self.child.as_ref().ok_or(NoAnswer::Died)?;
        loop {
            let answer = child.receive(&self.context, deadline)?;
            if answer != "success" {
                if let Some(trace) = &mut self.trace {
                    trace.answer(&answer);
                }
                return Ok(answer);
            }
        }
    }

    fn understand(&mut self, answer: &str) -> Answer {
        match answer {
            "sat" => {
                self.has_model = true;
                Answer::Sat
            }
            "unsat" => Answer::Unsat,
            "unknown" | "timeout" => Answer::Unknown("the solver does not know".into()),
            other => self.fail(&format!("says `{}`", shortened(other))),
        }
    }

    /// The timeout of the next query: a unit of work counts as a microsecond.
    fn time(&self) -> Option<Duration> {
        let work = self.context.capped(self.limits.resources);
        let work = work.map(|units| Duration::from_micros(units.into()));
        self.context
            .capped_time(self.limits.time)
            .into_iter()
            .chain(self.limits.real)
            .chain(work)
            .min()
    }

    /// The answer to a command about the last query, such as `get-value`.
    fn inquire(&mut self, question: &str) -> Option<Sexpr> {
        self.say(question);
        match self.receive(Some(Instant::now() + REPLY_TIMEOUT)) {
            Ok(answer) if answer.starts_with("(error") => {
                self.fail(&format!("says `{}`", shortened(&answer)));
                None
            }
            Ok(answer) => match parse_one(&answer) {
                Some(answer) => Some(answer),
                None => {
                    self.fail(&format!("says `{}`", shortened(&answer)));
                    None
                }
            },
            Err(NoAnswer::Interrupted) => {
                self.child = None;
                None
            }
            Err(NoAnswer::Died) => {
                self.fail("has ended without an answer");
                None
            }
            Err(NoAnswer::Late) => {
                self.fail("does not answer");
                None
            }
        }
    }

    fn value_at(&mut self, term: &Term, state: usize, inputs: usize) -> Option<Scalar> {
        let key = (term.id(), state, inputs);
        if let Some(known) = self.values.get(&key) {
            return known.clone();
        }
        if !self.has_model {
            return None;
        }
        let text = self.script.text_of_value(term, state, inputs)?;
        let answer = self.inquire(&format!("(get-value ({text}))"))?;
        // `((term value))`
        let pair = answer.list().and_then(|pairs| pairs.first()?.list());
        let read = match pair {
            Some([_, answer]) => value(answer, term.sort()),
            _ => {
                self.fail("gives no value");
                None
            }
        };
        self.values.insert(key, read.clone());
        read
    }
}

impl Solver for Process {
    fn push(&mut self) {
        self.script.push();
    }

    fn pop(&mut self) {
        self.script.pop();
    }

    fn assert(&mut self, term: &Term, step: usize) {
        let text = self.script.text(term, step);
        self.script.assert(&text);
    }

    fn assert_next(&mut self, state: &Term, next: &Term, step: usize) {
        let text = self.script.text_next(state, next, step);
        self.script.assert(&text);
    }

    fn assert_different(&mut self, terms: &[Term], i: usize, j: usize) {
        let text = self.script.text_different(terms, i, j);
        self.script.assert(&text);
    }

    fn assert_no_shortcut(
        &mut self,
        condition: &Term,
        states: &[(Term, Term)],
        i: usize,
        j: usize,
    ) {
        let text = self.script.text_no_shortcut(condition, states, i, j);
        self.script.assert(&text);
    }

    fn literal(&mut self) -> Literal {
        self.script.literal()
    }

    fn assert_if(&mut self, guard: Literal, term: &Term, step: usize) {
        let text = self.script.text(term, step);
        let guard = self.script.literal_name(guard);
        self.script.assert(&format!("(=> {guard} {text})"));
    }

    fn retire(&mut self, literal: Literal) {
        let name = self.script.literal_name(literal);
        self.script.assert(&format!("(not {name})"));
    }

    fn check(&mut self, assumptions: &[Literal]) -> Answer {
        if self.context.is_spent() {
            return Answer::Unknown("resource limit".into());
        }
        self.assumed = assumptions.to_vec();
        self.asked = Instant::now();
        let answer = self.ask(assumptions);
        let spent = self.asked.elapsed().as_micros();
        self.context.burn(u64::try_from(spent).unwrap_or(u64::MAX));
        answer
    }

    fn check_soft(&mut self, assumptions: &[Literal], soft: &[(Literal, u32)]) -> Answer {
        super::soft::check(self, assumptions, soft)
    }

    fn core(&mut self) -> Vec<Literal> {
        let has_cores = self.external.program.has_cores(&self.script.theories);
        if self.assumed.is_empty() || self.child.is_none() || !has_cores {
            return self.assumed.clone();
        }
        let question = match self.context.choice().check_sat_assume {
            true => "(get-unsat-assumptions)",
            false => "(get-unsat-core)",
        };
        let core = self.inquire(question);
        let literal = |word: &Sexpr| {
            let name = word.atom()?;
            let name = name.strip_prefix("a!").unwrap_or(name);
            name.strip_prefix("l!")?.parse().ok().map(Literal)
        };
        let parts = core.as_ref().and_then(Sexpr::list);
        let found: Option<Vec<Literal>> =
            parts.and_then(|parts| parts.iter().map(literal).collect());
        let assumed = |found: &Vec<Literal>| found.iter().all(|l| self.assumed.contains(l));
        // Without an unsat core, all assumptions are one.
        found
            .filter(assumed)
            .unwrap_or_else(|| self.assumed.clone())
    }

    fn value(&mut self, term: &Term, step: usize) -> Option<Scalar> {
        self.value_at(term, step, step)
    }

    fn value_between(&mut self, term: &Term, state: usize, inputs: usize) -> Option<Scalar> {
        self.value_at(term, state, inputs)
    }

    fn limit(&mut self, limits: Limits) {
        self.limits = limits;
    }
}
