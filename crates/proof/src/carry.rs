//! Terms of one system, said of another.
//!
//! A program is lowered more than once: for an analysis, for its cores, for its mutants,
//! for a certificate. Each lowering numbers its variables by what it needs, so that
//! variable 7 of one system may be a Boolean and variable 7 of another an integer. What
//! two lowerings share is names: the path of an instance, then the stream. So a term is
//! carried by the names of its variables, and is dropped if one of them is missing, or
//! has another sort or role. Whether a carried term holds is another question: the
//! system it comes from may have had more constraints.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use system::{Kind, System, Term, Var, substitute, var};

/// The names of the variables of a system, each once. Two of one name are the output of
/// an instance and what its caller sees of it: the second one gets a number.
pub fn unique_names(system: &System) -> Vec<String> {
    let mut taken: HashSet<String> = HashSet::new();
    let mut names = Vec::new();
    for var in &system.vars {
        let mut name = var.name.clone();
        let mut count = 1;
        while !taken.insert(name.clone()) {
            count += 1;
            name = format!("{}#{count}", var.name);
        }
        names.push(name);
    }
    names
}

/// Carries terms from one system to another.
pub struct Carrier {
    /// By variable: what it is in the other system. Nothing is needed if both systems
    /// are one.
    vars: Option<HashMap<Term, Term>>,
}

impl Carrier {
    pub fn new(from: &Arc<System>, to: &System) -> Carrier {
        if std::ptr::eq(Arc::as_ptr(from), to) {
            return Carrier { vars: None };
        }
        let names = unique_names(to);
        let places: HashMap<&str, Var> = names.iter().map(String::as_str).zip(numbers()).collect();
        let mut vars = HashMap::new();
        for ((name, own), declared) in unique_names(from).iter().zip(numbers()).zip(&from.vars) {
            let Some(place) = places.get(name.as_str()).copied() else {
                continue;
            };
            let there = to.var(place);
            if there.sort == declared.sort && there.role == declared.role {
                let sort = declared.sort.clone();
                vars.insert(var(own, sort.clone()), var(place, sort));
            }
        }
        Carrier { vars: Some(vars) }
    }

    /// The term in the other system; nothing if it speaks of what is not there.
    pub fn term(&self, term: &Term) -> Option<Term> {
        let Some(vars) = &self.vars else {
            return Some(term.clone());
        };
        let mut map = HashMap::new();
        for variable in variables(term) {
            let there = vars.get(&variable)?.clone();
            map.insert(variable, there);
        }
        Some(substitute(term, &map))
    }
}

/// What can be said in terms of another system.
pub trait Carry: Sized {
    /// Nothing if it speaks of what is not there.
    fn carried(&self, carrier: &Carrier) -> Option<Self>;
}

/// Carriers to one system, each made once.
pub struct Carriers<'t> {
    to: &'t System,
    known: Vec<(Arc<System>, Carrier)>,
}

impl<'t> Carriers<'t> {
    pub fn to(system: &'t System) -> Carriers<'t> {
        Carriers {
            to: system,
            known: Vec::new(),
        }
    }

    pub fn from(&mut self, system: &Arc<System>) -> &Carrier {
        let known = self.known.iter();
        let mut known = known.map(|(from, _)| from);
        let at = match known.position(|from| Arc::ptr_eq(from, system)) {
            Some(at) => at,
            None => {
                let carrier = Carrier::new(system, self.to);
                self.known.push((system.clone(), carrier));
                self.known.len() - 1
            }
        };
        &self.known[at].1
    }
}

fn numbers() -> impl Iterator<Item = Var> {
    (0..).map(Var)
}

/// The variables in a term, with their sorts.
fn variables(root: &Term) -> HashSet<Term> {
    let all = root.subterms();
    all.filter(|term| matches!(term.kind(), Kind::Var(_)))
        .collect()
}
