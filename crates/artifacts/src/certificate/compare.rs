//! Checks that a certificate is about the system of a model.
//!
//! Only the pair (k, φ) is read from a certificate. With that pair the script is written again from
//! the model, and the two are compared, command by command and definition by definition; so the
//! queries to a solver come from the model. The sides of an equation may be swapped, and the names
//! bound by `let` may differ: both depend on the order in which terms were created. Therefore
//! definitions whose texts differ are compared as terms, conjunct by conjunct, and every operator that a certificate has
//! must be one that [`Reader`] knows.

use syntax::Symbol;
use system::{Function, Sort, System, Term, Var};

use super::Subject;
use super::write::first_phi;
use crate::names::{At, Names};
use crate::text::function_name;
use smt::sexpr::{Sexpr, parse};
use smt::smtlib::{Reader, Symbols, Unreadable, read_sort};

/// A certificate with a larger k is refused.
const MAX_K: usize = 1000;

/// The claim of a certificate: its subject, k and φ.
#[derive(Clone, Debug)]
pub struct Claim {
    pub subject: Subject,
    pub k: usize,
    phi: Vec<Sexpr>,
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
                if define == "define-fun" && *name == first_phi() =>
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
            if term != system::boolean(true) {
                conjuncts.push(term);
            }
        }
        Ok(conjuncts)
    }
}

/// The names in the definition of an invariant.
fn symbols(system: &System) -> Symbols {
    let names = Names::of(system);
    let mut symbols = Symbols::default();
    let bare = |name: String| name.trim_matches('|').to_owned();
    for (at, declared) in system.vars.iter().enumerate() {
        let var = Var(at as u32);
        let term = system::var(var, declared.sort.clone());
        symbols.terms.insert(bare(names.at(var, At::Step(0))), term);
    }
    for function in system.terms().flat_map(smt::smtlib::functions) {
        let name = bare(function_name(&function));
        symbols.functions.insert(name, function);
    }
    symbols
}

/// The part in which two scripts differ, if they do: the one that belongs to the
/// model, and another.
pub fn difference(own: &str, given: &str) -> Option<String> {
    let unreadable = |_| Some("it cannot be read".to_owned());
    let own = match parse(own) {
        Ok(own) => own,
        Err(why) => return unreadable(why),
    };
    let given = match parse(given) {
        Ok(given) => given,
        Err(why) => return unreadable(why),
    };
    let symbols = declared(&own);
    for (at, command) in own.iter().enumerate() {
        match given.get(at) {
            Some(other) if same(&symbols, command, other) => {}
            Some(other) if subject(other) != subject(command) => return Some(out_of_place(other)),
            Some(_) => return Some(differs(command)),
            None => return Some("it is not complete".to_owned()),
        }
    }
    given.get(own.len()).map(out_of_place)
}

/// The keyword of a command and, where it has one, the name that it declares or defines.
fn subject(command: &Sexpr) -> (Option<&str>, Option<&str>) {
    let name = command.list().and_then(|list| list.get(1)?.atom());
    (command.head(), name)
}

/// The message for a command that differs.
fn differs(command: &Sexpr) -> String {
    match subject(command) {
        (Some("set-info"), _) => "what it says of itself differs".to_owned(),
        (Some("define-fun"), Some(name)) => format!("the definition of `{name}` differs"),
        (Some("declare-fun"), Some(name)) => format!("the declaration of `{name}` differs"),
        _ => "the questions differ".to_owned(),
    }
}

/// The message for a command that should not be there.
fn out_of_place(command: &Sexpr) -> String {
    match subject(command) {
        (Some("define-fun"), Some(name)) => format!("a definition of `{name}` is out of place"),
        (Some("declare-fun"), Some(name)) => format!("a declaration of `{name}` is out of place"),
        (Some(word), _) => format!("`{word}` is out of place"),
        (None, _) => "something in it is no command".to_owned(),
    }
}

/// The symbols that a script declares and defines.
fn declared(commands: &[Sexpr]) -> Symbols {
    let mut symbols = Symbols::default();
    for command in commands.iter().filter_map(Sexpr::list) {
        let [_, Sexpr::Atom(name), args, result, ..] = command else {
            continue;
        };
        let args = args.list().unwrap_or_default().iter();
        let args: Result<Vec<Sort>, Unreadable> = args.map(read_sort).collect();
        let (Ok(args), Ok(result)) = (args, read_sort(result)) else {
            continue;
        };
        let function = Function {
            name: Symbol::new(name),
            args: args.into(),
            result,
        };
        symbols.functions.insert(name.clone(), function);
    }
    symbols
}

/// The conjuncts of a definition that say something; `None` if one of them cannot be read. A
/// conjunction of terms would drop those that occur twice, and two properties may be the same.
fn conjuncts(symbols: &Symbols, body: &Sexpr) -> Option<Vec<Term>> {
    let all = match body.list() {
        Some([Sexpr::Atom(and), all @ ..]) if and == "and" => all,
        _ => std::slice::from_ref(body),
    };
    let read = |text: &Sexpr| Reader::new(symbols).term(text);
    let mut all: Vec<Term> = all.iter().map(read).collect::<Result<_, _>>().ok()?;
    all.retain(|term| *term != system::boolean(true));
    Some(all)
}

fn same(symbols: &Symbols, a: &Sexpr, b: &Sexpr) -> bool {
    if a == b {
        return true;
    }
    match (a.list(), b.list()) {
        (Some([define, name, params, of, a]), Some([define_b, name_b, params_b, of_b, b])) => {
            let heads = (define, name, params, of) == (define_b, name_b, params_b, of_b);
            let is_definition = define.atom() == Some("define-fun");
            let read = |body| conjuncts(symbols, body);
            heads && is_definition && read(a).is_some_and(|a| read(b) == Some(a))
        }
        _ => false,
    }
}
