//! Scripts in SMT-LIB, answered by Z3 in this process.

use std::time::Duration;

use z3::{Params, SatResult};

use crate::solver::Answer;

/// Is what a script asserts satisfiable? A script that cannot be read has no
/// answer.
pub fn check_script(script: &str, limit: Option<Duration>) -> Answer {
    let solver = z3::Solver::new();
    let mut params = Params::new();
    params.set_bool("ctrl_c", false);
    if let Some(limit) = limit {
        let time = u32::try_from(limit.as_millis()).unwrap_or(u32::MAX);
        params.set_u32("timeout", time.max(1));
    }
    solver.set_params(&params);
    solver.from_string(script);
    if solver.get_assertions().is_empty() {
        return Answer::Unknown("the script asserts nothing, or cannot be read".into());
    }
    // Inside of a scope, Z3 uses its incremental solver, as for all other queries; its tactics for
    // scripts are at times far slower.
    solver.push();
    match solver.check() {
        SatResult::Sat => Answer::Sat,
        SatResult::Unsat => Answer::Unsat,
        SatResult::Unknown => Answer::Unknown(solver.get_reason_unknown().unwrap_or_default()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scripts_are_answered_or_refused() {
        let declared = "(declare-fun x () Int)(define-fun p ((y Int)) Bool (< y 0))";
        let ask = |rest: &str| check_script(&format!("{declared}{rest}"), None);
        assert_eq!(ask("(assert (p x))"), Answer::Sat);
        assert_eq!(ask("(assert (p x))(assert (> x 3))"), Answer::Unsat);
        assert!(matches!(ask(""), Answer::Unknown(_)));
        assert!(matches!(
            ask("(assert false)(assert (q x))"),
            Answer::Unknown(_)
        ));
    }
}
