//! Names for the variables of a system, each once and as the model has them.

use proof::carry::unique_names;
use smt::smtlib::symbol;
use system::{Role, System, Var};

/// When a variable has its value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum At {
    /// In a definition, and one step later.
    Now,
    Next,
    /// At some step of a path.
    Step(usize),
}

/// The names of the variables of a system. All names have an `@` in them, so that none is a word of
/// SMT-LIB.
pub struct Names {
    names: Vec<String>,
    constant: Vec<bool>,
}

impl Names {
    pub fn of(system: &System) -> Names {
        let constant = system.vars.iter();
        Names {
            names: unique_names(system),
            constant: constant.map(|var| var.role == Role::Constant).collect(),
        }
    }

    /// The name without a step.
    pub fn plain(&self, var: Var) -> &str {
        &self.names[var.0 as usize]
    }

    pub fn is_constant(&self, var: Var) -> bool {
        self.constant[var.0 as usize]
    }

    /// The name at some step; that of a constant is the same at all of them.
    pub fn at(&self, var: Var, at: At) -> String {
        let name = self.plain(var);
        match at {
            _ if self.is_constant(var) => symbol(&format!("{name}@const")),
            At::Now => symbol(&format!("{name}@now")),
            At::Next => symbol(&format!("{name}@next")),
            At::Step(step) => symbol(&format!("{name}@{step}")),
        }
    }
}
