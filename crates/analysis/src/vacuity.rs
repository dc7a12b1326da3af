//! Which verdicts are vacuous, because the runs of the system end.
//!
//! A verdict is about the runs of the whole system: all assertions, assumptions and contracts
//! count, also those outside of the cone of influence of the property.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use engines::{Settings, dead_end};
use lower::Lowered;
use proof::Evidence;
use system::System;

use crate::run::{AnalysisEvent, Outcome, PropertyResult};

/// The first step that no run of a system reaches, if one is found in time; for a search that
/// proves nothing, such as that for cut sets.
pub fn first_unreached(lowered: &Lowered, settings: &Settings) -> Option<usize> {
    let system = Arc::new(lowered.system.clone());
    let mut vacuity = Vacuity::new(&system, settings);
    vacuity.ask(&mut |_| {});
    vacuity.dead_end
}

/// Searches once for a step that no run reaches.
pub(crate) struct Vacuity<'s> {
    system: &'s Arc<System>,
    settings: &'s Settings,
    asked: bool,
    dead_end: Option<usize>,
}

impl<'s> Vacuity<'s> {
    pub fn new(system: &'s Arc<System>, settings: &'s Settings) -> Vacuity<'s> {
        Vacuity {
            system,
            settings,
            asked: !settings.unrolling.check_unrolling,
            dead_end: None,
        }
    }

    /// Something was proved: the first time, this searches for a step that no run reaches, before
    /// the proof is reported.
    pub fn proved(&mut self, evidence: &Evidence, tell: &mut dyn FnMut(AnalysisEvent)) {
        match evidence {
            Evidence::NoRun { steps } => self.end_at(*steps, tell),
            _ => self.ask(tell),
        }
    }

    fn ask(&mut self, tell: &mut dyn FnMut(AnalysisEvent)) {
        if std::mem::replace(&mut self.asked, true) || self.dead_end.is_some() {
            return;
        }
        if let Some(step) = dead_end(self.system, self.settings.is_repeatable(), self.time()) {
            self.end_at(step, tell);
        }
    }

    /// The time that is left.
    fn time(&self) -> Duration {
        match (
            self.settings.interrupted.load(Ordering::Relaxed),
            self.settings.deadline,
        ) {
            (true, _) => Duration::ZERO,
            (false, Some(end)) => end.saturating_duration_since(Instant::now()),
            (false, None) => Duration::MAX,
        }
    }

    fn end_at(&mut self, step: usize, tell: &mut dyn FnMut(AnalysisEvent)) {
        if self.dead_end.is_none() {
            self.dead_end = Some(step);
            tell(AnalysisEvent::DeadEnd(step));
        }
    }

    /// Marks the results that hold vacuously from some step on.
    pub fn mark(&mut self, results: &mut [PropertyResult], tell: &mut dyn FnMut(AnalysisEvent)) {
        let open = |result: &PropertyResult| matches!(result.outcome, Outcome::Unknown(_));
        if results.iter().any(open) {
            self.ask(tell);
        }
        for result in results {
            if let Outcome::Valid(_) | Outcome::Unreachable(_) = result.outcome {
                result.vacuous_from = self.dead_end;
            }
        }
    }
}
