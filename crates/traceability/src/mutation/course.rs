//! What is known of a mutant on trial, from turn to turn.

use std::time::Duration;

use super::{Effect, Means, Settled};

/// A mutant on trial.
#[derive(Clone, Debug)]
pub(super) struct Course {
    /// By property; nobody has looked at it if there are none.
    pub effects: Vec<Effect>,
    /// The properties that are not decided.
    pub open: Vec<usize>,
    pub means: Means,
    pub is_equivalent: bool,
    /// So many first steps violate none of the open properties.
    pub clear: usize,
    pub elapsed: Duration,
}

impl Default for Course {
    fn default() -> Course {
        Course {
            effects: Vec::new(),
            open: Vec::new(),
            means: Means::None,
            is_equivalent: false,
            clear: 0,
            elapsed: Duration::ZERO,
        }
    }
}

impl Course {
    /// How many properties are decided.
    pub fn decided(&self) -> usize {
        self.effects.len() - self.open.len()
    }

    pub fn is_decided(&self) -> bool {
        !self.effects.is_empty() && self.open.is_empty()
    }

    /// Some of the open properties hold.
    pub fn hold(&mut self, which: impl Fn(usize) -> bool) {
        let effects = &mut self.effects;
        self.open.retain(|at| {
            let holds = which(*at);
            if holds {
                effects[*at] = Effect::Holds;
            }
            !holds
        });
    }

    pub fn settled(&self, mutation: usize, is_final: bool) -> Settled {
        Settled {
            mutation,
            is_equivalent: self.is_equivalent,
            is_final,
            effects: self.effects.clone(),
            means: match self.open.is_empty() {
                true => self.means,
                false => Means::None,
            },
            elapsed: self.elapsed,
        }
    }
}
