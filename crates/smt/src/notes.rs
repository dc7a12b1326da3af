//! What is to be said of the solvers of this thread, and does not end its engine.
//!
//! Whoever asks from deep inside an engine leaves word here, as with
//! [`failure`](crate::failure); the engine tells it.

use std::cell::RefCell;

thread_local! {
    static NOTES: RefCell<Vec<String>> = const { RefCell::new(Vec::new()) };
}

pub fn add(note: String) {
    NOTES.with_borrow_mut(|notes| notes.push(note));
}

/// What was said since the last time.
pub fn take() -> Vec<String> {
    NOTES.take()
}
