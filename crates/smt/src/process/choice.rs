//! The choice of a solver, and the settings of external solvers.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use super::child::{self, ProcessTable};
use super::dialogue::FailureCount;
use super::solvers::SolverProgram;
use crate::smtlib::Theories;

/// How the logic of a script is chosen.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub enum Logic {
    /// No logic, for solvers that do not need one.
    Unnamed,
    /// By what occurs in it.
    #[default]
    Detected,
    Named(String),
}

/// A solver that was found.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct External {
    pub program: SolverProgram,
    /// The executable, or the JAR.
    pub path: String,
}

/// The solver of all queries of a job, by default the one inside of this process. The job's
/// [`SolverContext`](crate::SolverContext) has it.
#[derive(Clone, Debug)]
pub struct Choice {
    /// `None` for the solver in this process.
    pub external: Option<External>,
    /// The solver for interpolants; `None` for the built-in one.
    pub interpolator: Option<External>,
    /// The solver for quantifier elimination; `None` for the built-in one.
    pub eliminator: Option<External>,
    pub logic: Logic,
    /// Assume literals, or assert them between `push` and `pop`.
    pub check_sat_assume: bool,
    pub short_names: bool,
    /// The directory for scripts of all that the solvers are told.
    pub trace: Option<PathBuf>,
    /// The name of the engine, for the names of scripts.
    pub engine: &'static str,
    /// The state that all copies of this choice share.
    pub shared: SharedSolverState,
}

/// The state that all solvers of one choice share.
#[derive(Clone, Debug, Default)]
pub struct SharedSolverState {
    pub(crate) processes: Arc<ProcessTable>,
    /// How many scripts there are.
    scripts: Arc<AtomicUsize>,
    /// The external solver has given a wrong answer.
    caught: Arc<AtomicBool>,
    /// How often formulas of the external solvers have failed.
    pub(super) eliminations: FailureCount,
    pub(super) interpolations: FailureCount,
}

impl Default for Choice {
    fn default() -> Choice {
        Choice {
            external: None,
            interpolator: None,
            eliminator: None,
            logic: Logic::default(),
            check_sat_assume: true,
            short_names: true,
            trace: None,
            engine: "main",
            shared: SharedSolverState::default(),
        }
    }
}

impl SharedSolverState {
    /// Records a wrong answer of the external solver: it is not used any more.
    pub fn catch(&self) {
        self.caught.store(true, Ordering::Relaxed);
    }

    pub fn is_caught(&self) -> bool {
        self.caught.load(Ordering::Relaxed)
    }

    /// Kills all solver processes and starts no more. Called before this process ends: threads that
    /// it does not wait for may have such processes.
    pub fn end_all(&self) {
        self.processes.end_all();
    }
}

impl Choice {
    /// How many processes there are now.
    pub fn processes(&self) -> usize {
        self.shared.processes.count()
    }

    /// Why the chosen solver cannot handle these theories, if it cannot.
    pub fn refuses(&self, theories: &Theories) -> Option<String> {
        let program = self.external.as_ref()?.program;
        let lacking = program.lacks(theories)?;
        let name = program.name();
        Some(format!("{name} has no {lacking}, and the model has"))
    }

    /// The file for the script of the next solver.
    pub(crate) fn next_trace(&self, solver: &str) -> Option<PathBuf> {
        let directory = self.trace.as_ref()?;
        let number = self.shared.scripts.fetch_add(1, Ordering::Relaxed);
        let engine = self.engine;
        let name = format!("{engine}.{number}.{solver}.smt2");
        Some(directory.join(name))
    }
}

/// Why a solver cannot be used.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Unusable {
    /// It is not found.
    NotFound(String),
    /// The program is another one, or too old.
    Unsupported(String),
}

/// How long a solver may take to tell its version.
const VERSION_TIMEOUT: Duration = Duration::from_secs(10);

impl External {
    pub fn new(program: SolverProgram, path: Option<&str>) -> External {
        External {
            program,
            path: path.unwrap_or(program.default_path()).to_owned(),
        }
    }

