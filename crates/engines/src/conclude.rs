//! From an invariant that an engine believes in to evidence.

use std::sync::Arc;

use proof::{Compression, Evidence, Lemma, certify, invariant, support};
use system::{PropertyId, System, Term, and};

use crate::blackboard::{Engine, Verdict};
use crate::job_board::JobBoard;

/// An invariant of more conjuncts than this is of little help to others.
const FEW: usize = 16;

/// Decides the properties if the invariant, with the lemmas it may rest on,
/// is inductive and implies them; says whether it is so.
pub(crate) fn conclude(
    system: &Arc<System>,
    board: &JobBoard,
    engine: Engine,
    properties: &[PropertyId],
    found: &Term,
    lemmas: &[Lemma],
) -> bool {
    let own = properties.iter().map(|id| invariant(system, *id));
    let own = and(own.chain([found.clone()]));
    let Some(evidence) = evidence(system, board, engine, &own, lemmas) else {
        return false;
    };
    // As one lemma: its conjuncts need not be inductive alone.
    if own.conjuncts().len() <= FEW {
        board.add_lemma(evidence.k(), own);
    }
    for id in properties {
        board.decide(*id, engine, Verdict::Always(evidence.clone()));
    }
    true
}

/// Alone if that will do, else with the lemmas that it needs.
fn evidence(
    system: &Arc<System>,
    board: &JobBoard,
    engine: Engine,
    own: &Term,
    lemmas: &[Lemma],
) -> Option<Evidence> {
    let (context, stop) = (&board.context, || board.stopped());
    let certified = |invariant: &Term, k, how| {
        let check = || certify::inductive(context, system, invariant, k, how, &stop);
        board.certify(engine, check)
    };
    if certified(own, 1, Compression::NONE) {
        return Some(Evidence::Inductive {
            k: 1,
            invariant: own.clone(),
        });
    }
    let needed = support(context, system, own, 1, lemmas, &stop)?;
    let k = needed.iter().map(|lemma| lemma.k).max()?;
    let all = needed.into_iter().map(|lemma| lemma.term);
    let invariant = and(all.chain([own.clone()]));
    if certified(&invariant, k, Compression::NONE) {
        return Some(Evidence::Inductive { k, invariant });
    }
    // Lemmas may have been proved so.
    certified(&invariant, k, Compression::EQUAL).then_some(Evidence::SimplePath { k, invariant })
}
