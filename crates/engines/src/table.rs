//! The table of engines: who comes first, with which share of the time, and what each of them
//! can take.
//!
//! A new engine is a type that implements [`Prover`], a variant of [`Engine`] and a row here.

use crate::blackboard::Engine;
use crate::ic3::{Ic3ia, Ic3qe};
use crate::induction::{KInduction, TwoInduction};
use crate::invariants::InvariantGeneration;
use crate::portfolio::Settings;
use crate::prelude::BoundedModelChecking;
use crate::spacer::Spacer;
use crate::task::Prover;
use crate::theory::Theory;

/// How an engine takes part in an analysis.
pub(crate) struct Row {
    /// As JSON and XML name it.
    pub short_name: &'static str,
    pub name: &'static str,
    /// It looks at all its properties at once: where many of them are generated checks, it
    /// has turns of its own for the others before.
    pub at_once: bool,
    /// In how many threads it runs, each with a part of the properties.
    pub instances: fn(&Settings) -> usize,
    /// By how much it yields to the others, once all run side by side.
    pub yields: fn(&Settings) -> u8,
    /// The theories that it cannot take.
    pub refuses: &'static [Theory],
    /// The ways in which it runs.
    pub ways: &'static [Way],
}

/// One of the ways in which an engine runs.
pub(crate) struct Way {
    pub prover: &'static dyn Prover,
    /// The order of turns: what is cheap, or solves most, comes first.
    pub rank: usize,
    /// The same where the caller looks for short runs itself.
    pub rank_behind_caller: usize,
    /// How much larger its turns are than those of others, where there are other threads.
    pub turn: u64,
    /// It runs only where the caller looks for short runs itself.
    pub only_behind_caller: bool,
}

impl Way {
    const fn new(prover: &'static dyn Prover, rank: usize) -> Way {
        Way {
            prover,
            rank,
            rank_behind_caller: rank,
            turn: 1,
            only_behind_caller: false,
        }
    }
}

/// By how much an engine that seldom has the last word yields to the others.
pub(crate) const YIELD: u8 = 5;

const BMC: Row = Row {
    short_name: "bmc",
    name: "bounded model checking",
    at_once: true,
    instances: |_| 1,
    yields: |_| 0,
    refuses: &[],
    ways: &[Way {
        rank_behind_caller: 4,
        ..Way::new(&BoundedModelChecking, 0)
    }],
};

const INDUCTION: Row = Row {
    short_name: "ind",
    name: "k-induction",
    ways: &[Way::new(&KInduction, 2)],
    ..BMC
};

const TWO_INDUCTION: Row = Row {
    short_name: "ind2",
    name: "2-induction",
    at_once: false,
    ways: &[Way::new(&TwoInduction, 8)],
    ..BMC
};

/// Its names are those of the generators.
const INVARIANTS: Row = Row {
    short_name: "invgen",
    name: "invariant generation",
    at_once: false,
    yields: |settings| settings.invariants.renice,
    ways: &[Way::new(&InvariantGeneration, 5)],
    ..BMC
};

/// Its projections are linear; free functions become inputs. It begins anew with each turn, so
/// that it has a thread for longer. Where a caller has many questions about similar systems, it
/// looks at them in two ways: what is hard for one of them is often easy for the other.
const SPACER: Row = Row {
    short_name: "spacer",
    name: "Spacer",
    refuses: &[Theory::Quantifiers, Theory::NonLinear],
    ways: &[
        Way {
            turn: 8,
            ..Way::new(&Spacer::GENERAL, 1)
        },
        Way {
            only_behind_caller: true,
            ..Way::new(&Spacer::PLAIN, 3)
        },
    ],
    ..BMC
};

/// Predicates may be about anything that the solver knows.
const IC3IA: Row = Row {
    short_name: "ic3ia",
    name: "IC3 with implicit abstraction",
    at_once: false,
    instances: |settings| settings.ic3.ic3ia_max,
    yields: |_| YIELD,
    refuses: &[Theory::Quantifiers],
    ways: &[Way::new(&Ic3ia, 7)],
};

/// What is not linear takes a value; an array has none that is a term.
const IC3QE: Row = Row {
    short_name: "ic3qe",
    name: "IC3 with quantifier elimination",
    instances: |_| 1,
    refuses: &[Theory::Arrays, Theory::Quantifiers],
    ways: &[Way::new(&Ic3qe, 6)],
    ..IC3IA
};

impl Engine {
    pub(crate) fn row(self) -> &'static Row {
        match self {
            Engine::Bmc => &BMC,
            Engine::Induction => &INDUCTION,
            Engine::TwoInduction => &TWO_INDUCTION,
            Engine::Invariants(_) => &INVARIANTS,
            Engine::Spacer => &SPACER,
            Engine::Ic3ia => &IC3IA,
            Engine::Ic3qe => &IC3QE,
        }
    }

    /// As JSON and XML name it.
    pub fn short_name(self) -> &'static str {
        match self {
            Engine::Invariants(generator) => generator.short_name(),
            _ => self.row().short_name,
        }
    }

    pub fn name(self) -> &'static str {
        match self {
            Engine::Invariants(generator) => generator.name(),
            _ => self.row().name,
        }
    }
}
