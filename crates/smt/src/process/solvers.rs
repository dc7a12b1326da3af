//! The supported external solvers: how each is started, and its theories.

use crate::smtlib::Theories;

/// A solver outside of this process.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum SolverProgram {
    Z3,
    Cvc5,
    Yices2,
    Bitwuzla,
    MathSat,
    SmtInterpol,
    /// For interpolation only.
    OpenSmt,
}

/// The theories and commands that a solver supports.
struct Abilities {
    quantifiers: bool,
    arrays: bool,
    constant_arrays: bool,
    lambdas: bool,
    conversions: bool,
    /// Integers and reals.
    numbers: bool,
    bit_vectors: bool,
    nonlinear: bool,
}

const EVERYTHING: Abilities = Abilities {
    quantifiers: true,
    arrays: true,
    constant_arrays: true,
    lambdas: true,
    conversions: true,
    numbers: true,
    bit_vectors: true,
    nonlinear: true,
};

impl SolverProgram {
    pub const ALL: [SolverProgram; 7] = [
        SolverProgram::Z3,
        SolverProgram::Cvc5,
        SolverProgram::Yices2,
        SolverProgram::Bitwuzla,
        SolverProgram::MathSat,
        SolverProgram::SmtInterpol,
        SolverProgram::OpenSmt,
    ];

