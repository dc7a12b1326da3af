//! Which system is checked, and what the engines' findings mean for the
//! program.
//!
//! A finding becomes a result only with its evidence: a run is replayed in the
//! interpreter, which computes everything but inputs and choices itself, and
//! must show what was claimed. What does not replay is reported as an internal
//! error, never as a verdict.

mod abstraction;
mod advice;
mod cases;
mod components;
mod cone;
mod counterexample;
mod cross_check;
mod drive;
mod fit;
mod invariant_text;
mod loops;
mod minimize;
mod mutate;
mod path;
mod proofs;
mod refine;
mod replay;
mod run;
mod runs;
mod script;
mod strategy;
mod weaken;

pub use self::advice::AdviceBook;
pub use abstraction::{abstracted, below};
pub use components::{NodeLemmas, Proved};
pub use cone::formula;
pub use counterexample::{Counterexample, NoCounterexample, Subject};
pub use cross_check::{CrossCheck, cross_check};
pub use engines::{
    ClauseLog, Engine, Generator, Ic3Options, InductionOptions, InvariantOptions, Numbers,
    Progress, QeMethod, Settings, Statistics, prepare,
};
pub use invariant_text::{ContractText, InvariantTexts, ProofText, Wanted};
pub use loops::settle_loops;
pub use minimize::{Style, minimized, unreached};
pub use mutate::{Change, Group, Mutant, Mutated, Mutator, Prepared, Target, mutants};
pub use proof::{
    Candidates, Compression, Evidence, EvidenceOf, Lemmas, MinimiseInvariants, MinimiseK,
};
pub use proofs::SharedProof;
pub use run::{AnalysisOptions, Event, Outcome, PropertyResult, Size, analyse};
pub use runs::first_unreached;
pub use script::Script;
pub use strategy::{Analysis, Course, NodeSummary, Stage, Strategy};
pub use system::{Property, PropertyKind, Source};
pub use weaken::{Removal, Weakened, weakened};
