//! The solver that a job has chosen: Z3 in this process, or an external solver.

use std::sync::Arc;

use system::{System, Term};

use crate::context::SolverContext;
use crate::embedded::Z3;
use crate::process::{Process, Script};
use crate::solver::{Answer, Limits, Literal, Scalar, Solver};
use crate::trace::Trace;

/// A solver for the terms of one system, of the kind that the job has chosen.
pub struct AnySolver(Inner);

enum Inner {
    Embedded(Box<Z3>),
    /// Z3 in this process, with a script of its commands.
    Traced(Box<Traced>),
    Process(Box<Process>),
}

impl AnySolver {
    pub fn new(context: &SolverContext, system: Arc<System>) -> AnySolver {
        if let Some(external) = &context.choice().external {
            let process = Process::new(context, system, external);
            return AnySolver(Inner::Process(Box::new(process)));
        }
        AnySolver(match Traced::new(context, &system) {
            Some(traced) => Inner::Traced(Box::new(traced)),
            None => Inner::Embedded(Box::new(Z3::new(context, system))),
        })
    }
}

/// Calls the same method of the inner solver.
macro_rules! forward {
    ($self:ident, $solver:ident => $call:expr) => {
        match &mut $self.0 {
            Inner::Embedded($solver) => $call,
            Inner::Traced($solver) => $call,
            Inner::Process($solver) => $call,
        }
    };
}

impl Solver for AnySolver {
    fn push(&mut self) {
        forward!(self, solver => solver.push());
    }

    fn pop(&mut self) {
        forward!(self, solver => solver.pop());
    }

    fn assert(&mut self, term: &Term, step: usize) {
        forward!(self, solver => solver.assert(term, step));
    }

    fn assert_next(&mut self, state: &Term, next: &Term, step: usize) {
        forward!(self, solver => solver.assert_next(state, next, step));
    }

    fn assert_different(&mut self, terms: &[Term], i: usize, j: usize) {
        forward!(self, solver => solver.assert_different(terms, i, j));
    }

    fn assert_no_shortcut(
        &mut self,
        condition: &Term,
        states: &[(Term, Term)],
        i: usize,
        j: usize,
    ) {
        forward!(self, solver => solver.assert_no_shortcut(condition, states, i, j));
    }

    fn literal(&mut self) -> Literal {
        forward!(self, solver => solver.literal())
    }

    fn assert_if(&mut self, guard: Literal, term: &Term, step: usize) {
        forward!(self, solver => solver.assert_if(guard, term, step));
    }

    fn retire(&mut self, literal: Literal) {
        forward!(self, solver => solver.retire(literal));
    }

    fn check(&mut self, assumptions: &[Literal]) -> Answer {
        forward!(self, solver => solver.check(assumptions))
    }

    fn check_soft(&mut self, assumptions: &[Literal], soft: &[(Literal, u32)]) -> Answer {
        forward!(self, solver => solver.check_soft(assumptions, soft))
    }

    fn core(&mut self) -> Vec<Literal> {
        forward!(self, solver => solver.core())
    }

    fn value(&mut self, term: &Term, step: usize) -> Option<Scalar> {
        forward!(self, solver => solver.value(term, step))
    }

    fn value_between(&mut self, term: &Term, state: usize, inputs: usize) -> Option<Scalar> {
        forward!(self, solver => solver.value_between(term, state, inputs))
    }

    fn limit(&mut self, limits: Limits) {
        forward!(self, solver => solver.limit(limits));
    }
}

struct Traced {
    solver: Z3,
    script: Script,
    trace: Trace,
}

impl Traced {
    fn new(context: &SolverContext, system: &Arc<System>) -> Option<Traced> {
        let choice = context.choice();
        let mut trace = Trace::new(context, choice.next_trace("Z3")?)?;
        trace.write("(set-option :produce-models true)");
        trace.write("(set-option :produce-unsat-assumptions true)");
        Some(Traced {
            solver: Z3::new(context, system.clone()),
            script: Script::new(system.clone(), choice.short_names),
            trace,
        })
    }

    fn assert_text(&mut self, text: &str) {
        self.script.assert(text);
    }

    fn question(&mut self, assumptions: &[Literal]) {
        let names = assumptions.iter();
        let names: Vec<String> = names.map(|l| self.script.literal_name(*l)).collect();
        for command in self.script.take_fresh() {
            self.trace.write(&command);
        }
        self.trace.write(&match names.is_empty() {
            true => "(check-sat)".to_owned(),
            false => format!("(check-sat-assuming ({}))", names.join(" ")),
        });
    }

    fn answered(&mut self, answer: Answer) -> Answer {
        self.trace.answer(match &answer {
            Answer::Sat => "sat",
            Answer::Unsat => "unsat",
            Answer::Unknown(_) => "unknown",
        });
        answer
    }
}

impl Solver for Traced {
    fn push(&mut self) {
        self.script.push();
        self.solver.push();
    }

    fn pop(&mut self) {
        self.script.pop();
        self.solver.pop();
    }

    fn assert(&mut self, term: &Term, step: usize) {
        let text = self.script.text(term, step);
        self.assert_text(&text);
        self.solver.assert(term, step);
    }

    fn assert_next(&mut self, state: &Term, next: &Term, step: usize) {
        let text = self.script.text_next(state, next, step);
        self.assert_text(&text);
        self.solver.assert_next(state, next, step);
    }

    fn assert_different(&mut self, terms: &[Term], i: usize, j: usize) {
        let text = self.script.text_different(terms, i, j);
        self.assert_text(&text);
        self.solver.assert_different(terms, i, j);
    }

    fn assert_no_shortcut(
        &mut self,
        condition: &Term,
        states: &[(Term, Term)],
        i: usize,
        j: usize,
    ) {
        let text = self.script.text_no_shortcut(condition, states, i, j);
        self.assert_text(&text);
        self.solver.assert_no_shortcut(condition, states, i, j);
    }

    fn literal(&mut self) -> Literal {
        self.script.literal();
        self.solver.literal()
    }

    fn assert_if(&mut self, guard: Literal, term: &Term, step: usize) {
        let text = self.script.text(term, step);
        let name = self.script.literal_name(guard);
        self.assert_text(&format!("(=> {name} {text})"));
        self.solver.assert_if(guard, term, step);
    }

    fn retire(&mut self, literal: Literal) {
        let name = self.script.literal_name(literal);
        self.assert_text(&format!("(not {name})"));
        self.solver.retire(literal);
    }

    fn check(&mut self, assumptions: &[Literal]) -> Answer {
        self.question(assumptions);
        let answer = self.solver.check(assumptions);
        self.answered(answer)
    }

    fn check_soft(&mut self, assumptions: &[Literal], soft: &[(Literal, u32)]) -> Answer {
        self.question(assumptions);
        let answer = self.solver.check_soft(assumptions, soft);
        self.answered(answer)
    }

    fn core(&mut self) -> Vec<Literal> {
        self.solver.core()
    }

    fn value(&mut self, term: &Term, step: usize) -> Option<Scalar> {
        self.solver.value(term, step)
    }

    fn value_between(&mut self, term: &Term, state: usize, inputs: usize) -> Option<Scalar> {
        self.solver.value_between(term, state, inputs)
    }

    fn limit(&mut self, limits: Limits) {
        self.solver.limit(limits);
    }
}
