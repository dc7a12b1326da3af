//! Replaces streams by their definitions.

use std::collections::{HashMap, HashSet};

use crate::build;
use crate::term::{Kind, Term, Var};
use crate::transition::System;

/// Replaces the streams of a system by their definitions, transitively. Without recursion: chains
/// of definitions can be long.
pub struct Inliner<'s> {
    system: &'s System,
    /// Streams that are not replaced.
    open: HashSet<Var>,
    done: HashMap<u64, Term>,
}

impl<'s> Inliner<'s> {
    pub fn new(system: &'s System) -> Inliner<'s> {
        Inliner::leaving(system, HashSet::new())
    }

    /// Does not replace the streams in `open`.
    pub fn leaving(system: &'s System, open: HashSet<Var>) -> Inliner<'s> {
        Inliner {
            system,
            open,
            done: HashMap::new(),
        }
    }

    pub fn term(&mut self, term: &Term) -> Term {
        let mut open = vec![(term.clone(), false)];
        while let Some((term, ready)) = open.pop() {
            if self.done.contains_key(&term.id()) {
                continue;
            }
            let definition = self.definition(&term);
            if !ready {
                open.push((term.clone(), true));
                match definition {
                    Some(definition) => open.push((definition, false)),
                    None => term.for_each_part(|part| open.push((part.clone(), false))),
                }
                continue;
            }
            let inlined = match definition {
                Some(definition) => self.done[&definition.id()].clone(),
                None => term.rebuild(|part| self.done[&part.id()].clone()),
            };
            self.done.insert(term.id(), inlined);
        }
        self.done[&term.id()].clone()
    }

    fn definition(&self, term: &Term) -> Option<Term> {
        let Kind::Var(var) = term.kind() else {
            return None;
        };
        if self.open.contains(var) {
            return None;
        }
        let definition = self.system.var(*var).def.as_ref()?;
        Some(definition.term.clone())
    }
}

impl Term {
    /// The same operator on other parts, simplified.
    pub fn rebuild(&self, mut part: impl FnMut(&Term) -> Term) -> Term {
        match self.kind() {
            Kind::Bool(_)
            | Kind::Int(_)
            | Kind::Real(_)
            | Kind::BitVec(..)
            | Kind::Var(_)
            | Kind::Bound(_) => self.clone(),
            Kind::Not(a) => build::not(&part(a)),
            Kind::And(all) => build::and(all.iter().map(part)),
            Kind::Or(all) => build::or(all.iter().map(part)),
            Kind::Eq(a, b) => build::eq(&part(a), &part(b)),
            Kind::Ite(c, a, b) => build::ite(&part(c), &part(a), &part(b)),
            Kind::Add(all) => build::add(all.iter().map(part)),
            Kind::Neg(a) => build::neg(&part(a)),
            Kind::Mul(a, b) => build::mul(&part(a), &part(b)),
            Kind::IntDiv(a, b) => build::int_div(&part(a), &part(b)),
            Kind::IntMod(a, b) => build::int_mod(&part(a), &part(b)),
            Kind::RealDiv(a, b) => build::real_div(&part(a), &part(b)),
            Kind::Lt(a, b) => build::lt(&part(a), &part(b)),
            Kind::Le(a, b) => build::le(&part(a), &part(b)),
            Kind::ToReal(a) => build::to_real(&part(a)),
            Kind::ToInt(a) => build::to_int(&part(a)),
            Kind::BvNot(a) => build::bv_not(&part(a)),
            Kind::BvNeg(a) => build::bv_neg(&part(a)),
            Kind::Bv(op, a, b) => build::bv(*op, &part(a), &part(b)),
            Kind::BvCompare(op, a, b) => build::bv_compare(*op, &part(a), &part(b)),
            Kind::BvTruncate(width, a) => build::bv_resize(false, *width, &part(a)),
            Kind::BvExtend { signed, width, of } => build::bv_resize(*signed, *width, &part(of)),
            Kind::IntToBv(width, a) => build::int_to_bv(*width, &part(a)),
            Kind::BvToInt { signed, of } => build::bv_to_int(*signed, &part(of)),
            Kind::Apply(function, all) => {
                build::apply(function.clone(), all.iter().map(part).collect())
            }
            Kind::Select(a, i) => build::select(&part(a), &part(i)),
            Kind::Store(a, i, v) => build::store(&part(a), &part(i), &part(v)),
            Kind::ConstArray(a) => build::const_array(&part(a)),
            Kind::Lambda(bound, a) => build::lambda(*bound, &part(a)),
            Kind::Quantified(quantifier, vars, body) => {
                build::quantified(*quantifier, vars.to_vec(), &part(body))
            }
        }
    }
}
