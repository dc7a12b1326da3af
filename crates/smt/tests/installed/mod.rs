//! The solvers that are on the machine.

use smt::{External, SharedSolverState, SolverProgram};

/// Those that can be started; of the others it is said that they are absent.
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
