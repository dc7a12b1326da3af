//! Templates over the first few things that were mined.
//!
//! Variables without a first value mean nothing until their instance has
//! ticked; so templates come in groups, each for the states in which a flag is
//! not set, and an instance of the template is told as "the flag or ...". In
//! the same way there are groups for the states in which a latch still holds:
//! a Boolean that never holds again once it does not, as "the environment has
//! behaved so far", without which systems written that way have no invariants.

use std::collections::HashSet;
use std::rc::Rc;

use num_rational::BigRational;
use num_traits::{One, Zero};
use system::{Kind, Sort, Term, Var, add, eq, integer, ite, not, or, sub};

use super::affine::Affine;
use super::bounds::{Bounds, Measure};
use super::domain::{Domain, Enumeration, Facts};
use super::eval::{Program, State, is_true, signed};
use super::graph::{Atom, Graph, Relations};
use super::mine::{Memory, Mined};
use super::terms::{Order, at_most};
use super::{Generator, InvariantOptions, Numbers};

/// Up to so many numeric variables all pairs are related.
const ALL_PAIRS: usize = 12;
/// Constants whose differences and sums are thresholds, too.
const MANY_CONSTANTS: usize = 8;
const MAX_THRESHOLDS: usize = 60;

#[derive(Clone)]
struct Group {
    guard: Option<(Term, usize)>,
    domains: Vec<Box<dyn Domain>>,
}

/// Domains over the terms of a system, group by group.
#[derive(Clone)]
pub(crate) struct Template {
    program: Rc<Program>,
    groups: Vec<Group>,
}

/// What a template is made of.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Scope {
    /// How many state variables, at most.
    pub variables: usize,
    pub implications: bool,
    pub two_state: bool,
}

impl Template {
    pub fn observe(&mut self, state: &State) {
        let values = self.program.eval(state);
        for group in &mut self.groups {
            if let Some((_, flag)) = &group.guard
                && is_true(&values[*flag])
            {
                continue;
            }
            for domain in &mut group.domains {
                domain.observe(&values);
            }
        }
    }

    pub fn candidates(&self) -> Vec<Term> {
        let mut seen = HashSet::new();
        let mut found = Vec::new();
        for group in &self.groups {
            let flag = group.guard.as_ref().map(|(flag, _)| flag);
            for term in group.domains.iter().flat_map(|domain| domain.candidates()) {
                let guarded = or(flag.cloned().into_iter().chain([term]));
                if !matches!(guarded.kind(), Kind::Bool(_)) && seen.insert(guarded.clone()) {
                    found.push(guarded);
                }
            }
        }
        found
    }

    /// Those of the variables that the template speaks of.
    pub fn needed(&self, mut vars: Vec<Option<Term>>) -> Vec<Option<Term>> {
        for var in &mut vars {
            if var.as_ref().is_some_and(|term| !self.program.has(term)) {
                *var = None;
            }
        }
        vars
    }

    pub fn settle(&mut self) {
        let domains = self.groups.iter_mut().flat_map(|group| &mut group.domains);
        domains.for_each(|domain| domain.settle());
    }

    /// A copy that is weakened by states which need not be reachable.
    pub fn frozen(&self) -> Template {
        let mut copy = self.clone();
        let domains = copy.groups.iter_mut().flat_map(|group| &mut group.domains);
        domains.for_each(|domain| domain.freeze());
        copy
    }
}

pub(crate) struct Builder<'a> {
    pub mined: &'a Mined,
    /// Booleans that never hold again once they do not.
    pub latches: &'a [Term],
    pub generators: &'a [Generator],
    pub options: &'a InvariantOptions,
}

