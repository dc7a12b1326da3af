//! Blocking: the queue of proof obligations.
//!
//! An obligation is a cube from which bad states are some steps away, to be
//! excluded from a frame. Those of the lowest frame come first. It is either
//! unreachable from the frame before, and is blocked, generalised; or it has a
//! predecessor there, which is an obligation in its turn. A chain that begins
//! in an initial state is a counterexample, in whatever sense the cubes are.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use crate::ic3::cube::Cube;
use crate::ic3::frames::{Halt, Relative};
use crate::ic3::{Extract, Ic3};

/// A chain of cubes, from an initial state to a bad one.
pub(crate) type Chain = Vec<Cube>;

struct Obligation {
    cube: Cube,
    /// The obligation one step closer to the bad states.
    parent: Option<usize>,
}

/// Obligations by frame, then by age.
#[derive(Default)]
struct Queue {
    youngest_first: bool,
    all: Vec<Obligation>,
    open: BinaryHeap<(Reverse<usize>, usize, usize)>,
}

impl Queue {
    fn add(&mut self, cube: Cube, level: usize, parent: Option<usize>) {
        self.all.push(Obligation { cube, parent });
        self.open(self.all.len() - 1, level);
    }

    /// Predecessors are younger than what they are predecessors of.
    fn open(&mut self, at: usize, level: usize) {
        let age = if self.youngest_first {
            at
        } else {
            usize::MAX - at
        };
        self.open.push((Reverse(level), age, at));
    }

    fn chain(&self, first: usize) -> Chain {
        let parents = std::iter::successors(Some(first), |at| self.all[*at].parent);
        parents.map(|at| self.all[at].cube.clone()).collect()
    }
}

impl<E: Extract> Ic3<'_, E> {
    /// Excludes a cube from a frame, or says why that cannot be.
    pub(super) fn block(&mut self, cube: Cube, level: usize) -> Result<Option<Chain>, Halt> {
        let mut queue = Queue {
            youngest_first: self.options.block_in_future_first,
            ..Queue::default()
        };
        queue.add(cube, level, None);
        while let Some((Reverse(level), _, at)) = queue.open.pop() {
            self.spend()?;
            let cube = queue.all[at].cube.clone();
            if level == 0 {
                return Ok(Some(queue.chain(at)));
            }
            if self.frames.is_blocked(&cube, level) {
                self.later(&mut queue, at, level);
                continue;
            }
            let Some(apart) = self.frames.not_initial(&cube)? else {
                return Ok(Some(queue.chain(at)));
            };
            match self.frames.relative(&self.problem, &cube, level - 1)? {
                Relative::Inductive(core) => {
                    let reached = self.learn(core, &apart, level)?;
                    self.later(&mut queue, at, reached);
                }
                Relative::Reached => {
                    let solver = self.frames.predecessor();
                    let before = self.extract.predecessor(&self.problem, solver, &cube)?;
                    queue.add(before, level - 1, Some(at));
                    queue.open(at, level);
                }
            }
        }
        Ok(None)
    }

    /// A cube that leads to bad states is to be excluded from later frames
    /// too: long counterexamples come from there.
    fn later(&mut self, queue: &mut Queue, at: usize, level: usize) {
        if self.options.block_in_future && level < self.frames.last() {
            queue.open(at, level + 1);
        }
    }

    /// Blocks a generalised cube as far up as it is inductive; gives back the
    /// level.
    fn learn(&mut self, core: Cube, apart: &Cube, level: usize) -> Result<usize, Halt> {
        let core = self.keep_apart(core, apart)?;
        let mut small = self.generalise(core.clone(), level)?;
        if self.options.push_original && small != core {
            self.originals.insert(small.clone(), core);
        }
        let mut level = level;
        while level < self.frames.last() {
            match self.frames.relative(&self.problem, &small, level)? {
                Relative::Inductive(core) => {
                    small = self.keep_apart(core, &small)?;
                    level += 1;
                }
                Relative::Reached => break,
            }
        }
        self.exclude(small, level);
        Ok(level)
    }
}
