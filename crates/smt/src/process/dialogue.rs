//! A conversation with a solver that is asked for formulas, and how long it goes on.
//!
//! What is asked for here can be had otherwise as well: interpolants, and formulas
//! without quantifiers. So nothing is lost with the solver; after a few failures, most
//! of which take all the time there is, it is not asked any more, and that is told.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use super::child::{Child, NoAnswer};
use super::choice::{Choice, External};
use super::splitter::Splitter;
use crate::trace::Trace;
use crate::{fuel, notes};

/// Why there is no formula.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum FormulaError {
    /// The time was not the solver's, or all is over.
    Stopped,
    /// What it does, in words.
    Solver(String),
}

impl FormulaError {
    pub fn says(answer: &str) -> FormulaError {
        FormulaError::Solver(format!("says `{}`", shortened(answer)))
    }
}

/// Not more of a long answer than fits a line.
pub(super) fn shortened(text: &str) -> String {
    let text: String = text.split_whitespace().collect::<Vec<_>>().join(" ");
    match text.char_indices().nth(100) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text,
    }
}

/// How long a process may take to begin.
const START_TIMEOUT: Duration = Duration::from_secs(20);

/// A process, and the script of what it is told.
pub(super) struct Dialogue {
    child: Child,
    trace: Option<Trace>,
}

impl Dialogue {
    pub fn start(external: &External, choice: &Choice) -> Result<Dialogue, FormulaError> {
        let program = external.program;
        let (executable, args) = program.command(&external.path);
        let child = Child::start(&executable, &args, &choice.shared.processes)
            .map_err(|error| FormulaError::Solver(format!("does not start: {error}")))?;
        let trace = choice.next_trace(program.name()).and_then(Trace::new);
        let mut dialogue = Dialogue { child, trace };
        for option in program.preamble(false) {
            dialogue.tell(option);
        }
        dialogue.begin()?;
        Ok(dialogue)
    }

    /// Waits until the process is there; that is not on the engine's account.
    fn begin(&mut self) -> Result<(), FormulaError> {
        let begin = Instant::now();
        self.tell("(echo \"ready\")");
        self.receive(begin + START_TIMEOUT)?;
        fuel::postpone(begin.elapsed());
        Ok(())
    }

    pub fn tell(&mut self, command: &str) {
        if let Some(trace) = &mut self.trace {
            trace.write(command);
        }
        self.child.tell(command);
    }

    /// The next answer; that a command succeeded is none, and an error is a fault.
    pub fn receive(&mut self, deadline: Instant) -> Result<String, FormulaError> {
        let begin = Instant::now();
        loop {
            let heard = self.child.receive(Some(deadline));
            let answer = heard.map_err(|no_answer| formula_error(no_answer, begin))?;
            if answer == "success" {
                continue;
            }
            if let Some(trace) = &mut self.trace {
                trace.answer(&answer);
            }
            return match answer.starts_with("(error") || answer == "unsupported" {
                true => Err(FormulaError::says(&answer)),
                false => Ok(answer),
            };
        }
    }
}

/// Who waits for less than this cannot blame the solver.
const MIN_FAIR_WAIT: Duration = Duration::from_secs(1);

fn formula_error(no_answer: NoAnswer, begin: Instant) -> FormulaError {
    match no_answer {
        NoAnswer::Interrupted => FormulaError::Stopped,
        NoAnswer::Late if fuel::is_empty() && begin.elapsed() < MIN_FAIR_WAIT => {
            FormulaError::Stopped
        }
        NoAnswer::Late => FormulaError::Solver("does not answer in time".into()),
        NoAnswer::Died => FormulaError::Solver("has ended without an answer".into()),
    }
}

/// When an answer has to be there, if it may take so long.
pub(super) fn deadline(time: Duration) -> Instant {
    Instant::now() + fuel::capped_time(Some(time)).unwrap_or(time)
}

/// The parts of a list, as they are written.
pub(super) fn parts(list: &str) -> Option<Vec<String>> {
    let inside = list.trim().strip_prefix('(')?.strip_suffix(')')?;
    let mut splitter = Splitter::default();
    let bytes = inside.bytes().chain([b'\n']);
    Some(bytes.filter_map(|byte| splitter.push(byte)).collect())
}

/// After so many failures there are no more questions.
const MAX_FAILURES: usize = 3;

/// How often a solver has failed at a task; all engines have the same count.
#[derive(Clone, Debug, Default)]
pub(super) struct FailureCount(Arc<AtomicUsize>);

/// A solver outside, as long as it is of use.
pub(super) struct OptionalSolver {
    external: Option<External>,
    /// What it is asked for.
    task: &'static str,
    failures: FailureCount,
}

impl OptionalSolver {
    pub fn new(
        external: Option<External>,
        task: &'static str,
        failures: &FailureCount,
    ) -> OptionalSolver {
        OptionalSolver {
            external,
            task,
            failures: failures.clone(),
        }
    }

    pub fn external(&self) -> Option<&External> {
        let failures = self.failures.0.load(Ordering::Relaxed);
        self.external.as_ref().filter(|_| failures < MAX_FAILURES)
    }

    /// Counts failures, and passes on what is none.
    pub fn judge<T>(&mut self, answer: Result<T, FormulaError>) -> Option<T> {
        if let Err(FormulaError::Solver(what)) = &answer {
            self.fail(1, what);
        }
        answer.ok()
    }

    /// The solver is not asked again.
    pub fn dismiss(&mut self, what: &str) {
        self.fail(MAX_FAILURES, what);
    }

    /// Adds failures; who adds the last one that counts says so.
    fn fail(&mut self, count: usize, what: &str) {
        let before = self.failures.0.fetch_add(count, Ordering::Relaxed);
        let last = before < MAX_FAILURES && before + count >= MAX_FAILURES;
        if let Some(external) = self.external.as_ref().filter(|_| last) {
            let (name, task) = (external.program.name(), self.task);
            notes::add(format!("{name} {what}: {task} come from what is built in"));
        }
    }
}