impl Builder<'_> {
    fn wants(&self, sort: &Sort, two_state: bool) -> bool {
        let numbers = match sort {
            Sort::Bool => Numbers::None,
            Sort::Int => Numbers::Int,
            Sort::Real => Numbers::Real,
            Sort::BitVec(_) => Numbers::Machine,
            Sort::Array(_) => return false,
        };
        // Who looks for two-state invariants finds those of one state, too.
        let mut wanted = self.generators.iter().filter(|g| g.numbers == numbers);
        wanted.any(|generator| generator.two_state || !two_state)
    }

    /// Nothing if the generators that run have no use for such a template.
    pub fn build(&self, scope: Scope) -> Option<Template> {
        let mut guards: Vec<Option<Term>> = Vec::new();
        for memory in self.mined.memory.iter().take(scope.variables) {
            if !guards.contains(&memory.guard) {
                guards.push(memory.guard.clone());
            }
        }
        // Variables with a first value go with any others.
        if guards.len() > 1 {
            guards.retain(Option::is_some);
        }
        let latches = self.latches.iter().map(Some);
        let latches: Vec<Option<&Term>> = [None].into_iter().chain(latches).collect();
        let pairs = guards
            .iter()
            .flat_map(|g| latches.iter().map(move |l| (g, *l)));
        let mut program = Program::default();
        let mut groups = Vec::new();
        for (flag, latch) in pairs {
            let own = |m: &&Memory| m.guard == *flag || m.guard.is_none();
            let members = self.mined.memory.iter().filter(own);
            let members: Vec<&Memory> = members.take(scope.variables).collect();
            let domains = match scope.two_state {
                false => self.one_state(&members, scope, &mut program),
                true => self.two_state(&members, &mut program),
            };
            if !domains.is_empty() {
                let fallen = latch.map(not);
                let guard = match (flag, fallen) {
                    (None, None) => None,
                    (flag, fallen) => Some(or(flag.iter().cloned().chain(fallen))),
                };
                let guard = guard.map(|guard| (guard.clone(), program.add(&guard)));
                groups.push(Group { guard, domains });
            }
        }
        (!groups.is_empty()).then(|| Template {
            program: Rc::new(program),
            groups,
        })
    }

    fn one_state(
        &self,
        members: &[&Memory],
        scope: Scope,
        program: &mut Program,
    ) -> Vec<Box<dyn Domain>> {
        let mut domains: Vec<Box<dyn Domain>> = Vec::new();
        self.numbers(members, program, &mut domains);
        if self.wants(&Sort::Bool, false) {
            let implications = scope.implications && !self.options.boolean_equalities_only;
            let relations = match implications {
                true => Relations::Implications,
                false => Relations::Equivalences,
            };
            let atoms = self.atoms(members, scope, program);
            domains.push(Box::new(Graph::new(atoms, relations)));
        }
        domains
    }

    fn numbers(
        &self,
        members: &[&Memory],
        program: &mut Program,
        domains: &mut Vec<Box<dyn Domain>>,
    ) {
        let numeric = members
            .iter()
            .filter(|m| *m.term.sort() != Sort::Bool && self.wants(m.term.sort(), false));
        let numeric: Vec<&Memory> = numeric.copied().collect();
        if numeric.is_empty() {
            return;
        }
        domains.push(Box::new(Bounds {
            measures: self.measures(&numeric, members, program),
            equalities_only: self.options.arithmetic_equalities_only,
        }));
        if !self.options.arithmetic_equalities_only {
            for memory in &numeric {
                let position = program.add(&memory.term);
                domains.push(Box::new(Enumeration::new(memory.term.clone(), position)));
            }
            let facts = self.machine_comparisons(&numeric, program);
            domains.push(Box::new(Facts(facts)));
        }
        for sort in [Sort::Int, Sort::Real] {
            let mut columns: Vec<Term> = numeric
                .iter()
                .filter(|m| *m.term.sort() == sort)
                .map(|m| m.term.clone())
                .collect();
            if sort == Sort::Int && !columns.is_empty() {
                let flags = members.iter().filter(|m| *m.term.sort() == Sort::Bool);
                columns.extend(flags.map(|m| ite(&m.term, &integer(1), &integer(0))));
            }
            if columns.len() > 1 {
                let columns = columns.into_iter().map(|term| {
                    let position = program.add(&term);
                    (term, position)
                });
                domains.push(Box::new(Affine::new(columns.collect())));
            }
        }
    }

    /// Variables, differences and sums of pairs, and sums of the system.
    fn measures(
        &self,
        numeric: &[&Memory],
        members: &[&Memory],
        program: &mut Program,
    ) -> Vec<Measure> {
        let mut measures: Vec<Measure> = Vec::new();
        let mut singles = Vec::new();
        for memory in numeric {
            for order in self.mined.order(memory.term.sort()) {
                if order == Order::Arithmetic {
                    singles.push((measures.len(), memory));
                }
                let position = program.add(&memory.term);
                let thresholds = self.thresholds(memory.term.sort(), order, false);
                measures.push(Measure::new(
                    memory.term.clone(),
                    position,
                    order,
                    thresholds,
                    vec![],
                ));
            }
        }
        let all = singles.len() <= ALL_PAIRS || self.options.all_out;
        let mut push = |term: Term, parts, program: &mut Program| {
            let position = program.add(&term);
            let thresholds = self.thresholds(term.sort(), Order::Arithmetic, true);
            measures.push(Measure::new(
                term,
                position,
                Order::Arithmetic,
                thresholds,
                parts,
            ));
        };
        for (at, (i, x)) in singles.iter().enumerate() {
            for (j, y) in &singles[at + 1..] {
                let same = x.term.sort() == y.term.sort();
                if same && (all || self.mined.are_related(x.var, y.var)) {
                    push(
                        sub(&x.term, &y.term),
                        vec![(*i, true), (*j, false)],
                        program,
                    );
                    let sum = add([x.term.clone(), y.term.clone()]);
                    push(sum, vec![(*i, true), (*j, true)], program);
                }
            }
        }
        let vars: HashSet<Var> = members.iter().map(|m| m.var).collect();
        let here = |term: &&Term| {
            self.wants(term.sort(), false) && term.vars().iter().all(|var| vars.contains(var))
        };
        for sum in self.mined.sums.iter().filter(here).take(ALL_PAIRS) {
            push(sum.clone(), vec![], program);
        }
        measures
    }

    fn thresholds(&self, sort: &Sort, order: Order, pairs: bool) -> Rc<[BigRational]> {
        let constants = self.mined.constants.of(sort).iter().cloned();
        let own: Vec<BigRational> = constants
            .map(|value| match (order, sort) {
                (Order::Signed, Sort::BitVec(width)) => {
                    BigRational::from_integer(signed(&value.to_integer(), *width))
                }
                _ => value,
            })
            .chain([BigRational::zero()])
            .take(MAX_THRESHOLDS)
            .collect();
        let one = BigRational::one();
        let mut all: Vec<BigRational> = own
            .iter()
            .flat_map(|v| [v - &one, v.clone(), v + &one])
            .collect();
        if pairs {
            all.extend(own.iter().map(|value| -value));
            if own.len() <= MANY_CONSTANTS {
                let differences = own.iter().flat_map(|a| own.iter().map(move |b| a - b));
                let sums = own.iter().flat_map(|a| own.iter().map(move |b| a + b));
                all.extend(differences.chain(sums));
            }
        }
        if order == Order::Unsigned {
            all.retain(|value| *value >= BigRational::zero());
        }
        all.sort();
        all.dedup();
        all.into()
    }

    /// Machine integers wrap: pairs of them are compared, not subtracted.
    fn machine_comparisons(
        &self,
        numeric: &[&Memory],
        program: &mut Program,
    ) -> Vec<(Term, usize)> {
        let mut facts = Vec::new();
        let machine = |m: &&&Memory| matches!(m.term.sort(), Sort::BitVec(_));
        let machine: Vec<&&Memory> = numeric.iter().filter(machine).collect();
        for x in &machine {
            for y in &machine {
                if x.var == y.var || x.term.sort() != y.term.sort() {
                    continue;
                }
                for order in self.mined.order(x.term.sort()) {
                    let term = at_most(order, &x.term, &y.term);
                    let position = program.add(&term);
                    facts.push((term, position));
                }
            }
        }
        facts
    }

    /// Boolean variables, conditions, and what mode-like variables may be.
    fn atoms(&self, members: &[&Memory], scope: Scope, program: &mut Program) -> Vec<Atom> {
        let mut terms: Vec<Term> = Vec::new();
        let booleans = members.iter().filter(|m| *m.term.sort() == Sort::Bool);
        terms.extend(booleans.map(|m| m.term.clone()));
        let vars: HashSet<Var> = members.iter().map(|m| m.var).collect();
        let here = |term: &&Term| {
            let vars_of = term.vars();
            vars_of.iter().any(|var| vars.contains(var))
                && vars_of.iter().all(|var| vars.contains(var))
        };
        let limit = 4 * scope.variables;
        terms.extend(
            self.mined
                .conditions
                .iter()
                .filter(here)
                .take(limit)
                .cloned(),
        );
        for memory in members {
            let values = memory.assigned.iter().take(8);
            terms.extend(values.map(|value| eq(&memory.term, value)));
        }
        let mut seen = HashSet::new();
        terms.retain(|term| seen.insert(term.clone()));
        terms
            .into_iter()
            .take(limit)
            .map(|term| atom(term, program))
            .collect()
    }

    fn two_state(&self, members: &[&Memory], program: &mut Program) -> Vec<Box<dyn Domain>> {
        let mut domains: Vec<Box<dyn Domain>> = Vec::new();
        let mut measures = Vec::new();
        let mut terms: Vec<Term> = Vec::new();
        for memory in members {
            let (before, now) = (&memory.term, &memory.next);
            let sort = before.sort();
            if !self.wants(sort, true) {
                continue;
            }
            match sort {
                Sort::Bool => terms.extend([before.clone(), now.clone()]),
                Sort::Int | Sort::Real => {
                    let change = sub(now, before);
                    let position = program.add(&change);
                    let thresholds = self.thresholds(sort, Order::Arithmetic, true);
                    measures.push(Measure::new(
                        change,
                        position,
                        Order::Arithmetic,
                        thresholds,
                        vec![],
                    ));
                }
                _ => {
                    let orders = self.mined.order(sort).into_iter();
                    terms.extend(
                        orders.flat_map(|o| [at_most(o, before, now), at_most(o, now, before)]),
                    );
                }
            }
        }
        domains.push(Box::new(Bounds {
            measures,
            equalities_only: self.options.arithmetic_equalities_only,
        }));
        if self.wants(&Sort::Bool, true) {
            terms.extend(self.mined.present.iter().cloned());
            let mut seen = HashSet::new();
            terms.retain(|term| seen.insert(term.clone()));
            let atoms = terms.into_iter().map(|term| atom(term, program)).collect();
            let relations = match self.options.boolean_equalities_only {
                true => Relations::Equivalences,
                false => Relations::Implications,
            };
            domains.push(Box::new(Graph::new(atoms, relations)));
        }
        domains
    }
}

fn atom(term: Term, program: &mut Program) -> Atom {
    let position = program.add(&term);
    // Comparisons of one variable with constants.
    let family = match (term.kind(), term.vars().as_slice()) {
        (Kind::Eq(a, b) | Kind::Lt(a, b) | Kind::Le(a, b) | Kind::BvCompare(_, a, b), [_]) => {
            let side = if a.vars().is_empty() { b } else { a };
            Some(side.clone())
        }
        _ => None,
    };
    Atom {
        term,
        position,
        family,
    }
}
