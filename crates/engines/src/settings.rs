//! The options of IC3.

/// How variables are eliminated from pre-images.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum QeMethod {
    /// Z3 eliminates them from the whole pre-image.
    Precise,
    /// Z3 eliminates them from an implicant of it.
    Impl,
    /// The projection of `qe`, from an implicant.
    Cooper,
}

/// The options of IC3QE.
#[derive(Clone, Copy, Debug)]
pub struct Ic3Options {
    pub qe_method: QeMethod,
    /// Tell others about clauses that are inductive alone.
    pub check_inductive: bool,
    /// 0: keep all literals; 1: drop them in their order; 2: drop those first
    /// that were seldom needed.
    pub generalise: u8,
    /// Exclude cubes from later frames too, once they are blocked.
    pub block_in_future: bool,
    /// And do so before those that they are predecessors of are tried again.
    pub block_in_future_first: bool,
    /// Push what was generalised too far as it was before.
    pub push_original: bool,
    /// Generalise again after pushing.
    pub push_generalised: bool,
    /// Forget clauses that others subsume.
    pub subsume: bool,
    /// Use what other engines prove.
    pub use_lemmas: bool,
}

impl Default for Ic3Options {
    fn default() -> Ic3Options {
        Ic3Options {
            qe_method: QeMethod::Cooper,
            check_inductive: true,
            generalise: 1,
            block_in_future: true,
            block_in_future_first: true,
            push_original: true,
            push_generalised: true,
            subsume: true,
            use_lemmas: true,
        }
    }
}

impl Ic3Options {
    /// What IC3IA runs with.
    pub(crate) fn of_abstraction() -> Ic3Options {
        Ic3Options {
            check_inductive: false,
            generalise: 2,
            push_original: false,
            push_generalised: false,
            ..Ic3Options::default()
        }
    }
}
