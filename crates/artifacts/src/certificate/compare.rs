//! Does a certificate speak of the system that a model has?
//!
//! What a certificate says is read as (k, φ) and nothing else. With that pair the
//! script is written anew from the model, and the two are compared, command by
//! command and definition by definition; so what a solver is asked comes from the
//! model. The order of the sides of an equation may differ, and names that `let`
//! gives: both depend on what was done before the script was written.

use std::fmt;

use syntax::Symbol;
use system::{Function, Sort, System, Term, Var};

use super::Subject;
use super::script::{INIT, PHI, PROP, STEP, TRANS, function_name, terms_of};
use crate::names::{At, Names};
use crate::read::{Reader, Symbols, Unreadable, sort};
use crate::sexpr::{Sexpr, parse};

/// A certificate with a larger k is not read: there is none of use.
const MAX_K: usize = 1000;

/// What a certificate says of itself.
#[derive(Clone, Debug)]
pub struct Claim {
    pub subject: Subject,
    pub k: usize,
    phi: Vec<Sexpr>,
}

/// Part of a certificate.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Part {
    Head,
    Declarations,
    Step,
    Init,
    Trans,
    Properties,
    Invariant,
    Path,
    Questions,
}

impl fmt::Display for Part {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Part::Head => "what it says of itself",
            Part::Declarations => "the declarations",
            Part::Step => "what holds at each step (`step`)",
            Part::Init => "the first step (`init`)",
            Part::Trans => "the transition relation (`trans`)",
            Part::Properties => "the properties (`prop`)",
            Part::Invariant => "the invariant (`phi`)",
            Part::Path => "the steps of a path",
            Part::Questions => "the questions",
        })
    }
}

fn unreadable<T>(why: impl Into<String>) -> Result<T, Unreadable> {
    Err(Unreadable(why.into()))
}

impl Claim {
    pub fn read(text: &str) -> Result<Claim, Unreadable> {
        let commands = parse(text).map_err(Unreadable)?;
        let info = |wanted: &str| {
            let mut all = commands.iter().filter_map(Sexpr::list);
            all.find_map(|parts| match parts {
                [Sexpr::Atom(set), Sexpr::Atom(key), value]
                    if set == "set-info" && key == wanted =>
                {
                    Some(value.clone())
                }
                _ => None,
            })
        };
        let Some(Sexpr::Text(node)) = info(":kindred-node") else {
            return unreadable("it does not say of which node it is");
        };
        let abstracted = match info(":kindred-abstract") {
            Some(Sexpr::Text(names)) => names.split_whitespace().map(str::to_owned).collect(),
            _ => return unreadable("it does not say which nodes are abstract"),
        };
        let k = info(":kindred-k").and_then(|k| k.atom()?.parse::<usize>().ok());
        let Some(k @ 1..=MAX_K) = k else {
            return unreadable("it does not say what k is");
        };
        let mut definitions = commands.iter().filter_map(Sexpr::list);
        let body = definitions.find_map(|parts| match parts {
            [Sexpr::Atom(define), Sexpr::Atom(name), _, _, body]
                if define == "define-fun" && name == PHI =>
            {
                Some(body)
            }
            _ => None,
        });
        let phi = match body.and_then(Sexpr::list) {
            Some([Sexpr::Atom(and), conjuncts @ ..]) if and == "and" => conjuncts.to_vec(),
            _ => return unreadable("it has no invariant that is a conjunction"),
        };
        let subject = Subject { node, abstracted };
        Ok(Claim { subject, k, phi })
    }

    /// φ, in terms of a system.
    pub fn invariant(&self, system: &System) -> Result<Vec<Term>, Unreadable> {
        let symbols = symbols(system);
        let mut conjuncts = Vec::new();
        for conjunct in &self.phi {
            let term = Reader::new(&symbols).term(conjunct)?;
            if *term.sort() != Sort::Bool {
                return unreadable("a conjunct of the invariant is not Boolean");
            }
            let names = term.vars().into_iter();
            if names
                .into_iter()
                .any(|var| var.0 as usize >= system.vars.len())
            {
                return unreadable("the invariant speaks of the next step");
            }
            if term != system::boolean(true) {
                conjuncts.push(term);
            }
        }
        Ok(conjuncts)
    }
}

