//! Writes the parts of a system as SMT-LIB.

use std::fmt::Write;

use smt::smtlib::{self, functions, symbol};
use system::{Function, System, Term, Var};

use crate::names::{At, Names};

pub fn function_name(function: &Function) -> String {
    function_symbol(function.name.as_str())
}

/// The symbol of a function of a name.
pub fn function_symbol(name: &str) -> String {
    symbol(&format!("{name}@fun"))
}

/// The uninterpreted functions, by their names.
pub fn functions_of(system: &System) -> Vec<Function> {
    let mut all: Vec<Function> = Vec::new();
    for function in system.terms().flat_map(functions) {
        if !all.contains(&function) {
            all.push(function);
        }
    }
    all.sort_by_key(|function| function.name.to_string());
    all
}

/// Declarations of these functions.
pub fn declared_functions(system: &System) -> String {
    let mut text = String::new();
    for function in functions_of(system) {
        let name = function_name(&function);
        let line = smtlib::declaration(&name, &function.args, &function.result);
        let _ = writeln!(text, "{line}");
    }
    text
}

/// A term over the values that variables have at some step.
pub fn term_at(names: &Names, term: &Term, at: At) -> String {
    let var = |var: Var| names.at(var, at);
    let function = |function: &Function| function_name(function);
    let names = smtlib::Names {
        var: &var,
        function: &function,
    };
    smtlib::term(term, names)
}
