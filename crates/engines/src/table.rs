//! The table of engines: who comes first, with which share of the time, and what each of them
//! can take.
//!
//! A new engine is a type that implements [`Prover`], a variant of [`Engine`] and a row here.

use crate::blackboard::Engine;
use crate::ic3::{Ic3ia, Ic3qe};
use crate::induction::{KInduction, TwoInduction};
use crate::invariants::{Generator, InvariantGeneration, Numbers};
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
    /// As `--enable` names it.
    pub flag: &'static str,
    /// It runs unless others are asked for.
    pub by_default: bool,
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
    flag: "BMC",
    by_default: true,
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
    flag: "IND",
    ways: &[Way::new(&KInduction, 2)],
    ..BMC
};

/// What it proves, k-induction proves too: on few cores it is not worth a thread by default.
const TWO_INDUCTION: Row = Row {
    short_name: "ind2",
    name: "2-induction",
    flag: "IND2",
    by_default: false,
    at_once: false,
    ways: &[Way::new(&TwoInduction, 8)],
    ..BMC
};

/// Its names are those of the generators.
const INVARIANTS: Row = Row {
    short_name: "invgen",
    name: "invariant generation",
    flag: "INVGEN",
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
    flag: "SPACER",
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
    flag: "IC3IA",
    by_default: true,
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
    flag: "IC3QE",
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

    /// All engines, in the order in which documents list them.
    pub const ALL: [Engine; 14] = [
        Engine::Bmc,
        Engine::Induction,
        Engine::TwoInduction,
        Engine::Invariants(Generator::new(Numbers::None, true)),
        Engine::Invariants(Generator::new(Numbers::None, false)),
        Engine::Invariants(Generator::new(Numbers::Int, true)),
        Engine::Invariants(Generator::new(Numbers::Int, false)),
        Engine::Invariants(Generator::new(Numbers::Real, true)),
        Engine::Invariants(Generator::new(Numbers::Real, false)),
        Engine::Invariants(Generator::new(Numbers::Machine, true)),
        Engine::Invariants(Generator::new(Numbers::Machine, false)),
        Engine::Spacer,
        Engine::Ic3ia,
        Engine::Ic3qe,
    ];

    /// As `--enable` names it.
    pub fn flag(self) -> &'static str {
        match self {
            Engine::Invariants(generator) => generator.flag(),
            _ => self.row().flag,
        }
    }

    /// Does it run unless others are asked for?
    pub fn is_default(self) -> bool {
        match self {
            Engine::Invariants(generator) => generator.is_default(),
            _ => self.row().by_default,
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
