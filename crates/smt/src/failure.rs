//! What went wrong with a solver of this thread.
//!
//! An engine asks from many places, and "unknown" is an answer everywhere. When
//! its solver is gone, all answers are that; so the engine has to end, and
//! whoever runs it says why. As with [`fuel`](crate::fuel), this belongs to the
//! thread that the engine runs in.

use std::cell::RefCell;

thread_local! {
    static FAILURE: RefCell<Option<String>> = const { RefCell::new(None) };
}

/// The first failure counts.
pub fn set(message: String) {
    FAILURE.with_borrow_mut(|failure| {
        failure.get_or_insert(message);
    });
}

/// Is a solver of this thread gone?
pub fn has_failed() -> bool {
    FAILURE.with_borrow(Option::is_some)
}

/// What went wrong since the last time.
pub fn take() -> Option<String> {
    FAILURE.take()
}
