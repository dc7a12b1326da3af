//! Exit codes, as Kind 2 documents them.

/// All went well.
pub const SUCCESS: u8 = 0;
/// A general error.
pub const ERROR: u8 = 1;
/// A command line that makes no sense.
pub const USAGE: u8 = 2;
/// A model that is refused.
pub const REFUSED: u8 = 3;
/// The solver that was asked for is not found.
pub const NO_SOLVER: u8 = 4;
/// The solver is unknown, too old, or without a theory that the model needs.
pub const UNSUPPORTED_SOLVER: u8 = 5;
/// Some property is disproved.
pub const DISPROVED: u8 = 40;
/// Some property could be neither proved nor disproved.
pub const UNKNOWN: u8 = 30;
/// Fewer mutants are killed than `--mutation_threshold` asks for.
pub const WEAK: u8 = 50;
