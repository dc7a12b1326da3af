//! Which system is checked, and what the engines' findings mean for the
//! program.
//!
//! A counterexample or witness becomes a result only after the interpreter has replayed it: the
//! interpreter takes inputs and choices from the run, computes everything else itself, and must
//! reach the step that the engine claims. A run that does not replay is reported as an internal
//! error, never as a verdict.

mod abstraction;
pub mod advice;
mod components;
mod cone;
mod counterexample;
mod cross_check;
mod drive;
mod into_range;
mod invariant_text;
mod loops;
mod minimize;
mod mutate;
mod path;
mod proofs;
pub mod realizability;
mod recorded_run;
mod refine;
mod replay;
mod run;
mod run_values;
mod small_sizes;
mod strategy;
pub mod synthesis;
mod vacuity;
mod weaken;

pub use abstraction::{abstracted, below};
pub use components::{NodeLemmas, Proved};
pub use cone::formula;
pub use counterexample::{Counterexample, NoCounterexample, Subject};
pub use cross_check::{CrossCheck, cross_check};
pub use engines::{
    ClauseLog, Engine, Generator, IC3IA, IC3QE, IND, INVGEN, Ic3Options, InductionOptions,
    InvariantOptions, Numbers, Progress, QE, QeExtract, QeMethod, Settings, Statistics,
    UnrollOptions, default_options, default_threads, prepare,
};
pub use invariant_text::{ContractText, InvariantForms, InvariantTexts, ProofText};
pub use loops::settle_loops;
pub use minimize::{Style, minimized, unreached};
pub use mutate::{Change, Group, Mutant, Mutated, Mutator, PreparedMutants, Target, mutants};
pub use proof::{
    Candidates, Compression, Evidence, EvidenceOf, Lemmas, MinimiseInvariants, MinimiseK,
};
pub use proofs::SharedProof;
pub use recorded_run::RecordedRun;
pub use run::{AnalysisEvent, AnalysisOptions, Outcome, PropertyResult, Size, analyse};
pub use strategy::{Analysis, AnalysisPlan, NodeSummary, Stage, Strategy};
pub use system::{Property, PropertyKind, Source};
pub use vacuity::first_unreached;
pub use weaken::{Removal, Weakened, weakened};
