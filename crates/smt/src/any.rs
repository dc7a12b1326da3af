//! Chooses the solver: Z3 in this process, or an external solver.
//!
//! The choice belongs to a thread, as its budget and Z3's context do: the code that starts an
//! engine sets it by [`with_choice`], and all solvers that the engine creates are of that kind. The
//! default is Z3 in this process.

use std::cell::RefCell;
use std::sync::Arc;
use std::time::Duration;

use system::{System, Term};

use crate::embedded::Z3;
use crate::fuel;
use crate::process::{Choice, Process, Script};
use crate::solver::{Answer, Limits, Literal, Scalar, Solver};
use crate::trace::Trace;

thread_local! {
    static CHOICE: RefCell<Option<Choice>> = const { RefCell::new(None) };
}

/// Does work with the chosen solver.
pub fn with_choice<R>(choice: &Choice, work: impl FnOnce() -> R) -> R {
    struct Restore(Option<Choice>);
    impl Drop for Restore {
        fn drop(&mut self) {
            CHOICE.set(self.0.take());
        }
    }
    let _restore = Restore(CHOICE.replace(Some(choice.clone())));
    work()
}

/// The choice of this thread.
pub fn choice() -> Choice {
    CHOICE.with_borrow(|choice| choice.clone().unwrap_or_default())
}

/// Does work with Z3 in this process and a timeout, to check an external solver; `None` if the
/// thread uses Z3 in this process anyway.
pub fn second_opinion<R>(time: Duration, work: impl FnOnce() -> R) -> Option<R> {
    let choice = choice();
    choice.external.as_ref()?;
    let inside = Choice {
        external: None,
        ..choice
    };
    Some(with_choice(&inside, || fuel::within(time, work)))
}

/// A solver for the terms of one system, of the kind that the thread has.
pub struct AnySolver(Inner);

enum Inner {
    Embedded(Box<Z3>),
    /// Z3 in this process, with a script of its commands.
    Traced(Box<Traced>),
    Process(Box<Process>),
}

impl AnySolver {
    pub fn new(system: Arc<System>) -> AnySolver {
        let inner = CHOICE.with_borrow(|choice| match choice {
            None => None,
            Some(choice) => match &choice.external {
                Some(external) => {
                    let process = Process::new(system.clone(), external, choice);
                    Some(Inner::Process(Box::new(process)))
                }
                None => Traced::new(&system, choice).map(|t| Inner::Traced(Box::new(t))),
            },
        });
        AnySolver(inner.unwrap_or_else(|| Inner::Embedded(Box::new(Z3::new(system)))))
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
    fn new(system: &Arc<System>, choice: &Choice) -> Option<Traced> {
        let mut trace = Trace::new(choice.next_trace("Z3")?)?;
        trace.write("(set-option :produce-models true)");
        trace.write("(set-option :produce-unsat-assumptions true)");
        Some(Traced {
            solver: Z3::new(system.clone()),
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
