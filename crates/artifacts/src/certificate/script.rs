//! A certificate as text: definitions, and three questions about them.

use std::fmt::Write;

use smt::smtlib::Theories;

/// The queries of a certificate, which must be unsatisfiable.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Query {
    Base,
    Step,
    Subsumption,
}

impl Query {
    pub const ALL: [Query; 3] = [Query::Base, Query::Step, Query::Subsumption];

    pub fn name(self) -> &'static str {
        match self {
            Query::Base => "base case",
            Query::Step => "inductive step",
            Query::Subsumption => "property subsumption",
        }
    }
}

/// A certificate as text.
pub struct Script {
    /// The first commands of the script.
    pub prelude: String,
    /// Comments and `set-info` commands.
    pub(crate) head: String,
    pub(crate) definitions: String,
    /// The queries, with their comments.
    pub(crate) queries: Vec<(Query, String, String)>,
}

impl Script {
    /// The whole certificate, without its prelude.
    pub fn certificate(&self) -> String {
        let mut text = format!("{}\n{}", self.head, self.definitions);
        for (_, announced, asserted) in &self.queries {
            let _ = write!(
                text,
                "\n(echo \"{announced}\")\n(push 1)\n{asserted}(check-sat)\n(pop 1)\n"
            );
        }
        text.push_str("\n(exit)\n");
        text
    }

    /// Definitions and the assertions of one query, without any commands.
    pub fn query(&self, query: Query) -> String {
        let asserted = self.queries.iter().find(|(which, _, _)| *which == query);
        let asserted = asserted.map_or("", |(_, _, asserted)| asserted);
        format!("{}{}\n{asserted}", self.prelude, self.definitions)
    }
}

/// Did Kindred write this script?
pub fn is_certificate(text: &str) -> bool {
    let first = text.lines().next().unwrap_or_default();
    first.starts_with(FIRST_WORDS) && first.ends_with(LAST_WORDS)
}

/// The first line of a script.
pub(crate) fn first_line(of: &str) -> String {
    format!("{FIRST_WORDS} {of}, {LAST_WORDS}\n")
}

const FIRST_WORDS: &str = "; A certificate that";
const LAST_WORDS: &str = "written by Kindred.";

/// The checker: it gives the certificate to a solver, and fails unless all answers
/// are `unsat`.
pub fn checker(name: &str) -> String {
    CHECKER.replace("CERTIFICATE", name)
}

const CHECKER: &str = r#"#!/bin/sh
# Checks this certificate with a solver: a name on the path, or a path.
#   ./CERTIFICATE_checker z3
#   ./CERTIFICATE_checker cvc5
folder=$(dirname "$0")
solver=${1:-z3}
case $(basename "$solver") in
  z3*) set -- -smt2 -in ;;
  cvc5* | cvc4*) set -- --lang smt2 --incremental ;;
  yices*) set -- --incremental ;;
  *) set -- ;;
esac
answers=$(cat "$folder/CERTIFICATE_prelude.smt2" "$folder/CERTIFICATE.smt2" | "$solver" "$@" 2>&1 | sed 's/^"\(.*\)"$/\1/')
printf '%s\n' "$answers"
test "$(printf '%s\n' "$answers" | grep -c '^unsat$')" = 3 &&
  test "$(printf '%s\n' "$answers" | grep -vc '^unsat$\|^Checking ')" = 0
"#;

/// The first commands: `set-logic`, if the logic has a standard name.
pub(crate) fn prelude(theories: &Theories) -> String {
    let Theories {
        lambdas,
        constant_arrays,
        conversions,
        ..
    } = *theories;
    let numbers = theories.integers || theories.reals;
    let logic = match lambdas || constant_arrays || conversions || theories.bit_vectors && numbers {
        true => "ALL".to_owned(),
        false => theories.logic(),
    };
    format!("(set-option :print-success false)\n(set-logic {logic})\n")
}
