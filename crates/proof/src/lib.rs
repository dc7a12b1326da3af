//! What engines, cores, cut sets, mutants, advice and certificates share: what a proof is, and
//! what is done with one.
//!
//! A proof is a pair (k, φ): φ is k-inductive and implies the properties. Lemmas and evidence
//! have their k, and know their system where they outlive an analysis (`lemma.rs`,
//! `evidence.rs`, `carry.rs`). Queries are about a cone of influence (`cone.rs`) that is
//! unrolled with plain assertions (`unroll.rs`), or with guards where one solver answers
//! about many variants of a system (`guarded.rs`). On these: the check of a proof in a fresh
//! solver (`certify.rs`), the largest inductive subset of candidates (`subset.rs`), the lemmas
//! that a proof needs (`support.rs`), and smaller proofs (`minimise.rs`).
//!
//! The crate knows systems and solvers. It knows no engine, and nothing of Lustre.

pub mod carry;
pub mod certify;
mod compress;
mod cone;
mod evidence;
mod guarded;
mod lemma;
mod minimise;
mod opinion;
pub mod qe;
mod subset;
mod support;
mod unroll;

pub use certify::{holds_up, invariant};
pub use compress::{Compression, exclude_all, exclude_shown};
pub use cone::{Cone, influence};
pub use evidence::{Candidates, Evidence, EvidenceOf, Induction, Joined, evidence_about, join};
pub use guarded::{AtStep, Guarded};
pub use lemma::{Lemma, Lemmas};
pub use minimise::{MinimiseInvariants, MinimiseK, Proof, minimised};
pub use subset::{GaveUp, Paths, Refutation, hold_after, hold_at_first, inductive_subset, largest};
pub use support::{closure, support};
pub use unroll::Unrolling;
