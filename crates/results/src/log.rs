//! Messages.

use syntax::Position;

/// How important a message is.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Level {
    Fatal,
    Error,
    Warn,
    Note,
    Info,
    Debug,
    Trace,
}

impl Level {
    pub fn name(self) -> &'static str {
        match self {
            Level::Fatal => "fatal",
            Level::Error => "error",
            Level::Warn => "warn",
            Level::Note => "note",
            Level::Info => "info",
            Level::Debug => "debug",
            Level::Trace => "trace",
        }
    }
}

#[derive(Clone, Debug)]
pub struct Log {
    pub level: Level,
    /// The part of the tool that sends the message.
    pub source: &'static str,
    pub place: Option<(String, Position)>,
    pub value: String,
}

impl Log {
    pub fn new(level: Level, source: &'static str, value: impl Into<String>) -> Log {
        Log {
            level,
            source,
            place: None,
            value: value.into(),
        }
    }
}
