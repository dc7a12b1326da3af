//! Bounded model checking, and the prelude that it begins with.
//!
//! A few steps of bounded model checking and k-induction, in one thread and with one solver
//! each, decide most properties. What needs no more than that never starts another engine.

use std::time::Duration;

use crate::blackboard::{Engine, Stage};
use crate::bmc::Bmc;
use crate::induction::FirstSteps;
use crate::job_board::JobBoard;
use crate::task::{Prover, Task};

/// How many steps of both come before all else.
const PRELUDE: usize = 3;

/// The time of the prelude's induction, where a run need not be the same every time.
const PRELUDE_TIME: Duration = Duration::from_millis(100);

/// Bounded model checking; its first turn is the prelude.
pub(crate) struct BoundedModelChecking;

impl Prover for BoundedModelChecking {
    fn run(&self, task: &Task, board: &JobBoard) {
        let settings = &task.settings;
        let mut bmc = Bmc::new(task, board);
        let first = task.is_first_turn() && !settings.caller_unrolls;
        let begins = first || board.stage() == Stage::Prelude;
        if begins && settings.engines.contains(&Engine::Induction) {
            let time = (settings.threads > 1).then_some(PRELUDE_TIME);
            prelude(&mut bmc, FirstSteps::new(task, board).within(time));
        }
        if !task.is_open(board) {
            return;
        }
        board.reach(Stage::Turns);
        board.watch(&task.properties, true);
        bmc.run();
        board.watch(&task.properties, false);
    }
}

fn prelude(bmc: &mut Bmc, mut induction: FirstSteps) {
    for _ in 0..PRELUDE {
        if !bmc.step() || !induction.step() {
            return;
        }
    }
}
