//! Messages and statistics about the work of an analysis.

use std::time::Duration;

use analysis::{Evidence, Progress, Size};
use results::{Amount, Statistics};

/// The progress of an engine, with the time since the analysis began.
pub fn progress(progress: &Progress, since: Duration) -> String {
    let (name, depth) = (progress.engine.name(), progress.depth);
    let seconds = since.as_secs_f64();
    format!("{name} has come to k={depth} after {seconds:.3}s")
}

pub fn size(size: &Size) -> Statistics {
    Statistics {
        source: "supervisor",
        title: "The system".to_owned(),
        items: vec![
            ("variables", Amount::Count(size.variables)),
            ("of which states", Amount::Count(size.states)),
            ("constraints", Amount::Count(size.constraints)),
            ("properties", Amount::Count(size.properties)),
            ("translation", Amount::Seconds(size.lowering.as_secs_f64())),
        ],
    }
}

/// The work of an engine, and how many properties it has decided.
pub fn work(work: &analysis::Statistics, decided: usize) -> Statistics {
    Statistics {
        source: work.engine.short_name(),
        title: format!("What {} did", work.engine.name()),
        items: vec![
            ("properties decided", Amount::Count(decided)),
            ("largest k", Amount::Count(work.depth)),
            ("queries", Amount::Count(work.queries)),
            (
                "time for queries",
                Amount::Seconds(work.solving.as_secs_f64()),
            ),
            (
                "time to check proofs again",
                Amount::Seconds(work.certifying.as_secs_f64()),
            ),
        ],
    }
}

/// A sentence about the evidence of a proof.
pub fn evidence(name: &str, evidence: &Evidence) -> String {
    match evidence {
        Evidence::Inductive { k, .. } => {
            format!("the proof of {name} is an invariant that is {k}-inductive")
        }
        Evidence::SimplePath { k, .. } => format!(
            "the proof of {name} is an invariant that is {k}-inductive along paths without shortcuts"
        ),
        Evidence::NoRun { steps } => {
            format!("the proof of {name}: there are no runs of more than {steps} steps")
        }
        Evidence::Bounded { steps } => {
            format!("the proof of {name}: none of the first {steps} steps reaches it")
        }
    }
}
