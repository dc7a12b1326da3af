//! Memory for the solver, in large pieces.
//!
//! Z3 writes 16 MB of tables whenever a thread begins to use it, and a model that is
//! small is solved in less time than it takes the system to hand these out by pages of
//! 4 kB. Solvers that come and go give their memory back, only to ask for it again.
//! Where Linux gives large pages to those who ask, its C library does when an
//! environment variable says so, and keeps what it has: as the variable is read before
//! a program begins, the program begins once more.

#[cfg(all(target_os = "linux", target_env = "gnu"))]
pub fn in_large_pieces() {
    use std::os::unix::process::CommandExt;

    const SETTINGS: &str = "GLIBC_TUNABLES";
    const LARGE: &str = "glibc.malloc.hugetlb=1:glibc.malloc.top_pad=4194304:\
        glibc.malloc.mmap_threshold=4194304:glibc.malloc.trim_threshold=268435456";
    const POLICY: &str = "/sys/kernel/mm/transparent_hugepage/enabled";
    // Whoever has settings of their own keeps them, and it happens once. The next program
    // could not see any more that standard output is closed.
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
    // It only comes back if it fails, and small pages do as well.
    let _ = again.exec();
}

#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
pub fn in_large_pieces() {}
