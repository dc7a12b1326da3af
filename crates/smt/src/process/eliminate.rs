//! Quantifier elimination, by an external solver or by Z3 in this process.
//!
//! cvc5 has a command for it, Z3 a tactic. A process is kept from one query to the next. The caller
//! must check the answer: that it has none of the eliminated variables, and holds in the model at
//! hand.

use std::sync::Arc;
use std::time::{Duration, Instant};

use system::{System, Term, Var, and};

use super::choice::External;
use super::dialogue::{Dialogue, FormulaError, OptionalSolver, parts};
use super::formula;
use super::script::Script;
use super::solvers::SolverProgram;
use crate::context::SolverContext;
use crate::{eliminate, smtlib};

pub struct Eliminator {
    context: SolverContext,
    system: Arc<System>,
    helper: OptionalSolver,
    script: Script,
    dialogue: Option<Dialogue>,
}

impl Eliminator {
    /// For the solver that the job has chosen.
    pub fn new(context: &SolverContext, system: &Arc<System>) -> Eliminator {
        let choice = context.choice();
        Eliminator {
            system: system.clone(),
            helper: OptionalSolver::new(
                context,
                choice.eliminator.clone(),
                "formulas without quantifiers",
                &choice.shared.eliminations,
            ),
            context: context.clone(),
            script: Script::new(system.clone(), true),
            dialogue: None,
        }
    }

    /// Is an external solver used?
    pub fn is_external(&self) -> bool {
        self.helper.external().is_some()
    }

    /// Records that the external solver has given a wrong answer: it is not used any more.
    pub fn dismiss(&mut self, why: &str) {
        self.helper.dismiss(why);
        self.dialogue = None;
    }

    /// A formula without the variables that is said to be equivalent to there being
    /// values for them; `None` if none is found in time.
    pub fn eliminate(&mut self, formula: &Term, vars: &[Var], time: Duration) -> Option<Term> {
        let Some(external) = self.helper.external().cloned() else {
            return eliminate(&self.context, &self.system, formula, vars, time);
        };
        if vars.is_empty() {
            return Some(formula.clone());
        }
        let begin = Instant::now();
        let answer = self.ask(&external, formula, vars, time);
        let spent = u64::try_from(begin.elapsed().as_micros());
        self.context.burn(spent.unwrap_or(u64::MAX));
        if answer.is_err() {
            // A late answer must not be taken for the answer to the next query.
            self.dialogue = None;
        }
        self.helper.judge(answer)
    }

    fn ask(
        &mut self,
        external: &External,
        formula: &Term,
        vars: &[Var],
        time: Duration,
    ) -> Result<Term, FormulaError> {
        let program = external.program;
        let body = self.script.text_between(formula, 0, 0);
        let bound = vars.iter().map(|var| {
            let sort = smtlib::sort(&self.system.var(*var).sort);
            format!("({} {sort})", self.script.var_name(*var, 0))
        });
        let bound: Vec<String> = bound.collect();
        let question = format!("(exists ({}) {body})", bound.join(" "));
        let dialogue = self.dialogue(external)?;
        let end = dialogue.deadline(time);
        let answer = match program {
            SolverProgram::Z3 => {
                dialogue.tell("(push 1)");
                dialogue.tell(&format!("(assert {question})"));
                dialogue.tell("(apply qe)");
                let answer = dialogue.receive(end)?;
                dialogue.tell("(pop 1)");
                goals(&answer).ok_or_else(|| FormulaError::says(&answer))?
            }
            _ => {
                dialogue.tell(&format!("(get-qe {question})"));
                vec![dialogue.receive(end)?]
            }
        };
        let declarations = self.script.all();
        let read = |text: &String| {
            let read = formula::read(&self.system, &declarations, text, 0);
            read.ok_or_else(|| FormulaError::says(text))
        };
        let found: Result<Vec<Term>, FormulaError> = answer.iter().map(read).collect();
        Ok(and(found?))
    }

    /// The process, after all declarations.
    fn dialogue(&mut self, external: &External) -> Result<&mut Dialogue, FormulaError> {
        let mut dialogue = match self.dialogue.take() {
            Some(dialogue) => dialogue,
            None => {
                let mut dialogue = Dialogue::start(external, &self.context)?;
                if external.program != SolverProgram::Z3 {
                    dialogue.tell("(set-logic ALL)");
                }
                self.script.all().iter().for_each(|c| dialogue.tell(c));
                dialogue
            }
        };
        for command in self.script.take_fresh() {
            dialogue.tell(&command);
        }
        Ok(self.dialogue.insert(dialogue))
    }
}

/// The formulas of `(goals (goal f g … :precision precise :depth 1))`.
fn goals(answer: &str) -> Option<Vec<String>> {
    let [head, goal] = <[String; 2]>::try_from(parts(answer)?).ok()?;
    let mut goal = parts(&goal)?.into_iter();
    if head != "goals" || goal.next()? != "goal" {
        return None;
    }
    let mut formulas: Vec<String> = goal.collect();
    let end = formulas.iter().position(|part| part == ":precision")?;
    let precise = formulas.get(end + 1)? == "precise";
    formulas.truncate(end);
    precise.then_some(formulas)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn goals_are_told_from_what_surrounds_them() {
        let answer = "(goals\n(goal\n  (or |b c| x)\n  y\n  :precision precise :depth 1)\n)";
        assert_eq!(goals(answer).unwrap(), ["(or |b c| x)", "y"]);
        let nothing = "(goals (goal :precision precise :depth 1))";
        assert!(goals(nothing).unwrap().is_empty());
        for other in [
            "(goals)",
            "(goals (goal x :precision over :depth 1))",
            "(goals (goal x :precision precise) (goal y :precision precise))",
            "(goals (goal x))",
            "unsat",
        ] {
            assert_eq!(goals(other), None, "{other}");
        }
    }
}
