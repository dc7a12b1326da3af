//! Reads formulas that an external solver has written.

use std::collections::HashMap;

use system::{System, Term};
use z3::ast::{Ast, Dynamic};

use crate::read::Reader;

/// Reads a formula over the variables of a system at a step. Z3 parses the text together with the
/// declarations; `None` if the text is no formula over the variables.
pub(super) fn read(
    system: &System,
    declarations: &[String],
    text: &str,
    step: usize,
) -> Option<Term> {
    let mut script = declarations.join("\n");
    script.push_str("\n(declare-fun found! () Bool)");
    script.push_str(&format!("\n(assert (= found! {text}))"));
    let solver = z3::Solver::new();
    solver.from_string(script);
    let [assertion] = <[_; 1]>::try_from(solver.get_assertions()).ok()?;
    let formula: Dynamic = assertion.into();
    let sides = formula.children();
    let found = sides.iter().find(|side| side.to_string() != "found!")?;
    let reader = Reader {
        system,
        step,
        arguments: &[],
        functions: &HashMap::new(),
    };
    reader.read(found).ok()
}
