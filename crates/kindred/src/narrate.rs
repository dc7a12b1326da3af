//! What verbose mode tells of an analysis.

use std::time::{Duration, Instant};

use analysis::{Engine, Evidence, Progress, Size};
use report::{Amount, Level, Statistics, Verbosity};

/// How often progress is told: now and then, or, for those who want to see it
/// all, always.
pub struct Pace {
    verbosity: Verbosity,
    start: Instant,
    /// When something was last told of an engine.
    told: Vec<(Engine, Instant)>,
}

/// The least time between two lines about the same engine.
const QUIET: Duration = Duration::from_secs(1);

impl Pace {
    pub fn new(verbosity: Verbosity) -> Pace {
        Pace {
            verbosity,
            start: Instant::now(),
            told: Vec::new(),
        }
    }

    /// What to say about the progress of an engine, if it is time.
    pub fn sentence(&mut self, progress: &Progress) -> Option<String> {
        let now = Instant::now();
        let known = self.told.iter_mut();
        let known = known.into_iter().find(|(e, _)| *e == progress.engine);
        let last = known.as_ref().map_or(self.start, |(_, at)| *at);
        if now - last < QUIET && self.verbosity < Some(Level::Debug) {
            return None;
        }
        match known {
            Some((_, at)) => *at = now,
            None => self.told.push((progress.engine, now)),
        }
        let (name, depth) = (progress.engine.name(), progress.depth);
        let seconds = (now - self.start).as_secs_f64();
        Some(format!("{name} has come to k={depth} after {seconds:.3}s"))
    }
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

/// What a proof rests on.
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
