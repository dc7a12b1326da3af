//! Large memory pages for the solver.
//!
//! Z3 writes 16 MB of tables whenever a thread begins to use it; a small model is solved in less
//! time than the operating system takes to provide these as pages of 4 kB. Short-lived solvers also
//! free and allocate memory again and again. On Linux, an environment variable makes the C library
//! request large pages and keep freed memory. The variable is read when a process starts, so the
//! program sets it and executes itself again.

#[cfg(all(target_os = "linux", target_env = "gnu"))]
pub fn in_large_pieces() {
    use std::os::unix::process::CommandExt;

    const SETTINGS: &str = "GLIBC_TUNABLES";
    const LARGE: &str = "glibc.malloc.hugetlb=1:glibc.malloc.top_pad=4194304:\
        glibc.malloc.mmap_threshold=4194304:glibc.malloc.trim_threshold=268435456";
    const POLICY: &str = "/sys/kernel/mm/transparent_hugepage/enabled";
    // Settings of the user are kept, and the program restarts only once. After a restart, a closed
    // standard output could not be detected any more.
    if std::env::var_os(SETTINGS).is_some() || stdio::output_was_closed() {
        return;
    }
    let policy = std::fs::read_to_string(POLICY).unwrap_or_default();
    if !policy.contains("[madvise]") {
        return;
    }
    let Ok(program) = std::env::current_exe() else {
        return;
    };
    let mut arguments = std::env::args_os();
    let mut again = std::process::Command::new(program);
    if let Some(name) = arguments.next() {
        again.arg0(name);
    }
    again.args(arguments).env(SETTINGS, LARGE);
    // This returns only on failure, and then the program runs with small pages.
    let _ = again.exec();
}

#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
pub fn in_large_pieces() {}
