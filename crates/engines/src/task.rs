//! What an engine works on.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use system::{PropertyId, System};

use crate::blackboard::Observation;
use crate::job_board::JobBoard;
use crate::portfolio::Settings;
use crate::theory::Fit;

/// A system, those of its properties that an engine is to decide, the terms whose values make
/// up a run, and the settings.
pub(crate) struct Task {
    pub system: Arc<System>,
    pub properties: Vec<PropertyId>,
    /// What the engine can take of the system.
    pub fit: Arc<Fit>,
    pub observed: Arc<[Observation]>,
    pub settings: Arc<Settings>,
    /// Has the engine had a turn?
    begun: AtomicBool,
}

/// Decides properties, or finds lemmas for others, until the board says that it is to stop.
pub(crate) trait Prover: Send + Sync {
    fn run(&self, task: &Task, board: &JobBoard);
}

impl Task {
    pub fn new(
        properties: Vec<PropertyId>,
        fit: &Arc<Fit>,
        observed: &Arc<[Observation]>,
        settings: &Arc<Settings>,
    ) -> Task {
        Task {
            system: fit.system.clone(),
            properties,
            fit: fit.clone(),
            observed: observed.clone(),
            settings: settings.clone(),
            begun: AtomicBool::new(false),
        }
    }

    /// Is this the first turn? Only the first one who asks is told so.
    pub fn is_first_turn(&self) -> bool {
        !self.begun.swap(true, Ordering::Relaxed)
    }

    /// Is one of the properties open that someone asked for?
    pub fn is_open(&self, board: &JobBoard) -> bool {
        let mut properties = self.properties.iter();
        properties.any(|id| !self.system.property(*id).hidden && board.is_open(*id))
    }

    /// With default settings, and nothing observed.
    #[cfg(test)]
    pub fn of(system: &Arc<System>, properties: &[PropertyId]) -> Task {
        let (observed, settings) = (Arc::from([]), Arc::default());
        let fit = Arc::new(Fit::unlimited(system));
        Task::new(properties.to_vec(), &fit, &observed, &settings)
    }
}
