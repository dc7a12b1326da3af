//! Counterexamples of a program without some of its parts.

use std::sync::Arc;
use std::time::Duration;

use engines::{RunSearchOutcome, find_run};
use lang::{NodeId, Program};
use lower::Origin;
use sim::Trace;
use smt::SolverContext;
use syntax::SourceMap;
use system::PropertyId;

use crate::replay::{self, Claim, Mismatch};
use crate::run_values;
use crate::weaken::{Removal, Weakened, weakened};

/// A run of a program without some of its parts.
#[derive(Clone, Debug)]
pub struct Counterexample {
    /// The last step violates the property.
    pub trace: Trace,
    /// The program that the trace is of.
    pub weakened: Weakened,
    /// What the interpreter could not check.
    pub gaps: Vec<String>,
}

/// Why there is no counterexample.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum NoCounterexample {
    /// No run of this length violates the property.
    None,
    /// No run was found in time, or the interpreter cannot replay it.
    Unable(String),
    /// The two semantics disagree: a bug.
    InternalError(String),
}

/// A node of a program, and how it is turned into a system.
#[derive(Clone, Copy)]
pub struct Subject<'a> {
    pub program: &'a Program,
    pub sources: &'a SourceMap,
    pub top: NodeId,
    pub options: &'a lower::LowerOptions,
    /// Of the solver that looks for runs.
    pub context: &'a SolverContext,
}

impl Subject<'_> {
    /// A run of so many steps whose last one violates a property, in the program without some of
    /// its parts. Properties that were proved of the whole program are not assumed.
    pub fn counterexample(
        &self,
        removals: &[Removal],
        origin: &Origin,
        steps: usize,
        time: Option<Duration>,
    ) -> Result<Counterexample, NoCounterexample> {
        let weakened = weakened(self.program, self.top, removals);
        let (program, top) = (&weakened.program, weakened.top);
        let options = lower::LowerOptions {
            proved: Default::default(),
            settled: Default::default(),
            ..self.options.clone()
        };
        let lowered = lower::lower(program, self.sources, top, &options);
        let lowered = lowered.map_err(|unsupported| NoCounterexample::Unable(unsupported.0))?;
        // The range of a stream without definition is assumed and no property.
        let property = lowered.origins.iter().position(|own| own == origin);
        let (Some(property), Some(last)) = (property, steps.checked_sub(1)) else {
            return Err(NoCounterexample::None);
        };
        let observed = run_values::observed(&lowered).observed;
        let system = Arc::new(lowered.system.clone());
        let run = match find_run(
            self.context,
            &system,
            &observed,
            PropertyId(property),
            last,
            time,
        ) {
            RunSearchOutcome::Found(run) => run,
            RunSearchOutcome::None => return Err(NoCounterexample::None),
            RunSearchOutcome::Unknown => {
                let why = "the solver does not find a run of this length";
                return Err(NoCounterexample::Unable(why.to_owned()));
            }
        };
        match replay::replay(
            program,
            top,
            (&lowered).into(),
            &observed,
            &run,
            Claim::Decides(origin),
        ) {
            Ok(replayed) => Ok(Counterexample {
                trace: replayed.trace,
                gaps: replayed.gaps,
                weakened,
            }),
            Err(Mismatch::Unable(why)) => Err(NoCounterexample::Unable(why)),
            Err(Mismatch::Disagrees(why)) => {
                let name = &system.properties[property].name;
                let message = format!("the run for {name} does not replay: {why}");
                Err(NoCounterexample::InternalError(message))
            }
        }
    }
}
