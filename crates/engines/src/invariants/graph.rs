//! Equivalences and implications between Boolean terms.
//!
//! Every term has a signature: its values on the states seen so far. Terms
//! with one signature are (so far) equivalent and form a class; a class whose
//! signature is contained in another implies it. Classes split and
//! implications go as states are added, never the other way, so that what is
//! read off is at any time the strongest set of relations that the states
//! allow. It is told without what follows: a chain of equivalences for a class,
//! and of the implications between representatives the transitive reduction.
//!
//! Negations are terms too, so that exclusions and disjunctions of two terms
//! are among the implications.

use std::collections::{HashMap, HashSet};

use smt::Scalar;
use system::{Term, eq, not, or};

use super::domain::Domain;
use super::eval::Values;

type Bits = Vec<u64>;

/// A term of the graph.
#[derive(Clone)]
pub(crate) struct Atom {
    pub term: Term,
    pub position: usize,
    /// Relations within a family follow from arithmetic and are not told.
    pub family: Option<Term>,
}

/// What is told besides constants and equivalences.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Relations {
    Equivalences,
    Implications,
}

#[derive(Clone)]
pub(crate) struct Graph {
    atoms: Vec<Atom>,
    signatures: Vec<Bits>,
    states: usize,
    /// The rows so far: a state that shows nothing new is left out.
    seen: HashSet<Bits>,
    relations: Relations,
}

/// A term or its negation: the position of a class, and whether it is negated.
type Literal = usize;

fn negated(literal: Literal) -> Literal {
    literal ^ 1
}

impl Graph {
    pub fn new(atoms: Vec<Atom>, relations: Relations) -> Graph {
        Graph {
            signatures: vec![Bits::new(); atoms.len()],
            atoms,
            states: 0,
            seen: HashSet::new(),
            relations,
        }
    }

    fn add(&mut self, row: &[bool]) {
        let mut key = vec![0u64; row.len().div_ceil(64)];
        for (at, value) in row.iter().enumerate() {
            key[at / 64] |= (*value as u64) << (at % 64);
        }
        if !self.seen.insert(key) {
            return;
        }
        for (signature, value) in self.signatures.iter_mut().zip(row) {
            if self.states.is_multiple_of(64) {
                signature.push(0);
            }
            signature[self.states / 64] |= (*value as u64) << (self.states % 64);
        }
        self.states += 1;
    }

    fn complement(&self, bits: &Bits) -> Bits {
        let mut result: Bits = bits.iter().map(|word| !word).collect();
        if !self.states.is_multiple_of(64) {
            let last = result.len() - 1;
            result[last] &= (1 << (self.states % 64)) - 1;
        }
        result
    }

    /// The classes, each by its members and whether they are negated; the
    /// first member stands for it. The first class is that of `true`.
    fn classes(&self) -> Vec<Vec<(usize, bool)>> {
        let top = self.complement(&vec![0; self.states.div_ceil(64)]);
        let mut classes = vec![Vec::new()];
        let mut known: HashMap<Bits, usize> = HashMap::from([(top, 0)]);
        for (at, signature) in self.signatures.iter().enumerate() {
            let flipped = self.complement(signature);
            if let Some(class) = known.get(signature) {
                classes[*class].push((at, false));
            } else if let Some(class) = known.get(&flipped) {
                classes[*class].push((at, true));
            } else {
                known.insert(signature.clone(), classes.len());
                classes.push(vec![(at, false)]);
            }
        }
        classes
    }

    fn term(&self, at: usize, negated: bool) -> Term {
        match negated {
            true => not(&self.atoms[at].term),
            false => self.atoms[at].term.clone(),
        }
    }

    fn implications(&self, representatives: &[usize]) -> Vec<Term> {
        let literals: Vec<Bits> = representatives
            .iter()
            .flat_map(|at| {
                let bits = &self.signatures[*at];
                [bits.clone(), self.complement(bits)]
            })
            .collect();
        let mut clauses = Vec::new();
        for (p, q) in reduction(&successors(&literals)) {
            // The contrapositive says the same.
            if (p, q) > (negated(q), negated(p)) {
                continue;
            }
            let (a, b) = (representatives[p / 2], representatives[q / 2]);
            let family = &self.atoms[a].family;
            if a == b || (family.is_some() && *family == self.atoms[b].family) {
                continue;
            }
            clauses.push(or([self.term(a, p % 2 == 0), self.term(b, q % 2 == 1)]));
        }
        clauses
    }
}

/// For each literal those that it implies: all whose states include its own.
fn successors(literals: &[Bits]) -> Vec<Bits> {
    let words = literals.len().div_ceil(64);
    let mut all = vec![vec![0u64; words]; literals.len()];
    for (p, from) in literals.iter().enumerate() {
        for (q, to) in literals.iter().enumerate() {
            if p != q && from.iter().zip(to).all(|(a, b)| a & !b == 0) {
                all[p][q / 64] |= 1 << (q % 64);
            }
        }
    }
    all
}

