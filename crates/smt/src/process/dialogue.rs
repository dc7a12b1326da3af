//! Queries to external solvers that return formulas, and when to stop asking.
//!
//! These formulas, interpolants and formulas without quantifiers, can be computed without the
//! external solver as well. So the engine goes on when the solver fails; after a few failures, most
//! of which take the whole timeout, the solver is not asked any more, and a note says so.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use super::child::{Child, NoAnswer};
use super::choice::External;
use super::splitter::Splitter;
use crate::context::SolverContext;
use crate::trace::Trace;

/// Why there is no formula.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum FormulaError {
    /// The engine's budget ended, or it was interrupted: not the solver's fault.
    Stopped,
    /// What the solver did wrong, for a message.
    Solver(String),
}

impl FormulaError {
    pub fn says(answer: &str) -> FormulaError {
        FormulaError::Solver(format!("says `{}`", shortened(answer)))
    }
}

/// The beginning of an answer that fits a line.
pub(super) fn shortened(text: &str) -> String {
    let text: String = text.split_whitespace().collect::<Vec<_>>().join(" ");
    match text.char_indices().nth(100) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text,
    }
}

/// The timeout for the start of a process.
const START_TIMEOUT: Duration = Duration::from_secs(20);

/// A process, and the script of its commands.
pub(super) struct Dialogue {
    context: SolverContext,
    child: Child,
    trace: Option<Trace>,
}

impl Dialogue {
    pub fn start(external: &External, context: &SolverContext) -> Result<Dialogue, FormulaError> {
        let choice = context.choice();
        let program = external.program;
        let (executable, args) = program.command(&external.path);
        let child = Child::start(&executable, &args, &choice.shared.processes)
            .map_err(|error| FormulaError::Solver(format!("does not start: {error}")))?;
        let trace = choice.next_trace(program.name());
        let mut dialogue = Dialogue {
            context: context.clone(),
            child,
            trace: trace.and_then(|path| Trace::new(context, path)),
        };
        for option in program.preamble(false) {
            dialogue.tell(option);
        }
        dialogue.begin()?;
        Ok(dialogue)
    }

    /// Waits until the process has started; this time does not count for the engine's budget.
    fn begin(&mut self) -> Result<(), FormulaError> {
        let begin = Instant::now();
        self.tell("(echo \"ready\")");
        self.receive(begin + START_TIMEOUT)?;
        self.context.postpone(begin.elapsed());
        Ok(())
    }

    pub fn tell(&mut self, command: &str) {
        if let Some(trace) = &mut self.trace {
            trace.write(command);
        }
        self.child.tell(command);
    }

    /// The next answer. `success` is skipped, and `(error …)` is an error.
    pub fn receive(&mut self, deadline: Instant) -> Result<String, FormulaError> {
        let begin = Instant::now();
        loop {
            let heard = self.child.receive(&self.context, Some(deadline));
            let answer = heard.map_err(|no_answer| self.error(no_answer, begin))?;
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

    fn error(&self, no_answer: NoAnswer, begin: Instant) -> FormulaError {
        match no_answer {
            NoAnswer::Interrupted => FormulaError::Stopped,
            NoAnswer::Late if self.context.is_spent() && begin.elapsed() < MIN_FAIR_WAIT => {
                FormulaError::Stopped
            }
            NoAnswer::Late => FormulaError::Solver("does not answer in time".into()),
            NoAnswer::Died => FormulaError::Solver("has ended without an answer".into()),
        }
    }

    /// The deadline of an answer with this timeout, within the budget.
    pub fn deadline(&self, time: Duration) -> Instant {
        Instant::now() + self.context.capped_time(Some(time)).unwrap_or(time)
    }
}

/// A shorter wait is not counted as a failure of the solver.
const MIN_FAIR_WAIT: Duration = Duration::from_secs(1);

/// The parts of a list, as they are written.
pub(super) fn parts(list: &str) -> Option<Vec<String>> {
    let inside = list.trim().strip_prefix('(')?.strip_suffix(')')?;
    let mut splitter = Splitter::default();
    let bytes = inside.bytes().chain([b'\n']);
    Some(bytes.filter_map(|byte| splitter.push(byte)).collect())
}

/// After this many failures the solver is not asked any more.
const MAX_FAILURES: usize = 3;

/// How often a solver has failed at a task; all engines share the count.
#[derive(Clone, Debug, Default)]
pub(super) struct FailureCount(Arc<AtomicUsize>);

/// An external solver that the engine can do without.
pub(super) struct OptionalSolver {
    context: SolverContext,
    external: Option<External>,
    /// The kind of formulas that it is asked for, for messages.
    task: &'static str,
    failures: FailureCount,
}

impl OptionalSolver {
    pub fn new(
        context: &SolverContext,
        external: Option<External>,
        task: &'static str,
        failures: &FailureCount,
    ) -> OptionalSolver {
        OptionalSolver {
            context: context.clone(),
            external,
            task,
            failures: failures.clone(),
        }
    }

    pub fn external(&self) -> Option<&External> {
        let failures = self.failures.0.load(Ordering::Relaxed);
        self.external.as_ref().filter(|_| failures < MAX_FAILURES)
    }

    /// Counts a failure; returns the answer if there is one.
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

    /// Adds failures, and leaves a note when they reach the limit.
    fn fail(&mut self, count: usize, what: &str) {
        let before = self.failures.0.fetch_add(count, Ordering::Relaxed);
        let last = before < MAX_FAILURES && before + count >= MAX_FAILURES;
        if let Some(external) = self.external.as_ref().filter(|_| last) {
            let (name, task) = (external.program.name(), self.task);
            let note = format!("{name} {what}: {task} come from what is built in");
            self.context.add_note(note);
        }
    }
}
