//! The largest part of the candidates that is k-inductive together ([`proof::largest`]).
//!
//! There is more to do with a model than to see which candidates fail. It may violate a lemma
//! that is not asserted yet, or have a shortcut: then it is excluded, and the question is asked
//! again. Candidates that others have decided meanwhile are left out. Where the solver gives up
//! on all candidates together, they are tried one by one.

use proof::{GaveUp, Refutation, largest};
use smt::{Answer, Literal, Solver};
use system::{Term, and, not, or};

use super::{Induction, Patience};
use crate::attempt::{self, Attempt};

impl Induction<'_> {
    /// The largest part of the candidates that is k-inductive together.
    pub(super) fn inductive_part(&mut self, mut part: Vec<usize>, k: usize) -> Vec<usize> {
        let found = largest(&mut part, |left| self.refuted(left, k));
        match found {
            Ok(()) => part,
            Err(GaveUp) if part.len() == 1 || self.patience == Patience::Lost => Vec::new(),
            Err(GaveUp) => self.one_by_one(part, k),
        }
    }

    /// Looks for a path on which all of the candidates hold at k steps, and not all at the
    /// next.
    fn refuted(&mut self, part: &[usize], k: usize) -> Refutation<usize> {
        if self.board.stopped() {
            return Refutation::Unknown;
        }
        let open = self.open_among(part);
        if open.len() < part.len() {
            return Refutation::Leaves(open);
        }
        let goal = or(part.iter().map(|at| not(&self.candidates[*at].term)));
        let fails = self.unrolling.solver.literal();
        self.unrolling.solver.assert_if(fails, &goal, k);
        let assumed = part.iter().map(|at| self.candidates[*at].assumed);
        let assumptions: Vec<Literal> = assumed.chain([fails]).collect();
        let answer = self.check(&assumptions);
        if answer == Answer::Sat
            && (self.lemmas.wake(&mut self.unrolling, k) || self.exclude_shortcuts(k))
        {
            return Refutation::Spurious;
        }
        let refutation = match answer {
            Answer::Unsat => Refutation::None,
            Answer::Sat => self.left_by_model(part, k),
            // What was decided meanwhile may have been in the way.
            Answer::Unknown(_) => match self.open_among(part) {
                open if open.len() < part.len() => Refutation::Leaves(open),
                _ => Refutation::Unknown,
            },
        };
        self.unrolling.solver.retire(fails);
        refutation
    }

    /// The candidates that do not fail at the end of the path in the model, which is told.
    fn left_by_model(&mut self, part: &[usize], k: usize) -> Refutation<usize> {
        let (mut failed, mut left, mut definite) = (Vec::new(), Vec::new(), true);
        for at in part {
            let holds = self.unrolling.solver.holds(&self.candidates[*at].term, k);
            definite &= holds.is_some();
            match holds {
                Some(false) => failed.push(*at),
                _ => left.push(*at),
            }
        }
        match (failed.is_empty(), definite) {
            // The model does not say which: the value of a quantified term is not part of it.
            (true, false) => Refutation::Unknown,
            (true, true) => Refutation::Leaves(Vec::new()),
            (false, _) => {
                self.tell_attempt(&failed, k);
                Refutation::Leaves(left)
            }
        }
    }

    /// Tells of the path in the model on which properties fail at the end.
    fn tell_attempt(&mut self, failed: &[usize], k: usize) {
        if !self.task.settings.induction.tells_attempts() {
            return;
        }
        let roots: Vec<Term> = self.candidates.iter().map(|c| c.term.clone()).collect();
        let fails = and(failed.iter().map(|at| not(&roots[*at])));
        let (task, unrolling) = (self.task, &mut self.unrolling);
        if let Some(run) =
            attempt::complete(&self.board.context, task, unrolling, &roots, &fails, k)
        {
            let properties = failed.iter().map(|at| self.candidates[*at].id).collect();
            self.board.ledger.attempted(Attempt { properties, k, run });
        }
    }

    /// Where the solver gives up on all together, some may go alone; what is
    /// inductive alone is so together.
    fn one_by_one(&mut self, part: Vec<usize>, k: usize) -> Vec<usize> {
        let alone = part.into_iter();
        alone
            .flat_map(|at| self.inductive_part(vec![at], k))
            .collect()
    }

    fn exclude_shortcuts(&mut self, k: usize) -> bool {
        let compression = self.task.settings.induction.compression();
        let found = proof::exclude_shown(compression, &mut self.unrolling, k);
        self.compressed |= found;
        found
    }
}
