//! Runs that violate a property though some parts hold.
//!
//! Such a run shows that these parts are not enough, and the parts that it breaks are a cut set,
//! though seldom a minimal one. A shorter run is found sooner than a proof fails, so lengths that
//! have led to violations before are tried first. *Locally Smallest Cut Sets by Max-SMT* has the
//! fewest broken parts for one length ([`Verifier::least_cut`]); where that costs too much, each
//! broken part is asked to hold in turn ([`Verifier::shrunk`]).

use std::time::Duration;

use engines::Run;
use proof::AtStep;
use smt::{Answer, Limits};
use system::eq;

use crate::frames::within;
use crate::model::Set;
use crate::strategies::inputs;
use crate::verify::{Cut, Verifier};

/// For questions that no other thread answers meanwhile.
pub(crate) const CHEAP: Duration = Duration::from_millis(50);

/// For a query that may be in vain.
pub(crate) const SHORT: Duration = Duration::from_millis(500);

impl Verifier<'_> {
    /// A violation at this step, with these parts; of the others as many hold as
    /// the model that was found happens to show.
    pub(crate) fn run_at(&mut self, present: &Set, depth: usize, limits: Limits) -> Option<Cut> {
        if self.known.is_clear(present, depth) {
            return None;
        }
        let violated = self.solvers.violated();
        let wanted = self.wanted.clone();
        let runs = self.solvers.runs_through(depth);
        runs.limit(limits);
        runs.wanted = wanted;
        let answer = runs.check(present, depth, &[AtStep::new(violated, depth)]);
        runs.wanted = None;
        match answer {
            Answer::Sat => self.cut_found(present, depth),
            Answer::Unsat => {
                if let Some(enough) = runs.enough() {
                    self.known.add_clear(enough, depth);
                }
                None
            }
            Answer::Unknown(_) => None,
        }
    }

    /// The same with inputs that are known to lead to a violation.
    pub(crate) fn run_again(&mut self, present: &Set, run: &Run, limits: Limits) -> Option<Cut> {
        let depth = run.steps.len().checked_sub(1)?;
        let inputs = inputs(&self.model.only(present, &self.properties));
        let mut terms = vec![AtStep::new(self.solvers.violated(), depth)];
        for (at, values) in run.steps.iter().enumerate() {
            for (input, value) in inputs.iter().zip(values) {
                let value = value.as_ref().and_then(|value| value.term(input.sort()));
                terms.extend(value.map(|value| AtStep::new(eq(input, &value), at)));
            }
        }
        let runs = self.solvers.runs_through(depth);
        runs.limit(limits);
        match runs.check(present, depth, &terms) {
            Answer::Sat => self.cut_found(present, depth),
            // Some value may not have been told as it is.
            Answer::Unsat | Answer::Unknown(_) => self.run_at(present, depth, limits),
        }
    }

    /// What the run that was found breaks.
    fn cut_found(&mut self, present: &Set, depth: usize) -> Option<Cut> {
        let others = self.model.complement(present);
        let runs = self.solvers.runs_through(depth);
        if runs.is_wrong(present, depth) {
            self.solvers.replace_runs();
            return None;
        }
        let broken = runs.broken(&others, depth);
        let cut = Cut { broken, depth };
        self.known.add_cut(&cut);
        Some(cut)
    }

    /// The fewest parts, by cost, that have to fail for a violation at this step;
    /// the parts in `present` do not.
    pub fn least_cut(&mut self, present: &Set, depth: usize) -> Option<Cut> {
        let violated = self.solvers.violated();
        let costs: Vec<u32> = self.model.parts.iter().map(|part| part.cost).collect();
        self.solvers.runs.limit(self.budget.of_call());
        let violation = [AtStep::new(violated, depth)];
        let answer = self
            .solvers
            .runs
            .check_soft(present, depth, &violation, &costs);
        if answer != Answer::Sat {
            return None;
        }
        let others = self.model.complement(present);
        let broken = self.solvers.runs.broken(&others, depth);
        let cut = Cut { broken, depth };
        self.known.add_cut(&cut);
        Some(cut)
    }

    /// As few broken parts as a run of the same length can do with, though not the
    /// fewest of all: each in turn is asked to hold.
    pub(crate) fn shrunk(&mut self, present: &Set, cut: Cut) -> Cut {
        let short = within(Limits::default(), SHORT);
        let mut cut = cut;
        let mut open = cut.broken.clone();
        while let Some(part) = open.pop_first() {
            let mut holding = self.model.complement(&cut.broken);
            holding.extend(present);
            holding.insert(part);
            if let Some(other) = self.run_at(&holding, cut.depth, short) {
                open.retain(|part| other.broken.contains(part));
                cut = other;
            }
        }
        cut
    }

    /// A violation at one of the steps, in the order given, as long as there is time.
    pub(crate) fn run_within(
        &mut self,
        present: &Set,
        mut depths: impl Iterator<Item = usize>,
        time: Duration,
    ) -> Option<Cut> {
        let start = self.context.now();
        while let Some(left) = time.checked_sub(start.elapsed()) {
            let depth = depths.next()?;
            if let Some(cut) = self.run_at(present, depth, within(Limits::default(), left)) {
                return Some(cut);
            }
        }
        None
    }
}