    pub fn name(self) -> &'static str {
        match self {
            SolverProgram::Z3 => "Z3",
            SolverProgram::Cvc5 => "cvc5",
            SolverProgram::Yices2 => "Yices2",
            SolverProgram::Bitwuzla => "Bitwuzla",
            SolverProgram::MathSat => "MathSAT",
            SolverProgram::SmtInterpol => "SMTInterpol",
            SolverProgram::OpenSmt => "OpenSMT",
        }
    }

    /// The executable, or the JAR, by default.
    pub fn default_path(self) -> &'static str {
        match self {
            SolverProgram::Z3 => "z3",
            SolverProgram::Cvc5 => "cvc5",
            SolverProgram::Yices2 => "yices-smt2",
            SolverProgram::Bitwuzla => "bitwuzla",
            SolverProgram::MathSat => "mathsat",
            SolverProgram::SmtInterpol => "smtinterpol.jar",
            SolverProgram::OpenSmt => "opensmt",
        }
    }

    /// The option that says where it is.
    pub fn path_option(self) -> &'static str {
        match self {
            SolverProgram::Z3 => "--z3_bin",
            SolverProgram::Cvc5 => "--cvc5_bin",
            SolverProgram::Yices2 => "--yices2_bin",
            SolverProgram::Bitwuzla => "--bitwuzla_bin",
            SolverProgram::MathSat => "--mathsat_bin",
            SolverProgram::SmtInterpol => "--smtinterpol_jar",
            SolverProgram::OpenSmt => "--opensmt_bin",
        }
    }

    /// The program to run, with its arguments.
    pub(super) fn command(self, path: &str) -> (String, Vec<String>) {
        let own = |args: &[&str]| {
            let args = args.iter().map(|arg| (*arg).to_owned());
            (path.to_owned(), args.collect())
        };
        match self {
            SolverProgram::Z3 => own(&["-in", "-smt2"]),
            SolverProgram::Cvc5 => own(&["--lang=smt2", "--incremental", "--quiet"]),
            SolverProgram::Yices2 => own(&["--incremental", "--interactive"]),
            SolverProgram::Bitwuzla => own(&["--lang", "smt2"]),
            SolverProgram::MathSat => own(&["-input=smt2"]),
            SolverProgram::OpenSmt => own(&["-p"]),
            SolverProgram::SmtInterpol => {
                let args = ["-jar", path, "-q"].map(str::to_owned);
                ("java".to_owned(), args.to_vec())
            }
        }
    }

    /// The arguments by which it tells its version.
    pub(super) fn version_command(self, path: &str) -> (String, Vec<String>) {
        let (program, args) = match self {
            SolverProgram::SmtInterpol => ("java", vec!["-jar", path, "-version"]),
            SolverProgram::MathSat => (path, vec!["-version"]),
            _ => (path, vec!["--version"]),
        };
        let args = args.into_iter().map(str::to_owned);
        (program.to_owned(), args.collect())
    }

    /// The first commands.
    pub(super) fn preamble(self, models: bool) -> Vec<&'static str> {
        let mut commands = vec!["(set-option :print-success false)"];
        if models {
            commands.push("(set-option :produce-models true)");
        }
        commands
    }

    /// Does it compute unsat cores of assumptions?
    pub(super) fn has_cores(self, theories: &Theories) -> bool {
        self != SolverProgram::Yices2 || !theories.nonlinear
    }

    /// Does it need `set-logic` in any case?
    pub(super) fn needs_logic(self) -> bool {
        matches!(
            self,
            SolverProgram::Yices2 | SolverProgram::SmtInterpol | SolverProgram::OpenSmt
        )
    }

    /// The name of a logic that it supports and that includes these theories.
    pub(super) fn logic(self, theories: &Theories) -> Option<String> {
        let own = theories.logic();
        match self {
            // With a logic, Z3 disables theories that it believes not to need; without one, it
            // inspects the assertions.
            SolverProgram::Z3 => None,
            // Where integers and reals are mixed, cvc5 is several times slower with the exact
            // logic.
            SolverProgram::Cvc5 if theories.integers && theories.reals => Some("ALL".into()),
            // Its strategy for integers alone is better than that for integers and reals.
            SolverProgram::Yices2 if theories.arrays || theories.functions => {
                let numbers = match (theories.integers || theories.reals, theories.bit_vectors) {
                    (true, true) => return Some("ALL".into()),
                    (true, false) if theories.nonlinear => "QF_UFNIRA",
                    (true, false) => "QF_AUFLIRA",
                    (false, _) => "QF_AUFBV",
                };
                Some(numbers.into())
            }
            SolverProgram::Yices2
                if theories.bit_vectors && (theories.integers || theories.reals) =>
            {
                Some("ALL".into())
            }
            SolverProgram::Yices2 if theories.integers && theories.reals && theories.nonlinear => {
                Some("QF_UFNIRA".into())
            }
            _ => Some(own),
        }
    }

    fn abilities(self) -> Abilities {
        match self {
            SolverProgram::Z3 => EVERYTHING,
            // Its functions are no arrays.
            SolverProgram::Cvc5 => Abilities {
                lambdas: false,
                ..EVERYTHING
            },
            SolverProgram::Yices2 => Abilities {
                quantifiers: false,
                constant_arrays: false,
                lambdas: false,
                conversions: false,
                ..EVERYTHING
            },
            SolverProgram::Bitwuzla => Abilities {
                // Its arrays have no integers for indices.
                arrays: false,
                constant_arrays: false,
                lambdas: false,
                conversions: false,
                numbers: false,
                ..EVERYTHING
            },
            SolverProgram::MathSat => Abilities {
                quantifiers: false,
                lambdas: false,
                ..EVERYTHING
            },
            SolverProgram::SmtInterpol => Abilities {
                conversions: false,
                lambdas: false,
                nonlinear: false,
                ..EVERYTHING
            },
            SolverProgram::OpenSmt => Abilities {
                quantifiers: false,
                constant_arrays: false,
                lambdas: false,
                conversions: false,
                bit_vectors: false,
                nonlinear: false,
                ..EVERYTHING
            },
        }
    }

    /// A description of the theory that it lacks, if any.
    pub fn lacks(self, theories: &Theories) -> Option<&'static str> {
        let can = self.abilities();
        let missing = [
            (theories.integers && !can.numbers, "integers"),
            (theories.reals && !can.numbers, "real numbers"),
            (theories.bit_vectors && !can.bit_vectors, "machine integers"),
            (
                theories.conversions && !can.conversions,
                "conversions between integers and machine integers",
            ),
            (theories.quantifiers && !can.quantifiers, "quantifiers"),
            (
                theories.arrays && !can.arrays,
                "arrays with integer indices",
            ),
            (
                theories.constant_arrays && !can.constant_arrays,
                "arrays with the same element everywhere",
            ),
            (
                theories.lambdas && !can.lambdas,
                "arrays that are defined by a formula",
            ),
            (
                theories.nonlinear && !can.nonlinear,
                "products and quotients of variables",
            ),
        ];
        let found = missing.into_iter().find(|(lacking, _)| *lacking);
        found.map(|(_, what)| what)
    }
}
