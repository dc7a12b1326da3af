//! A part of a system without its surroundings.
//!
//! Some state variables keep their next values; all others are free, and so is
//! every term that does not speak of the part, be it an input, a clock or a
//! restart. Each run of the system is one of the part, so that what is inductive
//! here is inductive there, and the queries are small however large the system is.
//!
//! Variables are numbered anew, in an order that parts of the same shape share:
//! most calls of a node give the same system, and what is proved of one is proved
//! of all.

use std::collections::HashMap;

use system::{Constraint, Kind, Role, StateVar, System, Term, Var};

pub(crate) struct Cut<'h> {
    host: &'h System,
    part: Vec<Var>,
    vars: Vec<StateVar>,
    /// The new names of variables.
    names: HashMap<Var, Term>,
    /// By term: whether it speaks of the part.
    speaks: HashMap<u64, bool>,
    done: HashMap<u64, Term>,
    /// Terms with bound variables cannot be cut.
    binds: bool,
}

/// What a part of a system is, whatever its variables are called.
#[derive(PartialEq, Eq, Hash)]
pub(crate) struct Likeness {
    /// For each variable whether it is a constant, and its first and next values.
    vars: Vec<(bool, Option<Term>, Option<Term>)>,
    constraints: Vec<Term>,
    terms: Vec<Term>,
}

impl<'h> Cut<'h> {
    /// The part that consists of some state variables.
    pub fn new(host: &'h System, part: &[Var]) -> Cut<'h> {
        let mut cut = Cut {
            host,
            vars: Vec::new(),
            part: part.to_vec(),
            names: HashMap::new(),
            speaks: HashMap::new(),
            done: HashMap::new(),
            binds: false,
        };
        for var in part {
            cut.name(*var);
        }
        cut
    }

    fn name(&mut self, var: Var) -> Term {
        if let Some(name) = self.names.get(&var) {
            return name.clone();
        }
        let declared = self.host.var(var);
        let role = match declared.role {
            Role::State if !self.part.contains(&var) => Role::Input,
            role => role,
        };
        let name = self.declare(StateVar::new("", declared.sort.clone(), role));
        self.names.insert(var, name.clone());
        name
    }

    fn declare(&mut self, var: StateVar) -> Term {
        let name = system::var(Var(self.vars.len() as u32), var.sort.clone());
        self.vars.push(var);
        name
    }

    /// The system of the part, and what to know it by; terms of the part are cut
    /// before. Nothing if it cannot be cut out.
    pub fn system(mut self, terms: &[Term]) -> Option<(System, Likeness)> {
        for var in self.part.clone() {
            let declared = self.host.var(var);
            let init = declared.init.as_ref().map(|term| self.term(term));
            let next = declared.next.as_ref().map(|term| self.term(term));
            if let Kind::Var(own) = self.name(var).kind() {
                let own = &mut self.vars[own.0 as usize];
                (own.init, own.next) = (init, next);
            }
        }
        let mut constraints = Vec::new();
        for constraint in &self.host.constraints {
            if self.speaks(&constraint.term) || self.is_of_free(&constraint.term) {
                constraints.push(self.term(&constraint.term));
            }
        }
        let vars = self.vars.iter().map(|var| {
            let constant = var.role == Role::Constant;
            (constant, var.init.clone(), var.next.clone())
        });
        let likeness = Likeness {
            vars: vars.collect(),
            constraints: constraints.clone(),
            terms: terms.to_vec(),
        };
        let constraints = constraints.into_iter().map(|term| Constraint {
            term,
            element: None,
            range: None,
        });
        let system = System {
            constraints: constraints.collect(),
            vars: self.vars,
            ..System::default()
        };
        (!self.binds).then_some((system, likeness))
    }

    /// The range of something that is free anyway.
    fn is_of_free(&self, term: &Term) -> bool {
        match term.vars().as_slice() {
            [var] => self.names.contains_key(var),
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
            let speaks = self.speaks[&term.id()];
            self.binds |= speaks && matches!(term.kind(), Kind::Quantified(..) | Kind::Lambda(..));
            // The opposite of what is free is its opposite.
            let inner = speaks || matches!(term.kind(), Kind::Not(_));
            if inner && !ready {
                open.push((term.clone(), true));
                term.for_each_part(|part| open.push((part.clone(), false)));
                continue;
            }
            let cut = match term.kind() {
                Kind::Var(var) => self.name(*var),
                Kind::Bool(_) | Kind::Int(_) | Kind::Real(_) | Kind::BitVec(..) => term.clone(),
                _ if inner => term.rebuild(|part| self.done[&part.id()].clone()),
                _ => self.declare(StateVar::new("", term.sort().clone(), Role::Input)),
            };
            self.done.insert(term.id(), cut);
        }
        self.done[&term.id()].clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use system::{Sort, add, and, boolean, integer, ite, le};

    /// Counters that run on each other's clocks.
    fn chain() -> System {
        let on = system::var(Var(0), Sort::Bool);
        let mut vars = vec![StateVar::new("on", Sort::Bool, Role::Input)];
        let mut clock = on.clone();
        for at in 1..4 {
            let own = system::var(Var(at), Sort::Int);
            let ticks = and([clock.clone(), on.clone()]);
            vars.push(StateVar {
                init: Some(integer(0)),
                next: Some(ite(&ticks, &add([own.clone(), integer(1)]), &own)),
                ..StateVar::new("n", Sort::Int, Role::State)
            });
            clock = le(&integer(3), &own);
        }
        System {
            vars,
            ..System::default()
        }
    }

    fn of(host: &System, at: u32) -> (System, Likeness) {
        let mut cut = Cut::new(host, &[Var(at)]);
        let own = system::var(Var(at), Sort::Int);
        let term = cut.term(&le(&integer(0), &own));
        cut.system(&[term]).expect("nothing is bound")
    }

    #[test]
    fn surroundings_are_free() {
        let (alone, _) = of(&chain(), 3);
        let states: Vec<(Var, &StateVar)> = alone.state_vars().collect();
        assert_eq!(states.len(), 1);
        let clock = system::var(Var(1), Sort::Bool);
        let own = system::var(Var(0), Sort::Int);
        let next = ite(&clock, &add([own.clone(), integer(1)]), &own);
        assert_eq!(states[0].1.next, Some(next));
        assert_eq!(states[0].1.init, Some(integer(0)));
    }

    #[test]
    fn parts_of_one_shape_are_alike() {
        let mut host = chain();
        assert!(of(&host, 2).1 == of(&host, 3).1);
        host.vars[3].init = Some(integer(1));
        assert!(of(&host, 2).1 != of(&host, 3).1);
    }

    #[test]
    fn what_is_bound_is_not_cut() {
        let mut host = chain();
        let own = system::var(Var(1), Sort::Int);
        let bound = system::bound(0, Sort::Int);
        let all = system::quantified(
            system::Quantifier::Forall,
            vec![(0, Sort::Int)],
            &le(&bound, &own),
        );
        host.vars[1].next = Some(ite(&all, &own, &integer(0)));
        assert!(
            Cut::new(&host, &[Var(1)])
                .system(&[boolean(true)])
                .is_none()
        );
    }
}