    /// Looks for the solver, and asks for its version: the first line that it
    /// prints.
    pub fn detect(&self, shared: &SharedSolverState) -> Result<String, Unusable> {
        let (name, option) = (self.program.name(), self.program.path_option());
        let not_found = |why: String| {
            let path = &self.path;
            Unusable::NotFound(format!(
                "{name} is not found as `{path}`: {why}; {option} says where it is"
            ))
        };
        if self.program == SolverProgram::SmtInterpol && !std::path::Path::new(&self.path).exists()
        {
            return Err(not_found("there is no such file".into()));
        }
        let (program, args) = self.program.version_command(&self.path);
        let output = child::output(&program, &args, &shared.processes, VERSION_TIMEOUT);
        let output = output.map_err(|error| not_found(error.to_string()))?;
        let output = output.ok_or_else(|| {
            let path = &self.path;
            Unusable::Unsupported(format!("{name} at `{path}` does not tell its version"))
        })?;
        let line = output.lines().map(str::trim).find(|line| !line.is_empty());
        let line = line.unwrap_or_default().to_owned();
        match self.is_known(&line) {
            true => Ok(line),
            false => Err(Unusable::Unsupported(format!(
                "`{}` is no version of {name} that is known: it says `{line}`",
                self.path
            ))),
        }
    }

    /// Is this the version line of the solver, and the version new enough?
    fn is_known(&self, line: &str) -> bool {
        let lower = line.to_lowercase();
        let version = &numbers(line)[..];
        let from = |least: &[u32]| version >= least;
        match self.program {
            SolverProgram::Z3 => lower.contains("z3") && from(&[4, 8]),
            SolverProgram::Cvc5 => lower.contains("cvc5") && from(&[1]),
            SolverProgram::Yices2 => lower.contains("yices") && from(&[2, 6]),
            // It prints a number alone.
            SolverProgram::Bitwuzla => !version.is_empty(),
            SolverProgram::MathSat => lower.contains("mathsat") && from(&[5]),
            SolverProgram::SmtInterpol => lower.contains("smtinterpol") && from(&[2]),
            SolverProgram::OpenSmt => !version.is_empty(),
        }
    }
}

/// The first word of numbers between dots.
fn numbers(line: &str) -> Vec<u32> {
    let words = line.split(|c: char| !c.is_ascii_digit() && c != '.');
    let versions = words.map(|word| {
        let parts = word.split('.').filter(|part| !part.is_empty());
        parts.map_while(|part| part.parse().ok()).collect()
    });
    let mut versions = versions.filter(|version: &Vec<u32>| version.len() > 1);
    versions.next().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_told_from_what_is_printed() {
        assert_eq!(numbers("Z3 version 4.8.12 - 64 bit"), [4, 8, 12]);
        assert_eq!(numbers("This is cvc5 version 1.0.3"), [1, 0, 3]);
        assert_eq!(numbers("Yices 2.6.5"), [2, 6, 5]);
        assert_eq!(numbers("hello"), Vec::<u32>::new());
        let z3 = External::new(SolverProgram::Z3, None);
        assert!(z3.is_known("Z3 version 4.8.12 - 64 bit"));
        assert!(!z3.is_known("Z3 version 4.3.2"));
        assert!(!z3.is_known("This is cvc5 version 1.0.3"));
        assert!(!z3.is_known("usage: z3"));
    }

    #[test]
    fn a_solver_that_is_not_there_is_not_found() {
        for program in SolverProgram::ALL {
            let absent = External::new(program, Some("no-such-solver-anywhere"));
            assert!(matches!(
                absent.detect(&SharedSolverState::default()),
                Err(Unusable::NotFound(_))
            ));
        }
        let other = External::new(SolverProgram::Z3, Some("echo"));
        assert!(matches!(
            other.detect(&SharedSolverState::default()),
            Err(Unusable::Unsupported(_))
        ));
    }
}
