//! Messages about the solvers of this thread that do not end the engine.
//!
//! Code deep inside an engine adds a message here, as with [`failure`](crate::failure); the
//! engine's driver takes and reports it.

use std::cell::RefCell;

thread_local! {
    static NOTES: RefCell<Vec<String>> = const { RefCell::new(Vec::new()) };
}

pub fn add(note: String) {
    NOTES.with_borrow_mut(|notes| notes.push(note));
}

/// The messages since the last call.
pub fn take() -> Vec<String> {
    NOTES.take()
}
