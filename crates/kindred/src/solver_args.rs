//! The options that choose solvers and their settings.

use std::path::PathBuf;

use clap::{ArgAction, Args, ValueEnum};
use smt::{Choice, External, Logic, SharedSolverState, SolverProgram, Unusable};

use crate::exit;
use crate::kind2::SMT;

/// The solver of the engines.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
enum EngineSolver {
    #[value(name = "detect")]
    Detect,
    #[value(name = "Z3")]
    Z3,
    #[value(name = "cvc5")]
    Cvc5,
    #[value(name = "Yices2")]
    Yices2,
    #[value(name = "MathSAT")]
    MathSat,
    #[value(name = "SMTInterpol")]
    SmtInterpol,
    #[value(name = "Bitwuzla")]
    Bitwuzla,
    #[value(name = "Yices")]
    Yices,
}

/// The solver for quantifier elimination.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
enum EliminationSolver {
    #[value(name = "detect")]
    Detect,
    #[value(name = "Z3")]
    Z3,
    #[value(name = "cvc5")]
    Cvc5,
}

/// The solver for interpolants.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
enum InterpolationSolver {
    #[value(name = "detect")]
    Detect,
    #[value(name = "MathSAT")]
    MathSat,
    #[value(name = "SMTInterpol")]
    SmtInterpol,
    #[value(name = "Z3qe")]
    Z3qe,
    #[value(name = "cvc5qe")]
    Cvc5qe,
    #[value(name = "OpenSMT")]
    OpenSmt,
    #[value(name = "cvc5")]
    Cvc5,
}

#[derive(Args, Debug)]
pub struct SolverArgs {
    /// Who answers the engines: Z3, which is built in, or a solver outside of the program
    #[arg(long = "smt_solver", help_heading = SMT, value_name = "SOLVER")]
    #[arg(
        default_value = "detect",
        ignore_case = true,
        hide_possible_values = true
    )]
    smt_solver: EngineSolver,

    /// Who eliminates quantifiers for IC3QE: cvc5, or Z3, which is built in
    #[arg(long = "smt_qe_solver", help_heading = SMT, value_name = "SOLVER")]
    #[arg(
        default_value = "detect",
        ignore_case = true,
        hide_possible_values = true
    )]
    smt_qe_solver: EliminationSolver,

    /// Who finds interpolants for IC3IA: MathSAT, SMTInterpol, OpenSMT or cvc5, else what is built in
    #[arg(long = "smt_itp_solver", help_heading = SMT, value_name = "SOLVER")]
    #[arg(
        default_value = "detect",
        ignore_case = true,
        hide_possible_values = true
    )]
    smt_itp_solver: InterpolationSolver,

    /// The logic that a solver outside is told: none, detect, or its name
    #[arg(long = "smt_logic", help_heading = SMT, value_name = "LOGIC")]
    #[arg(default_value = "detect")]
    smt_logic: String,

    /// Ask a solver outside with assumptions, or assert them between push and pop
    #[arg(long = "check_sat_assume", help_heading = SMT, value_name = "BOOL")]
    #[arg(action = ArgAction::Set, default_value_t = true)]
    check_sat_assume: bool,

    /// Call variables by numbers in scripts, or by their names in the model
    #[arg(long = "smt_short_names", help_heading = SMT, value_name = "BOOL")]
    #[arg(action = ArgAction::Set, default_value_t = true)]
    smt_short_names: bool,

    /// The executable of MathSAT
    #[arg(long = "mathsat_bin", help_heading = SMT, value_name = "FILE")]
    mathsat_bin: Option<String>,

    /// The executable of OpenSMT
    #[arg(long = "opensmt_bin", help_heading = SMT, value_name = "FILE")]
    opensmt_bin: Option<String>,

    /// The JAR of SMTInterpol
    #[arg(long = "smtinterpol_jar", help_heading = SMT, value_name = "FILE")]
    smtinterpol_jar: Option<String>,

    /// The executable of Bitwuzla
    #[arg(long = "bitwuzla_bin", help_heading = SMT, value_name = "FILE")]
    bitwuzla_bin: Option<String>,

    /// The executable of Z3; with it, Z3 is asked outside of the program
    #[arg(long = "z3_bin", help_heading = SMT, value_name = "FILE")]
    z3_bin: Option<String>,

    /// The executable of cvc5
    #[arg(long = "cvc5_bin", help_heading = SMT, value_name = "FILE")]
    cvc5_bin: Option<String>,

    /// The executable of Yices 2
    #[arg(long = "yices2_bin", help_heading = SMT, value_name = "FILE")]
    yices2_bin: Option<String>,

    /// Write all that solvers are told to files, as scripts that can be run again
    #[arg(long = "smt_trace", help_heading = SMT)]
    smt_trace: bool,

    /// The directory for those files, instead of one in the output directory
    #[arg(long = "smt_trace_dir", help_heading = SMT, value_name = "DIR", requires = "smt_trace")]
    smt_trace_dir: Option<PathBuf>,
}

