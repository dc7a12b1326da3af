//! The variables of a system by name, and terms over them as text.

use std::collections::{HashMap, HashSet};

use smt::sexpr::Sexpr;
use smt::smtlib::{self, Reader, Symbols, symbol};
use system::{Function, Kind, Sort, Term, Var};

/// Each name is that of one variable.
#[derive(Clone, Default)]
pub struct Names {
    names: HashMap<Var, String>,
    symbols: Symbols,
}

/// A name without what cannot be in one: it stands between bars.
pub fn plain(name: &str) -> String {
    let plain = |c: char| match c {
        '|' | '\\' => '!',
        c if c.is_control() => ' ',
        other => other,
    };
    name.chars().map(plain).collect()
}

impl Names {
    /// Names that are given twice are given to none.
    pub fn new(all: impl IntoIterator<Item = (String, Var, Sort)>) -> Names {
        let mut names = Names::default();
        let mut twice = HashSet::new();
        for (name, var, sort) in all {
            let (name, term) = (plain(&name), system::var(var, sort));
            match names.symbols.terms.insert(name.clone(), term.clone()) {
                Some(other) if other != term => {
                    twice.insert(name);
                }
                _ => {
                    names.names.entry(var).or_insert(name);
                }
            }
        }
        let once = |name: &String| !twice.contains(name);
        names.symbols.terms.retain(|name, _| once(name));
        names.names.retain(|_, name| once(name));
        names
    }

    /// The text of a term; nothing if it speaks of what has no name. Neither have
    /// functions without a body and the variables of quantifiers.
    pub(crate) fn text(&self, term: &Term) -> Option<String> {
        if !self.can_say(term) {
            return None;
        }
        let var = |var: Var| symbol(self.names.get(&var).map_or("", String::as_str));
        let function = |function: &Function| symbol(&function.name.to_string());
        let names = smtlib::Names {
            var: &var,
            function: &function,
        };
        Some(smtlib::term(term, names))
    }

    fn can_say(&self, root: &Term) -> bool {
        root.subterms().all(|term| match term.kind() {
            Kind::Var(var) => self.names.contains_key(var),
            Kind::Bound(_) | Kind::Apply(..) | Kind::Lambda(..) | Kind::Quantified(..) => false,
            _ => true,
        })
    }

    /// The formula of a text; nothing if there is none in this system.
    pub(crate) fn formula(&self, text: &Sexpr) -> Option<Term> {
        let term = Reader::new(&self.symbols).term(text).ok()?;
        (*term.sort() == Sort::Bool).then_some(term)
    }
}
