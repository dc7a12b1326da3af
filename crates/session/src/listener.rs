//! The receiver of the events of a run.

use std::io;

use results::{Event, Level, Log};

/// Receives events in the order in which they happen. An error ends the run: later events could not
/// be delivered either.
pub trait Listener {
    fn tell(&mut self, event: &Event) -> io::Result<()>;

    /// Tells a message of one part of the tool.
    fn log(&mut self, level: Level, source: &'static str, message: String) -> io::Result<()> {
        self.tell(&Event::Log(&Log::new(level, source, message)))
    }
}
