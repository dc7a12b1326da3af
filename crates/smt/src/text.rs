//! Formulas as text, in SMT-LIB, with the names of variables.

use std::sync::Arc;

use system::{System, Term};
use z3::ast::{Ast, Dynamic};

use crate::translate::{Translator, constant};

/// A term on one line.
pub fn text(system: &Arc<System>, term: &Term) -> String {
    let mut translator = Translator::new(system.clone());
    let translated = translator.term(term, 0);
    let named: Vec<(Dynamic, Dynamic)> = term
        .vars()
        .into_iter()
        .map(|var| {
            let declared = system.var(var);
            let own = system::var(var, declared.sort.clone());
            (
                translator.term(&own, 0),
                constant(&declared.name, &declared.sort),
            )
        })
        .collect();
    let named: Vec<(&Dynamic, &Dynamic)> = named.iter().map(|(a, b)| (a, b)).collect();
    let text = translated.substitute(&named).to_string();
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
