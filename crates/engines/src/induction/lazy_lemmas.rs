//! Lemmas of other engines, asserted when they are of use.
//!
//! Lemmas hold at every step, and could be asserted there as soon as they are known. They may
//! be many, though, and few of them matter: beyond the first [`EAGER`] a lemma is asserted, at
//! all steps, when a model violates it. When lazy, every lemma waits for that, and is asserted
//! at the steps only at which it is violated.

use std::collections::BTreeSet;

use proof::{AtStep, Lemma, Unrolling};
use smt::Solver;

use crate::job_board::JobBoard;

/// So many lemmas are asserted before a model violates them.
const EAGER: usize = 32;

pub(super) struct LazyLemmas {
    heard: Vec<Heard>,
    /// Assert lemmas only when, and at the steps at which, a model violates them.
    lazy: bool,
}

/// What another engine has proved.
struct Heard {
    lemma: Lemma,
    asserted: Asserted,
}

/// Where a lemma is asserted.
#[derive(Clone, PartialEq, Eq)]
enum Asserted {
    At(BTreeSet<usize>),
    Everywhere,
}

impl LazyLemmas {
    pub fn new(lazy: bool) -> LazyLemmas {
        LazyLemmas {
            heard: Vec::new(),
            lazy,
        }
    }

    pub fn len(&self) -> usize {
        self.heard.len()
    }

    /// In the order of their proofs.
    pub fn all(&self) -> Vec<Lemma> {
        let heard = self.heard.iter();
        heard.map(|heard| heard.lemma.clone()).collect()
    }

    /// Asserts what is asserted everywhere at a new last step, and reads the lemmas that are new.
    pub fn read(&mut self, board: &JobBoard, unrolling: &mut Unrolling, last: usize) {
        for heard in &self.heard {
            if heard.asserted == Asserted::Everywhere {
                unrolling.solver.assert(&heard.lemma.term, last);
            }
        }
        for lemma in board.lemmas_from(self.heard.len()) {
            let asserted = match !self.lazy && self.heard.len() < EAGER {
                true => Asserted::Everywhere,
                false => Asserted::At(BTreeSet::new()),
            };
            if asserted == Asserted::Everywhere {
                for step in 0..=last {
                    unrolling.solver.assert(&lemma.term, step);
                }
            }
            self.heard.push(Heard { lemma, asserted });
        }
    }

    /// Asserts the lemmas that the model violates; `false` if there is none.
    pub fn wake(&mut self, unrolling: &mut Unrolling, last: usize) -> bool {
        let mut woken: Vec<AtStep> = Vec::new();
        for heard in &mut self.heard {
            let Asserted::At(known) = &mut heard.asserted else {
                continue;
            };
            let term = &heard.lemma.term;
            let is_violated = |step: &usize| {
                !known.contains(step) && unrolling.solver.holds(term, *step) == Some(false)
            };
            let violated: Vec<usize> = (0..=last).filter(is_violated).collect();
            if violated.is_empty() {
                continue;
            }
            let at = |step: usize| AtStep::new(term.clone(), step);
            if self.lazy {
                woken.extend(violated.iter().copied().map(at));
                known.extend(violated);
            } else {
                woken.extend((0..=last).map(at));
                heard.asserted = Asserted::Everywhere;
            }
        }
        for at in &woken {
            unrolling.solver.assert(&at.term, at.step);
        }
        !woken.is_empty()
    }
}
