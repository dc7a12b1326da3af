//! Pushing: clauses that hold one step later move to the next frame. When a
//! frame has nothing of its own left, it equals the next one, and is an
//! inductive invariant.

use proof::{Compression, certify};

use crate::ic3::cube::Cube;
use crate::ic3::frames::{Halt, Relative};
use crate::ic3::{Extract, Ic3};

/// Longer clauses are of little use to others.
const SHORT: usize = 3;

impl<E: Extract> Ic3<'_, E> {
    /// Moves clauses up; the first level of the clauses that are inductive
    /// together, if there are any.
    pub(super) fn push(&mut self) -> Result<Option<usize>, Halt> {
        for level in 1..self.frames.last() {
            for cube in self.frames.cubes(level).to_vec() {
                self.spend()?;
                // A smaller one may have taken it along.
                if self.frames.is_blocked(&cube, level + 1) {
                    continue;
                }
                if !self.push_one(&cube, level)?
                    && let Some(original) = self.originals.get(&cube).cloned()
                {
                    self.push_one(&original, level)?;
                }
            }
            let mut own = self.frames.cubes(level).iter();
            if own.all(|cube| self.frames.is_blocked(cube, level + 1)) {
                return Ok(Some(level + 1));
            }
        }
        Ok(None)
    }

    fn push_one(&mut self, cube: &Cube, level: usize) -> Result<bool, Halt> {
        let Relative::Inductive(core) = self.frames.pushes(cube, level)? else {
            return Ok(false);
        };
        let mut small = self.keep_apart(core, cube)?;
        if self.options.push_generalised {
            small = self.generalise(small, level + 1)?;
        }
        if self.options.check_inductive {
            self.share(&small);
        }
        self.exclude(small, level + 1);
        Ok(true)
    }

    /// Tells the others about a clause that is inductive alone.
    fn share(&mut self, cube: &Cube) {
        if cube.len() > SHORT || !self.examined.insert(cube.clone()) {
            return;
        }
        let (system, board) = (self.problem.system, self.problem.board);
        let (context, clause) = (&board.context, cube.negation());
        let stop = || board.stopped();
        if certify::inductive(context, system, &clause, 1, Compression::NONE, &stop) {
            board.add_lemma(1, clause);
        }
    }
}
