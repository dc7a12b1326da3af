//! Cubes: conjunctions of literals over the state.

use system::{Kind, Sort, Term, and, not, or};

/// A conjunction of literals, each once, in the order of their ids.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Cube(Vec<Term>);

impl Cube {
    pub fn new(literals: impl IntoIterator<Item = Term>) -> Cube {
        let mut literals: Vec<Term> = literals.into_iter().collect();
        literals.sort_by_key(Term::id);
        literals.dedup();
        Cube(literals)
    }

    pub fn literals(&self) -> &[Term] {
        &self.0
    }

    pub fn len(&self) -> usize {
        self.0.len()
    }

    pub fn term(&self) -> Term {
        and(self.0.iter().cloned())
    }

    /// The clause that excludes the cube.
    pub fn negation(&self) -> Term {
        or(self.0.iter().map(not))
    }

    pub fn without(&self, literal: &Term) -> Cube {
        let kept = self.0.iter().filter(|own| *own != literal);
        Cube(kept.cloned().collect())
    }

    /// Has the other cube all the literals of this one? It is then a part.
    pub fn subsumes(&self, other: &Cube) -> bool {
        let mut rest = other.0.iter();
        self.0
            .iter()
            .all(|literal| rest.by_ref().any(|own| own == literal))
    }
}

/// The Boolean parts of a term that are no combinations of others.
pub(crate) fn atoms(term: &Term) -> Vec<Term> {
    let mut found = Vec::new();
    // Inside an atom there may be conditions.
    for term in term.subterms() {
        let combined = match term.kind() {
            Kind::Bool(_) | Kind::Not(_) | Kind::And(_) | Kind::Or(_) => true,
            Kind::Eq(a, _) => *a.sort() == Sort::Bool,
            Kind::Ite(..) => *term.sort() == Sort::Bool,
            _ => false,
        };
        if *term.sort() == Sort::Bool && !combined {
            found.push(term);
        }
    }
    found.retain(|atom| !has_bound(atom));
    found
}

fn has_bound(term: &Term) -> bool {
    let is_bound = |term: Term| matches!(term.kind(), Kind::Bound(_) | Kind::Quantified(..));
    term.subterms().any(is_bound)
}

#[cfg(test)]
mod tests {
    use super::*;
    use system::{Var, integer, ite, le, var};

    #[test]
    fn a_larger_cube_is_subsumed() {
        let x: Vec<Term> = (0..3).map(|at| var(Var(at), Sort::Bool)).collect();
        let small = Cube::new([x[2].clone(), x[0].clone()]);
        let large = Cube::new([x[1].clone(), x[2].clone(), x[0].clone()]);
        assert!(small.subsumes(&large) && !large.subsumes(&small));
        assert!(large.without(&x[1]) == small);
    }

    #[test]
    fn conditions_inside_atoms_are_atoms() {
        let (b, x) = (var(Var(0), Sort::Bool), var(Var(1), Sort::Int));
        let atom = le(&ite(&b, &x, &integer(0)), &integer(5));
        let found = atoms(&not(&atom));
        assert!(found.len() == 2 && found.contains(&atom) && found.contains(&b));
    }
}
