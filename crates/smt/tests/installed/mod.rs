//! The solvers that are on the machine.

use smt::{External, SharedSolverState, SolverProgram};

/// The solvers that can be started; the others are reported as absent.
pub fn solvers() -> Vec<External> {
    let usable = |program: &SolverProgram| {
        let external = External::new(*program, None);
        match external.detect(&SharedSolverState::default()) {
            Ok(_) => Some(external),
            Err(_) => {
                eprintln!("{} is not installed, and not tested", program.name());
                None
            }
        }
    };
    let all = SolverProgram::ALL.iter();
    // OpenSMT is for interpolants only.
    all.filter(|program| **program != SolverProgram::OpenSmt)
        .filter_map(usable)
        .collect()
}
