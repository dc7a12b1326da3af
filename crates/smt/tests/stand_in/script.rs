//! Scripts that can be run.

use std::io::ErrorKind;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Command, Stdio};

/// Makes a script executable, and waits until it can be run: a process that another thread starts
/// meanwhile may hold the file open for writing for a moment.
pub fn allow(path: &Path) {
    let runs = std::fs::Permissions::from_mode(0o755);
    std::fs::set_permissions(path, runs).expect("a script that runs");
    let run = || {
        let mut command = Command::new(path);
        command.arg("--version").stdin(Stdio::null()).output()
    };
    while run().is_err_and(|error| error.kind() == ErrorKind::ExecutableFileBusy) {
        std::thread::yield_now();
    }
}
