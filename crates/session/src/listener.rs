//! Who hears what a run tells.

use std::io;

use results::{Event, Level, Log};

/// Receives events in the order in which they happen. An error ends the run: nobody
/// listens any more.
pub trait Listener {
    fn tell(&mut self, event: &Event) -> io::Result<()>;

    /// A message of a part of the tool.
    fn log(&mut self, level: Level, source: &'static str, message: String) -> io::Result<()> {
        self.tell(&Event::Log(&Log::new(level, source, message)))
    }
}