fn members(bits: &Bits) -> impl Iterator<Item = usize> + '_ {
    bits.iter().enumerate().flat_map(|(word, bits)| {
        let bits = *bits;
        (0..64)
            .filter(move |bit| bits >> bit & 1 == 1)
            .map(move |bit| word * 64 + bit)
    })
}

/// The edges of a transitively closed acyclic graph that do not follow from
/// others.
fn reduction(successors: &[Bits]) -> Vec<(Literal, Literal)> {
    let mut edges = Vec::new();
    for (p, direct) in successors.iter().enumerate() {
        let mut reduced = direct.clone();
        for r in members(direct) {
            for (word, beyond) in reduced.iter_mut().zip(&successors[r]) {
                *word &= !beyond;
            }
        }
        edges.extend(members(&reduced).map(|q| (p, q)));
    }
    edges
}

impl Domain for Graph {
    fn observe(&mut self, values: &Values) {
        let row: Option<Vec<bool>> = self
            .atoms
            .iter()
            .map(|atom| match &values[atom.position] {
                Some(Scalar::Bool(value)) => Some(*value),
                _ => None,
            })
            .collect();
        if let Some(row) = row {
            self.add(&row);
        }
    }

    fn candidates(&self) -> Vec<Term> {
        if self.states == 0 {
            return Vec::new();
        }
        let classes = self.classes();
        let mut found: Vec<Term> = classes[0]
            .iter()
            .map(|(at, negated)| self.term(*at, *negated))
            .collect();
        for class in &classes[1..] {
            let first = &self.atoms[class[0].0].term;
            let others = class[1..].iter();
            found.extend(others.map(|(at, negated)| eq(first, &self.term(*at, *negated))));
        }
        if self.relations == Relations::Implications {
            let representatives = classes[1..].iter().map(|class| class[0].0);
            found.extend(self.implications(&representatives.collect::<Vec<usize>>()));
        }
        found
    }

    fn boxed(&self) -> Box<dyn Domain> {
        Box::new(self.clone())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use system::{Sort, Var, var};

    fn graph(count: u32, relations: Relations) -> (Graph, Vec<Term>) {
        let terms: Vec<Term> = (0..count).map(|at| var(Var(at), Sort::Bool)).collect();
        let atoms = terms.iter().enumerate().map(|(position, term)| Atom {
            term: term.clone(),
            position,
            family: None,
        });
        (Graph::new(atoms.collect(), relations), terms)
    }

    #[test]
    fn classes_split_as_states_come() {
        let (mut graph, t) = graph(3, Relations::Equivalences);
        graph.add(&[true, true, false]);
        assert_eq!(
            graph.candidates(),
            [t[0].clone(), t[1].clone(), not(&t[2])],
            "one state: all are constant"
        );
        graph.add(&[false, false, true]);
        let same = [eq(&t[0], &t[1]), eq(&t[0], &not(&t[2]))];
        assert_eq!(graph.candidates(), same);
        graph.add(&[false, true, true]);
        assert_eq!(graph.candidates(), [eq(&t[0], &not(&t[2]))]);
        graph.add(&[true, true, true]);
        assert_eq!(graph.candidates(), []);
    }

    #[test]
    fn implications_are_reduced() {
        let (mut graph, t) = graph(3, Relations::Implications);
        for row in [
            [false, false, false],
            [false, false, true],
            [false, true, true],
            [true, true, true],
        ] {
            graph.add(&row);
        }
        let implied = |a: &Term, b: &Term| or([not(a), b.clone()]);
        // That the first implies the third follows.
        let mut found = graph.candidates();
        found.sort_by_key(Term::id);
        let mut expected = vec![implied(&t[0], &t[1]), implied(&t[1], &t[2])];
        expected.sort_by_key(Term::id);
        assert_eq!(found, expected);
    }

    #[test]
    fn exclusions_and_disjunctions_are_implications() {
        let (mut graph, t) = graph(2, Relations::Implications);
        graph.add(&[false, false]);
        graph.add(&[false, true]);
        graph.add(&[true, false]);
        assert_eq!(graph.candidates(), [or([not(&t[0]), not(&t[1])])]);
    }

    #[test]
    fn the_reduction_of_many_literals_keeps_the_closure() {
        let literals: Vec<Bits> = (0..70u64)
            .map(|at| vec![(1u64 << (at % 60)) - 1, at / 60])
            .collect();
        let all = successors(&literals);
        let edges = reduction(&all);
        let mut closure = vec![vec![0u64; 2]; literals.len()];
        for (p, q) in &edges {
            closure[*p][q / 64] |= 1 << (q % 64);
        }
        for _ in 0..literals.len() {
            for p in 0..literals.len() {
                for r in members(&closure[p].clone()).collect::<Vec<_>>() {
                    let beyond = closure[r].clone();
                    for (word, more) in closure[p].iter_mut().zip(beyond) {
                        *word |= more;
                    }
                }
            }
        }
        assert_eq!(closure, all);
        assert!(edges.len() < 150, "{}", edges.len());
    }
}
