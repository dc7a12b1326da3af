//! Progress messages of the mutation analysis.

use std::time::{Duration, Instant};

use results::MutationReport;

pub struct Progress {
    all: usize,
    start: Instant,
    told: Instant,
}

/// The least time between two messages.
const MIN_INTERVAL: Duration = Duration::from_secs(1);

impl Progress {
    pub fn new(all: usize) -> Progress {
        Progress {
            all,
            start: Instant::now(),
            told: Instant::now(),
        }
    }

    /// The next message, if it is time for one.
    pub fn sentence(&mut self, report: &MutationReport) -> Option<String> {
        if self.told.elapsed() < MIN_INTERVAL {
            return None;
        }
        self.told = Instant::now();
        let settled = report.mutants.iter().filter(|m| m.is_settled).count();
        let (all, score) = (self.all, report.score());
        let (killed, survived) = (score.killed, score.survived + score.equivalent);
        let seconds = self.start.elapsed().as_secs_f64();
        Some(format!(
            "{settled} of {all} mutants settled after {seconds:.0}s: {killed} killed, {survived} \
             survived so far"
        ))
    }
}
