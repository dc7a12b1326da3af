//! The failure of a solver of this thread.
//!
//! An engine makes queries in many places, and everywhere accepts "unknown". When its solver has
//! failed, all answers are "unknown", so the engine polls this and ends, and the portfolio reports
//! the failure. As with [`fuel`](crate::fuel), it belongs to the thread that the engine runs in.

use std::cell::RefCell;

thread_local! {
    static FAILURE: RefCell<Option<String>> = const { RefCell::new(None) };
}

/// Records a failure; only the first one is kept.
pub fn set(message: String) {
    FAILURE.with_borrow_mut(|failure| {
        failure.get_or_insert(message);
    });
}

/// Has a solver of this thread failed?
pub fn has_failed() -> bool {
    FAILURE.with_borrow(Option::is_some)
}

/// The failure since the last call, if any.
pub fn take() -> Option<String> {
    FAILURE.take()
}
