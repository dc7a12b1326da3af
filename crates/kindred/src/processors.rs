//! How many cores the process may use.

/// Confines this thread, and those it starts, to so many of its cores.
#[cfg(target_os = "linux")]
pub fn confine(cores: usize) -> std::io::Result<()> {
    use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};
    let allowed = sched_getaffinity(None)?;
    let own = (0..CpuSet::MAX_CPU).filter(|cpu| allowed.is_set(*cpu));
    let mut fewer = CpuSet::new();
    own.take(cores).for_each(|cpu| fewer.set(cpu));
    Ok(sched_setaffinity(None, &fewer)?)
}

#[cfg(not(target_os = "linux"))]
pub fn confine(_cores: usize) -> std::io::Result<()> {
    Err(std::io::Error::new(
        std::io::ErrorKind::Unsupported,
        "cores can only be chosen on Linux",
    ))
}
