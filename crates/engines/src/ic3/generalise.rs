//! Inductive generalisation: fewer literals exclude more states.
//!
//! Unsatisfiable cores come for free; then literals are dropped one by one, as
//! long as what remains is inductive relative to the frame before and apart
//! from the initial states (Bradley's MIC).

use std::collections::HashMap;

use system::Term;

use crate::ic3::cube::Cube;
use crate::ic3::frames::{Halt, Relative};
use crate::ic3::{Extract, Ic3};

/// After so many literals that cannot be dropped, the others stay.
const MAX_FAILURES: usize = 12;

/// How often a literal survived: those that did come last.
#[derive(Default)]
pub(crate) struct Activity(HashMap<Term, usize>);

impl Activity {
    fn reward(&mut self, cube: &Cube) {
        for literal in cube.literals() {
            *self.0.entry(literal.clone()).or_default() += 1;
        }
    }

    fn of(&self, literal: &Term) -> usize {
        self.0.get(literal).copied().unwrap_or(0)
    }
}

impl<E: Extract> Ic3<'_, E> {
    /// A part of a cube that no initial state satisfies: the core of a step
    /// if that will do, else with the literals that keep them apart.
    pub(super) fn keep_apart(&mut self, core: Cube, apart: &Cube) -> Result<Cube, Halt> {
        if self.frames.not_initial(&core)?.is_some() {
            return Ok(core);
        }
        let literals = core.literals().iter().chain(apart.literals());
        Ok(Cube::new(literals.cloned()))
    }

    /// Drops literals of a cube that is inductive relative to the frame below
    /// `level`.
    pub(super) fn generalise(&mut self, mut small: Cube, level: usize) -> Result<Cube, Halt> {
        if self.options.generalise == 0 {
            return Ok(small);
        }
        let mut candidates = small.literals().to_vec();
        if self.options.generalise == 2 {
            candidates.sort_by_key(|literal| self.activity.of(literal));
        }
        let mut failures = 0;
        for literal in candidates {
            if failures >= MAX_FAILURES || small.len() == 1 {
                break;
            }
            if !small.literals().contains(&literal) {
                continue;
            }
            let candidate = small.without(&literal);
            match self.inductive_part(candidate, level)? {
                Some(part) => small = part,
                None => failures += 1,
            }
            self.spend()?;
        }
        self.activity.reward(&small);
        Ok(small)
    }

    fn inductive_part(&mut self, cube: Cube, level: usize) -> Result<Option<Cube>, Halt> {
        let Some(apart) = self.frames.not_initial(&cube)? else {
            return Ok(None);
        };
        match self.frames.relative(&self.problem, &cube, level - 1)? {
            Relative::Inductive(core) => self.keep_apart(core, &apart).map(Some),
            Relative::Reached => Ok(None),
        }
    }
}
