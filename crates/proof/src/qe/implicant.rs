//! A conjunction of literals that implies a formula and holds in a model.
//!
//! Conditionals disappear, inside of literals too: the model says which
//! branch, and the condition becomes a part of the conjunction.

use std::collections::{HashMap, HashSet};

use system::{Kind, Sort, Term, Var, le, lt, not, substitute};

use crate::qe::Values;

/// `None` if the formula does not hold in the model, or the solver has no
/// value for a part of it.
pub fn implicant(formula: &Term, values: &mut Values) -> Option<Vec<Term>> {
    implicant_avoiding(formula, values, &[])
}

/// The same; of the parts of a disjunction that hold, one with few of the variables is taken.
pub fn implicant_avoiding(
    formula: &Term,
    values: &mut Values,
    avoided: &[Var],
) -> Option<Vec<Term>> {
    let mut walk = Walk {
        avoided,
        values,
        seen: HashSet::new(),
        open: vec![formula.clone()],
        literals: Vec::new(),
    };
    while let Some(term) = walk.open.pop() {
        if walk.seen.insert(term.clone()) {
            walk.visit(&term)?;
        }
    }
    Some(walk.literals)
}

struct Walk<'w, 'v> {
    values: &'w mut Values<'v>,
    /// Variables that are to occur in few literals.
    avoided: &'w [Var],
    seen: HashSet<Term>,
    /// Formulas that hold in the model and are still to be taken apart.
    open: Vec<Term>,
    literals: Vec<Term>,
}

impl Walk<'_, '_> {
    fn visit(&mut self, term: &Term) -> Option<()> {
        match term.kind() {
            Kind::Bool(true) => {}
            Kind::And(parts) => self.open.extend(parts.iter().cloned()),
            Kind::Or(parts) => {
                let holds = self.disjunct(parts)?;
                self.open.push(holds);
            }
            Kind::Ite(c, a, b) => self.branch(c, a, b)?,
            Kind::Eq(a, b) if *a.sort() == Sort::Bool => self.both(a, b)?,
            Kind::Not(inner) => self.negation(term, inner)?,
            _ => self.literal(term)?,
        }
        Some(())
    }

    fn negation(&mut self, term: &Term, inner: &Term) -> Option<()> {
        match inner.kind() {
            Kind::And(parts) => {
                let denied: Vec<Term> = parts.iter().map(not).collect();
                let fails = self.disjunct(&denied)?;
                self.open.push(fails);
            }
            Kind::Or(parts) => self.open.extend(parts.iter().map(not)),
            Kind::Ite(c, a, b) => self.branch(c, &not(a), &not(b))?,
            Kind::Eq(a, b) if *a.sort() == Sort::Bool => self.both(a, &not(b))?,
            Kind::Lt(a, b) => self.open.push(le(b, a)),
            Kind::Le(a, b) => self.open.push(lt(b, a)),
            _ => self.literal(term)?,
        }
        Some(())
    }

    /// A part of a disjunction that holds.
    fn disjunct(&mut self, parts: &[Term]) -> Option<Term> {
        let mut holds = parts.iter().filter(|part| self.values.is_true(part));
        if self.avoided.is_empty() {
            return holds.next().cloned();
        }
        let avoided = |part: &Term| {
            let vars = part.vars().into_iter();
            vars.filter(|var| self.avoided.contains(var)).count()
        };
        holds.min_by_key(|part| avoided(part)).cloned()
    }

    fn branch(&mut self, c: &Term, a: &Term, b: &Term) -> Option<()> {
        let (condition, chosen) = match self.values.is_true(c) {
            true => (c.clone(), a),
            false => (not(c), b),
        };
        self.open.extend([condition, chosen.clone()]);
        Some(())
    }

    /// Both hold, or both fail.
    fn both(&mut self, a: &Term, b: &Term) -> Option<()> {
        match self.values.is_true(a) {
            true => self.open.extend([a.clone(), b.clone()]),
            false => self.open.extend([not(a), not(b)]),
        }
        Some(())
    }

    fn literal(&mut self, term: &Term) -> Option<()> {
        let plain = self.without_conditionals(term);
        if plain != *term {
            self.open.push(plain);
            return Some(());
        }
        if !self.values.is_true(term) {
            return None;
        }
        match self.side(term) {
            Some(stronger) => self.open.push(stronger),
            None => self.literals.push(term.clone()),
        }
        Some(())
    }

    /// Numbers that differ are on one side of each other.
    fn side(&mut self, term: &Term) -> Option<Term> {
        let Kind::Not(inner) = term.kind() else {
            return None;
        };
        let Kind::Eq(a, b) = inner.kind() else {
            return None;
        };
        if !matches!(a.sort(), Sort::Int | Sort::Real) {
            return None;
        }
        let less = lt(a, b);
        Some(match self.values.is_true(&less) {
            true => less,
            false => lt(b, a),
        })
    }

    /// The branches that the model takes instead of the conditionals.
    fn without_conditionals(&mut self, term: &Term) -> Term {
        let mut chosen: HashMap<Term, Term> = HashMap::new();
        let mut open = vec![term.clone()];
        let mut seen = HashSet::new();
        while let Some(part) = open.pop() {
            if !seen.insert(part.clone()) {
                continue;
            }
            match part.kind() {
                Kind::Ite(c, a, b) => {
                    let (condition, branch) = match self.values.is_true(c) {
                        true => (c.clone(), a),
                        false => (not(c), b),
                    };
                    self.open.push(condition);
                    chosen.insert(part.clone(), branch.clone());
                }
                Kind::Quantified(..) => {}
                _ => part.for_each_part(|part| open.push(part.clone())),
            }
        }
        // A branch may be a conditional again: the caller comes back.
        if chosen.is_empty() {
            term.clone()
        } else {
            substitute(term, &chosen)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::qe::tests::{holding, int, ints};
    use system::{add, and, eq, integer, ite, or};

    #[test]
    fn it_implies_the_formula_and_has_no_conditionals() {
        let system = ints(3);
        let (x, y, z) = (int(0), int(1), int(2));
        let larger = ite(&lt(&x, &y), &y, &x);
        let formula = and([or([eq(&larger, &z), lt(&z, &integer(0))]), not(&eq(&x, &y))]);
        let point = [(&x, 3), (&y, 1), (&z, 3)];
        let mut solver = holding(&system, &point);
        let mut values = Values {
            solver: &mut solver,
            step: 0,
        };
        let literals = implicant(&formula, &mut values).expect("an implicant");
        assert!(literals.contains(&lt(&y, &x)), "{literals:?}");
        assert!(literals.contains(&eq(&x, &z)), "{literals:?}");
        let wrong = eq(&add([x, y]), &z);
        assert_eq!(implicant(&wrong, &mut values), None);
    }
}