/// The names in a certificate. What is one step later comes behind all variables of
/// the system.
fn symbols(system: &System) -> Symbols {
    let names = Names::of(system);
    let mut symbols = Symbols::default();
    let bare = |name: String| name.trim_matches('|').to_owned();
    let mut now = Vec::new();
    for (at, declared) in system.vars.iter().enumerate() {
        let here = Var(at as u32);
        let term = system::var(here, declared.sort.clone());
        symbols.terms.insert(bare(names.at(here, At::Now)), term);
        if !names.is_constant(here) {
            let later = Var((at + system.vars.len()) as u32);
            let term = system::var(later, declared.sort.clone());
            symbols.terms.insert(bare(names.at(here, At::Next)), term);
            now.push(declared.sort.clone());
        }
    }
    for function in terms_of(system).flat_map(smt::smtlib::functions) {
        symbols
            .functions
            .insert(bare(function_name(&function)), function);
    }
    for name in [STEP, INIT, TRANS, PROP, PHI] {
        let mut args = now.clone();
        if name == TRANS {
            args.extend(now.iter().cloned());
        }
        let function = Function {
            name: Symbol::new(name),
            args: args.into(),
            result: Sort::Bool,
        };
        symbols.functions.insert(name.to_owned(), function);
    }
    symbols
}

/// The part in which two certificates of a system differ, if they do: the one that
/// belongs to the system, and another.
pub fn difference(system: &System, own: &str, given: &str) -> Option<Part> {
    let Ok(own) = parse(own) else {
        return Some(Part::Head);
    };
    let Ok(given) = parse(given) else {
        return Some(Part::Head);
    };
    let symbols = symbols(system);
    let parts = parts(&own);
    for (at, (command, part)) in own.iter().zip(&parts).enumerate() {
        let same = given.get(at).is_some_and(|g| same(&symbols, command, g));
        if !same {
            return Some(*part);
        }
    }
    (given.len() > own.len()).then_some(Part::Questions)
}

/// The part that each command belongs to.
fn parts(commands: &[Sexpr]) -> Vec<Part> {
    let mut part = Part::Head;
    let mut all = Vec::new();
    for command in commands {
        let name = command.list().and_then(|list| list.get(1)?.atom());
        part = match (command.head(), name) {
            (Some("set-info"), _) => Part::Head,
            (Some("define-fun"), Some(STEP)) => Part::Step,
            (Some("define-fun"), Some(INIT)) => Part::Init,
            (Some("define-fun"), Some(TRANS)) => Part::Trans,
            (Some("define-fun"), Some(PROP)) => Part::Properties,
            (Some("define-fun"), Some(PHI)) => Part::Invariant,
            (Some("declare-fun"), _) => match part {
                Part::Head | Part::Declarations => Part::Declarations,
                _ => Part::Path,
            },
            _ => Part::Questions,
        };
        all.push(part);
    }
    all
}

fn same(symbols: &Symbols, a: &Sexpr, b: &Sexpr) -> bool {
    if a == b {
        return true;
    }
    match (a.list(), b.list()) {
        (Some([define, name, params, of, a]), Some([define_b, name_b, params_b, of_b, b])) => {
            let heads = (define, name, params, of) == (define_b, name_b, params_b, of_b);
            let is_definition = define.atom() == Some("define-fun") && sort(of).is_ok();
            let read = |text: &Sexpr| Reader::new(symbols).term(text).ok();
            heads && is_definition && read(a).is_some_and(|a| read(b) == Some(a))
        }
        _ => false,
    }
}
