//! Sequence interpolants from solvers that make them.
//!
//! The path is told in parts: the initial states, each step through its cube,
//! and the bad step at the end. Between two parts that follow each other, only
//! the state in the middle occurs on both sides, so that an interpolant speaks
//! of that alone. What comes back is a claim for others to check; where nothing
//! does, there is what is built in.

use std::sync::Arc;
use std::time::{Duration, Instant};

use system::{System, Term};
use z3::ast::{Ast, Dynamic};

use super::child::Child;
use super::choice::{Choice, External};
use super::script::Script;
use super::solvers::Program;
use crate::fuel;
use crate::horn::Safety;
use crate::read::Reader;

/// How long the interpolants of a path may take.
const TIME: Duration = Duration::from_secs(10);

/// As [`interpolants`](crate::interpolants), by the solver of the thread's choice
/// for that; `None` without one, too.
pub fn external_interpolants(
    system: &Arc<System>,
    question: &Safety,
    cubes: &[Term],
) -> Option<Vec<Term>> {
    let choice = crate::choice();
    let external = choice.interpolator.as_ref()?;
    let mut path = Path {
        script: Script::new(system.clone(), true),
        parts: Vec::new(),
    };
    path.tell(question, cubes);
    if external.program.lacks(&path.script.theories).is_some() {
        return None;
    }
    let found = path.ask(external, &choice)?;
    let read = found.iter().enumerate();
    read.map(|(step, text)| path.read(system, text, step))
        .collect()
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

    /// The declarations of all that occurs.
    fn declarations(&mut self) -> Vec<String> {
        self.script.all()
    }

    /// The interpolants as text, one behind each part but the last.
    fn ask(&mut self, external: &External, choice: &Choice) -> Option<Vec<String>> {
        let program = external.program;
        let (executable, args) = program.command(&external.path);
        let child = Child::start(&executable, &args, &choice.shared.census).ok()?;
        let deadline = Instant::now() + fuel::capped_time(Some(TIME)).unwrap_or(TIME);
        for option in program.preamble(false) {
            child.tell(option);
        }
        child.tell("(set-option :produce-interpolants true)");
        let logic = program.logic(&self.script.theories);
        child.tell(&format!(
            "(set-logic {})",
            logic.as_deref().unwrap_or("ALL")
        ));
        for declaration in self.declarations() {
            child.tell(&declaration);
        }
        let mark = match program {
            Program::MathSat => "interpolation-group",
            _ => "named",
        };
        for (at, part) in self.parts.iter().enumerate() {
            child.tell(&format!("(assert (! {part} :{mark} part!{at}))"));
        }
        child.tell("(check-sat)");
        if hear(&child, deadline)? != "unsat" {
            return None;
        }
        let count = self.parts.len() - 1;
        let names: Vec<String> = (0..=count).map(|at| format!("part!{at}")).collect();
        if program == Program::MathSat {
            let each = (1..=count).map(|at| {
                child.tell(&format!("(get-interpolant ({}))", names[..at].join(" ")));
                hear(&child, deadline)
            });
            return each.collect();
        }
        child.tell(&format!("(get-interpolants {})", names.join(" ")));
        let answer = hear(&child, deadline)?;
        let inside = answer.trim().strip_prefix('(')?.strip_suffix(')')?;
        let mut splitter = super::splitter::Splitter::default();
        let bytes = inside.bytes().chain([b'\n']);
        let found: Vec<String> = bytes.filter_map(|byte| splitter.push(byte)).collect();
        (found.len() == count).then_some(found)
    }

    /// An interpolant as a term: Z3 reads the text.
    fn read(&mut self, system: &System, text: &str, step: usize) -> Option<Term> {
        let mut script = self.declarations().join("\n");
        script.push_str("\n(declare-fun itp! () Bool)");
        script.push_str(&format!("\n(assert (= itp! {text}))"));
        let solver = z3::Solver::new();
        solver.from_string(script);
        let [assertion] = <[_; 1]>::try_from(solver.get_assertions()).ok()?;
        let formula: Dynamic = assertion.into();
        let sides = formula.children();
        let found = sides.iter().find(|side| side.to_string() != "itp!")?;
        let reader = Reader {
            system,
            step,
            arguments: &[],
            functions: &Default::default(),
        };
        reader.read(found).ok()
    }
}

fn hear(child: &Child, deadline: Instant) -> Option<String> {
    loop {
        let answer = child.hear(Some(deadline)).ok()?;
        match answer.as_str() {
            "success" => {}
            text if text.starts_with("(error") || text == "unsupported" => return None,
            _ => return Some(answer),
        }
    }
}

fn conjunction(mut parts: Vec<String>) -> String {
    match parts.len() {
        0 => "true".to_owned(),
        1 => parts.remove(0),
        _ => format!("(and {})", parts.join(" ")),
    }
}
