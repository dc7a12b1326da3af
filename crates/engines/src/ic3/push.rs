//! Pushing: clauses that hold one step later move to the next frame. When a
//! frame has nothing of its own left, it equals the next one, and is an
//! inductive invariant.

use crate::ic3::frames::{Halt, Relative};
use crate::ic3::{Extract, Ic3};

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
                if let Relative::Inductive(core) = self.frames.pushes(&cube, level)? {
                    let core = self.keep_apart(core, &cube)?;
                    self.frames.block(core, level + 1);
                }
            }
            if self.frames.cubes(level).is_empty() {
                return Ok(Some(level + 1));
            }
        }
        Ok(None)
    }
}
