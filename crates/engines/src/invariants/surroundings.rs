//! A part of a system without its surroundings.
//!
//! Some state variables keep their next values; all others are free, and so is
//! every term that does not speak of the part, be it an input, a clock or a
//! restart. Each run of the system is one of the part, so that what is inductive
//! here is inductive there, and the queries are small however large the system is.

use std::collections::{BTreeSet, HashMap};

use system::{Constraint, Kind, Role, StateVar, System, Term, Var};

pub(crate) struct Cut<'h> {
    host: &'h System,
    part: BTreeSet<Var>,
    vars: Vec<StateVar>,
    /// By term: whether it speaks of the part.
    speaks: HashMap<u64, bool>,
    done: HashMap<u64, Term>,
}

impl<'h> Cut<'h> {
    /// The part that consists of some state variables.
    pub fn new(host: &'h System, part: BTreeSet<Var>) -> Cut<'h> {
        let vars = host.vars.iter().enumerate().map(|(at, var)| {
            let role = match var.role {
                Role::State if !part.contains(&Var(at as u32)) => Role::Input,
                role => role,
            };
            StateVar::new("", var.sort.clone(), role)
        });
        Cut {
            host,
            vars: vars.collect(),
            part,
            speaks: HashMap::new(),
            done: HashMap::new(),
        }
    }

    /// The system of the part. Terms that were cut before speak of it.
    pub fn system(mut self) -> System {
        let part: Vec<Var> = self.part.iter().copied().collect();
        for var in part {
            let declared = self.host.var(var);
            let next = declared.next.as_ref().map(|term| self.term(term));
            let own = &mut self.vars[var.0 as usize];
            own.init = declared.init.clone();
            own.next = next;
        }
        let mut constraints = Vec::new();
        for constraint in &self.host.constraints {
            if self.speaks(&constraint.term) || self.is_of_input(&constraint.term) {
                constraints.push(Constraint {
                    term: self.term(&constraint.term),
                    element: None,
                });
            }
        }
        System {
            vars: self.vars,
            constraints,
            ..System::default()
        }
    }

    /// The range of something that is free anyway.
    fn is_of_input(&self, term: &Term) -> bool {
        match term.vars().as_slice() {
            [var] => self.host.var(*var).role == Role::Input,
            _ => false,
        }
    }

    fn speaks(&mut self, term: &Term) -> bool {
        let mut open = vec![(term.clone(), false)];
        while let Some((term, ready)) = open.pop() {
            if self.speaks.contains_key(&term.id()) {
                continue;
            }
            if !ready {
                open.push((term.clone(), true));
                term.for_each_part(|part| open.push((part.clone(), false)));
                continue;
            }
            let mut speaks = match term.kind() {
                Kind::Var(var) => self.part.contains(var),
                _ => false,
            };
            term.for_each_part(|part| speaks |= self.speaks[&part.id()]);
            self.speaks.insert(term.id(), speaks);
        }
        self.speaks[&term.id()]
    }

    /// The term with all that does not speak of the part replaced.
    pub fn term(&mut self, term: &Term) -> Term {
        self.speaks(term);
        let mut open = vec![(term.clone(), false)];
        while let Some((term, ready)) = open.pop() {
            if self.done.contains_key(&term.id()) {
                continue;
            }
            let inner = match term.kind() {
                Kind::Quantified(..) | Kind::Lambda(..) => false,
                Kind::Not(_) => true,
                _ => self.speaks[&term.id()],
            };
            if inner && !ready {
                open.push((term.clone(), true));
                term.for_each_part(|part| open.push((part.clone(), false)));
                continue;
            }
            let cut = match inner {
                true => term.rebuild(|part| self.done[&part.id()].clone()),
                false => self.leaf(&term),
            };
            self.done.insert(term.id(), cut);
        }
        self.done[&term.id()].clone()
    }

    /// A variable in the place of a term, if that is simpler.
    fn leaf(&mut self, term: &Term) -> Term {
        match term.kind() {
            Kind::Bool(_) | Kind::Int(_) | Kind::Real(_) | Kind::BitVec(..) | Kind::Var(_) => {
                term.clone()
            }
            // Without looking inside, where variables are bound.
            _ if self.speaks[&term.id()] => term.clone(),
            _ => {
                let var = Var(self.vars.len() as u32);
                let free = StateVar::new("", term.sort().clone(), Role::Input);
                self.vars.push(free);
                system::var(var, term.sort().clone())
            }
        }
    }
}
