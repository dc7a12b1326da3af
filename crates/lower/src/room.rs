//! How large a system may become.
//!
//! A short program can have more instances than any machine has memory for: a node that
//! calls another twice, thirty levels deep. Such a program is refused, with what is too
//! large, before the memory is gone: an allocation that fails would end the process in the
//! middle of a document. The number of instances and of the scalars of a value have fixed
//! limits, far beyond what a solver could work on; memory is looked at as well, since a
//! machine may have little.

use system::Allowance;

use crate::{Lower, Unsupported};

/// Instances of nodes, and scalars of one value.
const MAX_INSTANCES: usize = 1 << 22;
const MAX_SCALARS: u64 = 1 << 22;

/// After so many instances or scalars memory is looked at.
const INTERVAL: u64 = 1 << 12;

/// What a scalar takes, with its name and its definition: a low guess.
const SCALAR_BYTES: u64 = 256;

/// What [`Unsupported::too_large`] begins with.
const TOO_LARGE: &str = "the model is too large: ";

impl Unsupported {
    fn too_large(why: &str) -> Unsupported {
        Unsupported(format!("{TOO_LARGE}{why}"))
    }

    /// Is it for want of memory that there is no system?
    pub fn is_too_large(&self) -> bool {
        self.0.starts_with(TOO_LARGE)
    }
}

#[derive(Default)]
pub(crate) struct Room {
    allowance: Allowance,
    /// Since memory was last looked at.
    taken: u64,
}

impl Room {
    /// For an instance beside so many others, in a list that may have to grow by so many
    /// bytes.
    pub fn for_instance(&mut self, others: usize, growth: u64) -> Lower<()> {
        if others >= MAX_INSTANCES {
            let why = format!(
                "it has more than {MAX_INSTANCES} instances of nodes; give nodes contracts and \
                 analyse them with --modular true --compositional true"
            );
            return Err(Unsupported::too_large(&why));
        }
        self.take(1, growth)
    }

    /// For the scalars of a value.
    pub fn for_value(&mut self, scalars: u64) -> Lower<()> {
        if scalars > MAX_SCALARS {
            let why = format!("a value has more than {MAX_SCALARS} scalars");
            return Err(Unsupported::too_large(&why));
        }
        self.take(scalars, 0)
    }

    /// For so many instances at once.
    pub fn for_instances(&mut self, count: usize) -> Lower<()> {
        self.for_instance(count, 0)
    }

    fn take(&mut self, count: u64, growth: u64) -> Lower<()> {
        self.taken += count;
        let much = growth >= INTERVAL * SCALAR_BYTES;
        if self.taken < INTERVAL && !much {
            return Ok(());
        }
        self.taken = 0;
        match self.allowance.is_exceeded_by(growth + count * SCALAR_BYTES) {
            true => {
                let why = "its transition system needs more memory than there is";
                Err(Unsupported::too_large(why))
            }
            false => Ok(()),
        }
    }
}
