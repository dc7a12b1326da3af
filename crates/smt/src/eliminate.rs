//! Quantifier elimination by Z3's tactics.

use std::sync::{Arc, Once};
use std::time::Duration;

use system::{System, Term, Var, and};
use z3::ast::{Ast, Dynamic, exists_const};
use z3::{Goal, Tactic};

use crate::clock::Clock;
use crate::context::SolverContext;
use crate::embedded::measured;
use crate::read::Reader;
use crate::solver::{Limits, SolverLimits};
use crate::translate::Translator;

/// A formula without the variables that is equivalent to there being values
/// for them; `None` if Z3 does not find one in time, or not one without
/// quantifiers.
pub fn eliminate(
    context: &SolverContext,
    system: &Arc<System>,
    formula: &Term,
    vars: &[Var],
    time: Duration,
) -> Option<Term> {
    avoid_egraphs();
    let mut translator = Translator::new(system.clone());
    let bound: Vec<Dynamic> = vars
        .iter()
        .map(|var| system::var(*var, system.var(*var).sort.clone()))
        .map(|var| translator.term(&var, 0))
        .collect();
    let bound: Vec<&dyn Ast> = bound.iter().map(|var| var as &dyn Ast).collect();
    let goal = Goal::new(false, false, false);
    let body = translator.boolean(formula, 0);
    goal.assert(&exists_const(&bound, &[], &body));
    let result = apply(context, &Tactic::new("qe"), &goal, time)?;
    let reader = Reader {
        system,
        step: 0,
        arguments: &[],
        functions: &Default::default(),
    };
    let mut parts = Vec::new();
    for goal in result.list_subgoals() {
        for formula in goal.get_formulas() {
            parts.push(reader.read(&formula.into()).ok()?);
        }
    }
    Some(and(parts))
}

/// Applies a tactic, in the time set for it or with the work that it stands for.
fn apply(
    context: &SolverContext,
    tactic: &Tactic,
    goal: &Goal,
    time: Duration,
) -> Option<z3::ApplyResult> {
    let limits = Limits {
        time: Some(time),
        ..Limits::default()
    };
    match context.clock() {
        // The budget does not limit it.
        clock @ (Clock::Real | Clock::Counted(_)) => {
            let tactic = tactic.try_for(time);
            let (result, spent) = measured(context, 0, || tactic.apply(goal, None).ok());
            clock.count(spent.unwrap_or(0));
            result
        }
        Clock::Work(_) | Clock::Guarded(_) => {
            let SolverLimits { time, resources } = context.query_limits(limits);
            let apply = || match time {
                Some(time) => tactic.try_for(time).apply(goal, None).ok(),
                None => tactic.apply(goal, None).ok(),
            };
            let (result, spent) = measured(context, resources.unwrap_or(0), apply);
            context.burn(spent.unwrap_or(0));
            result
        }
    }
}

/// Switches off Z3's projection by e-graphs: it can loop forever, above all in Spacer, and neither
/// a limit nor an interrupt stops it. The older projection is as good.
pub(crate) fn avoid_egraphs() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| z3::set_global_param("smt.qsat_use_qel", "false"));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Answer, Solver, Z3};
    use system::{Sort, eq, integer, le, mul, not};

    #[test]
    fn twice_a_number_is_even() {
        let system = Arc::new(System::of_inputs([Sort::Int, Sort::Int]));
        let term = |id| system::var(Var(id), Sort::Int);
        let formula = and([
            eq(&mul(&integer(2), &term(1)), &term(0)),
            le(&integer(3), &term(1)),
        ]);
        let time = Duration::from_secs(60);
        let context = SolverContext::default();
        let found = eliminate(&context, &system, &formula, &[Var(1)], time).expect("a formula");
        assert_eq!(found.vars(), [Var(0)]);
        for x in -2..12 {
            let mut solver = Z3::new(&context, system.clone());
            solver.assert(&eq(&term(0), &integer(x)), 0);
            let expected = x % 2 == 0 && x >= 6;
            let claim = if expected { not(&found) } else { found.clone() };
            solver.assert(&claim, 0);
            assert_eq!(solver.check(&[]), Answer::Unsat, "{x}");
        }
    }
}
