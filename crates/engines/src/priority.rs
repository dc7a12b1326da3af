//! How much of the machine a thread gets while others want it too.

/// The calling thread yields to others, by so many steps of the system's scale; for
/// good, since to take it back is a privilege. Linux alone does this for a thread:
/// elsewhere it would be the whole process, and nothing happens.
pub(crate) fn yield_by(steps: u8) {
    #[cfg(target_os = "linux")]
    if steps > 0 {
        // A thread that stays as fast as others is no harm.
        let _ = rustix::process::nice(i32::from(steps));
    }
    #[cfg(not(target_os = "linux"))]
    let _ = steps;
}
