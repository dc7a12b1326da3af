//! Was standard output there when the process began?
//!
//! Before `main`, Rust opens `/dev/null` in the place of a standard stream that is closed, so that
//! no other file gets its number by accident. All output is lost then, without an error. Only a
//! check before that can tell `kindred model.lus >&-` from a run with output to `/dev/null`. The
//! loader calls the functions in the section of initialisers before Rust starts; to put a function
//! there is unsafe, as it may not use most of the standard library. The one here makes one system
//! call and sets a flag.

use std::sync::atomic::{AtomicBool, Ordering};

static CLOSED: AtomicBool = AtomicBool::new(false);

/// Was standard output closed when the process began?
pub fn output_was_closed() -> bool {
    CLOSED.load(Ordering::Relaxed)
}

#[cfg(unix)]
extern "C" fn look() {
    let output = rustix::stdio::stdout();
    let is_closed = rustix::io::fcntl_getfd(output).is_err();
    CLOSED.store(is_closed, Ordering::Relaxed);
}

#[cfg(unix)]
#[used]
#[allow(unsafe_code)]
#[cfg_attr(
    target_vendor = "apple",
    unsafe(link_section = "__DATA,__mod_init_func")
)]
#[cfg_attr(not(target_vendor = "apple"), unsafe(link_section = ".init_array"))]
static LOOK: extern "C" fn() = look;
