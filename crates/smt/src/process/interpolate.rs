//! Sequence interpolants from solvers that make them.
//!
//! The path is asserted in parts: the initial states, each step through its cube, and the bad step
//! at the end. Only the state between two consecutive parts occurs on both sides, so an interpolant
//! is about that state. The caller must check the interpolants; without an answer, the built-in
//! interpolation is used.
//!
//! cvc5 looks for a formula between two others, by enumeration, and may never
//! end: it is asked for one after the other, each from the one before.

use std::sync::Arc;
use std::time::{Duration, Instant};

use system::{System, Term};

use super::choice::External;
use super::dialogue::{Dialogue, FormulaError, OptionalSolver, parts};
use super::formula;
use super::script::Script;
use super::solvers::SolverProgram;
use crate::context::SolverContext;
use crate::horn::Safety;

/// How long the interpolants of a path may take.
fn time(program: SolverProgram) -> Duration {
    Duration::from_secs(match program {
        // Interpolants that cvc5 finds at all, it finds by then.
        SolverProgram::Cvc5 => 3,
        _ => 10,
    })
}

/// The external solver for interpolants.
pub struct Interpolator {
    context: SolverContext,
    helper: OptionalSolver,
}

impl Interpolator {
    /// For the solver that the job has chosen.
    pub fn new(context: &SolverContext) -> Interpolator {
        let choice = context.choice();
        Interpolator {
            helper: OptionalSolver::new(
                context,
                choice.interpolator.clone(),
                "interpolants",
                &choice.shared.interpolations,
            ),
            context: context.clone(),
        }
    }

    /// As [`interpolants`](crate::interpolants), by an external solver; `None` also if there is no
    /// such solver. Only a list that passes `checked` is returned.
    pub fn interpolants(
        &mut self,
        system: &Arc<System>,
        question: &Safety,
        cubes: &[Term],
        checked: impl FnOnce(&Vec<Term>) -> bool,
    ) -> Option<Vec<Term>> {
        let external = self.helper.external()?.clone();
        let mut path = Path {
            script: Script::new(system.clone(), true),
            parts: Vec::new(),
        };
        path.tell(question, cubes);
        if external.program.lacks(&path.script.theories).is_some() {
            return None;
        }
        let begin = Instant::now();
        let found = path.found(system, &external, &self.context);
        let spent = u64::try_from(begin.elapsed().as_micros());
        self.context.burn(spent.unwrap_or(u64::MAX));
        let wrong = || FormulaError::Solver("has interpolants that are none".into());
        let found = found.and_then(|found| match checked(&found) {
            true => Ok(found),
            false if self.context.is_spent() => Err(FormulaError::Stopped),
            false => Err(wrong()),
        });
        self.helper.judge(found)
    }
}

struct Path {
    script: Script,
    /// A formula for each part of the path.
    parts: Vec<String>,
}

impl Path {
    fn tell(&mut self, question: &Safety, cubes: &[Term]) {
        let init = self.conjuncts(&question.init, 0);
        self.parts.push(conjunction(init));
        for (step, cube) in cubes.iter().enumerate() {
            let mut part = self.conjuncts(&question.constraints, step);
            part.extend(self.conjuncts([cube], step));
            if step + 1 == cubes.len() {
                part.extend(self.conjuncts([&question.bad], step));
            } else {
                for (state, next) in &question.states {
                    let next = self.script.text_between(next, step, step);
                    let state = self.script.text_between(state, step + 1, step + 1);
                    part.push(format!("(= {state} {next})"));
                }
            }
            self.parts.push(conjunction(part));
        }
    }

    fn conjuncts<'t>(
        &mut self,
        terms: impl IntoIterator<Item = &'t Term>,
        step: usize,
    ) -> Vec<String> {
        let terms = terms.into_iter();
        terms
            .map(|term| self.script.text_between(term, step, step))
            .collect()
    }

    fn found(
        &mut self,
        system: &System,
        external: &External,
        context: &SolverContext,
    ) -> Result<Vec<Term>, FormulaError> {
        let texts = self.ask(external, context)?;
        let declarations = self.script.all();
        let read = texts.iter().enumerate().map(|(step, text)| {
            let read = formula::read(system, &declarations, text, step);
            read.ok_or_else(|| FormulaError::says(text))
        });
        read.collect()
    }

    /// The interpolants as text, one behind each part but the last.
    fn ask(
        &mut self,
        external: &External,
        context: &SolverContext,
    ) -> Result<Vec<String>, FormulaError> {
        let program = external.program;
        let mut dialogue = Dialogue::start(external, context)?;
        let end = dialogue.deadline(time(program));
        dialogue.tell("(set-option :produce-interpolants true)");
        let logic = program.logic(&self.script.theories);
        dialogue.tell(&format!(
            "(set-logic {})",
            logic.as_deref().unwrap_or("ALL")
        ));
        for declaration in self.script.all() {
            dialogue.tell(&declaration);
        }
        match program {
            SolverProgram::Cvc5 => self.one_by_one(&mut dialogue, end),
            _ => self.of_a_proof(program, &mut dialogue, end),
        }
    }

    /// From the proof that the path is infeasible.
    fn of_a_proof(
        &self,
        program: SolverProgram,
        dialogue: &mut Dialogue,
        end: Instant,
    ) -> Result<Vec<String>, FormulaError> {
        let mark = match program {
            SolverProgram::MathSat => "interpolation-group",
            _ => "named",
        };
        for (at, part) in self.parts.iter().enumerate() {
            dialogue.tell(&format!("(assert (! {part} :{mark} part!{at}))"));
        }
        dialogue.tell("(check-sat)");
        let answer = dialogue.receive(end)?;
        if answer != "unsat" {
            return Err(FormulaError::says(&answer));
        }
        let count = self.parts.len() - 1;
        let names: Vec<String> = (0..=count).map(|at| format!("part!{at}")).collect();
        if program == SolverProgram::MathSat {
            let each = (1..=count).map(|at| {
                dialogue.tell(&format!("(get-interpolant ({}))", names[..at].join(" ")));
                dialogue.receive(end)
            });
            return each.collect();
        }
        dialogue.tell(&format!("(get-interpolants {})", names.join(" ")));
        let answer = dialogue.receive(end)?;
        let found = parts(&answer).filter(|found| found.len() == count);
        found.ok_or_else(|| FormulaError::says(&answer))
    }

    /// Asks for one interpolant after the other: each follows from the one before and the step
    /// between, and contradicts the rest of the path.
    fn one_by_one(
        &self,
        dialogue: &mut Dialogue,
        end: Instant,
    ) -> Result<Vec<String>, FormulaError> {
        let mut found: Vec<String> = Vec::new();
        for at in 0..self.parts.len() - 1 {
            let rest = conjunction(self.parts[at + 1..].to_vec());
            dialogue.tell("(push 1)");
            for known in found.last().into_iter().chain([&self.parts[at]]) {
                dialogue.tell(&format!("(assert {known})"));
            }
            dialogue.tell(&format!("(get-interpolant itp!{at} (not {rest}))"));
            let answer = dialogue.receive(end)?;
            dialogue.tell("(pop 1)");
            // `(define-fun itp!0 () Bool …)`
            let body = parts(&answer).and_then(|parts| <[String; 5]>::try_from(parts).ok());
            let [.., body] = body.ok_or_else(|| FormulaError::says(&answer))?;
            found.push(body);
        }
        Ok(found)
    }
}

fn conjunction(mut parts: Vec<String>) -> String {
    match parts.len() {
        0 => "true".to_owned(),
        1 => parts.remove(0),
        _ => format!("(and {})", parts.join(" ")),
    }
}