/// Why there is no solver, and the exit code.
pub struct NoSolver {
    pub message: String,
    pub code: u8,
}

impl From<Unusable> for NoSolver {
    fn from(unusable: Unusable) -> NoSolver {
        let (message, code) = match unusable {
            Unusable::NotFound(message) => (message, exit::NO_SOLVER),
            Unusable::Unsupported(message) => (message, exit::UNSUPPORTED_SOLVER),
        };
        NoSolver { message, code }
    }
}

impl SolverArgs {
    fn external(&self, program: SolverProgram) -> External {
        let path = match program {
            SolverProgram::Z3 => &self.z3_bin,
            SolverProgram::Cvc5 => &self.cvc5_bin,
            SolverProgram::Yices2 => &self.yices2_bin,
            SolverProgram::Bitwuzla => &self.bitwuzla_bin,
            SolverProgram::MathSat => &self.mathsat_bin,
            SolverProgram::SmtInterpol => &self.smtinterpol_jar,
            SolverProgram::OpenSmt => &self.opensmt_bin,
        };
        External::new(program, path.as_deref())
    }

    fn main(&self) -> Result<Option<External>, NoSolver> {
        let program = match self.smt_solver {
            EngineSolver::Detect | EngineSolver::Z3 if self.z3_bin.is_none() => return Ok(None),
            EngineSolver::Detect | EngineSolver::Z3 => SolverProgram::Z3,
            EngineSolver::Cvc5 => SolverProgram::Cvc5,
            EngineSolver::Yices2 => SolverProgram::Yices2,
            EngineSolver::MathSat => SolverProgram::MathSat,
            EngineSolver::SmtInterpol => SolverProgram::SmtInterpol,
            EngineSolver::Bitwuzla => SolverProgram::Bitwuzla,
            EngineSolver::Yices => {
                let message = "Yices 1 is not supported, and has not been developed for \
                               years: its successor is --smt_solver Yices2";
                let code = exit::UNSUPPORTED_SOLVER;
                return Err(NoSolver {
                    message: message.to_owned(),
                    code,
                });
            }
        };
        Ok(Some(self.external(program)))
    }

    fn interpolator(&self) -> Option<External> {
        let program = match self.smt_itp_solver {
            InterpolationSolver::Detect
            | InterpolationSolver::Z3qe
            | InterpolationSolver::Cvc5qe => return None,
            InterpolationSolver::MathSat => SolverProgram::MathSat,
            InterpolationSolver::SmtInterpol => SolverProgram::SmtInterpol,
            InterpolationSolver::OpenSmt => SolverProgram::OpenSmt,
            InterpolationSolver::Cvc5 => SolverProgram::Cvc5,
        };
        Some(self.external(program))
    }

    fn eliminator(&self) -> Option<External> {
        let program = match self.smt_qe_solver {
            EliminationSolver::Z3 if self.z3_bin.is_some() => SolverProgram::Z3,
            EliminationSolver::Cvc5 => SolverProgram::Cvc5,
            EliminationSolver::Detect | EliminationSolver::Z3 => return None,
        };
        Some(self.external(program))
    }

    /// The chosen solvers, if they are installed, and the version lines of the external ones;
    /// `--smt_trace` writes scripts to the directory.
    pub fn choice(
        &self,
        traces: PathBuf,
        shared: SharedSolverState,
    ) -> Result<(Choice, Vec<String>), NoSolver> {
        let (external, interpolator) = (self.main()?, self.interpolator());
        let eliminator = self.eliminator();
        let mut versions = Vec::new();
        for solver in external.iter().chain(&interpolator).chain(&eliminator) {
            let version = solver.detect(&shared)?;
            let line = format!("{}: {version}", solver.program.name());
            if !versions.contains(&line) {
                versions.push(line);
            }
        }
        let traces = self.smt_trace_dir.clone().unwrap_or(traces);
        let trace = self.smt_trace.then_some(traces);
        if let Some(directory) = &trace {
            std::fs::create_dir_all(directory).map_err(|error| NoSolver {
                message: format!("cannot make {}: {error}", directory.display()),
                code: exit::ERROR,
            })?;
        }
        let choice = Choice {
            external,
            interpolator,
            eliminator,
            logic: match self.smt_logic.as_str() {
                "none" => Logic::Unnamed,
                "detect" => Logic::Detected,
                name => Logic::Named(name.to_owned()),
            },
            check_sat_assume: self.check_sat_assume,
            short_names: self.smt_short_names,
            trace,
            shared,
            ..Choice::default()
        };
        Ok((choice, versions))
    }
}
